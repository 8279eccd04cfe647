"""The question: what a player would ask, and whether the answer is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.theme import Themed
from inspector.widgets.fields import LineEdit
from inspector.widgets.labels import ElidedLabel
from inspector.widgets.parts import (
    Surface,
    button,
    named,
    packed,
    text_tool,
)

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from inspector.theme import Theme

_DOT_PX = 8
_DOT_GAP_PX = 6
_CLEAR_ACTION = "_q_qlineeditclearaction"
_STATES = {"ready": "ok", "busy": "accent", "warning": "warning", "error": "error", "off": "muted"}


class _StatusLine(Themed, ElidedLabel):
    """A dot in the colour of the state, and words; the words alone say it all."""

    text_left = _DOT_PX + _DOT_GAP_PX

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._state = "off"
        named(self, "queryStatus", role="muted")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def show_state(self, state: str, text: str) -> None:
        """Show a state and its words."""
        if (state, text) == (self._state, self.text()):
            return
        self._state = state
        self.set_text(text)
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the dot and what fits of the words."""
        super().paintEvent(event)
        if not self.text():
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(getattr(self._theme, _STATES[self._state]))
        painter.drawEllipse(0, (self.height() - _DOT_PX) // 2, _DOT_PX, _DOT_PX)

    def sizeHint(self) -> QSize:
        """Ask for all of the words."""
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self.text()) + self.text_left + 2 if self.text() else 0
        return QSize(width, metrics.height())


class _MessageEdit(LineEdit):
    """The question's field. Ctrl+Return runs as Enter does; Escape does nothing.

    `is_typing` : the question is the newest that was edited, so that undo means its text.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_typing = False
        self.textEdited.connect(self._on_typed)

    def _on_typed(self) -> None:
        self.is_typing = True

    def _leaves_undo(self, event: QKeyEvent) -> bool:
        return not self.is_typing and (
            event.matches(QKeySequence.StandardKey.Undo)
            or event.matches(QKeySequence.StandardKey.Redo)
        )

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window when something else was edited since."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and self._leaves_undo(event)
        ):
            event.ignore()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run with Enter, whatever modifier is held."""
        if self._leaves_undo(event):
            event.ignore()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.returnPressed.emit()
            return
        super().keyPressEvent(event)


class QueryBar(Surface):
    """The question with its buttons. Setting things from outside emits nothing.

    Signals
    -------
    run_requested(str) : run a turn with this message: Enter, Ctrl+Return or the button.
    message_edited(str) : the user typed or pasted, at each change.
    live_toggled(bool) : whether typing runs turns by itself.
    """

    run_requested = Signal(str)
    message_edited = Signal(str)
    live_toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        height = self.fontMetrics().height() + 16
        self.edit = named(
            _MessageEdit(),
            "messageEdit",
            "Player's message",
            "The player's message. Enter runs a turn",
        )
        self.edit.setPlaceholderText("Ask what a player would ask")
        self.edit.setClearButtonEnabled(True)
        self.edit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.edit.setMinimumHeight(height)
        self.edit.setMinimumWidth(self.fontMetrics().averageCharWidth() * 32)
        self.run_button = button(
            QPushButton("Run"),
            "runButton",
            "Run the turn",
            "Run a turn with this message (Enter or Ctrl+Return)",
            self._on_run,
            icon=("run", "on_accent"),
            kind="primary",
        )
        self.run_button.setMinimumHeight(height)
        self.live = named(
            QCheckBox("Live"),
            "liveCheck",
            "Live",
            tooltip(
                "Run while typing, after 150 ms of quiet.\nDefault: on. Moving a parameter always "
                "shows at once."
            ),
        )
        self.live.setChecked(True)
        self.copy_button = button(
            text_tool("Copy"),
            "copyButton",
            "Copy parameters or results",
            "Copy parameters, results, the prompt or a picture",
            icon=("copy", "muted"),
        )
        self.copy_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.status = _StatusLine()
        packed(
            QHBoxLayout(self),
            (self.edit, 1),
            self.run_button,
            self.live,
            self.copy_button,
            self.status,
            margins=(8, 4, 8, 4),
            spacing=8,
        )
        self.edit.textEdited.connect(self.message_edited)
        self.edit.returnPressed.connect(self._on_run)
        self.live.clicked.connect(self.live_toggled)
        themes.spread(self, themes.LIGHT)

    def set_message(self, message: str) -> None:
        """Put a message in whatever stands there, such as that of a turn that is brought back."""
        if message != self.edit.text():
            self.edit.setText(message)
        self.end_typing()

    def end_typing(self) -> None:
        """Take note that something else was done since: undo does not mean the question."""
        self.edit.is_typing = False

    def focus_message(self) -> None:
        """Put the cursor into the field and select what is there."""
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        # Qt has no other way to its clear button; without it the style's own picture stays.
        clear = self.edit.findChild(QAction, _CLEAR_ACTION)
        if isinstance(clear, QAction):
            clear.setIcon(themes.icon("close", theme.muted))

    def _on_run(self) -> None:
        self.run_requested.emit(self.edit.text())
