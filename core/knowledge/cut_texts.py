"""Finds the texts that are longer than the embedding model reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.embedding.models import find_model, may_exceed, token_counter
from core.embedding.prompts import read_prompts
from core.errors import Place
from core.io.findings import FINDINGS_LIMIT, Findings
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from core.knowledge.records import RecordPlaces

MAX_COUNTED_CHARS = 4_000_000
"""Characters that are tokenised at most, the longest texts first: about a second's work."""

_LONGEST_COUNTED = 200_000
_BATCH = 256


def warn_of_cut_texts(
    texts: Sequence[str],
    model_name: str,
    folder: Path,
    findings: Findings,
    places: RecordPlaces,
    work: Work = QUIETLY,
) -> None:
    """Warn of each text whose tail the model does not see, saying how many tokens are cut.

    Says nothing where the model, its limit or its tokenizer is not known. Work is bounded by
    `MAX_COUNTED_CHARS` and `FINDINGS_LIMIT` warnings; texts left out are mentioned.

    Parameters
    ----------
    texts : of all records, in file order.
    model_name, folder : the model, and where a relative path to it starts.
    """
    model = find_model(model_name, folder)
    if model is None or not model.max_tokens:
        return
    prompt = read_prompts(model.folder()).record
    rows = [row for row, text in enumerate(texts) if may_exceed(prompt + text, model.max_tokens)]
    count = token_counter(model) if rows else None
    if count is None:
        return
    rows.sort(key=lambda row: -len(texts[row]))
    cut: dict[int, int] = {}
    spent = done = 0
    while done < len(rows) and spent < MAX_COUNTED_CHARS and len(cut) < FINDINGS_LIMIT:
        work.stop_if_cancelled()
        batch = rows[done : done + _BATCH]
        heads = [prompt + texts[row][:_LONGEST_COUNTED] for row in batch]
        for row, tokens in zip(batch, count(heads), strict=True):
            if tokens > model.max_tokens:
                cut[row] = tokens
        spent += sum(map(len, heads))
        done += len(batch)
    if done < len(rows):
        findings.warning(
            f"{len(rows) - done} more long texts were not measured: some may be "
            f"longer than {model.name} reads",
            place=Place(places.file),
        )
    for row in sorted(cut)[:FINDINGS_LIMIT]:
        more = "more than " if len(texts[row]) > _LONGEST_COUNTED else ""
        findings.warning(
            f"the text has {more}{cut[row]} tokens, {model.name} reads {model.max_tokens}: "
            f"{more}{cut[row] - model.max_tokens} are cut at its end, dense search does not see "
            "them",
            place=places(row, "text"),
            hint="split it into smaller chunks",
        )
