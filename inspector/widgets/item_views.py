"""Item views that say so when they are empty, and are activated by Enter and double-click alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QListView, QStyledItemDelegate, QTableView, QTreeView, QWidget

from inspector import theme as themes
from inspector.widgets.empty_state import paint_empty_state

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent
    from PySide6.QtWidgets import QAbstractItemView

    from inspector.theme import Theme

    _Base = QAbstractItemView
else:
    _Base = object

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _SpeakingView(_Base):
    """What the views share. `row_activated` does not depend on the platform's habits."""

    row_activated: Signal
    _empty: tuple[str, str] = ("", "")
    _theme: Theme = themes.LIGHT

    def set_empty_text(self, title: str, hint: str = "") -> None:
        """Say what to show without rows."""
        self._empty = (title, hint)
        self.viewport().update()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the rows, or say that there are none."""
        super().paintEvent(event)
        model: Any = self.model()
        if model is not None and model.rowCount() == 0 and self._empty[0]:
            paint_empty_state(self, self._theme, *self._empty)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Activate the row with Enter."""
        if event.key() in _ENTER and self.currentIndex().isValid():
            self.row_activated.emit(self.currentIndex())
            return
        super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the row."""
        super().mouseDoubleClickEvent(event)
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self.row_activated.emit(index)


class ThemedDelegate(QStyledItemDelegate):
    """Draws in the colours of a theme."""

    _theme: Theme = themes.LIGHT

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme


class TableView(_SpeakingView, QTableView):
    """A table.

    Signals
    -------
    row_activated(QModelIndex) : Enter or a double-click.
    """

    row_activated = Signal(QModelIndex)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabKeyNavigation(False)


class TreeView(_SpeakingView, QTreeView):
    """A tree.

    Signals
    -------
    row_activated(QModelIndex) : Enter or a double-click.
    """

    row_activated = Signal(QModelIndex)


class ListView(_SpeakingView, QListView):
    """A list.

    Signals
    -------
    row_activated(QModelIndex) : Enter or a double-click.
    """

    row_activated = Signal(QModelIndex)
