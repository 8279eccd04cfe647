"""A title and, beside it, what the plot's dots mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector import theme as themes
from inspector.theme import Themed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QPaintEvent

SYMBOLS = {"": "o", "threshold": "d", "filter": "s", "index": "x", "top_k": "t", "leg_depth": "t1"}
"""Reason → symbol of its dots, in pyqtgraph's names: never told by colour alone."""
WORDS = {
    "": "hit",
    "threshold": "beyond threshold",
    "filter": "filtered out",
    "index": "missed by index",
    "top_k": "beyond top_k",
    "leg_depth": "beyond leg depth",
}
_SHORT = {
    "": "hit",
    "threshold": "threshold",
    "filter": "filtered",
    "index": "index",
    "top_k": "top_k",
    "leg_depth": "leg depth",
}
_DOT_PX = 8
_GAP_PX = 4


class DotLegend(Themed, QWidget):
    """Paints the title at the left and the legend at the right.

    Where they don't fit, the words get shorter, then the title (to what stands before its " · "),
    and what still doesn't fit is left out.
    """

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self._reasons: tuple[str, ...] = ()
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFont(themes.scaled_font(self.font(), 0.88))

    def show_reasons(self, reasons: Iterable[str]) -> None:
        """Explain the dots of these reasons ("" = hits)."""
        wanted = tuple(reasons)
        if wanted != self._reasons:
            self._reasons = wanted
            self.setAccessibleDescription(", ".join(WORDS[reason] for reason in wanted))
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title and legend."""
        painter = QPainter(self)
        painter.setClipRect(event.rect())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = self.fontMetrics()
        center = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(self._theme.muted)
        title, words = self._wording()
        title = metrics.elidedText(title, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), int(center), title)
        x = float(metrics.horizontalAdvance(title) + 4 * _GAP_PX)
        x = max(x, self.width() - self._legend_px(words))
        for reason in self._reasons:
            if x + self._entry_px(words[reason]) - 3 * _GAP_PX > self.width() + 1:
                return
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.reason_color(reason))
            painter.save()
            painter.translate(x + _DOT_PX / 2, self.height() / 2)
            painter.scale(_DOT_PX, _DOT_PX)
            painter.drawPath(Symbols[SYMBOLS[reason]])
            painter.restore()
            painter.setPen(self._theme.muted)
            painter.drawText(
                QRectF(x + _DOT_PX + _GAP_PX, 0, self.width(), self.height()),
                int(center),
                words[reason],
            )
            x += self._entry_px(words[reason])

    def _wording(self) -> tuple[str, dict[str, str]]:
        """Return the title and the words, as long as there is room for."""
        short_title = self._title.partition(" · ")[0]
        for title, words in ((self._title, WORDS), (self._title, _SHORT), (short_title, _SHORT)):
            title_px = self.fontMetrics().horizontalAdvance(title) + 4 * _GAP_PX
            if title_px + self._legend_px(words) <= self.width():
                return title, words
        return short_title, _SHORT

    def _legend_px(self, words: dict[str, str]) -> int:
        entries = sum(self._entry_px(words[reason]) for reason in self._reasons)
        return max(entries - 3 * _GAP_PX, 0)

    def _entry_px(self, word: str) -> int:
        return _DOT_PX + _GAP_PX + self.fontMetrics().horizontalAdvance(word) + 3 * _GAP_PX

    def sizeHint(self) -> QSize:
        """Ask for one line."""
        return QSize(self.fontMetrics().height() * 12, self.fontMetrics().height() + _GAP_PX)

    def minimumSizeHint(self) -> QSize:
        """Ask for one line of some letters."""
        return QSize(self.fontMetrics().height() * 4, self.fontMetrics().height() + _GAP_PX)
