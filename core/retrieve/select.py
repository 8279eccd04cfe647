"""Stage 2: candidates × settings → hits, near-misses and the counts. Pure and fast."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.hits.hit import Reason
from core.index.candidates import (
    MAX_TOP_K,
    MIN_DEPTH,
    Candidates,
    DenseLeg,
    SparseLeg,
    leg_depth,
)
from core.index.fusion import Fused, reciprocal_rank_fusion
from core.retrieve.modes import RetrievalMode

Rows = NDArray[np.int64]


_REASONS = tuple(Reason)
_CODE = {reason: code for code, reason in enumerate(_REASONS)}
_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Settings:
    """The parameters that selection reads (see `RetrieveParams` for ranges).

    top_k_name, most_top_k : what `top_k` is called where it is another parameter, which only Dense
        mode knows of, and how far that goes.
    """

    mode: RetrievalMode = RetrievalMode.Dense
    top_k: int = 2
    threshold: float = 0.5
    rrf_k: int = 60
    top_k_name: str = "top_k"
    most_top_k: int = MAX_TOP_K

    @property
    def limited(self) -> bool:
        """Whether the threshold gates anything: 0 switches it off."""
        return self.threshold != 0

    @property
    def depth(self) -> int:
        """Candidates that each leg yields in Lexical and Hybrid mode."""
        return leg_depth(self.top_k)


@dataclass(frozen=True, slots=True)
class Counts:
    """How many records each stage let through; the funnel and the diagnostics read these.

    with_query_word : matching records with a BM25 score above 0 (None when not searched).
    dense_raw … fused : None in Dense mode, where the seed reports no per-leg counts.
    at_least : the names of those that are lower bounds: a bounded search knows no better.
    """

    records: int
    matching: int
    raw: int
    filtered: int
    result: int
    with_query_word: int | None = None
    dense_raw: int | None = None
    dense_filtered: int | None = None
    sparse_raw: int | None = None
    fused: int | None = None
    at_least: frozenset[str] = frozenset()

    @property
    def kept(self) -> int:
        """What the threshold leaves of the dense leg."""
        if self.dense_raw is None:
            return self.raw - self.filtered
        return self.dense_raw - (self.dense_filtered or 0)


class Choice:
    """What one setting makes of the candidates: the hits, and why others are none. Immutable."""

    def __init__(self, candidates: Candidates, settings: Settings) -> None:
        self.candidates = candidates
        self.settings = settings
        self.fused: Fused | None = None
        if settings.mode is RetrievalMode.Dense:
            self.ranking, self.hit_rows, self.counts = self._select_dense()
        elif settings.mode is RetrievalMode.Lexical:
            self.ranking, self.hit_rows, self.counts = self._select_lexical()
        else:
            self.ranking, self.hit_rows, self.counts = self._select_hybrid()
        self._hit_set = frozenset(self.hit_rows.tolist())

    @cached_property
    def dense(self) -> DenseLeg:
        """The dense leg; searching without it in a mode that needs it is a bug."""
        leg = self.candidates.dense
        if leg is None:
            raise LookupError(f"{self.settings.mode.name} needs a dense leg")
        return leg

    @cached_property
    def sparse(self) -> SparseLeg:
        """The BM25 leg; searching without it in a mode that needs it is a bug."""
        leg = self.candidates.sparse
        if leg is None:
            raise LookupError(f"{self.settings.mode.name} needs a BM25 leg")
        return leg

    def gate(self, rows: Rows, threshold: float | None = None) -> Rows:
        """Return the prefix of distance-sorted `rows` within the threshold (or the setting's)."""
        limit = self.settings.threshold if threshold is None else threshold
        if limit == 0:
            return rows
        kept = np.searchsorted(self.dense.distances[rows], np.float32(limit), side="right")
        return rows[: int(kept)]

    @property
    def reach(self) -> int:
        """The largest top_k of which every candidate is known: 0 to `MAX_TOP_K`.

        Up to it, reasons and needed changes are those of a search that knows all records.
        """
        mode, found = self.settings.mode, self.candidates
        used = (
            None if mode is RetrievalMode.Lexical else found.dense,
            None if mode is RetrievalMode.Dense else found.sparse,
        )
        known = min((len(leg.rows) for leg in used if leg is not None and leg.more), default=None)
        if known is None:
            return MAX_TOP_K
        if mode is not RetrievalMode.Dense:
            known = known // 4 if known >= MIN_DEPTH else 0
        return min(known, MAX_TOP_K)

    @property
    def is_exact(self) -> bool:
        """Whether the hits and their order are those of a search that knows all records."""
        mode, top_k, depth = self.settings.mode, self.settings.top_k, self.settings.depth
        if mode is RetrievalMode.Lexical:
            return not _is_short(self.sparse, top_k)
        if mode is RetrievalMode.Dense:
            return not self._dense_is_open(top_k)
        return not (self._dense_is_open(depth) or _is_short(self.sparse, depth))

    def _dense_is_open(self, depth: int) -> bool:
        """Tell whether unknown records may pass the threshold: it removes none of the known."""
        known = self.dense.rows[:depth]
        return _is_short(self.dense, depth) and len(self.gate(known)) == len(known)

    def _select_dense(self) -> tuple[Rows, Rows, Counts]:
        top_k = self.settings.top_k
        raw = self.dense.rows[:top_k]
        hits = self.gate(raw)
        unsure = {"raw", "filtered"} if _is_short(self.dense, top_k) else set()
        if not self.is_exact:
            unsure |= {"kept", "result"}
        counts = self._counts(unsure, raw=len(raw), filtered=len(raw) - len(hits), result=len(hits))
        return self.dense.rows, hits, counts

    def _select_lexical(self) -> tuple[Rows, Rows, Counts]:
        leg = self.sparse.rows[: self.settings.depth]
        hits = leg[: self.settings.top_k]
        unsure = {"with_query_word"} if self.sparse.more else set()
        if _is_short(self.sparse, self.settings.depth):
            unsure |= {"raw", "sparse_raw"}
        if not self.is_exact:
            unsure.add("result")
        counts = self._counts(
            unsure,
            raw=len(leg),
            filtered=0,
            result=len(hits),
            with_query_word=len(self.sparse.rows),
            dense_raw=0,
            dense_filtered=0,
            sparse_raw=len(leg),
            fused=0,
        )
        return self.sparse.rows, hits, counts

    def _select_hybrid(self) -> tuple[Rows, Rows, Counts]:
        top_k, depth = self.settings.top_k, self.settings.depth
        dense_raw = self.dense.rows[:depth]
        dense_kept = self.gate(dense_raw)
        sparse_raw = self.sparse.rows[:depth]
        self.fused = reciprocal_rank_fusion(
            dense_kept, sparse_raw, self.settings.rrf_k, self.candidates.known_count
        )
        hits = self.fused.rows[:top_k]
        unsure = {"with_query_word"} if self.sparse.more else set()
        if _is_short(self.dense, depth):
            unsure |= {"raw", "filtered", "dense_raw", "dense_filtered"}
        if self._dense_is_open(depth):
            unsure.add("kept")
        if _is_short(self.sparse, depth):
            unsure |= {"raw", "sparse_raw"}
        if not self.is_exact:
            unsure |= {"fused"} if len(hits) == top_k else {"fused", "result"}
        counts = self._counts(
            unsure,
            raw=len(dense_raw) + len(sparse_raw),
            filtered=len(dense_raw) - len(dense_kept),
            result=len(hits),
            with_query_word=len(self.sparse.rows),
            dense_raw=len(dense_raw),
            dense_filtered=len(dense_raw) - len(dense_kept),
            sparse_raw=len(sparse_raw),
            fused=len(self.fused.rows),
        )
        return self.fused.rows, hits, counts

    def _counts(self, unsure: set[str], **numbers: int) -> Counts:
        found = self.candidates
        if found.matching_at_least:
            unsure.add("matching")
        return Counts(
            found.record_count, found.matching_count, at_least=frozenset(unsure), **numbers
        )

    def is_hit(self, row: int) -> bool:
        """Tell whether the record is among the hits."""
        return row in self._hit_set

    @cached_property
    def near_miss_count(self) -> int:
        """How many known records are near-misses: in Lexical mode with a query word, else all."""
        if self.settings.mode is RetrievalMode.Lexical:
            return int(np.count_nonzero(self.sparse.scores > 0)) - len(self.hit_rows)
        return self.candidates.known_count - len(self.hit_rows)

    def near_miss_rows(self, limit: int) -> list[int]:
        """Return the rows of the first `limit` near-misses, the closest to getting in first.

        Order: Dense by distance; Lexical by BM25 score; Hybrid the fused ranking, then by
        distance; ties by row. Records that the filter dropped stand where they would be.
        """
        found: list[int] = []
        seen = set(self._hit_set)
        for part in self._near_miss_order():
            for start in range(0, len(part), _BLOCK):
                for row in part[start : start + _BLOCK].tolist():
                    if len(found) == limit:
                        return found
                    if row not in seen:
                        seen.add(row)
                        found.append(row)
        return found

    def _near_miss_order(self) -> list[Rows]:
        if self.settings.mode is RetrievalMode.Dense:
            return [self.dense.order]
        if self.settings.mode is RetrievalMode.Hybrid:
            return [self.ranking, self.dense.order]
        if self.candidates.matching is None and not self.sparse.more:
            return [self.sparse.rows]
        scored = np.flatnonzero(self.sparse.scores > 0)
        return [scored[np.argsort(-self.sparse.scores[scored], kind="stable")]]

    def reason(self, row: int) -> Reason:
        """Return the first stage that dropped the record, or NONE for a hit."""
        if self.is_hit(row):
            return Reason.NONE
        return _REASONS[int(self._near_miss_reasons(np.array([row], dtype=np.int64))[0])]

    def reasons(self, rows: Rows) -> NDArray[np.int8]:
        """Return the reason of each of `rows` as its place in `Reason`: int8 (len(rows),)."""
        codes = self._near_miss_reasons(rows)
        codes[np.isin(rows, self.hit_rows)] = _CODE[Reason.NONE]
        return codes

    def _near_miss_reasons(self, rows: Rows) -> NDArray[np.int8]:
        """Return the reasons as if none of the rows were a hit."""
        settings = self.settings
        if settings.mode is RetrievalMode.Dense:
            codes = self._dense_reasons(rows, settings.top_k, Reason.TOP_K)
        elif settings.mode is RetrievalMode.Lexical:
            codes = np.full(len(rows), _CODE[Reason.LEG_DEPTH], dtype=np.int8)
        else:
            codes = self._dense_reasons(rows, settings.depth, Reason.LEG_DEPTH)
            near = self.dense.distances[rows] <= np.float32(settings.threshold)
            passed = (codes == _CODE[Reason.THRESHOLD]) & (near | (not settings.limited))
            codes[passed] = _CODE[Reason.TOP_K]
        if settings.mode is not RetrievalMode.Dense:
            sparse_rank = self.sparse.rank[rows]
            codes[(sparse_rank > 0) & (sparse_rank <= settings.depth)] = _CODE[Reason.TOP_K]
        if self.candidates.matching is not None:
            codes[~self.candidates.matching[rows]] = _CODE[Reason.FILTER]
        return codes

    def _dense_reasons(self, rows: Rows, depth: int, beyond: Reason) -> NDArray[np.int8]:
        """Give THRESHOLD inside the first `depth`, INDEX for what the index missed, or `beyond`."""
        rank = self.dense.rank[rows]
        codes = np.full(len(rows), _CODE[beyond], dtype=np.int8)
        codes[(rank > 0) & (rank <= depth)] = _CODE[Reason.THRESHOLD]
        if self.dense.from_index:
            exact = self.dense.order
            if self.candidates.matching is not None:
                exact = exact[self.candidates.matching[exact]]
            missed = rank == 0
            if missed.any():
                codes[missed & np.isin(rows, exact[:depth])] = _CODE[Reason.INDEX]
        return codes

    def within_threshold(self, row: int) -> bool:
        """Tell whether the record's distance passes the threshold, or nothing needs to."""
        if not self.settings.limited:
            return True
        return bool(self.dense.distances[row] <= np.float32(self.settings.threshold))


def _is_short(leg: DenseLeg | SparseLeg, depth: int) -> bool:
    """Tell whether a leg has candidates up to this depth that are not known."""
    return leg.more and len(leg.rows) < depth
