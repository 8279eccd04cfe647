"""What went wrong or is worth a line: said in place, without a box to click away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.widgets.notice_row import MOST_ACTIONS, Notice, NoticeRow
from inspector.widgets.parts import named, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QKeyEvent

    from inspector.widgets.notice_row import Action

INFO_MS = 8000
"""How long an info stays by itself; errors and warnings stay until they are closed."""

_MOST_KEPT = 20
_SEVERITIES = ("error", "warning", "info")


class MessageBar(QWidget):
    """Shows the newest message; closing it brings back the one before.

    What stays, an offer that waits for its answer, has a row of its own: no message hides it.

    Signals
    -------
    closed() : the last message is gone.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "messageBar")
        self._notices: list[Notice] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INFO_MS)
        self._timer.timeout.connect(self._on_time_over)
        self._offers, self._messages = NoticeRow("offer"), NoticeRow("message")
        for row in (self._offers, self._messages):
            row.closed.connect(self._close)
            row.acted.connect(self._act)
        # Whoever reads the details is not done with the message.
        self._messages.read.connect(self._timer.stop)
        packed(QVBoxLayout(self), self._offers, self._messages)
        self.hide()

    @property
    def text(self) -> str:
        """The newest message, "" without one."""
        return self._notices[-1].text if self._notices else ""

    @property
    def severity(self) -> str:
        """``error``, ``warning`` or ``info``; "" without a message."""
        return self._notices[-1].severity if self._notices else ""

    def post(
        self,
        severity: str,
        text: str,
        details: str = "",
        actions: Sequence[Action] = (),
        *,
        stays: bool = False,
        about: str = "",
    ) -> None:
        """Show a message on one line, in plain text.

        Parameters
        ----------
        severity : ``error``, ``warning`` or ``info``.
        text : what failed, on which value or file, what to do; with code and place.
        details : shown on demand.
        actions : two at most, as (label, what to call); each also closes the message.
        stays : an info goes by itself after some seconds unless it stays.
        about : its cause, by which it is withdrawn.
        """
        if severity not in _SEVERITIES:
            raise ValueError(severity)
        text = " ".join(text.split())
        notice = Notice(severity, text, details, tuple(actions)[:MOST_ACTIONS], stays, about)
        for same in self._notices:
            if (same.severity, same.text) == (severity, text):
                self._notices.remove(same)
                notice.times = same.times + 1
                notice.details = details or same.details
                break
        self._notices.append(notice)
        del self._notices[:-_MOST_KEPT]
        self._show()
        event = QAccessibleAnnouncementEvent(self, f"{severity}: {text}")
        QAccessible.updateAccessibility(event)

    def dismiss(self) -> None:
        """Close the newest message."""
        if self._notices:
            self._close(self._notices[-1])

    def withdraw(self, about: str) -> None:
        """Close all messages of this cause, wherever they wait: they are not true any more."""
        kept = [notice for notice in self._notices if notice.about != about]
        if len(kept) < len(self._notices):
            self._notices = kept
            self._show()

    def clear(self) -> None:
        """Close all messages."""
        self._notices.clear()
        self._show()

    def _close(self, notice: Notice) -> None:
        self._notices = [kept for kept in self._notices if kept is not notice]
        self._show()

    def _show(self) -> None:
        self._timer.stop()
        offer, message = (self._newest(stays=stays) for stays in (True, False))
        was_shown = not self.isHidden()
        self.setVisible(bool(self._notices))
        self._offers.show_notice(offer)
        self._messages.show_notice(message)
        if message is not None and message.severity == "info":
            self._timer.start()
        if was_shown and not self._notices:
            self.closed.emit()

    def _newest(self, *, stays: bool) -> Notice | None:
        return next((it for it in reversed(self._notices) if it.stays is stays), None)

    def _on_time_over(self) -> None:
        message = self._newest(stays=False)
        if message is not None:
            self._close(message)

    def _act(self, notice: Notice, call: Callable[[], object]) -> None:
        self._close(notice)
        call()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)
