"""The nodes whose exit only a language model could decide, and the exit picked for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.models.table_model import USER_ROLE, TableModel

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class SimulatedExit:
    """A node whose exit the user picks: its name, its type, its exits, and the one in force."""

    node: str
    type: str
    routes: tuple[str, ...]
    picked: str


Column = IntEnum("Column", ["NODE", "TYPE", "EXIT"], start=0)
"""The columns in their order."""


class ExitsModel(TableModel[SimulatedExit]):
    """One row a node, in the graph's order. Read-only: the view picks with combo boxes."""

    titles = ("node", "type", "exit")
    helps = (
        "Double-click shows its parameters",
        "What it would ask a language model",
        "The exit that turns take here",
    )
    NodeRole: ClassVar[int] = USER_ROLE + 1

    def show_exits(self, exits: Sequence[SimulatedExit]) -> bool:
        """Show these nodes; tell whether rows came or went, or their exits changed."""
        exits = tuple(exits)
        if [(e.node, e.type, e.routes) for e in exits] == [
            (e.node, e.type, e.routes) for e in self._rows
        ]:
            self._rows = exits
            if exits:
                self.dataChanged.emit(
                    self.index(0, Column.EXIT), self.index(len(exits) - 1, Column.EXIT)
                )
            return False
        self._reset(exits)
        return True

    def cell(self, shown: SimulatedExit, column: int, role: int) -> Any:
        """Return one cell."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (shown.node, shown.type, shown.picked)[column]
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(
                    f"{shown.node}: {shown.type}\nOnly a language model could decide its "
                    f"exit; turns take {shown.picked}"
                )
            case Qt.ItemDataRole.DecorationRole if column == Column.NODE:
                return themes.node_icon(shown.type, self._theme.muted)
            case Qt.ItemDataRole.ForegroundRole if column == Column.TYPE:
                return self._theme.muted
            case self.NodeRole:
                return shown.node
        return None
