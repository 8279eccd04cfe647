"""Hits and near-misses of a search in records as every table shows them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from core.hits.hit import Hit
from core.hits.listing import Bar, ScoreLine, SortKeys, Timing, text_key
from core.hits.numbers import apart, in_detail
from core.hits.words import QueryWords
from core.index.tokens import query_tokens
from core.retrieve.modes import RetrievalMode
from core.retrieve.select import Choice, Settings
from core.retrieve.stage_rows import stage_rows
from core.retrieve.why_not import needed_change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.hits.stage import StageKind, StageRows
    from core.hits.words import Span
    from core.index.candidates import Candidates
    from core.index.leg_query import LegQuery

_FIELDS = {
    RetrievalMode.Dense: ("rank", "distance", "rank_dense"),
    RetrievalMode.Lexical: ("rank", "bm25_score"),
    RetrievalMode.Hybrid: (
        "rank",
        "distance",
        "rank_dense",
        "bm25_score",
        "rank_sparse",
        "fused_score",
    ),
}
_WITHOUT_WORDS = ("rank", "distance", "rank_dense", "fused_score")
_LEAST_END = 0.1
_MARKS = 12


class Selection(Choice):
    """A choice as every table shows it; rows become `Hit`s on demand. Immutable."""

    def __init__(self, candidates: Candidates, settings: Settings) -> None:
        super().__init__(candidates, settings)
        self._stories: dict[int, Hit] = {}

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The surviving chunks in the engine's order."""
        return tuple(self.story(row) for row in self.hit_rows.tolist())

    def near_misses(self, limit: int = 200) -> tuple[Hit, ...]:
        """Return the first `limit` near-misses with their reason and needed change."""
        return tuple(self.story(row) for row in self.near_miss_rows(limit))

    def stage_rows(self, kind: StageKind) -> StageRows | None:
        """Return the records that a stage removed, and which of them went on."""
        return stage_rows(self, kind)

    def story(self, row: int) -> Hit:
        """Return everything about one record in this turn (made once, then kept)."""
        known = self._stories.get(row)
        if known is None:
            known = self._stories[row] = self._tell(row)
        return known

    def _tell(self, row: int) -> Hit:
        mode, depth = self.settings.mode, self.settings.depth
        dense, sparse = self.candidates.dense, self.candidates.sparse
        is_hit = self.is_hit(row)
        reason = self.reason(row)
        exact = float(dense.distances[row]) if dense is not None else None
        rank_dense = int(dense.rank[row]) or None if dense is not None else None
        rank_sparse = int(sparse.rank[row]) or None if sparse is not None else None
        score = float(sparse.scores[row]) if sparse is not None else 0.0
        distance = exact
        if mode is RetrievalMode.Lexical:
            distance = rank_dense = exact = None
        if mode is RetrievalMode.Dense:
            score, rank_sparse = 0.0, None
        if mode is RetrievalMode.Hybrid and is_hit:
            if rank_dense is None or rank_dense > depth or not self.within_threshold(row):
                distance = rank_dense = None
            if rank_sparse is None or rank_sparse > depth:
                score, rank_sparse = 0.0, None
        rank, fused_score = self._rank(row)
        return Hit(
            row=row,
            id=self.candidates.ids[row],
            text=self.candidates.texts[row],
            reason=reason,
            rank=rank,
            distance=distance,
            exact_distance=exact,
            bm25_score=score if score > 0 else None,
            rank_dense=rank_dense,
            rank_sparse=rank_sparse,
            fused_score=fused_score,
            needs="" if is_hit else needed_change(self, row, reason),
        )

    def _rank(self, row: int) -> tuple[int | None, float | None]:
        if self.settings.mode is RetrievalMode.Dense:
            return int(self.dense.rank[row]) or None, None
        if self.settings.mode is RetrievalMode.Lexical:
            return int(self.sparse.rank[row]) or None, None
        if self.fused is None:
            return None, None
        place = self._fused_places.get(row)
        return (None, None) if place is None else (place + 1, float(self.fused.scores[place]))

    @cached_property
    def _fused_places(self) -> dict[int, int]:
        rows = self.fused.rows.tolist() if self.fused is not None else []
        return {row: place for place, row in enumerate(rows)}

    def near_miss_keys(self, field: str, rows: Sequence[int]) -> SortKeys:
        """Return what near-misses are sorted by, from the arrays: stories take milliseconds."""
        found, at = self.candidates, np.array(rows, dtype=np.int64)
        if field == "id":
            return [text_key(found.ids[row]) for row in rows]
        if field == "text":
            return [text_key(found.texts[row]) for row in rows]
        if field == "reason":
            return self.reasons(at).astype(np.float64)
        return _numbers(self, found, field, at)

    @property
    def search(self) -> object:
        """The candidates."""
        return self.candidates

    @property
    def record_count(self) -> int:
        """Number of records that are known."""
        return self.candidates.known_count

    @property
    def is_complete(self) -> bool:
        """Whether those are all of them."""
        return self.candidates.is_complete

    @property
    def fields(self) -> tuple[str, ...]:
        """The numbers that this mode has, those of words only where some record has one."""
        sparse, mode = self.candidates.sparse, self.settings.mode
        if mode is RetrievalMode.Hybrid and (sparse is None or not len(sparse.rows)):
            return _WITHOUT_WORDS
        return _FIELDS[mode]

    @property
    def bar(self) -> Bar | None:
        """The distance, ending at that of the farthest record; None in Lexical mode."""
        dense = self.candidates.dense
        if dense is None or self.settings.mode is RetrievalMode.Lexical:
            return None
        end = float(dense.distances[dense.order[-1]]) if len(dense.order) else 1.0
        return Bar(
            "distance",
            max(end, _LEAST_END),
            self.settings.threshold if self.settings.limited else None,
        )

    @cached_property
    def words(self) -> QueryWords:
        """The query's tokens: as the BM25 leg saw them, or where it did not run, as it would."""
        sparse = self.candidates.sparse
        tokens = query_tokens(self.candidates.query) if sparse is None else sparse.tokens
        return QueryWords(frozenset(tokens))

    @property
    def leg_queries(self) -> tuple[LegQuery, ...]:
        """The query as each leg of this mode sees it."""
        mode, found = self.settings.mode, self.candidates
        legs = (
            None if mode is RetrievalMode.Lexical else found.dense,
            None if mode is RetrievalMode.Dense else found.sparse,
        )
        return tuple(leg.query for leg in legs if leg is not None)

    @property
    def marks(self) -> Mapping[str, Sequence[float]]:
        """The distances of the nearest records: thresholds at which the result changes."""
        dense = self.candidates.dense
        if dense is None:
            return {}
        return {"threshold": dense.distances[dense.rows[:_MARKS]].tolist()}

    @property
    def timing(self) -> Timing:
        """How long the search took."""
        found = self.candidates
        dense = found.dense
        return Timing(
            found.search_ms,
            None if dense is None else found.embed_ms,
            dense is not None and not dense.from_index,
        )

    @property
    def known_fields(self) -> tuple[str, ...] | None:
        """The metadata fields that the schema declares."""
        return self.candidates.field_names

    def row_of(self, hit_id: str) -> int:
        """Return the row of the record with this id, or −1."""
        try:
            return self.candidates.ids.index(hit_id)
        except ValueError:
            return -1

    def score_lines(self, row: int) -> tuple[ScoreLine, ...]:
        """Say each number that the record has in this mode, and the sum of a fused score."""
        lines = _score_lines(self.story(row), self.settings, self._fused_beside(row))
        if self.is_complete:
            lines.append(ScoreLine("record", f"number {row} in the file"))
        return tuple(lines)

    def unread(self, row: int) -> tuple[Span, ...]:
        """Return nothing: words are looked for in the whole text."""
        del row
        return ()

    def _fused_beside(self, row: int) -> Sequence[float]:
        """Return the fused scores before and after that of a row."""
        place = self._fused_places.get(row)
        if self.fused is None or place is None:
            return ()
        beside: list[float] = self.fused.scores[max(place - 1, 0) : place + 2].tolist()
        return beside

    def metadata(self, row: int) -> Mapping[str, Any]:
        """Return the record's metadata as its file has it."""
        known = self.candidates.metadata
        return (known[row] or {}) if row < len(known) else {}


