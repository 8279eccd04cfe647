"""Slider scales give back their values."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.drawing.scales import Scale

SCALES: list[Scale] = [
    Scale.linear(0, 2000),
    Scale(1, 1000, 20, 0.6),
    Scale(1, 1000, 100, 0.6),
]


@pytest.mark.parametrize("scale", SCALES)
def test_every_value_comes_back_from_its_place(scale: Scale) -> None:
    values = range(scale.low, scale.high + 1)
    assert [scale.value(scale.fraction(v)) for v in values] == list(values)


@pytest.mark.parametrize("scale", SCALES)
def test_places_rise_with_the_values_from_0_to_1(scale: Scale) -> None:
    places = [scale.fraction(v) for v in range(scale.low, scale.high + 1)]
    assert places[0] == 0.0
    assert places[-1] == pytest.approx(1.0)
    assert all(a < b for a, b in pairwise(places))


@given(st.floats(-10, 10))
def test_places_outside_the_groove_give_its_ends(fraction: float) -> None:
    for scale in SCALES:
        value = scale.value(fraction)
        assert scale.low <= value <= scale.high
        if fraction <= 0:
            assert value == scale.low
        if fraction >= 1:
            assert value == scale.high
