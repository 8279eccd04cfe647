"""The words of a query, and where a text has them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.index.tokens import token_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Span = tuple[int, int]

_STOP_WORDS = """
a an and any are as at be been but by can did do does for from had has have he her his how i
if in into is it its me my no not of on or our she should so some than that the their them
then there these they this those to us was we were what when where which who whom whose why
will with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""English words that nearly every text has: a search may count them, but they tell nothing."""


@dataclass(frozen=True, slots=True)
class QueryWords:
    """What a search looked for.

    tokens : as the search saw them.
    find : tells where a text has one of them: start and end by character, ascending.
    """

    tokens: frozenset[str] = frozenset()
    find: Callable[[str, frozenset[str]], Iterable[Span]] = token_spans

    @property
    def telling(self) -> QueryWords:
        """The words without those that nearly every text has."""
        return QueryWords(self.tokens - STOP_WORDS, self.find)

    def spans(self, text: str, unread: Iterable[Span] = ()) -> tuple[Span, ...]:
        """Return where `text` has a word: (start, end) by character, merged, ascending.

        Parameters
        ----------
        unread : parts of the text in which no word is looked for; they may reach beyond it.
        """
        if not self.tokens:
            return ()
        merged: list[Span] = []
        for start, end in self.find(_without(text, unread), self.tokens):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return tuple(merged)


def _without(text: str, parts: Iterable[Span]) -> str:
    """Return `text` with blanks in the place of these parts."""
    for start, end in parts:
        first, stop = max(start, 0), min(end, len(text))
        if first < stop:
            text = text[:first] + " " * (stop - first) + text[stop:]
    return text
