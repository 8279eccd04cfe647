"""All about one record in this turn: its whole text, how its score came about, its metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import (
    QAction,
    QGuiApplication,
    QKeySequence,
    QPalette,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QTableView,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.hits.hit import Reason
from core.hits.words import QueryWords
from inspector import theme as themes
from inspector.drawing.words import MOST_CHARACTERS, as_lines, beginning, qt_places
from inspector.models.facts_model import Fact, FactsModel
from inspector.models.hits_model import REASON_WORDS
from inspector.widgets.item_views import ThemedDelegate
from inspector.widgets.labels import ElidedLabel, StatusLabel
from inspector.widgets.parts import (
    PANEL_MARGINS,
    Surface,
    named,
    packed,
    split,
)
from inspector.widgets.plain_text import PlainText

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from PySide6.QtCore import QModelIndex, QPersistentModelIndex
    from PySide6.QtGui import QResizeEvent

    from core.hits.hit import Hit
    from core.hits.listing import ScoreLine
    from core.hits.words import Span
    from inspector.drawing.unstubbed import ExtraSelection, StyleOption
    from inspector.theme import Theme

_MOST_MARKS = 1000
_LEAST_LINES = 2
_BESIDE_CHARACTERS = 90
_NO_TEXT = "This text is empty: there is nothing to read in it."
_EMPTY = "Select a row to see the whole chunk, its metadata and how its score came about."


class _FactsDelegate(ThemedDelegate):
    """Draws names fainter than values."""

    def initStyleOption(
        self, option: StyleOption, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Set the colour."""
        super().initStyleOption(option, index)
        if index.column() == 0 and not index.data(FactsModel.HeadingRole):
            option.palette.setColor(QPalette.ColorRole.Text, self._theme.muted)


