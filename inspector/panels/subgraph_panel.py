"""The result of a subgraph retrieval as a drawing: matches, rings, labelled connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPainterPath
from PySide6.QtWidgets import QToolTip

from core.hits.numbers import in_detail
from core.subgraph.expand import Via
from inspector import theme as themes
from inspector.drawing.subgraph_layout import LEFT, NODE_HEIGHT, lay_out, sides_of
from inspector.drawing.words import match_words, tooltip
from inspector.widgets.empty_state import paint_empty_state
from inspector.widgets.parts import named
from inspector.widgets.subgraph_items import (
    LinesItem,
    NoteItem,
    SubgraphNode,
    bow,
    box_width,
    label_width,
)
from inspector.widgets.zoom_view import WAYS, ZoomView, curve, next_toward

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QShowEvent
    from PySide6.QtWidgets import QGraphicsItem, QWidget

    from core.subgraph.expand import PlacedNode
    from core.subgraph.listing import SubgraphListing
    from inspector.drawing.subgraph_layout import SubgraphLayout
    from inspector.theme import Theme

_MARGIN_PX = 14.0
_CAPTION_PX = 22
_MOST_OTHER_LINES = 120
"""Connections besides those of the walk; of more only those of the node in hand are drawn."""
_MOST_NOTES = 24
_CROWDED = 120


class SubgraphPanel(ZoomView):
    """The wheel zooms, dragging pans, a click or the arrows take a node in hand.

    Signals
    -------
    node_selected(int) : a node was taken in hand here; its row in the knowledge graph.
    node_activated(int) : it was double-clicked, or Enter pressed on it.
    """

    node_selected = Signal(int)
    node_activated = Signal(int)
    font_sizes = (0.94, 0.82)
    smallest_fit = 0.62
    wheel_zooms = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("subgraph", parent)
        self._listing: SubgraphListing | None = None
        self._layout: SubgraphLayout | None = None
        self._nodes: dict[int, SubgraphNode] = {}
        self._notes: list[NoteItem] = []
        self._in_hand: int | None = None
        self._is_stale = False
        self._empty = ("No subgraph yet", "Ask a question of a RetrieveSubgraph node")
        named(self, "subgraphView", "Subgraph")
        self._make_lines()
        themes.spread(self, self._theme)

    # What is shown

    def show_result(self, listing: SubgraphListing | None) -> None:
        """Draw the nodes that a retrieval put into the prompt; None = nothing was searched."""
        if listing is self._listing and listing is not None:
            return
        self._listing = listing
        self._is_stale = True
        self._catch_up()

    def _catch_up(self) -> None:
        if self._is_stale and self.isVisible():
            self._refresh()

    def set_empty_text(self, title: str, hint: str = "") -> None:
        """Say what is shown when there is no node."""
        self._empty = (title, hint)
        self.viewport().update()

    def select_node(self, row: int | None) -> None:
        """Take a node in hand by its row, without a signal; one that is not drawn clears it."""
        self._in_hand = row
        self._mark()
        item = self._nodes.get(-1 if row is None else row)
        if item is not None:
            self.ensureVisible(item, 24, 12)

    @property
    def caption(self) -> str:
        """What is said below the drawing: how many nodes and connections, and what is left out."""
        if self._listing is None or not len(self._listing.hit_rows):
            return ""
        counts, note = self._listing.counts, self._listing.result.expansion.note
        parts = [_count(counts.matches, "match", "matches")]
        added = counts.nodes_in_result - min(counts.matches, counts.nodes_in_result)
        if added:
            parts.append(f"{added:,} around them")
        if counts.connections:
            parts.append(_count(counts.connections, "connection", "connections"))
        return " · ".join(parts) + (f" · {note}" if note else "")

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self.setBackgroundBrush(theme.panel)
        self._color_steps()
        self._others.set_color(themes.mix(theme.panel, theme.muted, 0.35))
        self._lit.set_color(theme.accent)
        self._mark()

    def _color_steps(self) -> None:
        is_crowded = len(self._nodes) > _CROWDED
        self._steps.set_color(
            themes.mix(self._theme.line, self._theme.muted, 0.1 if is_crowded else 0.4)
        )

    def _make_lines(self) -> None:
        self._others = LinesItem(0, 1.0, Qt.PenStyle.DotLine)
        self._steps = LinesItem(1, 1.2, Qt.PenStyle.SolidLine)
        self._lit = LinesItem(1.5, 1.8, Qt.PenStyle.SolidLine)
        for lines in (self._others, self._steps, self._lit):
            self.scene().addItem(lines)

    # Drawing

    def home(self) -> QGraphicsItem | None:
        """Return the node in hand, or the first match."""
        return self._nodes.get(-1 if self._in_hand is None else self._in_hand) or next(
            iter(self._nodes.values()), None
        )

    def redraw(self) -> None:
        """Lay out for the present size of the view."""
        for item in self._nodes.values():
            self.scene().removeItem(item)
        self._nodes = {}
        listing = self._listing
        if listing is not None and len(listing.hit_rows):
            self._draw(listing)
        else:
            self._layout = None
            for lines in (self._steps, self._others):
                lines.set_paths(())
        self._mark()

    def _refresh(self) -> None:
        self._is_stale = False
        self.redraw()
        if self._is_fitted:
            self.auto_fit()
        self._describe()

    def _draw(self, listing: SubgraphListing) -> None:
        graph, nodes, look = listing.result.graph, listing.result.expansion.nodes, self.look()
        starts = {
            node.line: int(graph.from_rows[node.line]) for node in nodes if node.line is not None
        }
        sides = sides_of(nodes, starts)
        titles = {node.row: graph.nodes[node.row].title for node in nodes}
        labels = {node.row: self._label(listing, node, sides[node.row]) for node in nodes}
        room = self.viewport().size()
        self._layout = layout = lay_out(
            nodes,
            sides,
            {
                row: box_width(title, look, is_match=sides[row] == 0)
                for row, title in titles.items()
            },
            {row: label_width(label, look) for row, label in labels.items()},
            (
                max(room.width() - 2 * _MARGIN_PX, 100),
                max(room.height() - 2 * _MARGIN_PX - _CAPTION_PX, 60),
            ),
        )
        for place, (row, spot) in enumerate(layout.spots.items()):
            self._nodes[row] = SubgraphNode(spot, titles[row], labels[row], place, look)
            self.scene().addItem(self._nodes[row])
        self._steps.set_paths(curve(step.points) for step in layout.steps)
        self._color_steps()
        self._draw_others(listing)
        self.scene().setSceneRect(
            QRectF(0, 0, layout.width, layout.height).adjusted(
                -_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX + _CAPTION_PX
            )
        )

    def _label(self, listing: SubgraphListing, node: PlacedNode, side: int) -> str:
        """Return what leads to a node, with an arrow that points as the connection does."""
        if node.line is None:
            return {Via.PARENT: "parent", Via.CHILD: "child"}.get(node.via, "")
        graph = listing.result.graph
        starts_here = int(graph.from_rows[node.line]) == node.row
        label = graph.connections[node.line].label
        # A line to the left of the matches that starts at its outer end points right.
        points_right = starts_here == (side == LEFT)
        return f"{label} →" if points_right else f"← {label}"

    def _draw_others(self, listing: SubgraphListing) -> None:
        lines = self._other_lines(listing)
        shown = lines if len(lines) <= _MOST_OTHER_LINES else []
        self._others.set_paths(self._bow(listing, line)[0] for line in shown)

    def _other_lines(self, listing: SubgraphListing) -> list[int]:
        """Return the connections that the walk did not take, but which join drawn nodes."""
        taken = {node.line for node in listing.result.expansion.nodes}
        return [line for line in listing.result.expansion.lines.tolist() if line not in taken]

    def _bow(self, listing: SubgraphListing, line: int) -> tuple[QPainterPath, QPointF]:
        graph = listing.result.graph
        ends = (int(graph.from_rows[line]), int(graph.to_rows[line]))
        start, end = (
            self._nodes[row].mapRectToScene(QRectF(0, 0, self._nodes[row].spot.width, NODE_HEIGHT))
            for row in ends
        )
        return bow(start, end)

    # The node in hand

    def _mark(self) -> None:
        """Mark the node in hand, what it is connected with, and say how."""
        for note in self._notes:
            self.scene().removeItem(note)
        self._notes = []
        paths: list[QPainterPath] = []
        beside: set[int] = set()
        row, listing = self._in_hand, self._listing
        if row in self._nodes and listing is not None and self._layout is not None:
            steps = [step for step in self._layout.steps if row in (step.row, step.from_row)]
            paths = [curve(step.points) for step in steps]
            beside = {end for step in steps for end in (step.row, step.from_row)}
            beside |= self._note_others(listing, paths)
        self._lit.set_paths(paths)
        for node in self._nodes.values():
            node.set_marked(selected=node.row == row, beside=node.row in beside and node.row != row)

    def _note_others(self, listing: SubgraphListing, paths: list[QPainterPath]) -> set[int]:
        """Draw the other connections of the node in hand with their labels; return their ends."""
        graph, look = listing.result.graph, self.look()
        ends: set[int] = set()
        for line in self._other_lines(listing):
            pair = {int(graph.from_rows[line]), int(graph.to_rows[line])}
            if self._in_hand not in pair or len(self._notes) >= _MOST_NOTES:
                continue
            ends |= pair
            bent, middle = self._bow(listing, line)
            paths.append(bent)
            label = graph.connections[line].label
            if label:
                note = NoteItem(label, middle, look)
                self._notes.append(note)
                self.scene().addItem(note)
        return ends

    def _take(self, row: int) -> None:
        self._in_hand = row
        self._mark()
        self._describe()
        self.node_selected.emit(row)

    def _describe(self) -> None:
        item = self._nodes.get(-1 if self._in_hand is None else self._in_hand)
        self.setAccessibleDescription(
            f"{item.title}: {self._story(item.row)}"
            if item is not None
            else self.caption or self._empty[0]
        )

    def _story(self, row: int) -> str:
        if self._listing is None:
            return ""
        hit, placed = self._listing.story(row), self._listing.placed(row)
        if placed is not None and placed.ring:
            return hit.match_reason
        score = in_detail(hit.score or 0, 0)
        return f"match {hit.rank} by {match_words(hit.match_reason)}, score {score}"

    def _node_at(self, place: QPoint) -> SubgraphNode | None:
        item = self.itemAt(place)
        return item if isinstance(item, SubgraphNode) else None

    def clicked(self, place: QPoint) -> None:
        """Take the node that was clicked in hand."""
        node = self._node_at(place)
        if node is not None:
            self._take(node.row)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the graph and its caption, or say that there is none."""
        super().paintEvent(event)
        if not self._nodes:
            paint_empty_state(self, self._theme, *self._empty)
            return
        painter = QPainter(self.viewport())
        painter.setFont(themes.number_font(themes.scaled_font(self.font(), 0.88)))
        metrics = painter.fontMetrics()
        room = self.viewport().width() - 16
        text = metrics.elidedText(self.caption, Qt.TextElideMode.ElideRight, room)
        area = QRect(
            8,
            self.viewport().height() - metrics.height() - 4,
            metrics.horizontalAdvance(text),
            metrics.height(),
        )
        painter.fillRect(area.adjusted(-4, -1, 4, 1), self._theme.panel)
        painter.setPen(self._theme.muted)
        painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter), text)

    def showEvent(self, event: QShowEvent) -> None:
        """Draw what came while it was hidden."""
        super().showEvent(event)
        self._catch_up()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the system's font size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._nodes:
            self._refresh()

    def viewportEvent(self, event: QEvent) -> bool:
        """Explain the node under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            node = self._node_at(event.pos())
            if node is None or self._listing is None:
                QToolTip.hideText()
            else:
                path = str(self._listing.metadata(node.row).get("path", ""))
                QToolTip.showText(
                    event.globalPos(),
                    tooltip(f"{node.title}\n{self._story(node.row)}\n{path}"),
                    self,
                )
            return True
        return super().viewportEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Open the node's details."""
        node = self._node_at(event.position().toPoint())
        if node is not None:
            self._take(node.row)
            self.node_activated.emit(node.row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between nodes, open one, zoom."""
        key = Qt.Key(event.key())
        if key in WAYS and self._nodes:
            places = {
                row: item.mapRectToScene(QRectF(0, 0, item.spot.width, NODE_HEIGHT))
                for row, item in self._nodes.items()
            }
            row = next_toward(places, self._in_hand, key)
            if row is not None:
                self._take(row)
                self.ensureVisible(self._nodes[row], 24, 12)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._in_hand in self._nodes:
            self.node_activated.emit(self._in_hand)
        else:
            super().keyPressEvent(event)


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
