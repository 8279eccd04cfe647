"""Stage 2 against a naive reading of the specification."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.hits.hit import Reason
from core.nodes import RetrievalMode
from core.retrieve.listing import Selection, select
from core.retrieve.select import Settings
from tests.core.random_candidates import Store, large_store, small_stores, turns

DENSE, LEXICAL, HYBRID = RetrievalMode.Dense, RetrievalMode.Lexical, RetrievalMode.Hybrid
MANY = settings(max_examples=250, deadline=None)
FEWER = settings(max_examples=80, deadline=None)


def kept_by_threshold(store: Store, row: int, limit: float) -> bool:
    return limit == 0 or bool(np.float32(store.distances[row]) <= np.float32(limit))


def fused_scores(dense: list[int], sparse: list[int], rrf_k: int) -> dict[int, float]:
    scores: dict[int, float] = {}
    for leg in (dense, sparse):
        for rank, row in enumerate(leg, start=1):
            scores[row] = scores.get(row, 0) + 1 / (rrf_k + rank)
    return scores


def naive(store: Store, chosen: Settings) -> dict[str, Any]:
    """Hits, counts and the reason of every other record, stage by stage."""
    depth = max(4 * chosen.top_k, 50)
    near = store.dense[: chosen.top_k if chosen.mode is DENSE else depth]
    kept = [row for row in near if kept_by_threshold(store, row, chosen.threshold)]
    worded = store.sparse[:depth]
    counts: tuple[int | None, ...]
    if chosen.mode is DENSE:
        entered, hits = kept, kept
        counts = (len(near), len(near) - len(kept), len(hits), None, None, None, None)
    elif chosen.mode is LEXICAL:
        entered, hits = worded, worded[: chosen.top_k]
        counts = (len(worded), 0, len(hits), 0, 0, len(worded), 0)
    else:
        scores = fused_scores(kept, worded, chosen.rrf_k)
        far = len(store.distances) + 1
        entered = sorted(
            scores,
            key=lambda row: (
                -scores[row],
                kept.index(row) if row in kept else far,
                worded.index(row) if row in worded else far,
                row,
            ),
        )
        hits = entered[: chosen.top_k]
        counts = (
            len(near) + len(worded),
            len(near) - len(kept),
            len(hits),
            len(near),
            len(near) - len(kept),
            len(worded),
            len(entered),
        )
    beyond = "top_k" if chosen.mode is DENSE else "leg_depth"
    expected = store.exact[: chosen.top_k if chosen.mode is DENSE else depth]

    def reason(row: int) -> str:
        if row not in store.matching:
            return "filter"
        if row in entered:
            return "top_k"
        if chosen.mode is LEXICAL:
            return "leg_depth"
        if row in near:
            return "threshold"
        return "index" if row in expected and row in store.missed else beyond

    reasons = {row: "" if row in hits else reason(row) for row in range(len(store.distances))}
    return {"hits": hits, "counts": counts, "reasons": reasons, "entered": entered}


def counts_of(selection: Selection) -> tuple[int | None, ...]:
    counts = selection.counts
    return (
        counts.raw,
        counts.filtered,
        counts.result,
        counts.dense_raw,
        counts.dense_filtered,
        counts.sparse_raw,
        counts.fused,
    )


def check_against_naive(store: Store, chosen: Settings) -> None:
    selection = select(store.candidates, chosen)
    expected = naive(store, chosen)
    assert selection.hit_rows.tolist() == expected["hits"]
    assert counts_of(selection) == expected["counts"]
    assert selection.counts.records == len(store.distances)
    assert selection.counts.matching == len(store.matching)
    everything = np.arange(len(store.distances))
    codes = selection.reasons(everything)
    assert [list(Reason)[code] for code in codes] == [
        expected["reasons"][row] for row in everything.tolist()
    ]


@pytest.mark.slow
@MANY
@given(turns(DENSE))
def test_dense_gives_the_hits_counts_and_reasons_of_the_specification(
    turn: tuple[Store, Settings],
) -> None:
    check_against_naive(*turn)


@pytest.mark.slow
@MANY
@given(turns(LEXICAL))
def test_lexical_gives_the_hits_counts_and_reasons_of_the_specification(
    turn: tuple[Store, Settings],
) -> None:
    check_against_naive(*turn)


@pytest.mark.slow
@MANY
@given(turns(HYBRID))
def test_hybrid_gives_the_hits_counts_and_reasons_of_the_specification(
    turn: tuple[Store, Settings],
) -> None:
    check_against_naive(*turn)


@pytest.mark.parametrize("mode", list(RetrievalMode))
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("top_k", [3, 200])
def test_a_large_store_gives_them_too(mode: RetrievalMode, seed: int, top_k: int) -> None:
    check_against_naive(large_store(seed, 1500), Settings(mode, top_k, 0.75))


@FEWER
@given(turns(DENSE))
def test_dense_counts_add_up(turn: tuple[Store, Settings]) -> None:
    store, chosen = turn
    counts = select(store.candidates, chosen).counts
    if not store.missed:
        assert counts.raw == min(chosen.top_k, counts.matching)
    assert counts.result == counts.raw - counts.filtered


@pytest.mark.slow
@FEWER
@given(turns(HYBRID))
def test_hybrid_counts_add_up(turn: tuple[Store, Settings]) -> None:
    store, chosen = turn
    counts = select(store.candidates, chosen).counts
    assert counts.raw == counts.dense_raw + counts.sparse_raw
    assert counts.filtered == counts.dense_filtered
    assert counts.result == min(chosen.top_k, counts.fused)
    in_both = counts.dense_raw - counts.dense_filtered + counts.sparse_raw - counts.fused
    assert 0 <= in_both <= min(counts.dense_raw - counts.dense_filtered, counts.sparse_raw)


@FEWER
@given(turns(LEXICAL))
def test_lexical_counts_add_up(turn: tuple[Store, Settings]) -> None:
    store, chosen = turn
    counts = select(store.candidates, chosen).counts
    assert counts.raw == counts.sparse_raw == min(chosen.depth, counts.with_query_word)
    assert (counts.filtered, counts.dense_raw, counts.dense_filtered, counts.fused) == (0,) * 4
    assert counts.result == min(chosen.top_k, counts.raw)


@FEWER
@given(st.sampled_from([DENSE, LEXICAL]).flatmap(turns), st.integers(1, 1000))
def test_the_first_hits_of_a_longer_list_are_the_shorter_list(
    turn: tuple[Store, Settings], longer: int
) -> None:
    store, chosen = turn
    candidates = store.candidates
    short = select(candidates, chosen).hit_rows.tolist()
    long = select(candidates, replace(chosen, top_k=max(chosen.top_k, longer))).hit_rows.tolist()
    assert long[: len(short)] == short


@FEWER
@given(turns(HYBRID), st.integers(1, 12))
def test_the_first_hybrid_hits_of_a_longer_list_are_the_shorter_list_at_one_depth(
    turn: tuple[Store, Settings], top_k: int
) -> None:
    store, chosen = turn
    candidates = store.candidates
    short = select(candidates, replace(chosen, top_k=top_k)).hit_rows.tolist()
    long = select(candidates, replace(chosen, top_k=12)).hit_rows.tolist()
    assert long[:top_k] == short


@FEWER
@given(st.sampled_from(list(RetrievalMode)).flatmap(turns))
def test_every_hit_tells_what_each_leg_gave_to_it(turn: tuple[Store, Settings]) -> None:
    store, chosen = turn
    depth = max(4 * chosen.top_k, 50)
    near = [row for row in store.dense[:depth] if kept_by_threshold(store, row, chosen.threshold)]
    near = [] if chosen.mode is LEXICAL else near
    worded = [] if chosen.mode is DENSE else store.sparse[:depth]
    for place, hit in enumerate(select(store.candidates, chosen).hits, start=1):
        row = hit.row
        assert (hit.id, hit.text) == (f"record_{row}", f"record_{row}")
        assert (hit.reason, hit.needs, hit.rank) == ("", "", place)
        assert hit.distance == (store.distances[row] if row in near else None)
        assert hit.rank_dense == (near.index(row) + 1 if row in near else None)
        assert hit.bm25_score == (store.scores[row] if row in worded else None)
        assert hit.rank_sparse == (worded.index(row) + 1 if row in worded else None)
        assert hit.fused_score == (
            fused_scores(near, worded, chosen.rrf_k)[row] if chosen.mode is HYBRID else None
        )


@FEWER
@given(st.sampled_from(list(RetrievalMode)).flatmap(turns), st.integers(0, 100))
def test_near_misses_are_all_others_once_and_any_limit_gives_the_first_of_them(
    turn: tuple[Store, Settings], limit: int
) -> None:
    store, chosen = turn
    selection = select(store.candidates, chosen)
    near = selection.near_miss_rows(10_000)
    others = {
        row
        for row in range(len(store.distances))
        if chosen.mode is not LEXICAL or store.scores[row] > 0
    }
    assert len(near) == len(set(near)) == selection.near_miss_count
    assert set(near) == others - set(selection.hit_rows.tolist())
    assert selection.near_miss_rows(limit) == near[:limit]


@FEWER
@given(st.sampled_from(list(RetrievalMode)).flatmap(turns))
def test_near_misses_come_in_the_order_of_their_mode(turn: tuple[Store, Settings]) -> None:
    store, chosen = turn
    entered = naive(store, chosen)["entered"]

    def key(row: int) -> tuple[float, ...]:
        if chosen.mode is LEXICAL:
            return (-store.scores[row], row)
        ranked = chosen.mode is HYBRID and row in entered
        return (0, entered.index(row)) if ranked else (1, store.distances[row], row)

    near = select(store.candidates, chosen).near_miss_rows(10_000)
    assert near == sorted(near, key=key)


@FEWER
@given(small_stores(), st.sampled_from(list(RetrievalMode)))
def test_a_near_miss_of_a_mode_has_no_numbers_of_a_leg_that_the_mode_does_not_read(
    store: Store, mode: RetrievalMode
) -> None:
    for hit in select(store.candidates, Settings(mode, 1, 0.3)).near_misses():
        if mode is DENSE:
            assert (hit.bm25_score, hit.rank_sparse, hit.fused_score) == (None, None, None)
        if mode is LEXICAL:
            assert (hit.distance, hit.rank_dense, hit.fused_score) == (None, None, None)


def test_a_distance_right_at_the_threshold_is_kept() -> None:
    store = Store((0.1, float(np.float32(0.6)), float(np.nextafter(np.float32(0.6), 1))), (0,) * 3)
    assert select(store.candidates, Settings(DENSE, 3, 0.6)).hit_rows.tolist() == [0, 1]


def test_a_threshold_of_zero_switches_the_limit_off() -> None:
    store = Store((0.0, 1.5, 2.0), (0,) * 3)
    assert select(store.candidates, Settings(DENSE, 3, 0.0)).hit_rows.tolist() == [0, 1, 2]


def test_hybrid_never_gates_hits_of_the_lexical_leg() -> None:
    selection = select(Store((1.9, 0.1), (2.0, 0.0)).candidates, Settings(HYBRID, 2, 0.5, 60))
    assert selection.hit_rows.tolist() == [1, 0]
    assert [hit.fused_score for hit in selection.hits] == [1 / (60 + 1), 1 / (60 + 1)]
    assert [hit.distance for hit in selection.hits] == [float(np.float32(0.1)), None]


def test_hybrid_adds_the_reciprocal_ranks_of_both_legs() -> None:
    store = Store((0.3, 0.1, 0.2), (9.0, 0.0, 0.0))
    best = select(store.candidates, Settings(HYBRID, 1, 0.5, 60)).hits[0]
    assert best.fused_score == 1 / (60 + 3) + 1 / (60 + 1)
    assert (best.rank_dense, best.rank_sparse) == (3, 1)


def test_a_short_index_result_leaves_the_missed_record_with_the_reason_index() -> None:
    store = Store((0.1, 0.2, 0.3), (0,) * 3, missed=frozenset({2}))
    selection = select(store.candidates, Settings(DENSE, 3, 0.0))
    assert selection.counts.raw == 2
    assert selection.reason(2) is Reason.INDEX


def test_a_missed_record_that_an_exact_search_would_not_return_either_is_not_blamed_on_it() -> None:
    store = Store((0.1, 0.2, 0.3, 0.4, 0.5), (0,) * 5, missed=frozenset({0, 1, 3}))
    selection = select(store.candidates, Settings(DENSE, 2, 0.0))
    assert [selection.reason(row) for row in range(5)] == ["index", "index", "", "top_k", ""]


@pytest.mark.parametrize("mode", [DENSE, HYBRID])
def test_a_mode_that_needs_the_dense_leg_says_so_when_it_was_not_searched(
    mode: RetrievalMode,
) -> None:
    candidates = replace(Store((0.1,), (1.0,)).candidates, dense=None)
    with pytest.raises(LookupError, match=mode.name):
        select(candidates, Settings(mode))


def test_lexical_works_without_a_dense_leg() -> None:
    candidates = replace(Store((0.1, 0.2, 0.3), (1.0, 0.0, 2.0)).candidates, dense=None)
    selection = select(candidates, Settings(LEXICAL, 1))
    assert selection.hit_rows.tolist() == [2]
    assert [hit.exact_distance for hit in selection.near_misses()] == [None]
