"""The BM25 leg against the written formula, and its sidecar's arrays against damage."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Cancelled
from core.index import lexical
from core.index.leg_query import Fate
from core.index.lexical import build_lexical_index, from_arrays, sparse_leg, to_arrays
from core.io.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

K1, B = 1.2, 0.75
words = st.sampled_from(["fish", "water", "tank", "plant", "a", "of", "snail"])
documents = st.lists(st.lists(words, max_size=8).map(" ".join), min_size=1, max_size=12)
queries = st.lists(st.one_of(words, st.just("unseen")), max_size=6).map(" ".join)


def bm25(tokens: Sequence[Sequence[str]], query: Sequence[str]) -> list[float]:
    """Score all records, in float64, with the formula as the specification gives it."""
    count = len(tokens)
    average = sum(map(len, tokens)) / count
    total = [0.0] * count
    for term in query:
        having = sum(term in document for document in tokens)
        idf = math.log(1 + (count - having + 0.5) / (having + 0.5))
        for row, document in enumerate(tokens):
            f = Counter(document)[term]
            if f:
                total[row] += idf * f / (f + K1 * (1 - B + B * len(document) / average))
    return total


@settings(deadline=None)
@given(documents, queries)
def test_scores_are_those_of_the_written_formula(texts: list[str], query: str) -> None:
    leg = sparse_leg(build_lexical_index(texts), query)
    expected = bm25([text.split() for text in texts], query.split())
    assert leg.scores == pytest.approx(expected, rel=1e-4, abs=1e-6)


@settings(deadline=None)
@given(documents, queries)
def test_records_with_a_query_word_are_ranked_by_score_then_row(
    texts: list[str], query: str
) -> None:
    leg = sparse_leg(build_lexical_index(texts), query)
    with_word = [row for row, text in enumerate(texts) if set(text.split()) & set(query.split())]
    assert sorted(leg.rows.tolist()) == with_word
    assert leg.rows.tolist() == sorted(with_word, key=lambda row: (-leg.scores[row], row))
    assert [leg.rank[row] for row in leg.rows] == list(range(1, len(leg.rows) + 1))


@settings(deadline=None)
@given(documents, queries, st.data())
def test_a_filter_takes_records_out_of_the_ranking_but_changes_no_score(
    texts: list[str], query: str, data: st.DataObject
) -> None:
    index = build_lexical_index(texts)
    mask = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    free, filtered = sparse_leg(index, query), sparse_leg(index, query, np.array(mask))
    assert filtered.scores.tolist() == free.scores.tolist()
    assert filtered.rows.tolist() == [row for row in free.rows.tolist() if mask[row]]


def test_scores_agree_with_the_oracle(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle = json.loads((shared_data / "bm25" / "bm25_oracle.json").read_bytes())
    texts = [record["text"] for record in oracle["records"]]
    # The oracle's records have no single characters of unspaced writing, so its tokens are used.
    tokens = dict(zip(texts, oracle["tokens"], strict=True))
    monkeypatch.setattr(lexical, "record_tokens", tokens.__getitem__)
    index = build_lexical_index(texts)
    for query in oracle["queries"]:
        expected = np.zeros(len(texts))
        for row, score in query["scores"]["lucene k1=1.2"]:
            expected[row] = score
        leg = sparse_leg(index, query["query"])
        np.testing.assert_allclose(leg.scores, expected, atol=1e-4)
        assert set(leg.rows.tolist()) == set(np.flatnonzero(expected).tolist())


@pytest.mark.parametrize("query", ["", "  ", "?!...", "🐠", "unseen words", "魚"])
def test_a_query_without_a_known_word_has_no_hits(query: str) -> None:
    leg = sparse_leg(build_lexical_index(["a fish", "water"]), query)
    assert len(leg.rows) == 0
    assert all(word.fate is not Fate.KNOWN for word in leg.query.words)
    assert not leg.scores.any()


def test_the_leg_shows_the_query_as_it_sees_it() -> None:
    leg = sparse_leg(build_lexical_index(["the c language"]), "C++ and 魚を C")
    assert leg.tokens == ("c", "and", "魚を", "c")
    assert [(word.written, word.seen, str(word.fate)) for word in leg.query.words] == [
        ("C", "c", "known"),
        ("++", "", "dropped"),
        ("and", "and", "unknown"),
        ("魚を", "魚を", "unknown"),
        ("C", "c", "known"),
    ]


def test_a_repeated_query_word_counts_each_time() -> None:
    index = build_lexical_index(["fish water", "plant"])
    once, thrice = sparse_leg(index, "fish"), sparse_leg(index, "fish fish fish")
    assert thrice.scores[0] == pytest.approx(3 * once.scores[0], rel=1e-6)


def test_identical_records_tie_and_stand_in_file_order() -> None:
    leg = sparse_leg(build_lexical_index(["b fish", "a fish", "b fish", "a fish"]), "fish")
    assert leg.rows.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("texts", [[], [""], ["...", "   "]])
def test_records_without_words_are_no_hits(texts: list[str]) -> None:
    index = build_lexical_index(texts)
    assert len(sparse_leg(index, "fish").rows) == 0
    assert from_arrays(to_arrays(index), len(texts)).count == len(texts)


def test_a_single_character_of_unspaced_writing_finds_the_records_that_have_it() -> None:
    leg = sparse_leg(build_lexical_index(["金魚", "水草", "魚の水"]), "魚")
    assert leg.rows.tolist() == [0, 2]


def test_building_stops_when_it_is_not_wanted_any_more() -> None:
    with pytest.raises(Cancelled):
        build_lexical_index(["fish"] * 5000, work=Work(is_cancelled=lambda: True))


def test_building_stops_inside_bm25s_too() -> None:
    answers = iter([False] * 2 + [True] * 10)
    with pytest.raises(Cancelled):
        build_lexical_index(["fish"] * 10, work=Work(is_cancelled=lambda: next(answers)))


@settings(deadline=None)
@given(documents)
def test_an_index_survives_being_made_into_arrays(texts: list[str]) -> None:
    index = build_lexical_index(texts)
    again = from_arrays(to_arrays(index), len(texts))
    assert again.vocabulary == index.vocabulary
    assert again.score(["fish", "a"]).tolist() == index.score(["fish", "a"]).tolist()


@settings(deadline=None)
@given(
    st.sampled_from(["scores", "rows", "starts", "words"]),
    st.integers(0, 10_000),
    st.sampled_from([-1, 0, 1, 7, 2**31 - 1, -(2**31)]),
    st.booleans(),
)
def test_arrays_with_a_wrong_number_are_refused_or_harmless(
    name: str, place: int, value: int, cut: bool
) -> None:
    arrays: dict[str, Any] = {
        key: array.copy()
        for key, array in to_arrays(
            build_lexical_index(["a fish in a tank", "water", "a plant in water", ""])
        ).items()
    }
    array = arrays[name]
    if cut:
        arrays[name] = array[: place % len(array)]
    else:
        array[place % len(array)] = value % 256 if name == "words" else value
    try:
        index = from_arrays(arrays, 4)
    except ValueError:
        return
    assert index.score(list(index.vocabulary)).shape == (4,)


@pytest.mark.parametrize("missing", ["scores", "rows", "starts", "words"])
def test_missing_arrays_are_refused(missing: str) -> None:
    arrays = to_arrays(build_lexical_index(["fish"]))
    del arrays[missing]
    with pytest.raises(ValueError, match="missing"):
        from_arrays(arrays, 1)


def run_python(code: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | environment,
    ).stdout


@pytest.mark.slow
def test_the_index_does_not_depend_on_the_hash_seed(repo: Path) -> None:
    code = (
        "import hashlib; from core.index.lexical import build_lexical_index, to_arrays\n"
        "index = build_lexical_index(['one fish two fish', 'red fish', 'blue water'])\n"
        "print([hashlib.sha256(a.tobytes()).hexdigest() for a in to_arrays(index).values()])"
    )
    outputs = {run_python(code, PYTHONHASHSEED=seed, PYTHONPATH=str(repo)) for seed in "123"}
    assert len(outputs) == 1


def test_building_imports_no_numba_and_leaves_the_logger_alone(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "numba.py").write_text("raise SystemExit('numba was imported')")
    code = (
        "import logging, sys; from core.index.lexical import build_lexical_index\n"
        "build_lexical_index(['fish'])\n"
        "print(logging.getLogger('bm25s').level, 'numba' in sys.modules)"
    )
    paths = os.pathsep.join([str(tmp_path), str(repo)])
    assert run_python(code, PYTHONPATH=paths).split() == ["0", "False"]
