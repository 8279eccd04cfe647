"""Runs the window: starts Qt, applies the command line's wishes, takes a screenshot."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimer
from PySide6.QtWidgets import QApplication

from core.errors import Code, InspectorError, Place
from inspector.cli import commands as cli
from inspector.cli.play import keeps_dialog, play_options, read_play
from inspector.window.compose import compose

if TYPE_CHECKING:
    import argparse

    from core.nodes.walk import Play
    from inspector.window.main_window import MainWindow

SETTLE_MS = 150
"""After the turn is shown: time for layouts, the plot and delayed repaints to finish."""
SCREENSHOT_TIMEOUT_MS = 300_000


def run(options: argparse.Namespace) -> int:
    """Open the window and run until it is closed.

    Raises
    ------
    InspectorError
        3005 or 3007 for the options; with ``--screenshot`` whatever stopped the turn.
    """
    play = read_play(options)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    if not isinstance(app, QApplication):
        raise TypeError("another kind of Qt application is running")
    app.setApplicationName("Retrieve turn inspector")
    app.setDesktopFileName("retrieve-turn-inspector")
    # Python handles Ctrl+C only between its own instructions; a timer gives it the chance.
    signal.signal(signal.SIGINT, lambda *_: app.quit())
    heartbeat = QTimer()
    heartbeat.start(500)
    heartbeat.timeout.connect(lambda: None)
    window = compose()
    start = _Start(window, options, play)
    if options.theme:
        window.apply_theme(options.theme, keep=False)
    window.keeps_state = not options.screenshot
    if options.size:
        window.resize(QSize(*options.size))
        window.layout_of_docks.arrange()
    elif not options.screenshot:
        window.fit_screen()
    if options.paths:
        window.open_path(Path(options.paths[0]), Path(options.root) if options.root else None)
    if options.screenshot and not options.paths:
        QTimer.singleShot(SETTLE_MS, window, start.finish)
    window.show()
    status = app.exec()
    window.close_at_once()
    if start.error is not None:
        raise start.error
    return status


class _Start:
    """What the command line wants done once the file is open."""

    def __init__(self, window: MainWindow, options: argparse.Namespace, play: Play) -> None:
        self._window = window
        self._options = options
        self._play = play
        self._done = False
        self.error: InspectorError | None = None
        window.session.opened.connect(self._on_opened)
        window.turnShown.connect(self._on_turn_shown)
        if options.screenshot:
            window.session.failed.connect(self._on_failed)
            late = InspectorError(Code.InferenceFailed, "the turn did not finish in time")
            QTimer.singleShot(SCREENSHOT_TIMEOUT_MS, window, lambda: self._fail(late))

    def _on_opened(self) -> None:
        if self._done:
            return
        self._done = True
        session, options = self._window.session, self._options
        try:
            if session.graph is not None:
                session.inputs.begin(
                    self._play,
                    *play_options(options, session.graph),
                    keeps_dialog=keeps_dialog(options),
                )
                edited = cli.with_settings(session.graph, options.settings)
                for before, after in zip(session.graph.nodes, edited.nodes, strict=True):
                    for param in after.params.specs():
                        value = getattr(after.params, param)
                        if value != getattr(before.params, param):
                            session.editor.edit(after.name, param, value)
                session.editor.forget()
            if options.node:
                session.pick_node(options.node)
            if options.tab:
                self._raise(options.tab)
        except InspectorError as error:
            self._fail(error)
            return
        if options.message:
            self._window.panels.query.set_message(options.message)
            session.run(options.message)
        elif options.screenshot:
            QTimer.singleShot(SETTLE_MS, self._window, self.finish)

    def _raise(self, tab: str) -> None:
        docks = self._window.docks
        if tab not in docks:
            raise InspectorError(
                Code.InvalidParamValue,
                f'there is no panel "{tab}"',
                hint=f"one of {', '.join(docks)}",
            )
        # After whatever a newly opened file brings to the front by itself.
        QTimer.singleShot(
            0,
            self._window,
            lambda: QTimer.singleShot(0, self._window, lambda: self._window.raise_dock(tab)),
        )

    def _on_turn_shown(self, _turn: object) -> None:
        if self._options.screenshot and self._done:
            QTimer.singleShot(SETTLE_MS, self._window, self.finish)

    def finish(self) -> None:
        """Save the picture and quit."""
        path = Path(self._options.screenshot)
        if not self._window.grab().save(str(path)):
            self.error = InspectorError(
                Code.StorageFileNotFound,
                "the picture cannot be written",
                place=Place(file=str(path)),
                hint="use an existing folder and a name ending in .png",
            )
        QApplication.exit(cli.EXIT_OK)

    def _on_failed(self, error: BaseException) -> None:
        if isinstance(error, InspectorError):
            self._fail(error)

    def _fail(self, error: InspectorError) -> None:
        if self._options.screenshot:
            self.error = error
            QApplication.exit(cli.EXIT_REFUSED)
        else:
            self._window.session.failed.emit(error)
