"""Made-up stores: what a search would find in them, built with nothing but sorting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from core.index.candidates import MAX_DEPTH, Candidates, DenseLeg, SparseLeg
from core.retrieve.select import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.nodes import RetrievalMode

WHY_FILTERED = "args[1] is false"


@dataclass(frozen=True)
class Store:
    """Distances (float32 values) and BM25 scores of all records, and what a search leaves out."""

    distances: tuple[float, ...]
    scores: tuple[float, ...]
    passing: tuple[bool, ...] | None = None
    missed: frozenset[int] = frozenset()

    @cached_property
    def matching(self) -> list[int]:
        """Rows that the filter lets through."""
        rows = range(len(self.distances))
        return list(rows) if self.passing is None else [r for r in rows if self.passing[r]]

    @cached_property
    def exact(self) -> list[int]:
        """Matching rows, the nearest first."""
        return sorted(self.matching, key=lambda row: (self.distances[row], row))

    @cached_property
    def dense(self) -> list[int]:
        """The same as the dense leg finds them."""
        found = [row for row in self.exact if row not in self.missed]
        return found[:MAX_DEPTH] if self.missed else found

    @cached_property
    def sparse(self) -> list[int]:
        """Matching rows with a score, the best first."""
        return sorted(
            (row for row in self.matching if self.scores[row] > 0),
            key=lambda row: (-self.scores[row], row),
        )

    def passing_too(self, row: int) -> Store:
        """The store under a filter that lets this record pass as well."""
        passing = self.passing or ()
        return replace(self, passing=(*passing[:row], True, *passing[row + 1 :]))

    @cached_property
    def candidates(self) -> Candidates:
        count = len(self.distances)
        names = tuple(f"record_{row}" for row in range(count))
        everything = sorted(range(count), key=lambda row: (self.distances[row], row))
        dense = DenseLeg(
            np.array(self.distances, dtype=np.float32),
            _rows(everything),
            _rows(self.dense),
            _places(self.dense, count),
            bool(self.missed),
        )
        sparse = SparseLeg(
            np.array(self.scores, dtype=np.float32),
            _rows(self.sparse),
            _places(self.sparse, count),
            ("coral",),
        )
        mask = None if self.passing is None else np.array(self.passing, dtype=np.bool_)
        return Candidates(
            "coral", names, names, mask, len(self.matching), dense, sparse, lambda row: WHY_FILTERED
        )


def _rows(rows: Sequence[int]) -> NDArray[np.int64]:
    return np.array(rows, dtype=np.int64)


def _places(rows: Sequence[int], count: int) -> NDArray[np.int32]:
    places = dict(zip(rows, range(1, len(rows) + 1), strict=True))
    return np.array([places.get(row, 0) for row in range(count)], dtype=np.int32)


@st.composite
def small_stores(draw: st.DrawFn) -> Store:
    """Up to 80 records, many of them tied, under a filter or with gaps in the index or neither."""
    count = draw(st.integers(1, 80))
    steps = draw(st.sampled_from([4, 40, 2000]))
    cells = np.frombuffer(draw(st.binary(min_size=4 * count, max_size=4 * count)), dtype=np.uint8)
    far, near, words, mark = cells.reshape(4, count).astype(np.int64)
    distances = tuple(((256 * far + near) % (steps + 1) / steps * 2).astype(np.float32).tolist())
    scores = tuple(((words % 9 - 2).clip(0) * 0.5).tolist())
    marks = tuple((mark % 2 == 1).tolist())
    kind = draw(st.sampled_from(["plain", "filter", "index"]))
    if kind == "filter":
        return Store(distances, scores, passing=marks)
    if kind == "index":
        marked = [row for row in range(count) if marks[row]]
        return Store(distances, scores, missed=frozenset(marked[: draw(st.integers(1, 6))]))
    return Store(distances, scores)


def large_store(seed: int, count: int) -> Store:
    """Thousands of records, so that the legs' depth and the end of top_k matter."""
    random = np.random.default_rng(seed)
    decimals = int(random.integers(2, 8))
    distances = random.normal(0.9, 0.2, count).clip(0, 2).round(decimals).astype(np.float32)
    scores = random.gamma(2, 2, count).round(decimals).astype(np.float32)
    # Some link between the legs, as in real text, or nearly none of the fused records is shared.
    scores = (
        scores
        * (random.random(count) < random.choice([0.05, 0.5]))
        * np.where(distances < 0.8, 2, 1)
    ).astype(np.float32)
    store = Store(tuple(distances.tolist()), tuple(scores.tolist()))
    kind = seed % 3
    if kind == 1:
        return replace(store, passing=tuple((random.random(count) < 0.5).tolist()))
    if kind == 2:
        return replace(store, missed=frozenset(store.exact[i] for i in (0, 3, 40, 41, 60)))
    return store


def settings_for(store: Store, mode: RetrievalMode) -> st.SearchStrategy[Settings]:
    """Settings in range, the threshold often off or right at a record's distance."""
    top_k = st.one_of(st.integers(1, 15), st.integers(1, 100), st.sampled_from([12, 13, 1000]))
    threshold = st.one_of(
        st.just(0.0),
        st.integers(0, 2000).map(lambda step: step / 1000),
        st.sampled_from(store.distances),
    )
    rrf_k = st.one_of(st.integers(1, 5), st.just(60), st.integers(1, 1000))
    return st.builds(Settings, st.just(mode), top_k, threshold, rrf_k)


def turns(mode: RetrievalMode) -> st.SearchStrategy[tuple[Store, Settings]]:
    """A store with settings in this mode."""
    return small_stores().flatmap(
        lambda store: st.tuples(st.just(store), settings_for(store, mode))
    )
