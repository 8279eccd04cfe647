"""What a stage's number counts can be listed, and is told what became of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.hits.hit import Reason
from core.nodes import RetrievalMode
from core.retrieve import stages
from core.retrieve.listing import select
from core.retrieve.select import Settings
from core.retrieve.stages import intent_stages, retrieve_stages
from tests.core.random_candidates import Store, large_store, turns

pytestmark = pytest.mark.slow  # long searches for counterexamples


@settings(max_examples=200, deadline=None)
@given(turn=st.sampled_from(list(RetrievalMode)).flatmap(turns))
def test_each_number_of_the_funnel_has_as_many_rows(turn: tuple[Store, Settings]) -> None:
    selection = select(turn[0].candidates, turn[1])
    _, *others = retrieve_stages(selection.counts, turn[1].mode)
    for stage in others:
        found = selection.stage_rows(stage.kind)
        assert found is not None
        rows = found.rows.tolist()
        assert len(rows) == len(set(rows)) == stage.removed, stage.label
    if turn[1].mode is RetrievalMode.Dense:
        for stage in intent_stages(selection.counts)[1:]:
            found = selection.stage_rows(stage.kind)
            assert found is not None
            assert len(found.rows) == stage.removed


@settings(max_examples=150, deadline=None)
@given(turn=turns(RetrievalMode.Hybrid))
def test_what_a_leg_dropped_and_the_other_kept_came_back(turn: tuple[Store, Settings]) -> None:
    store, chosen = turn
    selection = select(store.candidates, chosen)
    depth, limit = chosen.depth, chosen.threshold or 9.0
    near = {row for row in store.dense[:depth] if store.distances[row] <= limit}
    worded = set(store.sparse[:depth])
    for kind, other in (
        (stages.DENSE_RAW, worded),
        (stages.WITHIN_THRESHOLD, worded),
        (stages.WITH_WORDS, near),
        (stages.SPARSE_RAW, near),
    ):
        found = selection.stage_rows(kind)
        assert found is not None
        rows = found.rows.tolist()
        assert set(found.told()) == set(rows) & other
        for row in set(rows) - other:
            assert selection.story(row).reason not in (Reason.NONE, Reason.TOP_K)


def test_a_stage_of_another_mode_has_no_rows() -> None:
    selection = select(large_store(0, 100).candidates, Settings(RetrievalMode.Lexical))
    assert selection.stage_rows(stages.WITHIN_THRESHOLD) is None


def test_a_record_that_the_threshold_dropped_and_words_brought_back_says_so() -> None:
    store = Store((0.1, 0.7, 0.8), (0.0, 2.0, 0.0))
    found = select(store.candidates, Settings(RetrievalMode.Hybrid, 2, 0.5)).stage_rows(
        stages.WITHIN_THRESHOLD
    )
    assert found is not None
    assert found.rows.tolist() == [1, 2]
    assert found.told() == {1: "came back through BM25"}


def test_a_record_without_words_is_told_as_such() -> None:
    store = Store((0.1, 0.7), (0.0, 2.0))
    selection = select(store.candidates, Settings(RetrievalMode.Lexical))
    found = selection.stage_rows(stages.WITH_WORDS)
    assert found is not None
    (row,) = found.rows.tolist()
    told = selection.story(row)
    assert (told.reason, told.needs) == (
        Reason.LEG_DEPTH,
        "out of reach: it has no word of the query",
    )
