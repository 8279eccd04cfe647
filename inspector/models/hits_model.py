"""The hits of a turn and the near-misses below them, one row a record."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from core.parameters import RetrievalMode
from inspector.models.matches import Span, matched_spans, tokens_searched
from inspector.widgets.labels import tooltip

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtCore import QObject

    from core.search.candidates import Candidates
    from core.selection.select import Hit, Reason, Selection

FIRST_NEAR_MISSES = 200
MORE_NEAR_MISSES = 1000
TEXT_CHARACTERS = 500
"""How much of a chunk a row shows and searches for matched words; the details have it all."""
MISSING = "–"

REASON_WORDS = {"": "hit", "filter": "removed by the filter", "index": "missed by the index",
                "leg_depth": "beyond the leg's depth", "threshold": "removed by the threshold",
                "top_k": "beyond top_k"}

_Index = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()
_LINE_BREAKS = {ord(sign): " " for sign in "\0\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029"}


class Column(IntEnum):
    """The columns in their first order."""

    RANK = 0
    ID = 1
    DISTANCE = 2
    BAR = 3
    DENSE = 4
    BM25 = 5
    SPARSE = 6
    FUSED = 7
    NEEDS = 8
    TEXT = 9


TITLES = ("#", "id", "distance", "closeness bar", "dense", "BM25", "BM25 rank", "fused",
          "would need", "text")
_HELP = (
    "Place in the ranking of this mode, from 1. – where it never entered the ranking.",
    "The record's id.",
    "Cosine distance to the query: 0 = identical, 2 = opposite. Smaller is closer.",
    "The distance as a bar; the line is the threshold.",
    "Place among the records nearest by meaning, from 1.",
    "Okapi BM25 score: how well the words match. Higher is better.",
    "Place among the records that share words with the query, from 1.",
    "Reciprocal rank fusion score of both legs. Higher is better.",
    "The smallest change of parameters that would let a near-miss in.",
    "The chunk; words of the query in bold.",
)
NUMBERS = frozenset({Column.RANK, Column.DISTANCE, Column.DENSE, Column.BM25, Column.SPARSE,
                     Column.FUSED})


class HitsModel(QAbstractTableModel):
    """Hits first, in the engine's order, then the near-misses, the closest to getting in first.

    A row's story is told by the selection when it is first asked for. Sorting keeps the hits
    above the near-misses; `sort` with column −1 is the engine's order again.
    """

    HitIdRole: ClassVar[int] = Qt.ItemDataRole.UserRole + 1
    ReasonRole: ClassVar[int] = Qt.ItemDataRole.UserRole + 2
    DistanceRole: ClassVar[int] = Qt.ItemDataRole.UserRole + 3
    SortRole: ClassVar[int] = Qt.ItemDataRole.UserRole + 4
    RowStoryRole: ClassVar[int] = Qt.ItemDataRole.UserRole + 5

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._selection: Selection | None = None
        self._reason: Reason | None = None
        self._rows: tuple[int, ...] = ()
        self._hit_count = 0
        self._limit = FIRST_NEAR_MISSES
        self._has_more = False
        self._sort = (-1, Qt.SortOrder.AscendingOrder)
        self._tokens: frozenset[str] = frozenset()
        self._lines: dict[int, tuple[str, tuple[Span, ...]]] = {}

    # What is shown

    def show_selection(self, selection: Selection | None, reason: Reason | None = None) -> None:
        """Show a selection; with a `reason`, only the near-misses that have it."""
        self.beginResetModel()
        if selection is None or not self._shares_candidates(selection):
            self._limit = FIRST_NEAR_MISSES
            self._lines = {}
            self._tokens = (frozenset() if selection is None
                            else tokens_searched(selection.candidates))
        self._selection = selection
        self._reason = reason
        self._fill()
        self.endResetModel()

    def show_more(self) -> None:
        """List up to 1000 near-misses more."""
        if not self._has_more:
            return
        self.beginResetModel()
        self._limit += MORE_NEAR_MISSES
        self._fill()
        self.endResetModel()

    @property
    def selection(self) -> Selection | None:
        """The selection on show."""
        return self._selection

    @property
    def reason(self) -> Reason | None:
        """The reason that the rows are limited to, or None."""
        return self._reason

    @property
    def hit_count(self) -> int:
        """How many of the rows are hits; they come first."""
        return self._hit_count

    @property
    def near_miss_count(self) -> int:
        """How many of the rows are near-misses."""
        return len(self._rows) - self._hit_count

    @property
    def has_more(self) -> bool:
        """Whether there are near-misses beyond those listed."""
        return self._has_more

    @property
    def bar_scale(self) -> float:
        """The distance at the right end of the bars: that of the farthest record."""
        dense = None if self._selection is None else self._selection.candidates.dense
        if dense is None or not len(dense.order):
            return 1.0
        return max(float(dense.distances[dense.order[-1]]), 0.1)

    @property
    def tokens(self) -> frozenset[str]:
        """The query's tokens, whose matches are set in bold."""
        return self._tokens

    def hit_at(self, row: int) -> Hit | None:
        """Return the story of a row, or None beyond the rows."""
        if self._selection is None or not 0 <= row < len(self._rows):
            return None
        return self._selection.story(self._rows[row])

    def row_of_id(self, record_id: str) -> int:
        """Return the row that shows a record, or −1."""
        if self._selection is None:
            return -1
        ids = self._selection.candidates.ids
        return next((at for at, row in enumerate(self._rows) if ids[row] == record_id), -1)

    def line_at(self, row: int) -> tuple[str, tuple[Span, ...]]:
        """Return the text that a row shows, and where it has words of the query."""
        hit = self.hit_at(row)
        if hit is None:
            return "", ()
        found = self._lines.get(hit.row)
        if found is None:
            line = line_of(hit.text)
            found = self._lines[hit.row] = (line, matched_spans(line, self._tokens))
        return found

    def _shares_candidates(self, selection: Selection) -> bool:
        return self._selection is not None and (
            self._selection.candidates is selection.candidates)

    def _fill(self) -> None:
        selection = self._selection
        if selection is None:
            self._rows, self._hit_count, self._has_more = (), 0, False
            return
        hits = [] if self._reason is not None else selection.hit_rows.tolist()
        near = selection.near_miss_rows(self._limit + 1, self._reason)
        self._has_more = len(near) > self._limit
        near = near[:self._limit]
        column, order = self._sort
        if column >= 0:
            hits = _sorted_hits(selection, hits, Column(column), order)
            near = _sorted_near_misses(selection, near, Column(column), order)
        self._rows = (*hits, *near)
        self._hit_count = len(hits)

    # Qt

    def rowCount(self, parent: _Index = _ROOT) -> int:
        """Return the number of records listed."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _ROOT) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return one cell's text, or the record's id, reason, distance, sort key or story."""
        hit = self.hit_at(index.row()) if index.isValid() else None
        if hit is None or not 0 <= index.column() < len(TITLES):
            return None
        column = Column(index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return cell_text(hit, column)
        if role == self.HitIdRole:
            return hit.id
        if role == self.ReasonRole:
            return hit.reason.value
        if role == self.DistanceRole:
            return hit.distance
        if role == self.SortRole:
            return _sort_key(hit, column)
        if role == self.RowStoryRole:
            return hit
        if role == Qt.ItemDataRole.ToolTipRole:
            return _tip(hit, column)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{TITLES[column]}: {_spoken(hit, column)}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = (Qt.AlignmentFlag.AlignRight if column in NUMBERS
                    else Qt.AlignmentFlag.AlignLeft)
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation,
                   role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's title or help."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return "" if section == Column.BAR else TITLES[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _HELP[section]
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = (Qt.AlignmentFlag.AlignRight if section in NUMBERS
                    else Qt.AlignmentFlag.AlignLeft)
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort hits and near-misses, each among themselves; −1 = the engine's order."""
        wanted = (column if 0 <= column < len(TITLES) else -1, order)
        if wanted == self._sort:
            return
        self.beginResetModel()
        self._sort = wanted
        self._fill()
        self.endResetModel()


def line_of(text: str) -> str:
    """Return the beginning of a chunk as one line: what a row shows."""
    return text[:4 * TEXT_CHARACTERS].translate(_LINE_BREAKS).lstrip()[:TEXT_CHARACTERS]


def cell_text(hit: Hit, column: Column) -> str:
    """Return what a cell says: three decimals for distances, – for what is not known."""
    if column is Column.TEXT:
        return line_of(hit.text)
    if column is Column.ID:
        return hit.id
    if column is Column.NEEDS:
        return hit.needs
    if column is Column.BAR:
        return ""
    value = _number(hit, column)
    if value is None:
        return MISSING
    decimals = {Column.DISTANCE: 3, Column.BM25: 2, Column.FUSED: 4}.get(column, 0)
    return f"{value:.{decimals}f}"


def _number(hit: Hit, column: Column) -> float | None:
    if column is Column.RANK:
        return hit.rank
    if column in (Column.DISTANCE, Column.BAR):
        return hit.distance
    if column is Column.DENSE:
        return hit.rank_dense
    if column is Column.BM25:
        return hit.bm25_score
    return hit.rank_sparse if column is Column.SPARSE else hit.fused_score


def _sort_key(hit: Hit, column: Column) -> float | str | None:
    if column in (Column.ID, Column.TEXT):
        return cell_text(hit, column).casefold()
    if column is Column.NEEDS:
        return hit.reason.value
    return _number(hit, column)


def _spoken(hit: Hit, column: Column) -> str:
    if column is Column.NEEDS:
        return " – ".join(part for part in (REASON_WORDS[hit.reason.value], hit.needs) if part)
    if column is Column.BAR:
        return cell_text(hit, Column.DISTANCE)
    return cell_text(hit, column)


def _tip(hit: Hit, column: Column) -> str:
    if column is Column.NEEDS:
        return tooltip(_spoken(hit, column).capitalize())
    if column in (Column.DISTANCE, Column.BAR) and hit.distance is not None:
        return f"cosine distance {hit.distance:.6f}"
    if column is Column.BM25 and hit.bm25_score is not None:
        return f"BM25 score {hit.bm25_score:.6f}"
    if column is Column.FUSED and hit.fused_score is not None:
        return f"fused score {hit.fused_score:.6f}"
    return tooltip(hit.text if column is Column.TEXT else cell_text(hit, column))


def _sorted_hits(selection: Selection, rows: list[int], column: Column,
                 order: Qt.SortOrder) -> list[int]:
    stories = [selection.story(row) for row in rows]
    if column in (Column.ID, Column.TEXT):
        return _by_text(rows, [cell_text(hit, column).casefold() for hit in stories], order)
    if column is Column.NEEDS:
        return rows
    values = [_number(hit, column) for hit in stories]
    return _by_number(rows, np.array([np.nan if v is None else v for v in values]), order)


def _sorted_near_misses(selection: Selection, rows: list[int], column: Column,
                        order: Qt.SortOrder) -> list[int]:
    """Sort without telling the stories, which takes milliseconds for hundreds of near-misses."""
    found = selection.candidates
    if column is Column.ID:
        return _by_text(rows, [found.ids[row].casefold() for row in rows], order)
    if column is Column.TEXT:
        return _by_text(rows, [line_of(found.texts[row]).casefold() for row in rows], order)
    at = np.array(rows, dtype=np.int64)
    if column is Column.NEEDS:
        return _by_number(rows, selection.reasons(at).astype(np.float64), order)
    return _by_number(rows, _numbers(selection, found, at, column), order)


def _numbers(selection: Selection, found: Candidates, at: NDArray[np.int64],
             column: Column) -> NDArray[np.float64]:
    """Return a column of near-misses, NaN where a story says None."""
    values = np.full(len(at), np.nan)
    mode = selection.settings.mode
    dense = None if mode is RetrievalMode.Lexical else found.dense
    if column is Column.RANK and mode is not RetrievalMode.Hybrid:
        column = Column.DENSE if mode is RetrievalMode.Dense else Column.SPARSE
    if column in (Column.DISTANCE, Column.BAR) and dense is not None:
        values[:] = dense.distances[at]
    elif column is Column.DENSE and dense is not None:
        values[:] = dense.rank[at]
    elif column is Column.SPARSE and found.sparse is not None:
        values[:] = found.sparse.rank[at]
    elif column is Column.BM25 and found.sparse is not None:
        values[:] = found.sparse.scores[at]
    elif column in (Column.RANK, Column.FUSED) and selection.fused is not None:
        places = {row: place for place, row in enumerate(selection.fused.rows.tolist())}
        fused = np.array([places.get(row, -1) for row in at.tolist()], dtype=np.int64)
        inside = fused >= 0
        values[inside] = (fused[inside] + 1 if column is Column.RANK
                          else selection.fused.scores[fused[inside]])
    if column in (Column.DENSE, Column.SPARSE, Column.BM25):
        values[values == 0] = np.nan
    return values


def _by_text(rows: list[int], keys: list[str], order: Qt.SortOrder) -> list[int]:
    places = sorted(range(len(rows)), key=keys.__getitem__,
                    reverse=order is Qt.SortOrder.DescendingOrder)
    return [rows[place] for place in places]


def _by_number(rows: list[int], values: NDArray[np.float64], order: Qt.SortOrder) -> list[int]:
    """Sort by `values`, the missing ones (NaN) last either way, ties as they were."""
    signed = -values if order is Qt.SortOrder.DescendingOrder else values
    return [rows[place] for place in np.argsort(signed, kind="stable").tolist()]
