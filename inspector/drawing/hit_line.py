"""The one line that a table shows of a chunk, and where it has words of the query."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.hits.words import QueryWords, Span

TEXT_CHARACTERS = 500
"""How much of a chunk a row shows and searches for matched words; the details have it all."""

_LINE_BREAKS = {ord(sign): " " for sign in "\0\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"}


class HitLine(NamedTuple):
    """A text, the line that a row shows of it, and where that has words of the query."""

    text: str
    line: str
    matches: tuple[Span, ...]


def hit_line(text: str, words: QueryWords, unread: Sequence[Span] = ()) -> HitLine:
    """Return the line of a chunk.

    Parameters
    ----------
    unread : parts of the chunk in which no word is looked for.
    """
    beginning = _beginning(text)
    before = len(beginning) - len(beginning.lstrip())
    line = line_of(text)
    left_out = [(start - before, end - before) for start, end in unread]
    return HitLine(text, line, words.spans(line, left_out))


def line_of(text: str) -> str:
    """Return the beginning of a chunk as one line: what a row shows."""
    return _beginning(text).lstrip()[:TEXT_CHARACTERS]


def _beginning(text: str) -> str:
    return text[: 4 * TEXT_CHARACTERS].translate(_LINE_BREAKS)
