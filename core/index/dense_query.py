"""The question as an embedding model reads it: what stands before it, and how much is cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.embedding.models import find_model, may_exceed, token_counter
from core.embedding.prompts import read_prompts
from core.index.leg_query import DENSE, DENSE_QUERY, LegQuery

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST_COUNTED = 200_000


def dense_query(model_name: str, folder: Path, question: str) -> LegQuery:
    """Return what a model reads of a question, without loading it.

    Its tokens are counted where it may be too long; nothing is said of a model that is not known.

    Parameters
    ----------
    folder : where a relative path to the model starts.
    """
    model = find_model(model_name, folder)
    if model is None:
        return DENSE_QUERY
    prompts = read_prompts(model.folder())
    text = prompts.question + question
    count = token_counter(model) if may_exceed(text, model.max_tokens) else None
    if count is None:
        return LegQuery(DENSE, (), *prompts, max_tokens=model.max_tokens)
    (tokens,) = count([text[:_LONGEST_COUNTED]])
    warning = ""
    if tokens > model.max_tokens:
        more = "more than " if len(text) > _LONGEST_COUNTED else ""
        warning = (
            f"the question has {more}{tokens} tokens, {model.name} reads {model.max_tokens}: "
            f"{more}{tokens - model.max_tokens} are cut at its end, dense search does not see them"
        )
    return LegQuery(DENSE, (), *prompts, tokens, model.max_tokens, warning)
