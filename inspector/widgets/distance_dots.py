"""The dots of the distance plot: one a record, told apart by symbol, size and colour."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

import numpy as np
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QGraphicsItem

from core.hits.hit import Reason
from inspector import theme as themes
from inspector.widgets.dot_legend import SYMBOLS

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

    from inspector.theme import Theme

_REASONS = tuple(Reason)
# From the bottom to the top layer of dots, with their size, px.
_SIZES = {
    Reason.FILTER: 5,
    Reason.LEG_DEPTH: 5,
    Reason.TOP_K: 5,
    Reason.INDEX: 8,
    Reason.THRESHOLD: 8,
    Reason.NONE: 12,
}
_MANY_HITS = ((24, 12), (100, 9))
_LEAST_HIT_PX = 7
# The many are faint, so that the few stand out.
_ALPHAS = {Reason.FILTER: 120, Reason.LEG_DEPTH: 110, Reason.TOP_K: 110}
_RING_PX = 18
_GOLDEN = 0.6180339887
_LOWEST, _SPREAD = 0.16, 0.68


class DistanceDots(QGraphicsItem):
    """An item of a plot whose y axis goes from 0 to 1; x is the distance."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._places: NDArray[np.float64] = np.zeros((0, 2))
        self._layers: dict[Reason, NDArray[np.float64]] = {}
        self._in_hand: int | None = None
        self._theme: Theme = themes.LIGHT
        self._symbols: dict[tuple[Reason, int, float], QPixmap] = {}

    def show_records(
        self, rows: NDArray[np.int64], distances: NDArray[np.float32], codes: NDArray[np.int8]
    ) -> list[str]:
        """Show a dot a record and return the reasons that occur, in the order of `Reason`.

        Parameters
        ----------
        rows : int64 (m,), the records' rows in the file.
        distances : float32 (m,), theirs.
        codes : int8 (m,), their reasons as places in `Reason`.
        """
        self.rows = rows
        # The golden ratio spreads neighbouring rows over the height, the same every time.
        heights = _LOWEST + _SPREAD * (rows * _GOLDEN % 1.0)
        self._places = np.column_stack([distances, heights])
        present = set(codes.tolist())
        self._layers = {
            reason: self._places[codes == code]
            for code, reason in enumerate(_REASONS)
            if reason in _SIZES and code in present
        }
        self.update()
        return [reason.value for reason in self._layers]

    def mark(self, row: int | None) -> None:
        """Put a ring around a record's dot; None = around none."""
        if row != self._in_hand:
            self._in_hand = row
            self.update()

    def place(self, row: int) -> QPointF | None:
        """Return a record's dot in plot coordinates, or None when it has none."""
        found = self._places[self.rows == row]
        return QPointF(found[0, 0], found[0, 1]) if len(found) else None

    def nearest(self, point: QPointF, unit: QPointF, reach_px: float) -> int | None:
        """Return the row of the dot nearest to a point, within `reach_px`.

        Parameters
        ----------
        point : in plot coordinates.
        unit : how far a pixel goes, in plot coordinates.
        """
        if not len(self.rows):
            return None
        away = np.hypot(
            (self._places[:, 0] - point.x()) / unit.x(), (self._places[:, 1] - point.y()) / unit.y()
        )
        best = int(np.argmin(away))
        return int(self.rows[best]) if away[best] <= reach_px else None

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme
        self._symbols.clear()
        self.update()

    def _symbol(self, reason: Reason, scale: float) -> QPixmap:
        """Return a dot, drawn once for each size and screen."""
        many = len(self._layers[reason])
        size = _hit_size(many) if reason is Reason.NONE else _SIZES[reason]
        known = self._symbols.get((reason, size, scale))
        if known is None:
            pen = QPen(self._theme.panel, 2) if reason is Reason.NONE else QPen(Qt.PenStyle.NoPen)
            pen.setCosmetic(True)
            color = QColor(self._theme.reason_color(reason.value))
            color.setAlpha(_ALPHAS.get(reason, 255))
            side = ceil((size + 2) * scale)
            known = self._symbols[reason, size, scale] = QPixmap(side, side)
            known.setDevicePixelRatio(scale)
            known.fill(Qt.GlobalColor.transparent)
            painter = QPainter(known)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.translate(side / scale / 2, side / scale / 2)
            painter.scale(size, size)
            painter.setPen(pen)
            painter.setBrush(color)
            painter.drawPath(Symbols[SYMBOLS[reason.value]])
            painter.end()
        return known

    def boundingRect(self) -> QRectF:
        """Return the plot and what dots at its edge take beyond."""
        return QRectF(-1, -1, 4, 3)

    def paint(
        self, painter: QPainter, _option: QStyleOptionGraphicsItem, _widget: QWidget | None = None
    ) -> None:
        """Draw the dots, layer upon layer, and the ring around that of the record in hand."""
        plot = painter.worldTransform()
        scale = painter.device().devicePixelRatio()
        painter.resetTransform()
        for reason in _SIZES:
            places = self._layers.get(reason)
            if places is None:
                continue
            symbol = self._symbol(reason, scale)
            half = symbol.width() / scale / 2
            x = places[:, 0] * plot.m11() + (plot.dx() - half)
            y = places[:, 1] * plot.m22() + (plot.dy() - half)
            for left, top in zip(x.tolist(), y.tolist(), strict=True):
                painter.drawPixmap(QPointF(left, top), symbol)
        at = self.place(self._in_hand) if self._in_hand is not None else None
        if at is not None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self._theme.text, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(plot.map(at), _RING_PX / 2, _RING_PX / 2)


def _hit_size(count: int) -> int:
    """Return the size of a hit's dot, px: smaller where many would cover each other."""
    return next((size for most, size in _MANY_HITS if count <= most), _LEAST_HIT_PX)
