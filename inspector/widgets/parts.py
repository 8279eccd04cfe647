"""What panels are put together from: a ground, controls with their names, rows and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractButton, QBoxLayout, QSplitter, QToolButton, QWidget

from inspector import theme as themes
from inspector.theme import Themed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from PySide6.QtCore import SignalInstance
    from PySide6.QtGui import QPaintEvent
    from PySide6.QtWidgets import QLayout

    from inspector.theme import Theme

    Part = QWidget | QLayout | int | None

PANEL_MARGINS = (8, 4, 8, 8)
"""Around the content of most panels, px: left, top, right, bottom."""

_Widget = TypeVar("_Widget", bound=QWidget)
_Button = TypeVar("_Button", bound=QAbstractButton)
_Box = TypeVar("_Box", bound=QBoxLayout)


class Surface(Themed, QWidget):
    """A widget with the panels' colour behind its parts.

    It is painted rather than set as a palette: when a widget is shown for the first time, a style
    sheet of the application brings back the palette of the theme before.
    """

    def paintEvent(self, event: QPaintEvent) -> None:
        """Fill what is to be drawn anew."""
        QPainter(self).fillRect(event.rect(), self._theme.panel)


class _Icon(QObject):
    """Keeps a button's icon in one colour of the theme, whichever theme that is."""

    def __init__(self, button: QAbstractButton, name: str, color: str) -> None:
        super().__init__(button)
        self._button, self._name, self._color = button, name, color
        self.apply_theme(themes.LIGHT)

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._button.setIcon(themes.icon(self._name, getattr(theme, self._color)))


def named(
    widget: _Widget, name: str = "", says: str = "", tip: str = "", **properties: str
) -> _Widget:
    """Give a new widget its names, and return it.

    Parameters
    ----------
    name : the object name, by which scripts find it.
    says : what a screen reader calls it.
    tip : its tooltip.
    properties : what the style sheet reads, such as ``kind="flat"`` or ``role="muted"``.
    """
    widget.setObjectName(name)
    widget.setAccessibleName(says)
    widget.setToolTip(tip)
    for key, value in properties.items():
        widget.setProperty(key, value)
    return widget


def button(
    new: _Button,
    name: str,
    says: str,
    tip: str,
    clicked: Callable[..., object] | SignalInstance | None = None,
    *,
    icon: tuple[str, str] | None = None,
    **properties: str,
) -> _Button:
    """Give a new button its names, what it does and its icon, and return it.

    Parameters
    ----------
    clicked : called, or emitted, by a click.
    icon : name of the icon and of its colour in the theme.
    """
    named(new, name, says, tip, **properties)
    if clicked is not None:
        new.clicked.connect(clicked)
    if icon is not None:
        _Icon(new, *icon)
    return new


def text_tool(text: str) -> QToolButton:
    """Return a tool button with a text beside its icon."""
    new = QToolButton()
    new.setText(text)
    new.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    return new


def show_words(buttons: Iterable[QToolButton], shown: bool) -> None:
    """Show the buttons' texts beside their icons, or the icons only."""
    for each in buttons:
        each.setToolButtonStyle(
            Qt.ToolButtonStyle.ToolButtonTextBesideIcon
            if shown
            else Qt.ToolButtonStyle.ToolButtonIconOnly
        )


def packed(
    box: _Box,
    *parts: Part | tuple[Part, int],
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    spacing: int = 4,
) -> _Box:
    """Fill a new row or column, and return it.

    Parameters
    ----------
    parts : each alone, or with the share that it has of the room to spare; a number is so much
        room, px, and None all the room to spare.
    margins, spacing : px.
    """
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for entry in parts:
        part, share = entry if isinstance(entry, tuple) else (entry, 0)
        if part is None:
            box.addStretch(1)
        elif isinstance(part, int):
            box.addSpacing(part)
        elif isinstance(part, QWidget):
            box.addWidget(part, share)
        else:
            box.addLayout(part, share)
    return box


def split(*parts: tuple[QWidget, int], handle_px: int = 8) -> QSplitter:
    """Put widgets beside each other, with their shares of the room and handles between them."""
    splitter = QSplitter(Qt.Orientation.Horizontal)
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(handle_px)
    for number, (part, share) in enumerate(parts):
        splitter.addWidget(part)
        splitter.setStretchFactor(number, share)
    return splitter
