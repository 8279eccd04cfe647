"""What went wrong or is worth a line: said in place, without a box to click away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.widgets.labels import WrapLabel, set_role

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


class MessageBar(QFrame):
    """Shows the newest message; closing it brings back the one before.

    Signals
    -------
    closed() : the last message is gone.
    """

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("messageBar")
        self._theme: Theme = themes.LIGHT
        self._notices: list[_Notice] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(INFO_MS)
        self._timer.timeout.connect(self.dismiss)
        self._make_parts()
        self._lay_out()
        self.hide()
        themes.spread(self, self._theme)

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
        self._theme = theme
        self._close.setIcon(themes.icon("close", theme.text))
        self._show_icon()

    def _make_parts(self) -> None:
        self._icon = QLabel()
        self._text = WrapLabel(most_lines=_TEXT_LINES)
        self._text.setObjectName("messageText")
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._count = QLabel()
        self._count.setObjectName("messageCount")
        self._count.setProperty("role", "muted")
        self._details_button = QPushButton("Details")
        self._details_button.setObjectName("messageDetailsButton")
        self._details_button.setProperty("kind", "flat")
        self._details_button.setCheckable(True)
        self._details_button.setAccessibleName("Show details")
        self._details_button.setToolTip("Show or hide the details")
        self._details_button.toggled.connect(self._on_details_toggled)
        self._action_buttons: list[QPushButton] = []
        for number in range(_MOST_ACTIONS):
            button = QPushButton()
            button.setObjectName(f"messageAction{number}")
            self._action_buttons.append(button)
        self._action_buttons[0].clicked.connect(lambda: self._on_action(0))
        self._action_buttons[1].clicked.connect(lambda: self._on_action(1))
        self._close = QToolButton()
        self._close.setObjectName("messageClose")
        self._close.setAccessibleName("Close the message")
        self._close.setToolTip("Close the message (Escape, with the focus in it)")
        self._close.clicked.connect(self.dismiss)
        self._details = QPlainTextEdit()
        self._details.setObjectName("messageDetails")
        self._details.setAccessibleName("Details of the message")
        self._details.setReadOnly(True)
        self._details.setTabChangesFocus(True)
        self._details.setMaximumHeight(self.fontMetrics().lineSpacing() * _DETAIL_LINES + 16)
        self._details.hide()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._count)
        for button in self._action_buttons:
            row.addWidget(button)
        row.addWidget(self._details_button)
        row.addWidget(self._close)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 4, 4, 4)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self._details)

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
        for number, button in enumerate(self._action_buttons):
            shown = number < len(notice.actions)
            button.setVisible(shown)
            if shown:
                button.setText(notice.actions[number][0].replace("&", "&&"))
                button.setAccessibleName(notice.actions[number][0])
        # A text that may be cut can be read in full in the details.
        long_text = notice.text if len(notice.text) > _LONG_CHARACTERS else ""
        details = "\n".join(part for part in (long_text, notice.details) if part)
        self._details.setPlainText(details)
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

    def _on_action(self, number: int) -> None:
        _, call = self._notices[-1].actions[number]
        self.dismiss()
        call()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.dismiss()
        else:
            super().keyPressEvent(event)