class DetailsPanel(Surface):
    """Shows one record's story: its text, and beside it, or below where it is narrow, its facts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "hitDetails", "Details of the selected record")
        self._words = QueryWords()
        self._unread: Sequence[Span] = ()
        self._text: str | None = None
        self._shown = ""
        self.id_label = ElidedLabel("", self)
        self.id_label.setFont(themes.scaled_font(self.font(), 1.1, bold=True))
        self.status_label = StatusLabel(self)
        self.text_view = named(PlainText(self), says="Text of the chunk")
        self.text_view.setReadOnly(True)
        self.text_view.setPlaceholderText(_EMPTY)
        self.text_view.setTabChangesFocus(True)
        option = self.text_view.document().defaultTextOption()
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        self.text_view.document().setDefaultTextOption(option)
        self.facts = FactsModel(self.font(), self)
        self.facts_view = self._make_facts_view()
        self._splitter = split((self.text_view, 3), (self.facts_view, 2), handle_px=-1)
        heading = packed(QHBoxLayout(), (self.id_label, 2), (self.status_label, 3), spacing=12)
        packed(QVBoxLayout(self), heading, (self._splitter, 1), margins=PANEL_MARGINS)
        for view in (self.text_view, self.facts_view):
            view.setMinimumHeight(_LEAST_LINES * self.fontMetrics().lineSpacing())
        self.show_hit(None)

    def _make_facts_view(self) -> QTableView:
        view = named(QTableView(self), says="Scores and metadata of the record")
        view.setModel(self.facts)
        view.setItemDelegate(_FactsDelegate(self))
        view.setShowGrid(False)
        view.setWordWrap(True)
        view.setTabKeyNavigation(False)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.horizontalHeader().setVisible(False)
        view.horizontalHeader().setStretchLastSection(True)
        view.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        view.horizontalHeader().resizeSection(0, 17 * self.fontMetrics().averageCharWidth())
        view.verticalHeader().setVisible(False)
        view.verticalHeader().setMinimumSectionSize(self.fontMetrics().height() + 6)
        view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        view.horizontalHeader().sectionResized.connect(view.resizeRowsToContents)
        view.setFont(themes.number_font(view.font()))
        copy = QAction("Copy value", view)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self._copy_value)
        view.addAction(copy)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        return view

    def show_hit(
        self,
        hit: Hit | None,
        metadata: Mapping[str, object] | None = None,
        score_lines: Sequence[ScoreLine] = (),
        *,
        words: QueryWords | None = None,
        unread: Sequence[Span] = (),
        known_fields: Collection[str] | None = None,
    ) -> None:
        """Show a record's story; None = no row is in hand.

        Parameters
        ----------
        metadata : the record's metadata as the file has it.
        score_lines : how its score came about.
        words : of the query; their matches are marked in the text.
        unread : parts of the text that the search does not read: greyed, and no match is in them.
        known_fields : names that the schema declares; others are marked. None = not known.
        """
        self.text_view.setPlaceholderText(_EMPTY if hit is None else _NO_TEXT)
        self.id_label.setVisible(hit is not None)
        self.status_label.setVisible(hit is not None)
        self.facts_view.setVisible(hit is not None)
        self._show_text("" if hit is None else hit.text, words or QueryWords(), unread)
        if hit is None:
            self.facts.show_facts(())
            return
        self.id_label.set_text(hit.title or hit.id)
        self._show_status(hit)
        self.facts.show_facts(
            [*_metadata_facts(metadata or {}, known_fields), *_ranking_facts(hit, score_lines)]
        )

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._mark_matches()

    def _show_status(self, hit: Hit) -> None:
        if hit.reason is Reason.NONE:
            rank = "" if hit.rank is None else f" · rank {hit.rank}"
            self.status_label.set_status("ok", f"Hit{rank}")
        else:
            parts = ("Near-miss", REASON_WORDS[hit.reason.value], hit.needs)
            self.status_label.set_status("warning", " · ".join(part for part in parts if part))

    def _show_text(self, text: str, words: QueryWords, unread: Sequence[Span]) -> None:
        if (text, words, unread) == (self._text, self._words, self._unread):
            return
        self._words, self._unread = words, unread
        if text != self._text:
            self._text = text
            self._shown = as_lines(text[:MOST_CHARACTERS])
            self.text_view.show_exact(beginning(text).replace("\0", "\N{SYMBOL FOR NULL}"))
        self._mark_matches()

    def _mark_matches(self) -> None:
        found, grey = QTextCharFormat(), QTextCharFormat()
        found.setBackground(self._theme.soft(self._theme.accent, 0.24))
        found.setForeground(self._theme.text)
        grey.setForeground(self._theme.muted)
        text, unread = self._shown, self._unread
        marked = [(start, min(end, len(text)), grey) for start, end in unread if start < len(text)]
        matches = self._words.spans(text, unread)[:_MOST_MARKS]
        marked += [(start, end, found) for start, end in matches]
        selections = []
        place = qt_places(text)
        for start, end, look in marked:
            cursor = QTextCursor(self.text_view.document())
            cursor.setPosition(place(start))
            cursor.setPosition(place(end), QTextCursor.MoveMode.KeepAnchor)
            selection: ExtraSelection = QTextEdit.ExtraSelection()
            selection.cursor, selection.format = cursor, look
            selections.append(selection)
        self.text_view.setExtraSelections(selections)

    def _copy_value(self) -> None:
        rows = sorted({index.row() for index in self.facts_view.selectedIndexes()})
        values = [self.facts.rows[row].value for row in rows]
        if values:
            QGuiApplication.clipboard().setText("\n".join(values))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the facts beside the text, or below it where it is narrow."""
        super().resizeEvent(event)
        is_narrow = self.width() < _BESIDE_CHARACTERS * self.fontMetrics().averageCharWidth()
        self._splitter.setOrientation(
            Qt.Orientation.Vertical if is_narrow else Qt.Orientation.Horizontal
        )

    def minimumSizeHint(self) -> QSize:
        """Ask for some lines of each part above the other, however they stand now."""
        metrics = self.fontMetrics()
        lines = 2 * _LEAST_LINES * metrics.lineSpacing() + 2 * metrics.height()
        return QSize(24 * metrics.averageCharWidth(), lines + 4 * self._splitter.handleWidth())


def _ranking_facts(hit: Hit, score_lines: Sequence[ScoreLine]) -> list[Fact]:
    facts = [Fact("Ranking", is_heading=True)]
    if hit.reason is not Reason.NONE:
        facts += [Fact("reason", REASON_WORDS[hit.reason.value]), Fact("would need", hit.needs)]
    facts += [Fact(line.name, line.value, line.note) for line in score_lines]
    if hit.title:
        facts.append(Fact("id", hit.id))
    facts.append(Fact("length", f"{len(hit.text):,} characters"))
    return facts


def _metadata_facts(
    metadata: Mapping[str, object], known_fields: Collection[str] | None
) -> list[Fact]:
    facts = [Fact("Metadata" if metadata else "No metadata", is_heading=True)]
    for name, value in metadata.items():
        is_known = known_fields is None or name in known_fields
        facts.append(Fact(name, _value_text(value), "" if is_known else "not in the schema"))
    return facts


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple | set | frozenset) and all(
        isinstance(item, str) for item in value
    ):
        return ", ".join(sorted(value) if isinstance(value, set | frozenset) else value)
    return json.dumps(value, ensure_ascii=False, default=str)
