"""The graph written to its file; what changed there meanwhile is not overwritten without a word."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from core.errors import InspectorError
from core.io.atomic import write_atomically
from inspector.window.questions import Answer, Role, ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.session.session import Session

    Then = Callable[[], object]


def ask_to_overwrite(window: QWidget, path: Path, merge: Then, overwrite: Then) -> None:
    """Ask what to do with a file that changed on disk since it was read."""
    ask(
        window,
        f"{path.name} changed on disk since it was read.",
        "Merge takes what is in the file now, with your edits on top of it. "
        "Overwrite leaves only what you have here.",
        Answer(("Merge", Role.AcceptRole), merge),
        Answer(("Overwrite", Role.DestructiveRole), overwrite),
    )


class Saving(QObject):
    """Saves what the user made. Errors go where the session's go.

    Parameters
    ----------
    window : the parent of dialogs.

    Signals
    -------
    saved(Path) : this file was written.
    """

    saved = Signal(object)

    def __init__(self, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._window = window

    def save_graph(self, then: Then | None = None) -> None:
        """Write the graph file, or ask for a name when there is none yet.

        Parameters
        ----------
        then : called once it is written; not when the user, or an error, prevents that.
        """
        graph = self._session.graph
        if graph is None:
            return
        if graph.path is None:
            self.save_graph_as(then)
        elif graph.is_overtaken():
            ask_to_overwrite(
                self._window,
                graph.path,
                partial(self._merge, graph.path, then),
                partial(self._write, graph.path, then),
            )
        else:
            self._write(graph.path, then)

    def save_graph_as(self, then: Then | None = None) -> None:
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
            self._write(Path(name), then)

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
            else:
                self.saved.emit(Path(name))

    def _merge(self, path: Path, then: Then | None) -> None:
        self._session.reload(then=partial(self._write, path, then))

    def _write(self, path: Path, then: Then | None) -> None:
        if self._session.save(path):
            self.saved.emit(path)
            if then is not None:
                then()
