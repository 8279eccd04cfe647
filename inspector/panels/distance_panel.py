"""Every record's distance to the query, and the threshold as a line that can be dragged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QPalette, QPen
from PySide6.QtWidgets import (
    QGraphicsRectItem,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from core.hits.numbers import in_detail, in_full
from core.nodes import RetrievalMode, RetrieveParams
from inspector.drawing.scales import SMALLEST_LIMIT
from inspector.drawing.words import tooltip
from inspector.theme import Themed
from inspector.widgets.distance_axis import DistanceAxis
from inspector.widgets.distance_dots import DistanceDots
from inspector.widgets.dot_legend import DotLegend
from inspector.widgets.labels import ElidedLabel
from inspector.widgets.parts import named, packed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.index.candidates import Candidates
    from core.retrieve.listing import Selection
    from inspector.theme import Theme

MOST_DOTS = 2000
"""Up to this many records each has its dot; of more, the hits and the nearest near-misses."""
_NEAR_MISS_DOTS = 300
_BINS = 120
_FEWEST_FOR_BARS = 50
_LEAST_RIGHT = 1.2
_SPEC = RetrieveParams.specs()["threshold"]
_STEP, _FINE_STEP, _DECIMALS = 0.01, 0.001, 3
_GRAB_PX, _DOT_PX = 7, 7
_BARS_ALPHA = 56
_NO_QUESTION = "Distances appear with the first question: how far from it every record is."
_LEXICAL = (
    "Lexical mode counts words and has no distances: the threshold does nothing. "
    "Dense and Hybrid have them."
)


class DistancePanel(Themed, QWidget):
    """A histogram of all distances, dots for single records, the threshold as a line.

    Drag the line, or give the plot the focus and use Left and Right (with Shift in fine steps).

    Signals
    -------
    threshold_dragged(float): the line is on the move; 0 = no limit.
    threshold_drag_finished(float): the line was let go.
    record_clicked(int): a record's dot was clicked; its row in the file.
    """

    threshold_dragged = Signal(float)
    threshold_drag_finished = Signal(float)
    record_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self._candidates: Candidates | None = None
        self._threshold = float(_SPEC.default)
        self._right = _LEAST_RIGHT
        self._is_dragging = False
        self._found = "nothing searched yet"
        self._dots = DistanceDots()
        self.legend = DotLegend("cosine distance · smaller is closer", self)
        self.message = named(ElidedLabel(_NO_QUESTION, self), role="muted")
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._plot = self._make_plot()
        self._make_items()
        packed(
            QVBoxLayout(self),
            self.legend,
            (self._plot, 1),
            (self.message, 1),
            margins=(8, 4, 8, 0),
            spacing=0,
        )
        self.show_selection(None)
        self.set_threshold(self._threshold)

    def _make_plot(self) -> Any:
        self._axis = DistanceAxis(self.font())
        plot: Any = pg.PlotWidget(self, axisItems={"bottom": self._axis.item})
        named(plot, "distancePlot", "Distances and threshold")
        plot.setMinimumHeight(round(self.fontMetrics().height() * 3.4))
        item = plot.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.hideAxis("left")
        view = item.getViewBox()
        view.setMouseEnabled(x=False, y=False)
        view.setDefaultPadding(0.0)
        view.disableAutoRange()
        view.setYRange(0, 1, padding=0)
        plot.installEventFilter(self)
        plot.viewport().installEventFilter(self)
        plot.viewport().setMouseTracking(True)
        return plot

    def _make_items(self) -> None:
        self._kept = QGraphicsRectItem()
        self._kept.setPen(QPen(Qt.PenStyle.NoPen))
        self._bars = pg.PlotCurveItem()
        self._line = pg.InfiniteLine(
            pos=0.5, angle=90, movable=True, bounds=(_SPEC.minimum, _SPEC.maximum)
        )
        for depth, item in enumerate((self._kept, self._bars, self._dots, self._line)):
            item.setZValue(depth)
            self._plot.addItem(item, ignoreBounds=True)
        self._line.sigDragged.connect(lambda: self._drag_to(float(self._line.value())))
        self._line.sigPositionChangeFinished.connect(self._finish_drag)

    # What is shown

    def show_selection(self, selection: Selection | None, no_distances: str = "") -> None:
        """Show a turn's selection; None = nothing was searched.

        Parameters
        ----------
        no_distances : why this node has no distances; said in place of the plot.
        """
        dense = None if selection is None else selection.candidates.dense
        if (
            selection is None
            or dense is None
            or not len(dense.order)
            or (selection.settings.mode is RetrievalMode.Lexical)
        ):
            self.message.set_text(no_distances or (_NO_QUESTION if selection is None else _LEXICAL))
            self.legend.show_reasons(())
            self._show_plot(False)
            self._candidates = None
            return
        self._show_plot(True)
        if selection.candidates is not self._candidates:
            self._candidates = selection.candidates
            self._show_histogram(dense.distances)
            self._set_right(max(_LEAST_RIGHT, float(dense.distances[dense.order[-1]])))
            self._make_room_for(self._threshold)
        self._show_dots(selection, dense.distances)
        counts = selection.counts
        known = selection.candidates.known_count
        told = "" if selection.is_complete else f", the distances of {known} known"
        least = "at least " if "result" in counts.at_least else ""
        self._found = f"{counts.records} records{told}, {least}{counts.result} hits"
        self._describe()

    def _show_plot(self, shown: bool) -> None:
        self.legend.setVisible(shown)
        self._plot.setVisible(shown)
        self.message.setVisible(not shown)

    def set_threshold(self, value: float) -> None:
        """Put the line at a threshold, 0 = no limit, without a signal."""
        if self._is_dragging:
            return
        self._threshold = value
        self._make_room_for(value)
        self._place_line()

    def threshold(self) -> float:
        """Return the threshold that the line shows; 0 = no limit."""
        return self._threshold

    def mark_record(self, row: int | None) -> None:
        """Put a ring around the dot of the record in hand; None = around none."""
        self._dots.mark(row)

    def tag_rect(self) -> QRect:
        """Return where the line's tag is on the plot's viewport, px."""
        rect: QRect = self._plot.mapFromScene(self._axis.tag_rect()).boundingRect()
        return rect

    def threshold_to_pixel(self, value: float) -> QPoint:
        """Return where a distance is on the plot's viewport, px, half-way up."""
        view = self._plot.getPlotItem().getViewBox()
        point: QPoint = self._plot.mapFromScene(view.mapViewToScene(QPointF(value, 0.5)))
        return point

    def pixel_to_threshold(self, position: QPoint) -> float:
        """Return the threshold at a place of the plot's viewport: 0.001 to 2, three decimals."""
        view = self._plot.getPlotItem().getViewBox()
        x = float(view.mapSceneToView(self._plot.mapToScene(position)).x())
        return _snapped(min(x, self._right))

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.panel)
        self.setPalette(palette)
        self._plot.setBackground(theme.panel)
        self._axis.apply_theme(theme)
        self._kept.setBrush(theme.accent_soft)
        self._bars.setPen(pg.mkPen(None))
        # Neutral, so that only what is kept is blue; the kept area shines through.
        bars = QColor(theme.muted)
        bars.setAlpha(_BARS_ALPHA)
        self._bars.setBrush(pg.mkBrush(bars))
        self._dots.apply_theme(theme)
        self._line.setPen(pg.mkPen(theme.accent, width=2))
        self._line.setHoverPen(pg.mkPen(theme.accent, width=3))
        self.legend.apply_theme(theme)

    def _set_right(self, right: float) -> None:
        self._right = right
        self._plot.getPlotItem().getViewBox().setXRange(-0.02 * right, right * 1.02, padding=0)
        self._axis.set_right(right)

    def _make_room_for(self, threshold: float) -> None:
        if threshold > self._right:
            self._set_right(float(_SPEC.maximum or threshold))

    def _show_histogram(self, distances: NDArray[np.float32]) -> None:
        """Count once per search; heights go by the square root, so that few still show."""
        top = max(_LEAST_RIGHT, float(distances.max()))
        count = _BINS if len(distances) > MOST_DOTS else _BINS // 3
        bins = np.clip((distances * np.float32(count / top)).astype(np.int64), 0, count - 1)
        heights = np.sqrt(np.bincount(bins, minlength=count))
        if len(distances) < _FEWEST_FOR_BARS:
            heights[:] = 0
        self._bars.setData(
            np.linspace(0, top, count + 1),
            0.92 * heights / max(float(heights.max()), 1.0),
            stepMode="center",
            fillLevel=0,
        )

    def _show_dots(self, selection: Selection, distances: NDArray[np.float32]) -> None:
        if len(distances) <= MOST_DOTS:
            rows = np.arange(len(distances), dtype=np.int64)
        else:
            near = np.array(selection.near_miss_rows(_NEAR_MISS_DOTS), dtype=np.int64)
            rows = np.concatenate([selection.hit_rows, near])
        self.legend.show_reasons(
            self._dots.show_records(rows, distances[rows], selection.reasons(rows))
        )

    def _place_line(self) -> None:
        value = self._threshold
        if self._line.value() != value:
            self._line.setValue(value)
        self._axis.set_tag(value, in_full(value) if value else _SPEC.zero)
        self._kept.setRect(-1.0, -1.0, 1.0 + (value or 10.0), 3.0)
        self._describe()

    def _describe(self) -> None:
        limit = f"threshold {in_full(self._threshold)}" if self._threshold else _SPEC.zero
        self._plot.setAccessibleDescription(
            f"{limit}; {self._found}. Left and Right move the threshold by {_STEP}, with Shift "
            f"by {_FINE_STEP}."
        )

    # Moving the line

    def _drag_to(self, value: float) -> None:
        value = _snapped(min(value, self._right))
        moved = value != self._threshold
        self._threshold = value
        self._place_line()
        if moved:
            self.threshold_dragged.emit(value)

    def _finish_drag(self) -> None:
        self.threshold_drag_finished.emit(self._threshold)

    def _step(self, steps: int, event: QKeyEvent) -> None:
        size = _FINE_STEP if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else _STEP
        if not self._threshold and steps < 0:
            return
        target = _snapped(self._threshold + steps * size)
        self._make_room_for(target)
        self._drag_to(target)

    def _is_on_line(self, position: QPoint) -> bool:
        if abs(position.x() - self.threshold_to_pixel(self._threshold).x()) <= _GRAB_PX:
            return True
        return self.tag_rect().contains(position)

    def _dot_at(self, position: QPoint) -> int | None:
        """Return the row of the record whose dot is under the mouse."""
        view = self._plot.getPlotItem().getViewBox()
        point = view.mapSceneToView(self._plot.mapToScene(position))
        return self._dots.nearest(point, QPointF(*view.viewPixelSize()), _DOT_PX)

    def _on_mouse(self, event: QMouseEvent) -> bool:
        position = event.position().toPoint()
        kind = event.type()
        if kind == QEvent.Type.MouseMove:
            if self._is_dragging:
                self._drag_to(self.pixel_to_threshold(position))
            else:
                self._plot.viewport().setCursor(self._cursor_at(position))
        elif event.button() != Qt.MouseButton.LeftButton:
            return False
        elif kind == QEvent.Type.MouseButtonPress:
            self._plot.setFocus(Qt.FocusReason.MouseFocusReason)
            dot = self._dot_at(position)
            if self._is_on_line(position):
                self._is_dragging = True
            elif dot is not None:
                self.record_clicked.emit(dot)
        elif kind == QEvent.Type.MouseButtonRelease and self._is_dragging:
            self._is_dragging = False
            self._finish_drag()
        return True

    def _cursor_at(self, position: QPoint) -> Qt.CursorShape:
        if self._is_on_line(position):
            return Qt.CursorShape.SplitHCursor
        return (
            Qt.CursorShape.ArrowCursor
            if self._dot_at(position) is None
            else Qt.CursorShape.PointingHandCursor
        )

    def _on_key(self, event: QKeyEvent) -> bool:
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_PageDown: -10,
            Qt.Key.Key_PageUp: 10,
        }.get(Qt.Key(event.key()))
        if steps is None:
            return False
        if event.type() == QEvent.Type.KeyPress:
            self._step(steps, event)
        elif not event.isAutoRepeat():
            self._finish_drag()
        return True

    def _show_tip(self, event: QHelpEvent) -> None:
        dot = self._dot_at(event.pos())
        if dot is not None and self._candidates is not None and self._candidates.dense is not None:
            distance = float(self._candidates.dense.distances[dot])
            text = f"{self._candidates.ids[dot]}\ndistance {in_detail(distance)}"
        else:
            text = f"{_SPEC.help}\nRange {_SPEC.range_text}, default {_SPEC.default}."
        QToolTip.showText(event.globalPos(), tooltip(text), self._plot)

    # Qt

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the plot's mouse and keys: only the line moves, never the view."""
        if event.type() in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            if watched is self._plot and isinstance(event, QKeyEvent):
                return self._on_key(event)
        elif watched is self._plot:
            if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
                self._axis.set_focused(event.type() == QEvent.Type.FocusIn)
            return False
        elif isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event)
            return True
        elif event.type() == QEvent.Type.Wheel:
            event.ignore()
            return True
        elif isinstance(event, QMouseEvent):
            return self._on_mouse(event)
        return super().eventFilter(watched, event)


def _snapped(value: float) -> float:
    return round(min(max(value, SMALLEST_LIMIT), float(_SPEC.maximum or 2.0)), _DECIMALS)
