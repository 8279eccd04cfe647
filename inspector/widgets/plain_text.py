"""Plain text that is laid out in time linear in its length, whatever stands in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QPlainTextEdit

if TYPE_CHECKING:
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

    def setPlainText(self, text: str) -> None:
        """Show another text; Qt lays it out before it tells of it."""
        self._choose_mode(text)
        super().setPlainText(text)
