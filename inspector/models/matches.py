"""Which parts of a text match the words of the query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.search.tokens import query_tokens, tokens_with_spans

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.search.candidates import Candidates

Span = tuple[int, int]


def tokens_searched(candidates: Candidates) -> frozenset[str]:
    """Return the query's tokens: as the BM25 leg saw them, or where it did not run, as it would."""
    if candidates.sparse is not None:
        return frozenset(candidates.sparse.tokens)
    return frozenset(query_tokens(candidates.query))


def matched_spans(text: str, tokens: Iterable[str]) -> tuple[Span, ...]:
    """Return where `text` has one of `tokens`: (start, end) by character, merged, ascending."""
    wanted = frozenset(tokens)
    if not wanted:
        return ()
    merged: list[Span] = []
    for token, start, end in tokens_with_spans(text):
        if token not in wanted:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)
