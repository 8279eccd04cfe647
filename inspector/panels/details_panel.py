"""All about one record in this turn: its whole text, how its score came about, its metadata."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QPlainTextEdit,
    QSplitter,
    QTableView,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.selection.select import Reason
from inspector import theme as themes
from inspector.models.facts_model import Fact, FactsModel
from inspector.models.hits_model import REASON_WORDS
from inspector.models.matches import matched_spans
from inspector.widgets.labels import ElidedLabel, StatusLabel

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from core.selection.select import Hit, Settings
    from inspector.theme import Theme

MOST_CHARACTERS = 200_000
"""Of a longer chunk only the beginning is shown: laying out a megabyte would stop the window."""
_MOST_MARKS = 1000
_EMPTY = "Select a row to see the whole chunk, its metadata and how its score came about."


class DetailsPanel(QWidget):
    """Shows one record's story."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("hitDetails")
        self.setAccessibleName("Details of the selected record")
        self._theme: Theme = themes.LIGHT
        self._tokens: frozenset[str] = frozenset()
        self._text: str | None = None
        self.id_label = ElidedLabel("", self)
        self.id_label.setFont(themes.scaled_font(self.font(), 1.1, bold=True))
        self.status_label = StatusLabel(self)
        self.text_view = QPlainTextEdit(self)
        self.text_view.setReadOnly(True)
        self.text_view.setPlaceholderText(_EMPTY)
        self.text_view.setAccessibleName("Text of the chunk")
        self.text_view.setTabChangesFocus(True)
        self.facts = FactsModel(self.font(), self)
        self.facts_view = self._make_facts_view()
        splitter = QSplitter(Qt.Orientation.Vertical, self)
        splitter.addWidget(self.text_view)
        splitter.addWidget(self.facts_view)
        splitter.setStretchFactor(0, 2)
        splitter.setStretchFactor(1, 3)
        splitter.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(4)
        layout.addWidget(self.id_label)
        layout.addWidget(self.status_label)
        layout.addWidget(splitter, 1)
        self.show_hit(None)

    def _make_facts_view(self) -> QTableView:
        view = QTableView(self)
        view.setModel(self.facts)
        view.setAccessibleName("Scores and metadata of the record")
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

    def show_hit(self, hit: Hit | None, metadata: Mapping[str, object] | None = None,
                 settings: Settings | None = None, *, tokens: Iterable[str] = (),
                 known_fields: Collection[str] | None = None) -> None:
        """Show a record's story; None = no row is in hand.

        Parameters
        ----------
        metadata : the record's metadata as the file has it.
        settings : of the selection, for the arithmetic of the fused score.
        tokens : the query's tokens, whose matches are marked in the text.
        known_fields : names that the schema declares; others are marked. None = not known.
        """
        self.id_label.setVisible(hit is not None)
        self.status_label.setVisible(hit is not None)
        self.facts_view.setVisible(hit is not None)
        self._show_text("" if hit is None else hit.text, frozenset(tokens))
        if hit is None:
            self.facts.show_facts(())
            return
        self.id_label.set_text(hit.id)
        self._show_status(hit)
        self.facts.show_facts([*_ranking_facts(hit, settings),
                               *_metadata_facts(metadata or {}, known_fields)])

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme
        self.status_label.apply_theme(theme)
        self._mark_matches()

    def _show_status(self, hit: Hit) -> None:
        if hit.reason is Reason.NONE:
            rank = "" if hit.rank is None else f" · rank {hit.rank}"
            self.status_label.set_status("ok", f"Hit{rank}")
        else:
            parts = ("Near-miss", REASON_WORDS[hit.reason.value], hit.needs)
            self.status_label.set_status("warning", " · ".join(part for part in parts if part))

    def _show_text(self, text: str, tokens: frozenset[str]) -> None:
        if text == self._text and tokens == self._tokens:
            return
        self._tokens = tokens
        if text != self._text:
            self._text = text
            shown = text[:MOST_CHARACTERS]
            if len(text) > MOST_CHARACTERS:
                shown += f"…\n[the first {MOST_CHARACTERS:,} of {len(text):,} characters]"
            self.text_view.setPlainText(shown.replace("\0", "\N{SYMBOL FOR NULL}"))
        self._mark_matches()

    def _mark_matches(self) -> None:
        marks = QTextCharFormat()
        marks.setBackground(self._theme.soft(self._theme.accent, 0.24))
        marks.setForeground(self._theme.text)
        text = (self._text or "")[:MOST_CHARACTERS]
        selections = []
        document = self.text_view.document()
        position, units = 0, 0
        for start, end in matched_spans(text, self._tokens)[:_MOST_MARKS]:
            # Qt counts UTF-16 units, Python characters.
            units += _utf16(text[position:start])
            length = _utf16(text[start:end])
            cursor = QTextCursor(document)
            cursor.setPosition(units)
            cursor.setPosition(units + length, QTextCursor.MoveMode.KeepAnchor)
            units, position = units + length, end
            selection = QTextEdit.ExtraSelection()
            selection.cursor, selection.format = cursor, marks
            selections.append(selection)
        self.text_view.setExtraSelections(selections)

    def _copy_value(self) -> None:
        rows = sorted({index.row() for index in self.facts_view.selectedIndexes()})
        values = [self.facts.facts[row].value for row in rows]
        if values:
            QGuiApplication.clipboard().setText("\n".join(values))


