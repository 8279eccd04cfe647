"""Reciprocal rank fusion of the two legs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Fused:
    """A fused ranking: `rows` int64 (m,), best first, and their `scores` float64 (m,)."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


def reciprocal_rank_fusion(
    dense_rows: NDArray[np.int64], sparse_rows: NDArray[np.int64], rrf_k: int, count: int
) -> Fused:
    """Fuse two rankings of the same `count` records: score = Σ 1 / (rrf_k + rank), rank from 1.

    Ties: the lower dense rank first (absent = last), then the lower sparse rank.

    Parameters
    ----------
    dense_rows, sparse_rows : int64 (a,) and (b,), each without repeats, best first.
    rrf_k : the constant, 1 or more; higher = flatter.
    count : number of records, above every row.

    Source
    ------
    Cormack, Clarke, Büttcher: Reciprocal Rank Fusion outperforms Condorcet and individual rank
    learning methods, SIGIR 2009.
    """
    place = np.full(count, -1, dtype=np.int32)
    place[dense_rows] = np.arange(len(dense_rows), dtype=np.int32)
    in_dense = place[sparse_rows]
    shared = in_dense >= 0
    scores = np.zeros(len(dense_rows) + int(np.count_nonzero(~shared)), dtype=np.float64)
    scores[: len(dense_rows)] = 1.0 / (rrf_k + np.arange(1, len(dense_rows) + 1))
    sparse_part = 1.0 / (rrf_k + np.arange(1, len(sparse_rows) + 1))
    scores[in_dense[shared]] += sparse_part[shared]
    scores[len(dense_rows) :] = sparse_part[~shared]
    # Dense rows by rank, then the rest by sparse rank: the tie order, kept by the stable sort.
    rows = np.concatenate([dense_rows, sparse_rows[~shared]])
    order = np.argsort(-scores, kind="stable")
    return Fused(rows[order], scores[order])
