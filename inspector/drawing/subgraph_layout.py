"""Where the nodes of a subgraph are drawn: matches in the middle, rings to both sides. No Qt.

What leads into a match (its parents, and connections that end at it) stands to its left, what it
leads to (children, and connections that start at it) to its right; the second ring goes on
outwards on the same side. A ring of many nodes is broken into several columns, so that the
drawing has about the shape of the view. Beside every node, on the side of the node that led to
it, there is room for the label of what leads there, so that no label ever lies on another.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from core.subgraph.expand import Via

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from core.subgraph.expand import PlacedNode

NODE_HEIGHT = 24.0
ROW_HEIGHT = 32.0
CURVE_WIDTH = 34.0
LEFT, MIDDLE, RIGHT = -1, 0, 1
_LARGEST_SCALE = 1.0


class Spot(NamedTuple):
    """Where one node is drawn; x to the right, y down.

    x, y : its top left corner.
    side : LEFT, MIDDLE or RIGHT of the matches.
    label_x, label_width : the room for the label of what leads to it; width 0 for a match.
    """

    row: int
    ring: int
    x: float
    y: float
    width: float
    side: int
    label_x: float = 0.0
    label_width: float = 0.0

    @property
    def middle(self) -> float:
        """The y of its middle."""
        return self.y + NODE_HEIGHT / 2

    @property
    def right(self) -> float:
        """The x of its right edge."""
        return self.x + self.width


@dataclass(frozen=True, slots=True)
class Step:
    """The line that leads to a node from the node that the walk came from.

    points : corners from that node's edge to this node's; curves pass through them.
    """

    from_row: int
    row: int
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class SubgraphLayout:
    """The drawing: nodes in the order of the result, and the lines of the walk."""

    spots: Mapping[int, Spot]
    steps: tuple[Step, ...]
    width: float
    height: float


def sides_of(nodes: Iterable[PlacedNode], starts: Mapping[int, int]) -> dict[int, int]:
    """Return the side of each node by its row.

    Parameters
    ----------
    nodes : of the result, in its order: a node comes after the one that led to it.
    starts : line of a connection → row of the node where it starts.
    """
    sides: dict[int, int] = {}
    for node in nodes:
        if node.from_row is None:
            sides[node.row] = MIDDLE
        elif sides[node.from_row] != MIDDLE:
            sides[node.row] = sides[node.from_row]
        elif node.via is Via.PARENT or (node.line is not None and starts[node.line] == node.row):
            sides[node.row] = LEFT
        else:
            sides[node.row] = RIGHT
    return sides


def lay_out(
    nodes: Sequence[PlacedNode],
    sides: Mapping[int, int],
    widths: Mapping[int, float],
    label_widths: Mapping[int, float],
    view: tuple[float, float],
) -> SubgraphLayout:
    """Lay the result of a walk out. Deterministic; takes time in proportion to the nodes.

    Parameters
    ----------
    nodes : in the order of the result.
    sides : of each row (`sides_of`).
    widths, label_widths : of each row's box and label, in the drawing's units.
    view : width and height of the view, whose shape decides how tall a column may get.
    """
    groups = _groups(nodes, sides)
    if not groups:
        return SubgraphLayout({}, (), 0.0, 0.0)
    # Only these lengths break a group into another number of columns than a shorter one does.
    lengths = {
        -(-len(group) // count) for group in groups.values() for count in range(1, len(group) + 1)
    }
    best, best_scale = 1, -1.0
    for rows in sorted(lengths):
        width, height = _size(groups, rows, widths, label_widths)
        scale = min(view[0] / width, view[1] / height, _LARGEST_SCALE)
        # Fewer columns where it makes no difference: short lines are easier to follow.
        if scale >= best_scale:
            best, best_scale = rows, scale
    return _Drawing(groups, best, widths, label_widths).layout(nodes)


_Groups = dict[tuple[int, int], list[int]]
"""(side, ring) → rows from top to bottom and outwards."""


def _groups(nodes: Sequence[PlacedNode], sides: Mapping[int, int]) -> _Groups:
    """Group the nodes, those that one node led to together, in that node's order."""
    groups: _Groups = defaultdict(list)
    place: dict[int, int] = {}
    for ring in sorted({node.ring for node in nodes}):
        for node in sorted(
            (n for n in nodes if n.ring == ring),
            key=lambda n: place.get(-1 if n.from_row is None else n.from_row, 0),
        ):
            groups[sides[node.row], ring].append(node.row)
        for group in groups.values():
            place.update({row: number for number, row in enumerate(group)})
    return dict(groups)


