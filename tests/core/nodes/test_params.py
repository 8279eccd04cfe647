from __future__ import annotations

import math
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent import Agent, GraphDescription, Workspace
from core.errors import Code, InspectorError
from core.io.findings import FileRefused
from core.nodes import (
    NODE_TYPES,
    HumanMessageGuardrailParams,
    KnowledgeSourceKind,
    Placement,
    RetrievalMode,
    RetrieveParams,
    node_table,
)

if TYPE_CHECKING:
    from pathlib import Path

SPECS = RetrieveParams.specs()


def refused(param: str, value: object) -> InspectorError:
    with pytest.raises(InspectorError) as caught:
        SPECS[param].check(value)
    return caught.value


@pytest.mark.parametrize(
    ("param", "value"),
    [
        ("top_k", 0),
        ("top_k", 1001),
        ("top_k", 2.5),
        ("top_k", True),
        ("top_k", "3"),
        ("threshold", -0.1),
        ("threshold", 2.1),
        ("threshold", math.nan),
        ("threshold", math.inf),
        ("threshold", "0.5"),
        ("threshold", False),
        ("rrf_k", 0),
        ("rrf_k", 1001),
        ("source", 3),
        ("source", None),
        ("retrieval_mode", "Sparse"),
        ("retrieval_mode", 3),
        ("source", "\ud800"),
    ],
)
def test_a_value_of_the_wrong_type_or_range_is_refused_with_3007(param: str, value: object) -> None:
    assert refused(param, value).code is Code.InvalidParamValue


@pytest.mark.parametrize(
    ("param", "value"),
    [("top_k", 1), ("top_k", 1000), ("threshold", 0), ("threshold", 2.0), ("rrf_k", 1000)],
)
def test_the_ends_of_a_range_are_inside(param: str, value: float) -> None:
    assert SPECS[param].check(value) == value


@pytest.mark.parametrize("spelling", ["Hybrid", "hybrid", "HYBRID", 2, RetrievalMode.Hybrid])
def test_an_enumeration_is_accepted_by_name_or_number(spelling: object) -> None:
    assert SPECS["retrieval_mode"].check(spelling) is RetrievalMode.Hybrid


def test_an_enumeration_is_accepted_in_snake_case() -> None:
    placement = NODE_TYPES["Generate"].specs()["placement"]
    assert placement.check("before_user_as_system") is Placement.BeforeUserAsSystem


def test_a_table_in_code_takes_values_as_a_graph_file_does() -> None:
    params = RetrieveParams(retrieval_mode="lexical", threshold=1)  # type: ignore[arg-type]
    assert params.retrieval_mode is RetrievalMode.Lexical
    assert isinstance(params.threshold, float)
    lines = HumanMessageGuardrailParams(inline_strings=["a"])  # type: ignore[arg-type]
    assert lines.inline_strings == ("a",)


def test_a_refused_value_stays_until_it_is_checked() -> None:
    assert RetrieveParams(top_k=0).top_k == 0
    assert RetrieveParams(top_k=0, rrf_k=7).sound() == RetrieveParams(rrf_k=7)


@pytest.mark.parametrize("junk", [None, [], ["a"], {}, 5, "x", "\ud800", True, float("nan")])
def test_whatever_a_table_is_given_the_agent_is_made_or_refused(
    tmp_path: Path, junk: object
) -> None:
    for table in NODE_TYPES.values():
        for name in table.specs():
            graph = GraphDescription().add_node("a", table(**{name: junk})).set_start_node("a")
            with suppress(FileRefused):
                Agent(graph, Workspace(tmp_path))


def test_the_defaults_are_those_of_the_reference_page() -> None:
    params = RetrieveParams()
    assert (params.top_k, params.threshold, params.rrf_k) == (2, 0.5, 60)
    assert params.retrieval_mode is RetrievalMode.Dense
    structural = {name for name, spec in SPECS.items() if spec.structural}
    assert structural == {
        "input",
        "source_kind",
        "embedded_string_storage",
        "storage_name",
        "schema",
        "found_exit",
        "not_found_exit",
    }


def test_a_node_type_may_be_spelled_as_its_parameter_table() -> None:
    assert node_table("RetrieveParams") is node_table("Retrieve") is RetrieveParams


@given(st.floats(0, 2))
def test_every_threshold_in_range_is_kept_as_it_is(value: float) -> None:
    assert SPECS["threshold"].check(value) == value


@given(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(),
        st.lists(st.integers()),
        st.dictionaries(st.text(), st.integers()),
    ),
    st.sampled_from(sorted(SPECS)),
)
def test_checking_anything_gives_a_value_or_3007(value: object, param: str) -> None:
    refusals = []
    try:
        SPECS[param].check(value)
    except InspectorError as error:
        refusals.append(error)
    assert all(error.code is Code.InvalidParamValue for error in refusals)
    assert not any("\n" in error.line() for error in refusals)


@pytest.mark.parametrize("text", ["From File", "from_file", "FROM-FILE", "FromFile"])
def test_an_enumeration_is_read_however_its_words_are_joined(text: str) -> None:
    assert RetrieveParams.specs()["source_kind"].check(text) is KnowledgeSourceKind.FromFile
