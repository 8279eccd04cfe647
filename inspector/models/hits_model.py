"""The hits of a turn and the near-misses below them, one row a record."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from PySide6.QtCore import Qt

from core.hits.listing import sort_keys
from core.hits.numbers import in_detail
from core.hits.words import QueryWords
from inspector.drawing.hit_line import TEXT_CHARACTERS, HitLine, hit_line, line_of
from inspector.drawing.words import match_words, tooltip
from inspector.models.number_cells import NumberCells
from inspector.models.table_model import USER_ROLE, Index, TableModel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QObject

    from core.hits.hit import Hit
    from core.hits.listing import Bar, Listing, SortKeys
    from core.hits.stage import StageKind, StageRows
    from core.hits.words import Span

FIRST_NEAR_MISSES = 200
MORE_NEAR_MISSES = 1000
MISSING = "–"

REASON_WORDS = {
    "": "hit",
    "filter": "removed by the filter",
    "words": "no word of the question",
    "index": "missed by the index",
    "leg_depth": "not among the leg's best",
    "threshold": "removed by the threshold",
    "scope": "outside the scope",
    "top_k": "beyond top_k",
    "min_score": "below min_score",
    "k": "beyond k",
    "cap": "beyond the most nodes of a result",
}

_LONG_NAMES = {
    "score": "score",
    "distance": "cosine distance",
    "bm25_score": "BM25 score",
    "fused_score": "fused score",
}


Column = IntEnum(
    "Column",
    [
        "RANK",
        "ID",
        "SCORE",
        "DISTANCE",
        "BAR",
        "DENSE",
        "BM25",
        "SPARSE",
        "FUSED",
        "MATCH",
        "NEEDS",
        "TEXT",
    ],
    start=0,
)
"""The columns in their first order."""

FIELDS = {
    Column.RANK: "rank",
    Column.ID: "id",
    Column.SCORE: "score",
    Column.DISTANCE: "distance",
    Column.DENSE: "rank_dense",
    Column.BM25: "bm25_score",
    Column.SPARSE: "rank_sparse",
    Column.FUSED: "fused_score",
    Column.MATCH: "match_reason",
    Column.NEEDS: "reason",
    Column.TEXT: "text",
}
"""Column → the field of `Hit` that it shows and is sorted by. The bar shows the listing's own."""

TITLES = (
    "#",
    "id",
    "score",
    "distance",
    "bar",
    "dense",
    "BM25",
    "BM25 rank",
    "fused",
    "match reason",
    "would need",
    "text",
)
_HELP = (
    "Place in the ranking of this mode, from 1. – where it never entered the ranking.",
    "The record's id, the entry's path, or what the knowledge graph calls the node.",
    "How well it matches. Higher is better; – for a node that the walk added.",
    "Cosine distance to the query: 0 = identical, 2 = opposite. Smaller is closer.",
    "Distance or score as a bar; the line is the threshold or min_score.",
    "Place among the records nearest by meaning, from 1.",
    "Okapi BM25 score: how well the words match. Higher is better.",
    "Place among the records that share words with the query, from 1.",
    "Reciprocal rank fusion score of both legs. Higher is better.",
    "What the score is made of, which legs found it, or how the walk came to it.",
    "The smallest change of parameters that would let a near-miss in.",
    "The chunk; words of the query in bold, but for those that nearly every text has.",
)
NUMBERS = frozenset(
    {
        Column.RANK,
        Column.SCORE,
        Column.DISTANCE,
        Column.DENSE,
        Column.BM25,
        Column.SPARSE,
        Column.FUSED,
    }
)
_SPOKEN = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)


