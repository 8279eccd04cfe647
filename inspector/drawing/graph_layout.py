"""Where the nodes and exits of a graph are drawn: left to right, in layers. Knows no Qt.

The layers are those of Sugiyama's method: loops are opened at the exits that close them, each node
lies one layer behind its farthest predecessor, and the order within a layer is that of the
neighbours' means. A graph of more layers than fit side by side goes on in a band below, as text
goes on in the next line.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NODE_HEIGHT = 44.0
END_SIZE = 12.0
NARROWEST_GAP = 52.0
ROW_GAP = 26.0
BAND_GAP = 40.0
_LOOP_DROP = 16.0
_TURN = 14.0
_SWEEPS = 4
_MAX_BANDS = 4
END = ""
"""Target of an exit that ends the turn."""


class Exit(NamedTuple):
    """An exit of a node: the route's name and its target, "" for END."""

    node: str
    route: str
    target: str


class Point(NamedTuple):
    """A place; x to the right, y down."""

    x: float
    y: float


class Box(NamedTuple):
    """A rectangle by its top left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def middle(self) -> float:
        """The y of its middle."""
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Edge:
    """One drawn line: all exits of a node that lead to one target.

    points : from the source's right side to the target's left side; curves pass through them.
    is_loop : it leads back to an earlier layer, or to the node itself.
    """

    source: str
    target: str
    routes: tuple[str, ...]
    points: tuple[Point, ...]
    is_loop: bool = False
    is_angular: bool = False


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """The drawing. `boxes` by node name; `ends` by the name of the node whose exit ends there."""

    boxes: Mapping[str, Box]
    ends: Mapping[str, Box]
    edges: tuple[Edge, ...]
    width: float
    height: float


def lay_out(
    widths: Mapping[str, float],
    exits: Sequence[Exit],
    start: str,
    label_widths: Mapping[str, float],
    view: tuple[float, float],
) -> GraphLayout:
    """Lay a graph out.

    Parameters
    ----------
    widths : node name → width of its box, in the graph's order.
    exits : of all nodes; an exit that leads to no node of the graph is left out.
    start : the node where turns begin.
    label_widths : node name → width of the longest of its exits' names.
    view : width and height of the view; decides into how many bands the layers are broken.
    """
    known = [e for e in exits if e.node in widths and (e.target in widths or e.target == END)]
    grouped: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in known:
        grouped[item.node, item.target].append(item.route)
    layers = _layers(list(widths), list(grouped), start)
    best: GraphLayout | None = None
    best_scale = -1.0
    for bands in range(1, min(_MAX_BANDS, max(layers.values(), default=0) + 1) + 1):
        layout = _Drawing(widths, label_widths, grouped, layers, bands).layout()
        scale = min(view[0] / max(layout.width, 1.0), view[1] / max(layout.height, 1.0), 1.0)
        # A further band must pay: reading on in the next line is harder than reading on.
        if scale > best_scale * 1.15:
            best, best_scale = layout, scale
    return best or GraphLayout({}, {}, (), 0.0, 0.0)


def _layers(names: list[str], pairs: list[tuple[str, str]], start: str) -> dict[str, int]:
    """Return each node's layer: the longest way to it, without the exits that close a loop."""
    targets: dict[str, list[str]] = defaultdict(list)
    for source, target in pairs:
        if target != END:
            targets[source].append(target)
    order: list[str] = []
    closing: set[tuple[str, str]] = set()
    state: dict[str, int] = {}
    roots = [start, *names] if start in names else names
    for root in roots:
        if root in state:
            continue
        state[root] = 1
        stack = [(root, iter(targets[root]))]
        while stack:
            node, rest = stack[-1]
            child = next(rest, None)
            if child is None:
                state[node] = 2
                order.append(node)
                stack.pop()
            elif child not in state:
                state[child] = 1
                stack.append((child, iter(targets[child])))
            elif state[child] == 1:
                closing.add((node, child))
    layer = dict.fromkeys(names, 0)
    for node in reversed(order):
        for child in targets[node]:
            if (node, child) not in closing:
                layer[child] = max(layer[child], layer[node] + 1)
    return layer


