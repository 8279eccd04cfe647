"""Pass 1 over one knowledge graph: loads or builds the indexes that it takes, and searches."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from core.embedding.models import DEFAULT_MODEL
from core.embedding.vectors import prepare_vectors
from core.index.lexical import prepare_lexical
from core.io.folders import cache_folder
from core.io.sidecar import SidecarFolder
from core.io.work import QUIETLY, Work
from core.knowledge.base import texts_digest
from core.subgraph.search import (
    SubgraphCandidates,
    SubgraphSearch,
    embedding_text,
    fts_text,
    node_distances,
)

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider
    from core.subgraph.knowledge_graph import KnowledgeGraph


class SubgraphSearcher:
    """Searches one knowledge graph file. Every method may be called from any thread.

    Parameters
    ----------
    graph : its nodes and connections.
    path : the file; the sidecars ``.bm25`` and ``.vectors`` lie beside it.
    models : where the embedding model comes from; asked only for embeddings.
    sidecars : where else what was built is kept.
    """

    def __init__(
        self,
        graph: KnowledgeGraph,
        path: Path,
        models: ModelProvider,
        sidecars: SidecarFolder | None = None,
    ) -> None:
        self.graph = graph
        self._models = models
        self._sidecars = sidecars or SidecarFolder(path, cache_folder())
        self._lock = threading.Lock()
        self._by_words: SubgraphSearch | None = None
        self._by_both: SubgraphSearch | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What was rebuilt and why, and what could not be written."""
        return self._sidecars.notes

    def prepare(self, *, embeddings: bool, work: Work = QUIETLY) -> SubgraphSearch:
        """Load or build the full-text index, and with `embeddings` the nodes' vectors too.

        Raises
        ------
        InspectorError
            8003 or 4001 for the model, with `embeddings`.
        Cancelled
            When `work` is cancelled; what was embedded until then is kept.
        """
        with work.alone(self._lock):
            if self._by_words is None:
                texts = [fts_text(node) for node in self.graph.nodes]
                index = prepare_lexical(texts, texts_digest(texts), self._sidecars, work)
                self._by_words = SubgraphSearch(self.graph, index=index)
            if not embeddings:
                return self._by_words
            if self._by_both is None:
                if not self._models.loaded(DEFAULT_MODEL):
                    work.progress("loading the embedding model", 0, 0)
                embedder = self._models.get(DEFAULT_MODEL)
                texts = [embedding_text(node) for node in self.graph.nodes]
                vectors = prepare_vectors(
                    texts, texts_digest(texts), embedder, self._sidecars, work=work
                )
                self._by_both = SubgraphSearch(
                    self.graph,
                    node_distances(vectors, embedder.embed_query),
                    index=self._by_words.index,
                )
            return self._by_both

    def search(self, query: str, *, embeddings: bool, work: Work = QUIETLY) -> SubgraphCandidates:
        """Find what a query finds in the whole graph; raises as `prepare` does."""
        searches = self.prepare(embeddings=embeddings, work=work)
        work.stop_if_cancelled()
        return searches.candidates(query)
