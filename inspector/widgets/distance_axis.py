"""The axis below the distances, with the threshold's value on it as a tag that is never cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QGraphicsItem

from inspector import theme as themes

if TYPE_CHECKING:
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    from inspector.theme import Theme

_PAD_PX = 6
_CLEAR_PX = 4
_ABOVE_PX = 3
_RADIUS_PX = 4
_STEPS = (0.05, 0.1, 0.2, 0.5, 1.0)
_LEAST_APART_PX = 44


class _Tag(QGraphicsItem):
    """A box with a text, which the axis puts in its place."""

    def __init__(self, font: QFont, parent: QGraphicsItem) -> None:
        super().__init__(parent)
        self.font = font
        self.theme: Theme = themes.LIGHT
        self.text = ""
        self.box = QRectF()
        self.has_ring = False

    def place(self, box: QRectF, text: str) -> None:
        """Move to `box` and say `text`."""
        self.prepareGeometryChange()
        self.box, self.text = box, text
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the box."""
        return self.box

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw the box and the text."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.theme.text, 2) if self.has_ring else Qt.PenStyle.NoPen)
        painter.setBrush(self.theme.accent)
        box = self.box.adjusted(1, 1, -1, -1) if self.has_ring else self.box
        painter.drawRoundedRect(box, _RADIUS_PX, _RADIUS_PX)
        painter.setFont(self.font)
        painter.setPen(self.theme.on_accent)
        painter.drawText(self.box, Qt.AlignmentFlag.AlignCenter, self.text)


class DistanceAxis:
    """A plot's bottom axis with round numbers; those that the tag would touch are left out.

    `item` is the `pyqtgraph.AxisItem` to be given to the plot.
    """

    def __init__(self, base: QFont) -> None:
        self.item: Any = pg.AxisItem("bottom")
        bold = themes.number_font(themes.scaled_font(base, 0.88, bold=True))
        plain = themes.number_font(themes.scaled_font(base, 0.88))
        self._plain, self._bold = QFontMetricsF(plain), QFontMetricsF(bold)
        self._tag = _Tag(bold, self.item)
        self._value, self._right = 0.0, 1.0
        self._ticks: list[tuple[float, str]] | None = None
        self.text = ""
        self.item.enableAutoSIPrefix(False)
        self.item.setStyle(tickLength=-4, tickFont=plain)
        self.item.setHeight(self._bold.height() + _ABOVE_PX + 2)
        self.item.geometryChanged.connect(self._place)

    def set_tag(self, value: float, text: str) -> None:
        """Put the tag at a distance."""
        if (value, text) != (self._value, self.text):
            self._value, self.text = value, text
            self._place()

    def set_right(self, right: float) -> None:
        """Put numbers from 0 to `right`; call it after the view's range has changed."""
        self._right = right
        self._place()

    def set_focused(self, focused: bool) -> None:
        """Put a ring around the tag while keys move it."""
        self._tag.has_ring = focused
        self._tag.update()

    def tag_rect(self) -> QRectF:
        """Return where the tag is in the scene, px."""
        rect: QRectF = self.item.mapRectToScene(self._tag.box)
        return rect

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self.item.setPen(pg.mkPen(theme.line))
        self.item.setTextPen(pg.mkPen(theme.muted))
        self._tag.theme = theme
        self._tag.update()

    def _x_of(self, value: float) -> float:
        left, right = self.item.range
        return float((value - left) / (right - left) * self.item.size().width())

    def _place(self) -> None:
        room = self.item.size().width()
        width = min(self._bold.horizontalAdvance(self.text) + 2 * _PAD_PX, room)
        left = min(max(self._x_of(self._value) - width / 2, 0.0), max(room - width, 0.0))
        box = QRectF(left, _ABOVE_PX, width, self._bold.height())
        self._tag.place(box, self.text)
        apart = self._x_of(1.0) - self._x_of(0.0)
        step = next((s for s in _STEPS if s * apart >= _LEAST_APART_PX), _STEPS[-1])
        values = [round(step * place, 3) for place in range(int(self._right / step + 1.001))]
        numbers = [(value, f"{value:g}") for value in values]
        ticks = [number for number in numbers if not self._touches(box, number)]
        if ticks != self._ticks:
            self._ticks = ticks
            self.item.setTicks([ticks])

    def _touches(self, box: QRectF, number: tuple[float, str]) -> bool:
        half = self._plain.horizontalAdvance(number[1]) / 2 + _CLEAR_PX
        x = self._x_of(number[0])
        return box.left() < x + half and x - half < box.right()
