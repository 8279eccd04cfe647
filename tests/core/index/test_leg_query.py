"""What a leg makes of a query: kept, dropped, unknown, and what an unknown word may have meant."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index.leg_query import BM25, DENSE, MOST_HELPED, Fate, LegQuery, nearest
from core.index.lexical import build_lexical_index, leg_query
from core.index.tokens import query_tokens

TEXTS = ["İstanbul castle", "the C++ code", "soft\u00adhyphen", "a red dragon sleeps"]


def seen(query: str) -> LegQuery:
    return leg_query(BM25, build_lexical_index(TEXTS), query)


def test_a_word_that_folds_otherwise_is_unknown_and_the_record_s_word_is_named() -> None:
    [word] = seen("istanbul").words
    assert (word.fate, word.near) == (Fate.UNKNOWN, ("i\u0307stanbul",))


@pytest.mark.parametrize("query", ["?!", "++", " … — "])
def test_of_punctuation_alone_all_is_dropped(query: str) -> None:
    assert seen(query).kept == ()
    assert [word.written for word in seen(query).words] == query.split()
    assert {word.why for word in seen(query).words} == {"punctuation"}


def test_of_c_sharp_only_the_letter_is_kept_which_finds_c_plus_plus() -> None:
    assert seen("C#").to_json() == {
        "leg": "BM25",
        "kept": ["c"],
        "dropped": ["#"],
        "unknown": [],
        "nearest_known": {},
    }


def test_nearest_known_words_are_the_most_alike() -> None:
    words = ["dragon", "dragoon", "wagon", "sword", "castle"]
    ratios = {word: difflib.SequenceMatcher(None, "dragn", word).ratio() for word in words}
    expected = sorted((word for word in words if ratios[word] >= 0.7), key=ratios.__getitem__)
    assert nearest("dragn", words) == tuple(reversed(expected)) == ("dragon", "dragoon")


def test_for_few_unknown_words_the_nearest_are_looked_for() -> None:
    words = seen(" ".join(f"dragn{number}" for number in range(MOST_HELPED + 2))).words
    assert [bool(word.near) for word in words] == [True] * MOST_HELPED + [False] * 2


@given(st.text())
def test_what_is_kept_are_the_query_s_tokens_and_nothing_is_lost(query: str) -> None:
    found = seen(query)
    assert list(found.kept) == query_tokens(query)
    written = "".join(word.written for word in found.words)
    assert {sign for sign in query if not sign.isspace()} <= set(written)


def test_of_a_model_the_prompts_and_the_cut_are_told() -> None:
    query = LegQuery(DENSE, (), "query: ", "passage: ", 300, 256, "44 are cut")
    assert query.to_json() == {
        "leg": "Dense",
        "prompt": "query: ",
        "record_prompt": "passage: ",
        "tokens": 300,
        "max_tokens": 256,
        "warning": "44 are cut",
    }
