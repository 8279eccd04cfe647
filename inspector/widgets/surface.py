"""The panels' background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from inspector.theme import Themed

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent


class Surface(Themed, QWidget):
    """A widget with the panels' colour behind its parts.

    It is painted rather than set as a palette: when a widget is shown for the first time, a style
    sheet of the application brings back the palette of the theme before.
    """

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill what is to be drawn anew."""
        QPainter(self).fillRect(event.rect(), self._theme.panel)
