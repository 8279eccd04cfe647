"""A part of the play panel: its tools, which may stand in the panel's row, and its content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from inspector import theme as themes
from inspector.widgets.labels import heading

if TYPE_CHECKING:
    from inspector.theme import Theme

_ICON = "iconName"
_FRAME_PX = 12


def tool(text: str, object_name: str, name: str, tip: str, icon: str) -> QToolButton:
    """Make a button of a section; its icon follows the theme."""
    button = QToolButton()
    button.setObjectName(object_name)
    button.setText(text)
    button.setAccessibleName(name)
    button.setToolTip(tip)
    button.setProperty("kind", "small")
    button.setProperty(_ICON, icon)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return button


class PlaySection(QWidget):
    """A title with tools above a content. The panel may take the tools into a row of its own."""

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self._theme: Theme = themes.LIGHT
        self.heading = heading(title)
        self.tools = QWidget()
        self._row = QHBoxLayout(self.tools)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(4)
        self._row.addWidget(self.heading)
        self._row.addStretch(1)
        self.tools.setMinimumHeight(self.fontMetrics().height() + _FRAME_PX)
        self.content = QWidget()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self._column.addWidget(self.tools)
        self._column.addWidget(self.content, 1)
        self._buttons: list[QToolButton] = []

    def add_tools(self, *widgets: QWidget) -> None:
        """Put widgets at the right of the row of tools."""
        for widget in widgets:
            self._row.addWidget(widget)
            if isinstance(widget, QToolButton):
                self._buttons.append(widget)

    def keep_tools(self) -> None:
        """Have the tools above the content, with the title."""
        self.heading.setVisible(True)
        self._column.insertWidget(0, self.tools)

    def set_tight(self, tight: bool) -> None:
        """Show the tools as icons only, or with their words."""
        style = (
            Qt.ToolButtonStyle.ToolButtonIconOnly
            if tight
            else Qt.ToolButtonStyle.ToolButtonTextBesideIcon
        )
        for button in self._buttons:
            button.setToolButtonStyle(style)

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme
        for button in self._buttons:
            button.setIcon(themes.icon(str(button.property(_ICON)), theme.muted))
