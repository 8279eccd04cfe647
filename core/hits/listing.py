"""What a table, a plot or a details pane needs of one node's hits and near-misses.

Every kind of retrieval has one: `core.retrieve.select.Selection`, `KeywordListing` and
`SubgraphListing`. Who shows hits relies on this and asks for no type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.hits.hit import Hit
    from core.hits.stage import StageKind, StageRows
    from core.hits.words import QueryWords, Span
    from core.index.leg_query import LegQuery

SortKeys = NDArray[np.float64] | list[str]
"""Numbers, NaN where there is none, or texts without regard to case."""

TEXT_FIELDS = frozenset({"id", "title", "text", "match_reason"})

_SORTED_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Bar:
    """One number of each row as a bar.

    field : which number, a field of `Hit`.
    end : the value at the right end of the bars; above 0.
    limit : the value of the parameter that gates it, None where none does.
    """

    field: str
    end: float
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of how a score came about: a name, its value or arithmetic, and a remark."""

    name: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a search took, in milliseconds; `embed_ms` is None where nothing was embedded."""

    search_ms: float
    embed_ms: float | None = None
    exact_scan: bool = False


class Listing(Protocol):
    """Hits and near-misses by row; a row is told as a `Hit` when it is asked for. Immutable."""

    @property
    def record_count(self) -> int:
        """How many rows there are: the records, entries or nodes that are known."""

    @property
    def is_complete(self) -> bool:
        """Whether those are all that there are; if not, `near_miss_count` is a lower bound."""

    @property
    def search(self) -> object:
        """The search that this is a choice of: the same object as long as it is the same search."""

    @property
    def hit_rows(self) -> NDArray[np.int64]:
        """The rows of the hits in the engine's order: int64 (hits,)."""

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits in the engine's order."""

    @property
    def near_miss_count(self) -> int:
        """How many rows count as near-misses."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of `Hit` that say something of its rows besides id, reason and text.

        Numbers, `rank` first, and where there is one `title` and `match_reason`.
        """

    @property
    def bar(self) -> Bar | None:
        """Which number is drawn as a bar, or None."""

    @property
    def words(self) -> QueryWords:
        """The words of the query, to be marked in the texts."""

    @property
    def leg_queries(self) -> tuple[LegQuery, ...]:
        """The query as each leg sees it; () where that is not known."""

    @property
    def marks(self) -> Mapping[str, Sequence[float]]:
        """Parameter → some of its values at which the result changes."""

    @property
    def timing(self) -> Timing:
        """How long the search took."""

    @property
    def known_fields(self) -> tuple[str, ...] | None:
        """The metadata fields that a schema declares; None where there is no schema."""

    def story(self, row: int) -> Hit:
        """Return everything about one row."""

    def near_miss_rows(self, limit: int) -> list[int]:
        """Return the rows of the first `limit` near-misses, the closest to getting in first."""

    def stage_rows(self, kind: StageKind) -> StageRows | None:
        """Return the rows that a stage removed or added; None for a stage that it does not have."""

    def near_miss_keys(self, field: str, rows: Sequence[int]) -> SortKeys:
        """Return what near-misses are sorted by, as `sort_keys` does, telling no story."""

    def row_of(self, hit_id: str) -> int:
        """Return the row with this id, or −1."""

    def score_lines(self, row: int) -> tuple[ScoreLine, ...]:
        """Say how the row's score came about."""

    def unread(self, row: int) -> tuple[Span, ...]:
        """Return the parts of the row's text that the search does not read, ascending."""

    def metadata(self, row: int) -> Mapping[str, Any]:
        """Return what its file says of the row besides id and text."""


def sort_keys(hits: Sequence[Hit], field: str) -> SortKeys:
    """Return what rows are sorted by: a field of `Hit`, its reasons in the order of the stages."""
    if field == "reason":
        return np.array(
            [list(type(hit.reason)).index(hit.reason) for hit in hits], dtype=np.float64
        )
    values = [getattr(hit, field) for hit in hits]
    if field in TEXT_FIELDS:
        return [text_key(value) for value in values]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def text_key(text: str) -> str:
    """Return what a text is sorted by."""
    return text[:_SORTED_CHARACTERS].lstrip().casefold()
