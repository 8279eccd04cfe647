"""The messages of earlier turns as a table: who said it, and what was said."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal

from core.prompt.dialog_text import ROLES, next_role
from core.prompt.messages import DialogLine
from inspector.drawing.words import one_line, tooltip
from inspector.models.table_model import ROOT, Index, TableModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from PySide6.QtCore import QObject


Column = IntEnum("Column", ["ROLE", "TEXT"], start=0)
"""The columns in their order."""


class DialogModel(TableModel[DialogLine]):
    """One row a message, the oldest first, and below them one that is being written, if any.

    Rows are changed where they stand, so that an editor that is open stays open.

    Signals
    -------
    edited(object) : the messages after an edit of the user's: ``tuple[DialogLine, ...]``.
    """

    edited = Signal(object)

    titles = ("role", "message")

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[DialogLine] = []

    @property
    def lines(self) -> tuple[DialogLine, ...]:
        """The messages; one that has no text yet is not among them."""
        return tuple(line for line in self._rows if line.text)

    def show_lines(self, lines: Sequence[DialogLine]) -> None:
        """Show other messages; a message that is being written stays below them."""
        old, new = self.lines, tuple(lines)
        if old == new:
            return
        start = 0
        while start < min(len(old), len(new)) and old[start] == new[start]:
            start += 1
        end = 0
        while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
            end += 1
        shared = min(len(old), len(new)) - end
        for row in range(start, shared):
            self._put(row, new[row])
        if len(old) > len(new):
            self._take(shared, shared + len(old) - len(new) - 1)
        elif len(new) > len(old):
            self._add(shared, new[shared : shared + len(new) - len(old)])

    def append(self, lines: Iterable[DialogLine]) -> None:
        """Add messages at the end."""
        self.drop_draft()
        self._add(len(self._rows), tuple(lines))
        self.edited.emit(self.lines)

    def begin_draft(self) -> int:
        """Add a row in which a message is written, and return it."""
        if not self._has_draft:
            self._add(len(self._rows), (DialogLine(next_role(self._rows), ""),))
        return len(self._rows) - 1

    def drop_draft(self) -> None:
        """Remove the row in which nothing was written."""
        if self._has_draft:
            self._take(len(self._rows) - 1, len(self._rows) - 1)

    def remove(self, rows: Iterable[int]) -> None:
        """Remove the messages of these rows."""
        gone = sorted({row for row in rows if 0 <= row < len(self._rows)}, reverse=True)
        for row in gone:
            self._take(row, row)
        if gone:
            self.edited.emit(self.lines)

    @property
    def _has_draft(self) -> bool:
        return bool(self._rows) and not self._rows[-1].text

    def _put(self, row: int, line: DialogLine) -> None:
        self._rows[row] = line
        self._update(row)

    def _add(self, row: int, lines: Sequence[DialogLine]) -> None:
        if lines:
            self.beginInsertRows(ROOT, row, row + len(lines) - 1)
            self._rows[row:row] = lines
            self.endInsertRows()

    def _take(self, first: int, last: int) -> None:
        self.beginRemoveRows(ROOT, first, last)
        del self._rows[first : last + 1]
        self.endRemoveRows()

    # Qt

    def cell(self, line: DialogLine, column: int, role: int) -> Any:
        """Return one cell; `EditRole` is the text itself."""
        said = line.role if column == Column.ROLE else one_line(line.text)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return said
            case Qt.ItemDataRole.EditRole:
                return line.role if column == Column.ROLE else line.text
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(f"{line.role}:\n{line.text}")
            case Qt.ItemDataRole.AccessibleTextRole:
                return line.role if column == Column.ROLE else f"{line.role}: {said}"
            case Qt.ItemDataRole.ForegroundRole if column == Column.ROLE:
                return self._theme.muted
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take over a role or a text; False for what is none: a message is removed otherwise."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        line = self._rows[index.row()]
        if index.column() == Column.ROLE:
            known = next((name for name in ROLES if name == value), None)
            if known is None:
                return False
            changed = line._replace(role=known)
        elif str(value).strip():
            changed = line._replace(text=str(value))
        else:
            return False
        if changed != line:
            before = self.lines
            self._put(index.row(), changed)
            if self.lines != before:
                self.edited.emit(self.lines)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """All of it is editable."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() else flags
