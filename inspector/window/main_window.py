"""The main window: docks, menus, themes and window state. No retrieval logic."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow

from core.errors import Code, InspectorError
from core.io.atomic import write_atomically
from core.io.findings import FileRefused
from core.nodes import RetrieveSubgraphParams
from inspector import theme as themes
from inspector.session.busy import Busy
from inspector.session.replaying import Replaying
from inspector.session.watching import FileWatch
from inspector.window.copying import CopyMenu
from inspector.window.dock_layout import DockLayout
from inspector.window.file_view import FileView
from inspector.window.menus import build_menus, sample_cards
from inspector.window.panel_set import PanelSet
from inspector.window.play_wiring import PlayWiring
from inspector.window.wiring import Wiring

if TYPE_CHECKING:
    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QShowEvent

    from core.agent.turn import Turn
    from core.embedding.embedder import ModelProvider
    from core.io.findings import Finding
    from inspector.session.jobs import Jobs
    from inspector.session.preferences import Preferences
    from inspector.session.session import Session

DEFAULT_SIZE = (1280, 800)
MINIMUM_SIZE = (760, 520)
LOG = logging.getLogger(__name__)
GRAPH_FILTER = "Graphs and knowledge (*.json *.jsonl *.ndjson);;All files (*)"


class MainWindow(QMainWindow):
    """The whole program's window.

    Signals
    -------
    turnShown(Turn): a turn's results are on screen.
    """

    turnShown = Signal(object)

    def __init__(
        self, session: Session, jobs: Jobs, models: ModelProvider, preferences: Preferences
    ) -> None:
        super().__init__()
        self.session = session
        self.jobs = jobs
        self.preferences = preferences
        self.panels = PanelSet()
        self._theme = themes.LIGHT
        self.keeps_state = True
        self._error_of_turn = ""
        self.setObjectName("mainWindow")
        self.setWindowTitle("Retrieve turn inspector")
        self.setAcceptDrops(True)
        self.setMinimumSize(*MINIMUM_SIZE)
        self.resize(*DEFAULT_SIZE)
        self.wiring = Wiring(session, self.panels, self)
        self.replaying = Replaying(session, jobs, models, self)
        self.play_wiring = PlayWiring(session, self.panels, self.replaying, jobs, self)
        self.copy_menu = CopyMenu(session, self)
        self.panels.query.set_copy_menu(self.copy_menu.menu)
        self.watch = FileWatch(self)
        self.busy = Busy(jobs, self.panels.progress, self)
        self.layout_of_docks = DockLayout(self, self.panels)
        self.docks = self.layout_of_docks.docks
        build_menus(self)
        self._connect()
        self._restore()
        self.apply_theme(self.preferences.theme, keep=False)
        self._show_page()

    # Wiring of the window itself

    def _connect(self) -> None:
        session, panels = self.session, self.panels
        session.opened.connect(self._on_opened)
        session.turn_changed.connect(self._on_turn_changed)
        session.failed.connect(self.show_error)
        session.noted.connect(lambda text: panels.message_bar.post("info", text))
        session.editor.edited.connect(self._update_title)
        self.busy.ended.connect(self.wiring.show_status)
        panels.progress.cancel_requested.connect(self.cancel)
        self.play_wiring.applicability_changed.connect(self._on_applicability_changed)
        self.play_wiring.store_saved.connect(self.watch.take_note)
        panels.welcome.open_requested.connect(self.choose_file)
        panels.welcome.path_requested.connect(lambda path: self.open_path(Path(path)))
        panels.workspace.open_requested.connect(lambda path: self.open_path(Path(path)))
        panels.parameters.save_requested.connect(self.save_graph)
        panels.problems.count_changed.connect(self._on_problem_count)
        panels.problems.finding_activated.connect(self.open_place)
        panels.hits.table.activated.connect(lambda _index: self.raise_dock("details"))
        panels.subgraph.node_activated.connect(lambda _row: self.raise_dock("details"))
        session.node_changed.connect(self._on_node_changed)
        panels.workspace.reload_requested.connect(self.reload)
        panels.prompt.copy_text_requested.connect(
            lambda: QApplication.clipboard().setText(self.copy_menu.prompt_text())
        )
        panels.prompt.copy_json_requested.connect(
            lambda: QApplication.clipboard().setText(self.copy_menu.prompt_json())
        )
        panels.diagnostics.copy_requested.connect(
            lambda: QApplication.clipboard().setText(self.copy_menu.diagnostics_json())
        )
        panels.diagnostics.save_requested.connect(self.save_diagnostics)
        self.watch.changed.connect(self._on_files_changed)
        QApplication.styleHints().colorSchemeChanged.connect(self._on_system_scheme)

    def _on_opened(self) -> None:
        current = self.session.current
        if current is None:
            return
        self.preferences.add_recent(current.path)
        files = {*current.workspace.files(), *current.workspace.corpora.files()}
        if current.graph.path is not None:
            files.add(current.graph.path)
        self.watch.watch(files)
        self._show_page()
        self._update_title()

    def _on_node_changed(self, name: str) -> None:
        graph = self.session.graph
        self.layout_of_docks.set_applicable(
            "subgraph",
            graph is not None and (graph.node(name).type == RetrieveSubgraphParams.node_type),
            in_front=True,
        )

    def _on_applicability_changed(self, name: str, applicable: bool) -> None:
        self.layout_of_docks.set_applicable(name, applicable, in_front=name == "replay")

    def _on_turn_changed(self, turn: Turn | None) -> None:
        if self._error_of_turn and turn is not None and turn.error is None:
            self.panels.message_bar.withdraw(self._error_of_turn)
            self._error_of_turn = ""
        if self.session.current is not None:
            # A turn finds memory stores by names that only it can resolve.
            self.watch.watch_also(self.session.current.workspace.memories.files())
        # Painting happens when the event loop is idle again; only then is the turn on screen.
        QTimer.singleShot(0, self, lambda: self.turnShown.emit(turn))

    def _on_problem_count(self, errors: int, warnings: int) -> None:
        count = errors + warnings
        self.docks["problems"].setWindowTitle(f"Problems ({count})" if count else "Problems")

    def _show_page(self) -> None:
        """Show the panels, or the welcome page alone while nothing is open."""
        is_open = self.session.graph is not None
        self.layout_of_docks.show_page(is_open)
        if is_open:
            self.panels.query.focus_message()
            return
        self.panels.welcome.show_samples(sample_cards())
        self.panels.welcome.show_recent([str(path) for path in self.preferences.recent])

    def _update_title(self) -> None:
        current = self.session.current
        if current is None:
            return
        mark = "*" if self.session.editor.is_edited() else ""
        self.setWindowTitle(f"{current.path.name}{mark} – Retrieve turn inspector")

    # Messages

    def show_error(self, error: BaseException) -> None:
        """Say in the message bar what went wrong; nothing else changes."""
        if isinstance(error, FileRefused):
            details = "\n".join(finding.line() for finding in error.findings)
            self.panels.message_bar.post(
                "error",
                error.line().removeprefix("error "),
                details,
                [("Problems", lambda: self.raise_dock("problems"))],
            )
        elif isinstance(error, InspectorError):
            text = error.line().removeprefix("error ")
            if self.session.turn is not None and error is self.session.turn.error:
                self._error_of_turn = text
            may_help = error.code is Code.InvalidParamValue and self.play_wiring.misses_variable()
            actions = [("Inputs", lambda: self.raise_dock("inputs"))] if may_help else []
            self.panels.message_bar.post("error", text, actions=actions)
        else:
            LOG.error("unexpected error", exc_info=error)
            self.panels.message_bar.post(
                "error",
                f"Something unexpected went wrong: {error!r}. Your work is kept; "
                "the log has the details.",
                "".join(traceback.format_exception(error)),
            )

    # Files

    def open_path(self, path: Path, root: Path | None = None, *, wait: bool = False) -> None:
        """Open a graph, knowledge or folder; what is open stays until that worked."""
        self.session.open(path, root=root, wait=wait)

    def choose_file(self) -> None:
        """Ask for a file and open it."""
        name, _ = QFileDialog.getOpenFileName(self, "Open a graph or knowledge", "", GRAPH_FILTER)
        if name:
            self.open_path(Path(name))

    def choose_folder(self) -> None:
        """Ask for a folder and open what it holds."""
        name = QFileDialog.getExistingDirectory(self, "Open a folder")
        if name:
            self.open_path(Path(name))

    def save_graph(self) -> None:
        """Write the graph file, or ask for a name when there is none yet."""
        path = self.session.graph.path if self.session.graph is not None else None
        if path is None:
            self.save_graph_as()
        elif self.session.save(path):
            self._after_save(path)

    def save_graph_as(self) -> None:
        """Ask for a name and write the graph there."""
        if self.session.graph is None or self.session.current is None:
            return
        folder = self.session.current.path.parent / "new.graph.json"
        name, _ = QFileDialog.getSaveFileName(
            self, "Save the graph", str(folder), "Graphs (*.graph.json)"
        )
        if name and self.session.save(Path(name)):
            self._after_save(Path(name))

    def _after_save(self, path: Path) -> None:
        self._on_opened()
        self.panels.message_bar.post("info", f"Saved {path}")

    def save_diagnostics(self) -> None:
        """Ask for a name and write the turn's debug_info there."""
        name, _ = QFileDialog.getSaveFileName(
            self, "Save the diagnostics", "debug_info.json", "JSON (*.json)"
        )
        if name:
            try:
                write_atomically(Path(name), [self.copy_menu.diagnostics_json().encode()])
            except InspectorError as error:
                self.show_error(error)

    def open_place(self, finding: Finding) -> None:
        """Show the file of a finding, at its line."""
        if finding.place.node and self.session.graph is not None:
            self.session.pick_node(finding.place.node)
        if finding.place.file:
            FileView.show_place(self, finding.place)

    def _on_files_changed(self, paths: list[Path]) -> None:
        names = ", ".join(path.name for path in paths)
        if self.preferences.flag("reload", False):
            self.reload()
            return
        self.panels.message_bar.post(
            "info", f"{names} changed on disk", actions=[("Reload", self.reload)], stays=True
        )

    def reload(self) -> None:
        """Read the open files again; if they are broken now, the old content stays in use."""
        current = self.session.current
        if current is not None:
            self.session.open(current.path, root=current.workspace.root.path, keep=True)

    def run_turn(self) -> None:
        """Run what the question says."""
        self.session.run(self.panels.query.message())

    def cancel(self) -> None:
        """Stop whatever is being worked on."""
        self.session.cancel()
        self.replaying.cancel()

    def reset_node(self) -> None:
        """Put the node in hand back to the graph's values."""
        if self.session.graph is not None:
            self.session.editor.reset(self.session.node)

    # Window state

    def raise_dock(self, name: str) -> None:
        """Bring a panel to the front."""
        if self.layout_of_docks.is_applicable(name):
            self.docks[name].show()
            self.docks[name].raise_()

    def show_titles(self, shown: bool) -> None:
        """Give the middle panels title bars, here and from now on."""
        self.preferences.set_flag("titles", shown)
        self.layout_of_docks.show_titles(shown)

    def apply_theme(self, name: str, *, keep: bool = True) -> None:
        """Use the ``light``, ``dark`` or ``system`` colours; with `keep`, from now on."""
        if keep:
            self.preferences.theme = name
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        chosen = {"light": themes.LIGHT, "dark": themes.DARK}.get(name)
        self._theme = chosen or themes.system_theme(app)
        themes.apply(app, self._theme)
        self.panels.apply_theme(self._theme)

    def _on_system_scheme(self) -> None:
        if self.preferences.theme == "system":
            self.apply_theme("system")

    def _restore(self) -> None:
        self.restoreGeometry(self.preferences.blob("geometry"))
        self.layout_of_docks.restore(self.preferences.blob("docks"))
        self.panels.hits.restore_state(bytes(self.preferences.blob("hits").data()))
        self.panels.query.set_live(self.preferences.flag("live", True))
        self.layout_of_docks.show_titles(self.preferences.flag("titles", False))

    def _store(self) -> None:
        if not self.keeps_state:
            return
        self.preferences.set_blob("geometry", self.saveGeometry())
        self.preferences.set_blob("docks", self.layout_of_docks.state())
        self.preferences.set_blob("hits", self.panels.hits.save_state())
        self.preferences.set_flag("live", self.panels.query.is_live())
        self.preferences.sync()

    def showEvent(self, event: QShowEvent) -> None:
        """Share the window among the docks, unless the user has done so before."""
        super().showEvent(event)
        if self.layout_of_docks.is_default:
            self.layout_of_docks.arrange()

    def changeEvent(self, event: QEvent) -> None:
        """Share the room anew when the window is maximised or back to normal."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.WindowStateChange and self.layout_of_docks.is_default:
            QTimer.singleShot(0, self, self.layout_of_docks.arrange)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the layout, stop all work, and go."""
        self._store()
        self.watch.stop()
        for timer in self.findChildren(QTimer):
            timer.stop()
        # Work that waits for the model's process ends with it: then there is none to wait for.
        self.jobs.stop()
        self.session.close()
        self.jobs.close()
        super().closeEvent(event)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the first file that was dropped."""
        paths = [Path(u.toLocalFile()) for u in event.mimeData().urls() if u.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.open_path(paths[0])
