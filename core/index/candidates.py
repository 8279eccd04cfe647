"""The immutable result of a search: everything that selection, explanation and plots need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.index.leg_query import BM25_QUERY, DENSE_QUERY, LegQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

MAX_TOP_K = 1000
MIN_DEPTH = 50


def leg_depth(top_k: int) -> int:
    """Return how many candidates each leg yields: ``max(4 · top_k, 50)``."""
    return max(4 * top_k, MIN_DEPTH)


MAX_DEPTH = leg_depth(MAX_TOP_K)
"""Depth to which a search ranks, so that no setting of `top_k` needs another search."""


@dataclass(frozen=True, slots=True)
class DenseLeg:
    """What the dense leg found.

    distances : float32 (m,), exact cosine distance of every known record, 0 to 2, smaller is
        closer.
    order : int64 (m,), all rows by (distance, row): the exact ranking, filter or not.
    rows : int64, the leg's own ranking of matching rows from its first on, nearest first, ties by
        row. From the index at most `MAX_DEPTH` of them, from an exact scan all.
    rank : int32 (m,), 1-based place in `rows`, 0 where a row is not in it.
    from_index : True when the HNSW index answered, False for an exact scan.
    more : whether the leg ranks further records after `rows`, of which nothing is known.
    query : the query as the model reads it.
    """

    distances: NDArray[np.float32]
    order: NDArray[np.int64]
    rows: NDArray[np.int64]
    rank: NDArray[np.int32]
    from_index: bool
    more: bool = False
    query: LegQuery = DENSE_QUERY


@dataclass(frozen=True, slots=True)
class SparseLeg:
    """What the BM25 leg found.

    scores : float32 (m,), BM25 score of every known record (statistics of the whole store), NaN
        where it is not known.
    rows : int64, the leg's ranking of matching rows with a score above 0 from its first on, best
        first, ties by row.
    rank : int32 (m,), 1-based place in `rows`, 0 where a row is not in it.
    tokens : the query's tokens as the leg sees them.
    query : the query as the leg sees it, with what it drops.
    more : whether the leg ranks further records after `rows`, of which nothing is known.
    """

    scores: NDArray[np.float32]
    rows: NDArray[np.int64]
    rank: NDArray[np.int32]
    tokens: tuple[str, ...]
    query: LegQuery = BM25_QUERY
    more: bool = False


@dataclass(frozen=True, slots=True)
class Candidates:
    """Result of searching one storage with one query under one filter.

    A row is the place of a record among the m that are known: all n of a storage on this machine,
    fewer of one that tells only what it ranks first. What is known is exact.

    query : the resolved text that was searched.
    ids, texts : of the known records, in the storage's order.
    matching : bool (m,) mask of the filter, or None without one.
    matching_count : number of records that the filter lets through (n without one).
    dense, sparse : the legs; None where the leg was not searched.
    why_filtered : row → the falsified part of the filter (``args[1] is false``).
    metadata : of the records as their file has it; () where it is not known.
    field_names : the metadata fields that the schema declares, None where there is no schema.
    embed_ms, search_ms : wall time of the two steps, milliseconds.
    total : number of records in the storage; None where all of them are known.
    matching_at_least : `matching_count` is a lower bound.
    """

    query: str
    ids: Sequence[str]
    texts: Sequence[str]
    matching: NDArray[np.bool_] | None
    matching_count: int
    dense: DenseLeg | None
    sparse: SparseLeg | None
    why_filtered: Callable[[int], str]
    metadata: Sequence[Mapping[str, Any] | None] = ()
    field_names: tuple[str, ...] | None = None
    embed_ms: float = 0.0
    search_ms: float = 0.0
    total: int | None = None
    matching_at_least: bool = False

    @property
    def known_count(self) -> int:
        """Number of records that are known, m."""
        return len(self.ids)

    @property
    def record_count(self) -> int:
        """Number of records in the storage, n."""
        return self.known_count if self.total is None else self.total

    @property
    def is_complete(self) -> bool:
        """Whether every record is known."""
        return self.known_count == self.record_count

    def matches(self, row: int) -> bool:
        """Tell whether the filter lets the record through."""
        return self.matching is None or bool(self.matching[row])


def ranks(rows: NDArray[np.int64], count: int) -> NDArray[np.int32]:
    """Return the 1-based place of each of `count` records in `rows`, 0 if absent: int32 (n,)."""
    rank = np.zeros(count, dtype=np.int32)
    rank[rows] = np.arange(1, len(rows) + 1, dtype=np.int32)
    rank.setflags(write=False)
    return rank
