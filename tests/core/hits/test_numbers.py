"""Numbers that differ are written differently, and on the right side of what limits them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.hits.numbers import MOST_DECIMALS, NumbersBeside, apart, in_detail, in_full

SINGLES = st.floats(0, 2, width=32).filter(lambda value: value == 0 or value > 1e-12)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500"),
        (0.3456, "0.3456"),
        (0.0004, "0.0004"),
        (1e-7, "0.0000001"),
        (1e-30, "1e-30"),
        (2.0, "2.000"),
        (0.0, "0.000"),
        (1e22, "10000000000000000000000.000"),
    ],
)
def test_a_number_that_was_set_is_written_in_full(value: float, text: str) -> None:
    assert in_full(value) == text


@given(st.floats(0, 1e9, allow_subnormal=False))
def test_what_is_written_in_full_is_read_as_the_same_number(value: float) -> None:
    assert float(in_full(value)) == value


@given(SINGLES, SINGLES)
def test_two_single_numbers_are_written_alike_in_detail_only_when_they_are(
    one: float, other: float
) -> None:
    assert (in_detail(one) == in_detail(other)) == (one == other)
    assert np.float32(in_detail(one)) == np.float32(one)


@pytest.mark.parametrize(
    ("value", "text"), [(0.1 + 0.2, "0.3"), (13.0, "13"), (2 - 1.9996, "0.0004"), (2.25, "2.25")]
)
def test_a_sum_is_written_without_its_noise(value: float, text: str) -> None:
    assert in_detail(value, 0) == text


def test_a_number_is_told_from_the_others_with_few_decimals() -> None:
    assert apart(0.0020, [0.00194, 0.5], 4) == "0.0020"
    assert apart(0.00200, [0.002004], 4) == "0.002000"
    assert apart(0.25, [0.25], 3) == "0.250"


@given(st.lists(SINGLES, min_size=1, max_size=40), st.one_of(st.none(), SINGLES))
def test_numbers_beside_each_other_keep_their_order_and_their_side(
    values: list[float], limit: float | None
) -> None:
    shown = NumbersBeside(values, 3)
    known = sorted(set(values))
    texts = [shown.text(value, limit) for value in known]
    assert all(len(text.partition(".")[2]) >= 3 for text in texts)
    read = [float(text) for text in texts]
    for one, other, low, high in zip(known, known[1:], read, read[1:], strict=False):
        assert low < high or other - one < 10.0**-MOST_DECIMALS
    for value, text in zip(known, read, strict=True):
        if limit is not None and abs(value - limit) > 1e-15:
            assert (text < limit) == (value < limit)
            assert (text > limit) == (value > limit)


@pytest.mark.parametrize(
    ("values", "limit", "texts"),
    [
        ([0.412, 0.613, 0.9], 0.6, ["0.412", "0.613", "0.900"]),
        ([0.34999996, 0.35000002], 0.35, ["0.34999996", "0.35000002"]),
        ([0.3458], 0.3456, ["0.346"]),
        ([0.34558], 0.3456, ["0.34558"]),
        ([0.3454], 0.3456, ["0.345"]),
        ([0.6122, 0.6124, 0.7], None, ["0.6122", "0.6124", "0.700"]),
    ],
)
def test_decimals_are_as_many_as_it_takes(
    values: list[float], limit: float | None, texts: list[str]
) -> None:
    shown = NumbersBeside(values, 3)
    assert [shown.text(value, limit) for value in values] == texts
