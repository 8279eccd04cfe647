"""The words of a query, and where a text has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.index.tokens import token_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class QueryWords:
    """What a search looked for.

    tokens : as the search saw them.
    find : tells where a text has one of them: start and end by character, ascending.
    """

    tokens: frozenset[str] = frozenset()
    find: Callable[[str, frozenset[str]], Iterable[Span]] = token_spans

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return where `text` has a word: (start, end) by character, merged, ascending."""
        if not self.tokens:
            return ()
        merged: list[Span] = []
        for start, end in self.find(text, self.tokens):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return tuple(merged)
