"""Keyword retrieval: entries of a corpus ranked by the words they share with a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from core.io.request import InvalidRequest, check_number, shown
from core.keyword.index import index_of
from core.keyword.scoring import KeywordCandidates, KeywordWeights, search
from core.keyword.select import DEFAULT_K, DEFAULT_MIN_SCORE, select

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.keyword.corpus import CorpusEntry, CorpusProtocol


@dataclass(frozen=True, slots=True)
class RetrievalHit:
    """One ranked result.

    entry : the corpus entry that was found.
    score : how well it matches; higher is better. Its scale is the retriever's own.
    match_reason : why the entry was selected, in one line.
    """

    entry: CorpusEntry
    score: float
    match_reason: str


@runtime_checkable
class RetrieverProtocol(Protocol):
    """What code that consumes hits relies on; any retriever can stand behind it."""

    def retrieve(
        self, query: str, corpus: CorpusProtocol, k: int = DEFAULT_K
    ) -> Iterable[RetrievalHit]:
        """Return at most `k` hits, best first."""


class KeywordRetriever:
    """Ranks entries by weighted token overlap.

    Parameters
    ----------
    min_score : hits below this score are dropped; 0 or more.
    weights : what a matched word counts in each field and category.

    Raises
    ------
    InvalidRequest
        3007 (also a ValueError) when `min_score` is negative, NaN or no number.
    """

    def __init__(
        self, min_score: float = DEFAULT_MIN_SCORE, weights: KeywordWeights | None = None
    ) -> None:
        self.min_score = check_number("min_score", min_score)
        self.weights = weights or KeywordWeights()

    def retrieve(
        self, query: str, corpus: CorpusProtocol, k: int = DEFAULT_K
    ) -> list[RetrievalHit]:
        """Return the first `k` entries whose score is at least `min_score`.

        Order: score descending, then path ascending. A query of stop words alone has no hits.

        Raises
        ------
        InvalidRequest
            3007 (also a ValueError) for an empty or blank query, `k` below 1, or no corpus.
        """
        check_request(query, corpus, k)
        found = select(self.candidates(query, corpus), k, self.min_score)
        scores = found.candidates.scores
        return [
            RetrievalHit(
                found.candidates.index.entries[row],
                float(scores[row]),
                found.candidates.match_reason(row),
            )
            for row in found.hit_rows.tolist()
        ]

    def candidates(self, query: str, corpus: CorpusProtocol) -> KeywordCandidates:
        """Return the score of every entry, for `core.keyword.select.select`.

        The first query of a corpus builds its index, which is kept as long as the `Corpus` is.

        Raises
        ------
        InvalidRequest
            3007 (also a ValueError) for an empty or blank query or no corpus.
        """
        check_request(query, corpus)
        return search(query, index_of(corpus, self.weights.preview_chars), self.weights)


def check_request(query: Any, corpus: Any, k: Any = 1) -> None:
    """Refuse a request that no retriever can answer.

    Raises
    ------
    InvalidRequest
        3007 (also a ValueError) for an empty, blank or non-text query, `k` that is no whole
        number of 1 or more, or no corpus.
    """
    if not isinstance(query, str) or not query.strip():
        raise InvalidRequest("query", "query must be a non-empty string")
    if isinstance(k, bool) or not isinstance(k, int):
        raise InvalidRequest("k", f"k must be a whole number, found {shown(k)}")
    if k < 1:
        raise InvalidRequest("k", "k must be >= 1")
    if corpus is None:
        raise InvalidRequest("corpus", "corpus must not be None")
