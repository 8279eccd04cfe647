"""Semantic and hybrid retrievers over the engine, in the keyword retriever's place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError
from core.hits.retriever import DEFAULT_K, RetrievalHit, check_request
from core.retrieve.listing import select
from core.retrieve.modes import RetrievalMode
from core.retrieve.select import Settings

if TYPE_CHECKING:
    from core.hits.hit import Hit
    from core.index.candidates import Candidates
    from core.knowledge.corpus import CorpusProtocol

Search = Callable[[str], "Candidates"]
"""Searches the corpus' entries: record ids are paths."""


class SemanticRetriever:
    """Ranks entries by meaning: the Dense mode of the engine.

    `score` is the cosine similarity 1 − distance, 1 down to −1; `match_reason` says the distance,
    ``dense:0.213``.

    Parameters
    ----------
    search : query → candidates with a dense leg, over records whose ids are the corpus' paths.
    threshold : largest cosine distance of a hit, 0 = no limit.
    """

    def __init__(self, search: Search, *, threshold: float = 0.5) -> None:
        self.search = search
        self.threshold = threshold

    def retrieve(
        self, query: str, corpus: CorpusProtocol, k: int = DEFAULT_K
    ) -> list[RetrievalHit]:
        """Return the nearest `k` entries within the threshold, nearest first.

        Raises
        ------
        InvalidRequest
            3007 (also a ValueError) for an empty or blank query, `k` below 1, or no corpus.
        InspectorError
            8003 when the search finds a record that is no entry of the corpus.
        """
        check_request(query, corpus, k)
        settings = Settings(RetrievalMode.Dense, top_k=k, threshold=self.threshold)
        return list(_hits(select(self.search(query), settings).hits, corpus, _by_distance))


class HybridRetriever:
    """Ranks entries by meaning and by words, fused: the Hybrid mode of the engine.

    `score` is the fused score; `match_reason` says the rank in each leg that found the entry,
    ``dense:1+bm25:3``.

    Parameters
    ----------
    search : query → candidates with both legs, over records whose ids are the corpus' paths.
    threshold : largest cosine distance in the dense leg, 0 = no limit.
    rrf_k : the constant of the fusion, 1 or more.
    """

    def __init__(self, search: Search, *, threshold: float = 0.5, rrf_k: int = 60) -> None:
        self.search = search
        self.threshold = threshold
        self.rrf_k = rrf_k

    def retrieve(
        self, query: str, corpus: CorpusProtocol, k: int = DEFAULT_K
    ) -> list[RetrievalHit]:
        """Return the first `k` entries of the fused ranking.

        Raises
        ------
        InvalidRequest
            3007 (also a ValueError) for an empty or blank query, `k` below 1, or no corpus.
        InspectorError
            8003 when the search finds a record that is no entry of the corpus.
        """
        check_request(query, corpus, k)
        settings = Settings(RetrievalMode.Hybrid, k, self.threshold, self.rrf_k)
        return list(_hits(select(self.search(query), settings).hits, corpus, _by_ranks))


def _by_distance(hit: Hit) -> tuple[float, str]:
    distance = hit.distance if hit.distance is not None else 1.0
    return 1.0 - distance, f"dense:{distance:.3f}"


def _by_ranks(hit: Hit) -> tuple[float, str]:
    legs = (("dense", hit.rank_dense), ("bm25", hit.rank_sparse))
    reason = "+".join(f"{leg}:{rank}" for leg, rank in legs if rank is not None)
    return hit.fused_score or 0.0, reason


def _hits(
    found: Iterable[Hit], corpus: CorpusProtocol, story: Callable[[Hit], tuple[float, str]]
) -> Iterable[RetrievalHit]:
    for hit in found:
        entry = corpus.get(hit.id)
        if entry is None:
            raise InspectorError(
                Code.InvalidEmbeddedStringStorageData,
                f'the search found the record "{hit.id}", which is no entry of the corpus',
                hint="search the records of the same corpus",
            )
        score, reason = story(hit)
        yield RetrievalHit(entry, score, reason)
