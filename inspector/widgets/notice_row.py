"""One message: what it says, what can be done about it, and its details on demand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
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
    from collections.abc import Callable

    from inspector.theme import Theme

MOST_ACTIONS = 2
_ICON_PX = 18
_DETAIL_LINES = 8
_TEXT_LINES = 2
_LONG_CHARACTERS = 90

Action = tuple[str, "Callable[[], object]"]


@dataclass(slots=True)
class Notice:
    """What there is to say; see `MessageBar.post`."""

    severity: str
    text: str
    details: str
    actions: tuple[Action, ...]
    stays: bool
    about: str
    times: int = 1


class NoticeRow(Themed, QFrame):
    """Shows one notice, or is hidden.

    Signals
    -------
    closed(Notice) : the user closed it.
    acted(Notice, call) : the user chose one of its actions.
    read() : the details are shown.
    """

    closed = Signal(object)
    acted = Signal(object, object)
    read = Signal()

    def __init__(self, stem: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stem = stem
        self._notice: Notice | None = None
        self._make_parts()
        self._lay_out()
        self.hide()

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice, or none."""
        self._notice = notice
        self.setVisible(notice is not None)
        if notice is None:
            return
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

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._show_icon()

    def _make_parts(self) -> None:
        stem = self._stem
        self._icon = QLabel()
        self._text = named(WrapLabel(most_lines=_TEXT_LINES), f"{stem}Text")
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._count = named(QLabel(), f"{stem}Count", role="muted")
        self._details_button = named(
            QPushButton("Details"),
            f"{stem}DetailsButton",
            "Show details",
            "Show or hide the details",
            kind="flat",
        )
        self._details_button.setCheckable(True)
        self._details_button.toggled.connect(self._on_details_toggled)
        self._action_buttons = [
            button(QPushButton(), f"{stem}Action{number}", "", "", partial(self._act, number))
            for number in range(MOST_ACTIONS)
        ]
        self._close = button(
            QToolButton(),
            f"{stem}Close",
            "Close the message",
            "Close the message (Escape, with the focus in it)",
            lambda: self.closed.emit(self._notice),
            icon=("close", "text"),
        )
        # They go when they are clicked, and the focus is to stay where the next key is meant.
        for each in (self._details_button, *self._action_buttons, self._close):
            each.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._details = named(PlainText(), f"{stem}Details", "Details of the message")
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

    def _show_icon(self) -> None:
        if self._notice is None:
            return
        severity = self._notice.severity
        color = self._theme.accent if severity == "info" else getattr(self._theme, severity)
        icon = themes.icon(severity, color)
        self._icon.setPixmap(icon.pixmap(QSize(_ICON_PX, _ICON_PX), self.devicePixelRatioF()))

    def _on_details_toggled(self, shown: bool) -> None:
        self._details.setVisible(shown)
        if shown:
            self.read.emit()

    def _act(self, number: int, *_: object) -> None:
        if self._notice is not None:
            self.acted.emit(self._notice, self._notice.actions[number][1])
