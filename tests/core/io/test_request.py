"""One validator for what requests and parameters are given."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core.errors import Code
from core.io.request import InvalidRequest, check_number, check_whole, refuse_unknown


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("5", 'expected a number, found the text "5"'),
        (True, "expected a number, found True"),
        (math.nan, "nan is out of range: 0 to 2"),
        (math.inf, "inf is out of range: 0 to 2"),
        (-0.1, "-0.1 is out of range: 0 to 2"),
        (2.1, "2.1 is out of range: 0 to 2"),
    ],
)
def test_a_value_that_is_no_number_in_range_is_3007_at_its_parameter(value: Any, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_number("threshold", value, 0, 2)
    assert refused.value.message == said
    assert (refused.value.code, refused.value.place.param) == (Code.InvalidParamValue, "threshold")


@pytest.mark.parametrize("value", [0, 1.5, 2])
def test_a_number_in_range_becomes_a_float(value: float) -> None:
    assert check_number("threshold", value, 0, 2) == value
    assert isinstance(check_number("threshold", value, 0, 2), float)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.0, "expected a whole number, found 1.0"),
        (False, "expected a whole number, found False"),
        (0, "0 is out of range: 1 or more"),
    ],
)
def test_a_value_that_is_no_whole_number_is_refused(value: Any, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_whole("k", value, 1)
    assert refused.value.message == said


def test_a_long_value_is_cut_in_the_refusal() -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_number("k", "x" * 1000)
    assert len(refused.value.message) < 100


def test_an_unknown_name_is_refused_with_what_it_may_have_meant() -> None:
    refuse_unknown(["top_k"], ["top_k", "query"])
    with pytest.raises(InvalidRequest) as close:
        refuse_unknown(["top_q"], ["top_k", "query"], path="scope.")
    assert (close.value.place.param, close.value.hint) == ("scope.top_q", 'did you mean "top_k"?')
    with pytest.raises(InvalidRequest) as far:
        refuse_unknown(["zzz"], ["a", "b"], what="weight")
    assert (far.value.message, far.value.hint) == (
        "there is no such weight",
        "the weights are a, b",
    )
