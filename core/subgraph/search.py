"""Graph-aware retrieval: a query finds nodes of a knowledge graph, and what surrounds them.

Pass 1 finds the entry points (here and in `core.subgraph.entry_points`), Pass 2 walks from them
(`core.subgraph.expand`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.embedding.models import DEFAULT_MODEL
from core.index.dense import exact_distances
from core.index.dense_query import dense_query
from core.index.leg_query import FULL_TEXT, LegQuery
from core.index.lexical import LexicalIndex, build_lexical_index, leg_query
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.embedding.vectors import RecordVectors
    from core.subgraph.knowledge_graph import GraphNode, KnowledgeGraph

TITLE_WEIGHT = 3
"""A word of the title counts as if it were there so many times."""

Distances = Callable[[str], "NDArray[np.float32]"]
"""Query → cosine distance of every node, float32 (nodes,), in the order of the graph's rows."""


@dataclass(frozen=True, slots=True, eq=False)
class SubgraphCandidates:
    """What a query finds in the whole graph; scope, `top_k` and depth only choose among it.

    fts_scores : float32 (nodes,), BM25 score of every node, above 0 where a word is found.
    distances : float32 (nodes,), cosine distances, 0 or more; None when embeddings are not
        enabled.
    queries : the query as each leg sees it, full text first.
    search_ms : wall time of the search, milliseconds.
    """

    query: str
    graph: KnowledgeGraph
    fts_scores: NDArray[np.float32]
    distances: NDArray[np.float32] | None
    queries: tuple[LegQuery, ...]
    search_ms: float = 0.0


def embedding_text(node: GraphNode) -> str:
    """Return what is embedded of a node: title, description and text, a line each."""
    return "\n".join(part for part in (node.title, node.description, node.text) if part)


def node_distances(
    vectors: RecordVectors, embed_query: Callable[[str], NDArray[np.float32]]
) -> Distances:
    """Return the distances that a hybrid search needs, of embeddings that are at hand.

    Parameters
    ----------
    vectors : the embeddings of `embedding_text`, by row.
    embed_query : query → its L2-normalised embedding, float32 (dim,), as `Embedder.embed_query`.
    """
    return lambda query: exact_distances(vectors, embed_query(query))


def fts_text(node: GraphNode) -> str:
    """Return what full text reads of a node: the title `TITLE_WEIGHT` times, then the rest.

    BM25 over it is BM25F with these weights: each field's term frequencies and lengths are
    multiplied by its weight and added up before they saturate.

    Source
    ------
    Robertson, Zaragoza, Taylor: Simple BM25 Extension to Multiple Weighted Fields, CIKM 2004.
    """
    return "\n".join([*[node.title] * TITLE_WEIGHT, node.description, node.text or ""])


class SubgraphSearch:
    """Searches one knowledge graph.

    Parameters
    ----------
    graph : what is searched.
    distances : query → cosine distance of every node (of `embedding_text`); with it a search is
        hybrid. None = full text only.
    index : BM25 over `fts_text` of every node, when it is at hand; made otherwise.
    work : for making the index.

    Raises
    ------
    Cancelled
        When `work` is cancelled.
    """

    def __init__(
        self,
        graph: KnowledgeGraph,
        distances: Distances | None = None,
        *,
        index: LexicalIndex | None = None,
        work: Work = QUIETLY,
    ) -> None:
        self.graph = graph
        self.distances = distances
        graph.prepare()
        self.index = index or build_lexical_index([fts_text(node) for node in graph.nodes], work)

    def candidates(self, query: str) -> SubgraphCandidates:
        """Search the whole graph (the costly part: it may embed the query).

        The result serves every scope, `top_k` and depth.
        """
        started = time.perf_counter()
        queries = [leg_query(FULL_TEXT, self.index, query)]
        scores = self.index.score(queries[0].kept)
        distances = None
        if self.distances is not None:
            queries.append(dense_query(DEFAULT_MODEL, Path(), query))
            # Rounding may leave a distance a little below 0.
            distances = np.maximum(self.distances(query), np.float32(0))
            distances.setflags(write=False)
        scores.setflags(write=False)
        return SubgraphCandidates(
            query,
            self.graph,
            scores,
            distances,
            tuple(queries),
            1000 * (time.perf_counter() - started),
        )
