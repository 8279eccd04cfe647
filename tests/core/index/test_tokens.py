"""How text becomes the tokens of the lexical leg."""

from __future__ import annotations

import json
import time
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index.tokens import query_tokens, record_tokens, tokens_with_spans

if TYPE_CHECKING:
    from pathlib import Path

UNSPACED_NAMES = (
    "CJK UNIFIED IDEOGRAPH",
    "CJK COMPATIBILITY IDEOGRAPH",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
    "THAI",
    "HALFWIDTH KATAKANA",
    "HALFWIDTH HANGUL",
    "HENTAIGANA",
    "COMBINING KATAKANA",
    "IDEOGRAPHIC ITERATION",
)
ALPHABETS = [
    "abcXYZ",
    "ßſİıǅΣσς",
    "äéåñ",
    "кошкаЁ",
    "שלוםالبحر",
    "मछली",
    "019٣\uff12",
    "²½Ⅷ",
    "東京狮子々",
    "あがゞーカプｶﾞ",
    "물고기가\u1100\u1161\u11a8",
    "ปลาการ์ู",
    "\u0301\u0308\u0338\u3099\u0345",
    " \t\n",
    ".,!-_'=<",
    "🐠😀\u200d\ufe0f",
    "\ue000\x00\u2028",
]
texts = st.lists(st.sampled_from([c for letters in ALPHABETS for c in letters])).map("".join)


def is_unspaced(character: str) -> bool:
    return unicodedata.name(character, "").startswith(UNSPACED_NAMES)


def runs_one_by_one(text: str) -> list[tuple[str, bool]]:
    """Runs of letters, marks and digits, character by character, as the specification words it."""
    runs: list[tuple[str, bool]] = []
    inside = False
    for character in unicodedata.normalize("NFC", text).casefold():
        category = unicodedata.category(character)
        if not (category.startswith(("L", "M")) or category == "Nd"):
            inside = False
            continue
        unspaced = is_unspaced(character)
        is_shared_mark = category.startswith("M") and not unspaced
        goes_on = inside and (unspaced == runs[-1][1] or is_shared_mark)
        if goes_on:
            runs[-1] = (runs[-1][0] + character, runs[-1][1])
        else:
            runs.append((character, unspaced))
        inside = True
    return runs


def record_tokens_one_by_one(text: str) -> list[str]:
    expected: list[str] = []
    for run, unspaced in runs_one_by_one(text):
        if not unspaced:
            expected.append(run)
            continue
        for at, character in enumerate(run):
            expected.append(character)
            expected.extend([run[at : at + 2]] if at + 1 < len(run) else [])
    return expected


@settings(deadline=None)
@given(texts)
def test_a_record_yields_words_and_of_unspaced_writing_every_character_and_pair(text: str) -> None:
    assert record_tokens(text) == record_tokens_one_by_one(text)


@settings(deadline=None)
@given(texts)
def test_a_query_yields_words_and_of_unspaced_writing_the_pairs(text: str) -> None:
    expected: list[str] = []
    for run, unspaced in runs_one_by_one(text):
        if unspaced and len(run) > 1:
            expected.extend(a + b for a, b in pairwise(run))
        else:
            expected.append(run)
    assert query_tokens(text) == expected


@settings(deadline=None)
@given(st.text())
def test_any_text_has_tokens_without_error(text: str) -> None:
    assert [run for run, unspaced in runs_one_by_one(text) if not unspaced] == [
        token for token in query_tokens(text) if not is_unspaced(token[0])
    ]


@settings(deadline=None)
@given(st.one_of(texts, st.text()))
def test_spans_name_the_same_tokens_and_the_text_that_they_stem_from(text: str) -> None:
    spans = tokens_with_spans(text)
    assert [token for token, _, _ in spans] == record_tokens(text)
    for token, start, end in spans:
        assert 0 <= start < end <= len(text)
        assert token in unicodedata.normalize("NFC", text[start:end]).casefold()
    starts = [start for _, start, _ in spans]
    assert starts == sorted(starts)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("C++ and .NET", ["c", "and", "net"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("cafe\u0301", ["café"]),
        ("3.14, 10,000", ["3", "14", "10", "000"]),
        ("foo_bar", ["foo", "bar"]),
        ("a\u2260b a=\u0338b", ["a", "b", "a", "b"]),
        ("魚abc", ["魚", "abc"]),
        ("... --- !!!", []),
        ("", []),
    ],
)
def test_words_of_a_query(text: str, tokens: list[str]) -> None:
    assert query_tokens(text) == tokens


def test_a_span_covers_the_marks_that_were_composed() -> None:
    assert tokens_with_spans("un cafe\u0301!") == [("un", 0, 2), ("café", 3, 8)]


def test_a_span_stays_right_where_folding_makes_a_word_longer() -> None:
    assert tokens_with_spans("Maß voll") == [("mass", 0, 3), ("voll", 4, 8)]


def test_tokens_agree_with_the_oracle(shared_data: Path) -> None:
    oracle = json.loads((shared_data / "bm25" / "bm25_oracle.json").read_bytes())
    for record, tokens in zip(oracle["records"], oracle["tokens"], strict=True):
        # The oracle gives pairs also for records, where the engine adds the single characters.
        assert query_tokens(record["text"]) == tokens
        if not any(is_unspaced(character) for character in record["text"]):
            assert record_tokens(record["text"]) == tokens
    for query in oracle["queries"]:
        assert query_tokens(query["query"]) == query["tokens"]


@pytest.mark.slow
@pytest.mark.parametrize("text", ["fish ", "魚", "ab\u0301", "\u1100\u1161"])
def test_a_very_long_text_takes_no_more_than_a_moment(text: str) -> None:
    started = time.process_time()
    tokens_with_spans(text * (400_000 // len(text)))
    assert time.process_time() - started < 20


@pytest.mark.slow
def test_a_megabyte_of_marks_on_one_letter_takes_no_more_than_a_moment() -> None:
    # In this order, normalising all at once takes time by the square of their number.
    started = time.process_time()
    tokens = record_tokens("a" + "\u0301\u0338" * 500_000)
    assert [len(token) > 900_000 for token in tokens] == [True]
    assert time.process_time() - started < 20


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(texts, min_size=1, max_size=4), st.integers(0, 600))
def test_a_long_text_has_the_tokens_of_the_whole(parts: list[str], shift: int) -> None:
    text = "b" * shift + "".join((part + "x") * 90 for part in parts)
    assert record_tokens(text) == record_tokens_one_by_one(text)
    assert [token for token, _, _ in tokens_with_spans(text)] == record_tokens(text)
