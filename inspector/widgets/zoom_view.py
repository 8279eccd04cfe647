"""A drawing that is zoomed and panned with mouse, pinch and keys, and fitted to its view."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QNativeGestureEvent, QPainter, QPainterPath
from PySide6.QtWidgets import (
    QFrame,
    QGraphicsItem,
    QGraphicsScene,
    QGraphicsView,
    QToolButton,
    QWidget,
)

from inspector import theme as themes
from inspector.theme import Themed
from inspector.widgets.parts import button

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QRectF
    from PySide6.QtGui import QFont, QKeyEvent, QResizeEvent, QWheelEvent

    from inspector.theme import Theme

ZOOM_RANGE = (0.1, 4.0)
ZOOM_STEP = 1.2
WAYS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
_CLICK_PX = 4
_Name = TypeVar("_Name")


@dataclass(frozen=True, slots=True)
class Look:
    """Colours and fonts of a drawing."""

    theme: Theme
    strong_font: QFont
    plain_font: QFont
    small_font: QFont


class DrawnItem(QGraphicsItem):
    """A part of a drawing, in its colours and fonts."""

    def __init__(self, look: Look, z: float = 0.0) -> None:
        super().__init__()
        self._look = look
        self.setZValue(z)

    def set_look(self, look: Look) -> None:
        """Take over colours and fonts."""
        self.prepareGeometryChange()
        self._look = look
        self.update()


class ZoomView(Themed, QGraphicsView):
    """Base of the drawings. Dragging pans; + and − zoom, 0 shows all.

    font_sizes : of names and of small words, in sizes of the view's font.
    largest_fit, smallest_fit : limits of the scale that a new drawing gets by itself.
    wheel_zooms : whether the wheel zooms without Ctrl, instead of scrolling.
    """

    font_sizes = (1.0, 0.86)
    largest_fit = 1.15
    smallest_fit = 0.66
    wheel_zooms = False

    def __init__(self, what: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_fitted = True
        self._pressed_at: QPoint | None = None
        self.setScene(QGraphicsScene(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setDragMode(QGraphicsView.DragMode.ScrollHandDrag)
        self.setTransformationAnchor(QGraphicsView.ViewportAnchor.AnchorUnderMouse)
        self.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        wheel = "The wheel" if self.wheel_zooms else "Ctrl+wheel"
        self.fit_button = button(
            QToolButton(self),
            "fitButton",
            f"Fit the {what}",
            f"Show the whole {what} (0). {wheel} zooms, dragging pans",
            self.fit,
            icon=("fit", "muted"),
        )
        self.fit_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.fit_button.adjustSize()

    def home(self) -> QGraphicsItem | None:
        """Return the item that stays in sight where not all of them fit; None = nothing drawn."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draw anew for the present size of the view."""
        raise NotImplementedError

    def fit(self) -> None:
        """Show all of the drawing."""
        self._is_fitted = True
        self._fit(smallest=0.0)

    def auto_fit(self) -> None:
        """Show the drawing as large as it is well read."""
        self._is_fitted = True
        self._fit(smallest=self.smallest_fit)

    def zoom(self, factor: float) -> None:
        """Scale the drawing, within limits."""
        now = self.transform().m11()
        allowed = min(max(now * factor, ZOOM_RANGE[0]), ZOOM_RANGE[1])
        self._is_fitted = False
        self.scale(allowed / now, allowed / now)

    def look(self) -> Look:
        """Return the colours and fonts to draw with."""
        name, small = self.font_sizes
        return Look(
            self._theme,
            themes.scaled_font(self.font(), name, bold=True),
            themes.scaled_font(self.font(), name),
            themes.scaled_font(self.font(), small),
        )

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        look = self.look()
        for item in self.scene().items():
            if isinstance(item, DrawnItem):
                item.set_look(look)

    def clicked(self, place: QPoint) -> None:
        """React to a click that was no drag; `place` is on the viewport."""
        raise NotImplementedError

    def _fit(self, smallest: float) -> None:
        rect, home = self.scene().sceneRect(), self.home()
        if home is None or rect.isEmpty():
            return
        room = self.viewport().size()
        scale = min(room.width() / rect.width(), room.height() / rect.height(), self.largest_fit)
        scale = max(scale, smallest, ZOOM_RANGE[0])
        self.resetTransform()
        self.scale(scale, scale)
        self.centerOn(rect.center())
        if scale == smallest:
            self.ensureVisible(home, 30, 20)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the drawing in sight unless the user has zoomed."""
        super().resizeEvent(event)
        hint = self.fit_button.sizeHint()
        self.fit_button.setGeometry(
            self.width() - hint.width() - 16, 6, hint.width(), hint.height()
        )
        if self._is_fitted and self.home() is not None:
            self.redraw()
            self.auto_fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Note where a click or a drag begins."""
        self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Tell a click from a drag."""
        super().mouseReleaseEvent(event)
        event.accept()
        place = event.position().toPoint()
        if self._pressed_at is None:
            return
        if (place - self._pressed_at).manhattanLength() < _CLICK_PX:
            self.clicked(place)
        else:
            self._is_fitted = False

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom, or scroll where only Ctrl zooms."""
        if self.wheel_zooms or event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.zoom(ZOOM_STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            super().wheelEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Zoom with a pinch."""
        if isinstance(event, QNativeGestureEvent) and (
            event.gestureType() is Qt.NativeGestureType.ZoomNativeGesture
        ):
            self.zoom(1 + event.value())
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom with + and −, show all with 0."""
        key = event.key()
        if key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(ZOOM_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / ZOOM_STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            super().keyPressEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Ask for room for a few nodes."""
        return QSize(160, 90)


def curve(points: Sequence[tuple[float, float]]) -> QPainterPath:
    """Draw a line through points, level at both ends of every piece."""
    path = QPainterPath(QPointF(*points[0]))
    for here, there in pairwise(points):
        half = (here[0] + there[0]) / 2
        path.cubicTo(half, here[1], half, there[1], there[0], there[1])
    return path


def next_toward(places: Mapping[_Name, QRectF], here: _Name | None, key: Qt.Key) -> _Name | None:
    """Return the item that an arrow key leads to from `here`: the nearest within 60° of its way.

    Without an item `here` it is the first; where nothing lies that way, `here` itself.
    """
    if here is None or here not in places:
        return next(iter(places), None)
    dx, dy = WAYS[key]
    start = places[here].center()
    best, best_cost = here, math.inf
    for name, rect in places.items():
        way = rect.center() - start
        ahead, aside = way.x() * dx + way.y() * dy, abs(way.x() * dy) + abs(way.y() * dx)
        if ahead > 1 and aside < 1.8 * ahead and ahead + 2 * aside < best_cost:
            best, best_cost = name, ahead + 2 * aside
    return best
