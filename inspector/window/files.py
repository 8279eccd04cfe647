"""The files in use: opened, saved, watched, read again, and shown at a line."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.errors import InspectorError
from core.io.atomic import write_atomically
from inspector.window.file_view import FileView

if TYPE_CHECKING:
    from core.io.findings import Finding
    from inspector.panels.message_bar import MessageBar
    from inspector.session.preferences import Preferences
    from inspector.session.session import Session
    from inspector.session.shown import Shown
    from inspector.session.watching import FileWatch

KNOWLEDGE_FILES = "Graphs and knowledge (*.json *.jsonl *.ndjson);;All files (*)"


class Files(QObject):
    """What the window does with files. Errors go where the session's go.

    Parameters
    ----------
    window : the parent of dialogs.
    """

    def __init__(
        self,
        session: Session,
        watch: FileWatch,
        preferences: Preferences,
        bar: MessageBar,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._watch = watch
        self._preferences = preferences
        self._bar = bar
        self._window = window
        session.opened.connect(self._on_opened)
        watch.changed.connect(self._on_files_changed)
        # A turn finds memory stores by names that only it can resolve.
        session.bind((lambda shown: shown.turn, self._watch_stores))

    def open(self, path: str | Path) -> None:
        """Open a graph, knowledge or folder; what is open stays until that worked."""
        self._session.open(Path(path))

    def choose_file(self) -> None:
        """Ask for a file and open it."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open a graph or knowledge", "", KNOWLEDGE_FILES
        )
        if name:
            self.open(name)

    def choose_folder(self) -> None:
        """Ask for a folder and open what it holds."""
        name = QFileDialog.getExistingDirectory(self._window, "Open a folder")
        if name:
            self.open(name)

    def save_graph(self) -> None:
        """Write the graph file, or ask for a name when there is none yet."""
        path = self._session.graph.path if self._session.graph is not None else None
        if path is None:
            self.save_graph_as()
        else:
            self._save(path)

    def save_graph_as(self) -> None:
        """Ask for a name and write the graph there."""
        current = self._session.current
        if current is None:
            return
        name, _ = QFileDialog.getSaveFileName(
            self._window,
            "Save the graph",
            str(current.path.parent / "new.graph.json"),
            "Graphs (*.graph.json)",
        )
        if name:
            self._save(Path(name))

    def _save(self, path: Path) -> None:
        if self._session.save(path):
            self._on_opened()
            self._bar.post("info", f"Saved {path}")

    def save_diagnostics(self, text: str) -> None:
        """Ask for a name and write the turn's debug_info there."""
        name, _ = QFileDialog.getSaveFileName(
            self._window, "Save the diagnostics", "debug_info.json", "JSON (*.json)"
        )
        if name:
            try:
                write_atomically(Path(name), [text.encode()])
            except InspectorError as error:
                self._session.failed.emit(error)

    def open_place(self, finding: Finding) -> None:
        """Show the file of a finding, at its line."""
        if finding.place.node and self._session.graph is not None:
            self._session.pick_node(finding.place.node)
        if finding.place.file:
            FileView(finding.place, self._window).show()

    def reload(self) -> None:
        """Read the open files again; if they are broken now, the old content stays in use."""
        current = self._session.current
        if current is not None:
            self._session.open(current.path, root=current.workspace.root.path, keep=True)

    def _on_opened(self) -> None:
        current = self._session.current
        if current is None:
            return
        self._preferences.add_recent(current.path)
        files = {*current.workspace.files(), *current.workspace.corpora.files()}
        if current.graph.path is not None:
            files.add(current.graph.path)
        self._watch.watch(files)

    def _watch_stores(self, shown: Shown) -> None:
        if shown.opened is not None:
            self._watch.watch_also(shown.opened.workspace.memories.files())

    def _on_files_changed(self, paths: list[Path]) -> None:
        if self._preferences.flag("reload", False):
            self.reload()
            return
        names = ", ".join(path.name for path in paths)
        self._bar.post(
            "info", f"{names} changed on disk", actions=[("Reload", self.reload)], stays=True
        )
