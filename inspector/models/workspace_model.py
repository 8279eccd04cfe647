"""What is open: knowledge with its number of records, graphs, other files; a tree in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.models.table_model import USER_ROLE, Index

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from core.agent.workspace import Workspace
    from inspector.theme import Theme

EntryRole = USER_ROLE + 1
DetailRole = USER_ROLE + 2
CurrentRole = USER_ROLE + 3

KNOWLEDGE, GRAPHS, OTHERS = "knowledge", "graphs", "other files"
_GROUPS = (KNOWLEDGE, GRAPHS, OTHERS)
_ICONS = {KNOWLEDGE: "knowledge", GRAPHS: "graph", OTHERS: "file"}
_NO_ROW = 2**32


@dataclass(frozen=True, slots=True)
class WorkspaceEntry:
    """One file. `detail` is shown at its right; the current one is what was opened."""

    group: str
    label: str
    path: str
    detail: str = ""
    is_current: bool = False
    tip: str = ""


def entries_of(
    path: Path, workspace: Workspace, neighbours: Iterable[Path] = ()
) -> tuple[WorkspaceEntry, ...]:
    """List what is open and, below it, what lies beside it.

    Parameters
    ----------
    path : the file that was opened.
    workspace : its storages.
    neighbours : other graph and knowledge files of the folder, which may be opened instead.
    """
    path = path.absolute()
    entries: dict[Path, WorkspaceEntry] = {}
    for file, (count, what) in workspace.sizes().items():
        entries[file.absolute()] = WorkspaceEntry(
            KNOWLEDGE,
            _stem(file),
            str(file),
            f"{count:,}",
            file.absolute() == path,
            f"{file}\n{count:,} {what}",
        )
    if path not in entries:
        group = GRAPHS if path.name.endswith(".graph.json") else OTHERS
        entries[path] = WorkspaceEntry(group, _stem(path), str(path), "", True, f"{path}\nopen")
    for file in (neighbour.absolute() for neighbour in neighbours):
        if file not in entries:
            group = GRAPHS if file.name.endswith(".graph.json") else KNOWLEDGE
            entries[file] = WorkspaceEntry(
                group, _stem(file), str(file), "", False, f"{file}\nnot open: double-click opens it"
            )
    for file, storage in workspace.files().items():
        if file.absolute() not in entries:
            entries[file.absolute()] = WorkspaceEntry(
                OTHERS, file.name, str(file), "", False, f"{file}\nread by {storage}"
            )
    return tuple(entries.values())


def _stem(path: Path) -> str:
    return path.name.removesuffix(".json").removesuffix(".jsonl")


class WorkspaceModel(QAbstractItemModel):
    """Groups at the top, files below them. Read-only."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = themes.LIGHT
        self._groups: tuple[tuple[str, tuple[WorkspaceEntry, ...]], ...] = ()

    def show_entries(self, entries: Sequence[WorkspaceEntry]) -> bool:
        """Show these files; tell whether anything is different."""
        groups = tuple(
            (group, tuple(e for e in entries if e.group == group))
            for group in _GROUPS
            if any(e.group == group for e in entries)
        )
        if groups == self._groups:
            return False
        self.beginResetModel()
        self._groups = groups
        self.endResetModel()
        return True

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours; the view repaints by itself."""
        self._theme = theme

    def current(self) -> QModelIndex:
        """Return the index of the file that was opened, invalid without one."""
        for row, (_, entries) in enumerate(self._groups):
            for number, entry in enumerate(entries):
                if entry.is_current:
                    return self.createIndex(number, 0, row)
        return QModelIndex()

    def entry(self, index: Index) -> WorkspaceEntry | None:
        """Return the file of an index, None for a group."""
        if not index.isValid() or index.internalId() == _NO_ROW:
            return None
        entries = self._groups[index.internalId()][1]
        return entries[index.row()] if index.row() < len(entries) else None

    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        """Return the index of a group or of a file."""
        if column != 0 or not 0 <= row < self.rowCount(parent):
            return QModelIndex()
        if parent is None or not parent.isValid():
            return self.createIndex(row, 0, _NO_ROW)
        return self.createIndex(row, 0, parent.row())

    def parent(self, child: Index | None = None) -> Any:
        """Return the index of a file's group."""
        if child is None:
            return super().parent()
        if not child.isValid() or child.internalId() == _NO_ROW:
            return QModelIndex()
        return self.createIndex(child.internalId(), 0, _NO_ROW)

    def rowCount(self, parent: Index | None = None) -> int:
        """Return how many groups there are, or files in a group."""
        if parent is None or not parent.isValid():
            return len(self._groups)
        return len(self._groups[parent.row()][1]) if parent.internalId() == _NO_ROW else 0

    def columnCount(self, _parent: Index | None = None) -> int:
        """Return 1."""
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a group's or a file's name, detail, icon, tooltip."""
        if not index.isValid():
            return None
        entry = self.entry(index)
        if entry is None:
            group, entries = self._groups[index.row()]
            return {
                int(Qt.ItemDataRole.DisplayRole): group,
                int(DetailRole): str(len(entries)),
            }.get(int(role))
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.label
        if role == Qt.ItemDataRole.AccessibleTextRole:
            parts = (
                entry.label,
                f"{entry.detail} records" if entry.detail else "",
                "open" if entry.is_current else "",
            )
            return ", ".join(part for part in parts if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(entry.tip or entry.path)
        if role == Qt.ItemDataRole.DecorationRole:
            color = self._theme.accent if entry.is_current else self._theme.muted
            return themes.icon(_ICONS[entry.group], color)
        return {
            int(EntryRole): entry,
            int(DetailRole): entry.detail,
            int(CurrentRole): entry.is_current,
        }.get(int(role))

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let files be selected, groups only be folded."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.entry(index) is None:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
