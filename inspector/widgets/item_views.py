"""Item views that say so when they are empty, and are activated by Enter and double-click alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QStyledItemDelegate,
    QTableView,
    QTreeView,
    QWidget,
)

from inspector.theme import Themed
from inspector.widgets.empty_state import paint_empty_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    _Base = QAbstractItemView
else:
    _Base = object

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class _SpeakingView(Themed, _Base):
    """What the views share. `row_activated` does not depend on the platform's habits."""

    row_activated: Signal
    _empty: tuple[str, str] = ("", "")

    def set_empty_text(self, title: str, hint: str = "") -> None:
        """Say what to show without rows."""
        if (title, hint) == self._empty:
            return  # At every step of a slider: nothing is to be painted for it.
        self._empty = (title, hint)
        self.setAccessibleDescription(f"{title} {hint}".strip())
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


class ThemedDelegate(Themed, QStyledItemDelegate):
    """Draws in the colours of a theme."""


class TableView(_SpeakingView, QTableView):
    """A table of rows: no grid, no numbers, and texts begin where those of the header do.

    Signals
    -------
    row_activated(QModelIndex) : Enter or a double-click.
    """

    row_activated = Signal(QModelIndex)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def minimumSizeHint(self) -> QSize:
        """Ask for the titles and a row, where Qt would ask for more."""
        height = self.verticalHeader().defaultSectionSize() + 2 * self.frameWidth()
        if not self.horizontalHeader().isHidden():
            height += self.horizontalHeader().sizeHint().height()
        return QSize(super().minimumSizeHint().width(), height)

    def set_up_sorting(self) -> None:
        """Let the user sort by a column, and by none as at first, and move columns."""
        header = self.horizontalHeader()
        header.setSectionsMovable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def edit_cell(self, index: QModelIndex) -> None:
        """Open the editor of a cell, unless it is open."""
        if self.indexWidget(index) is None:
            self.setCurrentIndex(index)
            self.edit(index)

    def add_shortcut(
        self, key: QKeySequence.StandardKey, what: str, slot: Callable[[], object]
    ) -> None:
        """Have a key do something while the table has the focus; the key map says `what`."""
        action = QAction(what, self)
        action.setShortcut(QKeySequence(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        action.triggered.connect(lambda: slot())
        self.addAction(action)


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
