"""The words of a query, and where a text has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.index.tokens import tokens_with_spans
from core.keyword.index import matched_spans as stem_spans

if TYPE_CHECKING:
    from collections.abc import Iterable

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class QueryWords:
    """What a search looked for.

    tokens : as the search saw them.
    are_stems : a word of a text matches when its stem is one of `tokens`, not only when it is one.
    """

    tokens: frozenset[str] = frozenset()
    are_stems: bool = False

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return where `text` has a word: (start, end) by character, merged, ascending."""
        if not self.tokens:
            return ()
        found: Iterable[Span] = (
            stem_spans(text, self.tokens)
            if self.are_stems
            else (
                (start, end)
                for token, start, end in tokens_with_spans(text)
                if token in self.tokens
            )
        )
        merged: list[Span] = []
        for start, end in found:
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return tuple(merged)
