"""The smallest change of parameters that would let a near-miss in."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from core.index.candidates import MAX_DEPTH, MAX_TOP_K, DenseLeg, SparseLeg, leg_depth, ranks
from core.retrieve.modes import RetrievalMode

if TYPE_CHECKING:
    from core.hits.hit import Reason
    from core.retrieve.select import Choice

Rows = NDArray[np.int64]

THRESHOLD_DECIMALS = 3
MAX_THRESHOLD = 2.0
_DEPTHS = np.array([leg_depth(top_k) for top_k in range(1, MAX_TOP_K + 1)])
_NEVER = MAX_DEPTH + 1
_NOT_KNOWN = "not known: this search tells only of what it ranks first"


def threshold_for(distance: float) -> float:
    """Return the smallest threshold of three decimals that keeps this distance, at most 2."""
    scale: int = 10**THRESHOLD_DECIMALS
    steps = math.floor(distance * scale)
    while np.float32(steps / scale) < np.float32(distance):
        steps += 1
    return min(max(steps, 1) / scale, MAX_THRESHOLD)


def needed_change(choice: Choice, row: int, reason: Reason) -> str:
    """Say in one line what would let the record in, e.g. ``top_k ≥ 9 · threshold ≥ 0.702``.

    Exact: with just these values changed the record is a hit, and with a smaller value of the
    parameter named it is not. Where several parameters must change, the threshold is the
    smallest that lets the record through its gate and `top_k` the smallest beside it. What
    follows ``filter:`` or ``index missed it:`` is needed once the filter lets the record pass,
    or an exact search took the place of the index. In a search that does not know all records,
    a rank behind the known ones is a lower bound, ``at least``.
    """
    mode = choice.settings.mode
    if mode is RetrievalMode.Lexical:
        parts = _lexical_parts(choice, row)
    elif mode is RetrievalMode.Dense:
        parts = _dense_parts(choice, row)
    else:
        parts = _hybrid_parts(choice, row, reason)
    if reason == "filter":
        parts.insert(0, f"filter: {choice.candidates.why_filtered(row)}")
    return " · ".join(parts)


def _lexical_parts(choice: Choice, row: int) -> list[str]:
    score = choice.sparse.scores[row]
    if np.isnan(score):
        return [_NOT_KNOWN]
    if not score > 0:
        return ["out of reach: it has no word of the query"]
    return _rank_part(choice, _sparse_rank(choice, row), choice.sparse)


def _dense_parts(choice: Choice, row: int) -> list[str]:
    rank = _dense_rank(choice, row)
    parts = _rank_part(choice, rank, choice.dense)
    if rank > choice.settings.most_top_k:
        return parts
    return _index_part(choice, row) + parts + _threshold_part(choice, row)


def _index_part(choice: Choice, row: int) -> list[str]:
    dense = choice.dense
    if dense.more or dense.rank[row] or not choice.candidates.matches(row):
        return []
    return ["index missed it: an exact search would find it"]


def _threshold_part(choice: Choice, row: int) -> list[str]:
    distance = choice.dense.distances[row]
    if not choice.settings.limited or distance <= np.float32(choice.settings.threshold):
        return []
    return [f"threshold ≥ {threshold_for(float(distance)):.{THRESHOLD_DECIMALS}f}"]


def _rank_part(choice: Choice, rank: int, leg: DenseLeg | SparseLeg) -> list[str]:
    settings = choice.settings
    # Behind those that are known.
    is_bound = leg.more and rank > len(leg.rows)
    if rank <= settings.top_k and not is_bound:
        return []
    said = f"at least {rank}" if is_bound else f"{rank}"
    if rank > settings.most_top_k:
        return [f"out of reach: rank {said}, {settings.top_k_name} ends at {settings.most_top_k}"]
    return [f"{settings.top_k_name} ≥ {said}"]


def _dense_rank(choice: Choice, row: int) -> int:
    """Return the row's dense rank, or what it would be if it passed the filter and were found."""
    dense, matching = choice.dense, choice.candidates.matching
    if dense.rank[row]:
        return int(dense.rank[row])
    rivals = dense.order if matching is None and not dense.more else dense.rows
    return 1 + _place(rivals, row, dense.distances)


