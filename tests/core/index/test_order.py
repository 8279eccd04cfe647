"""Rankings by value, ties by row."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index.order import largest_first, smallest_first

numbers = st.lists(
    st.one_of(st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.0]), st.floats(0, 2.0**100, width=32))
)


@settings(deadline=None)
@given(numbers)
def test_the_smallest_come_first_and_ties_keep_the_order_of_rows(values: list[float]) -> None:
    found = smallest_first(np.array(values, dtype=np.float32))
    assert found.tolist() == sorted(range(len(values)), key=lambda row: (values[row], row))


@settings(deadline=None)
@given(numbers)
def test_the_largest_come_first_and_ties_keep_the_order_of_rows(values: list[float]) -> None:
    found = largest_first(np.array(values, dtype=np.float32))
    assert found.tolist() == sorted(range(len(values)), key=lambda row: (-values[row], row))


@settings(deadline=None)
@given(numbers, st.data())
def test_only_the_rows_asked_for_are_ranked(values: list[float], data: st.DataObject) -> None:
    rows = sorted(data.draw(st.sets(st.integers(0, len(values) - 1)))) if values else []
    chosen = np.array(rows, dtype=np.int64)
    array = np.array(values, dtype=np.float32)
    assert smallest_first(array, chosen).tolist() == sorted(
        rows, key=lambda row: (values[row], row)
    )
    assert largest_first(array, chosen).tolist() == sorted(
        rows, key=lambda row: (-values[row], row)
    )


def test_a_ranking_cannot_be_written_to() -> None:
    assert not smallest_first(np.ones(3, dtype=np.float32)).flags.writeable
