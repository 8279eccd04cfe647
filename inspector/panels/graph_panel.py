"""The graph: nodes and exits from left to right, the path of the turn lit."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QPainter
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QToolButton, QWidget

from core.graph.checks import exit_targets
from inspector import theme as themes
from inspector.models.graph_layout import Exit, GraphLayout, lay_out
from inspector.widgets.empty_state import paint_empty_state
from inspector.widgets.graph_items import EdgeItem, EndItem, Look, NodeItem, label_width, node_width

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QPaintEvent, QResizeEvent, QWheelEvent

    from core.graph.description import GraphDescription
    from core.turn import Turn
    from inspector.theme import Theme

_MARGIN_PX = 12.0
_LARGEST_FIT = 1.15
_SMALLEST_FIT = 0.66
_ZOOM_RANGE = (0.2, 4.0)
_ZOOM_STEP = 1.2
_WAYS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1),
         Qt.Key.Key_Down: (0, 1)}


class GraphPanel(QGraphicsView):
    """Ctrl+wheel or pinch zooms, dragging pans, arrows move between nodes, Enter picks one.

    Signals
    -------
    node_activated(str) : a node was double-clicked, or Enter pressed on it.
    """

    node_activated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = themes.LIGHT
        self._nodes: dict[str, NodeItem] = {}
        self._ends: dict[str, EndItem] = {}
        self._edges: list[EdgeItem] = []
        self._graph: GraphDescription | None = None
        self._turn: Turn | None = None
        self._current = ""
        self._cursor = ""
        self._is_fitted = True
        self._pressed_at: QPoint | None = None
        self.setObjectName("graphView")
        self.setAccessibleName("Graph")
        self.setScene(QGraphicsScene(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._fit_button = QToolButton(self)
        self._fit_button.setObjectName("fitButton")
        self._fit_button.setAccessibleName("Fit the graph")
        self._fit_button.setToolTip("Show the whole graph (0). Ctrl+wheel zooms, dragging pans")
        self._fit_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._fit_button.clicked.connect(self.fit)
        self._fit_button.adjustSize()
        self.apply_theme(self._theme)

    def show_graph(self, graph: GraphDescription | None) -> None:
        """Draw a graph; the zoom stays while its shape does."""
        before = self._shape()
        self._graph = graph
        self._draw()
        if self._shape() != before:
            self._auto_fit()

    def show_turn(self, turn: Turn | None) -> None:
        """Light the path of a turn, or nothing."""
        self._turn = turn
        self._light()

    def set_current_node(self, name: str) -> None:
        """Outline the node in hand and move the keyboard's cursor there."""
        self._current = self._cursor = name
        self._outline()

    def fit(self) -> None:
        """Show all of the graph."""
        self._is_fitted = True
        self._fit(smallest=0.0)

    def zoom(self, factor: float) -> None:
        """Scale the drawing, within limits."""
        wanted = self.transform().m11() * factor
        allowed = min(max(wanted, _ZOOM_RANGE[0]), _ZOOM_RANGE[1])
        self._is_fitted = False
        self.scale(allowed / self.transform().m11(), allowed / self.transform().m11())

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme
        self._fit_button.setIcon(themes.icon("fit", theme.muted))
        look = self._look()
        for node in self._nodes.values():
            node.set_look(look)
        for end in self._ends.values():
            end.set_look(look)
        for edge in self._edges:
            edge.set_look(look)
        self.viewport().update()

    @property
    def lit_path(self) -> tuple[tuple[str, str], ...]:
        """The (node, exit) pairs that are lit, as drawn."""
        return tuple((edge.edge.source, route) for edge in self._edges
                     for route in edge.edge.routes if route in edge.lit_routes)

    def node_item(self, name: str) -> NodeItem | None:
        """Return what a node is drawn with."""
        return self._nodes.get(name)

    def _look(self) -> Look:
        return Look.of(self._theme, self.font())

    def _shape(self) -> object:
        if self._graph is None:
            return None
        return [(node.name, node.type, exit_targets(node)) for node in self._graph.nodes]

    def _draw(self) -> None:
        self.scene().clear()
        self._nodes, self._ends, self._edges = {}, {}, []
        if self._graph is not None:
            self._add_items(self._graph)
        self._light()
        self._outline()

    def _add_items(self, graph: GraphDescription) -> None:
        look = self._look()
        kinds = {node.name: node.type for node in graph.nodes}
        widths = {name: node_width(name, kind, look) for name, kind in kinds.items()}
        exits = [Exit(node.name, route, target) for node in graph.nodes
                 for route, target in exit_targets(node).items()]
        size = self.viewport().size()
        labels = {node.name: label_width(exit_targets(node), look) for node in graph.nodes}
        layout = lay_out(widths, exits, graph.start_node, labels,
                         (max(size.width(), 100), max(size.height(), 60)))
        self._add_edges(layout, look)
        for name, box in layout.ends.items():
            self._ends[name] = EndItem(box, look)
            self.scene().addItem(self._ends[name])
        for name, box in layout.boxes.items():
            self._nodes[name] = NodeItem(name, kinds[name], box, look)
            self.scene().addItem(self._nodes[name])
        self.scene().setSceneRect(self.scene().itemsBoundingRect().adjusted(
            -_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX))

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
            node.set_current(name == self._current)
            node.set_cursor_here(name == self._cursor and self.hasFocus())
        self._describe()

    def _describe(self) -> None:
        node = self._nodes.get(self._cursor)
        self.setAccessibleDescription(node.words if node is not None else "")

    def _auto_fit(self) -> None:
        self._is_fitted = True
        self._fit(smallest=_SMALLEST_FIT)

    def _fit(self, smallest: float) -> None:
        rect = self.scene().sceneRect()
        if not self._nodes or rect.isEmpty():
            return
        room = self.viewport().size()
        scale = min(room.width() / rect.width(), room.height() / rect.height(), _LARGEST_FIT)
        scale = max(scale, smallest, _ZOOM_RANGE[0])
        self.resetTransform()
        self.scale(scale, scale)
        self.centerOn(rect.center())
        start = self._nodes.get(self._cursor) or next(iter(self._nodes.values()))
        if scale == smallest:
            self.ensureVisible(start, 30, 20)

    def _move_cursor(self, dx: int, dy: int) -> None:
        here = self._nodes.get(self._cursor)
        if here is None:
            self._cursor = next(iter(self._nodes), "")
        else:
            place = here.sceneBoundingRect().center()
            best, best_cost = self._cursor, math.inf
            for name, node in self._nodes.items():
                way = node.sceneBoundingRect().center() - place
                ahead, aside = way.x() * dx + way.y() * dy, abs(way.x() * dy) + abs(way.y() * dx)
                # Ahead means within 60° of the arrow's way.
                if ahead > 1 and aside < 1.8 * ahead and ahead + 2 * aside < best_cost:
                    best, best_cost = name, ahead + 2 * aside
            self._cursor = best
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
            paint_empty_state(self, self._theme, "No graph is open",
                              "Open a graph, or a knowledge file to get one of two nodes")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the graph in sight unless the user has zoomed."""
        super().resizeEvent(event)
        hint = self._fit_button.sizeHint()
        self._fit_button.setGeometry(self.width() - hint.width() - 16, 6, hint.width(),
                                     hint.height())
        if self._is_fitted and self._nodes:
            self._draw()
            self._auto_fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Note where a click or a drag begins."""
        self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Move the cursor to a node that was clicked."""
        super().mouseReleaseEvent(event)
        place = event.position().toPoint()
        if self._pressed_at is not None and (place - self._pressed_at).manhattanLength() < 4:
            node = self._node_at(place)
            if node is not None:
                self._cursor = node.name
                self._outline()
        else:
            self._is_fitted = False

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Pick the node."""
        node = self._node_at(event.position().toPoint())
        if node is not None:
            self._cursor = node.name
            self.node_activated.emit(node.name)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom with Ctrl, else scroll."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(_ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Zoom with a pinch."""
        if isinstance(event, QNativeGestureEvent) and (
                event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture):
            self.zoom(1 + event.value())
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between nodes, pick one, zoom."""
        key = Qt.Key(event.key())
        if key in _WAYS:
            self._move_cursor(*_WAYS[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._cursor in self._nodes:
            self.node_activated.emit(self._cursor)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_ZOOM_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _ZOOM_STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
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

    def minimumSizeHint(self) -> QSize:
        """Ask for room for one node."""
        return QSize(160, 90)
