"""Patterns of guardrails: compiled within limits, searched within a time limit, results kept."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from core.io.cache import BoundedCache
from core.patterns.pattern_scan import PatternRefused, PatternShape, scan_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MATCHING_S = 0.5
"""For all patterns of a node together."""
LONGEST_MESSAGE = 100_000
MOST_PATTERNS = 10_000
MOST_PARTS_IN_ALL = 200_000

_QUICK_S = 0.005
_SHORT_MESSAGE = 5_000
_COMPILED_LISTS = 8
_KEPT_BYTES, _RESULT_BYTES = 8 << 20, 1024


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern; `regex` has it, `shape` is what the scan told."""

    text: str
    shape: PatternShape
    regex: Any


@dataclass(frozen=True, slots=True)
class CompiledList:
    """The patterns that compile, and what is wrong with the others, by 0-based place."""

    patterns: tuple[Pattern, ...]
    problems: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class PatternHit:
    """Where a message matched: the pattern's 0-based place in its list, characters from–to."""

    index: int
    pattern: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class MatchResult:
    """What was searched, and its hit: of the first pattern in the list's order that matches."""

    message: str
    hit: PatternHit | None = None


class MatchTooSlow(TimeoutError):
    """A search ran out of time at `pattern`, whose 0-based place is `index`."""

    def __init__(self, index: int, pattern: Pattern) -> None:
        super().__init__(f"pattern {index} ran out of time")
        self.index = index
        self.pattern = pattern


def compile_pattern(text: str) -> Pattern:
    """Compile one pattern, without regard to case.

    Raises
    ------
    PatternRefused
        When it is invalid, or `core.patterns.pattern_scan` refuses it.
    """
    shape = scan_pattern(text)
    import regex

    try:
        return Pattern(text, shape, regex.compile(text, regex.IGNORECASE | regex.VERSION0))
    except (regex.error, ValueError, OverflowError, RecursionError) as error:
        where = getattr(error, "pos", None)
        said = getattr(error, "msg", None) or str(error)
        raise PatternRefused(said if where is None else f"{said} at position {where}") from error


@lru_cache(maxsize=_COMPILED_LISTS)
def compile_patterns(texts: tuple[str, ...]) -> CompiledList:
    """Compile a list of patterns; with `MOST_PATTERNS` or `MOST_PARTS_IN_ALL` it ends."""
    compiled: list[Pattern] = []
    problems: dict[int, str] = {}
    parts = 0
    for index, text in enumerate(texts):
        if index == MOST_PATTERNS:
            problems[index] = (
                f"a list may have {MOST_PATTERNS:,} patterns, and this one has {len(texts):,}"
            )
            break
        try:
            pattern = compile_pattern(text)
        except PatternRefused as refused:
            problems[index] = str(refused)
            continue
        parts += pattern.shape.parts
        if parts > MOST_PARTS_IN_ALL:
            problems[index] = (
                "with it, and repeats written out, the patterns have more than "
                f"{MOST_PARTS_IN_ALL:,} parts in all"
            )
            break
        compiled.append(pattern)
    return CompiledList(tuple(compiled), problems)


def search_patterns(
    patterns: Sequence[Pattern], message: str, seconds: float = MATCHING_S
) -> MatchResult:
    """Find the first pattern, in the order of the list, that matches anywhere in the message.

    Raises
    ------
    MatchTooSlow
        When all of them together take longer than `seconds`.
    """
    deadline = time.monotonic() + seconds
    for index, pattern in enumerate(patterns):
        try:
            match = _search(pattern.regex, message, deadline - time.monotonic())
        except TimeoutError as error:
            raise MatchTooSlow(index, pattern) from error
        if match is not None:
            start, end = match.span()
            return MatchResult(message, PatternHit(index, pattern.text, match.group(), start, end))
    return MatchResult(message)


def _search(compiled: Any, message: str, seconds: float) -> Any:
    if seconds <= _QUICK_S:
        raise TimeoutError
    # To give up the interpreter's lock costs a wait for each of thousands of quick patterns; to
    # keep it while a slow one runs would stop the window.
    if len(message) <= _SHORT_MESSAGE:
        try:
            return compiled.search(message, timeout=_QUICK_S, concurrent=False)
        except TimeoutError:
            seconds -= _QUICK_S
    return compiled.search(message, timeout=seconds, concurrent=True)


class PatternSearches:
    """Keeps what the last messages matched, for all threads."""

    def __init__(self) -> None:
        self._results: BoundedCache[tuple[tuple[str, ...], str], MatchResult] = BoundedCache(
            lambda result: _RESULT_BYTES + 4 * len(result.message), _KEPT_BYTES
        )

    def known(self, texts: tuple[str, ...], message: str) -> MatchResult | None:
        """Return what the same search found before, or None."""
        return self._results.get((texts, message))

    def search(self, texts: tuple[str, ...], message: str) -> MatchResult:
        """Search a message with a list that has no problems.

        Raises
        ------
        MatchTooSlow
            When the time is up; the next call tries again.
        """
        result = search_patterns(compile_patterns(texts).patterns, message)
        self._results.put((texts, message), result)
        return result
