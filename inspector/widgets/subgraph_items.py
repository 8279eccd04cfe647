"""What a subgraph is drawn with: its nodes, the walk's steps, and other connections."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem

from core.io.wording import cut
from inspector import theme as themes
from inspector.drawing.subgraph_layout import NODE_HEIGHT
from inspector.widgets.zoom_view import DrawnItem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QColor, QFont
    from PySide6.QtWidgets import QWidget

    from inspector.drawing.subgraph_layout import Spot
    from inspector.drawing.unstubbed import StyleOption
    from inspector.widgets.zoom_view import Look

_RADIUS_PX = 7.0
_PAD_PX = 9.0
_LABEL_GAP_PX = 6.0
_NARROWEST, _WIDEST = 56.0, 168.0
_WIDEST_LABEL = 128.0
_SHOWN_CHARACTERS = 60
"""More of a title or label never fits; measuring all of a long one takes milliseconds."""
_TEXT_FROM = 0.42
"""Scale from which on text is drawn: below, it could not be read."""
_CENTER = Qt.AlignmentFlag.AlignCenter
_SIDE = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


def box_width(title: str, look: Look, *, is_match: bool) -> float:
    """Return the width that a node's box needs, within limits."""
    font = look.strong_font if is_match else look.plain_font
    text = QFontMetricsF(font).horizontalAdvance(title[:_SHOWN_CHARACTERS])
    return min(max(text + 2 * _PAD_PX + 1, _NARROWEST), _WIDEST)


def label_width(label: str, look: Look) -> float:
    """Return the width that a label needs, with room around it; 0 for none."""
    if not label:
        return 0.0
    text = QFontMetricsF(look.small_font).horizontalAdvance(label[:_SHOWN_CHARACTERS])
    return min(text, _WIDEST_LABEL) + 2 * _LABEL_GAP_PX


