"""Keyword retrieval: entries of a corpus ranked by the words they share with a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.hits.retriever import DEFAULT_K, RetrievalHit, check_request
from core.io.request import check_number
from core.keyword.index import index_of
from core.keyword.scoring import KeywordCandidates, KeywordWeights, search
from core.keyword.select import DEFAULT_MIN_SCORE, select

if TYPE_CHECKING:
    from core.knowledge.corpus import CorpusProtocol


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
