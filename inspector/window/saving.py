"""The graph written to its file; what changed there meanwhile is not overwritten without a word."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from core.errors import InspectorError
from core.io.atomic import write_atomically
from core.io.findings import Severity
from core.io.wording import cut
from inspector.window.questions import Answer, Role, ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.io.findings import Finding
    from inspector.session.session import Session
    from inspector.session.shown import Shown

    Then = Callable[[], object]


def ask_to_overwrite(window: QWidget, path: Path, merge: Then | None, overwrite: Then) -> None:
    """Ask what to do with a file that changed on disk since it was read.

    Parameters
    ----------
    merge : None where the file cannot be read.
    """
    can_merge = "Merge takes what is in the file now, with your edits on top of it. "
    ask(
        window,
        f"{path.name} changed on disk since it was read.",
        (can_merge if merge is not None else "It cannot be read as it is now. ")
        + "Overwrite leaves only what you have here.",
        *([Answer(("Merge", Role.AcceptRole), merge)] if merge is not None else []),
        Answer(("Overwrite", Role.DestructiveRole), overwrite),
    )


_MOST_NAMED = 6
_LONGEST_VALUE = 60


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
        self._once_sound(partial(self._save, then))

    def save_graph_as(self, then: Then | None = None) -> None:
        """Ask for a name and write the graph there."""
        self._once_sound(partial(self._save_as, then))

    def _once_sound(self, act: Then) -> None:
        """Do something with the graph; where the game would refuse it, or not all is saved, ask."""
        apply_draft = getattr(QApplication.focusWidget(), "apply_draft", None)
        if apply_draft is not None:
            apply_draft()
        self._session.checking.then(partial(self._ask_if_unsound, act))

    def _ask_if_unsound(self, act: Then) -> None:
        shown = self._session.shown()
        faults = _faults(shown)
        if not faults and not shown.drafts:
            act()
            return
        ask(
            self._window,
            "Save a graph that the game would refuse?"
            if faults
            else "Save without what is refused here?",
            "\n".join(f"• {line}" for line in (*faults, *_left_out(shown))),
            Answer(("Save anyway", Role.AcceptRole), act),
        )

    def _save(self, then: Then | None) -> None:
        graph = self._session.graph
        if graph is None:
            return
        if graph.path is None:
            self._save_as(then)
        elif graph.is_overtaken():
            ask_to_overwrite(
                self._window,
                graph.path,
                partial(self._merge, graph.path, then),
                partial(self._write, graph.path, then),
            )
        else:
            self._write(graph.path, then)

    def _save_as(self, then: Then | None) -> None:
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
            self._window,
            "Save the diagnostics",
            str(Path(self._session.folder) / "debug_info.json"),
            "JSON (*.json)",
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


def _faults(shown: Shown) -> list[str]:
    """Return why the graph in force is none that would run: it does not compile, or render."""
    of_drafts = {draft.finding for draft in shown.drafts.values()}
    errors = [
        found
        for found in shown.checked
        if found.severity is Severity.ERROR and found not in of_drafts
    ]
    runs = shown.turn.runs if shown.turn is not None and not shown.turn.recorded else ()
    unrendered = [
        f"{run.name}: {run.projection.error.message}"
        for run in runs
        if run.projection is not None and run.projection.error is not None
    ]
    lines = [f"{int(found.code)} {_where(found)}: {found.message}" for found in errors]
    more = len(lines) - _MOST_NAMED
    return [*lines[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else []), *unrendered]


def _left_out(shown: Shown) -> list[str]:
    """Say of each draft what is saved in its place."""
    said = []
    for (name, param), draft in shown.drafts.items():
        params = shown.graph.node(name).params if shown.graph is not None else None
        if params is None:
            continue
        value = params.specs()[param].to_json(getattr(params, param))
        saved = cut(" ".join(str(value).split()), _LONGEST_VALUE) or "nothing"
        said.append(f"{name}.{param} is refused: {draft.finding.message}. Saved is {saved}")
    return said


def _where(found: Finding) -> str:
    place = found.place
    return ".".join(filter(None, (place.node, place.param))) or place.json_path or place.file
