"""What is measured and refused before a pattern reaches the compiler."""

from __future__ import annotations

import contextlib
import time

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from core.patterns.pattern_scan import (
    DEEPEST_GROUP,
    LONGEST_PATTERN,
    MOST_CLASS_MEMBERS,
    MOST_PARTS,
    PatternRefused,
    scan_pattern,
)


def refusal(pattern: str) -> str:
    with pytest.raises(PatternRefused) as caught:
        scan_pattern(pattern)
    return str(caught.value)


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("abc", 1 + 3),
        ("a{3}", 1 + 3),
        ("a{2,}", 1 + 2 + 1),
        ("a{2,2}", 1 + 2),
        ("a*b?", 1 + 1 + 1),
        ("a+", 1 + 2),
        ("(ab)", 1 + (1 + 2)),
        ("(ab){3}", 1 + 3 * (1 + 2)),
        ("((a{10}){10}){10}", 1 + 10 * (1 + 10 * (1 + 10))),
        ("(a|b){4}", 1 + 4 * (1 + 2)),
        ("[abc]", 1 + 3),
        ("[a-z0-9]", 1 + 2),
        (r"[\]\[]{2}", 1 + 2 * 2),
        ("[]a]{2}", 1 + 2 * 2),
        (r"\(a{2}\)", 1 + 1 + 2 + 1),
        ("a{2}?", 1 + 2),
        ("a{2}+", 1 + 2),
    ],
)
def test_a_repeat_counts_as_its_copies(pattern: str, parts: int) -> None:
    assert scan_pattern(pattern).parts == parts


@pytest.mark.parametrize(
    "pattern",
    [
        "((a{1000}){1000}){1000}",
        "a{1000000000}",
        "a{" + "0" * 12 + "99999}",
        "(" * 40 + "a+" + ")+" * 40,
        "(?:" * 40 + "a" + "){1,2}" * 40,
        "[[:alpha:])]((a{1000}){1000}){1000}",
        "[](]((a{1000}){1000}){1000}",
        r"\[((a{1000}){1000}){1000}",
        "(?i)((a{1000}){1000}){1000}",
        "a" * (MOST_PARTS // 10) + "(b{100}){100}c{10000}",
    ],
)
def test_a_pattern_that_would_fill_the_memory_is_refused(pattern: str) -> None:
    started = time.monotonic()
    refusal(pattern)
    assert time.monotonic() - started < 0.5


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("a" * (LONGEST_PATTERN + 1), f"{LONGEST_PATTERN + 1:,} characters"),
        ("(" * (DEEPEST_GROUP + 1) + ")" * (DEEPEST_GROUP + 1), f"more than {DEEPEST_GROUP} deep"),
        (
            "[" + "".join(map(chr, range(0x4E00, 0x4E00 + MOST_CLASS_MEMBERS + 1))) + "]",
            f"class [...] of {MOST_CLASS_MEMBERS + 1} members",
        ),
        ("[abc", "class that opens at position 0 is not closed"),
        ("a[[:foo:]]", "class that opens at position 1"),
        ("{{user}}", "the { at position 0"),
        ("a{e<=2}", "the { at position 1"),
        ("a{}", "is no count"),
        ("(?R)", '"(?R)" at position 0'),
        ("(a)(?1)", '"(?1)" at position 3'),
        ("(?x)# [", "at position 0"),
        ("(?#[)a", "at position 0"),
        ("(?(1)a|b)", "at position 0"),
        ("a(*PRUNE)", "at position 1"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_its_place(pattern: str, said: str) -> None:
    assert said in refusal(pattern)


@pytest.mark.parametrize(
    ("pattern", "nested"),
    [
        ("(a+)+$", "(a+)+"),
        ("x(?:[a-z]+ ?)*y", "(?:[a-z]+ ?)*"),
        ("((ab*)c){2,}", "((ab*)c){2,}"),
        ("(a+)?(b*){3}", ""),
        ("(a|aa)+", ""),
    ],
)
def test_a_repeat_of_what_is_repeated_is_named(pattern: str, nested: str) -> None:
    assert scan_pattern(pattern).nested == nested


@pytest.mark.parametrize(
    ("pattern", "foreign"),
    [
        ("(?<=a)b", "(?<="),
        ("(?P<who>a)", "(?P<who>"),
        ("(?i)a", "(?i)"),
        (r"\p{Lu}", r"\p{Lu}"),
        ("a++", "+ after a repeat"),
        ("a{,3}", "{,3}"),
        (r"(?:\b\d+(?=x)(?!y)[[:alpha:]])*?\1\x41\u00e4", ""),
    ],
)
def test_what_the_games_own_patterns_lack_is_named(pattern: str, foreign: str) -> None:
    assert scan_pattern(pattern).foreign == foreign


HOSTILE = [
    "a",
    "b",
    "(",
    "(?:",
    ")",
    ")",
    "*",
    "+",
    "?",
    "{1000}",
    "{100}",
    "{2,3}",
    "{5,}",
    "|",
    "[ab]",
    "[]a]",
    "[^]a]",
    "[[:alpha:]]",
    "[(]",
    "[)]",
    "[{]",
    r"\[",
    r"\(",
    r"\)",
    r"\]",
    "(?=",
    "(?<=",
    "(?i)",
    "(?>",
    r"\p{Lu}",
    r"\p{",
    r"\N{",
    "[[:foo:]",
    "[[:",
    "{",
    "}",
    "[",
    "]",
    "\\",
    "(?#",
    "(?x)",
    "#",
    "\n",
    "(?|",
    "(*",
    r"\g<",
    r"\1",
    "-",
    ":]",
]


@given(st.lists(st.sampled_from(HOSTILE), max_size=60).map("".join))
@settings(max_examples=400, deadline=None)
def test_what_passes_the_scan_compiles_or_is_refused_at_once(pattern: str) -> None:
    try:
        scan_pattern(pattern)
    except PatternRefused:
        return
    started = time.monotonic()
    with contextlib.suppress(regex.error):
        regex.compile(pattern, regex.IGNORECASE | regex.VERSION0)
    assert time.monotonic() - started < 2.0
