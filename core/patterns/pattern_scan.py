"""Tells how large a pattern becomes and what it uses, before anything compiles it.

A counted repeat is compiled as so many copies, so a short pattern can fill the memory:
``((a{1000}){1000}){1000}`` is a thousand million parts. What cannot be told apart here is
refused, so that nothing that was not counted reaches the compiler.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LONGEST_PATTERN = 20_000
MOST_PARTS = 20_000
MOST_CLASS_MEMBERS = 128
DEEPEST_GROUP = 50

_POSIX = r"\[:\^?(?:alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit):\]"
_TOKEN = re.compile(
    rf"(?P<set>\[\^?(?:\\.|{_POSIX}|\[(?!:)|[^\\\[])(?:\\.|{_POSIX}|\[(?!:)|[^\]\\\[])*+\])"
    r"|(?P<escape>\\[pPN]\{[\w ^=]*+\}|\\.|\\\Z)"
    r"|(?P<flags>\(\?[aimsu]*+(?:-[ims]++)?+\)|\(\?P=\w++\))"
    r"|(?P<open>\(\?(?:[:=!>]|<[=!]|P?<\w++>|[aimsu]*+(?:-[ims]++)?+:)|\((?![?*]))"
    r"|(?P<close>\))"
    r"|(?P<repeat>[*+?]|\{(?P<least>[0-9]{0,9}+)(?:(?P<comma>,)(?P<most>[0-9]{0,9}+))?+\})"
    r"|(?P<bar>\|)"
    r"|(?P<sign>[^\\()\[{])",
    re.DOTALL,
)
_MEMBER = re.compile(r"(?:\\.|[^\\])(?:-(?:\\.|[^\\]))?+", re.DOTALL)
_FOREIGN = re.compile(r"\\[pPNAZzGKRXmMLhga]|\(\?(?![:=!])")


class PatternRefused(ValueError):
    """A pattern is invalid, too large, or uses what patterns may not use; the text says which."""


@dataclass(frozen=True, slots=True)
class PatternShape:
    """What is known of a pattern that was scanned.

    parts : its size once every repeat is written out.
    nested : its first repeat of a group in which something is repeated already, or "".
    foreign : its first construct that ECMAScript's patterns, and so ``std::regex``, lack, or "".
    """

    parts: int
    nested: str = ""
    foreign: str = ""


@dataclass(slots=True)
class _Item:
    """A sign, a class or a group, from `start` on; `repeats` if a repeat without end is in it."""

    start: int
    parts: int = 1
    repeats: bool = False


@dataclass(slots=True)
class _Scan:
    """What has been read so far.

    groups : those that are open, the whole pattern first.
    last : what a repeat would repeat.
    modifiable : a repeat came just before; ``?`` or ``+`` would say how greedy it is.
    """

    pattern: str
    groups: list[_Item] = field(default_factory=lambda: [_Item(0)])
    last: _Item | None = None
    modifiable: bool = False
    nested: str = ""
    foreign: str = ""

    def read(self, match: re.Match[str]) -> None:
        kind, text = match.lastgroup, match.group()
        was_modifiable, self.modifiable = self.modifiable, False
        if kind == "repeat":
            if was_modifiable and text in ("?", "+"):
                self._is_foreign(text == "+", f"{text} after a repeat")
                return
            self._repeat(match)
        elif kind == "open":
            self.groups.append(_Item(match.start()))
            self.last = None
            if len(self.groups) > DEEPEST_GROUP + 1:
                raise PatternRefused(f"groups stand more than {DEEPEST_GROUP} deep in each other")
        elif kind == "close":
            if len(self.groups) > 1:
                self._add(self.groups.pop())
        elif kind in ("bar", "flags"):
            self.last = None
        else:
            self._add(_Item(match.start(), _members(text) if kind == "set" else 1))
        if kind in ("escape", "open", "flags"):
            found = _FOREIGN.match(text)
            self._is_foreign(found is not None, text)

    def _add(self, item: _Item) -> None:
        self.groups[-1].parts += item.parts
        self.groups[-1].repeats |= item.repeats
        self.last = item

    def _repeat(self, match: re.Match[str]) -> None:
        text, item = match.group(), self.last
        self.modifiable = True
        if text.startswith("{"):
            if not match["least"]:
                if not match["comma"]:
                    raise PatternRefused(f"{text} is no count; write \\{{ for the sign itself")
                self._is_foreign(True, text)
            least = int(match["least"] or 0)
            most = least if not match["comma"] else int(match["most"]) if match["most"] else None
        else:
            least, most = int(text == "+"), 1 if text == "?" else None
        if item is None:
            return
        copies = max(least + (most is None or most > least), 1)
        self.groups[-1].parts += item.parts * (copies - 1)
        if most is None and item.repeats and not self.nested:
            self.nested = self.pattern[item.start : match.end()]
        self.groups[-1].repeats |= most is None
        self.last = _Item(item.start, item.parts * copies, item.repeats or most is None)

    def _is_foreign(self, is_it: bool, what: str) -> None:
        if is_it and not self.foreign:
            self.foreign = what

    @property
    def parts(self) -> int:
        return sum(group.parts for group in self.groups)


def scan_pattern(pattern: str) -> PatternShape:
    """Measure a pattern, in time that grows with its length.

    Raises
    ------
    PatternRefused
        For more than `LONGEST_PATTERN` characters, `MOST_PARTS` parts, groups more than
        `DEEPEST_GROUP` deep, a class of more than `MOST_CLASS_MEMBERS` members, and for
        constructs that cannot be measured: recursion, conditions, comments, verbs, fuzzy counts.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise PatternRefused(f"it has {len(pattern):,} characters; {LONGEST_PATTERN:,} are allowed")
    scan, at = _Scan(pattern), 0
    while at < len(pattern):
        match = _TOKEN.match(pattern, at)
        if match is None:
            raise PatternRefused(_unreadable(pattern, at))
        scan.read(match)
        at = match.end()
        if scan.groups[-1].parts > MOST_PARTS:
            break
    if scan.parts > MOST_PARTS:
        raise PatternRefused(f"with its repeats written out it has more than {MOST_PARTS:,} parts")
    return PatternShape(scan.parts, scan.nested, scan.foreign)


def _members(text: str) -> int:
    count = len(_MEMBER.findall(text, 1, len(text) - 1))
    if count > MOST_CLASS_MEMBERS:
        raise PatternRefused(f"a class [...] of {count} members; {MOST_CLASS_MEMBERS} are allowed")
    return max(count, 1)


def _unreadable(pattern: str, at: int) -> str:
    sign, shown = pattern[at], pattern[at : at + 12]
    if sign == "[":
        return (
            f"the class that opens at position {at} is not closed by ], or names an unknown "
            "[:class:]"
        )
    if sign == "{":
        return f"the {{ at position {at} begins no count such as {{2,3}}; write \\{{ for the sign"
    return f'"{shown}" at position {at} is no group that patterns may have'