def _columns(group: Sequence[int], rows: int) -> list[list[int]]:
    """Break a group into columns of nearly equal length, of at most `rows`."""
    if not group:
        return []
    count = -(-len(group) // rows)
    length = -(-len(group) // count)
    return [list(group[start : start + length]) for start in range(0, len(group), length)]


def _widest(rows: Iterable[int], widths: Mapping[int, float]) -> float:
    return max(widths[row] for row in rows)


def _size(
    groups: _Groups, rows: int, widths: Mapping[int, float], label_widths: Mapping[int, float]
) -> tuple[float, float]:
    width, height = 0.0, 0.0
    for (side, _), group in groups.items():
        for column in _columns(group, rows):
            width += _widest(column, widths) + CURVE_WIDTH
            width += _widest(column, label_widths) if side != MIDDLE else 0.0
            height = max(height, len(column) * ROW_HEIGHT)
    return width, height


class _Drawing:
    """One layout with columns of a given length."""

    def __init__(
        self,
        groups: _Groups,
        rows: int,
        widths: Mapping[int, float],
        label_widths: Mapping[int, float],
    ) -> None:
        self._groups = groups
        self._rows = rows
        self._widths = widths
        self._label_widths = label_widths
        self._spots: dict[int, Spot] = {}
        self._inner: dict[int, tuple[float, bool]] = {}
        self._edges = {LEFT: 0.0, RIGHT: 0.0}

    def layout(self, nodes: Sequence[PlacedNode]) -> SubgraphLayout:
        self._place_matches()
        for side in (LEFT, RIGHT):
            for ring in (1, 2):
                columns = _columns(self._groups.get((side, ring), []), self._rows)
                for number, column in enumerate(columns):
                    self._place_column(column, side, ring, first=number == 0)
        left = self._edges[LEFT]
        top = min(spot.y for spot in self._spots.values())
        spots = {
            node.row: self._spots[node.row]._replace(
                x=self._spots[node.row].x - left,
                y=self._spots[node.row].y - top,
                label_x=self._spots[node.row].label_x - left,
            )
            for node in nodes
        }
        steps = tuple(
            self._step(spots, node.from_row, node.row, left)
            for node in nodes
            if node.from_row is not None
        )
        height = max(spot.y for spot in spots.values()) + NODE_HEIGHT
        return SubgraphLayout(spots, steps, self._edges[RIGHT] - left, height)

    def _place_matches(self) -> None:
        columns = _columns(self._groups.get((MIDDLE, 0), []), self._rows)
        x = 0.0
        for number, column in enumerate(columns):
            x += CURVE_WIDTH if number else 0.0
            width = _widest(column, self._widths)
            for row, y in zip(column, self._tops(len(column)), strict=True):
                self._spots[row] = Spot(row, 0, x, y, self._widths[row], MIDDLE)
            x += width
        self._edges[RIGHT] = x

    def _place_column(self, column: list[int], side: int, ring: int, *, first: bool) -> None:
        width = _widest(column, self._widths)
        label = _widest(column, self._label_widths)
        edge = self._edges[side]
        inner = edge + side * CURVE_WIDTH
        for row, y in zip(column, self._tops(len(column)), strict=True):
            own = self._widths[row]
            if side == RIGHT:
                x, label_x = inner + label, inner
            else:
                x, label_x = inner - label - own, inner - label
            self._spots[row] = Spot(row, ring, x, y, own, side, label_x, label)
            self._inner[row] = (edge, first)
        self._edges[side] = inner + side * (label + width)

    def _step(self, spots: Mapping[int, Spot], from_row: int, row: int, left: float) -> Step:
        """Lead a line from edge to edge, past the columns between in the gaps between rows."""
        source, target = spots[from_row], spots[row]
        side = target.side
        start = (source.right if side == RIGHT else source.x, source.middle)
        finish = (target.x if side == RIGHT else target.right, target.middle)
        edge, first = self._inner[row]
        edge -= left
        inner = edge + side * CURVE_WIDTH
        if first and abs(start[0] - edge) < CURVE_WIDTH:
            return Step(from_row, row, (start, (inner, target.middle), finish))
        gap = target.middle - ROW_HEIGHT / 2
        beside = start[0] + side * CURVE_WIDTH
        return Step(
            from_row, row, (start, (beside, gap), (edge, gap), (inner, target.middle), finish)
        )

    def _tops(self, count: int) -> list[float]:
        """Return the y of each of `count` nodes, in the middle; all columns share one grid."""
        first = (self._rows - count) // 2
        return [(first + number) * ROW_HEIGHT for number in range(count)]
