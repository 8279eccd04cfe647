"""The files in use: opened, watched, read again, and shown at a line."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QFileDialog, QWidget

from core.opening.opening import GRAPH_SUFFIX
from inspector.session.session import OPEN_LANE
from inspector.window.file_view import FileView

if TYPE_CHECKING:
    from core.io.findings import Finding
    from inspector.panels.message_bar import MessageBar
    from inspector.session.preferences import Preferences
    from inspector.session.session import Session
    from inspector.session.shown import Shown
    from inspector.session.watching import FileWatch
    from inspector.window.leaving import Leaving

OFFER = "changed on disk"
_MOST_NAMED = 3
KNOWLEDGE_FILES = "Graphs and knowledge (*.json *.jsonl *.ndjson);;All files (*)"


class Files(QObject):
    """Opens files for the user, and follows those that are open. Errors go where the session's go.

    Parameters
    ----------
    leaving : what is asked before something else is opened.
    window : the parent of dialogs.
    """

    def __init__(
        self,
        session: Session,
        watch: FileWatch,
        preferences: Preferences,
        bar: MessageBar,
        leaving: Leaving,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._watch = watch
        self._preferences = preferences
        self._bar = bar
        self._leaving = leaving
        self._window = window
        self._root: Path | None = None
        self._dropped: list[Path] = []
        self._changed: dict[Path, None] = {}
        session.opened.connect(self._on_opened)
        watch.changed.connect(self._on_files_changed)
        # A turn opens files by names that only it can resolve, but none because a slider moved.
        session.bind(
            (
                lambda s: (s.opened, s.outline, s.message, s.variables, s.is_outdated),
                self._watch_more,
            )
        )

    def open(self, path: str | Path) -> None:
        """Open a graph, knowledge or folder; what is open stays until that worked."""
        path = Path(path)
        self._dropped = []
        self._leaving.then(f"open {path.name}", partial(self._session.open, path))

    def open_dropped(self, paths: list[Path]) -> None:
        """Open one of several files, a graph before others, and then say of the rest why not."""
        first = next((path for path in paths if path.name.endswith(GRAPH_SUFFIX)), paths[0])
        self.open(first)
        self._dropped = [path for path in paths if path != first]

    def _last_folder(self) -> str:
        """Return the folder of the file that was opened last, "" where there is none."""
        return next((str(path.parent) for path in self._preferences.recent), "")

    def choose_file(self) -> None:
        """Ask for a file and open it."""
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Open a graph or knowledge", self._last_folder(), KNOWLEDGE_FILES
        )
        if name:
            self.open(name)

    def choose_folder(self) -> None:
        """Ask for a folder and open what it holds."""
        name = QFileDialog.getExistingDirectory(self._window, "Open a folder", self._last_folder())
        if name:
            self.open(name)

    def open_place(self, finding: Finding) -> None:
        """Show the file of a finding, at its line."""
        if finding.place.node and self._session.graph is not None:
            self._session.pick_node(finding.place.node)
        if finding.place.file:
            FileView(finding.place, self._window).show()

    def reload(self) -> None:
        """Read the open files again; if they are broken now, the old content stays in use."""
        self._session.reload()

    def take_saved(self, path: Path) -> None:
        """Take note that the program itself has written a file: what it was before is settled."""
        current = self._session.current
        if current is not None:
            self._preferences.add_recent(current.path)
            self._watch.watch_also([current.path.absolute(), path.absolute()])
        self._watch.take_note(path.absolute())
        self._changed.pop(path.absolute(), None)
        self._offer()

    def _on_opened(self) -> None:
        current = self._session.current
        if current is None:
            return
        self._changed.clear()
        self._offer()
        self._preferences.add_recent(current.path)
        sources = {path.absolute() for path in current.sources()}
        if self._root == current.workspace.root.path:
            # What was read before and is gone may come back.
            sources.update(self._watch.missing())
        self._root = current.workspace.root.path
        self._watch.watch(sources)
        used = {path.resolve() for path in sources}
        rest = [path for path in self._dropped if path.resolve() not in used]
        self._dropped = []
        if rest:
            # What was said before goes when something else is open.
            QTimer.singleShot(0, self, partial(self._tell_rest, current.path.name, rest))

    def _tell_rest(self, opened: str, rest: list[Path]) -> None:
        names = ", ".join(path.name for path in rest[:_MOST_NAMED])
        more = f" and {len(rest) - _MOST_NAMED} more" if len(rest) > _MOST_NAMED else ""
        self._bar.post(
            "warning",
            f"{opened} is open, but not {names}{more}: only one can be open at a time",
            actions=[(f"Open {path.name}", partial(self.open, path)) for path in rest[:1]],
        )

    def _watch_more(self, shown: Shown) -> None:
        if shown.opened is not None:
            self._watch.watch_also(shown.opened.workspace.sources())

    def _on_files_changed(self, paths: list[Path]) -> None:
        # What was wrong in them may be mended.
        self._bar.withdraw(OPEN_LANE)
        if self._preferences.flag("reload", False):
            self.reload()
            return
        self._changed |= dict.fromkeys(paths)
        self._offer()

    def _offer(self) -> None:
        """Offer to read again what has changed, or take the offer back."""
        self._bar.withdraw(OFFER)
        if self._changed:
            names = [path.name for path in self._changed]
            more = len(names) - _MOST_NAMED
            self._bar.post(
                "info",
                ", ".join(names[:_MOST_NAMED])
                + (f" and {more} more" if more > 0 else "")
                + " changed on disk",
                "\n".join(map(str, self._changed)) if more > 0 else "",
                actions=[("Reload", self.reload)],
                stays=True,
                about=OFFER,
            )
