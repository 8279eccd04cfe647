"""The nodes whose exit only a language model could decide, and the exit picked for each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from inspector import theme as themes
from inspector.drawing.words import tooltip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject

    from inspector.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_ICONS = frozenset(themes.icon_names())


@dataclass(frozen=True, slots=True)
class SimulatedExit:
    """A node whose exit the user picks: its name, its type, its exits, and the one in force."""

    node: str
    type: str
    routes: tuple[str, ...]
    picked: str


class Column(IntEnum):
    """The columns in their order."""

    NODE = 0
    TYPE = 1
    EXIT = 2


_TITLES = ("node", "type", "exit")
_HELP = (
    "Double-click shows its parameters",
    "What it would ask a language model",
    "The exit that turns take here",
)


class ExitsModel(QAbstractTableModel):
    """One row a node, in the graph's order. Read-only: the view picks with combo boxes."""

    NodeRole: ClassVar[int] = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._exits: tuple[SimulatedExit, ...] = ()
        self._theme: Theme = themes.LIGHT

    def show_exits(self, exits: Sequence[SimulatedExit]) -> bool:
        """Show these nodes; tell whether rows came or went, or their exits changed."""
        exits = tuple(exits)
        if [(e.node, e.type, e.routes) for e in exits] == [
            (e.node, e.type, e.routes) for e in self._exits
        ]:
            self._exits = exits
            if exits:
                self.dataChanged.emit(
                    self.index(0, Column.EXIT), self.index(len(exits) - 1, Column.EXIT)
                )
            return False
        self.beginResetModel()
        self._exits = exits
        self.endResetModel()
        return True

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours; the view repaints by itself."""
        self._theme = theme

    @property
    def exits(self) -> tuple[SimulatedExit, ...]:
        """The nodes on show."""
        return self._exits

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Return the number of nodes."""
        return 0 if parent.isValid() else len(self._exits)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Return 3."""
        return 0 if parent.isValid() else len(Column)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return one cell."""
        if not index.isValid() or index.row() >= len(self._exits):
            return None
        shown, column = self._exits[index.row()], Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return {Column.NODE: shown.node, Column.TYPE: shown.type}.get(column, shown.picked)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(
                f"{shown.node}: {shown.type}\nOnly a language model could decide its "
                f"exit; turns take {shown.picked}"
            )
        if role == Qt.ItemDataRole.DecorationRole and column is Column.NODE:
            return _icon(shown.type, self._theme)
        if role == Qt.ItemDataRole.ForegroundRole and column is Column.TYPE:
            return self._theme.muted
        if role == self.NodeRole:
            return shown.node
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title or help."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(_TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _TITLES[section]
        return _HELP[section] if role == Qt.ItemDataRole.ToolTipRole else None


def _icon(node_type: str, theme: Theme) -> Any:
    name = f"node_{node_type}"
    return themes.icon(name if name in _ICONS else "graph", theme.muted)
