"""Memory stores by name, and the records of one as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt

from inspector import theme as themes
from inspector.drawing.record_text import compact
from inspector.drawing.words import one_line, tooltip
from inspector.models.table_model import USER_ROLE, TableModel

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from core.knowledge.memory import MemoryStore

StoreRole = USER_ROLE + 1
"""A store's name, without a mark."""
EntryRole = USER_ROLE + 2
RecordIdRole = USER_ROLE + 3

ID, TEXT, METADATA, STATE = range(4)
NEW, DRAFT = "new", "draft"
_ICONS = {NEW: "add", DRAFT: "warning"}
_TIPS = {NEW: "Written by the turn on screen", DRAFT: "Has an edit that is not in force yet"}


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """What the list of stores tells of one."""

    name: str
    records: int
    schema: str = ""
    path: str = ""
    is_changed: bool = False
    is_in_use: bool = False

    @classmethod
    def of(
        cls, store: MemoryStore, *, is_changed: bool = False, is_in_use: bool = False
    ) -> StoreEntry:
        """Sum a store up."""
        path = str(store.path) if store.path is not None else ""
        return cls(store.name, len(store.records), store.schema, path, is_changed, is_in_use)

    @property
    def label(self) -> str:
        """The name, with a mark where something is not saved."""
        return f"* {self.name}" if self.is_changed else self.name

    @property
    def facts(self) -> str:
        """Records, what happened, file and schema, on one line."""
        parts = [
            f"{self.records:,} record{'' if self.records == 1 else 's'}",
            "used by this turn" if self.is_in_use else "",
            "changed" if self.is_changed and self.path else "",
            self.path.replace("\\", "/").rpartition("/")[2] or "not saved",
            self.schema or "no schema",
        ]
        return " · ".join(part for part in parts if part)


class StoresModel(TableModel[StoreEntry]):
    """One row a store. Read-only."""

    def show_entries(self, entries: Sequence[StoreEntry]) -> None:
        """Show these stores; rows stay where they are if only what is told of them changed."""
        old, new = self.rows, tuple(entries)
        if [entry.name for entry in old] == [entry.name for entry in new]:
            self._rows = new
            for row, (before, after) in enumerate(zip(old, new, strict=True)):
                if before != after:
                    self._update(row)
        else:
            self._reset(new)

    def row_of(self, name: str) -> int:
        """Return the row of a store, −1 for none."""
        return next((row for row, entry in enumerate(self.rows) if entry.name == name), -1)

    def cell(self, entry: StoreEntry, _column: int, role: int) -> Any:
        """Return the name with its mark, or the whole entry."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.label
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{entry.label}: {entry.facts}"
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(f"{entry.name}\n{entry.facts}\n{entry.path}".strip())
        return {StoreRole: entry.name, EntryRole: entry}.get(role)


class RecordsModel(TableModel[int]):
    """The records of one store, in the store's order unless sorted. Read-only."""

    titles = ("id", "text", "metadata", "state")

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._records: tuple[Mapping[str, Any], ...] = ()
        self._written: frozenset[str] = frozenset()
        self._drafts: frozenset[str] = frozenset()
        self._needle = ""
        self._sorting: tuple[int, bool] | None = None

    def show_records(
        self,
        records: tuple[Mapping[str, Any], ...],
        written: Collection[str] = (),
        drafts: Collection[str] = (),
    ) -> bool:
        """Show these records; tell whether rows may have moved.

        Parameters
        ----------
        written : ids of those that the turn on screen wrote.
        drafts : ids of those with an edit that is not in force.
        """
        marks = frozenset(written), frozenset(drafts)
        if records is not self._records:
            self.beginResetModel()
            self._records = records
            self._written, self._drafts = marks
            self._rows = self._picked()
            self.endResetModel()
            return True
        if marks != (self._written, self._drafts):
            self._written, self._drafts = marks
            if self._rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, STATE))
        return False

    def set_needle(self, needle: str) -> bool:
        """Show only the records with this text in them, in capitals or not; all with "".

        Returns
        -------
        bool
            Whether rows may have moved.
        """
        self._needle = needle.strip().casefold()
        return self._pick_anew()

    @property
    def records(self) -> tuple[Mapping[str, Any], ...]:
        """The records of the store, shown or not."""
        return self._records

    @property
    def states(self) -> tuple[str, ...]:
        """The states that there are."""
        return (NEW,) * bool(self._written) + (DRAFT,) * bool(self._drafts)

    def row_of(self, record_id: str) -> int:
        """Return the row in which a record is shown, −1 for none."""
        return next(
            (
                row
                for row, place in enumerate(self._rows)
                if self._records[place]["id"] == record_id
            ),
            -1,
        )

    def ids(self) -> list[str]:
        """Return the ids of the records that are shown, from top to bottom."""
        return [self._records[place]["id"] for place in self._rows]

    def cell(self, place: int, column: int, role: int) -> Any:
        """Return one cell."""
        record = self._records[place]
        state = self._state(record)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return state if column == STATE else one_line(_whole(record, column))
            case Qt.ItemDataRole.DecorationRole if state and column == STATE:
                color = self._theme.ok if state == NEW else self._theme.warning
                return themes.icon(_ICONS[state], color)
            case Qt.ItemDataRole.ToolTipRole:
                return _TIPS.get(state) if column == STATE else tooltip(_whole(record, column))
        return record["id"] if role == RecordIdRole else None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; −1 brings back the store's order."""
        self._sorting = (column, order == Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._pick_anew()

    def _pick_anew(self) -> bool:
        rows = self._picked()
        if rows == self._rows:
            return False
        self._reset(rows)
        return True

    def _picked(self) -> Sequence[int]:
        """Return the rows of the store that are shown, in the order in which they are."""
        records, needle = self._records, self._needle
        rows: Sequence[int] = range(len(records))
        if needle:
            rows = [
                row
                for row in rows
                if needle in records[row]["id"].casefold()
                or needle in records[row]["text"].casefold()
                or needle in compact(records[row].get("metadata")).casefold()
            ]
        if self._sorting is None:
            return rows
        column, descending = self._sorting
        if column == STATE:
            return sorted(rows, key=lambda row: not self._state(records[row]), reverse=descending)
        return sorted(
            rows, key=lambda row: _whole(records[row], column).casefold(), reverse=descending
        )

    def _state(self, record: Mapping[str, Any]) -> str:
        if record["id"] in self._drafts:
            return DRAFT
        return NEW if record["id"] in self._written else ""


def _whole(record: Mapping[str, Any], column: int) -> str:
    if column == METADATA:
        return compact(record.get("metadata"))
    return str(record["id"] if column == ID else record["text"])
