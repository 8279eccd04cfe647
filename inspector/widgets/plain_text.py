"""Plain text that is laid out in time linear in its length, whatever stands in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit

from inspector.drawing.words import as_lines

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData
    from PySide6.QtWidgets import QWidget

LONGEST_WORD = 500
"""A text with a longer word breaks its lines anywhere."""

_LONG_WORD = re.compile(rf"[^ \t\n\r\u2028\u2029]{{{LONGEST_WORD + 1}}}")
_MODES = {
    False: QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere,
    True: QTextOption.WrapMode.WrapAnywhere,
}


class PlainText(QPlainTextEdit):
    """Breaks lines at words, but anywhere while the text has a word of many hundreds of letters.

    At each line Qt looks for the end of the word, which takes time by the square of its length.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._breaks_words = False
        self._exact: str | None = None
        self.document().contentsChange.connect(self._on_contents_change)

    def _on_contents_change(self, position: int, _removed: int, added: int) -> None:
        # Comes before the new text is laid out.
        document = self.document()
        block = document.findBlock(position)
        is_inside = position + added < block.position() + block.length()
        text = block.text() if is_inside and not self._breaks_words else document.toRawText()
        if text:
            self._choose_mode(text)

    def _choose_mode(self, text: str) -> None:
        breaks_words = _LONG_WORD.search(text) is not None
        if breaks_words is not self._breaks_words:
            self._breaks_words = breaks_words
            self.setWordWrapMode(_MODES[breaks_words])

    def show_exact(self, text: str) -> None:
        """Show a text that is only read; what is copied of it has its own ends of lines."""
        self.setPlainText(as_lines(text))
        self._exact = text

    def setPlainText(self, text: str) -> None:
        """Show another text; Qt lays it out before it tells of it."""
        self._exact = None
        self._choose_mode(text)
        super().setPlainText(text)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy what was selected as it really is; Qt would make blanks of no-break spaces."""
        # One of Python's would outlive Python on the clipboard, and crash as the program ends.
        cursor, data = self.textCursor(), super().createMimeDataFromSelection()
        data.text()  # Qt fills it in when it is first read.
        data.clear()
        if self._exact is None:
            data.setText(cursor.selectedText().replace("\u2029", "\n"))
        else:
            units = self._exact.encode("utf-16-le", "surrogatepass")
            chosen = units[2 * cursor.selectionStart() : 2 * cursor.selectionEnd()]
            data.setText(chosen.decode("utf-16-le", "replace"))
        return data