class HitsModel(TableModel[int]):
    """Hits first, in the engine's order, then the near-misses, the closest to getting in first.

    A row's story is told by the listing when it is first asked for. Sorting keeps the hits
    above the near-misses; `sort` with column −1 is the engine's order again.

    selection : the listing on show, or None.
    stage : whose rows alone are shown, or None.
    stage_rows : those rows, all of them.
    how : row of the listing → how it went on although the stage removed it.
    hit_count : how many of the rows are hits; they come first.
    has_more : whether there are near-misses beyond those listed.
    words : of the query that are set in bold. numbers_shown : what its number cells say.
    """

    titles = TITLES
    helps = _HELP
    numbers = NUMBERS
    HitIdRole: ClassVar[int] = USER_ROLE + 1
    ReasonRole: ClassVar[int] = USER_ROLE + 2
    DistanceRole: ClassVar[int] = USER_ROLE + 3

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.selection: Listing | None = None
        self.stage: StageKind | None = None
        self.stage_rows: StageRows | None = None
        self.how: Mapping[int, str] = {}
        self.hit_count = 0
        self._limit = FIRST_NEAR_MISSES
        self.has_more = False
        self._bar: Bar | None = None
        self._sort = (-1, Qt.SortOrder.AscendingOrder)
        self.words = QueryWords()
        self._places: dict[int, int] = {}
        self._lines: dict[int, HitLine] = {}
        self.numbers_shown = NumberCells()

    # What is shown

    def show_selection(self, listing: Listing | None, stage: StageKind | None = None) -> None:
        """Show a node's listing; with a `stage`, only the rows that it removed or added.

        Rows that stay where they are, as most do while a slider moves, only change their data.
        """
        known = self.selection
        is_other = listing is None or known is None or known.search is not listing.search
        if is_other:
            self._limit = FIRST_NEAR_MISSES
            self.words = QueryWords() if listing is None else listing.words.telling
            self._lines = {}
        if stage is not self.stage:
            self._limit = FIRST_NEAR_MISSES if stage is None else MORE_NEAR_MISSES
        self._take(listing, stage, is_other=is_other)

    def show_more(self) -> None:
        """List up to 1000 near-misses more."""
        if self.has_more:
            self._limit += MORE_NEAR_MISSES
            self._take(self.selection, self.stage)

    def _take(
        self, listing: Listing | None, stage: StageKind | None, *, is_other: bool = False
    ) -> None:
        bar = listing.bar if listing is not None else None
        of_stage = None if listing is None or stage is None else listing.stage_rows(stage)
        if of_stage is None:
            stage = None
        self.how = {} if of_stage is None else of_stage.told()
        hits, near, has_more = self._order(listing, of_stage, bar)
        rows = (*hits, *near)
        is_other = is_other or rows != self._rows or stage is not self.stage
        if is_other:
            self.beginResetModel()
        self.selection, self.stage, self.stage_rows = listing, stage, of_stage
        self._rows, self.hit_count, self.has_more = rows, len(hits), has_more
        self._bar = bar
        self.numbers_shown.show(listing, rows, bar, is_other=is_other)
        in_order = listing.hit_rows.tolist() if listing is not None else ()
        self._places = {row: place for place, row in enumerate(in_order)}
        if is_other:
            self.endResetModel()
        else:
            self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(TITLES) - 1))

    @property
    def near_miss_count(self) -> int:
        """How many of the rows are near-misses."""
        return len(self._rows) - self.hit_count

    @property
    def bar(self) -> Bar | None:
        """What the bars show, or None."""
        return self._bar

    def place_of(self, hit: Hit) -> int | None:
        """Return the 0-based place of a hit among the chunks of the prompt."""
        return self._places.get(hit.row)

    def hit_at(self, row: int) -> Hit | None:
        """Return the story of a row, or None beyond the rows."""
        if self.selection is None or not 0 <= row < len(self._rows):
            return None
        return self.selection.story(self._rows[row])

    def needs_of(self, hit: Hit) -> str:
        """Return how a row went on although the stage removed it, and what would let it in."""
        how = self.how.get(hit.row, "")
        return f"{how} · {hit.needs}" if how and hit.needs else how or hit.needs

    def row_of(self, listing_row: int) -> int:
        """Return the row of the table that shows a row of the listing, or −1."""
        try:
            return self._rows.index(listing_row)
        except ValueError:
            return -1

    def line_at(self, row: int) -> tuple[str, tuple[Span, ...]]:
        """Return the text that a row shows, and where it has words of the query."""
        hit = self.hit_at(row)
        if hit is None:
            return "", ()
        known = self._lines.get(hit.row)
        # A node's text depends on parameters, so it may differ in the same search.
        if known is None or known.text != hit.text:
            unread = self.selection.unread(hit.row) if self.selection is not None else ()
            known = self._lines[hit.row] = hit_line(hit.text, self.words, unread)
        return known.line, known.matches

    @property
    def named_by(self) -> str:
        """Which field of `Hit` says which row is which: the title of a node, or else the id."""
        listing = self.selection
        return "title" if listing is not None and "title" in listing.fields else "id"

    def cell_text(self, hit: Hit, column: Column) -> str:
        """Return what a cell says: numbers told from their neighbours, – for what is not known."""
        if column is Column.TEXT:
            return line_of(hit.text)
        if column is Column.NEEDS:
            return self.needs_of(hit)
        if column is Column.BAR:
            return ""
        value = getattr(hit, FIELDS[column] if column is not Column.ID else self.named_by)
        if value is None:
            return MISSING
        if type(value) is float:
            return self.numbers_shown.text(FIELDS[column], value)
        text = str(value)[:TEXT_CHARACTERS]
        return match_words(text) if column is Column.MATCH else text

    def _order(
        self, listing: Listing | None, of_stage: StageRows | None, bar: Bar | None
    ) -> tuple[list[int], list[int], bool]:
        """Return the listing's rows of hits and near-misses, and whether there are more."""
        if listing is None:
            return [], [], False
        hits = listing.hit_rows.tolist()
        if of_stage is None:
            near = listing.near_miss_rows(self._limit + 1)
        else:
            chosen, known = of_stage.rows[: self._limit + 1 + len(hits)].tolist(), set(hits)
            near = [row for row in chosen if row not in known]
            hits = [row for row in chosen if row in known]
        has_more = len(near) > self._limit
        near = near[: self._limit]
        column, order = self._sort
        field = self._field(column, bar)
        if field:
            # Telling the stories of hundreds of near-misses would take milliseconds.
            hits = _sorted(hits, sort_keys([listing.story(row) for row in hits], field), order)
            near = _sorted(near, listing.near_miss_keys(field, near), order)
        return hits, near, has_more

    def _field(self, column: int, bar: Bar | None) -> str:
        if column == Column.BAR:
            return bar.field if bar is not None else ""
        if column == Column.ID:
            return self.named_by
        return FIELDS[Column(column)] if column >= 0 else ""

    # Qt

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return one cell's text, or the record's id, reason or distance."""
        hit = self.hit_at(index.row()) if index.isValid() else None
        if hit is None or not 0 <= index.column() < len(TITLES):
            return None
        column = Column(index.column())
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.cell_text(hit, column)
            case self.HitIdRole:
                return hit.id
            case self.ReasonRole:
                return hit.reason.value
            case self.DistanceRole:
                return hit.distance
            case Qt.ItemDataRole.ToolTipRole:
                return self._tip(hit, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                title = self.named_by if column is Column.ID else TITLES[column]
                return f"{title}: {self._spoken(hit, column)}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(column)
        return None

    def _spoken(self, hit: Hit, column: Column) -> str:
        if column is Column.NEEDS:
            parts = (REASON_WORDS[hit.reason.value], self.needs_of(hit))
            return " – ".join(part for part in parts if part)
        if column is Column.BAR:
            field = self._field(Column.BAR, self.bar)
            shown = [column for column, told in FIELDS.items() if told == field]
            return self.cell_text(hit, shown[0]) if shown else MISSING
        return self.cell_text(hit, column)

    def _tip(self, hit: Hit, column: Column) -> str:
        if column is Column.NEEDS:
            return tooltip(self._spoken(hit, column).capitalize())
        if column is Column.ID:
            return tooltip("\n".join(dict.fromkeys((self.cell_text(hit, column), hit.id))))
        field = self._field(column, self.bar)
        value = getattr(hit, field) if field else None
        if isinstance(value, float):
            return f"{_LONG_NAMES[field]} {in_detail(value)}"
        return tooltip(hit.text if column is Column.TEXT else self.cell_text(hit, column))

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's title or help; the bar goes without a title."""
        if section == Column.BAR and role == Qt.ItemDataRole.DisplayRole:
            return ""
        if section == Column.ID and role in _SPOKEN:
            return self.named_by
        return super().headerData(section, orientation, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort hits and near-misses, each among themselves; −1 = the engine's order."""
        wanted = (column if 0 <= column < len(TITLES) else -1, order)
        if wanted == self._sort:
            return
        self._sort = wanted
        self._take(self.selection, self.stage)


def _sorted(rows: list[int], keys: SortKeys, order: Qt.SortOrder) -> list[int]:
    """Sort rows by their keys: missing numbers (NaN) last either way, ties as they were."""
    descending = order is Qt.SortOrder.DescendingOrder
    if isinstance(keys, list):
        places = sorted(range(len(rows)), key=keys.__getitem__, reverse=descending)
    else:
        places = np.argsort(-keys if descending else keys, kind="stable").tolist()
    return [rows[place] for place in places]
