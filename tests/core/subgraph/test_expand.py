"""The walk around the matches: on hand-drawn graphs, and against a naive one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.subgraph.depths import ExpansionDepth
from core.subgraph.expand import MAX_NODES, Via, expand
from tests.core.drawn_graphs import DRAWN, drawn, graphs

if TYPE_CHECKING:
    from core.subgraph.knowledge_graph import KnowledgeGraph

NONE, SHALLOW, STANDARD, DEEP = ExpansionDepth


def walked(graph: KnowledgeGraph, start: str, depth: ExpansionDepth) -> str:
    found = expand(graph, [graph.row(name) for name in start.split()], depth)
    return " ".join(f"{graph.nodes[placed.row].id}{placed.ring}" for placed in found.nodes)


def lines(graph: KnowledgeGraph, start: str, depth: ExpansionDepth) -> list[str]:
    found = expand(graph, [graph.row(name) for name in start.split()], depth)
    return [graph.connections[line].id for line in found.lines]


@pytest.mark.parametrize(
    ("start", "depth", "wanted"),
    [
        ("a1", NONE, "a10"),
        ("a1 b", NONE, "a10 b0"),
        ("a1", SHALLOW, "a10 a1"),
        ("a", SHALLOW, "a0 root1 a11 a21"),
        ("x", SHALLOW, "x0"),
        ("a1", STANDARD, "a10 a1 x1 b1"),
        ("x", STANDARD, "x0 a11 y1"),
        ("z", STANDARD, "z0 y1"),
        # a, x and b take turns: root, y, root; then a2, nothing, b1
        ("a1", DEEP, "a10 a1 x1 b1 root2 y2 a22 b12"),
        ("z", DEEP, "z0 y1 x2"),
        # x and z take turns: x gives a1 and then y, z gives y
        ("x z", STANDARD, "x0 z0 a11 y1"),
    ],
)
def test_the_walk_on_a_hand_drawn_graph(start: str, depth: ExpansionDepth, wanted: str) -> None:
    assert walked(DRAWN, start, depth) == wanted


@pytest.mark.parametrize(
    ("start", "depth", "wanted"),
    [
        ("a1 x", NONE, []),
        ("a1 x", SHALLOW, ["c0"]),
        ("a1", SHALLOW, []),
        ("a1", STANDARD, ["c0", "c3"]),
        ("a1", DEEP, ["c0", "c1", "c3"]),
        ("z", SHALLOW, ["c4"]),
    ],
)
def test_connections_are_those_between_nodes_of_the_result(
    start: str, depth: ExpansionDepth, wanted: list[str]
) -> None:
    assert lines(DRAWN, start, depth) == wanted


def test_a_node_says_how_the_walk_came_to_it() -> None:
    found = expand(DRAWN, [DRAWN.row("a1")], STANDARD)
    stories = {
        DRAWN.nodes[placed.row].id: (placed.via, placed.from_row, placed.line)
        for placed in found.nodes
    }
    a1 = DRAWN.row("a1")
    assert stories == {
        "a1": (Via.MATCH, None, None),
        "a": (Via.PARENT, a1, None),
        "x": (Via.CONNECTION, a1, 0),
        "b": (Via.CONNECTION, a1, 3),
    }


def test_a_hub_does_not_crowd_out_the_neighbours_of_the_other_matches() -> None:
    children = " ".join(f"h{number}<hub" for number in range(MAX_NODES))
    graph = drawn(f"hub {children} p m<p c<m")
    found = expand(graph, [graph.row("hub"), graph.row("m")], SHALLOW)
    names = [graph.nodes[placed.row].id for placed in found.nodes]
    assert names[:6] == ["hub", "m", "h0", "p", "h1", "c"]


def test_a_result_is_cut_at_the_cap_and_says_so() -> None:
    children = " ".join(f"h{number}<hub" for number in range(600))
    graph = drawn(f"hub {children}")
    found = expand(graph, [0], DEEP)
    assert (len(found.nodes), found.reached) == (500, 601)
    assert "101 of 601 nodes are left out" in found.note
    assert expand(graph, [0], NONE).note == ""


def test_the_cap_keeps_the_nearest() -> None:
    near = " ".join(f"h{number}<hub" for number in range(400))
    far = " ".join(f"g{number}<h0" for number in range(400))
    graph = drawn(f"hub {near} {far}")
    rings = [placed.ring for placed in expand(graph, [0], DEEP).nodes]
    assert rings == [0] + [1] * 400 + [2] * 99


def naive_walk(graph: KnowledgeGraph, start: list[int], depth: ExpansionDepth) -> dict[int, int]:
    """Row → ring by the definition, with sets and a look at every node and connection."""
    ring = dict.fromkeys(start, 0)
    steps = {NONE: 0, SHALLOW: 1, STANDARD: 1, DEEP: 2}[depth]
    for step in range(1, steps + 1):
        now = set(ring)
        for row, node in enumerate(graph.nodes):
            by_tree = any(graph.row(parent) in now for parent in node.parents) or any(
                node.id in graph.nodes[known].parents for known in now
            )
            by_link = depth in (STANDARD, DEEP) and any(
                (link.from_id == node.id and graph.row(link.to_id) in now)
                or (link.to_id == node.id and graph.row(link.from_id) in now)
                for link in graph.connections
            )
            if row not in ring and (by_tree or by_link):
                ring[row] = step
    return ring


@settings(deadline=None)
@given(graphs(), st.sampled_from(list(ExpansionDepth)), st.data())
def test_the_walk_agrees_with_a_naive_one(
    graph: KnowledgeGraph, depth: ExpansionDepth, data: st.DataObject
) -> None:
    start = data.draw(st.lists(st.integers(0, len(graph) - 1), max_size=4, unique=True))
    found = expand(graph, start, depth)
    wanted = naive_walk(graph, start, depth)
    assert {placed.row: placed.ring for placed in found.nodes} == wanted
    assert [placed.row for placed in found.nodes[: len(start)]] == start
    rings = [placed.ring for placed in found.nodes]
    assert rings == sorted(rings)
    inside = {graph.nodes[row].id for row in wanted}
    assert [graph.connections[line] for line in found.lines] == [
        link
        for link in graph.connections
        if depth is not NONE and link.from_id in inside and link.to_id in inside
    ]


@settings(deadline=None)
@given(graphs(), st.data())
def test_a_deeper_walk_holds_the_shallower_one(graph: KnowledgeGraph, data: st.DataObject) -> None:
    start = data.draw(st.lists(st.integers(0, len(graph) - 1), max_size=4, unique=True))
    sets = [
        {placed.row for placed in expand(graph, start, depth).nodes} for depth in ExpansionDepth
    ]
    assert sets[0] <= sets[1] <= sets[2] <= sets[3]


@settings(deadline=None)
@given(graphs(), st.sampled_from([SHALLOW, STANDARD, DEEP]), st.data())
def test_inside_a_ring_the_nodes_before_it_take_turns(
    graph: KnowledgeGraph, depth: ExpansionDepth, data: st.DataObject
) -> None:
    start = data.draw(st.lists(st.integers(0, len(graph) - 1), max_size=4, unique=True))
    found = expand(graph, start, depth).nodes
    for ring in (1, 2):
        before = [placed.row for placed in found if placed.ring == ring - 1]
        earlier = {placed.row for placed in found if placed.ring < ring}
        turn_of: dict[int, tuple[int, int]] = {}
        for place, row in enumerate(before):
            ends = [graph.other_end(line, row) for line in graph.links(row).tolist()]
            around = [
                *graph.parents[row],
                *graph.children[row],
                *(ends if depth is not SHALLOW else []),
            ]
            fresh = [other for other in dict.fromkeys(around) if other not in earlier]
            for turn, other in enumerate(fresh):
                turn_of[other] = min(turn_of.get(other, (turn, place)), (turn, place))
        turns = [turn_of[placed.row] for placed in found if placed.ring == ring]
        assert turns == sorted(turns)
