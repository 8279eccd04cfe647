"""Editors of table cells that keep what is being typed while the table is shown anew."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPersistentModelIndex, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemDelegate,
    QLineEdit,
    QPlainTextEdit,
    QStyledItemDelegate,
    QWidget,
)

from inspector.widgets.code_edit import exact_text
from inspector.widgets.fields import LONGEST_LINE, Choice
from inspector.widgets.labels import set_role
from inspector.widgets.plain_text import PlainText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QAbstractItemModel, QModelIndex

    from inspector.drawing.unstubbed import StyleOption

    _Index = QModelIndex | QPersistentModelIndex

_FILLED = "filled"
_ENDING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
_TEXT_LINES = 4


class _CellDelegate(QStyledItemDelegate):
    """Fills a cell's editor once: what is typed stays when the cell changes below it."""

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        """Show the text in force, selected, in an editor that was just opened."""
        if not editor.property(_FILLED):
            editor.setProperty(_FILLED, True)
            super().setEditorData(editor, index)
            if isinstance(editor, QLineEdit | QPlainTextEdit):
                editor.selectAll()

    def updateEditorGeometry(self, editor: QWidget, option: StyleOption, _index: _Index) -> None:
        """Fill the cell."""
        editor.setGeometry(option.rect)

    def _end(self, editor: QWidget, _index: int = -1) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QAbstractItemDelegate.EndEditHint.NoHint)


class LineDelegate(_CellDelegate):
    """Edits a cell's text on one line. A text with a problem is not taken over.

    Parameters
    ----------
    problem : tells why a text cannot stand in a cell, or "".

    Signals
    -------
    problem_changed(str) : of the text that is being typed; "" when there is none any more.
    """

    problem_changed = Signal(str)

    def __init__(self, problem: Callable[[_Index, str], str], parent: QObject) -> None:
        super().__init__(parent)
        self._problem = problem
        self._told = ""

    def createEditor(self, parent: QWidget, _option: StyleOption, index: _Index) -> QWidget:
        """Make the field, which says at once what is wrong."""
        editor = QLineEdit(parent)
        editor.setMaxLength(LONGEST_LINE)
        editor.setStyleSheet("QLineEdit { padding: 0 4px; border-radius: 0; }")
        title = index.model().headerData(index.column(), Qt.Orientation.Horizontal)
        editor.setAccessibleName(f"{title} of the variable")
        editor.textEdited.connect(
            partial(self._on_text_edited, editor, QPersistentModelIndex(index))
        )
        return editor

    def _on_text_edited(self, editor: QLineEdit, index: _Index, text: str) -> None:
        problem = self._problem(index, text)
        set_role(editor, "invalid", bool(problem))
        editor.setAccessibleDescription(problem)
        self._tell(problem)

    def _tell(self, problem: str) -> None:
        if problem != self._told:
            self._told = problem
            self.problem_changed.emit(problem)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Take over what was typed, if anything was, and if it can be."""
        if (
            isinstance(editor, QLineEdit)
            and editor.isModified()
            and not self._problem(index, editor.text())
        ):
            model.setData(index, editor.text())

    def destroyEditor(self, editor: QWidget, index: _Index) -> None:
        """Forget the problem of a field that is closed."""
        self._tell("")
        super().destroyEditor(editor, index)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Keep the field open while Enter or Tab would lose a text with a problem."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and (event.key() in _ENDING and self._told)
        ):
            return True
        return super().eventFilter(editor, event)


class TextDelegate(_CellDelegate):
    """Edits a cell's text on several lines: Enter ends the edit, Shift+Enter breaks the line."""

    def createEditor(self, parent: QWidget, _option: StyleOption, _index: _Index) -> QWidget:
        """Make the field."""
        editor = PlainText(parent)
        editor.setAccessibleName("message")
        editor.setStyleSheet("QPlainTextEdit { padding: 0 2px; border-radius: 0; }")
        editor.setPlaceholderText("Enter ends, Shift+Enter breaks the line")
        return editor

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        """Take over what was typed, if anything was."""
        if isinstance(editor, QPlainTextEdit) and editor.document().isModified():
            model.setData(index, exact_text(editor))

    def updateEditorGeometry(self, editor: QWidget, option: StyleOption, _index: _Index) -> None:
        """Cover some rows, inside the view."""
        viewport = editor.parentWidget()
        room = viewport.rect() if viewport is not None else option.rect
        height = max(option.rect.height(), editor.fontMetrics().lineSpacing() * _TEXT_LINES + 12)
        rect = QRect(
            option.rect.left(), option.rect.top(), option.rect.width(), min(height, room.height())
        )
        rect.moveTop(max(min(rect.top(), room.bottom() - rect.height() + 1), 0))
        editor.setGeometry(rect)

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """End the edit with Enter."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and (event.key() in _ENDING[:2] and isinstance(editor, QPlainTextEdit))
        ):
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                # By itself the editor would put U+2028 in.
                editor.insertPlainText("\n")
                return True
            self._end(editor)
            return True
        return super().eventFilter(editor, event)


class ChoiceDelegate(_CellDelegate):
    """Edits a cell by a choice among a few names."""

    def __init__(self, names: Sequence[str], parent: QObject) -> None:
        super().__init__(parent)
        self._names = tuple(names)

    def createEditor(self, parent: QWidget, _option: StyleOption, _index: _Index) -> QWidget:
        """Make the combo box and open it."""
        editor = Choice(parent)
        editor.addItems(self._names)
        editor.setAccessibleName("role")
        editor.setStyleSheet("QComboBox { padding: 0 18px 0 4px; border-radius: 0; }")
        editor.activated.connect(partial(self._end, editor))
        QTimer.singleShot(0, editor, editor.showPopup)
        return editor
