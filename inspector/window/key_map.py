"""All keys of the window, read off its actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDockWidget,
    QFrame,
    QGridLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.widgets.labels import heading
from inspector.widgets.parts import named, packed

if TYPE_CHECKING:
    from collections.abc import Iterator

_NATIVE = QKeySequence.SequenceFormat.NativeText
_HEIGHT_SHARE = 0.8
_GAP_PX = 8


class Key(NamedTuple):
    """What a key does, and where: a menu's title, or that of the panel that must have the focus."""

    where: str
    keys: str
    what: str


def key_map(window: QMainWindow) -> list[Key]:
    """Return the keys of the menus in their order, then those of single panels."""
    found = []
    for top in window.menuBar().actions():
        menu = top.menu()
        if isinstance(menu, QMenu):
            found += [_key(_plain(top.text()), action) for action in _actions(menu)]
    for dock in window.findChildren(QDockWidget):
        local = (a for a in dock.findChildren(QAction) if _is_local(a))
        found += [_key(dock.toggleViewAction().text(), action) for action in local]
    return list(dict.fromkeys(key for key in found if key.keys))


def show_key_map(window: QMainWindow) -> None:
    """Show the keys in a dialog of its own."""
    dialog = named(QDialog(window), "keyMap", "Keyboard shortcuts")
    dialog.setWindowTitle("Keyboard shortcuts")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    table = QWidget()
    grid = QGridLayout(table)
    grid.setHorizontalSpacing(24)
    where = ""
    for key in key_map(window):
        if key.where != where:
            where = key.where
            title = heading(where)
            title.setContentsMargins(0, _GAP_PX if grid.rowCount() > 1 else 0, 0, 0)
            grid.addWidget(title, grid.rowCount(), 0, 1, 2)
        row = grid.rowCount()
        for column, text in enumerate((key.keys, key.what)):
            label = QLabel(text)
            label.setTextFormat(Qt.TextFormat.PlainText)
            if not column:
                label.setFont(themes.scaled_font(label.font(), 1.0, bold=True))
            grid.addWidget(label, row, column)
    grid.setColumnStretch(1, 1)
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setWidget(table)
    table.setAutoFillBackground(False)
    packed(QVBoxLayout(dialog), (scroll, 1), margins=(8, 8, 8, 8))
    wanted = table.sizeHint()
    dialog.resize(
        wanted.width() + 48, min(wanted.height() + 32, int(window.height() * _HEIGHT_SHARE))
    )
    dialog.show()


def _actions(menu: QMenu) -> Iterator[QAction]:
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _actions(below)
        elif action.isVisible():
            yield action


def _is_local(action: QAction) -> bool:
    return action.shortcutContext() is Qt.ShortcutContext.WidgetShortcut


def _key(where: str, action: QAction) -> Key:
    keys = dict.fromkeys(keys.toString(_NATIVE) for keys in action.shortcuts())
    return Key(where, ", ".join(keys), _plain(action.text()))


def _plain(label: str) -> str:
    """Return an action's text without the sign before its mnemonic."""
    return label.replace("&&", "\0").replace("&", "").replace("\0", "&")
