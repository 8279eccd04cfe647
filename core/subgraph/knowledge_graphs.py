"""The knowledge graphs below a storage root, opened once and searched often."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from core.io.cache import BoundedCache
from core.io.work import QUIETLY, Work
from core.knowledge.root import FileKind, StorageRoot
from core.subgraph.graph_file import load_knowledge_graph
from core.subgraph.searcher import SubgraphSearcher

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider
    from core.subgraph.search import SubgraphCandidates

BYTES_PER_NODE = 8
"""What a search keeps of each node: a score and a distance."""


class KnowledgeGraphs:
    """Opens knowledge graph files and keeps the results of searches in them.

    A search is cached by file, query and whether it embeds: scope, `top_k` and depth only choose
    from its result.
    """

    def __init__(self, root: StorageRoot, models: ModelProvider) -> None:
        self._root = root
        self._models = models
        self._lock = threading.RLock()
        self._searchers: dict[Path, SubgraphSearcher] = {}
        self._paths: dict[str, Path] = {}
        self._searches: BoundedCache[tuple[Path, str, bool], SubgraphCandidates] = BoundedCache(
            lambda found: len(found.graph) * BYTES_PER_NODE
        )

    def searcher(self, name: str, work: Work = QUIETLY) -> SubgraphSearcher:
        """Open a knowledge graph, or return it if it is open already.

        Raises
        ------
        InspectorError
            3009, 3010, 3011 for the path; FileRefused with all findings for its content.
        """
        known = self.if_open(name)
        if known is not None:
            return known
        work.require_search()
        path = self._root.resolve(
            name, FileKind.KNOWLEDGE_GRAPH, node=work.node, param="knowledge_graph"
        )
        fresh = self._searchers.get(path) or SubgraphSearcher(
            load_knowledge_graph(path, work=work),
            path,
            self._models,
        )
        with self._lock:
            self._paths[name] = path
            return self._searchers.setdefault(path, fresh)

    def if_open(self, name: str) -> SubgraphSearcher | None:
        """Return a graph that has been opened by this name before, without a look at the disk."""
        with self._lock:
            path = self._paths.get(name)
            return self._searchers[path] if path is not None else None

    def candidates(
        self, name: str, query: str, *, embeddings: bool, work: Work = QUIETLY
    ) -> SubgraphCandidates:
        """Search a knowledge graph, or return what the same search found before.

        Raises
        ------
        SearchNeeded
            With `work.cached_only`, when this search has not been made yet.
        InspectorError
            As `searcher`; 8003 or 4001 for the model, with `embeddings`.
        """
        searcher = self.searcher(name, work)
        key = (self._paths[name], query, embeddings)
        found = self._searches.get(key)
        if found is None:
            work.require_search()
            found = searcher.search(query, embeddings=embeddings, work=work)
            self._searches.put(key, found)
        return found

    def open_graphs(self) -> dict[Path, SubgraphSearcher]:
        """Return the graphs that are open, by path."""
        with self._lock:
            return dict(self._searchers)
