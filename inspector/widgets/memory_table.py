"""The records of a memory store: a table that can be searched, with add and remove."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QVBoxLayout, QWidget

from inspector.models.memory_model import (
    ID,
    METADATA,
    STATE,
    TEXT,
    RecordIdRole,
    RecordsModel,
)
from inspector.widgets.code_edit import QUIET_MS
from inspector.widgets.fields import LineEdit
from inspector.widgets.item_views import TableView
from inspector.widgets.parts import (
    Surface,
    button,
    named,
    packed,
    show_words,
    text_tool,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from PySide6.QtGui import QResizeEvent

    from core.knowledge.memory import MemoryStore

_ROOMY_CHARACTERS = 52
_METADATA_CHARACTERS = 46
_HEADER_LINES = 9
_STATE_ROOM_PX = 44
_EMPTY_HINT = "WriteToMemory adds a record during play; Add makes one by hand"


class MemoryTable(Surface):
    """The records of one store. Showing emits nothing.

    Signals
    -------
    record_picked(str) : the user took the record with this id.
    add_requested() : begin a record.
    remove_requested(list) : remove the records with these ids, those selected.
    """

    record_picked = Signal(str)
    add_requested = Signal()
    remove_requested = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store: MemoryStore | None = None
        self._written: frozenset[str] = frozenset()
        self._is_showing = False
        self.model = RecordsModel(self)
        self.view = named(TableView(), "memoryRecords", "Records of the memory store")
        self.search = named(
            LineEdit(),
            "memorySearch",
            "Find in the store",
            "Show only the records with this in their id, text or metadata",
        )
        self.add_button = button(
            text_tool("Add"),
            "memoryAdd",
            "Add a record",
            "Begin a record; it is in the store once it is applied",
            self.add_requested,
            icon=("add", "muted"),
        )
        self.remove_button = button(
            text_tool("Remove"),
            "memoryRemove",
            "Remove the selected records",
            "Remove the selected records (Delete)",
            self._on_remove,
            icon=("remove", "muted"),
        )
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self._on_search_settled)
        self._set_up_view()
        self._set_up_search()
        bar = packed(QHBoxLayout(), (self.search, 1), self.add_button, self.remove_button)
        packed(QVBoxLayout(self), bar, (self.view, 1))

    def _set_up_view(self) -> None:
        view = self.view
        view.setModel(self.model)
        header = view.horizontalHeader()
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        header.setSectionsMovable(True)
        header.setSectionResizeMode(TEXT, QHeaderView.ResizeMode.Stretch)
        header.moveSection(header.visualIndex(STATE), 0)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.sortIndicatorChanged.connect(self._on_sorting_picked)
        view.selectionModel().currentRowChanged.connect(self._on_current_changed)
        view.selectionModel().selectionChanged.connect(self._on_selection_changed)
        view.add_shortcut(QKeySequence.StandardKey.Delete, "Remove record", self._on_remove)

    def _set_up_search(self) -> None:
        self.search.setPlaceholderText("Find in store")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._quiet.start)
        self.search.edit_finished.connect(self._on_search_settled)
        self.search.cancelled.connect(self.clear_search)

    def show_store(
        self, store: MemoryStore | None, written: frozenset[str], drafts: Collection[str]
    ) -> None:
        """Show a store's records; the selection and the place in the list stay.

        Parameters
        ----------
        written : ids of the records that the turn on screen wrote, which are brought into sight.
        drafts : ids of those with an edit that is not in force.
        """
        is_other = (store.name if store else "") != (self._store.name if self._store else "")
        is_same = store is not None and not is_other and store == self._store
        fresh = written - self._written
        self._store, self._written = store, written
        for part in (self.search, self.add_button, self.remove_button):
            part.setVisible(store is not None)
        if is_other:
            self.clear_search()
        selected = [] if is_other else self.selected_ids()
        place = self.view.verticalScrollBar().value()
        self._is_showing = True
        self.model.show_records(
            self.model.records if is_same else store.records if store else (), written, drafts
        )
        if not is_same:
            self.view.verticalScrollBar().setValue(0 if is_other else place)
            self._select(selected)
        self._is_showing = False
        self._show_state_column()
        self._show_header()
        self._show_empty_text()
        if fresh and not self.view.hasFocus():
            self._scroll_to_last(fresh)

    def set_drafts(self, drafts: Collection[str]) -> None:
        """Mark the records with an edit that is not in force."""
        self.model.show_records(self.model.records, self._written, drafts)
        self._show_state_column()

    def set_empty_text(self, title: str, hint: str) -> None:
        """Say what to show without records."""
        self.view.set_empty_text(title, hint)

    def set_removable(self, removable: bool) -> None:
        """Say whether there is anything to remove."""
        self.remove_button.setEnabled(removable)

    def select(self, record_id: str) -> None:
        """Select a record that is shown, or none."""
        row = self.model.row_of(record_id) if record_id else -1
        current = self.view.currentIndex()
        if row >= 0 and current.row() == row and self.view.selectionModel().isSelected(current):
            return
        self._is_showing = True
        if row < 0:
            self.view.selectionModel().clear()
        else:
            column = current.column() if current.isValid() else ID
            self.view.setCurrentIndex(self.model.index(row, column))
        self._is_showing = False

    @property
    def current_id(self) -> str:
        """The id of the row with the cursor, "" for none."""
        current = self.view.currentIndex()
        return str(current.data(RecordIdRole)) if current.isValid() else ""

    def selected_ids(self) -> list[str]:
        """Return the ids of the selected records, the current one first."""
        own, shown = self.current_id, self.model.ids()
        selection = self.view.selectionModel().selection()
        blocks = [selection.at(number) for number in range(selection.size())]
        ids = dict.fromkeys(
            record_id for block in blocks for record_id in shown[block.top() : block.bottom() + 1]
        )
        return sorted(ids, key=lambda record_id: record_id != own)

    def default_id(self) -> str:
        """Return the record to show first: the last that the turn wrote, else the first."""
        ids = self.model.ids()
        fresh = (record_id for record_id in reversed(ids) if record_id in self._written)
        return next(fresh, ids[0] if ids else "")

    def neighbour_of(self, gone: Collection[str]) -> str:
        """Return the record to take in hand when these are removed: the next, or the one before."""
        ids = self.model.ids()
        last = max((row for row, record_id in enumerate(ids) if record_id in gone), default=-1)
        after = [record_id for record_id in ids[last + 1 :] if record_id not in gone]
        before = [record_id for record_id in ids[: max(last, 0)] if record_id not in gone]
        return after[0] if after else before[-1] if before else ""

    def clear_search(self) -> None:
        """Show all records again."""
        self.search.clear()
        self._on_search_settled()

    def _select(self, ids: list[str]) -> None:
        """Select these records again, the first as the current one."""
        flag = QItemSelectionModel.SelectionFlag
        wanted = frozenset(ids)
        rows = [row for row, record_id in enumerate(self.model.ids()) if record_id in wanted]
        selection = QItemSelection()
        # Qt takes seconds for a thousand ranges of one row each.
        for _, run in groupby(enumerate(rows), lambda numbered: numbered[1] - numbered[0]):
            block = [row for _, row in run]
            selection.append(
                QItemSelectionRange(
                    self.model.index(block[0], ID), self.model.index(block[-1], STATE)
                )
            )
        current = self.model.row_of(ids[0]) if ids else -1
        if current >= 0:
            self.view.selectionModel().setCurrentIndex(self.model.index(current, ID), flag.NoUpdate)
        self.view.selectionModel().select(selection, flag.ClearAndSelect)

    def _scroll_to_last(self, ids: Collection[str]) -> None:
        rows = [row for row, record_id in enumerate(self.model.ids()) if record_id in ids]
        if rows:
            self.view.scrollTo(self.model.index(rows[-1], ID))

    def _show_state_column(self) -> None:
        states = self.model.states
        if bool(states) == self.view.isColumnHidden(STATE):
            self.view.setColumnHidden(STATE, not states)
        width = max((self.fontMetrics().horizontalAdvance(state) for state in states), default=0)
        self.view.setColumnWidth(STATE, width + _STATE_ROOM_PX)

    def _show_header(self) -> None:
        is_low = self.height() < _HEADER_LINES * self.fontMetrics().lineSpacing()
        self.view.horizontalHeader().setVisible(self._store is not None and not is_low)

    def _show_empty_text(self) -> None:
        needle = self.search.text().strip()
        if self._store is not None and needle and self._store.records:
            self.view.set_empty_text("Nothing found", f"No record has “{needle[:60]}”")
        elif self._store is not None:
            self.view.set_empty_text(f"{self._store.name} is empty", _EMPTY_HINT)

    def _on_current_changed(self, current: QModelIndex, _before: QModelIndex) -> None:
        if not self._is_showing and current.isValid():
            self.record_picked.emit(current.data(RecordIdRole))

    def _on_selection_changed(self) -> None:
        count = len(self.selected_ids())
        self.remove_button.setToolTip(
            f"Remove {count} selected records (Delete)"
            if count > 1
            else "Remove the selected record (Delete)"
        )

    def _on_remove(self) -> None:
        self.remove_requested.emit(self.selected_ids())

    def _on_sorting_picked(self, column: int, order: Qt.SortOrder) -> None:
        selected = self.selected_ids()
        self._is_showing = True
        self.model.sort(column, order)
        self._select(selected)
        self._is_showing = False

    def _on_search_settled(self) -> None:
        self._quiet.stop()
        selected = self.selected_ids()
        self._is_showing = True
        if self.model.set_needle(self.search.text()):
            self._select(selected)
        self._is_showing = False
        self._show_empty_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out, and leave the buttons' words out where it is narrow."""
        super().resizeEvent(event)
        character = self.fontMetrics().averageCharWidth()
        is_roomy = self.width() >= _ROOMY_CHARACTERS * character
        show_words((self.add_button, self.remove_button), is_roomy)
        view = self.view
        view.setColumnHidden(METADATA, self.width() < _METADATA_CHARACTERS * character)
        self._show_header()
        for section, share, least, most in ((ID, 0.24, 13, 30), (METADATA, 0.3, 9, 44)):
            view.setColumnWidth(
                section, min(max(int(self.width() * share), least * character), most * character)
            )
        if event.size().height() < event.oldSize().height():
            view.scrollTo(view.currentIndex())