def fused_arithmetic(hit: Hit, settings: Settings) -> str:
    """Return how the fused score came about, e.g. ``1/(60+3) + 1/(60+1) = 0.0323``.

    A leg has a part in it where it yielded the record: within its depth, and for the dense leg
    within the threshold.
    """
    if hit.fused_score is None:
        return ""
    parts = []
    if hit.rank_dense is not None and hit.rank_dense <= settings.depth and (
            not settings.limited or (hit.exact_distance is not None and
                                     np.float32(hit.exact_distance)
                                     <= np.float32(settings.threshold))):
        parts.append(f"1/({settings.rrf_k}+{hit.rank_dense})")
    if hit.rank_sparse is not None and hit.rank_sparse <= settings.depth:
        parts.append(f"1/({settings.rrf_k}+{hit.rank_sparse})")
    return f"{' + '.join(parts)} = {hit.fused_score:.4f}"


def _ranking_facts(hit: Hit, settings: Settings | None) -> list[Fact]:
    facts = [Fact("Ranking", is_heading=True)]
    if hit.reason is not Reason.NONE:
        facts += [Fact("reason", REASON_WORDS[hit.reason.value]), Fact("would need", hit.needs)]
    distance = hit.distance if hit.distance is not None else hit.exact_distance
    numbers = (
        ("rank", hit.rank, "d"), ("cosine distance", distance, ".6f"),
        ("dense rank", hit.rank_dense, "d"), ("BM25 score", hit.bm25_score, ".6f"),
        ("BM25 rank", hit.rank_sparse, "d"))
    for name, value, form in numbers:
        if value is not None:
            # Known, but no part of this hit's score.
            note = "not in the dense leg" if name == "cosine distance" and hit.distance is None \
                else ""
            facts.append(Fact(name, format(value, form), note))
    if settings is not None and hit.fused_score is not None:
        facts.append(Fact("fused score", fused_arithmetic(hit, settings)))
    facts.append(Fact("record", f"number {hit.row} in the file, {len(hit.text):,} characters"))
    return facts


def _metadata_facts(metadata: Mapping[str, object],
                    known_fields: Collection[str] | None) -> list[Fact]:
    facts = [Fact("Metadata" if metadata else "No metadata", is_heading=True)]
    for name, value in metadata.items():
        is_known = known_fields is None or name in known_fields
        facts.append(Fact(name, _value_text(value), "" if is_known else "not in the schema"))
    return facts


def _value_text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | tuple | set | frozenset) and all(
            isinstance(item, str) for item in value):
        return ", ".join(sorted(value) if isinstance(value, set | frozenset) else value)
    return json.dumps(value, ensure_ascii=False, default=str)


def _utf16(text: str) -> int:
    return len(text) + sum(ord(sign) > 0xFFFF for sign in text)
