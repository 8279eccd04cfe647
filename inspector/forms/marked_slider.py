"""A slider with a scale of its own and marks at the values where the result changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QSlider

from inspector import theme as themes
from inspector.theme import Themed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

    from inspector.drawing.scales import Scale

_HANDLE_PX = 7
_GROOVE_PX = 4
GROOVE_LEFT_PX = _HANDLE_PX + 1
"""Where the groove begins: the handle has to have room beside it."""
_MARK_PX = 4
_MARK_EVERY_PX = 3
_FEWEST_TO_ROUND = 2
_ROUND_STEPS = (1000, 500, 100, 50, 20, 10, 5, 2, 1)
_STEPPING_KEYS = frozenset(
    (
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_Home,
        Qt.Key.Key_End,
    )
)


class MarkedSlider(Themed, QSlider):
    """Its value is a whole number; where it lies on the groove is the scale's matter.

    Signals
    -------
    edit_finished() : the handle or a key was let go, or the wheel turned.

    is_stepping : whether it is being told for a key that was let go.
    """

    edit_finished = Signal()

    def __init__(self, scale: Scale, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._scale = scale
        self._marks: tuple[int, ...] = ()
        self._grab_px = 0
        self._drawn: list[int] = []
        self._drawn_at = -1
        self.is_stepping = False
        self.setRange(scale.low, scale.high)
        self.setSingleStep(1)
        self.setPageStep(10)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_marks(self, values: Sequence[int]) -> None:
        """Draw a tick below the groove at each of the values."""
        marks = tuple(values)
        if marks != self._marks:
            self._marks = marks
            self._drawn_at = -1
            self.update()

    @property
    def marks(self) -> tuple[int, ...]:
        """The values that are marked."""
        return self._marks

    def x_of(self, value: int) -> float:
        """Return the handle's middle for a value, px from the left."""
        left, length = self._groove()
        return left + self._scale.fraction(value) * length

    def marks_px(self) -> list[int]:
        """Return where marks are drawn, px from the left: close ones as one, never a smudge."""
        low, high = self._scale.low, self._scale.high
        if self._drawn_at != self.width():
            self._drawn, self._drawn_at = [], self.width()
            for place in sorted(
                [round(self.x_of(mark)) for mark in self._marks if low <= mark <= high]
            ):
                if not self._drawn or place - self._drawn[-1] >= _MARK_EVERY_PX:
                    self._drawn.append(place)
        return self._drawn

    def _groove(self) -> tuple[float, float]:
        return float(GROOVE_LEFT_PX), max(1.0, self.width() - 2.0 * GROOVE_LEFT_PX)

    def _value_at(self, x: float) -> int:
        """Return the value at a place; of several that share a pixel, the roundest."""
        left, length = self._groove()
        low, nearest, high = (
            self._scale.value((x + away - left) / length) for away in (-0.5, 0.0, 0.5)
        )
        if high - low < _FEWEST_TO_ROUND:
            return nearest
        return next(
            value for step in _ROUND_STEPS if low <= (value := round(nearest / step) * step) <= high
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw groove, marks and handle."""
        event.accept()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, active = self._theme, self.isEnabled()
        left, length = self._groove()
        middle = self.height() / 2.0
        x = self.x_of(self.value())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.line)
        groove = QRectF(left, middle - _GROOVE_PX / 2, length, _GROOVE_PX)
        painter.drawRoundedRect(groove, 2, 2)
        if active:
            painter.setBrush(theme.accent)
            groove.setRight(x)
            painter.drawRoundedRect(groove, 2, 2)
        faint = themes.mix(theme.panel, theme.muted, 0.6)
        for mark_px in self.marks_px():
            painter.fillRect(QRectF(mark_px, round(middle) + _HANDLE_PX, 1, _MARK_PX), faint)
        color = theme.accent if active else faint
        if self.hasFocus():
            painter.setPen(theme.accent)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.setPen(QPen(color, 2))
        painter.setBrush(theme.panel)
        painter.drawEllipse(QPointF(x, middle), _HANDLE_PX - 1, _HANDLE_PX - 1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take the handle, or move it under the pointer."""
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        event.accept()
        self.setSliderDown(True)
        offset = event.position().x() - self.x_of(self.value())
        # In whole pixels, so that a value is at the same pixel wherever the handle was taken.
        self._grab_px = round(offset) if abs(offset) <= _HANDLE_PX else 0
        if abs(offset) > _HANDLE_PX:
            self.setSliderPosition(self._value_at(event.position().x()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag the handle."""
        if self.isSliderDown():
            self.setSliderPosition(self._value_at(event.position().x() - self._grab_px))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let the handle go."""
        if self.isSliderDown() and event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(False)
            self.edit_finished.emit()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Note that a key that moved the handle was let go."""
        super().keyReleaseEvent(event)
        if event.key() in _STEPPING_KEYS and not event.isAutoRepeat():
            self.is_stepping = True
            self.edit_finished.emit()
            self.is_stepping = False

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Move only with the focus, so that scrolling the panel changes no value."""
        if not self.hasFocus():
            event.ignore()
            return
        super().wheelEvent(event)
        self.edit_finished.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Leave no edit open."""
        super().focusOutEvent(event)
        self.edit_finished.emit()

    def sizeHint(self) -> QSize:
        """Ask for room for the handle and the marks."""
        return QSize(96, max(2 * (_HANDLE_PX + 2) + _MARK_PX + 2, self.fontMetrics().height()))

    def minimumSizeHint(self) -> QSize:
        """Ask for a groove that can still be used."""
        return QSize(48, self.sizeHint().height())
