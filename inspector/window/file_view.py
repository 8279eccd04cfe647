"""Shows a file at a line, read-only, so that a finding's place can be seen."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontDatabase, QTextBlock, QTextCursor
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout

from inspector.widgets.labels import WrapLabel

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtWidgets import QWidget

    from core.errors import Place

CONTEXT_LINES = 200
MAX_LINE_CHARS = 2000


class FileView(QDialog):
    """A window beside the main one with some lines around a place."""

    def __init__(self, place: Place, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(Path(place.file).name)
        self.resize(760, 480)
        heading = WrapLabel(str(place), self)
        self.text = QPlainTextEdit(
            self, readOnly=True, lineWrapMode=QPlainTextEdit.LineWrapMode.NoWrap
        )
        self.text.setAccessibleName("Lines of the file")
        self.text.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        outside = QPushButton("Open in the system's editor", self)
        outside.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(place.file)))
        close = QPushButton("Close", self)
        close.clicked.connect(self.close)
        buttons = QHBoxLayout()
        buttons.addWidget(outside)
        buttons.addStretch(1)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.addWidget(heading)
        column.addWidget(self.text, 1)
        column.addLayout(buttons)
        self._show(place)

    def _show(self, place: Place) -> None:
        wanted = place.line or 1
        first = max(1, wanted - CONTEXT_LINES)
        try:
            with Path(place.file).open(encoding="utf-8", errors="replace") as file:
                lines = _lines(file, first, wanted + CONTEXT_LINES)
        except OSError as error:
            self.text.setPlainText(f"The file cannot be read: {error.strerror or error}")
            return
        self.text.setPlainText(
            "\n".join(f"{number:>7}  {line}" for number, line in enumerate(lines, start=first))
        )
        block: QTextBlock = self.text.document().findBlockByNumber(wanted - first)
        cursor = QTextCursor(block)
        cursor.select(QTextCursor.SelectionType.LineUnderCursor)
        self.text.setTextCursor(cursor)
        self.text.centerCursor()


def _lines(file: Iterable[str], first: int, last: int) -> list[str]:
    """Return the lines `first` to `last`, each cut to what is sensible to show."""
    lines = [line.rstrip("\n") for line in islice(file, first - 1, last)]
    return [text if len(text) <= MAX_LINE_CHARS else text[:MAX_LINE_CHARS] + " …" for text in lines]
