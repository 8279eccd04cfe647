"""Stage 2 of keyword retrieval: scored entries × (k, min_score) → hits, near-misses, counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from core.hits.hit import Reason
from core.hits.numbers import MOST_DECIMALS, in_full
from core.hits.retriever import DEFAULT_K
from core.index.candidates import ranks
from core.io.request import check_number, check_whole
from core.keyword.scoring import rescored

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.keyword.scoring import FieldPart, KeywordCandidates
    from core.knowledge.corpus import CorpusEntry

DEFAULT_MIN_SCORE = 2.0
MAX_K = 1000
DECIMALS = 3

_NO_WORD = "no word of the query is found in it"


@dataclass(frozen=True, slots=True)
class KeywordCounts:
    """How many entries each stage let through; none of them grows from one stage to the next.

    entries : in the corpus.
    matched : that share a word with the query. With `min_score` 0 all of them, since that floor
        keeps entries that match nothing too.
    at_or_above : whose score reaches `min_score`.
    hits : the first `k` of those.
    """

    entries: int
    matched: int
    at_or_above: int
    hits: int


@dataclass(frozen=True, slots=True)
class KeywordHit:
    """One entry's whole story for one query; a near-miss when `reason` is not empty.

    score : base × category_weight; `base` is the sum of the points of `parts`.
    match_reason : the parts in one line.
    rank : 1-based place by score, ties by path; None for an entry that matches nothing, unless
        `min_score` is 0.
    misses_by : how far the score is below `min_score`, 0.0 where it is not.
    needs : the smallest change that would let a near-miss in, "" for a hit.
    """

    entry: CorpusEntry
    score: float
    match_reason: str
    reason: Reason
    rank: int | None
    parts: tuple[FieldPart, ...]
    base: float
    category_weight: float
    misses_by: float
    needs: str = ""


class KeywordSelection:
    """What one `k` and `min_score` make of the candidates. Immutable; stories on demand."""

    def __init__(self, candidates: KeywordCandidates, k: int, min_score: float) -> None:
        self.candidates = candidates
        self.k = check_whole("k", k, 1)
        self.min_score = check_number("min_score", min_score)
        order, entries = candidates.order, len(candidates.index)
        kept = int(np.searchsorted(-candidates.scores[order], -self.min_score, side="right"))
        rows = order[: min(self.k, kept)]
        matched = len(order)
        self._keeps_all = self.min_score == 0 and bool(candidates.stems)
        if self._keeps_all:
            matched = kept = entries
            if candidates.scored < self.k:
                rows = self.ranking[: self.k]
        self.hit_rows: NDArray[np.int64] = rows
        self.counts = KeywordCounts(entries, matched, kept, len(rows))

    @cached_property
    def hits(self) -> tuple[KeywordHit, ...]:
        """The entries that are returned, best first, ties by path."""
        return tuple(self.story(row) for row in self.hit_rows.tolist())

    @property
    def near_miss_count(self) -> int:
        """How many entries match the query and are no hits."""
        return len(self._near_rows)

    @cached_property
    def _near_rows(self) -> NDArray[np.int64]:
        order = self.candidates.order
        if self._keeps_all:
            return order[~np.isin(order, self.hit_rows)]
        return order[self.counts.hits :]

    def near_miss_rows(self, limit: int) -> list[int]:
        """Return the rows of the first `limit` matching entries that are no hits, best first."""
        found: list[int] = self._near_rows[:limit].tolist()
        return found

    def near_misses(self, limit: int = 200) -> tuple[KeywordHit, ...]:
        """Return the first `limit` matching entries that are no hits, best first."""
        return tuple(self.story(row) for row in self.near_miss_rows(limit))

    @cached_property
    def ranking(self) -> NDArray[np.int64]:
        """All rows, best first, ties by path: those that match nothing after those that do."""
        found = self.candidates
        if self._keeps_all:
            return np.concatenate([found.order[: found.scored], np.flatnonzero(found.scores == 0)])
        return np.concatenate(
            [found.order, np.flatnonzero(ranks(found.order, len(found.index)) == 0)]
        )

    def story(self, row: int) -> KeywordHit:
        """Return everything about one entry; rows are those of the candidates' index."""
        candidates = self.candidates
        entry = candidates.index.entries[row]
        score = float(candidates.scores[row])
        parts = candidates.parts(row)
        rank = self._rank(row)
        reason = Reason.NONE
        if row not in self.hit_rows:
            reason = Reason.MIN_SCORE if score < self.min_score else Reason.K
            if rank is None:
                reason = Reason.WORDS
        return KeywordHit(
            entry=entry,
            score=score,
            match_reason=candidates.match_reason(row),
            reason=reason,
            rank=rank,
            parts=parts,
            base=sum(part.points for part in parts),
            category_weight=candidates.weights.category(entry.category),
            misses_by=max(self.min_score - score, 0.0),
            needs=self._needs(row, score, rank) if reason else "",
        )

    def _rank(self, row: int) -> int | None:
        ranking = self.ranking if self._keeps_all else self.candidates.order
        place = np.flatnonzero(ranking == row)
        return int(place[0]) + 1 if len(place) else None

    def _needs(self, row: int, score: float, rank: int | None) -> str:
        if rank is None:
            stems, chars = self.candidates.beyond(row)
            return f"preview_chars ≥ {chars} for {', '.join(stems)}" if stems else _NO_WORD
        if score == 0 and self.min_score:
            return self._worth_needs(row)
        return self._numbers_need(score, rank)

    def _numbers_need(self, score: float, rank: int) -> str:
        """Say which `k` and `min_score` keep an entry with this score and rank."""
        if rank > MAX_K:
            return f"out of reach: rank {rank}, k ends at {MAX_K}"
        parts = [f"k ≥ {rank}"] if rank > self.k else []
        if score < self.min_score:
            parts.append(f"min_score ≤ {in_full(floor_for(score), 0)}")
        return " · ".join(parts)

    def _worth_needs(self, row: int) -> str:
        """Say what would give points to an entry whose matches are worth none."""
        found, parts = self.candidates, {part.field: part for part in self.candidates.parts(row)}
        category = found.index.entries[row].category
        if not found.weights.category(category):
            return f"a factor above 0 for the category {category or 'of no folder'}"
        aliases, path = parts["aliases"], parts["path"]
        if aliases.stems and not aliases.counted and aliases.weight:
            weights = replace(found.weights, aliases_overlap=len(aliases.stems))
            needed = f"aliases_overlap ≤ {len(aliases.stems)}"
        elif path.stems and not path.counted and path.weight:
            weights, needed = replace(found.weights, path_cap=1), "path_cap ≥ 1"
        else:
            weightless = [f"{part.field}_weight" for part in parts.values() if part.stems]
            return f"{' or '.join(weightless)} above 0"
        changed = rescored(found, weights)
        rank = int(np.flatnonzero(changed.order == row)[0]) + 1
        more = self._numbers_need(float(changed.scores[row]), rank)
        return " · ".join(filter(None, (needed, more)))


def floor_for(score: float) -> float:
    """Return the largest `min_score` of three decimals that keeps an entry with this score.

    Of more decimals where none of three but 0 does, which keeps every entry.
    """
    for decimals in range(DECIMALS, MOST_DECIMALS):
        scale: int = 10**decimals
        steps = math.floor(score * scale) + 1
        while steps / scale > score:
            steps -= 1
        if steps or not score:
            return steps / scale
    return score


def select(
    candidates: KeywordCandidates, k: int = DEFAULT_K, min_score: float = DEFAULT_MIN_SCORE
) -> KeywordSelection:
    """Keep the entries whose score is `min_score` or more, and the first `k` of them.

    Pure; costs microseconds. A query of stop words alone has no hits at any `min_score`.

    Raises
    ------
    InvalidRequest
        3007 when `k` is below 1 or `min_score` negative, NaN or infinite.
    """
    return KeywordSelection(candidates, k, min_score)
