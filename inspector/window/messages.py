"""What is said in the message bar: what went wrong, and what happened besides."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from core.errors import Code, InspectorError
from core.io.findings import FileRefused, has_errors
from inspector.window.wiring.question import misses_variable

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.io.findings import Finding
    from inspector.panels.message_bar import MessageBar
    from inspector.session.session import Session
    from inspector.session.shown import Shown

LOG = logging.getLogger(__name__)


class Messages(QObject):
    """Connects the session with the message bar.

    Parameters
    ----------
    raise_dock : brings a dock to the front, for the buttons beside a message.
    """

    def __init__(
        self,
        session: Session,
        bar: MessageBar,
        raise_dock: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._bar = bar
        self._raise_dock = raise_dock
        self._error_of_turn = ""
        self._error_of_graph = ""
        session.failed.connect(self.show_error)
        session.noted.connect(self.show_note)
        session.bind(
            (lambda shown: shown.checked, self._on_checked),
            (lambda shown: shown.turn, self._on_turn),
        )

    def show_note(self, text: str) -> None:
        """Say something worth a line."""
        self._bar.post("info", text)

    def show_error(self, error: BaseException) -> None:
        """Say what went wrong; nothing else changes."""
        if isinstance(error, FileRefused):
            self._post_refused(error.line().removeprefix("error "), error.findings)
        elif isinstance(error, InspectorError):
            text = error.line().removeprefix("error ")
            if self._session.turn is not None and error is self._session.turn.error:
                self._error_of_turn = text
            may_help = error.code is Code.InvalidParamValue and misses_variable(
                self._session.shown()
            )
            actions = [("Inputs", lambda: self._raise_dock("inputs"))] if may_help else []
            self._bar.post("error", text, actions=actions)
        else:
            LOG.error("unexpected error", exc_info=error)
            self._bar.post(
                "error",
                f"Something unexpected went wrong: {error!r}. Your work is kept; "
                "the log has the details.",
                "".join(traceback.format_exception(error)),
            )

    def _post_refused(self, text: str, findings: tuple[Finding, ...]) -> None:
        self._bar.post(
            "error",
            text,
            "\n".join(finding.line() for finding in findings),
            [("Problems", lambda: self._raise_dock("problems"))],
        )

    def _on_checked(self, shown: Shown) -> None:
        """Say that the graph, as opened or edited, is none that would run in the game."""
        text = ""
        if has_errors(shown.checked):
            line = FileRefused(shown.checked).line().removeprefix("error ")
            text = f"The game would refuse this graph: {line}"
        if text == self._error_of_graph:
            return
        self._bar.withdraw(self._error_of_graph)
        self._error_of_graph = text
        if text:
            self._post_refused(text, shown.checked)

    def _on_turn(self, shown: Shown) -> None:
        if self._error_of_turn and shown.turn is not None and shown.turn.error is None:
            self._bar.withdraw(self._error_of_turn)
            self._error_of_turn = ""