def select(candidates: Candidates, settings: Settings) -> Selection:
    """Apply `settings` to `candidates`.

    Deterministic: the better score first, then the lower dense rank, then the lower sparse rank,
    then the order in the records file. Costs microseconds to about a millisecond.
    """
    return Selection(candidates, settings)


def _numbers(
    selection: Selection, found: Candidates, field: str, at: NDArray[np.int64]
) -> NDArray[np.float64]:
    values = np.full(len(at), np.nan)
    mode = selection.settings.mode
    dense = None if mode is RetrievalMode.Lexical else found.dense
    if field == "rank" and mode is not RetrievalMode.Hybrid:
        field = "rank_dense" if mode is RetrievalMode.Dense else "rank_sparse"
    if field == "distance" and dense is not None:
        values[:] = dense.distances[at]
    elif field == "rank_dense" and dense is not None:
        values[:] = dense.rank[at]
    elif field == "rank_sparse" and found.sparse is not None:
        values[:] = found.sparse.rank[at]
    elif field == "bm25_score" and found.sparse is not None:
        values[:] = found.sparse.scores[at]
    elif field in ("rank", "fused_score") and selection.fused is not None:
        places = {row: place for place, row in enumerate(selection.fused.rows.tolist())}
        fused = np.array([places.get(row, -1) for row in at.tolist()], dtype=np.int64)
        inside = fused >= 0
        values[inside] = (
            fused[inside] + 1 if field == "rank" else selection.fused.scores[fused[inside]]
        )
    if field in ("rank_dense", "rank_sparse", "bm25_score"):
        values[values == 0] = np.nan
    return values


