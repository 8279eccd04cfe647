"""The dialog so far: the messages of earlier turns, and the reply to the turn on screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QBoxLayout,
    QCheckBox,
    QHeaderView,
    QVBoxLayout,
    QWidget,
)

from core.errors import InspectorError
from core.prompt.dialog_text import ROLES, next_role, parse_dialog
from inspector.drawing.words import error_text, tooltip
from inspector.models.dialog_model import Column, DialogModel
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.item_views import TableView
from inspector.widgets.labels import ElidedLabel, StatusLabel
from inspector.widgets.parts import named, packed
from inspector.widgets.play_editors import ChoiceDelegate, TextDelegate
from inspector.widgets.play_section import PlaySection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from core.prompt.messages import DialogLine

REPLY_QUIET_MS = 300
"""Quiet time after which a typed reply is handed on: later than a parameter, as it is prose."""

_STACKED_LINES = 10
_BESIDE_CHARACTERS = 88
_REPLY_CHARACTERS = 80
_KEEP_TIP = (
    "Put what was said in earlier turns into the prompt. Default: off.\n"
    "Knowledge that was attached to earlier turns is not repeated."
)
_REPLY_TIP = (
    "What the assistant answered to the turn on screen: type it, or paste it from the game.\n"
    "It joins the dialog of the next turn, and is this node's output."
)
_PASTE_TIP = (
    "Add the messages on the clipboard: lines such as “User: …” and “Assistant: …”, or a "
    "JSON list of messages"
)


class _ReplyEdit(CodeEdit):
    """The reply, which is handed on after a longer quiet."""

    def __init__(self) -> None:
        super().__init__(lines=3, monospace=False)
        self._quiet.setInterval(REPLY_QUIET_MS)

    def event(self, event: QEvent) -> bool:
        """End the edit with Ctrl+Return and no more: a reply asks no question."""
        done = super().event(event)
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        ):
            event.accept()
        return done

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Break the line with Shift+Enter too, where Qt would put U+2028 in."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (
            event.modifiers() == Qt.KeyboardModifier.ShiftModifier
        ):
            self.insertPlainText("\n")
            return
        super().keyPressEvent(event)


class DialogSection(PlaySection):
    """The switch, the earlier messages, and the reply. Showing emits nothing.

    Signals
    -------
    dialog_kept_changed(bool) : the user has switched.
    dialog_edited(object) : the earlier messages after an edit: ``tuple[DialogLine, ...]``.
    reply_edited(str) : the assistant's reply to the turn on screen, `REPLY_QUIET_MS` after the
        last key, or when the focus leaves.
    """

    dialog_kept_changed = Signal(bool)
    dialog_edited = Signal(object)
    reply_edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Dialog", parent)
        self.model = DialogModel(self)
        self.table = named(TableView(), "dialogView", "Messages of earlier turns")
        self.reply = _ReplyEdit()
        self._replies_to = ""
        self._status = named(StatusLabel(most_lines=2), "dialogStatus")
        self._status.hide()
        self._check = named(
            QCheckBox("Keep a dialog"), "dialogCheck", "Keep a dialog", tooltip(_KEEP_TIP)
        )
        self._add = self.add_tool(
            "Add…",
            "dialogAdd",
            "Add a message",
            "Write a message of an earlier turn",
            "add",
            self._on_add,
        )
        self._paste = self.add_tool(
            "Paste", "dialogPaste", "Paste messages", _PASTE_TIP, "paste", self._on_paste
        )
        self._remove = self.add_tool(
            "Remove",
            "dialogRemove",
            "Remove the messages",
            "Remove the selected messages (Del)",
            "remove",
            self._on_remove,
        )
        self.heading.hide()
        self._row.insertWidget(0, self._check)
        self._set_up_table()
        self._arrange(self._make_reply())
        self._connect()
        self.show_dialog((), kept=False, reply="", replies_to="")

    def show_dialog(
        self, lines: Sequence[DialogLine], *, kept: bool, reply: str, replies_to: str
    ) -> None:
        """Show the earlier messages and the reply; what is being typed stays.

        Parameters
        ----------
        kept : whether the dialog goes into the prompt.
        reply : the assistant's reply to the turn on screen, "" when there is none yet.
        replies_to : the player's message of that turn, "" when there is no turn to reply to.
        """
        with QSignalBlocker(self._check):
            self._check.setChecked(kept)
        count = len(self.model.lines)
        self.model.show_lines(lines)
        if len(lines) > count and not self.table.hasFocus():
            self.table.scrollToBottom()
        self.table.setEnabled(kept)
        self.table.set_empty_text(*_empty_text(kept))
        if replies_to != self._replies_to:
            self._replies_to = replies_to
            self.reply.forget_draft()
        self.reply.show_text(reply)
        self.reply.setEnabled(bool(replies_to))
        said = " ".join(replies_to[: 4 * _REPLY_CHARACTERS].split())
        self._reply_label.set_text(
            f"Reply to “{said}”" if said else "No turn to reply to yet",
            "Knowledge of earlier turns is not repeated.",
        )
        self._show_enabled()

    def keep_tools(self) -> None:
        """Have the tools above the content; the switch says what it is."""
        super().keep_tools()
        self.heading.hide()

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self.model)
        table.verticalHeader().setDefaultSectionSize(table.fontMetrics().height() + 10)
        table.horizontalHeader().hide()
        table.setItemDelegateForColumn(Column.ROLE, ChoiceDelegate(ROLES, self))
        self._delegate = TextDelegate(self)
        table.setItemDelegateForColumn(Column.TEXT, self._delegate)
        table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        table.horizontalHeader().setSectionResizeMode(Column.TEXT, QHeaderView.ResizeMode.Stretch)
        table.setColumnWidth(Column.ROLE, self.fontMetrics().horizontalAdvance("assistant") + 28)
        table.setMinimumHeight(2 * table.verticalHeader().defaultSectionSize() + 4)

    def _make_reply(self) -> QWidget:
        box = QWidget()
        self._reply_label = named(ElidedLabel(), "replyLabel", role="muted")
        named(self.reply, "replyEdit", "Reply of the assistant", tooltip(_REPLY_TIP))
        self.reply.setPlaceholderText("Type or paste what the assistant answered")
        self._hint = named(ElidedLabel("Knowledge of earlier turns is not repeated"), role="muted")
        packed(QVBoxLayout(box), self._reply_label, (self.reply, 1), self._hint)
        return box

    def _arrange(self, reply: QWidget) -> None:
        self._parts = packed(
            QBoxLayout(QBoxLayout.Direction.TopToBottom), (self.table, 1), (reply, 1)
        )
        packed(QVBoxLayout(self.content), self._status, (self._parts, 1))

    def _connect(self) -> None:
        self._check.clicked.connect(self.dialog_kept_changed)
        self.model.edited.connect(self._on_edited)
        self.model.rowsRemoved.connect(self._show_enabled)
        self.model.rowsInserted.connect(self._show_enabled)
        self._delegate.closeEditor.connect(self.model.drop_draft)
        self.reply.text_edited.connect(self.reply_edited)
        self.table.selectionModel().selectionChanged.connect(self._show_enabled)
        self.table.row_activated.connect(self.table.edit_cell)
        self.table.add_shortcut(QKeySequence.StandardKey.Delete, "Remove message", self._on_remove)
        self.table.add_shortcut(QKeySequence.StandardKey.Paste, "Paste messages", self._on_paste)

    def _show_enabled(self) -> None:
        kept = self._check.isChecked()
        self._add.setEnabled(kept)
        self._paste.setEnabled(kept)
        self._remove.setEnabled(kept and self.table.selectionModel().hasSelection())

    def _say(self, kind: str, text: str) -> None:
        self._status.setVisible(bool(text))
        if text:
            self._status.set_status(kind, text)

    def _on_add(self) -> None:
        self._say("", "")
        index = self.model.index(self.model.begin_draft(), Column.TEXT)
        self.table.scrollTo(index)
        self.table.edit_cell(index)

    def _on_remove(self) -> None:
        self._say("", "")
        self.model.remove(index.row() for index in self.table.selectionModel().selectedRows())

    def _on_paste(self) -> None:
        try:
            lines = parse_dialog(
                QGuiApplication.clipboard().text(), unmarked=next_role(self.model.lines)
            )
        except InspectorError as error:
            place = f" ({error.place})" if str(error.place) else ""
            self._say("error", f"{error_text(error)}{place}")
            return
        self.model.append(lines)
        self.table.scrollToBottom()
        count = len(lines)
        self._say("ok", f"{count} message{'' if count == 1 else 's'} pasted")

    def _on_edited(self, lines: object) -> None:
        self._show_enabled()
        self.dialog_edited.emit(lines)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the reply below the messages, or beside them where it is low."""
        super().resizeEvent(event)
        metrics = self.fontMetrics()
        is_low = self.height() < _STACKED_LINES * metrics.lineSpacing()
        is_wide = self.width() >= _BESIDE_CHARACTERS * metrics.averageCharWidth()
        self._parts.setDirection(
            QBoxLayout.Direction.LeftToRight
            if is_low or is_wide
            else QBoxLayout.Direction.TopToBottom
        )
        self._hint.setVisible(not is_low)


def _empty_text(kept: bool) -> tuple[str, str]:
    if kept:
        return "No earlier messages", "They come as you play, or with Add and Paste"
    return "No dialog is kept", "Each turn stands alone"
