"""Where the nodes of a subgraph stand: rings outwards, nothing on top of anything."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from core.nodes import ExpansionDepth
from core.subgraph.expand import PlacedNode, Via
from inspector.drawing.subgraph_layout import (
    LEFT,
    MIDDLE,
    NODE_HEIGHT,
    RIGHT,
    SubgraphLayout,
    lay_out,
    sides_of,
)
from tests.inspector.fixed_subgraphs import TOWN, walked, wide

if TYPE_CHECKING:
    from collections.abc import Sequence


def _laid_out(
    nodes: Sequence[PlacedNode],
    starts: dict[int, int] | None = None,
    view: tuple[float, float] = (780.0, 250.0),
    label: float = 60.0,
) -> SubgraphLayout:
    sides = sides_of(nodes, starts or {})
    widths = {node.row: 80.0 + node.row % 5 * 10 for node in nodes}
    labels = {node.row: 0.0 if node.from_row is None else label for node in nodes}
    return lay_out(nodes, sides, widths, labels, view)


@st.composite
def results(draw: st.DrawFn) -> tuple[list[PlacedNode], dict[int, int]]:
    """A walk's nodes in order, with the rows where connections start."""
    matches = draw(st.integers(1, 6))
    nodes = [PlacedNode(row, 0, Via.MATCH) for row in range(matches)]
    starts: dict[int, int] = {}
    for ring in (1, 2):
        before = [node for node in nodes if node.ring == ring - 1]
        for _ in range(draw(st.integers(0, 20)) if before else 0):
            source, row = draw(st.sampled_from(before)).row, len(nodes)
            via = draw(st.sampled_from([Via.PARENT, Via.CHILD, Via.CONNECTION]))
            line = len(starts) if via is Via.CONNECTION else None
            if line is not None:
                starts[line] = draw(st.sampled_from([source, row]))
            nodes.append(PlacedNode(row, ring, via, source, line))
    return nodes, starts


@settings(deadline=None, max_examples=80)
@given(
    result=results(),
    width=st.sampled_from([160.0, 780.0, 1600.0]),
    height=st.sampled_from([90.0, 250.0, 900.0]),
)
def test_no_box_or_label_lies_on_another_and_all_are_inside(
    result: tuple[list[PlacedNode], dict[int, int]], width: float, height: float
) -> None:
    nodes, starts = result
    layout = _laid_out(nodes, starts, (width, height))
    assert list(layout.spots) == [node.row for node in nodes]
    areas = []
    for spot in layout.spots.values():
        assert -1e-6 <= spot.x <= spot.right <= layout.width + 1e-6
        assert -1e-6 <= spot.y <= spot.y + NODE_HEIGHT <= layout.height + 1e-6
        left, right = spot.x, spot.right
        if spot.label_width:
            left, right = min(left, spot.label_x), max(right, spot.label_x + spot.label_width)
        areas.append((left, right, spot.y))
    for one, other in combinations(areas, 2):
        beside = one[1] <= other[0] + 1e-6 or other[1] <= one[0] + 1e-6
        assert beside or abs(one[2] - other[2]) >= NODE_HEIGHT


@settings(deadline=None, max_examples=50)
@given(result=results())
def test_a_ring_stands_outside_the_ring_before_it(
    result: tuple[list[PlacedNode], dict[int, int]],
) -> None:
    nodes, starts = result
    spots = _laid_out(nodes, starts).spots
    for node in nodes:
        spot = spots[node.row]
        if node.from_row is None:
            assert spot.side == MIDDLE
            continue
        source = spots[node.from_row]
        assert spot.side != MIDDLE
        if spot.side == RIGHT:
            assert spot.x > source.right
        else:
            assert spot.right < source.x


@settings(deadline=None, max_examples=50)
@given(result=results())
def test_every_step_leads_from_edge_to_edge(
    result: tuple[list[PlacedNode], dict[int, int]],
) -> None:
    nodes, starts = result
    layout = _laid_out(nodes, starts)
    assert [step.row for step in layout.steps] == [
        node.row for node in nodes if node.from_row is not None
    ]
    for step in layout.steps:
        source, target = layout.spots[step.from_row], layout.spots[step.row]
        first, last = step.points[0], step.points[-1]
        right = target.side == RIGHT
        assert first == (source.right if right else source.x, source.middle)
        assert last == (target.x if right else target.right, target.middle)


@settings(deadline=None, max_examples=30)
@given(result=results())
def test_the_same_result_is_drawn_the_same_way(
    result: tuple[list[PlacedNode], dict[int, int]],
) -> None:
    nodes, starts = result
    assert _laid_out(nodes, starts) == _laid_out(nodes, starts)


def test_what_leads_in_stands_left_and_what_is_led_to_stands_right() -> None:
    nodes = walked().result.expansion.nodes
    starts = {node.line: int(TOWN.from_rows[node.line]) for node in nodes if node.line is not None}
    sides = {TOWN.nodes[row].id: side for row, side in sides_of(nodes, starts).items()}
    assert sides == {"mill": MIDDLE, "town": LEFT, "attic": RIGHT, "miller": LEFT, "key": RIGHT}


def test_the_second_ring_goes_on_outwards_whatever_leads_there() -> None:
    nodes = walked(depth=ExpansionDepth.DEEP).result.expansion.nodes
    starts = {node.line: int(TOWN.from_rows[node.line]) for node in nodes if node.line is not None}
    sides = {TOWN.nodes[row].id: side for row, side in sides_of(nodes, starts).items()}
    assert (sides["far"], sides["second"]) == (LEFT, RIGHT)


def test_a_ring_is_broken_into_columns_of_the_shape_of_the_view() -> None:
    nodes = walked(wide(60), "hub", ExpansionDepth.SHALLOW).result.expansion.nodes
    for view in ((1200.0, 200.0), (400.0, 900.0)):
        layout = _laid_out(nodes, view=view)
        columns = {spot.x for spot in layout.spots.values()}
        assert len(columns) > 2
        ratio = (layout.width / layout.height) / (view[0] / view[1])
        assert 0.3 < ratio < 3


def test_nothing_is_drawn_of_nothing() -> None:
    assert lay_out([], {}, {}, {}, (100, 100)) == SubgraphLayout({}, (), 0.0, 0.0)
