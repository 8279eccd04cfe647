"""The question: what a player would ask, and whether the answer is ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.widgets.fields import LineEdit
from inspector.widgets.labels import ElidedLabel
from inspector.widgets.surface import Surface

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QPaintEvent

    from inspector.theme import Theme

_DOT_PX = 8
_DOT_GAP_PX = 6
_CLEAR_ACTION = "_q_qlineeditclearaction"
_STATES = {"ready": "ok", "busy": "accent", "warning": "warning", "error": "error", "off": "muted"}


class _StatusLine(ElidedLabel):
    """A dot in the colour of the state, and words; the words alone say it all."""

    text_left = _DOT_PX + _DOT_GAP_PX

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self._state = "off"
        self._theme: Theme = themes.LIGHT
        self.setObjectName("queryStatus")
        self.setProperty("role", "muted")
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

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme
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
    """The question's field. Ctrl+Return runs as Enter does; Escape does nothing."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Run with Enter, whatever modifier is held."""
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
        self.edit = _MessageEdit()
        self.edit.setObjectName("messageEdit")
        self.edit.setAccessibleName("Player's message")
        self.edit.setPlaceholderText("Ask what a player would ask")
        self.edit.setToolTip("The player's message. Enter runs a turn")
        self.edit.setClearButtonEnabled(True)
        self.edit.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.edit.setMinimumHeight(self.fontMetrics().height() + 16)
        self.edit.setMinimumWidth(self.fontMetrics().averageCharWidth() * 32)
        self.run_button = QPushButton("Run")
        self.run_button.setObjectName("runButton")
        self.run_button.setProperty("kind", "primary")
        self.run_button.setMinimumHeight(self.fontMetrics().height() + 16)
        self.run_button.setAccessibleName("Run the turn")
        self.run_button.setToolTip("Run a turn with this message (Enter or Ctrl+Return)")
        self.live = QCheckBox("Live")
        self.live.setObjectName("liveCheck")
        self.live.setChecked(True)
        self.live.setAccessibleName("Live")
        self.live.setToolTip(
            tooltip(
                "Run while typing, after 150 ms of quiet.\nDefault: on. Moving a parameter always "
                "shows at once."
            )
        )
        self.copy_button = QToolButton()
        self.copy_button.setObjectName("copyButton")
        self.copy_button.setText("Copy")
        self.copy_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.copy_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.copy_button.setAccessibleName("Copy parameters or results")
        self.copy_button.setToolTip("Copy parameters, results, the prompt or a picture")
        self.status = _StatusLine()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 4, 8, 4)
        layout.setSpacing(8)
        layout.addWidget(self.edit, 1)
        layout.addWidget(self.run_button)
        layout.addWidget(self.live)
        layout.addWidget(self.copy_button)
        layout.addWidget(self.status)
        self.edit.textEdited.connect(self.message_edited)
        self.edit.returnPressed.connect(self._on_run)
        self.run_button.clicked.connect(self._on_run)
        self.live.clicked.connect(self.live_toggled)
        themes.spread(self, themes.LIGHT)

    def message(self) -> str:
        """Return what is in the field."""
        return self.edit.text()

    def set_message(self, message: str) -> None:
        """Put a message in whatever stands there, such as that of a turn that is brought back."""
        if message != self.edit.text():
            self.edit.setText(message)

    def is_live(self) -> bool:
        """Tell whether typing runs turns by itself."""
        return self.live.isChecked()

    def set_live(self, live: bool) -> None:
        """Switch live runs on or off."""
        self.live.setChecked(live)

    def set_copy_menu(self, menu: QMenu) -> None:
        """Give the Copy button its menu."""
        self.copy_button.setMenu(menu)

    def set_status(self, state: str, text: str) -> None:
        """Show a state: ``ready``, ``busy``, ``warning``, ``error`` or ``off``, and its words."""
        self.status.show_state(state, text)

    def focus_message(self) -> None:
        """Put the cursor into the field and select what is there."""
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self.copy_button.setIcon(themes.icon("copy", theme.muted))
        self.run_button.setIcon(themes.icon("run", theme.on_accent))
        # Qt has no other way to its clear button; without it the style's own picture stays.
        clear = self.edit.findChild(QAction, _CLEAR_ACTION)
        if isinstance(clear, QAction):
            clear.setIcon(themes.icon("close", theme.muted))

    def _on_run(self) -> None:
        self.run_requested.emit(self.edit.text())
