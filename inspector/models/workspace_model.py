"""What is open: knowledge with its number of records, graphs, other files; a tree in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.models.table_model import USER_ROLE
from inspector.theme import Themed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from PySide6.QtCore import QObject

    from core.agent.workspace import Workspace
    from inspector.theme import Theme

EntryRole = USER_ROLE + 1
DetailRole = USER_ROLE + 2
CurrentRole = USER_ROLE + 3

KNOWLEDGE, GRAPHS, OTHERS = "knowledge", "graphs", "other files"
_GROUPS = (KNOWLEDGE, GRAPHS, OTHERS)
_ICONS = {KNOWLEDGE: "knowledge", GRAPHS: "graph", OTHERS: "file"}


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


class WorkspaceModel(Themed, QStandardItemModel):
    """Groups at the top, files below them. Read-only."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[WorkspaceEntry, ...] = ()

    def show_entries(self, entries: Sequence[WorkspaceEntry]) -> bool:
        """Show these files; tell whether anything is different."""
        if tuple(entries) == self._entries:
            return False
        self._entries = tuple(entries)
        self.clear()
        for group in _GROUPS:
            files = [_file(entry) for entry in entries if entry.group == group]
            if files:
                title = QStandardItem(group)
                title.setFlags(Qt.ItemFlag.ItemIsEnabled)
                title.setData(str(len(files)), DetailRole)
                title.appendRows(files)
                self.appendRow(title)
        self._set_icons()
        return True

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._set_icons()

    def _set_icons(self) -> None:
        groups = [self.item(row) for row in range(self.rowCount())]
        for file in (group.child(row) for group in groups for row in range(group.rowCount())):
            entry: WorkspaceEntry = file.data(EntryRole)
            color = self._theme.accent if entry.is_current else self._theme.muted
            file.setIcon(themes.icon(_ICONS[entry.group], color))


def _file(entry: WorkspaceEntry) -> QStandardItem:
    item = QStandardItem(entry.label)
    item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
    item.setToolTip(tooltip(entry.tip or entry.path))
    spoken = (
        entry.label,
        f"{entry.detail} records" if entry.detail else "",
        "open" if entry.is_current else "",
    )
    item.setAccessibleText(", ".join(part for part in spoken if part))
    item.setData(entry, EntryRole)
    item.setData(entry.detail, DetailRole)
    item.setData(entry.is_current, CurrentRole)
    return item
