"""What a model wants to read before a text: before a question, and before a record.

A sentence-transformers folder says it in ``config_sentence_transformers.json``: named prompts, and
the name of the one that is used where none is asked for.

Source
------
https://sbert.net/docs/sentence_transformer/usage/prompts.html. The library itself looks for the
names below too, but takes the empty ``document`` that it fills in for a configured ``passage``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from core.embedding.models import read_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

CONFIG_FILE = "config_sentence_transformers.json"

_FOR_QUESTIONS = ("query",)
_FOR_RECORDS = ("document", "passage", "corpus")


class Prompts(NamedTuple):
    """What stands before a question and before a record; "" for nothing."""

    question: str = ""
    record: str = ""


NO_PROMPTS = Prompts()


def read_prompts(folder: Path | None) -> Prompts:
    """Return the prompts of the model in a folder; none where its configuration names none."""
    config = read_object(folder / CONFIG_FILE) if folder is not None else {}
    named = config.get("prompts")
    if not isinstance(named, dict):
        return NO_PROMPTS
    usual = config.get("default_prompt_name")
    return Prompts(_first(named, (*_FOR_QUESTIONS, usual)), _first(named, (*_FOR_RECORDS, usual)))


def _first(named: dict[str, Any], names: Iterable[object]) -> str:
    for name in names:
        text = named.get(name) if isinstance(name, str) else None
        if isinstance(text, str) and text:
            return text
    return ""
