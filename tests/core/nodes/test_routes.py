"""Which nodes a walk can come to, and which can have run before another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.nodes import NodeParams, RetrieveParams
from core.nodes.routes import nodes_before, reached

NAMES = "abcdef"


def node(found: str = "", not_found: str = "") -> NodeParams:
    return RetrieveParams(found_exit=found, not_found_exit=not_found)


def test_both_branches_can_have_run_before_the_node_where_they_meet() -> None:
    graph = {"end": node(), "a": node("b", "c"), "c": node("end"), "b": node("end")}
    assert nodes_before(graph, "a", "end") == ("a", "c", "b")
    assert nodes_before(graph, "a", "b") == ("a",)
    assert nodes_before(graph, "a", "a") == ()


def test_a_node_in_a_loop_can_have_run_before_itself() -> None:
    graph = {"a": node("b"), "b": node("b", "c"), "c": node()}
    assert nodes_before(graph, "a", "b") == ("a", "b")


def test_a_node_that_no_walk_comes_to_has_run_before_none() -> None:
    graph = {"a": node("b"), "off": node("b"), "b": node()}
    assert nodes_before(graph, "a", "b") == ("a",)
    assert reached(graph, ["a"]) == {"a", "b"}
    assert nodes_before(graph, "nowhere", "b") == ()


exits = st.sampled_from(["", "gone", *NAMES])


@given(st.dictionaries(st.sampled_from(NAMES), st.tuples(exits, exits), min_size=1))
def test_what_runs_before_is_what_walks_of_any_length_have_passed(
    targets: dict[str, tuple[str, str]],
) -> None:
    graph = {name: node(*pair) for name, pair in targets.items()}
    start = next(iter(graph))
    before: dict[str, set[str]] = {name: set() for name in graph}
    walks = {(start, frozenset[str]())}
    seen = set(walks)
    while walks:
        walks = {
            (target, passed | {at})
            for at, passed in walks
            for target in targets[at]
            if target in graph
        } - seen
        seen |= walks
    for at, passed in seen:
        before[at] |= passed
    assert {name: set(nodes_before(graph, start, name)) for name in graph} == before
