"""Tokens, stems, the scored part of a content, and the inverted index."""

from __future__ import annotations

import json
import string
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index.leg_query import query_words
from core.keyword.index import (
    FIELDS,
    STOP_WORDS,
    KeywordIndex,
    index_of,
    matched_spans,
    query_parts,
    stem,
    tokens,
)
from core.keyword.preview import preview
from core.knowledge.corpus import Corpus, CorpusEntry

if TYPE_CHECKING:
    from pathlib import Path

WORDS = st.sampled_from(["lamp", "lamps", "lighting", "the", "ferry", "ferries", "key", "fog"])
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)


def test_tokens_agree_with_the_reference(shared_data: Path) -> None:
    examples = json.loads((shared_data / "keyword" / "tokens_oracle.json").read_text("utf-8"))
    wrong = {
        text: tokens(text)
        for text, wanted in examples.items()
        if sorted(tokens(text)) != sorted(wanted)
    }
    assert not wrong


def test_there_are_34_stop_words() -> None:
    assert len(STOP_WORDS) == 34


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("configuration", "configur"),  # 13 letters less "ation"
        ("configure", "configure"),  # no suffix of the list ends it
        ("station", "stat"),  # "ation" would leave 2 letters, "ion" leaves 4
        ("bus", "bus"),  # "s" would leave 2 letters
        ("ratings", "rat"),  # "ings" comes before "s"
    ],
)
def test_the_first_suffix_that_leaves_three_letters_is_cut_once(word: str, wanted: str) -> None:
    assert stem(word) == wanted


@settings(deadline=None)
@given(st.text())
def test_no_token_is_empty_a_stop_word_or_has_punctuation(text: str) -> None:
    for token in tokens(text):
        assert token
        assert not set(token) & set(string.punctuation)
        assert not any(char.isspace() for char in token)


@settings(deadline=None)
@given(st.text())
def test_tokens_do_not_depend_on_upper_case_of_ascii(text: str) -> None:
    ascii_only = text.encode("ascii", "ignore").decode()
    assert tokens(ascii_only) == tokens(ascii_only.upper())


def test_matched_spans_are_the_words_whose_stem_is_asked_for() -> None:
    text = "Testing the tester's tests, untested."
    assert [text[start:end] for start, end in matched_spans(text, {"test"})] == [
        "Testing",
        "tester",
        "tests",
    ]


def test_the_preview_leaves_the_inline_aliases_out() -> None:
    assert preview("---\nname: x\naliases: [a, b]\ntags: [c]\n", 100) == "---\nname: x\ntags: [c]\n"


def test_the_preview_leaves_an_indented_list_of_aliases_out() -> None:
    content = "aliases:\n  - one\n  - two\ntags: [c]\naliases: [kept]\n"
    assert preview(content, 100) == "tags: [c]\naliases: [kept]\n"


def test_the_preview_is_cut_after_the_aliases_are_gone() -> None:
    assert preview("aliases: " + "x" * 1000 + "\n" + "y" * 1000, 500) == "y" * 500


def test_an_index_of_nothing_has_no_rows() -> None:
    index = KeywordIndex(Corpus([]), 500)
    assert len(index) == 0
    assert index.overlaps(["x"]).shape == (0, len(FIELDS))


def test_rows_are_in_the_order_of_the_paths() -> None:
    index = KeywordIndex(Corpus([CorpusEntry("b", ""), CorpusEntry("a", "")]), 500)
    assert [entry.path for entry in index.entries] == ["a", "b"]


def test_related_counts_each_stem_once_however_many_linked_summaries_have_it() -> None:
    corpus = Corpus(
        [
            CorpusEntry("x", "", related=("a", "b", "gone")),
            CorpusEntry("a", "", summary="fog lamps"),
            CorpusEntry("b", "", summary="fog"),
        ]
    )
    row = [entry.path for entry in index_of(corpus, 500).entries].index("x")
    assert index_of(corpus, 500).overlaps(["fog", "lamp"])[row].tolist() == [0, 0, 0, 0, 2]


def test_a_corpus_is_indexed_once() -> None:
    corpus = Corpus([CorpusEntry("a", "x")])
    assert index_of(corpus, 500) is index_of(corpus, 500)
    assert index_of(corpus, 500) is not index_of(corpus, 100)


def test_another_kind_of_corpus_is_read_again_each_time() -> None:
    class Growing:
        def __init__(self) -> None:
            self.items = [CorpusEntry("a", "")]

        def entries(self) -> list[CorpusEntry]:
            return self.items

        def get(self, path: str) -> CorpusEntry | None:
            return None

    corpus = Growing()
    assert len(index_of(corpus, 500)) == 1
    corpus.items.append(CorpusEntry("b", ""))
    assert len(index_of(corpus, 500)) == 2


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS, TEXTS), max_size=8), TEXTS)
def test_the_index_counts_like_set_intersections(
    rows: list[tuple[str, str, str, str]], query: str
) -> None:
    entries = [
        CorpusEntry(
            f"{path.replace(' ', '/')}/{number}",
            content,
            summary=summary,
            aliases=tuple(aliases.split()),
        )
        for number, (path, summary, aliases, content) in enumerate(rows)
    ]
    index = KeywordIndex(Corpus(entries), 500)
    wanted = tokens(query)
    counts = index.overlaps(wanted)
    for row, entry in enumerate(index.entries):
        fields: tuple[set[str] | frozenset[str], ...] = (
            tokens(entry.path),
            tokens(entry.summary),
            tokens(" ".join(entry.aliases)),
            tokens(entry.content),
            set(),
        )
        assert counts[row].tolist() == [len(wanted & field) for field in fields]
        assert [set(found) for found in index.matched(row, wanted)] == [
            wanted & field for field in fields
        ]
    assert counts.dtype == np.int32


@given(st.text())
def test_the_words_of_a_query_are_its_tokens_and_nothing_is_lost(text: str) -> None:
    words = query_words(text, query_parts(text), ())
    assert {word.seen for word in words if word.seen} == tokens(text)
    written = "".join(word.written for word in words)
    assert {sign for sign in text if not sign.isspace()} <= set(written)


def test_stop_words_and_punctuation_are_dropped_and_others_stemmed() -> None:
    words = query_words("How do I configure, nets?", query_parts("How do I configure, nets?"), ())
    assert [(word.written, word.seen, word.why) for word in words] == [
        ("How", "", "stop word"),
        ("do", "", "stop word"),
        ("I", "", "stop word"),
        ("configure", "configure", ""),
        (",", "", "punctuation"),
        ("nets", "net", ""),
        ("?", "", "punctuation"),
    ]
