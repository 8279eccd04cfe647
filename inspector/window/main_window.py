"""The main window: its docks, theme and state. No retrieval logic."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMargins, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QMainWindow,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.widgets.parts import Surface, packed
from inspector.window.dock_layout import DockLayout
from inspector.window.focus import FocusKeeper, enter
from inspector.window.focus_order import focus_stops, move_focus, next_stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QShowEvent

    from core.agent.turn import Turn
    from inspector.session.jobs import Jobs
    from inspector.session.preferences import Preferences
    from inspector.session.session import Session
    from inspector.window.panel_set import PanelSet

DEFAULT_SIZE = (1280, 800)
MINIMUM_SIZE = (720, 460)
_FRAME = QMargins(4, 36, 4, 4)
"""What the desktop may put around a window, px; it is known only once the window is shown."""


class MainWindow(QMainWindow):
    """The whole program's window.

    `holds_back` asks, before the window is closed, what to do with what is not saved; it tells
    whether it has to, and what it is given closes the window then.

    Signals
    -------
    turnShown(Turn): a turn's results are on screen.
    path_dropped(Path): the user dropped a file to be opened.
    paths_dropped(list[Path]): the same of several.
    closing(): the window is about to be gone.
    """

    turnShown = Signal(object)
    path_dropped = Signal(object)
    paths_dropped = Signal(object)
    closing = Signal()

    def __init__(
        self, session: Session, jobs: Jobs, preferences: Preferences, panels: PanelSet
    ) -> None:
        super().__init__()
        # What is connected with the session goes with the window, and takes no part of it along.
        session.setParent(self)
        self.session = session
        self.jobs = jobs
        self.preferences = preferences
        self.panels = panels
        self.keeps_state = True
        self._theme = themes.LIGHT
        self._is_faded = False
        self._is_sized = False
        self.holds_back: Callable[[Callable[[], object]], bool] = lambda _close: False
        self.setObjectName("mainWindow")
        self.setWindowTitle("Retrieve turn inspector")
        self.setAcceptDrops(True)
        self.setMinimumSize(*MINIMUM_SIZE)
        self.resize(*DEFAULT_SIZE)
        self.layout_of_docks = DockLayout(
            self,
            panels.in_docks(),
            _stacked(panels.query, panels.searches),
            (panels.message_bar, panels.progress, panels.turn_strip),
            panels.hits,
            panels.welcome,
        )
        self.docks = self.layout_of_docks.docks
        FocusKeeper(self)
        QApplication.styleHints().colorSchemeChanged.connect(self._on_system_scheme)

    def open_path(self, path: Path, root: Path | None = None, *, wait: bool = False) -> None:
        """Open a graph, knowledge or folder; what is open stays until that worked."""
        self.session.open(path, root=root, wait=wait)

    def close_at_once(self) -> None:
        """Close without asking: the user has decided, or there is none."""
        self.holds_back = lambda _close: False
        self.close()

    def raise_dock(self, name: str) -> None:
        """Bring a panel to the front."""
        self.layout_of_docks.raise_dock(name)

    def go_to(self, name: str) -> None:
        """Bring a panel to the front, and the focus into it."""
        self.raise_dock(name)
        enter(getattr(self.panels, name))

    def tell_turn(self, turn: Turn | None) -> None:
        """Emit `turnShown` once the turn has been painted: when the event loop is idle again."""
        if turn is not None:
            QTimer.singleShot(0, self, lambda: self.turnShown.emit(turn))

    def apply_theme(self, name: str, *, keep: bool = True) -> None:
        """Use the ``light``, ``dark`` or ``system`` colours; with `keep`, from now on."""
        if keep:
            self.preferences.theme = name
        app = QApplication.instance()
        if not isinstance(app, QApplication):
            return
        chosen = {"light": themes.LIGHT, "dark": themes.DARK}.get(name)
        theme = chosen or themes.system_theme(app)
        themes.apply(app, theme)
        for panel in vars(self.panels).values():
            themes.spread(panel, theme)
        self._theme, faded, self._is_faded = theme, self._is_faded, False
        self.fade(faded)
        self.layout_of_docks.apply_theme(theme)

    def fade(self, faded: bool) -> None:
        """Let the results look old, or as they are."""
        if faded != self._is_faded:
            self._is_faded = faded
            for panel in self.panels.results():
                themes.spread(panel, themes.faded(self._theme) if faded else self._theme)

    def _on_system_scheme(self) -> None:
        if self.preferences.theme == "system":
            self.apply_theme("system")

    def restore(self) -> None:
        """Bring back how the window was left."""
        self._is_sized = self.restoreGeometry(self.preferences.blob("geometry"))
        self.layout_of_docks.restore(self.preferences.blob("docks"))
        self.panels.hits.table.restore_state(bytes(self.preferences.blob("hits").data()))
        self.panels.query.live.setChecked(self.preferences.flag("live", True))
        self.layout_of_docks.show_titles(self.preferences.flag("titles", False))
        self.apply_theme(self.preferences.theme, keep=False)

    def fit_screen(self) -> None:
        """Give a window that was never sized no more than the screen and its panel bars leave."""
        room = self.screen().availableGeometry().marginsRemoved(_FRAME).size()
        if not self._is_sized and self.size() != self.size().boundedTo(room):
            self.resize(self.size().boundedTo(room))
            self.setWindowState(Qt.WindowState.WindowMaximized)

    def _store(self) -> None:
        if not self.keeps_state:
            return
        self.preferences.set_blob("geometry", self.saveGeometry())
        self.preferences.set_blob("docks", self.layout_of_docks.state())
        self.preferences.set_blob("hits", self.panels.hits.table.save_state())
        self.preferences.set_flag("live", self.panels.query.live.isChecked())
        self.preferences.sync()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus as the eye goes."""
        stops = focus_stops(self)
        if stops:
            reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
            move_focus(next_stop(stops, self.focusWidget(), forward=forward), reason)
        return bool(stops)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press the button that has the focus, as the space bar does."""
        button = self.focusWidget()
        if (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and isinstance(button, QAbstractButton)
            and not isinstance(button, QCheckBox)
        ):
            button.animateClick()
            return
        super().keyPressEvent(event)

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
        """Keep the layout, stop all work, and go, unless something is to be saved first."""
        if self.holds_back(self.close_at_once):
            event.ignore()
            return
        self._store()
        self.closing.emit()
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
        """Open what was dropped."""
        paths = [Path(u.toLocalFile()) for u in event.mimeData().urls() if u.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            if len(paths) > 1:
                self.paths_dropped.emit(paths)
            else:
                self.path_dropped.emit(paths[0])


def _stacked(*widgets: QWidget) -> QWidget:
    """Return a widget in which these stand above each other."""
    column = Surface()
    packed(QVBoxLayout(column), *widgets, spacing=0)
    return column
