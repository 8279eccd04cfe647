"""A small editor for filters, templates and prompts: exact text, quiet-time signal, error marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QKeyEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QSizePolicy, QTextEdit

from inspector.drawing.words import qt_places
from inspector.theme import Themed
from inspector.widgets.drafts import Draft, as_shown
from inspector.widgets.plain_text import PlainText

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QSize, QSizeF
    from PySide6.QtGui import QFocusEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

    from inspector.drawing.unstubbed import ExtraSelection
    from inspector.theme import Theme

QUIET_MS = 150
"""Quiet time after which a typed text is handed on."""

_PARAGRAPH = "\u2029"


def exact_text(edit: QPlainTextEdit) -> str:
    r"""Return the text with no-break spaces and U+2028 as they are; Qt's toPlainText changes them.

    Line ends are ``\n``.
    """
    return edit.document().toRawText().replace(_PARAGRAPH, "\n")


def position_of(text: str, line: int, column: int) -> int:
    """Return the 0-based place of a 1-based line and column (in characters), kept inside."""
    start = 0
    for _ in range(line - 1):
        found = text.find("\n", start)
        if found < 0:
            break
        start = found + 1
    end = text.find("\n", start)
    return min(start + max(column - 1, 0), len(text) if end < 0 else end)


class CodeEdit(Themed, PlainText):
    """Plain text whose value others may show again while it is being typed.

    Parameters
    ----------
    lines : the height that it asks for.
    most_lines : up to which it grows with its text; 0 = it does not grow.

    Signals
    -------
    text_edited(str) : the user's text, `QUIET_MS` after the last key, or when the focus leaves.
    edit_finished() : the focus left, or Ctrl+Return, after at least one `text_edited`.
    """

    text_edited = Signal(str)
    edit_finished = Signal()

    def __init__(
        self,
        lines: int = 3,
        monospace: bool = True,
        parent: QWidget | None = None,
        *,
        most_lines: int = 0,
    ) -> None:
        super().__init__(parent)
        self._lines = self._least = lines
        self._most = most_lines
        self._marks: tuple[tuple[int, int], ...] = ()
        self._draft = Draft()
        self._forgotten = False
        self._showing = False
        self._dirty = False
        self._last_text = ""
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self.hand_on)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        if monospace:
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
            font.setPointSizeF(max(self.font().pointSizeF() * 0.94, 1.0))
            self.setFont(font)
        self.textChanged.connect(self._on_text_changed)
        if most_lines:
            self.document().documentLayout().documentSizeChanged.connect(self._grow)

    @property
    def text(self) -> str:
        """The text as it is in the editor."""
        return exact_text(self)

    def show_text(self, text: str) -> None:
        """Show the value in force. Emits nothing; a draft stays unless the value is a new one."""
        if self._draft.replaces(text):
            self._replace(text)

    def show_draft(self, text: str) -> None:
        """Show a text that is not in force, unless more has been typed since."""
        if text != self.text and not self._quiet.isActive():
            self._replace(text)
            self._draft.ask(text)

    def forget_draft(self) -> None:
        """Let the next text replace what is typed: it is another parameter's, or node's."""
        self._draft.forget()
        self._forgotten = True

    def discard_draft(self) -> None:
        """Show the value in force in place of whatever was typed."""
        self._replace(self._draft.given)

    @property
    def has_draft(self) -> bool:
        """Whether the text is another one than the value in force."""
        return self.text != as_shown(self._draft.given)

    def apply_draft(self) -> bool:
        """End the edit; False where the text is not in force even then."""
        self._finish()
        return not self.has_draft

    def hand_on(self) -> None:
        """Emit what was typed, if anything was, without waiting for quiet."""
        if self._quiet.isActive():
            self._quiet.stop()
        text = self.text
        if text == self._last_text:
            return
        self._last_text = text
        self._draft.ask(text)
        self._dirty = True
        self.text_edited.emit(text)

    @property
    def is_typing(self) -> bool:
        """Whether an edit is going on: text was typed, and the focus has not left since."""
        return self._dirty or self._quiet.isActive()

    def mark(self, spans: Sequence[tuple[int, int]]) -> None:
        """Underline the characters ``text[start:end]`` with a wave, as errors."""
        if not spans and not self._marks:
            return
        self._marks = tuple(spans)
        self._draw_marks()

    @property
    def marks(self) -> tuple[tuple[int, int], ...]:
        """The underlined spans."""
        return self._marks

    def go_to(self, line: int, column: int) -> None:
        """Put the cursor at a 1-based line and column and take the focus."""
        text = self.text
        cursor = self.textCursor()
        cursor.setPosition(qt_places(text)(position_of(text, line, column)))
        self.setTextCursor(cursor)
        self.centerCursor()
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def insert(self, snippet: str) -> None:
        """Put `snippet` in place of the selection, as if typed."""
        self.textCursor().insertText(snippet)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._draw_marks()

    def _replace(self, text: str) -> None:
        # The undo history of one text is of no use in another.
        keep_undo, self._forgotten = not self._forgotten, False
        self._quiet.stop()
        self._dirty = False
        if text != self.text:
            self._showing = True
            place = self.textCursor().position()
            if keep_undo:
                cursor = QTextCursor(self.document())
                cursor.select(QTextCursor.SelectionType.Document)
                cursor.insertText(text)
            else:
                self.setPlainText(text)
            cursor = self.textCursor()
            cursor.setPosition(min(place, max(0, self.document().characterCount() - 1)))
            self.setTextCursor(cursor)
            self._showing = False
            self.mark(())
        self._last_text = self.text

    def _on_text_changed(self) -> None:
        if not self._showing:
            self._quiet.start()

    def _grow(self, size: QSizeF) -> None:
        # A plain text's height is told in lines.
        lines = min(max(round(size.height()), self._least), self._most)
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def _draw_marks(self) -> None:
        text = self.text if self._marks else ""
        place = qt_places(text)
        selections = []
        for start, end in self._marks:
            look = QTextCharFormat()
            look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
            look.setUnderlineColor(self._theme.error)
            look.setBackground(self._theme.soft(self._theme.error))
            cursor = QTextCursor(self.document())
            cursor.setPosition(place(min(start, len(text))))
            cursor.setPosition(place(min(end, len(text))), QTextCursor.MoveMode.KeepAnchor)
            selection: ExtraSelection = QTextEdit.ExtraSelection()
            selection.cursor = cursor
            selection.format = look
            selections.append(selection)
        self.setExtraSelections(selections)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hand on what was typed; the edit is over."""
        super().focusOutEvent(event)
        self._finish()

    def event(self, event: QEvent) -> bool:
        """Hand on what was typed before a shortcut of Ctrl+Return runs the turn."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and _ends_edit(event)
        ):
            self._finish()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """End the edit with Ctrl+Return; type the rest."""
        if _ends_edit(event):
            self._finish()
            event.ignore()
            return
        super().keyPressEvent(event)

    def _finish(self) -> None:
        self.hand_on()
        if self._dirty:
            self._dirty = False
            self.edit_finished.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll only what can scroll here; the panel scrolls otherwise."""
        bar = self.verticalScrollBar()
        if bar.maximum() == bar.minimum():
            event.ignore()
            return
        super().wheelEvent(event)

    def sizeHint(self) -> QSize:
        """Ask for the number of lines that it was made for."""
        hint = super().sizeHint()
        hint.setHeight(self._height_of(self._lines))
        return hint

    def minimumSizeHint(self) -> QSize:
        """Ask for two lines at least, and for all where it grows with its text."""
        hint = super().minimumSizeHint()
        hint.setHeight(self._height_of(self._lines if self._most else min(self._lines, 2)))
        hint.setWidth(self.fontMetrics().averageCharWidth() * 12)
        return hint

    def _height_of(self, lines: int) -> int:
        margins = 2 * round(self.document().documentMargin()) + 12
        return self.fontMetrics().lineSpacing() * lines + margins


def _ends_edit(event: QKeyEvent) -> bool:
    is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    return is_return and bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
