"""One record's story in a search, and why it is no hit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why something is no hit: the first stage that dropped it. NONE for a hit.

    Retrieve has FILTER to TOP_K, KeywordRetrieve MIN_SCORE and K, RetrieveSubgraph SCOPE, TOP_K
    and CAP. WORDS, of the last two: it shares none with the query.
    """

    NONE = ""
    FILTER = "filter"
    WORDS = "words"
    INDEX = "index"
    LEG_DEPTH = "leg_depth"
    THRESHOLD = "threshold"
    SCOPE = "scope"
    TOP_K = "top_k"
    MIN_SCORE = "min_score"
    K = "k"
    CAP = "cap"


@dataclass(frozen=True, slots=True)
class Hit:
    """One record's whole story in one turn; a near-miss when `reason` is not empty.

    An entry of a corpus and a node of a knowledge graph are told in the same way.

    row : its place in the search: the file's order, or for a corpus that of the paths.
    rank : 1-based place in the mode's ranking; None when it never entered it.
    distance : cosine distance; None in Lexical mode and for hits that the dense leg did not give.
    exact_distance : cosine distance wherever it is known, float32 value.
    bm25_score, rank_sparse : None when the sparse leg did not contribute.
    rank_dense : None when the dense leg did not contribute.
    needs : the smallest change that would let a near-miss in, "" for a hit.
    score, match_reason : of the retrievals that rank by one score and say why.
    title : what a knowledge graph calls its node; "" for whatever has an id only.
    """

    row: int
    id: str
    text: str
    reason: Reason
    rank: int | None
    distance: float | None = None
    exact_distance: float | None = None
    bm25_score: float | None = None
    rank_dense: int | None = None
    rank_sparse: int | None = None
    fused_score: float | None = None
    needs: str = ""
    score: float | None = None
    match_reason: str = ""
    title: str = ""
