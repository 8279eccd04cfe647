"""What went wrong or is worth a line: said in place, without a box to click away."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.drawing.words import beginning
from inspector.theme import Themed
from inspector.widgets.labels import WrapLabel, set_role
from inspector.widgets.parts import button, named, packed
from inspector.widgets.plain_text import PlainText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QKeyEvent

    from inspector.theme import Theme

INFO_MS = 8000
"""How long an info stays by itself; errors and warnings stay until they are closed."""

_MOST_ACTIONS = 2
_MOST_KEPT = 20
_ICON_PX = 18
_DETAIL_LINES = 8
_TEXT_LINES = 2
_LONG_CHARACTERS = 90
_SEVERITIES = ("error", "warning", "info")

Action = tuple[str, "Callable[[], object]"]


@dataclass(slots=True)
class _Notice:
    severity: str
    text: str
    details: str
    actions: tuple[Action, ...]
    stays: bool
    times: int = 1


class MessageBar(Themed, QFrame):
    """Shows the newest message; closing it brings back the one before.

    Signals
    -------
    closed() : the last message is gone.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self._notices: list[_Notice] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INFO_MS)
        self._timer.timeout.connect(self.dismiss)
        self._make_parts()
        self._lay_out()
        self.hide()

    @property
    def text(self) -> str:
        """The message that is shown, "" without one."""
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
    ) -> None:
        """Show a message on one line, in plain text.

        Parameters
        ----------
        severity : ``error``, ``warning`` or ``info``.
        text : what failed, on which value or file, what to do; with code and place.
        details : shown on demand.
        actions : two at most, as (label, what to call); each also closes the message.
        stays : an info goes by itself after some seconds unless it stays.
        """
        if severity not in _SEVERITIES:
            raise ValueError(severity)
        text = " ".join(text.split())
        same = next((n for n in self._notices if (n.severity, n.text) == (severity, text)), None)
        if same is not None:
            self._notices.remove(same)
            same.times += 1
            same.details = details or same.details
            same.actions = tuple(actions)[:_MOST_ACTIONS]
        notice = same or _Notice(severity, text, details, tuple(actions)[:_MOST_ACTIONS], stays)
        self._notices.append(notice)
        del self._notices[:-_MOST_KEPT]
        self._show_last()
        self._announce(notice)

    def dismiss(self) -> None:
        """Close the message that is shown."""
        if self._notices:
            self._notices.pop()
        self._show_last()

    def withdraw(self, text: str) -> None:
        """Close the message with this text, which is not true any more, wherever it waits."""
        kept = [notice for notice in self._notices if notice.text != " ".join(text.split())]
        if len(kept) < len(self._notices):
            self._notices = kept
            self._show_last()

    def clear(self) -> None:
        """Close all messages."""
        self._notices.clear()
        self._show_last()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._show_icon()

    def _make_parts(self) -> None:
        self._icon = QLabel()
        self._text = named(WrapLabel(most_lines=_TEXT_LINES), "messageText")
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._count = named(QLabel(), "messageCount", role="muted")
        self._details_button = named(
            QPushButton("Details"),
            "messageDetailsButton",
            "Show details",
            "Show or hide the details",
            kind="flat",
        )
        self._details_button.setCheckable(True)
        self._details_button.toggled.connect(self._on_details_toggled)
        self._action_buttons = [
            button(
                QPushButton(), f"messageAction{number}", "", "", partial(self._on_action, number)
            )
            for number in range(_MOST_ACTIONS)
        ]
        self._close = button(
            QToolButton(),
            "messageClose",
            "Close the message",
            "Close the message (Escape, with the focus in it)",
            self.dismiss,
            icon=("close", "text"),
        )
        self._details = named(PlainText(), "messageDetails", "Details of the message")
        self._details.setReadOnly(True)
        self._details.setTabChangesFocus(True)
        self._details.setMaximumHeight(self.fontMetrics().lineSpacing() * _DETAIL_LINES + 16)
        self._details.hide()

    def _lay_out(self) -> None:
        row = packed(
            QHBoxLayout(),
            self._icon,
            (self._text, 1),
            self._count,
            *self._action_buttons,
            self._details_button,
            self._close,
            spacing=8,
        )
        packed(QVBoxLayout(self), row, self._details, margins=(10, 4, 4, 4))

    def _show_last(self) -> None:
        self._timer.stop()
        if not self._notices:
            was_shown = not self.isHidden()
            self.hide()
            if was_shown:
                self.closed.emit()
            return
        notice = self._notices[-1]
        set_role(self, "severity", notice.severity)
        self._text.set_text(notice.text)
        self._text.setAccessibleName(f"{notice.severity}: {notice.text}")
        self._count.setText(f"×{notice.times}")
        self._count.setVisible(notice.times > 1)
        for number, action_button in enumerate(self._action_buttons):
            shown = number < len(notice.actions)
            action_button.setVisible(shown)
            if shown:
                action_button.setText(notice.actions[number][0].replace("&", "&&"))
                action_button.setAccessibleName(notice.actions[number][0])
        # A text that may be cut can be read in full in the details.
        long_text = notice.text if len(notice.text) > _LONG_CHARACTERS else ""
        details = "\n".join(part for part in (long_text, notice.details) if part)
        self._details.setPlainText(beginning(details))
        self._details_button.setVisible(bool(details))
        self._details_button.setChecked(False)
        self._details.hide()
        self._show_icon()
        self.show()
        if notice.severity == "info" and not notice.stays:
            self._timer.start()

    def _show_icon(self) -> None:
        severity = self.severity
        if severity:
            color = self._theme.accent if severity == "info" else getattr(self._theme, severity)
            icon = themes.icon(severity, color)
            self._icon.setPixmap(icon.pixmap(QSize(_ICON_PX, _ICON_PX), self.devicePixelRatioF()))

    def _announce(self, notice: _Notice) -> None:
        event = QAccessibleAnnouncementEvent(self, f"{notice.severity}: {notice.text}")
        QAccessible.updateAccessibility(event)

    def _on_details_toggled(self, shown: bool) -> None:
        self._details.setVisible(shown)
        if shown:
            # Whoever reads the details is not done with the message.
            self._timer.stop()

    def _on_action(self, number: int, *_: object) -> None:
        call = self._notices[-1].actions[number][1]
        self.dismiss()
        call()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)
