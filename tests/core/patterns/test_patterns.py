"""Patterns that are compiled within limits and searched within a time limit."""

from __future__ import annotations

import re
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.patterns import patterns as module
from core.patterns.pattern_scan import PatternRefused
from core.patterns.patterns import (
    MOST_PATTERNS,
    MatchTooSlow,
    PatternSearches,
    compile_pattern,
    compile_patterns,
    search_patterns,
)

LONG = 3000
CATASTROPHIC = {
    "(a+)+$": "a" * LONG + "!",
    "(a|aa)+$": "a" * LONG + "!",
    "(.*)*[xy]$": "b" * LONG + "!",
    "^(?=(?=(a|a)*b)(a|a)*b)": "a" * LONG,
    "(?=(a+)+[bc]$)": "a" * LONG,
    r"(.+)\1+\1+$": "ab" * LONG + "!",
    r"(a*)(a*)(a*)\1\2\3[bc]$": "a" * LONG,
    "((a{1,100}){1,100}){1,100}[bc]$": "a" * LONG,
    "(?:[a-z]+[0-9]?)+!$": "abcd" * LONG + "!.",
    r"\s+$": " " * 100_000 + "x",
    "[^" + "".join(map(chr, range(0x4E00, 0x4E00 + 120))) + "]*q$": "a" * 100_000 + "q.",
}


def hit_of(texts: list[str], message: str) -> tuple[int, str, int, int] | None:
    hit = search_patterns(compile_patterns(tuple(texts)).patterns, message).hit
    return None if hit is None else (hit.index, hit.text, hit.start, hit.end)


def test_a_pattern_matches_anywhere_and_ignores_case() -> None:
    assert hit_of(["KILL"], "Please don't kill me") == (0, "kill", 13, 17)


def test_the_first_pattern_of_the_list_that_matches_is_told() -> None:
    assert hit_of(["zzz", "fox", "quick"], "the quick fox") == (1, "fox", 10, 13)


def test_nothing_matches_an_empty_list() -> None:
    assert hit_of([], "anything") is None


@pytest.mark.slow
@pytest.mark.parametrize("pattern", CATASTROPHIC)
def test_a_catastrophic_pattern_is_stopped(pattern: str) -> None:
    compiled = compile_patterns(("harmless", pattern)).patterns
    started = time.monotonic()
    with pytest.raises(MatchTooSlow) as caught:
        search_patterns(compiled, CATASTROPHIC[pattern], seconds=0.05)
    # The limit, what a single step can take on 100 000 characters, and a busy machine.
    assert time.monotonic() - started < 3.0
    assert (caught.value.index, caught.value.pattern.text) == (1, pattern)


def test_all_patterns_share_one_time_limit() -> None:
    compiled = compile_patterns(tuple(f"(a+)+{end}$" for end in "bcdefgh")).patterns
    started = time.monotonic()
    with pytest.raises(MatchTooSlow):
        search_patterns(compiled, "a" * LONG + "!bcdefgh!", seconds=0.05)
    assert time.monotonic() - started < 3.0


def test_the_window_is_not_held_up_while_a_pattern_runs() -> None:
    compiled = compile_patterns(("(a+)+$",)).patterns
    errors: list[BaseException] = []

    def work() -> None:
        try:
            search_patterns(compiled, "a" * LONG + "!", seconds=0.4)
        except MatchTooSlow as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    ticks = 0
    while thread.is_alive():
        ticks += 1
        thread.join(0.001)
    assert errors
    assert ticks > 20


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("(unclosed", "missing )"),
        ("closed)", "unbalanced"),
        ("*a", "nothing to repeat"),
        ("a{3,2}", "min repeat greater"),
        ("[z-a]", "bad character range"),
        (r"\1", "group"),
        ("[oops", "not closed"),
        ("trailing\\", "escape"),
        ("(?<1>a)", "group name"),
        (r"\q", "bad escape"),
        (r"(?P<a>x)(?P=b)", "unknown group"),
        (r"\L<words>", "named list"),
    ],
)
def test_an_invalid_pattern_is_refused_with_the_reason(pattern: str, said: str) -> None:
    with pytest.raises(PatternRefused, match=re.escape(said)):
        compile_pattern(pattern)


def test_the_problems_of_a_list_are_told_by_place() -> None:
    found = compile_patterns(("ok", "(", "fine", "["))
    assert sorted(found.problems) == [1, 3]
    assert [pattern.text for pattern in found.patterns] == ["ok", "fine"]


def test_a_list_may_not_be_endless() -> None:
    found = compile_patterns(("a",) * (MOST_PATTERNS + 1))
    assert list(found.problems) == [MOST_PATTERNS]


def test_the_parts_of_all_patterns_are_limited_together() -> None:
    found = compile_patterns(("(a{100}){100}",) * 50)
    (place,) = found.problems
    # 1 + 100 · (1 + 100) parts each.
    assert place == 200_000 // (1 + 100 * (1 + 100))


def test_a_result_is_found_again_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = PatternSearches()
    assert searches.known(("fox",), "a fox") is None
    found = searches.search(("fox",), "a fox")
    monkeypatch.setattr(module, "search_patterns", None)
    assert searches.known(("fox",), "a fox") is found
    assert searches.known(("fox",), "a wolf") is None
    assert searches.known(("fox", "wolf"), "a fox") is None


def test_what_ran_out_of_time_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    searches, texts, message = PatternSearches(), ("(a+)+$",), "a" * LONG + "!"

    def too_slow(patterns: object, message: str) -> None:
        raise MatchTooSlow(0, compile_patterns(texts).patterns[0])

    with monkeypatch.context() as patch:
        patch.setattr(module, "search_patterns", too_slow)
        with pytest.raises(MatchTooSlow):
            searches.search(texts, message)
    assert searches.known(texts, message) is None


SAFE_ATOMS = [
    "a",
    "b",
    "Z",
    "0",
    " ",
    ".",
    r"\d",
    r"\w",
    r"\s",
    r"\b",
    r"\W",
    "[ab]",
    "[^a]",
    "[a-z0]",
    "^",
    "$",
]
safe_patterns = st.recursive(
    st.sampled_from(SAFE_ATOMS),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(inner, inner).map("|".join),
        inner.map("({})".format),
        inner.map("(?:{})".format),
        inner.map("(?={})".format),
        st.tuples(inner.map("(?:{})".format), st.sampled_from(["?", "{2}", "{0,2}", "{1,3}"])).map(
            "".join
        ),
    ),
    max_leaves=8,
)


@pytest.mark.slow
@given(safe_patterns, st.text("abzAZ0 _.\n", max_size=20))
@settings(max_examples=400, deadline=None)
def test_harmless_patterns_hit_where_pythons_own_module_hits(pattern: str, message: str) -> None:
    wanted = re.search(pattern, message, re.IGNORECASE)
    found = hit_of([pattern], message)
    assert found == (None if wanted is None else (0, wanted.group(), *wanted.span()))