class _Drawing:
    """One layout in a given number of bands."""

    def __init__(
        self,
        widths: Mapping[str, float],
        label_widths: Mapping[str, float],
        grouped: Mapping[tuple[str, str], list[str]],
        layers: Mapping[str, int],
        bands: int,
    ) -> None:
        self._widths = widths
        self._label_widths = label_widths
        self._grouped = grouped
        self._layers = layers
        count = max(layers.values(), default=0) + 1
        self._per_band = -(-count // bands)
        self._boxes: dict[str, Box] = {}
        self._ends: dict[str, Box] = {}
        self._floors: dict[int, float] = {}
        self._tops: dict[int, float] = {}
        self._column_right: dict[int, float] = {}
        self._right = 0.0

    def layout(self) -> GraphLayout:
        columns = self._ordered()
        top = 0.0
        for band in range(-(-len(columns) // self._per_band)):
            part = columns[band * self._per_band : (band + 1) * self._per_band]
            top = self._place_band(part, band, top)
        edges = self._edges()
        bottom = max(
            [b.y + b.height for b in self._boxes.values()] + [p.y for e in edges for p in e.points],
            default=0.0,
        )
        right = max([self._right] + [p.x for e in edges for p in e.points])
        left = min([0.0] + [p.x for e in edges for p in e.points])
        highest = min([0.0] + [p.y for e in edges for p in e.points])

        def moved(box: Box) -> Box:
            return box._replace(x=box.x - left, y=box.y - highest)

        return GraphLayout(
            {name: moved(box) for name, box in self._boxes.items()},
            {name: moved(box) for name, box in self._ends.items()},
            tuple(
                replace(e, points=tuple(Point(p.x - left, p.y - highest) for p in e.points))
                for e in edges
            ),
            right - left,
            bottom - highest,
        )

    def _ordered(self) -> list[list[str]]:
        """Return the nodes layer by layer, each layer in an order with few crossings."""
        columns: list[list[str]] = [[] for _ in range(max(self._layers.values(), default=-1) + 1)]
        for name, layer in self._layers.items():
            columns[layer].append(name)
        before: dict[str, list[str]] = defaultdict(list)
        after: dict[str, list[str]] = defaultdict(list)
        for source, target in self._grouped:
            if target in self._layers and self._layers[source] < self._layers[target]:
                before[target].append(source)
                after[source].append(target)
        for sweep in range(_SWEEPS):
            neighbours = before if sweep % 2 == 0 else after
            place = {name: index for column in columns for index, name in enumerate(column)}
            for column in columns if sweep % 2 == 0 else reversed(columns):
                means = {
                    name: _mean([place[n] for n in neighbours[name]], place[name])
                    for name in column
                }
                column.sort(key=means.__getitem__)
                place.update({name: index for index, name in enumerate(column)})
        return columns

    def _place_band(self, columns: list[list[str]], band: int, top: float) -> float:
        """Place the boxes of one band; return where the next may begin."""
        tallest = max((len(column) for column in columns), default=0)
        height = tallest * NODE_HEIGHT + (tallest - 1) * ROW_GAP
        x = 0.0
        for column in columns:
            width = max(self._widths[name] for name in column)
            gap = max(self._room_for_labels(name) for name in column)
            self._column_right[self._layers[column[0]]] = x + width
            used = len(column) * NODE_HEIGHT + (len(column) - 1) * ROW_GAP
            y = top + (height - used) / 2
            for name in column:
                self._boxes[name] = Box(x, y, self._widths[name], NODE_HEIGHT)
                if (name, END) in self._grouped:
                    self._add_end(name)
                y += NODE_HEIGHT + ROW_GAP
            self._right = max(self._right, x + width)
            x += width + gap
        self._tops[band], self._floors[band] = top, top + height
        return top + height + BAND_GAP

    def _room_for_labels(self, name: str) -> float:
        room = self._label_widths.get(name, 0.0) + 24
        if (name, END) in self._grouped:
            room += END_SIZE + 18
        return max(room, NARROWEST_GAP)

    def _add_end(self, name: str) -> None:
        box = self._boxes[name]
        x = box.x + box.width + self._label_widths.get(name, 0.0) + 22
        only = sum(1 for source, _ in self._grouped if source == name) == 1
        y = box.middle if only else box.y + box.height - 4
        self._ends[name] = Box(x, y - END_SIZE / 2, END_SIZE, END_SIZE)
        self._right = max(self._right, x + END_SIZE)

    def _edges(self) -> list[Edge]:
        edges: list[Edge] = []
        for name in self._boxes:
            targets = [target for source, target in self._grouped if source == name]
            targets.sort(key=lambda target: self._end_or_box(name, target).middle)
            for index, target in enumerate(targets):
                port = (index + 1) / (len(targets) + 1)
                edges.append(self._edge(name, target, port, len(edges)))
        return edges

    def _end_or_box(self, name: str, target: str) -> Box:
        return self._ends[name] if target == END else self._boxes[target]

    def _edge(self, name: str, target: str, port: float, number: int) -> Edge:
        routes = tuple(self._grouped[name, target])
        box, goal = self._boxes[name], self._end_or_box(name, target)
        start = Point(box.x + box.width, box.y + box.height * port)
        finish = Point(goal.x, goal.middle)
        if target == END:
            return Edge(name, target, routes, (start, finish))
        here, there = self._layers[name], self._layers[target]
        band, next_band = here // self._per_band, there // self._per_band
        if there <= here or band != next_band:
            return Edge(
                name,
                target,
                routes,
                self._around(start, finish, here, there, number),
                is_loop=there <= here,
                is_angular=True,
            )
        return Edge(name, target, routes, self._through(start, finish, here, there))

    def _through(self, start: Point, finish: Point, here: int, there: int) -> tuple[Point, ...]:
        """Lead a line past the layers between: through the gap nearest to the straight way."""
        points = [start]
        for layer in range(here + 1, there):
            column = [self._boxes[n] for n, at in self._layers.items() if at == layer]
            if not column:
                continue
            left = min(box.x for box in column)
            right = max(box.x + box.width for box in column)
            share = ((left + right) / 2 - start.x) / (finish.x - start.x)
            y = _free_y(start.y + share * (finish.y - start.y), column)
            points += [Point(left - _TURN, y), Point(right + _TURN, y)]
        return (*points, finish)

    def _around(
        self, start: Point, finish: Point, here: int, there: int, number: int
    ) -> tuple[Point, ...]:
        """Lead a line below its band, and where its target is not just below, round the left."""
        shift = (number % 3) * 5
        right = self._column_right[here] + _TURN + shift
        lane = self._floors[here // self._per_band] + _LOOP_DROP + shift
        left = finish.x - 2 * _TURN - shift
        points = [start, Point(right, start.y), Point(right, lane)]
        band, goal = here // self._per_band, there // self._per_band
        if goal not in (band, band + 1):
            above = self._tops[goal] - _LOOP_DROP + shift
            points += [
                Point(-2 * _TURN - shift, lane),
                Point(-2 * _TURN - shift, above),
                Point(left, above),
            ]
        else:
            points.append(Point(left, lane))
        return (*points, Point(left, finish.y), finish)


def _free_y(wanted: float, column: list[Box]) -> float:
    """Return the y nearest to `wanted` that runs through none of the boxes."""
    clear = ROW_GAP / 2
    candidates = [wanted]
    for box in column:
        candidates += [box.y - clear, box.y + box.height + clear]
    free = [
        y
        for y in candidates
        if all(y <= b.y - clear or y >= b.y + b.height + clear for b in column)
    ]
    return min(free, key=lambda y: abs(y - wanted))


def _mean(places: list[int], otherwise: float) -> float:
    return sum(places) / len(places) if places else otherwise