def _sparse_rank(choice: Choice, row: int) -> int:
    """Return its BM25 rank, or what it would be if it passed the filter; 0 without a score."""
    sparse = choice.sparse
    if sparse.rank[row] or not sparse.scores[row] > 0:
        return int(sparse.rank[row])
    return 1 + _place(sparse.rows, row, sparse.scores, sign=-1)


def _place(rows: Rows, row: int, values: NDArray[np.float32], sign: int = 1) -> int:
    """Count those of `rows`, sorted by (sign · value, row), that come before the row."""

    def key(other: Any) -> tuple[float, int]:
        return sign * float(values[other]), int(other)

    return bisect_left(rows, key(row), key=key)


@dataclass(frozen=True, slots=True)
class _Legs:
    """Both legs as the record would find them, and its own ranks there (0 = absent).

    Where it is `inserted`, the rows and ranks are without it, and the others move down for it.
    """

    row: int
    dense_rows: Rows
    dense_ranks: NDArray[np.int32]
    sparse_rows: Rows
    sparse_ranks: NDArray[np.int32]
    dense: int
    sparse: int
    inserted: bool

    def ranks(self, rows: Rows) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Dense and BM25 rank of each of `rows`, `_NEVER` where absent."""
        both = []
        for known, own in ((self.dense_ranks, self.dense), (self.sparse_ranks, self.sparse)):
            rank = known[rows].astype(np.int64)
            if self.inserted and own:
                rank += rank >= own
            both.append(np.where(rank > 0, rank, _NEVER))
        return both[0], both[1]


def _hybrid_parts(choice: Choice, row: int, reason: Reason) -> list[str]:
    parts = None if reason == "index" else _parts_with(choice, _legs(choice, row))
    if parts is not None:
        return parts
    missed = _index_part(choice, row)
    if missed:
        parts = _parts_with(choice, _exact_legs(choice, row))
        if parts is not None:
            return missed + parts
    if choice.reach < MAX_TOP_K:
        return [_NOT_KNOWN]
    return [f"out of reach: no top_k up to {MAX_TOP_K} lets it in"]


def _parts_with(choice: Choice, legs: _Legs) -> list[str] | None:
    """Return the cheapest change: top_k or threshold alone, else both; None if none will do."""
    settings = choice.settings
    alone = _smallest_top_k(choice, legs, settings.threshold)
    if alone == settings.top_k:
        return []
    gate = _threshold_part(choice, legs.row)
    if gate:
        raised = threshold_for(float(choice.dense.distances[legs.row]))
        with_gate = _smallest_top_k(choice, legs, raised)
        if with_gate == settings.top_k:
            return gate
        if alone is None and with_gate is not None and choice.reach == MAX_TOP_K:
            return [f"top_k ≥ {with_gate}", *gate]
    return None if alone is None else [f"top_k ≥ {alone}"]


def _legs(choice: Choice, row: int) -> _Legs:
    dense, sparse = choice.dense, choice.sparse
    if choice.candidates.matches(row):
        own, inserted = (int(dense.rank[row]), int(sparse.rank[row])), False
    else:
        own, inserted = (_dense_rank(choice, row), _sparse_rank(choice, row)), True
    return _Legs(row, dense.rows, dense.rank, sparse.rows, sparse.rank, *own, inserted)


def _exact_legs(choice: Choice, row: int) -> _Legs:
    """Return the legs if an exact search had taken the place of the index."""
    dense, sparse, matching = choice.dense, choice.sparse, choice.candidates.matching
    exact = dense.order if matching is None else dense.order[matching[dense.order]]
    exact = exact[:MAX_DEPTH]
    exact_ranks = ranks(exact, choice.candidates.known_count)
    return _Legs(
        row,
        exact,
        exact_ranks,
        sparse.rows,
        sparse.rank,
        int(exact_ranks[row]),
        int(sparse.rank[row]),
        False,
    )


def _smallest_top_k(choice: Choice, legs: _Legs, threshold: float) -> int | None:
    """Find the smallest top_k, from the present one up, that makes the record a Hybrid hit.

    A larger top_k also deepens the legs, so the fused ranks move with it. Between the depths at
    which the record itself enters a leg its score stands still and the others' only grow: each
    of them overtakes it at one depth, for good. Counting who has overtaken it by each top_k
    gives its rank there.
    """
    gated = len(choice.gate(legs.dense_rows[:MAX_DEPTH], threshold))
    limit = threshold if threshold else math.inf
    within = choice.dense.distances[legs.row] <= np.float32(limit)
    gated += legs.inserted and bool(within)
    dense = legs.dense if 0 < legs.dense <= gated else _NEVER
    sparse = legs.sparse or _NEVER
    first, rrf_k = choice.settings.top_k, choice.settings.rrf_k
    starts = sorted({max(first, _top_k_for(rank)) for rank in (dense, sparse)})
    most = choice.reach + 1
    for start, stop in zip(starts, [*starts[1:], most], strict=True):
        end = min(stop, most)
        if start >= end:
            continue
        depth = leg_depth(start)
        overtaken = _overtaken_at(
            legs,
            gated,
            rrf_k,
            dense if dense <= depth else _NEVER,
            sparse if sparse <= depth else _NEVER,
        )
        rank = 1 + np.cumsum(np.bincount(overtaken, minlength=MAX_TOP_K + 2))[start:end]
        fits = np.flatnonzero(rank <= np.arange(start, end))
        if len(fits):
            return start + int(fits[0])
    return None


def _overtaken_at(
    legs: _Legs, gated: int, rrf_k: int, dense: int, sparse: int
) -> NDArray[np.int64]:
    """Return the top_k from which each rival stands before a record with these ranks.

    `MAX_TOP_K` + 1 for never. A rival enters one leg first, and counts as in both only from its
    deeper rank on. Ties go to the lower dense rank, then to the lower BM25 rank.
    """
    mine = sum(1.0 / (rrf_k + rank) for rank in (dense, sparse) if rank < _NEVER)
    # A rival's score is at most twice that of its better rank, so no deeper one can do it.
    reach = math.ceil(2.0 / mine) - rrf_k + 1
    near_dense, near_sparse = legs.dense_rows[: min(reach, gated)], legs.sparse_rows[:reach]
    place = legs.dense_ranks[near_sparse]
    only_sparse = near_sparse[(place == 0) | (place > len(near_dense))]
    rivals = np.concatenate([near_dense, only_sparse])
    dense_ranks, sparse_ranks = legs.ranks(rivals[rivals != legs.row])
    dense_ranks[dense_ranks > gated] = _NEVER
    from_dense = np.where(dense_ranks < _NEVER, 1.0 / (rrf_k + dense_ranks), 0.0)
    from_sparse = np.where(sparse_ranks < _NEVER, 1.0 / (rrf_k + sparse_ranks), 0.0)
    first_dense = dense_ranks < sparse_ranks
    first = np.where(first_dense, from_dense, from_sparse)
    wins_tie = np.where(
        first_dense, dense_ranks < dense, (dense == _NEVER) & (sparse_ranks < sparse)
    )
    by_first = (first > mine) | ((first == mine) & wins_tie)
    total = from_dense + from_sparse
    by_both = (total > mine) | ((total == mine) & (dense_ranks < dense))
    nearer, deeper = np.minimum(dense_ranks, sparse_ranks), np.maximum(dense_ranks, sparse_ranks)
    depth = np.where(by_first, nearer, np.where(by_both, deeper, _NEVER))
    return 1 + np.searchsorted(_DEPTHS, depth)


def _top_k_for(depth: int) -> int:
    """Return the smallest top_k whose legs are this deep, `MAX_TOP_K` + 1 if none is."""
    return 1 + int(np.searchsorted(_DEPTHS, depth))
