"""The corpora below a storage root: folders of Markdown, or knowledge files as corpora."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Protocol

from core.errors import Place
from core.io.cache import BoundedCache
from core.io.work import QUIETLY, Work
from core.keyword.folder import load_corpus
from core.keyword.index import index_of
from core.keyword.scoring import KeywordCandidates, KeywordWeights, rescored, search
from core.knowledge.corpus import Corpus, corpus_of_knowledge
from core.knowledge.root import FileKind, StorageRoot

if TYPE_CHECKING:
    from pathlib import Path

    from core.knowledge.base import KnowledgeBase
    from core.knowledge.corpus import CorpusEntry

_CorpusKey = tuple["Path", str]


class OpenKnowledge(Protocol):
    """Opens a knowledge file by its storage name."""

    def __call__(self, name: str, work: Work) -> KnowledgeBase:
        """Return the knowledge; raises as `Workspace.knowledge`."""


class Corpora:
    """Opens corpora, once each, and keeps the results of keyword searches in them.

    A search is cached by corpus and query: other weights only score its result anew, and `k` and
    `min_score` only choose from it.
    """

    def __init__(self, root: StorageRoot, open_knowledge: OpenKnowledge) -> None:
        self._root = root
        self._open_knowledge = open_knowledge
        self._lock = threading.RLock()
        self._corpora: dict[_CorpusKey, Corpus] = {}
        self._keys: dict[tuple[str, str], _CorpusKey] = {}
        self._searches: BoundedCache[tuple[int, int, str], KeywordCandidates] = BoundedCache(
            lambda found: found.overlaps.nbytes + found.scores.nbytes + found.order.nbytes
        )

    def corpus(self, name: str, summary_field: str, work: Work = QUIETLY) -> Corpus:
        """Open a corpus, or return it if it is open already.

        A file with an error never keeps the rest of its folder from being searched.

        Parameters
        ----------
        name : a folder of Markdown files, or a knowledge file, relative to the root.
        summary_field : of a knowledge file, the metadata field that holds the summaries.

        Raises
        ------
        InspectorError
            3009, 3010, 3011 for the path; FileRefused with all findings for its content.
        """
        known = self.if_open(name, summary_field)
        if known is not None:
            return known
        work.require_search()
        path = self._root.resolve(name, FileKind.CORPUS, node=work.node, param="corpus")
        if path.is_dir():
            key = (path, "")
            fresh = self._corpora.get(key) or load_corpus(path, work=work, leave_out=True)
        else:
            key = (path, summary_field)
            knowledge = self._open_knowledge(name, work)
            fresh = corpus_of_knowledge(knowledge, summary_field)
        with self._lock:
            self._keys[name, summary_field] = key
            return self._corpora.setdefault(key, fresh)

    def if_open(self, name: str, summary_field: str) -> Corpus | None:
        """Return a corpus that has been opened by this name before, without a look at the disk."""
        with self._lock:
            key = self._keys.get((name, summary_field))
            return self._corpora[key] if key is not None else None

    def aliases_place(self, name: str, summary_field: str, entry: CorpusEntry) -> Place:
        """Return where the aliases of an entry of an open corpus are."""
        path, field = self._keys[name, summary_field]
        if field or not path.is_dir():
            return Place(file=str(path), json_path=f"{entry.path}.metadata.aliases")
        return Place(file=str(path / entry.path), json_path="aliases")

    def candidates(
        self,
        name: str,
        summary_field: str,
        query: str,
        weights: KeywordWeights,
        work: Work = QUIETLY,
    ) -> KeywordCandidates:
        """Search a corpus, or return what the same search found before.

        Raises
        ------
        SearchNeeded
            With `work.cached_only`, when this search has not been made yet.
        InspectorError
            As `corpus`.
        """
        corpus = self.corpus(name, summary_field, work)
        key = (id(corpus), weights.preview_chars, query)
        found = self._searches.get(key)
        if found is None:
            work.require_search()
            found = search(query, index_of(corpus, weights.preview_chars), weights)
        scored = rescored(found, weights)
        self._searches.put(key, scored)
        return scored

    def open_corpora(self) -> dict[Path, Corpus]:
        """Return the folders that are open, by path."""
        with self._lock:
            return {path: corpus for (path, _), corpus in self._corpora.items() if path.is_dir()}
