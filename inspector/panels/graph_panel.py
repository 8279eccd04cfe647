"""The graph: nodes and exits from left to right, the path of the turn lit."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal

from inspector import theme as themes
from inspector.drawing.graph_layout import Exit, GraphLayout, lay_out
from inspector.widgets.empty_state import paint_empty_state
from inspector.widgets.graph_items import EdgeItem, EndItem, NodeItem, label_width, node_width
from inspector.widgets.parts import named
from inspector.widgets.zoom_view import WAYS, ZoomView, next_toward

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QGraphicsItem, QWidget

    from core.agent.description import GraphDescription
    from core.agent.turn import Turn
    from inspector.widgets.zoom_view import Look

_MARGIN_PX = 12.0


class GraphPanel(ZoomView):
    """Ctrl+wheel or pinch zooms, dragging pans, arrows move between nodes, Enter picks one.

    Signals
    -------
    node_activated(str) : a node was clicked, or Enter pressed on it.
    """

    node_activated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("graph", parent)
        self._nodes: dict[str, NodeItem] = {}
        self._ends: dict[str, EndItem] = {}
        self._edges: list[EdgeItem] = []
        self._graph: GraphDescription | None = None
        self._turn: Turn | None = None
        self._current = ""
        self._cursor = ""
        named(self, "graphView", "Graph")
        themes.spread(self, self._theme)

    def show_graph(self, graph: GraphDescription | None) -> None:
        """Draw a graph; the zoom stays while its shape does."""
        before = self._shape()
        self._graph = graph
        if self._shape() != before:
            self._draw()
            self.auto_fit()

    def show_turn(self, turn: Turn | None) -> None:
        """Light the path of a turn, or nothing."""
        self._turn = turn
        self._light()

    def set_current_node(self, name: str) -> None:
        """Outline the node in hand and move the keyboard's cursor there."""
        self._current = self._cursor = name
        self._outline()

    def _shape(self) -> object:
        if self._graph is None:
            return None
        return [(node.name, node.type, node.params.exit_targets()) for node in self._graph.nodes]

    def home(self) -> QGraphicsItem | None:
        """Return the node that the keyboard is at, or the first."""
        return self._nodes.get(self._cursor) or next(iter(self._nodes.values()), None)

    def redraw(self) -> None:
        """Lay out for the present size of the view."""
        self._draw()

    def clicked(self, place: QPoint) -> None:
        """Pick a node that was clicked."""
        node = self._node_at(place)
        if node is not None:
            self._cursor = node.name
            self._outline()
            self.node_activated.emit(node.name)

    def _draw(self) -> None:
        self.scene().clear()
        self._nodes, self._ends, self._edges = {}, {}, []
        if self._graph is not None:
            self._add_items(self._graph)
        self._light()
        self._outline()

    def _add_items(self, graph: GraphDescription) -> None:
        look = self.look()
        kinds = {node.name: node.type for node in graph.nodes}
        widths = {name: node_width(name, kind, look) for name, kind in kinds.items()}
        exits = [
            Exit(node.name, route, target)
            for node in graph.nodes
            for route, target in node.params.exit_targets().items()
        ]
        size = self.viewport().size()
        labels = {node.name: label_width(node.params.exit_targets(), look) for node in graph.nodes}
        layout = lay_out(
            widths,
            exits,
            graph.start_node,
            labels,
            (max(size.width(), 100), max(size.height(), 60)),
        )
        self._add_edges(layout, look)
        for name, box in layout.ends.items():
            self._ends[name] = EndItem(box, look)
            self.scene().addItem(self._ends[name])
        for name, box in layout.boxes.items():
            self._nodes[name] = NodeItem(name, kinds[name], box, look)
            self.scene().addItem(self._nodes[name])
        self.scene().setSceneRect(
            self.scene()
            .itemsBoundingRect()
            .adjusted(-_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX)
        )

    def _add_edges(self, layout: GraphLayout, look: Look) -> None:
        leaving: dict[str, int] = defaultdict(int)
        for edge in layout.edges:
            item = EdgeItem(edge, below=leaving[edge.source] > 0, look=look)
            leaving[edge.source] += 1
            self._edges.append(item)
            self.scene().addItem(item)
            for label in item.labels:
                self.scene().addItem(label)

    def _light(self) -> None:
        runs = self._turn.runs if self._turn is not None else ()
        steps: dict[str, list[int]] = defaultdict(list)
        taken: dict[str, set[str]] = defaultdict(set)
        simulated = {run.name for run in runs if run.simulated}
        for number, run in enumerate(runs, start=1):
            steps[run.name].append(number)
            taken[run.name].add(run.exit)
        for name, node in self._nodes.items():
            node.set_steps(tuple(steps.get(name, ())), simulated=name in simulated)
        for edge in self._edges:
            edge.set_lit(taken.get(edge.edge.source, ()))
        last = runs[-1].name if runs and not runs[-1].next else ""
        for name, end in self._ends.items():
            end.set_lit(name == last)
        self._describe()

    def _outline(self) -> None:
        for name, node in self._nodes.items():
            node.set_outline(
                current=name == self._current, cursor=name == self._cursor and self.hasFocus()
            )
        self._describe()

    def _describe(self) -> None:
        node = self._nodes.get(self._cursor)
        self.setAccessibleDescription(node.words if node is not None else "")

    def _move_cursor(self, key: Qt.Key) -> None:
        places = {name: node.sceneBoundingRect() for name, node in self._nodes.items()}
        self._cursor = next_toward(places, self._cursor or None, key) or ""
        self._outline()
        node_here = self._nodes.get(self._cursor)
        if node_here is not None:
            self.ensureVisible(node_here, 20, 20)

    def _node_at(self, place: QPoint) -> NodeItem | None:
        item = self.itemAt(place)
        return item if isinstance(item, NodeItem) else None

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the graph, or say that there is none."""
        super().paintEvent(event)
        if not self._nodes:
            paint_empty_state(
                self,
                self._theme,
                "No graph is open",
                "Open a graph, or a knowledge file to get one of two nodes",
            )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Pick the node, as one click does."""
        self.clicked(event.position().toPoint())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between nodes, pick one, zoom."""
        key = Qt.Key(event.key())
        if key in WAYS:
            self._move_cursor(key)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor in self._nodes:
            self.node_activated.emit(self._cursor)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the keyboard is."""
        super().focusInEvent(event)
        self._outline()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide where the keyboard was."""
        super().focusOutEvent(event)
        self._outline()
