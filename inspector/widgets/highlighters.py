"""Colours for JSON filters and Mustache templates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtGui import QColor, QFont, QSyntaxHighlighter, QTextCharFormat

from inspector import theme as themes
from inspector.drawing.words import qt_places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QTextDocument

    from inspector.theme import Theme


LONGEST_LINE = 20_000
LONGEST_TEXT = 100_000
"""What is longer than these stays plain, so that a pasted bomb doesn't hold up typing."""

_JSON = re.compile(
    r'(?P<key>"(?:[^"\\]|\\.)*+"(?=\s*+:))|(?P<string>"(?:[^"\\]|\\.)*+"?)'
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<word>\b(?:true|false|null)\b)"
)
_MUSTACHE = re.compile(
    r"(?P<comment>\{\{!(?:[^}]|\}(?!\}))*+(?:\}\})?)"
    r"|(?P<section>\{\{\s*[#^/](?:[^}]|\}(?!\}))*+(?:\}\})?)"
    r"|(?P<tag>\{\{\{?(?:[^}]|\}(?!\}))*+(?:\}\}\}?)?)"
)


def _look(color: QColor, *, bold: bool = False) -> QTextCharFormat:
    look = QTextCharFormat()
    look.setForeground(color)
    if bold:
        look.setFontWeight(QFont.Weight.DemiBold)
    return look


class _Highlighter(QSyntaxHighlighter):
    """Colours what a pattern's groups find, line by line."""

    pattern = re.compile(r"(?!)")

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._looks: dict[str, QTextCharFormat] = {}
        themes.spread(self, themes.LIGHT)

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._looks = self.looks(theme)
        self.rehighlight()

    def looks(self, theme: Theme) -> dict[str, QTextCharFormat]:
        """Return the look of each group of the pattern."""
        raise NotImplementedError

    def pieces(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Yield group, start and end of what is coloured, in Qt's UTF-16 units."""
        place = qt_places(text)
        for match in self.pattern.finditer(text):
            yield match.lastgroup or "", place(match.start()), place(match.end())

    def highlightBlock(self, text: str) -> None:
        """Colour one line."""
        if len(text) > LONGEST_LINE or self.document().characterCount() > LONGEST_TEXT:
            return
        for group, start, end in self.pieces(text):
            self.setFormat(start, end - start, self._looks[group])


class JsonHighlighter(_Highlighter):
    """Keys, strings, numbers and words of JSON."""

    pattern = _JSON

    def looks(self, theme: Theme) -> dict[str, QTextCharFormat]:
        """Return the look of each kind of token."""
        return {
            "key": _look(theme.muted),
            "string": _look(theme.ok),
            "number": _look(theme.top_k),
            "word": _look(theme.threshold),
        }


class MustacheHighlighter(_Highlighter):
    """Variables, sections and comments of a Mustache template."""

    pattern = _MUSTACHE

    def looks(self, theme: Theme) -> dict[str, QTextCharFormat]:
        """Return the look of each kind of tag."""
        return {
            "comment": _look(theme.muted),
            "section": _look(theme.top_k, bold=True),
            "tag": _look(theme.accent, bold=True),
        }
