"""The layout of a graph's drawing, checked by geometry."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inspector.drawing.graph_layout import END, Exit, lay_out

if TYPE_CHECKING:
    from inspector.drawing.graph_layout import Box, GraphLayout

NAMES = [f"n{i}" for i in range(9)]


def laid_out(
    exits: list[tuple[str, str, str]],
    names: list[str] | str,
    start: str = "a",
    view: tuple[int, int] = (760, 220),
) -> GraphLayout:
    return lay_out(
        dict.fromkeys(names, 120.0),
        [Exit(*e) for e in exits],
        start,
        dict.fromkeys(names, 60.0),
        view,
    )


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.y + other.height
        and other.y < one.y + one.height
    )


def test_each_node_lies_right_of_those_that_lead_to_it() -> None:
    layout = laid_out([("a", "found", "b"), ("a", "not_found", "c"), ("b", "default", "c")], "abc")
    boxes = layout.boxes
    assert boxes["a"].x + boxes["a"].width < boxes["b"].x
    assert boxes["b"].x + boxes["b"].width < boxes["c"].x


def test_exits_to_one_target_are_one_line_with_both_names() -> None:
    layout = laid_out([("a", "found", "b"), ("a", "not_found", "b")], "ab")
    assert [(e.source, e.target, e.routes) for e in layout.edges] == [
        ("a", "b", ("found", "not_found"))
    ]


def test_an_exit_to_nowhere_has_an_end_of_its_own() -> None:
    layout = laid_out([("a", "found", "b"), ("a", "not_found", END), ("b", "default", END)], "ab")
    assert set(layout.ends) == {"a", "b"}
    assert layout.ends["b"].x > layout.boxes["b"].x + layout.boxes["b"].width


def test_a_loop_is_marked_and_leads_below_its_nodes() -> None:
    layout = laid_out([("a", "found", "b"), ("b", "default", "a")], "ab")
    loop = next(edge for edge in layout.edges if edge.is_loop)
    assert (loop.source, loop.target) == ("b", "a")
    floor = max(box.y + box.height for box in layout.boxes.values())
    assert max(point.y for point in loop.points) > floor


def test_a_node_that_leads_to_itself_is_a_loop() -> None:
    layout = laid_out([("a", "default", "a")], "a")
    assert [edge.is_loop for edge in layout.edges] == [True]


def test_an_exit_to_an_unknown_node_is_left_out() -> None:
    assert laid_out([("a", "default", "zzz")], "a").edges == ()


def test_a_long_chain_goes_on_in_further_bands_as_text_does() -> None:
    names = [f"n{i:02d}" for i in range(12)]
    exits = [(a, "default", b) for a, b in pairwise(names)]
    layout = laid_out(exits, names, "n00")
    rows = {round(box.y) for box in layout.boxes.values()}
    assert len(rows) > 1
    first_row = [n for n in names if layout.boxes[n].y == layout.boxes["n00"].y]
    assert first_row == names[: len(first_row)]


def test_two_nodes_stay_side_by_side() -> None:
    layout = laid_out([("a", "default", "b")], "ab")
    assert layout.boxes["a"].y == layout.boxes["b"].y


def test_a_line_past_a_layer_runs_through_none_of_its_nodes() -> None:
    layout = laid_out([("a", "x", "b"), ("b", "x", "c"), ("a", "y", "c")], "abc")
    past = next(e for e in layout.edges if (e.source, e.target) == ("a", "c"))
    box = layout.boxes["b"]
    inside = [p for p in past.points if box.x <= p.x <= box.x + box.width]
    assert all(not box.y <= p.y <= box.y + box.height for p in inside)
    assert any(p.x < box.x for p in past.points)


def test_an_empty_graph_has_an_empty_drawing() -> None:
    layout = lay_out({}, [], "", {}, (760, 220))
    assert layout.boxes == {}
    assert layout.edges == ()


@pytest.mark.parametrize("view", [(200, 600), (400, 400), (760, 220), (1600, 100)])
def test_a_graph_of_twelve_nodes_is_drawn_whole_in_any_view(view: tuple[int, int]) -> None:
    names = [f"n{i:02d}" for i in range(12)]
    exits = [(a, "found", b) for a, b in zip(names, names[2:], strict=False)]
    exits += [(a, "not_found", b) for a, b in zip(names, names[3:], strict=False)]
    layout = laid_out(exits, names, "n00", view)
    assert set(layout.boxes) == set(names)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(NAMES),
            st.sampled_from(["found", "not_found"]),
            st.sampled_from([*NAMES, END]),
        ),
        max_size=18,
        unique_by=lambda e: e[:2],
    )
)
def test_boxes_never_overlap_and_everything_lies_inside(exits: list[tuple[str, str, str]]) -> None:
    layout = laid_out(exits, NAMES, "n0")
    for one, other in combinations(layout.boxes.values(), 2):
        assert not overlap(one, other)
    for box in [*layout.boxes.values(), *layout.ends.values()]:
        assert box.x >= 0
        assert box.y >= -6
    for edge in layout.edges:
        assert all(-0.01 <= p.x <= layout.width + 0.01 for p in edge.points)
        assert all(-0.01 <= p.y <= layout.height + 0.01 for p in edge.points)
    drawn = {(e.source, route, e.target) for e in layout.edges for route in e.routes}
    assert drawn == {(a, route, b) for a, route, b in exits}
