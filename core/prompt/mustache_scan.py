"""A pass over a Mustache template: its texts, its tags, its mistakes, with line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from core.io.wording import cut

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TEMPLATE = 1_000_000
"""Longest template, in characters."""

MAX_NESTING = 100
"""Most sections within each other; chevron takes a Python frame for each."""

MAX_PROBLEMS = 100
"""Mistakes after which a scan stops."""


class TagKind(StrEnum):
    """What a tag does. Of ``{{a}}``, ``{{{a}}}`` and ``{{&a}}`` all are a VARIABLE."""

    VARIABLE = "variable"
    SECTION = "section"
    INVERTED = "inverted section"
    END = "end"
    PARTIAL = "partial"
    COMMENT = "comment"
    DELIMITERS = "delimiters"


_KIND_OF_SIGN = {
    "#": TagKind.SECTION,
    "^": TagKind.INVERTED,
    "/": TagKind.END,
    ">": TagKind.PARTIAL,
    "&": TagKind.VARIABLE,
    "{": TagKind.VARIABLE,
    "!": TagKind.COMMENT,
    "=": TagKind.DELIMITERS,
}


class Tag(NamedTuple):
    """One tag of a template.

    kind : what it does; `name` without sign and outer white space ("" for comments, delimiters).
    start, end : its characters in the template, ``template[start:end]``.
    line, column : 1-based place of its first character; lines end at a line feed, columns count
        characters.
    """

    kind: TagKind
    name: str
    start: int
    end: int
    line: int
    column: int


Piece = Tag | str
"""A tag, or a text between tags, as it is rendered."""

_BLANK_TO_LINE_END = re.compile(r"[^\S\n]*\n|(?=[^\S\n]*\Z)")


class Mistake(NamedTuple):
    """A mistake of syntax and its 1-based place."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Scan:
    """The pieces of a template in order, and its mistakes in the order of their places."""

    pieces: tuple[Piece, ...]
    mistakes: tuple[Mistake, ...]

    @property
    def tags(self) -> tuple[Tag, ...]:
        """The pieces that are tags."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Tag))


def sections_closed(open_names: Sequence[str], name: str) -> int:
    """How many of the open sections, innermost last, an end tag called `name` closes.

    An end tag that matches none is taken for a misspelt end of the innermost.
    """
    if not open_names:
        return 0
    if open_names[-1] == name or name not in open_names:
        return 1
    return open_names[::-1].index(name) + 1


class _Scanner:
    """One pass over a template, in time proportional to its length."""

    def __init__(self, template: str) -> None:
        self._text = template
        self._left, self._right = "{{", "}}"
        self._pieces: list[Piece] = []
        self._open: list[Tag] = []
        self._mistakes: list[Mistake] = []
        self._cut = False
        self._alone = True
        self._line_starts = [0, *(end.end() for end in re.finditer("\n", template))]

    def scan(self) -> Scan:
        position = 0
        while 0 <= position < len(self._text) and len(self._mistakes) < MAX_PROBLEMS:
            start = self._text.find(self._left, position)
            if start < 0:
                self._pieces.append(self._text[position:])
                break
            position = self._read(position, start)
        # A broken tag may be the very one that should have closed them.
        if not self._cut:
            for tag in self._open[:MAX_PROBLEMS]:
                self._mistake(
                    tag.start,
                    f"the section {_shown(tag)} is never closed: "
                    f"{{{{/{shortened(tag.name)}}}}} is missing",
                )
        return Scan(tuple(self._pieces), tuple(sorted(self._mistakes)[:MAX_PROBLEMS]))

    def _read(self, position: int, start: int) -> int:
        """Read the text from `position` and the tag at `start`; return where to go on, or -1."""
        inside = start + len(self._left)
        stop = self._text.find(self._right, inside)
        end = stop + len(self._right)
        comment = self._text.startswith("!", inside)
        nested = -1 if stop < 0 or comment else self._text.find(self._left, inside, stop)
        if stop < 0 or nested >= 0:
            head = shortened(self._text[start : start + 40].partition("\n")[0].rstrip())
            self._cut_off(
                start, f"the tag that begins with {head} is never closed: {self._right} is missing"
            )
            return nested
        body = self._text[inside:stop]
        if body.startswith("{"):
            if (self._left, self._right) != ("{{", "}}"):
                self._cut_off(
                    start,
                    "a tag with a third brace works with the delimiters {{ }} only; write "
                    f"{self._left}&{shortened(body[1:].strip(' }'))}{self._right}",
                )
            elif self._text.startswith("}", end):
                end += 1
            else:
                self._cut_off(
                    start,
                    f"the tag {{{{{shortened(body)}}}}} opens with three braces, but closes with "
                    "two",
                )
        kind = _KIND_OF_SIGN.get(body[:1], TagKind.VARIABLE)
        name = (body[1:] if body[:1] in _KIND_OF_SIGN else body).strip()
        if kind is TagKind.DELIMITERS:
            self._set_delimiters(body, start)
        if kind in (TagKind.COMMENT, TagKind.DELIMITERS):
            name = ""
        elif not name:
            self._cut_off(start, "the tag is empty: a name is missing")
            return end
        return self._add(position, Tag(kind, name, start, end, *self._place(start)))

    def _add(self, position: int, tag: Tag) -> int:
        """Take the text from `position` and the tag after it; return where to go on, or -1.

        A tag that is no variable and stands alone on its line takes the whole line away, save what
        chevron leaves: tabs before it, blanks at the end of the template, and a partial's indent.
        """
        text = self._text[position : tag.start]
        self._alone = (
            (self._alone or "\n" in text)
            and tag.kind is not TagKind.VARIABLE
            and not text.rpartition("\n")[2].strip()
        )
        rest = _BLANK_TO_LINE_END.match(self._text, tag.end) if self._alone else None
        self._alone = rest is not None
        if self._alone and tag.kind is not TagKind.PARTIAL:
            text = text.rstrip(" ")
        self._pieces += [text, tag] if text else [tag]
        if tag.kind in (TagKind.SECTION, TagKind.INVERTED):
            self._open.append(tag)
            if len(self._open) > MAX_NESTING:
                self._cut_off(tag.start, f"more than {MAX_NESTING} sections within each other")
                return -1
        elif tag.kind is TagKind.END:
            self._close(tag)
        return rest.end() if rest else tag.end

    def _close(self, tag: Tag) -> None:
        if not self._open:
            self._mistake(tag.start, f"{_shown(tag)} closes a section that is not open")
            return
        inner = self._open[-1]
        if inner.name == tag.name:
            self._open.pop()
            return
        self._mistake(
            tag.start,
            f"{_shown(tag)} does not match the open section {_shown(inner)} (line "
            f"{inner.line}, column {inner.column})",
        )
        del self._open[-sections_closed([t.name for t in self._open], tag.name) :]

    def _set_delimiters(self, body: str, start: int) -> None:
        parts = body[1:-1].strip().split(" ")
        left, right = parts[0], parts[-1]
        whole = len(body) > 1 and body.endswith("=") and len(parts) > 1 and not any(parts[1:-1])
        if not whole or "=" in left + right or any(c.isspace() for c in left + right):
            self._cut_off(
                start,
                "new delimiters are written {{=LEFT RIGHT=}}: two signs without '=', one space "
                "between them",
            )
        else:
            self._left, self._right = left, right

    def _cut_off(self, start: int, message: str) -> None:
        self._cut = True
        self._mistake(start, message)

    def _mistake(self, start: int, message: str) -> None:
        self._mistakes.append(Mistake(*self._place(start), message))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


def shortened(text: str) -> str:
    """Return `text` for a message: on one line, of 40 characters at most."""
    return cut(" ".join(text[:200].split()), 40)


def _shown(tag: Tag) -> str:
    sign = {TagKind.SECTION: "#", TagKind.INVERTED: "^", TagKind.END: "/"}[tag.kind]
    return f"{{{{{sign}{shortened(tag.name)}}}}}"


@lru_cache(maxsize=4)  # A moved slider renders the same template again and again.
def scan(template: str) -> Scan:
    """Find all pieces and mistakes of syntax of `template`, whatever it holds.

    An end tag that doesn't match is the guilty one of its pair; a section that is open at the end
    is guilty where it opens. Stops after `MAX_PROBLEMS` mistakes and at `MAX_NESTING`.
    """
    if len(template) > MAX_TEMPLATE:
        mistake = f"the template has {len(template)} characters, more than {MAX_TEMPLATE}"
        return Scan((), (Mistake(1, 1, mistake),))
    return _Scanner(template).scan()
