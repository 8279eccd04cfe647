"""The table of a replay: the recording at the left, here at the right of a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QSortFilterProxyModel, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractItemView, QHeaderView

from inspector import theme as themes
from inspector.models.replay_model import TITLES, Column, ReplayModel
from inspector.widgets.item_views import TableView, ThemedDelegate
from inspector.widgets.parts import named

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtGui import QPainter, QResizeEvent
    from PySide6.QtWidgets import QWidget

    from core.recording.replay import TurnReplay
    from inspector.drawing.unstubbed import StyleOption

_TEXT_CHARACTERS = 26
_LEAST_ID_CHARACTERS = 11
_ID_SHARE = 0.45
_PAD_PX = 18
_WIDEST = {
    Column.NODE: "knowledge",
    Column.RECORDED_RANK: "recorded",
    Column.RECORDED_DISTANCE: "recorded",
    Column.HERE_RANK: "here",
    Column.HERE_DISTANCE: "distance",
    Column.CHANGE: "distance",
    Column.VERDICT: "distance_icon",
}
_DISTANCES = (Column.RECORDED_DISTANCE, Column.HERE_DISTANCE, Column.CHANGE)
# The change says in one column what the distances say in two.
_GIVEN_UP = (set[Column](), {Column.CHANGE}, {Column.RECORDED_DISTANCE, Column.HERE_DISTANCE})


class _SideDelegate(ThemedDelegate):
    """Draws the line between the recording and here."""

    def paint(
        self, painter: QPainter, option: StyleOption, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a cell, and the line at its left."""
        super().paint(painter, option, index)
        rect = option.rect
        painter.fillRect(
            rect.left(),
            rect.top(),
            1,
            rect.height(),
            themes.mix(self._theme.panel, self._theme.muted, 0.5),
        )


class ReplayTable(TableView):
    """Pairs of hits, sorted by any column. Showing emits nothing.

    Signals
    -------
    record_selected(str, str) : the node and the record's id of the row that the user goes to.
    """

    record_selected = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.source = ReplayModel(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSortRole(ReplayModel.SortRole)
        self._sorted.setSourceModel(self.source)
        self._is_showing = False
        self._has_nodes = False
        named(self, "replayTable", "Recorded hits and hits here")
        self.setModel(self._sorted)
        self._set_up()
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)

    def show_replay(self, replay: TurnReplay | None) -> None:
        """Show the pairs; the row of the same record of the same node stays selected."""
        current = self.currentIndex()
        key = self._key(current) if current.isValid() else None
        self._is_showing = True
        self.source.show_replay(replay)
        self._has_nodes = replay is not None and len(replay.nodes) > 1
        self._share_width()
        row = self.source.row_of(*key) if key is not None else -1
        if row >= 0:
            self.setCurrentIndex(self._sorted.mapFromSource(self.source.index(row, Column.ID)))
        self._is_showing = False

    def _set_up(self) -> None:
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setItemDelegateForColumn(Column.HERE_RANK, _SideDelegate(self))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setStretchLastSection(True)
        self.set_up_sorting()

    def _key(self, index: QModelIndex) -> tuple[str, str]:
        return index.data(ReplayModel.NodeRole), index.data(ReplayModel.HitIdRole)

    def _on_current_row_changed(self, current: QModelIndex) -> None:
        if current.isValid() and not self._is_showing:
            self.record_selected.emit(*self._key(current))

    def _share_width(self) -> None:
        """Give numbers what they need, the rest to id and text, the latter where there is room."""
        letter = self.fontMetrics().averageCharWidth()
        least = _LEAST_ID_CHARACTERS * letter
        room = self.viewport().width()
        bold = QFontMetrics(themes.scaled_font(self.font(), 1.0, bold=True))
        widths = {
            column: bold.horizontalAdvance(text) + _PAD_PX for column, text in _WIDEST.items()
        }
        hidden = self._hidden(room - least, widths)
        rest = room - sum(widths[column] for column in widths if column not in hidden)
        if rest < least + _TEXT_CHARACTERS * letter:
            hidden |= {Column.TEXT}
            widths[Column.NODE] = max(widths[Column.NODE] - max(least - rest, 0), least // 2)
        else:
            both = bold.horizontalAdvance("moved, ")
            widths[Column.VERDICT] += both
            rest -= both
        for column in Column:
            self.setColumnHidden(column, column in hidden)
            if column in widths:
                self.setColumnWidth(column, widths[column])
        self.setColumnWidth(
            Column.ID, max(least, (rest if Column.TEXT in hidden else int(rest * _ID_SHARE)))
        )
        self.horizontalHeader().setVisible(self.source.rowCount() > 0)

    def _hidden(self, room: int, widths: dict[Column, int]) -> set[Column]:
        """Return the columns that say nothing, and those that are given up where it is narrow."""
        silent = set() if self._has_nodes else {Column.NODE}
        if not self.source.has_distances:
            return silent | set(_DISTANCES)
        for given_up in _GIVEN_UP:
            hidden = silent | given_up
            if sum(widths[column] for column in widths if column not in hidden) <= room:
                break
        return hidden

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out."""
        super().resizeEvent(event)
        self._share_width()

    def minimumSizeHint(self) -> QSize:
        """Ask for the header and a row."""
        row = self.verticalHeader().defaultSectionSize()
        return QSize(len(TITLES) * 12, self.horizontalHeader().sizeHint().height() + row)
