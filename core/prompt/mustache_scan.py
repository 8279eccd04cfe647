"""A pass over a Mustache template that finds its tags and mistakes, each with line and column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_TEMPLATE = 1_000_000
"""Longest template, in characters."""

MAX_NESTING = 100
"""Most sections within each other; chevron takes two Python frames for each."""

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


class Mistake(NamedTuple):
    """A mistake of syntax and its 1-based place."""

    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class Scan:
    """The tags of a template in order, and its mistakes in the order of their places."""

    tags: tuple[Tag, ...]
    mistakes: tuple[Mistake, ...]


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
        self._tags: list[Tag] = []
        self._open: list[Tag] = []
        self._mistakes: list[Mistake] = []
        self._cut = False
        self._line, self._line_start, self._seen = 1, 0, 0

    def scan(self) -> Scan:
        position = 0
        if len(self._text) > MAX_TEMPLATE:
            self._mistakes.append(
                Mistake(
                    1,
                    1,
                    (f"the template has {len(self._text)} characters, more than {MAX_TEMPLATE}"),
                )
            )
            return Scan((), tuple(self._mistakes))
        while len(self._mistakes) < MAX_PROBLEMS:
            start = self._text.find(self._left, position)
            if start < 0:
                break
            position = self._read(start)
            if position < 0:
                break
        # A broken tag may be the very one that should have closed them.
        if not self._cut:
            for tag in self._open[:MAX_PROBLEMS]:
                self._mistake(
                    tag.line,
                    tag.column,
                    (
                        f"the section {_shown(tag)} is never closed: "
                        f"{{{{/{shortened(tag.name)}}}}} is "
                        "missing"
                    ),
                )
        return Scan(tuple(self._tags), tuple(sorted(self._mistakes)[:MAX_PROBLEMS]))

    def _read(self, start: int) -> int:
        """Read the tag at `start`; the position after it, or -1 where the scan ends."""
        line, column = self._place(start)
        inside = start + len(self._left)
        stop = self._text.find(self._right, inside)
        end = stop + len(self._right)
        comment = self._text.startswith("!", inside)
        nested = -1 if stop < 0 or comment else self._text.find(self._left, inside, stop)
        if stop < 0 or nested >= 0:
            self._cut = True
            head = shortened(self._text[start : start + 40].partition("\n")[0].rstrip())
            self._mistake(
                line,
                column,
                (f"the tag that begins with {head} is never closed: {self._right} is missing"),
            )
            return nested
        body = self._text[inside:stop]
        if body.startswith("{"):
            if (self._left, self._right) != ("{{", "}}"):
                self._cut = True
                self._mistake(
                    line,
                    column,
                    (
                        "a tag with a third brace works with the delimiters {{ }} only; write "
                        f"{self._left}&{shortened(body[1:].strip(' }'))}{self._right}"
                    ),
                )
            elif self._text.startswith("}", end):
                end += 1
            else:
                self._cut = True
                self._mistake(
                    line,
                    column,
                    (
                        f"the tag {{{{{shortened(body)}}}}} opens with three braces, but closes "
                        "with "
                        "two"
                    ),
                )
        self._add(body, start, end, line, column)
        return -1 if len(self._open) > MAX_NESTING else end

    def _add(self, body: str, start: int, end: int, line: int, column: int) -> None:
        kind = _KIND_OF_SIGN.get(body[:1], TagKind.VARIABLE)
        name = (body[1:] if body[:1] in _KIND_OF_SIGN else body).strip()
        if kind is TagKind.DELIMITERS:
            self._set_delimiters(body, line, column)
        if kind in (TagKind.COMMENT, TagKind.DELIMITERS):
            name = ""
        elif not name:
            self._cut = True
            self._mistake(line, column, "the tag is empty: a name is missing")
            return
        tag = Tag(kind, name, start, end, line, column)
        self._tags.append(tag)
        if kind in (TagKind.SECTION, TagKind.INVERTED):
            self._open.append(tag)
            if len(self._open) > MAX_NESTING:
                self._cut = True
                self._mistake(line, column, (f"more than {MAX_NESTING} sections within each other"))
        elif kind is TagKind.END:
            self._close(tag)

    def _close(self, tag: Tag) -> None:
        if not self._open:
            self._mistake(
                tag.line, tag.column, (f"{_shown(tag)} closes a section that is not open")
            )
            return
        inner = self._open[-1]
        if inner.name == tag.name:
            self._open.pop()
            return
        self._mistake(
            tag.line,
            tag.column,
            (
                f"{_shown(tag)} does not match the open section {_shown(inner)} (line "
                f"{inner.line}, "
                f"column {inner.column})"
            ),
        )
        del self._open[-sections_closed([t.name for t in self._open], tag.name) :]

    def _set_delimiters(self, body: str, line: int, column: int) -> None:
        parts = body[1:-1].strip().split(" ")
        left, right = parts[0], parts[-1]
        whole = len(body) > 1 and body.endswith("=") and len(parts) > 1 and not any(parts[1:-1])
        if not whole or "=" in left + right or any(c.isspace() for c in left + right):
            self._cut = True
            self._mistake(
                line,
                column,
                (
                    "new delimiters are written {{=LEFT RIGHT=}}: two signs without '=', one space "
                    "between them"
                ),
            )
            return
        self._left, self._right = left, right

    def _mistake(self, line: int, column: int, message: str) -> None:
        self._mistakes.append(Mistake(line, column, message))

    def _place(self, offset: int) -> tuple[int, int]:
        self._line += self._text.count("\n", self._seen, offset)
        last = self._text.rfind("\n", self._seen, offset)
        if last >= 0:
            self._line_start = last + 1
        self._seen = offset
        return self._line, offset - self._line_start + 1


def shortened(text: str) -> str:
    """Return `text` for a message: on one line, of 40 characters at most."""
    line = " ".join(text[:200].split())
    return line if len(line) <= 40 else line[:39] + "…"


def _shown(tag: Tag) -> str:
    sign = {TagKind.SECTION: "#", TagKind.INVERTED: "^", TagKind.END: "/"}[tag.kind]
    return f"{{{{{sign}{shortened(tag.name)}}}}}"


def scan(template: str) -> Scan:
    """Find all tags and mistakes of syntax of `template`, whatever it holds.

    An end tag that doesn't match is the guilty one of its pair; a section that is open at the end
    is guilty where it opens. Stops after `MAX_PROBLEMS` mistakes and at `MAX_NESTING`.
    """
    return _Scanner(template).scan()
