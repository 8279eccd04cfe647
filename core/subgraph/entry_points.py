"""Stage 2 of graph-aware retrieval: candidates × request → matches, near-misses, counts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from core.hits.hit import Reason
from core.index.candidates import leg_depth
from core.index.fusion import reciprocal_rank_fusion
from core.index.order import largest_first, smallest_first
from core.subgraph.request import MAX_TOP_K, SubgraphRequest
from core.subgraph.scope import ScopeFilter

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.subgraph.search import SubgraphCandidates

RRF_K = 60
HYBRID_DEPTH = leg_depth(MAX_TOP_K)
"""How many nodes each leg gives to the fusion. The same for every `top_k`, so that the first
matches of a longer list are always the shorter list."""


@dataclass(frozen=True, slots=True)
class SubgraphMatch:
    """One node's whole story in Pass 1; a near-miss when `reason` is not empty.

    rank : 1-based place among the nodes in scope; None for one that the scope leaves out.
    score : BM25 score, or with embeddings the fused score; higher is better.
    match_reason : the legs that found it: ``fts``, ``dense`` or ``fts+dense``.
    fts_score, distance : what each leg says of it; None where the leg says nothing.
    rank_fts, rank_dense : 1-based places in the legs, None where it is in none of their first
        `HYBRID_DEPTH`.
    needs : the smallest change that would let a near-miss in, "" for a match.
    """

    row: int
    node_id: str
    title: str
    rank: int | None
    score: float
    match_reason: str
    fts_score: float | None
    distance: float | None
    rank_fts: int | None
    rank_dense: int | None
    reason: Reason
    needs: str = ""


@dataclass(frozen=True, slots=True)
class MatchCounts:
    """How many nodes each stage let through: none of them grows from one stage to the next.

    nodes : in the graph.
    in_scope : that the scope lets through.
    found : of those, by any leg (each leg's first `HYBRID_DEPTH` with embeddings).
    matches : the first `top_k` of those.
    """

    nodes: int
    in_scope: int
    found: int
    matches: int


@dataclass(frozen=True, slots=True, eq=False)
class _Ranking:
    """Rows best first with their scores, and the ranking of each leg."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    fts: NDArray[np.int64]
    dense: NDArray[np.int64]


class EntryPoints:
    """What one request makes of the candidates. Immutable; stories on demand."""

    def __init__(self, candidates: SubgraphCandidates, request: SubgraphRequest) -> None:
        self.candidates = candidates
        self.request = request
        self._filter = ScopeFilter(candidates.graph, request.scope)
        self.in_scope = self._filter.mask
        self._ranking = _rank(candidates, self.in_scope)
        self.match_rows = self._ranking.rows[: request.top_k]
        nodes = len(candidates.graph)
        self.counts = MatchCounts(
            nodes,
            nodes if self.in_scope is None else int(np.count_nonzero(self.in_scope)),
            len(self._ranking.rows),
            len(self.match_rows),
        )

    @cached_property
    def matches(self) -> tuple[SubgraphMatch, ...]:
        """The entry points, best first; ties by the order in the file."""
        return tuple(
            self._story(self._ranking, place, Reason.NONE) for place in range(len(self.match_rows))
        )

    @property
    def near_miss_count(self) -> int:
        """How many nodes were found and are no matches."""
        return len(self.near_miss_rows)

    @property
    def found_rows(self) -> NDArray[np.int64]:
        """The nodes in scope that a leg found, best first: int64 (m,), the matches first."""
        return self._ranking.rows

    @property
    def found_scores(self) -> NDArray[np.float64]:
        """Their scores: float64 (m,)."""
        return self._ranking.scores

    @property
    def found_anywhere(self) -> NDArray[np.int64]:
        """The nodes that a leg would find without a scope, best first: int64 (m,)."""
        return self._unscoped.rows

    @property
    def scores_anywhere(self) -> NDArray[np.float64]:
        """Their scores: float64 (m,)."""
        return self._unscoped.scores

    def why_out(self, row: int) -> str:
        """Say why the scope leaves a node out; "" for one that it lets through."""
        is_inside = self.in_scope is None or self.in_scope[row]
        return "" if is_inside else self._filter.why_out(row)

    @cached_property
    def near_miss_rows(self) -> NDArray[np.int64]:
        """The rows of the nodes that were found and are no matches: int64 (m,).

        First those that only `top_k` cut off, then those that the scope leaves out, each best
        first.
        """
        rows = self.found_rows[len(self.match_rows) :]
        if self.in_scope is not None:
            found = self.found_anywhere
            rows = np.concatenate([rows, found[~self.in_scope[found]]])
        return rows

    def near_misses(self, limit: int = 200) -> tuple[SubgraphMatch, ...]:
        """Return the first `limit` near-misses, in the order of `near_miss_rows`."""
        stories = (self.story(row) for row in self.near_miss_rows[:limit].tolist())
        return tuple(story for story in stories if story is not None)

    def story(self, row: int) -> SubgraphMatch | None:
        """Return everything about one node in Pass 1; None for one that no leg found."""
        place = _place(self._ranking.rows, row)
        if place is not None:
            is_match = place <= len(self.match_rows)
            return self._story(self._ranking, place - 1, Reason.NONE if is_match else Reason.TOP_K)
        if self.in_scope is None or self.in_scope[row]:
            return None
        place = _place(self._unscoped.rows, row)
        return None if place is None else self._story(self._unscoped, place - 1, Reason.SCOPE)

    @cached_property
    def _unscoped(self) -> _Ranking:
        return _rank(self.candidates, None)

    def _story(self, ranking: _Ranking, place: int, reason: Reason) -> SubgraphMatch:
        row = int(ranking.rows[place])
        node = self.candidates.graph.nodes[row]
        ranks = {"fts": _place(ranking.fts, row), "dense": _place(ranking.dense, row)}
        fts_score = float(self.candidates.fts_scores[row])
        distances = self.candidates.distances
        needs = ""
        if reason is Reason.TOP_K:
            needs = (
                f"top_k ≥ {place + 1}"
                if place < MAX_TOP_K
                else f"out of reach: rank {place + 1}, top_k ends at {MAX_TOP_K}"
            )
        elif reason is Reason.SCOPE:
            needs = self.why_out(row)
        return SubgraphMatch(
            row=row,
            node_id=node.id,
            title=node.title,
            reason=reason,
            needs=needs,
            rank=None if reason is Reason.SCOPE else place + 1,
            score=float(ranking.scores[place]),
            match_reason="+".join(leg for leg, rank in ranks.items() if rank is not None),
            fts_score=fts_score if fts_score > 0 else None,
            distance=None if distances is None else float(distances[row]),
            rank_fts=ranks["fts"],
            rank_dense=ranks["dense"],
        )


def find_entry_points(candidates: SubgraphCandidates, request: SubgraphRequest) -> EntryPoints:
    """Choose the matches: scope first, then rank, then the first `top_k`. Pure and fast.

    Without embeddings the rank is by BM25 score. With them, the first `HYBRID_DEPTH` nodes of
    either leg are fused: Σ 1 / (60 + rank).

    Raises
    ------
    InvalidRequest
        3007 when the scope's root is no node of the graph.
    """
    return EntryPoints(candidates, request)


def _rank(candidates: SubgraphCandidates, in_scope: NDArray[np.bool_] | None) -> _Ranking:
    scores, distances = candidates.fts_scores, candidates.distances
    found = scores > 0 if in_scope is None else (scores > 0) & in_scope
    fts = largest_first(scores, np.flatnonzero(found))
    if distances is None:
        return _Ranking(fts, scores[fts].astype(np.float64), fts, fts[:0])
    rows = None if in_scope is None else np.flatnonzero(in_scope)
    dense = smallest_first(distances, rows)[:HYBRID_DEPTH]
    fts = fts[:HYBRID_DEPTH]
    fused = reciprocal_rank_fusion(dense, fts, RRF_K, len(scores))
    return _Ranking(fused.rows, fused.scores, fts, dense)


def _place(rows: NDArray[np.int64], row: int) -> int | None:
    found = np.flatnonzero(rows == row)
    return int(found[0]) + 1 if len(found) else None
