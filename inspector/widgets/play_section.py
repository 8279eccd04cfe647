"""A part of the play panel: its tools, which may stand in the panel's row, and its content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.widgets.labels import heading
from inspector.widgets.parts import button, packed, show_words, text_tool

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QToolButton

_FRAME_PX = 12


class PlaySection(QWidget):
    """A title with tools above a content. The panel may take the tools into a row of its own."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.heading = heading(title)
        self.tools = QWidget()
        self._row = packed(QHBoxLayout(self.tools), self.heading, None)
        self.tools.setMinimumHeight(self.fontMetrics().height() + _FRAME_PX)
        self.content = QWidget()
        self._column = packed(QVBoxLayout(self), self.tools, (self.content, 1))
        self._buttons: list[QToolButton] = []

    def add_tool(
        self, text: str, name: str, says: str, tip: str, icon: str, clicked: Callable[[], object]
    ) -> QToolButton:
        """Put a button at the right of the row of tools, and return it."""
        new = button(text_tool(text), name, says, tip, clicked, icon=(icon, "muted"), kind="small")
        new.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._row.addWidget(new)
        self._buttons.append(new)
        return new

    def keep_tools(self) -> None:
        """Have the tools above the content, with the title."""
        self.heading.setVisible(True)
        self._column.insertWidget(0, self.tools)

    def set_tight(self, tight: bool) -> None:
        """Show the tools as icons only, or with their words."""
        show_words(self._buttons, not tight)
