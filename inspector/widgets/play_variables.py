"""The table of the agent's variables, with what adds and removes one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QAbstractItemView,
    QHeaderView,
    QVBoxLayout,
    QWidget,
)

from inspector.models.variables_model import UNDEFINED, Column, VariablesModel
from inspector.widgets.item_views import TableView
from inspector.widgets.labels import StatusLabel
from inspector.widgets.parts import named, packed
from inspector.widgets.play_editors import LineDelegate
from inspector.widgets.play_section import PlaySection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QResizeEvent


_SHARE, _NARROW_SHARE = 0.28, 0.4
_ROOMY_CHARACTERS = 48
# Icon and margins of a value that is undefined: that sign is never cut off.
_SIGN_PX = 40
_LEAST_CHARACTERS = 7


class PlayVariables(PlaySection):
    """Variables: name, value, and where the graph reads them. Showing emits nothing.

    Signals
    -------
    variable_edited(str, object) : a name and its new value, or None: removed.
    """

    variable_edited = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Variables", parent)
        self.model = VariablesModel(self)
        self.table = named(TableView(), "variablesTable", "Variables")
        self._status = named(StatusLabel(most_lines=2), "variablesStatus")
        self._status.hide()
        self._delegate = LineDelegate(self._problem, self)
        self._set_up_table()
        self.add_tool(
            "Add",
            "addVariable",
            "Add a variable",
            "Add a variable: its name, then its value",
            "add",
            self._on_add,
        )
        self._remove = self.add_tool(
            "Remove",
            "removeVariable",
            "Remove variable",
            "Remove the selected variable (Del)",
            "remove",
            self._on_remove,
        )
        packed(QVBoxLayout(self.content), (self.table, 1), self._status)
        self._connect()
        self._show_removable()

    def show_variables(self, values: Mapping[str, str], used: Mapping[str, Sequence[str]]) -> None:
        """Show the variables that have a value, and those that the graph reads without one."""
        self.model.show_variables(values, used)
        self._show_removable()

    def go_to_undefined(self) -> None:
        """Take the value of the first variable that has none in hand, so that it can be typed."""
        rows = range(self.model.count)
        lacking = [row for row in rows if (it := self.model.variable(row)) and it.value is None]
        self.table.setCurrentIndex(self.model.index(lacking[0] if lacking else 0, Column.VALUE))
        self.table.setFocus()

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.setItemDelegate(self._delegate)
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 10)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
            | QAbstractItemView.EditTrigger.SelectedClicked
        )
        table.horizontalHeader().setSectionResizeMode(Column.VALUE, QHeaderView.ResizeMode.Stretch)

    def _connect(self) -> None:
        self.model.edited.connect(self.variable_edited)
        self._delegate.problem_changed.connect(self._on_problem_changed)
        self._delegate.closeEditor.connect(self._on_editor_closed)
        self.table.selectionModel().currentChanged.connect(self._show_removable)
        self.table.row_activated.connect(self._on_row_activated)
        self.table.add_shortcut(QKeySequence.StandardKey.Delete, "Remove variable", self._on_remove)

    def _problem(self, index: QModelIndex | QPersistentModelIndex, text: str) -> str:
        return self.model.problem(index.row(), text) if index.column() == Column.NAME else ""

    def _show_removable(self) -> None:
        known = self.model.variable(self.table.currentIndex().row())
        self._remove.setEnabled(known is not None and known.value is not None)

    def _on_problem_changed(self, problem: str) -> None:
        self._status.setVisible(bool(problem))
        if problem:
            self._status.set_status("error", problem)

    def _on_add(self) -> None:
        self.table.edit_cell(self.model.index(self.model.count, Column.NAME))

    def _on_remove(self) -> None:
        self.model.remove(self.table.currentIndex().row())

    def _on_row_activated(self, index: QModelIndex) -> None:
        """Edit with Enter what a double-click edits."""
        is_editable = bool(index.flags() & Qt.ItemFlag.ItemIsEditable)
        self.table.edit_cell(index if is_editable else index.siblingAtColumn(Column.VALUE))

    def _on_editor_closed(self, _editor: QWidget, hint: QAbstractItemDelegate.EndEditHint) -> None:
        """Go on from the name of a new variable to its value."""
        index = self.table.currentIndex()
        known = self.model.variable(index.row())
        if (
            hint == QAbstractItemDelegate.EndEditHint.SubmitModelCache
            and index.column() == Column.NAME
            and known is not None
            and not known.value
        ):
            self.table.edit_cell(index.siblingAtColumn(Column.VALUE))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out."""
        super().resizeEvent(event)
        metrics, room = self.fontMetrics(), self.content.width()
        letter = metrics.averageCharWidth()
        # Where it is narrow, the tooltip alone says what reads a variable.
        is_narrow = room < _ROOMY_CHARACTERS * letter
        self.table.setColumnHidden(Column.USED, is_narrow)
        others = room - metrics.horizontalAdvance(UNDEFINED) - _SIGN_PX
        most = others if is_narrow else others // 2
        share = _NARROW_SHARE if is_narrow else _SHARE
        width = max(min(int(room * share), most), _LEAST_CHARACTERS * letter)
        self.table.setColumnWidth(Column.NAME, width)
        self.table.setColumnWidth(Column.USED, width)
