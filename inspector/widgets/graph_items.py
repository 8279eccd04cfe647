"""What a graph is drawn with: nodes, exits with their names, and the ends of a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPainterPathStroker, QPen

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.widgets.zoom_view import DrawnItem, curve

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from PySide6.QtGui import QColor
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    from inspector.drawing.graph_layout import Box, Edge, Point
    from inspector.widgets.zoom_view import Look

_RADIUS_PX = 8.0
_CORNER_PX = 6.0
_ICON_PX = 18
_PAD_PX = 10
_ARROW_PX = 6.0
_NARROWEST, _WIDEST = 88.0, 170.0


def node_width(name: str, kind: str, look: Look) -> float:
    """Return the width that a node's box needs, px, within limits."""
    text = max(
        QFontMetricsF(look.strong_font).horizontalAdvance(name),
        QFontMetricsF(look.small_font).horizontalAdvance(f"({kind})"),
    )
    return min(max(text + _ICON_PX + 3 * _PAD_PX, _NARROWEST), _WIDEST)


class NodeItem(DrawnItem):
    """A node: icon, name, type; lit with its steps when this turn ran it."""

    def __init__(self, name: str, kind: str, box: Box, look: Look) -> None:
        super().__init__(look, 2)
        self.name = name
        self.kind = kind
        self.steps: tuple[int, ...] = ()
        self.is_simulated = False
        self.is_current = False
        self.has_cursor = False
        self._rect = QRectF(0, 0, box.width, box.height)
        self.setPos(box.x, box.y)
        self._tell()

    def set_steps(self, steps: tuple[int, ...], *, simulated: bool) -> None:
        """Say at which steps (from 1) of the turn it ran, and whether its exit was made up."""
        if (steps, simulated) == (self.steps, self.is_simulated):
            return
        self.steps, self.is_simulated = steps, simulated
        self._tell()
        self.update()

    def set_outline(self, *, current: bool, cursor: bool) -> None:
        """Outline it as the node in hand, and as where the keyboard is."""
        self.is_current, self.has_cursor = current, cursor
        self.update()

    @property
    def words(self) -> str:
        """What a screen reader should say."""
        parts = [f"{self.name}, {self.kind}"]
        if self.steps:
            parts.append("step " + ", ".join(str(step) for step in self.steps))
        if self.is_simulated:
            parts.append("simulated exit")
        return ", ".join(parts)

    def _tell(self) -> None:
        lines = [f"{self.name} ({self.kind})"]
        lines.append(
            "Ran in this turn as step " + ", ".join(map(str, self.steps)) + "."
            if self.steps
            else "Not reached in this turn."
        )
        if self.is_simulated:
            lines.append("Its exit is simulated: only a language model could decide it.")
        lines.append("Double-click for its parameters.")
        self.setToolTip(tooltip("\n".join(lines)))

    def boundingRect(self) -> QRectF:
        """Return the box with its outlines and the step's badge."""
        return self._rect.adjusted(-10, -10, 6, 6)

    def shape(self) -> QPainterPath:
        """Return what can be clicked."""
        path = QPainterPath()
        path.addRoundedRect(self._rect, _RADIUS_PX, _RADIUS_PX)
        return path

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw the node."""
        theme, rect = self._look.theme, self._rect
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = bool(self.steps)
        if self.is_current:
            painter.setPen(QPen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(-3, -3, 3, 3), _RADIUS_PX + 3, _RADIUS_PX + 3)
        if self.has_cursor:
            painter.setPen(QPen(theme.text, 1, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(rect.adjusted(-5, -5, 5, 5), _RADIUS_PX + 5, _RADIUS_PX + 5)
        pen = QPen(theme.accent if lit else theme.line, 1.5 if lit else 1)
        if self.is_simulated:
            pen.setStyle(Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(theme.accent_soft if lit else theme.field)
        painter.drawRoundedRect(rect, _RADIUS_PX, _RADIUS_PX)
        color = theme.text if lit else theme.muted
        icon = themes.node_icon(self.kind, theme.accent if lit else theme.muted)
        icon.paint(
            painter, QRect(_PAD_PX, round(rect.center().y()) - _ICON_PX // 2, _ICON_PX, _ICON_PX)
        )
        self._paint_words(painter, color)
        if lit:
            self._paint_badge(painter)

    def _paint_words(self, painter: QPainter, color: QColor) -> None:
        theme, rect = self._look.theme, self._rect
        left = 2.0 * _PAD_PX + _ICON_PX - 2
        room = rect.width() - left - _PAD_PX / 2
        name_metrics = QFontMetricsF(self._look.strong_font)
        small_metrics = QFontMetricsF(self._look.small_font)
        height = name_metrics.height() + small_metrics.height()
        top = (rect.height() - height) / 2
        painter.setFont(self._look.strong_font)
        painter.setPen(color)
        painter.drawText(
            QPointF(left, top + name_metrics.ascent()),
            name_metrics.elidedText(self.name, Qt.TextElideMode.ElideRight, room),
        )
        painter.setFont(self._look.small_font)
        painter.setPen(theme.muted)
        kind = "simulated" if self.is_simulated else f"({self.kind})"
        painter.drawText(
            QPointF(left, top + name_metrics.height() + small_metrics.ascent()),
            small_metrics.elidedText(kind, Qt.TextElideMode.ElideRight, room),
        )

    def _paint_badge(self, painter: QPainter) -> None:
        theme = self._look.theme
        text = ",".join(str(step) for step in self.steps[:3])
        if len(self.steps) > 3:
            text += "…"
        metrics = QFontMetricsF(self._look.small_font)
        width = max(metrics.horizontalAdvance(text) + 8, metrics.height())
        badge = QRectF(-8, -8, width, metrics.height())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.accent)
        painter.drawRoundedRect(badge, badge.height() / 2, badge.height() / 2)
        painter.setPen(theme.on_accent)
        painter.setFont(self._look.small_font)
        painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, text)


class EndItem(DrawnItem):
    """Where an exit ends the turn."""

    def __init__(self, box: Box, look: Look) -> None:
        super().__init__(look, 2)
        self._rect = QRectF(0, 0, box.width, box.height)
        self.is_lit = False
        self.setPos(box.x, box.y)
        self.setToolTip("END: the turn ends here")

    def set_lit(self, lit: bool) -> None:
        """Show whether this turn ended here."""
        self.is_lit = lit
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the disc and its word."""
        return self._rect.adjusted(-14, -2, 14, 20)

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw a ring with a disc in it."""
        theme = self._look.theme
        color = theme.accent if self.is_lit else theme.muted
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 1.5))
        painter.setBrush(theme.panel)
        painter.drawEllipse(self._rect.adjusted(1, 1, -1, -1))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(self._rect.adjusted(4, 4, -4, -4))
        painter.setPen(color)
        painter.setFont(self._look.small_font)
        painter.drawText(
            QRectF(-14, self._rect.height(), self._rect.width() + 28, 16),
            Qt.AlignmentFlag.AlignHCenter,
            "END",
        )


class LabelItem(DrawnItem):
    """An exit's name, above or below the beginning of its line."""

    def __init__(self, route: str, start: Point, row: int, look: Look) -> None:
        super().__init__(look, 1.5)
        self.route = route
        self.is_lit = False
        self._start = QPointF(*start)
        self._row = row

    def set_lit(self, lit: bool) -> None:
        """Show whether this turn took the exit."""
        self.is_lit = lit
        self.update()

    def boundingRect(self) -> QRectF:
        """Return where the name stands: row 0 above the line, the others below it."""
        metrics = QFontMetricsF(self._look.small_font)
        top = (
            self._start.y() + 2 + (self._row - 1) * metrics.height()
            if self._row
            else (self._start.y() - metrics.height() - 1)
        )
        return QRectF(
            self._start.x() + 6, top, metrics.horizontalAdvance(self.route) + 4, metrics.height()
        )

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw the name, and the panel behind it so that no line crosses it."""
        theme = self._look.theme
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.panel)
        painter.drawRoundedRect(self.boundingRect(), 3, 3)
        painter.setFont(self._look.small_font)
        painter.setPen(theme.accent if self.is_lit else theme.muted)
        painter.drawText(self.boundingRect(), Qt.AlignmentFlag.AlignCenter, self.route)


class EdgeItem(DrawnItem):
    """The exits of a node that lead to one target: a line with an arrow; `labels` name them."""

    def __init__(self, edge: Edge, below: bool, look: Look) -> None:
        super().__init__(look)
        self.edge = edge
        self.lit_routes: frozenset[str] = frozenset()
        self.labels = tuple(
            LabelItem(route, edge.points[0], row, look)
            for row, route in enumerate(edge.routes, start=int(below))
        )
        self._path = _angular(edge.points) if edge.is_angular else curve(edge.points)

    def set_lit(self, routes: Collection[str]) -> None:
        """Light the exits that this turn took."""
        self.lit_routes = frozenset(routes) & frozenset(self.edge.routes)
        self.setZValue(1 if self.lit_routes else 0)
        for label in self.labels:
            label.set_lit(label.route in self.lit_routes)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return line and arrow."""
        return self._path.boundingRect().adjusted(-4, -_ARROW_PX, 4, _ARROW_PX)

    def shape(self) -> QPainterPath:
        """Return the line, some px wide."""
        stroker = QPainterPathStroker()
        stroker.setWidth(6)
        return stroker.createStroke(self._path)

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw line and arrow."""
        theme = self._look.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        lit = bool(self.lit_routes)
        color = theme.accent if lit else themes.mix(theme.line, theme.muted, 0.5)
        painter.setPen(QPen(color, 2 if lit else 1.2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(self._path)
        tip = self.edge.points[-1]
        arrow = QPainterPath(QPointF(tip.x, tip.y))
        arrow.lineTo(tip.x - _ARROW_PX, tip.y - _ARROW_PX * 0.6)
        arrow.lineTo(tip.x - _ARROW_PX, tip.y + _ARROW_PX * 0.6)
        arrow.closeSubpath()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawPath(arrow)


def label_width(routes: Collection[str], look: Look) -> float:
    """Return the width of the longest of the exits' names, px."""
    metrics = QFontMetricsF(look.small_font)
    return max((metrics.horizontalAdvance(route) for route in routes), default=0.0)


def _angular(points: Sequence[Point]) -> QPainterPath:
    """Draw straight pieces with rounded corners."""
    path = QPainterPath(QPointF(*points[0]))
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        path.lineTo(_toward(corner, before))
        path.quadTo(QPointF(*corner), _toward(corner, after))
    path.lineTo(QPointF(*points[-1]))
    return path


def _toward(corner: Point, other: Point) -> QPointF:
    dx, dy = other.x - corner.x, other.y - corner.y
    length = abs(dx) + abs(dy)
    share = min(0.5, _CORNER_PX / length) if length else 0.0
    return QPointF(corner.x + dx * share, corner.y + dy * share)
