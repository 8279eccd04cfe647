"""Chat messages as one document: where each chunk, role and break between messages is."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from inspector.drawing.words import MOST_CHARACTERS, as_lines, beginning, qt_places

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.prompt.projection import Message

_EARLIER, _NOW = "earlier turns", "this turn"


class Tinted(NamedTuple):
    """A chunk's characters in the document, in Qt's UTF-16 units, and which chunk it is."""

    start: int
    end: int
    block: int
    chunk: int
    id: str


@dataclass(frozen=True, slots=True)
class PromptLayout:
    """A document of messages with an empty line between each two.

    text : all of it.
    exact : the same with the ends of lines that the messages have.
    spans : the chunks in it, in order.
    roles : line on which a message begins → its role.
    breaks : line between two messages → what it says: which turns follow, or "".
    earlier : start and end of the messages of earlier turns, in UTF-16 units.
    """

    text: str = ""
    exact: str = ""
    spans: tuple[Tinted, ...] = ()
    roles: Mapping[int, str] = field(default_factory=dict)
    breaks: Mapping[int, str] = field(default_factory=dict)
    earlier: tuple[int, int] = (0, 0)

    def span_from(self, position: int) -> int:
        """Return the index of the last span that begins at `position` or before, or −1."""
        return bisect_right(self.spans, position, key=_start) - 1

    def span_at(self, position: int) -> Tinted | None:
        """Return the span that holds a position, in UTF-16 units."""
        index = self.span_from(position)
        return self.spans[index] if index >= 0 and position < self.spans[index].end else None

    def span_of(self, chunk_id: str) -> Tinted | None:
        """Return the first span of a chunk."""
        return next((span for span in self.spans if span.id == chunk_id), None)

    def role_at(self, line: int) -> str:
        """Return the role of the message that a line belongs to, "" for a break."""
        starts = [first for first in self.roles if first <= line]
        return self.roles[max(starts)] if starts and line not in self.breaks else ""


def lay_out(messages: Sequence[Message], ids: Callable[[int, int], str]) -> PromptLayout:
    """Lay messages out; `ids` names the chunk at (block, chunk)."""
    texts: list[str] = []
    spans: list[Tinted] = []
    roles: dict[int, str] = {}
    breaks: dict[int, str] = {}
    earlier = (0, 0)
    offset = line = 0
    was_earlier = False
    for index, message in enumerate(messages):
        is_earlier = message.origin == "dialog"
        if index or is_earlier:
            breaks[line] = "" if is_earlier is was_earlier else _EARLIER if is_earlier else _NOW
            texts.append("")
            offset, line = offset + 1, line + 1
        exact = beginning(message.text)
        # Of the same length, so that spans stay right.
        text = as_lines(exact)
        roles[line] = message.role
        place = qt_places(text)
        spans += [
            Tinted(
                offset + place(span.start),
                offset + place(min(span.end, MOST_CHARACTERS)),
                span.block,
                span.chunk,
                ids(span.block, span.chunk),
            )
            for span in message.spans
            if span.start < MOST_CHARACTERS
        ]
        texts.append(exact)
        if is_earlier:
            earlier = (earlier[0] if was_earlier else offset, offset + place(len(text)))
        was_earlier = is_earlier
        offset += place(len(text)) + 1
        line += text.count("\n") + text.count("\u2029") + 1
    exact_text = "\n".join(texts)
    return PromptLayout(as_lines(exact_text), exact_text, tuple(spans), roles, breaks, earlier)


def _start(span: Tinted) -> int:
    return span.start
