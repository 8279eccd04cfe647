"""A table of hits that fits its columns to what is searched, the room and the user's wishes."""

from __future__ import annotations

import base64
import json
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics
from PySide6.QtWidgets import QHeaderView, QMenu

from inspector import theme as themes
from inspector.models.hits_model import TITLES, Column
from inspector.widgets.hits_columns import Columns, Letters, Lines, Wishes
from inspector.widgets.item_views import TableView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QPoint
    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QWidget

    from core.hits.listing import Listing

_STATE_VERSION = 3
_LINES_WORDS = {
    Lines.AUTO: "Text below where there is no room",
    Lines.ONE: "Rows of one line",
    Lines.TWO: "Rows of two lines",
}


class FittedTable(TableView):
    """Columns that say nothing are hidden, and for want of room those that repeat others.

    What the user picks in the header's menu stands above both. The others shrink before the text
    does, except those that the user gave a width. Where that leaves the text less than 40
    characters, or the user likes it so, rows have two lines, and the text the lower one.

    two_lines : whether they have now.
    lines_actions : the user's choice of lines a row, for menus.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.two_lines = False
        self._columns = Columns()
        self._picked: dict[int, bool] = {}
        self._sized: set[int] = set()
        self._lines = Lines.AUTO
        self._is_fitting = False
        self._characters: Mapping[str, int] = {}
        self.lines_actions = self._make_lines_actions()

    def show_columns_of(self, listing: Listing) -> None:
        """Show the columns that say something of this listing.

        Another way of searching, or a column that is gone, ends the sorting by the user.
        """
        columns, known = Columns.of(listing), self._columns
        if columns == known:
            return
        self._columns = columns
        sorted_by = self.horizontalHeader().sortIndicatorSection()
        if (known.mode and known.mode != columns.mode) or (
            0 <= sorted_by < len(Column) and sorted_by not in columns.shown
        ):
            self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._show_columns()

    def fit_numbers(self, characters: Mapping[str, int]) -> None:
        """Take over how long the longest number of each field of `Hit` is."""
        if characters != self._characters:
            self._characters = characters
            self._show_columns()

    def pick_column(self, column: int, visible: bool) -> None:
        """Show or hide a column, whatever has values and whatever the width."""
        self._picked[column] = visible
        self._show_columns()

    def reset_columns(self) -> None:
        """Bring back the first order, widths and choice of columns, and the engine's order."""
        self._picked.clear()
        self._sized.clear()
        self._lines = Lines.AUTO
        header = self.horizontalHeader()
        for column in Column:
            header.moveSection(header.visualIndex(column), column)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self._show_columns()

    def save_state(self) -> bytes:
        """Return order, widths, sorting and the user's choice of columns."""
        header = bytes(self.horizontalHeader().saveState().data())
        picked = {TITLES[column]: visible for column, visible in self._picked.items()}
        sized = [TITLES[column] for column in sorted(self._sized)]
        return json.dumps(
            {
                "version": _STATE_VERSION,
                "picked": picked,
                "sized": sized,
                "lines": self._lines.value,
                "header": base64.b64encode(header).decode("ascii"),
            }
        ).encode()

    def restore_state(self, state: bytes) -> bool:
        """Restore what `save_state` returned; anything else changes nothing and gives False."""
        try:
            saved = json.loads(state)
            header = base64.b64decode(saved["header"], validate=True)
            picked = {TITLES.index(title): bool(on) for title, on in saved["picked"].items()}
            sized = {TITLES.index(title) for title in saved.get("sized", [])}
            lines = Lines(saved["lines"])
            known = saved["version"] == _STATE_VERSION
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return False
        self._is_fitting = True
        restored = known and self.horizontalHeader().restoreState(QByteArray(header))
        self._set_text_column()
        self._is_fitting = False
        if not restored:
            return False
        self._picked, self._sized, self._lines = picked, sized, lines
        self._show_columns()
        return True

    def columns_menu(self) -> QMenu:
        """Return a menu that shows and hides columns."""
        menu = QMenu("Columns", self)
        for column in Column:
            action = menu.addAction(TITLES[column])
            action.setCheckable(True)
            action.setChecked(column is Column.TEXT or not self.isColumnHidden(column))
            action.setEnabled(column not in (Column.ID, Column.TEXT))
            action.toggled.connect(lambda on, column=column: self.pick_column(column, on))
        menu.addSeparator()
        menu.addActions(self.lines_actions)
        menu.addSeparator()
        menu.addAction("Reset columns").triggered.connect(self.reset_columns)
        return menu

    def _make_lines_actions(self) -> list[QAction]:
        group = QActionGroup(self)
        for lines, words in _LINES_WORDS.items():
            action = QAction(words, group)
            action.setCheckable(True)
            action.triggered.connect(partial(self._choose_lines, lines))
        return group.actions()

    def _choose_lines(self, lines: Lines) -> None:
        self._lines = lines
        self._show_columns()

    def _show_columns(self) -> None:
        header = self.horizontalHeader()
        title = QFontMetrics(themes.scaled_font(header.font(), 1.0, bold=True))
        sized = {Column(column): self.columnWidth(column) for column in self._sized}
        arranged = self._columns.arrange(
            Letters(self.fontMetrics(), title, self._characters),
            self.viewport().width(),
            Wishes({Column(c): on for c, on in self._picked.items()}, sized, self._lines),
        )
        self._is_fitting = True
        self._set_two_lines(arranged.two_lines)
        for column in Column:
            is_shown = not self.two_lines if column is Column.TEXT else column in arranged.widths
            self.setColumnHidden(column, not is_shown)
        for column, width in arranged.widths.items():
            if column not in sized:
                header.resizeSection(column, width)
        self._is_fitting = False
        for lines, action in zip(_LINES_WORDS, self.lines_actions, strict=True):
            action.setChecked(lines is self._lines)

    def _set_two_lines(self, two_lines: bool) -> None:
        # Without the text, the last column has what is left.
        self.horizontalHeader().setStretchLastSection(two_lines)
        if two_lines != self.two_lines:
            self.two_lines = two_lines
            self.follow_lines()

    def _on_section_resized(self, column: int, _old: int, size: int) -> None:
        header = self.horizontalHeader()
        is_last = self.two_lines and header.visualIndex(column) == max(
            header.visualIndex(c) for c in Column if not self.isColumnHidden(c)
        )
        if not self._is_fitting and size and column != Column.TEXT and not is_last:
            self._sized.add(column)

    def _set_text_column(self) -> None:
        """Let the text have what is left, wherever it stands."""
        self.horizontalHeader().setSectionResizeMode(Column.TEXT, QHeaderView.ResizeMode.Stretch)

    def set_up_columns(self) -> None:
        """Let columns be moved, sorted by and picked, once there is a model."""
        header = self.horizontalHeader()
        self._set_text_column()
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setMinimumSectionSize(28)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._on_header_menu)
        header.sectionResized.connect(self._on_section_resized)
        header.setAccessibleName("Columns of the hits table")
        self.set_up_sorting()
        self.reset_columns()

    def _on_header_menu(self, position: QPoint) -> None:
        menu = self.columns_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.horizontalHeader().mapToGlobal(position))

    def follow_lines(self) -> None:
        """Take over another number of lines a row."""

    # Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give up columns in a narrow window."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._show_columns()
