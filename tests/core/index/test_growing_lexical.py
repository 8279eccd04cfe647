from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Cancelled
from core.index.growing_lexical import GrowingLexicalIndex
from core.index.lexical import build_lexical_index, sparse_leg
from core.index.tokens import query_tokens, record_tokens
from core.io.work import Work

if TYPE_CHECKING:
    from collections.abc import Sequence

WORDS = st.sampled_from(["fish", "tank", "Fish", "water", "a", "水槽", "魚", "été", "", "–"])
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


def grown(texts: Sequence[str]) -> GrowingLexicalIndex:
    index = GrowingLexicalIndex()
    for text in texts:
        index.extend([text])
    return index


def bm25(texts: Sequence[str], query: str) -> list[float]:
    """The formula of the specification, written out record by record."""
    documents = [record_tokens(text) for text in texts]
    average = sum(map(len, documents)) / max(len(documents), 1)
    scores = []
    for document in documents:
        score = 0.0
        for term in query_tokens(query):
            frequency = sum(term in other for other in documents)
            idf = math.log(1 + (len(documents) - frequency + 0.5) / (frequency + 0.5))
            times = document.count(term)
            if times:
                score += idf * times / (times + 1.2 * (1 - 0.75 + 0.75 * len(document) / average))
        scores.append(score)
    return scores


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=8), TEXTS)
def test_scores_are_those_of_the_written_formula(texts: list[str], query: str) -> None:
    scores = grown(texts).score(query_tokens(query))
    assert scores.tolist() == pytest.approx(bm25(texts, query), abs=1e-4)


@settings(deadline=None)
@given(st.lists(TEXTS, max_size=8), TEXTS, st.data())
def test_it_ranks_as_the_index_that_is_built_at_once(
    texts: list[str], query: str, data: st.DataObject
) -> None:
    matching = None
    if data.draw(st.booleans()):
        matching = np.array(
            data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))),
            dtype=np.bool_,
        )
    ours = sparse_leg(grown(texts), query, matching)
    theirs = sparse_leg(build_lexical_index(texts), query, matching)
    assert ours.scores.tolist() == theirs.scores.tolist()
    assert ours.rows.tolist() == theirs.rows.tolist()
    assert ours.rank.tolist() == theirs.rank.tolist()
    assert (ours.tokens, ours.query) == (theirs.tokens, theirs.query)


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(TEXTS, max_size=8), st.lists(TEXTS, max_size=4), TEXTS, st.data())
def test_what_is_cut_off_leaves_no_trace(
    texts: list[str], more: list[str], query: str, data: st.DataObject
) -> None:
    kept = data.draw(st.integers(0, len(texts)))
    index = grown(texts)
    index.cut(kept, texts)
    index.extend(more)
    whole = grown([*texts[:kept], *more])
    tokens = query_tokens(query)
    assert index.score(tokens).tolist() == whole.score(tokens).tolist()
    assert set(index.vocabulary) == set(whole.vocabulary)
    assert index.count == whole.count


def test_adding_stops_when_nobody_wants_it() -> None:
    index = GrowingLexicalIndex()
    with pytest.raises(Cancelled):
        index.extend(["a"] * 10, work=Work(is_cancelled=lambda: True))
    assert index.count == 0
