"""The table of hits: rows of one line or two, a heading above the near-misses, copying."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QRect, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu

from inspector import theme as themes
from inspector.models.hits_model import Column
from inspector.widgets.fitted_table import FittedTable
from inspector.widgets.hits_delegate import MARGIN_PX, HitsDelegate
from inspector.widgets.parts import named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import (
        QContextMenuEvent,
        QKeyEvent,
        QMouseEvent,
        QPaintEvent,
    )
    from PySide6.QtWidgets import QWidget

    from core.hits.listing import Bar, Listing
    from inspector.models.hits_model import HitsModel
    from inspector.models.table_model import Index

_LEAST_ROWS = 3
_HIT_EDGE_PX = 3
_BESIDE = 0.001


class HitsTable(FittedTable):
    """Shows a `HitsModel`: hits, and near-misses below a heading.

    Signals
    -------
    copy_requested(): the selected rows, by Ctrl+C.
    menu_requested(QMenu): a menu for the row in hand is about to open; add actions to it.
    """

    copy_requested = Signal()
    menu_requested = Signal(object)

    def __init__(self, model: HitsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "hitsTable", "Hits and near-misses")
        self._hits = model
        self._band_row = -1
        self._listing: Listing | None = None
        self._bar: Bar | None = None
        self._delegate = HitsDelegate(model, self)
        self.setModel(model)
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.set_up_columns()
        self._follow_font()
        model.modelReset.connect(self._on_reset)

    # The heading above the near-misses

    @property
    def band_text(self) -> str:
        """What the heading says; "" without near-misses."""
        shown = self._hits.near_miss_count
        selection = self._hits.selection
        if not shown or selection is None:
            return ""
        if self._hits.stage_rows is not None:
            found = len(self._hits.stage_rows.rows)
            return (
                f"first {self._hits.rowCount():,} of {found:,} shown"
                if self._hits.has_more
                else f"{shown:,} near-miss" + ("es" if shown != 1 else "")
            )
        total = selection.near_miss_count
        least = "" if selection.is_complete else "≥ "
        text = f"{least}{total:,} near-miss" + ("es" if total != 1 else "")
        text += f" · showing {shown:,}" if shown < total else ""
        return text if self._hits.hit_count else f"no hits · {text}"

    def band_rect(self) -> QRect:
        """Return where the heading is on the viewport; empty when there is none."""
        if self._band_row < 0:
            return QRect()
        return QRect(
            0, self.rowViewportPosition(self._band_row), self.viewport().width(), self._band_px()
        )

    def _band_px(self) -> int:
        return self.fontMetrics().height() + 8

    def _row_px(self) -> int:
        height = self.fontMetrics().height()
        return 2 * height + 12 if self.two_lines else height + 10

    def _on_reset(self) -> None:
        self._listing, self._bar = self._hits.selection, self._hits.bar
        self.fit_numbers(self._hits.numbers_shown.longest())
        self._place_band()
        self.scheduleDelayedItemsLayout()
        self.executeDelayedItemsLayout()

    def _place_band(self) -> None:
        rows = self.verticalHeader()
        old, self._band_row = self._band_row, -1
        if self._hits.near_miss_count:
            self._band_row = self._hits.hit_count
        # Told of the new heights, the view would paint all rows twice.
        with QSignalBlocker(rows):
            if 0 <= old < rows.count() and old != self._band_row:
                rows.resizeSection(old, self._row_px())
            if self._band_row >= 0:
                rows.resizeSection(self._band_row, self._row_px() + self._band_px())
        self._delegate.set_band(self._band_row, self._band_px())

    def _update_rows(self, first: int, last: int) -> None:
        top = self.rowViewportPosition(first)
        bottom = self.rowViewportPosition(last) + self.rowHeight(last)
        self.viewport().update(0, top, self.viewport().width(), bottom - top)

    def dataChanged(self, _first: Index, _last: Index, _roles: Sequence[int] = ()) -> None:
        """Paint what a moved slider has changed, and nothing else: this is done at every step."""
        before, self._listing = self._listing, self._hits.selection
        field, limits = "", (math.inf, math.inf)
        if self._hits.bar is not None and self._bar is not None:
            field = self._hits.bar.field
            limits = self._bar.limit or math.inf, self._hits.bar.limit or math.inf
        old = self._band_row
        self._place_band()
        if before is None or (old < 0) != (self._band_row < 0):
            self.scheduleDelayedItemsLayout()
            return
        if old != self._band_row:
            self._update_rows(min(old, self._band_row), max(old, self._band_row))
        last = self.rowAt(self.viewport().height() - 1)
        for row in range(self.rowAt(0), (last if last >= 0 else self._hits.rowCount() - 1) + 1):
            hit = self._hits.hit_at(row)
            value = getattr(hit, field, None) or math.inf
            # Beside the limit, a number takes more decimals.
            is_beside = abs(value - limits[0]) < _BESIDE or abs(value - limits[1]) < _BESIDE
            if hit is not None and (is_beside or hit != before.story(hit.row)):
                self._update_rows(row, row)
        if self._bar != self._hits.bar:
            self._bar = self._hits.bar
            left, width = self.columnViewportPosition(Column.BAR), self.columnWidth(Column.BAR)
            self.viewport().update(left, 0, width, self.viewport().height())

    def _follow_font(self) -> None:
        self._delegate.set_font(self.font())
        self._set_row_heights()

    def follow_lines(self) -> None:
        """Make room for the text below, or take it away."""
        self._delegate.set_two_lines(self.two_lines)
        self._set_row_heights()

    def _set_row_heights(self) -> None:
        self.verticalHeader().setMinimumSectionSize(self._row_px())
        self.verticalHeader().setDefaultSectionSize(self._row_px())
        self._place_band()
        self.scheduleDelayedItemsLayout()

    # Looks

    def _paint_band(self) -> None:
        rect = self.band_rect()
        if rect.isEmpty():
            return
        painter = QPainter(self.viewport())
        painter.fillRect(rect, self._theme.background)
        painter.setPen(QPen(self._theme.line, 1, Qt.PenStyle.DashLine))
        painter.drawLine(rect.topLeft(), rect.topRight())
        painter.setPen(self._theme.muted)
        painter.setFont(themes.number_font(themes.scaled_font(self.font(), 0.92)))
        text = painter.fontMetrics().elidedText(
            self.band_text, Qt.TextElideMode.ElideRight, rect.width() - 2 * MARGIN_PX
        )
        painter.drawText(
            rect.adjusted(MARGIN_PX, 0, 0, 0), int(Qt.AlignmentFlag.AlignVCenter), text
        )

    def _paint_texts(self, area: QRect) -> None:
        """Draw the lower lines of rows of two, each from where the id above it begins."""
        painter = QPainter(self.viewport())
        left = 0
        if not self.isColumnHidden(Column.RANK) and not self.horizontalHeader().visualIndex(
            Column.RANK
        ):
            left = self.columnViewportPosition(Column.RANK) + self.columnWidth(Column.RANK)
        width = self.viewport().width() - left
        for row in range(max(self.rowAt(area.top()), 0), self._hits.rowCount()):
            top = self.rowViewportPosition(row)
            if top > area.bottom():
                break
            rect = QRect(left, top, width, self.rowHeight(row))
            self._delegate.paint_below(painter, rect, row)

    def _paint_edges(self) -> None:
        """Mark the hits at the left, and the row that has the focus."""
        painter = QPainter(self.viewport())
        for row in range(max(self.rowAt(0), 0), self._hits.hit_count):
            top = self.rowViewportPosition(row)
            if top > self.viewport().height():
                break
            painter.fillRect(0, top, _HIT_EDGE_PX, self.rowHeight(row), self._theme.hit)
        current = self.currentIndex().row()
        if self.hasFocus() and current >= 0:
            top = self.rowViewportPosition(current)
            box = QRect(0, top, self.viewport().width(), self.rowHeight(current))
            painter.setPen(QPen(self._theme.accent, 1))
            painter.drawRect(self._delegate.content_rect(box, current).adjusted(0, 0, -1, -1))

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the rows, the heading above the near-misses, or the words for an empty table."""
        self._delegate.set_selected(
            frozenset(index.row() for index in self.selectionModel().selectedRows())
        )
        super().paintEvent(event)
        if self.two_lines:
            self._paint_texts(event.rect())
        self._paint_band()
        self._paint_edges()

    def minimumSizeHint(self) -> QSize:
        """Ask for some rows below the titles."""
        height = self.horizontalHeader().sizeHint().height() + _LEAST_ROWS * (
            self.fontMetrics().height() + 10
        )
        return QSize(40 * self.fontMetrics().averageCharWidth(), height)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the system's font size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._follow_font()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select rows; the heading is no row."""
        if self.band_rect().contains(event.position().toPoint()):
            event.accept()
            return
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy with the platform's shortcut."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the row in hand, by mouse or Menu key."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.menu_requested.emit(menu)
        menu.addMenu(self.columns_menu())
        menu.popup(event.globalPos())
