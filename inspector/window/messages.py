"""What is said in the message bar: what went wrong, and what happened besides."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from core.errors import Code, InspectorError
from core.io.findings import FileRefused, has_errors
from inspector.session.asking import TURN_LANE
from inspector.window.unexpected import log_file
from inspector.window.wiring.question import misses_variable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from core.io.findings import Finding
    from inspector.panels.message_bar import MessageBar
    from inspector.session.jobs import Jobs
    from inspector.session.session import Session
    from inspector.session.shown import Shown

LOG = logging.getLogger(__name__)
_GRAPH = "the graph's errors"


class Messages(QObject):
    """Connects the session with the message bar. What is said goes when its cause does.

    The cause of an error is the work that failed, until that works; or the file that it names,
    until that is written; and in any case what is open.

    Parameters
    ----------
    go_to : takes the user to a dock, for the buttons beside a message.
    go_to_inputs : takes the user to what a turn lacks.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        bar: MessageBar,
        go_to: Callable[[str], None],
        go_to_inputs: Callable[[], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._bar = bar
        self._go_to = go_to
        self._go_to_inputs = go_to_inputs
        jobs.succeeded.connect(bar.withdraw)
        session.opened.connect(bar.clear)
        session.failed.connect(self.show_error)
        session.noted.connect(self.show_note)
        session.opened.connect(self._on_checked)
        session.checking.checked.connect(self._on_checked)
        session.bind((lambda shown: shown.turn, self._on_turn))

    def show_note(self, text: str) -> None:
        """Say something worth a line."""
        self._bar.post("info", text)

    def show_error(self, error: BaseException) -> None:
        """Say what went wrong; nothing else changes."""
        about = self._cause_of(error)
        if isinstance(error, FileRefused):
            self._post_refused(error.line().removeprefix("error "), error.findings, about)
        elif isinstance(error, InspectorError):
            text = error.line().removeprefix("error ")
            may_help = error.code is Code.InvalidParamValue and misses_variable(
                self._session.shown()
            )
            actions = [("Inputs", self._go_to_inputs)] if may_help else []
            self._bar.post("error", text, actions=actions, about=about)
        else:
            self._show_unexpected(error, about)

    def _show_unexpected(self, error: BaseException, about: str) -> None:
        LOG.error("unexpected error", exc_info=error)
        details = "".join(traceback.format_exception(error))
        self._bar.post(
            "error",
            f"Something unexpected went wrong: {error!r}. Your work is kept; "
            f"the details are in {log_file()}",
            details,
            [("Copy details", lambda: QApplication.clipboard().setText(details))],
            about=about,
        )

    def _post_refused(self, text: str, findings: tuple[Finding, ...], about: str) -> None:
        self._bar.post(
            "error",
            text,
            "\n".join(finding.line() for finding in findings),
            [("Problems", lambda: self._go_to("problems"))],
            about=about,
        )

    def _on_checked(self) -> None:
        """Say that the graph, as opened or edited, is none that would run in the game."""
        self._bar.withdraw(_GRAPH)
        found = self._session.checking.findings
        if has_errors(found):
            first = FileRefused(found)
            self._post_refused(f"The game would refuse this graph: {first}", found, _GRAPH)

    def take_saved(self, path: Path) -> None:
        """Withdraw what was said of a file that is written now."""
        self._bar.withdraw(str(path))

    def _cause_of(self, error: BaseException) -> str:
        turn = self._session.turn
        if self._jobs.failing:
            return self._jobs.failing
        if turn is not None and error is turn.error:
            return TURN_LANE
        return error.place.file if isinstance(error, InspectorError) else ""

    def _on_turn(self, shown: Shown) -> None:
        if shown.turn is not None and shown.turn.error is None:
            self._bar.withdraw(TURN_LANE)
