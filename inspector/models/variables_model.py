"""The agent's variables, ``var.NAME``, as a table that is edited in place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal

from core.errors import Code
from inspector import theme as themes
from inspector.drawing.words import one_line, tooltip
from inspector.models.table_model import ROOT, Index, TableModel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtCore import QObject

NEW = "new…"
UNDEFINED = f"undefined: {int(Code.InvalidParamValue)}"


Column = IntEnum("Column", ["NAME", "VALUE", "USED"], start=0)
"""The columns in their order."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A row. `value` None: the graph reads it, but nobody has given it a value."""

    name: str
    value: str | None = None
    used: tuple[str, ...] = ()


def name_problem(name: str) -> str:
    """Return why a name cannot stand in ``{{var.NAME}}``, or "" when it can."""
    if not name:
        return "a variable needs a name"
    wrong = next((sign for sign in name if sign in "{}" or sign.isspace()), "")
    if wrong:
        shown = "white space" if wrong.isspace() else wrong
        return f"a name has no {shown}: it stands in {{{{var.NAME}}}}"
    return ""


class VariablesModel(TableModel[Variable]):
    """One row a variable, and a last empty one in which a new one is typed.

    Rows keep their places while they are there, so that nothing moves under an open editor: what
    is new comes at the end. First shown, the undefined ones come first.

    Signals
    -------
    edited(str, object) : a name and its new value, or None: removed.
    """

    edited = Signal(str, object)

    titles = ("name", "value", "used by")
    helps = (
        "What stands behind var. in {{var.NAME}}",
        "The text that takes its place",
        "Where the graph reads it",
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Variable] = []

    def show_variables(self, values: Mapping[str, str], used: Mapping[str, Sequence[str]]) -> None:
        """Show the variables that have a value, and those that the graph reads without one."""
        undefined = {name: None for name in used if name not in values}
        wanted = {
            name: Variable(name, value, tuple(used.get(name, ())))
            for name, value in {**undefined, **values}.items()
        }
        for row in reversed(range(len(self._rows))):
            if self._rows[row].name not in wanted:
                self.beginRemoveRows(ROOT, row, row)
                del self._rows[row]
                self.endRemoveRows()
        for row, known in enumerate(self._rows):
            self._put(row, wanted.pop(known.name), known)
        if wanted:
            start = len(self._rows)
            self.beginInsertRows(ROOT, start, start + len(wanted) - 1)
            self._rows.extend(wanted.values())
            self.endInsertRows()

    def variable(self, row: int) -> Variable | None:
        """Return the variable of a row; None for the last, empty one."""
        return self._rows[row] if 0 <= row < len(self._rows) else None

    @property
    def count(self) -> int:
        """How many variables there are: rows without the last, empty one."""
        return len(self._rows)

    def problem(self, row: int, name: str) -> str:
        """Return why the variable of a row cannot have this name, or ""."""
        name = name.strip()
        known = self.variable(row)
        if known is None and not name:
            return ""
        taken = any(other.name == name for other in self._rows if other is not known)
        return f"there is a variable {name} already" if taken else name_problem(name)

    def remove(self, row: int) -> None:
        """Ask for the removal of a variable that has a value."""
        known = self.variable(row)
        if known is not None and known.value is not None:
            self.edited.emit(known.name, None)

    def _put(self, row: int, wanted: Variable, known: Variable) -> None:
        if wanted == known:
            return
        self._rows[row] = wanted
        self._update(row)

    def _rename(self, row: int, name: str) -> bool:
        known = self.variable(row)
        if not name or self.problem(row, name):
            return False
        if known is None:
            self.beginInsertRows(ROOT, row + 1, row + 1)
            self._rows.append(Variable(name, ""))
            self.endInsertRows()
            self._update(row)
            self.edited.emit(name, "")
        elif known.value is not None and name != known.name:
            self._put(row, Variable(name, known.value), known)
            self.edited.emit(name, known.value)
            self.edited.emit(known.name, None)
        return True

    def _set_value(self, row: int, value: str) -> bool:
        known = self.variable(row)
        if known is None:
            return False
        if value != known.value:
            self._put(row, replace(known, value=value), known)
            self.edited.emit(known.name, value)
        return True

    # Qt

    def rowCount(self, parent: Index = ROOT) -> int:
        """Return the number of variables, and one."""
        return 0 if parent.isValid() else len(self._rows) + 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return one cell; `EditRole` is the text itself."""
        if not index.isValid() or index.row() > len(self._rows):
            return None
        known, column = self.variable(index.row()), Column(index.column())
        is_undefined = known is not None and known.value is None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _shown(known, column)
            case Qt.ItemDataRole.EditRole:
                return _text(known, column)
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(_tip(known, column))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{self.titles[column]}: {_shown(known, column) or 'empty'}"
            case Qt.ItemDataRole.DecorationRole if is_undefined and column is Column.VALUE:
                return themes.icon("error", self._theme.error)
            case Qt.ItemDataRole.ForegroundRole if is_undefined and column is Column.VALUE:
                return self._theme.ink(self._theme.error)
            case Qt.ItemDataRole.ForegroundRole if known is None or column is Column.USED:
                return self._theme.muted
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take over what was typed into a cell; False when it cannot be."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        if index.column() == Column.NAME:
            return self._rename(index.row(), str(value).strip())
        return index.column() == Column.VALUE and self._set_value(index.row(), str(value))

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Names and values are editable; the name that the graph reads without a value is not."""
        flags = super().flags(index)
        if not index.isValid():
            return flags
        known = self.variable(index.row())
        editable = {
            Column.NAME: known is None or known.value is not None,
            Column.VALUE: known is not None,
        }.get(Column(index.column()), False)
        return flags | Qt.ItemFlag.ItemIsEditable if editable else flags


def _text(variable: Variable | None, column: Column) -> str:
    if variable is None:
        return ""
    if column is Column.NAME:
        return variable.name
    return (variable.value or "") if column is Column.VALUE else ", ".join(variable.used)


def _shown(variable: Variable | None, column: Column) -> str:
    if variable is None:
        return NEW if column is Column.NAME else ""
    if column is Column.VALUE and variable.value is None:
        return UNDEFINED
    return one_line(_text(variable, column))


def _tip(variable: Variable | None, column: Column) -> str:
    if variable is None:
        return "Type a name to add a variable"
    read_by = f"\nRead by {', '.join(variable.used)}" if variable.used else ""
    if column is Column.VALUE and variable.value is None:
        return (
            f"{int(Code.InvalidParamValue)} {Code.InvalidParamValue.name}: undefined variable "
            f'"{variable.name}"\nGive it a value here{read_by}'
        )
    return _text(variable, column) + (read_by if column is Column.NAME else "")
