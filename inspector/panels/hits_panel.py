"""Hits and near-misses, with a bar that says what the table is limited to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from core.hits.export import columns_of, hits_as_tsv
from inspector import theme as themes
from inspector.models.hits_model import MORE_NEAR_MISSES, HitsModel
from inspector.theme import Themed
from inspector.widgets.hits_table import HitsTable
from inspector.widgets.labels import ElidedLabel
from inspector.widgets.parts import named, packed
from inspector.widgets.query_line import QueryLine

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex
    from PySide6.QtWidgets import QMenu

    from core.hits.hit import Hit
    from core.hits.listing import Listing
    from core.hits.stage import StageKind
    from inspector.theme import Theme


class HitsPanel(Themed, QWidget):
    """The table of a turn's hits and near-misses, below the query as the search saw it.

    Signals
    -------
    row_selected(Hit or None): another row is in hand, or the one in hand has a new story.
    stage_changed(StageKind): only what this stage removed or added is listed; None = all.
    """

    row_selected = Signal(object)
    stage_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._empty = ("", "")
        self._in_hand: tuple[str, int] | None = None
        self._restoring = False
        self.model = HitsModel(self)
        self.table = HitsTable(self.model, self)
        self.filter_label = ElidedLabel()
        self.filter_bar = self._make_filter_bar()
        self.more_button = named(
            QPushButton(f"Show {MORE_NEAR_MISSES:,} more near-misses", self), kind="flat"
        )
        self.more_button.setVisible(False)
        self.more_button.clicked.connect(self.model.show_more)
        self.query_line = QueryLine(self)
        layout = packed(
            QVBoxLayout(self), self.query_line, self.filter_bar, (self.table, 1), spacing=0
        )
        layout.addWidget(self.more_button, 0, Qt.AlignmentFlag.AlignHCenter)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self.table.copy_requested.connect(self.copy_rows)
        self.table.menu_requested.connect(self._on_menu)
        self.model.modelAboutToBeReset.connect(self._on_about_to_reset)
        self.model.modelReset.connect(self._on_reset)
        self.model.dataChanged.connect(self._on_data_changed)
        self._kept: list[tuple[str, int]] = []

    def _make_filter_bar(self) -> QFrame:
        bar = named(QFrame(self), severity="info")
        bar.setVisible(False)
        self._filter_icon = named(QToolButton(bar), says="Reason")
        self._filter_icon.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._filter_icon.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        tip = "Show hits and all near-misses again"
        self.show_all_button = named(QPushButton("Show all", bar), "", tip, tip, kind="flat")
        self.show_all_button.clicked.connect(lambda: self.show_stage(None))
        packed(
            QHBoxLayout(bar),
            self._filter_icon,
            (self.filter_label, 1),
            self.show_all_button,
            margins=(4, 2, 4, 2),
        )
        return bar

    # What is shown

    def show_selection(self, selection: Listing | None) -> None:
        """Show what a node found; None = nothing was searched."""
        self.query_line.show_queries(() if selection is None else selection.leg_queries)
        if selection is not None:
            self.table.show_columns_of(selection)
        stage = self.model.stage
        self.model.show_selection(selection, stage)
        if stage is not None:
            self._show_filter_bar()
            if self.model.stage is None:
                self.stage_changed.emit(None)

    def show_stage(self, stage: StageKind | None) -> None:
        """List only the rows that a stage removed or added; None = hits and all near-misses."""
        if stage is self.model.stage:
            return
        self.model.show_selection(self.model.selection, stage)
        self._show_filter_bar()
        self.table.scrollToTop()
        self.stage_changed.emit(self.model.stage)

    def set_empty_text(self, text: str, hint: str = "") -> None:
        """Say what is shown when there is no row."""
        self._empty = (text, hint)
        self._show_empty_text()

    def select_record(self, row: int) -> None:
        """Take a record in hand by its row in the file, listed or not."""
        selection = self.model.selection
        if selection is None or not 0 <= row < selection.record_count:
            return
        self._in_hand = (selection.story(row).id, row)
        self.table.clearSelection()
        self._take_in_hand(scroll=True)

    def select_id(self, record_id: str) -> None:
        """Take a record in hand by its id; a reason that hides it is given up."""
        selection = self.model.selection
        row = -1 if selection is None else selection.row_of(record_id)
        if row < 0:
            return
        if self.model.row_of(row) < 0:
            self.show_stage(None)
        self.select_record(row)

    def selected_hits(self) -> tuple[Hit, ...]:
        """Return the stories of the selected rows, from top to bottom."""
        rows = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        hits = (self.model.hit_at(row) for row in rows)
        return tuple(hit for hit in hits if hit is not None)

    def copy_rows(self) -> None:
        """Put the selected rows on the clipboard, tab-separated."""
        hits = self.selected_hits()
        if hits:
            listing = self.model.selection
            columns = columns_of(listing.fields if listing is not None else ())
            QGuiApplication.clipboard().setText(hits_as_tsv(hits, columns))

    # Looks

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._show_filter_bar()

    def _show_filter_bar(self) -> None:
        stage, found = self.model.stage, self.model.stage_rows
        self.filter_bar.setVisible(stage is not None)
        if stage is None or found is None:
            return
        on = int(found.stayed.sum())
        went_on = f" · {on:,} {found.how}" if on else ""
        self.filter_label.set_text(f"Showing only: {len(found.rows):,} {stage.whys[0]}{went_on}")
        reason = stage.reason.value
        self._filter_icon.setIcon(themes.icon(reason or "info", self._theme.reason_color(reason)))

    def _show_empty_text(self) -> None:
        if self.model.stage is not None:
            self.table.set_empty_text(
                f"No records {self.model.stage.whys[0]}", "Show all brings back the hits."
            )
        else:
            self.table.set_empty_text(*self._empty)

    # The row in hand, kept by the record's id

    def _on_about_to_reset(self) -> None:
        self._restoring = True
        self._kept = [(hit.id, hit.row) for hit in self.selected_hits()]

    def _on_data_changed(self) -> None:
        self.more_button.setVisible(self.model.has_more)
        self._tell_story_in_hand()

    def _on_reset(self) -> None:
        self.more_button.setVisible(self.model.has_more)
        self._show_empty_text()
        kept = QItemSelection()
        for record_id, record_row in self._kept:
            row = self.model.row_of(self._row_in_listing(record_id, record_row))
            if row >= 0:
                index = self.model.index(row, 0)
                kept.select(index, index)
        self.table.selectionModel().select(
            kept, QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        )
        self._take_in_hand(scroll=False)
        self._restoring = False

    def _take_in_hand(self, *, scroll: bool) -> None:
        if self._in_hand is None:
            return
        self._restoring = True
        row = self.model.row_of(self._row_in_listing(*self._in_hand))
        flags = QItemSelectionModel.SelectionFlag
        self.table.setAutoScroll(scroll)
        self.table.selectionModel().setCurrentIndex(
            self.model.index(row, 0), flags.Select | flags.Rows if row >= 0 else flags.NoUpdate
        )
        self.table.setAutoScroll(True)
        self._restoring = False
        self._tell_story_in_hand()

    def _tell_story_in_hand(self) -> None:
        selection = self.model.selection
        if self._in_hand is not None:
            listed = self._row_in_listing(*self._in_hand)
            self.row_selected.emit(
                None if selection is None or listed < 0 else selection.story(listed)
            )

    def _row_in_listing(self, record_id: str, record_row: int) -> int:
        """Return where a record is in the listing on show, or −1; most often where it was."""
        selection = self.model.selection
        if selection is None:
            return -1
        if record_row < selection.record_count and selection.story(record_row).id == record_id:
            return record_row
        return selection.row_of(record_id)

    def _on_row_changed(self, current: QModelIndex) -> None:
        if self._restoring:
            return
        hit = self.model.hit_at(current.row()) if current.isValid() else None
        self._in_hand = None if hit is None else (hit.id, hit.row)
        self.row_selected.emit(hit)

    def _on_menu(self, menu: QMenu) -> None:
        hit = self.model.hit_at(self.table.currentIndex().row())
        clipboard = QGuiApplication.clipboard()
        if hit is not None:
            menu.addAction("Copy id").triggered.connect(lambda: clipboard.setText(hit.id))
            menu.addAction("Copy text").triggered.connect(lambda: clipboard.setText(hit.text))
            menu.addAction("Copy rows as a table\tCtrl+C").triggered.connect(self.copy_rows)
            menu.addSeparator()
