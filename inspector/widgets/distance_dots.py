"""The dots of the distance plot: one a record, told apart by symbol, size and colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from core.hits.hit import Reason
from inspector.widgets.dot_legend import SYMBOLS

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


class DistanceDots:
    """Scatter items of a plot whose y axis goes from 0 to 1; x is the distance."""

    def __init__(self) -> None:
        self.rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._places: NDArray[np.float64] = np.zeros((0, 2))
        self._in_hand: int | None = None
        self._scatters = {
            reason: pg.ScatterPlotItem(
                pxMode=True, symbol=SYMBOLS[reason.value], size=size, antialias=True
            )
            for reason, size in _SIZES.items()
        }
        self._ring = pg.ScatterPlotItem(pxMode=True, symbol="o", size=_RING_PX, antialias=True)

    def items(self) -> tuple[Any, ...]:
        """Return the plot items, the lowest first."""
        return (*self._scatters.values(), self._ring)

    def show(
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
        present = []
        for code, reason in enumerate(_REASONS):
            if reason not in self._scatters:
                continue
            places, scatter = self._places[codes == code], self._scatters[reason]
            scatter.setVisible(bool(len(places)))
            if not len(places):
                # pyqtgraph takes as long for no dots as for some.
                if len(scatter.data):
                    scatter.clear()
                continue
            if reason is Reason.NONE:
                scatter.setSize(_hit_size(len(places)))
            scatter.setData(x=places[:, 0], y=places[:, 1])
            present.append(reason.value)
        self._place_ring()
        return present

    def mark(self, row: int | None) -> None:
        """Put a ring around a record's dot; None = around none."""
        if row != self._in_hand:
            self._in_hand = row
            self._place_ring()

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
        for reason, scatter in self._scatters.items():
            color = QColor(theme.reason_color(reason.value))
            color.setAlpha(_ALPHAS.get(reason, 255))
            scatter.setBrush(pg.mkBrush(color))
            scatter.setPen(
                pg.mkPen(theme.panel, width=2) if reason is Reason.NONE else pg.mkPen(None)
            )
        self._ring.setPen(pg.mkPen(theme.text, width=2))
        self._ring.setBrush(pg.mkBrush(None))

    def _place_ring(self) -> None:
        at = (
            self._places[self.rows == self._in_hand]
            if self._in_hand is not None
            else self._places[:0]
        )
        if len(at) or len(self._ring.data):
            self._ring.setData(x=at[:, 0], y=at[:, 1])


def _hit_size(count: int) -> int:
    """Return the size of a hit's dot, px: smaller where many would cover each other."""
    return next((size for most, size in _MANY_HITS if count <= most), _LEAST_HIT_PX)