def fused_arithmetic(hit: Hit, settings: Settings, beside: Sequence[float] = ()) -> str:
    """Return how the fused score came about, e.g. ``1/(60+3) + 1/(60+1) = 0.0323``.

    A leg has a part in it where it yielded the record: within its depth, and for the dense leg
    within the threshold. The sum has as many decimals as tell it from the scores `beside` it.
    """
    if hit.fused_score is None:
        return ""
    parts = []
    if (
        hit.rank_dense is not None
        and hit.rank_dense <= settings.depth
        and (
            not settings.limited
            or (
                hit.exact_distance is not None
                and np.float32(hit.exact_distance) <= np.float32(settings.threshold)
            )
        )
    ):
        parts.append(f"1/({settings.rrf_k}+{hit.rank_dense})")
    if hit.rank_sparse is not None and hit.rank_sparse <= settings.depth:
        parts.append(f"1/({settings.rrf_k}+{hit.rank_sparse})")
    return f"{' + '.join(parts)} = {apart(hit.fused_score, beside, 4)}"


def _score_lines(hit: Hit, settings: Settings, beside: Sequence[float]) -> list[ScoreLine]:
    distance = hit.distance if hit.distance is not None else hit.exact_distance
    numbers = (
        ("rank", hit.rank),
        ("cosine distance", distance),
        ("dense rank", hit.rank_dense),
        ("BM25 score", hit.bm25_score),
        ("BM25 rank", hit.rank_sparse),
    )
    lines = []
    for name, value in numbers:
        if value is not None:
            # Known, but no part of this hit's score.
            note = (
                "not in the dense leg" if name == "cosine distance" and hit.distance is None else ""
            )
            text = in_detail(value) if isinstance(value, float) else str(value)
            lines.append(ScoreLine(name, text, note))
    if hit.fused_score is not None:
        lines.append(ScoreLine("fused score", fused_arithmetic(hit, settings, beside)))
    return lines
