"""What a near-miss needs: stated exactly, so that doing just that makes it a hit."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.nodes import RetrievalMode
from core.retrieve.listing import select
from core.retrieve.select import Settings
from core.retrieve.why_not import threshold_for
from tests.core.random_candidates import WHY_FILTERED, Store, large_store, turns

if TYPE_CHECKING:
    from core.hits.hit import Hit

DENSE, LEXICAL, HYBRID = RetrievalMode.Dense, RetrievalMode.Lexical, RetrievalMode.Hybrid
INDEX_MISSED = "index missed it: an exact search would find it"
MANY = settings(max_examples=200, deadline=None)


def needs(store: Store, chosen: Settings, row: int) -> str:
    return select(store.candidates, chosen).story(row).needs


def is_hit(store: Store, chosen: Settings, row: int) -> bool:
    return select(store.candidates, chosen).is_hit(row)


def done(store: Store, chosen: Settings, hit: Hit) -> tuple[Store, Settings]:
    """The store and the settings after doing what the near-miss needs, and just that."""
    for part in hit.needs.split(" · "):
        if part == f"filter: {WHY_FILTERED}":
            store = store.passing_too(hit.row)
        elif part == INDEX_MISSED:
            store = replace(store, missed=frozenset())
        elif match := re.fullmatch(r"top_k ≥ (\d+)", part):
            chosen = replace(chosen, top_k=int(match[1]))
        else:
            match = re.fullmatch(r"threshold ≥ (\d\.\d{3})", part)
            assert match, hit.needs
            chosen = replace(chosen, threshold=float(match[1]))
    return store, chosen


def check_needs(store: Store, chosen: Settings, hit: Hit) -> None:
    if "out of reach" in hit.needs:
        check_out_of_reach(store, chosen, hit)
        return
    changed, enough = done(store, chosen, hit)
    assert enough.top_k >= chosen.top_k
    assert (changed, enough) != (store, chosen)
    assert is_hit(changed, enough, hit.row), hit.needs
    if enough.top_k > chosen.top_k:
        assert not is_hit(changed, replace(enough, top_k=enough.top_k - 1), hit.row), hit.needs
    if enough.threshold != chosen.threshold and enough.threshold > 0.001:
        lower = round(enough.threshold - 0.001, 3)
        assert not is_hit(changed, replace(enough, threshold=lower), hit.row), hit.needs


def check_out_of_reach(store: Store, chosen: Settings, hit: Hit) -> None:
    assert re.search(
        r"out of reach: (rank \d+, top_k ends at 1000|no top_k up to 1000 lets it "
        r"in)$",
        hit.needs,
    )
    if hit.reason == "filter":
        assert hit.needs.startswith(f"filter: {WHY_FILTERED} · ")
        store = store.passing_too(hit.row)
    # A lower threshold than the chosen one may let a record in, by taking rivals away.
    raised = threshold_for(store.distances[hit.row])
    looser = [raised, 0.0] if 0 < chosen.threshold < raised else []
    for top_k in {*range(chosen.top_k, 1001, 83), 1000}:
        for threshold in (chosen.threshold, *looser):
            tried = replace(chosen, top_k=top_k, threshold=threshold)
            assert not is_hit(store, tried, hit.row), hit.needs


@pytest.mark.slow
@MANY
@given(turns(DENSE))
def test_what_a_dense_near_miss_needs_is_enough_and_no_less_would_do(
    turn: tuple[Store, Settings],
) -> None:
    for hit in select(turn[0].candidates, turn[1]).near_misses():
        check_needs(*turn, hit)


@pytest.mark.slow
@MANY
@given(turns(LEXICAL))
def test_what_a_lexical_near_miss_needs_is_enough_and_no_less_would_do(
    turn: tuple[Store, Settings],
) -> None:
    for hit in select(turn[0].candidates, turn[1]).near_misses():
        check_needs(*turn, hit)


@pytest.mark.slow
@MANY
@given(turns(HYBRID))
def test_what_a_hybrid_near_miss_needs_is_enough_and_no_less_would_do(
    turn: tuple[Store, Settings],
) -> None:
    for hit in select(turn[0].candidates, turn[1]).near_misses():
        check_needs(*turn, hit)


@pytest.mark.slow
@settings(max_examples=8, deadline=None)
@given(
    st.integers(0, 10_000),
    st.sampled_from(list(RetrievalMode)),
    st.integers(1, 40),
    st.sampled_from([0.0, 0.55, 0.8, 1.0]),
    st.sampled_from([1, 60, 1000]),
)
def test_it_is_so_in_a_large_store(
    seed: int, mode: RetrievalMode, top_k: int, threshold: float, rrf_k: int
) -> None:
    store = large_store(seed, 4500)
    chosen = Settings(mode, top_k, threshold, rrf_k)
    near = select(store.candidates, chosen).near_misses(3000)
    for hit in near[::300]:
        check_needs(store, chosen, hit)


def test_a_near_miss_of_the_threshold_needs_the_next_step_of_a_thousandth() -> None:
    store = Store((0.1, float(np.float32(0.6125))), (0.0, 0.0))
    assert needs(store, Settings(DENSE, 2, 0.6), 1) == "threshold ≥ 0.613"


def test_a_near_miss_of_top_k_needs_its_rank() -> None:
    store = Store((0.1, 0.2, 0.3), (0.0,) * 3)
    assert needs(store, Settings(DENSE, 1, 0.5), 2) == "top_k ≥ 3"


def test_a_near_miss_of_both_needs_both() -> None:
    store = Store((0.1, 0.2, float(np.float32(0.7))), (0.0,) * 3)
    assert needs(store, Settings(DENSE, 1, 0.5), 2) == "top_k ≥ 3 · threshold ≥ 0.700"


def test_a_filtered_record_names_the_falsified_part_and_what_else_it_needs() -> None:
    store = Store((0.1, 0.2, 0.9), (0.0,) * 3, passing=(True, False, False))
    assert needs(store, Settings(DENSE, 2, 0.5), 1) == f"filter: {WHY_FILTERED}"
    assert needs(store, Settings(DENSE, 1, 0.5), 2) == (
        f"filter: {WHY_FILTERED} · top_k ≥ 2 · threshold ≥ 0.900"
    )


def test_a_record_that_the_index_missed_says_so() -> None:
    store = Store((0.1, 0.2, 0.3), (0.0,) * 3, missed=frozenset({1}))
    assert needs(store, Settings(DENSE, 2, 0.5), 1) == INDEX_MISSED
    assert needs(store, Settings(DENSE, 2, 0.15), 1) == f"{INDEX_MISSED} · threshold ≥ 0.200"
    assert needs(store, Settings(DENSE, 1, 0.5), 1) == f"{INDEX_MISSED} · top_k ≥ 2"


def test_a_hybrid_near_miss_that_one_parameter_lets_in_is_asked_for_no_more() -> None:
    store = Store((0.1, 0.2, 0.9), (0.0, 0.0, 0.0))
    assert needs(store, Settings(HYBRID, 3, 0.5), 2) == "threshold ≥ 0.900"
    assert needs(store, Settings(HYBRID, 2, 0.0), 2) == "top_k ≥ 3"
    assert needs(store, Settings(HYBRID, 2, 0.5), 2) == "top_k ≥ 3 · threshold ≥ 0.900"


@pytest.mark.parametrize("mode", [DENSE, LEXICAL])
def test_a_rank_beyond_the_largest_top_k_is_out_of_reach(mode: RetrievalMode) -> None:
    count = 1002
    store = Store(
        tuple(float(np.float32(row / count)) for row in range(count)),
        tuple(float(count - row) for row in range(count)),
    )
    assert needs(store, Settings(mode, 5, 0.5), 999) == (
        "top_k ≥ 1000 · threshold ≥ 0.998" if mode is DENSE else "top_k ≥ 1000"
    )
    assert needs(store, Settings(mode, 5, 0.5), 1001) == (
        "out of reach: rank 1002, top_k ends at 1000"
    )


def test_a_record_without_a_word_of_the_query_is_out_of_reach_in_lexical_mode() -> None:
    store = Store((0.1, 0.2), (0.0, 1.0), passing=(True, False))
    assert needs(store, Settings(LEXICAL, 5), 0) == "out of reach: it has no word of the query"


def test_a_hit_needs_nothing() -> None:
    assert needs(Store((0.1,), (0.0,)), Settings(DENSE, 1, 0.5), 0) == ""


@given(st.floats(0, 2, width=32))
def test_the_threshold_for_a_distance_is_the_smallest_of_three_decimals_that_keeps_it(
    distance: float,
) -> None:
    threshold = threshold_for(distance)
    assert threshold == round(threshold, 3)
    assert np.float32(distance) <= np.float32(threshold)
    lower = round(threshold - 0.001, 3)
    assert lower == 0 or np.float32(distance) > np.float32(lower)
