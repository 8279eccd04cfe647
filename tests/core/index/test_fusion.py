"""Reciprocal rank fusion against the written formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.index.fusion import reciprocal_rank_fusion


def fuse(
    dense: list[int], sparse: list[int], rrf_k: int = 60, count: int = 100
) -> tuple[list[float], ...]:
    fused = reciprocal_rank_fusion(
        np.array(dense, dtype=np.int64), np.array(sparse, dtype=np.int64), rrf_k, count
    )
    return fused.rows.tolist(), fused.scores.tolist()


def test_a_record_of_both_legs_gets_the_sum_of_both_reciprocal_ranks() -> None:
    rows, scores = fuse([7, 8, 9], [9])
    assert rows == [9, 7, 8]
    assert scores == [1 / (60 + 3) + 1 / (60 + 1), 1 / (60 + 1), 1 / (60 + 2)]


def test_the_constant_flattens_the_scores() -> None:
    assert fuse([1, 2], [2, 1], rrf_k=1)[1] == [1 / 2 + 1 / 3, 1 / 3 + 1 / 2]
    assert fuse([1], [], rrf_k=1000)[1] == [1 / 1001]


def test_a_tie_between_the_legs_goes_to_the_dense_leg() -> None:
    assert fuse([5], [3]) == ([5, 3], [1 / 61, 1 / 61])


def test_a_tie_of_records_in_both_legs_goes_to_the_lower_dense_rank() -> None:
    assert fuse([4, 2], [2, 4])[0] == [4, 2]


def test_one_empty_leg_leaves_the_other_as_it_is() -> None:
    assert fuse([], [3, 1, 2])[0] == [3, 1, 2]
    assert fuse([3, 1, 2], [])[0] == [3, 1, 2]
    assert fuse([], []) == ([], [])


@pytest.mark.slow
@given(st.data(), st.integers(1, 1000))
def test_any_two_legs_are_fused_as_the_formula_and_the_tie_rule_say(
    data: st.DataObject, rrf_k: int
) -> None:
    count = data.draw(st.integers(1, 60))
    leg = st.lists(st.integers(0, count - 1), unique=True)
    dense, sparse = data.draw(leg), data.draw(leg)
    place = {
        row: (
            dense.index(row) + 1 if row in dense else np.inf,
            sparse.index(row) + 1 if row in sparse else np.inf,
        )
        for row in {*dense, *sparse}
    }
    score = {
        row: sum(1 / (rrf_k + rank) for rank in ranks if rank < np.inf)
        for row, ranks in place.items()
    }
    expected = sorted(place, key=lambda row: (-score[row], *place[row]))
    assert fuse(dense, sparse, rrf_k, count) == (expected, [score[row] for row in expected])
