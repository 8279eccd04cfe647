"""The panels' background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from inspector import theme as themes

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent

    from inspector.theme import Theme


class Surface(QWidget):
    """A widget with the panels' colour behind its parts.

    It is painted rather than set as a palette: when a widget is shown for the first time, a style
    sheet of the application brings back the palette of the theme before.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._surface = themes.LIGHT.panel

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._surface = theme.panel
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill what is to be drawn anew."""
        QPainter(self).fillRect(event.rect(), self._surface)
