"""The base of the item models: rows that are swapped whole, and what the columns are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from inspector.theme import Themed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject

Row = TypeVar("Row")
Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
USER_ROLE = int(Qt.ItemDataRole.UserRole)


class TableModel(Themed, QAbstractTableModel, Generic[Row]):
    """Rows of one kind; a list is a table of one column.

    titles : what the columns are called.
    helps : what each column tells, for its title's tooltip.
    numbers : the columns that stand to the right.
    """

    titles: ClassVar[tuple[str, ...]] = ("",)
    helps: ClassVar[tuple[str, ...]] = ()
    numbers: ClassVar[frozenset[int]] = frozenset()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[Row] = ()

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is on show, from top to bottom."""
        return tuple(self._rows)

    def cell(self, row: Row, column: int, role: int) -> Any:
        """Return what a row has in a column for a role, None for nothing."""
        raise NotImplementedError

    def _reset(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def _update(self, row: int) -> None:
        """Tell that a row is another one in the same place."""
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.titles) - 1))

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in self.numbers else Qt.AlignmentFlag.AlignLeft
        return side | Qt.AlignmentFlag.AlignVCenter

    # Qt

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(self.titles)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return one cell."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        return self.cell(self._rows[index.row()], index.column(), role)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title, help or side."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.titles):
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.titles[section]
            case Qt.ItemDataRole.AccessibleTextRole:
                return " ".join(self.titles[section].split())
            case Qt.ItemDataRole.TextAlignmentRole if self.numbers:
                return self._alignment(section)
        return self.helps[section] if role == Qt.ItemDataRole.ToolTipRole and self.helps else None