class SubgraphNode(DrawnItem):
    """One node as a box in the tint that its chunk has in the prompt, and its label beside it."""

    def __init__(self, spot: Spot, title: str, label: str, place: int, look: Look) -> None:
        super().__init__(look, 2)
        self.spot = spot
        self.title = title
        self.label = label
        self.is_selected = False
        self.is_beside_selected = False
        self._place = place
        self._box = QRectF(0, 0, spot.width, NODE_HEIGHT)
        self._slot = QRectF(spot.label_x - spot.x, 0, spot.label_width, NODE_HEIGHT)
        self.setPos(spot.x, spot.y)

    @property
    def row(self) -> int:
        """The node's row in the knowledge graph."""
        return self.spot.row

    @property
    def is_match(self) -> bool:
        """Whether it is a match, not reached by the walk."""
        return self.spot.ring == 0

    def set_marked(self, *, selected: bool, beside: bool) -> None:
        """Mark it as the node in hand, or as one that is connected with that."""
        if (selected, beside) != (self.is_selected, self.is_beside_selected):
            self.is_selected, self.is_beside_selected = selected, beside
            self.setZValue(4 if selected else 2)
            self.update()

    def boundingRect(self) -> QRectF:
        """Return box, outline and label."""
        return self._box.united(self._slot).adjusted(-5, -5, 5, 5)

    def shape(self) -> QPainterPath:
        """Return what can be clicked: the box."""
        path = QPainterPath()
        path.addRect(self._box)
        return path

    def paint(self, painter: QPainter, option: StyleOption, _widget: QWidget | None = None) -> None:
        """Draw the box; title and label where they can be read."""
        theme = self._look.theme
        readable = option.levelOfDetailFromTransform(painter.worldTransform()) >= _TEXT_FROM
        if self.is_selected:
            painter.setPen(QPen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(
                self._box.adjusted(-3, -3, 3, 3), _RADIUS_PX + 3, _RADIUS_PX + 3
            )
        painter.setPen(self._pen(readable))
        painter.setBrush(theme.tint(self._place))
        painter.drawRoundedRect(self._box, _RADIUS_PX, _RADIUS_PX)
        if readable:
            self._paint_title(painter)
            self._paint_label(painter)

    def _pen(self, readable: bool) -> QPen:
        theme = self._look.theme
        # A cosmetic pen keeps its width when zoomed out, so that matches stand out in a crowd.
        pen = QPen(
            theme.hit if self.is_match else themes.mix(theme.line, theme.muted, 0.45),
            2.0 if self.is_match else 1.0,
        )
        pen.setCosmetic(not readable)
        if self.is_beside_selected:
            pen.setColor(theme.accent)
        if self.spot.ring > 1:
            pen.setStyle(Qt.PenStyle.DashLine)
        return pen

    def _paint_title(self, painter: QPainter) -> None:
        font = self._look.strong_font if self.is_match else self._look.plain_font
        painter.setFont(font)
        painter.setPen(self._look.theme.text)
        painter.drawText(
            self._box, _CENTER, _elided(self.title, font, self._box.width() - 2 * _PAD_PX + 2)
        )

    def _paint_label(self, painter: QPainter) -> None:
        if not self.label:
            return
        theme, metrics = self._look.theme, QFontMetricsF(self._look.small_font)
        text = _elided(self.label, self._look.small_font, self._slot.width() - 2 * _LABEL_GAP_PX)
        width = metrics.horizontalAdvance(text)
        left = (
            self._slot.right() - _LABEL_GAP_PX - width
            if self.spot.side > 0
            else self._slot.left() + _LABEL_GAP_PX
        )
        area = QRectF(left, (NODE_HEIGHT - metrics.height()) / 2, width, metrics.height())
        painter.fillRect(area.adjusted(-2, 0, 2, 0), theme.panel)
        painter.setFont(self._look.small_font)
        painter.setPen(theme.accent if self.is_selected or self.is_beside_selected else theme.muted)
        painter.drawText(area, _SIDE, text)


class LinesItem(QGraphicsItem):
    """Many lines in one colour."""

    def __init__(self, z: float, width_px: float, style: Qt.PenStyle) -> None:
        super().__init__()
        self._pen = QPen(Qt.GlobalColor.transparent, width_px, style)
        self._pen.setCosmetic(True)
        self._paths: tuple[tuple[QPainterPath, QRectF], ...] = ()
        self._bounds = QRectF()
        self.setZValue(z)
        self.setFlag(QGraphicsItem.GraphicsItemFlag.ItemUsesExtendedStyleOption)

    def set_paths(self, paths: Iterable[QPainterPath]) -> None:
        """Draw these lines."""
        self.prepareGeometryChange()
        self._paths = tuple((path, path.boundingRect().adjusted(-2, -2, 2, 2)) for path in paths)
        self._bounds = QRectF()
        for _, rect in self._paths:
            self._bounds = self._bounds.united(rect)

    def set_color(self, color: QColor) -> None:
        """Use this colour."""
        self._pen.setColor(color)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return what all the lines take up."""
        return self._bounds

    def paint(self, painter: QPainter, option: StyleOption, _widget: QWidget | None = None) -> None:
        """Draw the lines one by one: as one path they take Qt a hundred times as long."""
        painter.setPen(self._pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for path, rect in self._paths:
            if rect.intersects(option.exposedRect):
                painter.drawPath(path)


class NoteItem(DrawnItem):
    """A label in the middle of a connection of the node in hand."""

    def __init__(self, text: str, middle: QPointF, look: Look) -> None:
        super().__init__(look, 5)
        self.text = text
        metrics = QFontMetricsF(look.small_font)
        width = min(metrics.horizontalAdvance(text[:_SHOWN_CHARACTERS]), _WIDEST_LABEL) + 8
        self._area = QRectF(-width / 2, -metrics.height() / 2 - 1, width, metrics.height() + 2)
        self.setPos(middle)

    def boundingRect(self) -> QRectF:
        """Return the label's box."""
        return self._area.adjusted(-1, -1, 1, 1)

    def paint(
        self, painter: QPainter, _option: StyleOption, _widget: QWidget | None = None
    ) -> None:
        """Draw the text on a patch of the panel's colour."""
        theme = self._look.theme
        painter.setPen(QPen(theme.accent, 0.8))
        painter.setBrush(theme.panel)
        painter.drawRoundedRect(self._area, 4, 4)
        painter.setFont(self._look.small_font)
        painter.drawText(
            self._area, _CENTER, _elided(self.text, self._look.small_font, self._area.width() - 6)
        )


def _elided(text: str, font: QFont, width: float) -> str:
    shown = cut(text, _SHOWN_CHARACTERS)
    return QFontMetricsF(font).elidedText(
        shown.replace("\n", " "), Qt.TextElideMode.ElideRight, width
    )


def bow(start: QRectF, end: QRectF) -> tuple[QPainterPath, QPointF]:
    """Draw a bent line from box to box; return it and its middle."""
    here, there = start.center(), end.center()
    way = there - here
    aside = QPointF(-way.y(), way.x()) * 0.12
    path = QPainterPath(here)
    path.quadTo(here + way * 0.5 + aside, there)
    return path, path.pointAtPercent(0.5)
