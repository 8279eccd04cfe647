"""Named facts of one record in two columns, in sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from inspector.drawing.words import tooltip
from inspector.theme import scaled_font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QFont

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_SHOWN_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the table. A section's heading has no value; a `note` stands behind the name."""

    name: str
    value: str = ""
    note: str = ""
    is_heading: bool = False


class FactsModel(QAbstractTableModel):
    """Shows `Fact`s: name and value."""

    HeadingRole: ClassVar[int] = Qt.ItemDataRole.UserRole + 1

    def __init__(self, base_font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._heading_font = scaled_font(base_font, 0.88, bold=True)
        self._facts: tuple[Fact, ...] = ()

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show other facts."""
        if tuple(facts) == self._facts:
            return
        self.beginResetModel()
        self._facts = tuple(facts)
        self.endResetModel()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts on show."""
        return self._facts

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Return the number of facts and headings."""
        return 0 if parent.isValid() else len(self._facts)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Return 2: name and value."""
        return 0 if parent.isValid() else 2

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a name (with its note) or a value."""
        if not index.isValid() or not 0 <= index.row() < len(self._facts):
            return None
        fact = self._facts[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            if index.column() == 1:
                return " ".join(fact.value[:_SHOWN_CHARACTERS].split())
            return f"{fact.name} ({fact.note})" if fact.note else fact.name
        if role == Qt.ItemDataRole.ToolTipRole and not fact.is_heading:
            note = f"\n{fact.note}" if fact.note else ""
            return tooltip(f"{fact.name}: {fact.value}{note}")
        if role == Qt.ItemDataRole.FontRole and fact.is_heading:
            return self._heading_font
        if role == self.HeadingRole:
            return fact.is_heading
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return the columns' titles."""
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return ("name", "value")[section] if 0 <= section < 2 else None
        return None

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Headings cannot be selected."""
        if index.isValid() and self._facts[index.row()].is_heading:
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)
