"""What a node that searched left in a recording: its hits, its counts, its parameters."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from core.hits.hit import Hit, Reason
from core.hits.listing import Bar, ScoreLine, SortKeys, Timing, sort_keys
from core.hits.numbers import in_detail
from core.hits.stage import Stage
from core.hits.words import QueryWords
from core.index.tokens import query_tokens
from core.nodes.walk import RetrievalResult
from core.recording.forms import whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.hits.stage import StageKind
    from core.hits.words import Span
    from core.index.leg_query import LegQuery
    from core.nodes.kind import SearchKind

_NUMBERS = ("rank", "distance", "rank_dense", "bm25_score", "rank_sparse", "score")


@dataclass(frozen=True)
class RecordedListing:
    """What a recorded search lists: its hits, and of ClassifyIntent the next examples too.

    rows : in the recorded order; near-misses have a reason. No other ones are known.
    """

    rows: tuple[Hit, ...]
    query: str
    threshold: float

    record_count = property(lambda self: len(self.rows))
    is_complete = True
    near_miss_count = property(lambda self: len(self.rows) - len(self.hits))
    marks: Mapping[str, Sequence[float]] = field(default_factory=dict)
    timing = Timing(0.0)
    known_fields: tuple[str, ...] | None = None

    @property
    def search(self) -> object:
        """The recording itself."""
        return self

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The rows that came back."""
        return tuple(row for row in self.rows if not row.reason)

    @cached_property
    def hit_rows(self) -> NDArray[np.int64]:
        """The rows of the hits, in the recorded order: int64 (hits,)."""
        return np.array([hit.row for hit in self.hits], dtype=np.int64)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that at least one row has."""
        reasons = ("match_reason",) if any(row.match_reason for row in self.rows) else ()
        return (*self._numbers(), *reasons)

    def _numbers(self) -> list[str]:
        return [
            name for name in _NUMBERS if any(getattr(row, name) is not None for row in self.rows)
        ]

    @property
    def bar(self) -> Bar | None:
        """The distance, or else the score, where the recording has some."""
        distances = [row.distance for row in self.rows if row.distance is not None]
        if distances:
            return Bar("distance", max([0.1, self.threshold, *distances]), self.threshold or None)
        scores = [row.score for row in self.rows if row.score is not None]
        return Bar("score", max([0.1, *scores])) if scores else None

    @cached_property
    def words(self) -> QueryWords:
        """The words of the query."""
        return QueryWords(frozenset(query_tokens(self.query)))

    @property
    def leg_queries(self) -> tuple[LegQuery, ...]:
        """Nothing: what the legs saw is not recorded."""
        return ()

    def story(self, row: int) -> Hit:
        """Return one recorded row."""
        return self.rows[row]

    def near_miss_rows(self, limit: int) -> list[int]:
        """Return the near-misses that are listed, in their order."""
        return [row.row for row in self.rows if row.reason][:limit]

    def stage_rows(self, kind: StageKind) -> None:
        """Return nothing: what a stage removed is not recorded."""
        del kind

    def near_miss_keys(self, field: str, rows: Sequence[int]) -> SortKeys:
        """Return what rows are sorted by."""
        return sort_keys([self.rows[row] for row in rows], field)

    def row_of(self, hit_id: str) -> int:
        """Return the row with this id, or −1."""
        return next((row.row for row in self.rows if row.id == hit_id), -1)

    def score_lines(self, row: int) -> tuple[ScoreLine, ...]:
        """Return the numbers that were recorded."""
        told = self.rows[row]
        return tuple(
            ScoreLine(name, in_detail(getattr(told, name), 0), "as recorded")
            for name in self._numbers()
            if getattr(told, name) is not None
        )

    def unread(self, row: int) -> tuple[Span, ...]:
        """Return nothing: what was read is not recorded."""
        del row
        return ()

    def metadata(self, row: int) -> Mapping[str, Any]:
        """Return nothing: metadata is not recorded."""
        del row
        return {}


@dataclass(frozen=True, slots=True)
class RecordedRetrieval(RetrievalResult):
    """What a recording says of a node that searched.

    params : as recorded; what is not, or cannot be a value of it, is at its default.
    kind : the type of the node.
    taken : names of the parameters that are as recorded.
    counts : the recorded parameters, the counts among them.
    recorded : the diagnostics as they are in the file.
    notes : parameters that could not be taken over, and why.
    """

    listing: RecordedListing
    kind: SearchKind[Any]
    taken: frozenset[str]
    counts: Mapping[str, Any]
    recorded: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    near_miss_fields = ("id", "distance", "rank", "reason", "needs")

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The recorded counts; one that is not recorded has no stage."""
        counts = {name: whole(value) for name, value in self.counts.items()}
        raw, filtered = counts.get("raw_result_count"), counts.get("filtered_count")
        if raw is not None and filtered is not None:
            counts["kept_count"] = max(raw - filtered, 0)
        if counts.get("result_count") is None:
            counts["result_count"] = len(self.hits)
        stages: list[Stage] = []
        for stage, counter in self.kind.recorded_stages(self.params):
            count = counts.get(counter)
            if count is not None:
                before = stages[-1].count if stages else count
                kind = replace(stage, reason=Reason.NONE, is_listed=False)
                stages.append(Stage(kind, count, before - count))
        return tuple(stages)

    @property
    def how(self) -> str:
        """The way of searching, and that it was recorded."""
        return f"{self.kind.recorded_how(self.params)}, recorded"

    @property
    def no_distances(self) -> str:
        """Why the plot is empty."""
        return (
            "A recorded turn has the distances of its hits only. Open its graph and run the "
            "question to see those of all records."
        )

    @property
    def nothing_found(self) -> tuple[str, str]:
        """What to say when nothing came back."""
        return "The recorded turn found nothing", "Run it here to see what almost came"

    def diagnostics(self) -> dict[str, Any]:
        """Return what was recorded, unknown keys included."""
        return dict(self.recorded)
