"""The storages below one root, opened once and searched often. Shared by agents and threads."""

from __future__ import annotations

import contextlib
import threading
import weakref
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from core.embedding.embedder import ModelProvider
from core.embedding.models import find_model, user_catalog
from core.errors import Code, InspectorError, Place
from core.io.cache import BoundedCache
from core.io.findings import FileRefused
from core.io.work import QUIETLY, Work
from core.keyword.corpora import Corpora
from core.knowledge.base import KnowledgeBase
from core.knowledge.catalog import SchemaCatalog, catalog_paths
from core.knowledge.filter import CompiledFilter, compile_filter
from core.knowledge.root import FileKind, StorageRoot
from core.knowledge.strings import StringStorage
from core.nodes.kind import kind_of
from core.patterns.patterns import PatternSearches
from core.retrieve.memories import Memories
from core.retrieve.openers import open_store
from core.subgraph.knowledge_graphs import KnowledgeGraphs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from core.index.candidates import Candidates
    from core.index.searcher import OpenStore, Store
    from core.knowledge.schema import Field
    from core.nodes.params import NodeParams


_BYTES_PER_RECORD = 25
"""What a search keeps of each record: distances, orders, ranks, scores and the mask."""

_SearchKey = tuple[int, str, str]
T = TypeVar("T")


@dataclass(slots=True)
class _Storage:
    opened: OpenStore
    generation: int
    filters: dict[str, CompiledFilter | None] = field(default_factory=dict)
    match_counts: dict[str, int] = field(default_factory=dict)


def _weakly(method: Callable[..., T]) -> Callable[..., T]:
    """Return a method that does not keep its object: two that hold each other are freed late."""
    reference = weakref.WeakMethod(method)

    def call(*arguments: Any, **options: Any) -> T:
        found = reference()
        if found is None:
            raise ReferenceError("the workspace is gone")
        return found(*arguments, **options)

    return call


class Workspace:
    """Opens the storages that nodes name and keeps the results of searches.

    A search is cached by what it reads: storage, query text, filter. Mode, top_k, threshold and
    rrf_k are selection's, so moving them finds the search in the cache. `corpora`, `graphs` and
    `memories` do the same for keyword and subgraph retrieval and for memory stores.

    Parameters
    ----------
    root : folder below which every storage lies.
    models : loaded embedding models, shared between workspaces.
    """

    def __init__(self, root: StorageRoot | Path | str, models: ModelProvider | None = None) -> None:
        self.root = root if isinstance(root, StorageRoot) else StorageRoot(root)
        self.models = models if models is not None else ModelProvider()
        self._lock = threading.RLock()
        self._storages: dict[Path, _Storage] = {}
        self._paths: dict[str, Path] = {}
        self._strings: dict[Path, StringStorage] = {}
        self._string_paths: dict[tuple[str, FileKind], Path] = {}
        self._catalog: SchemaCatalog | FileRefused | None = None
        self._searches: BoundedCache[_SearchKey, Candidates] = BoundedCache(
            lambda found: found.known_count * _BYTES_PER_RECORD
        )
        self._generations = count()
        self.corpora = Corpora(self.root, _weakly(self.knowledge))
        self.graphs = KnowledgeGraphs(self.root, self.models)
        self.memories = Memories(self.root, self.models, _weakly(self.schema_fields))
        self.patterns = PatternSearches()

    def knowledge(self, name: str, work: Work = QUIETLY) -> KnowledgeBase:
        """Return the records of a store that has them here: see `opened`, which searching takes.

        Raises
        ------
        InspectorError
            3011 for a store elsewhere; otherwise as `opened`.
        """
        store = self.opened(name, work).store
        if not isinstance(store, KnowledgeBase):
            raise InspectorError(
                Code.StorageKindMismatch,
                f"the records of {name} are not here, only what a search finds of them",
                place=Place(node=work.node),
                hint="name a knowledge file",
            )
        return store

    def opened(self, name: str, work: Work = QUIETLY) -> OpenStore:
        """Open a store of records, or return it if it is open already.

        Raises
        ------
        InspectorError
            3009, 3010, 3011 for the path; FileRefused with all findings for its content.
        """
        return self._storage(name, work).opened

    def strings(
        self, name: str, kind: FileKind = FileKind.STRINGS, work: Work = QUIETLY
    ) -> StringStorage:
        """Open a string storage, or return it if it is open already.

        Parameters
        ----------
        kind : STRINGS for any, or MAP.

        Raises
        ------
        InspectorError
            3009, 3010, 3011 for the path; FileRefused (7003) for its content.
        """
        with self._lock:
            # A name that was resolved once needs no look at the disk while a slider moves.
            path = self._string_paths.get((name, kind))
            if path is None:
                path = self.root.resolve(name, kind, node=work.node, param="string_storage")
            if path not in self._strings:
                self._strings[path] = StringStorage.load(path)
            self._string_paths[name, kind] = path
            return self._strings[path]

    def compiled_filter(self, name: str, text: str, work: Work = QUIETLY) -> CompiledFilter | None:
        """Compile a filter against a storage's fields; None for an empty text.

        Raises
        ------
        InspectorError
            3007 with a slug and a JSON path.
        """
        storage = self._storage(name, QUIETLY.for_node(work.node))
        if text not in storage.filters:
            fields = {item.name: item for item in storage.opened.store.fields}
            storage.filters[text] = compile_filter(text, fields, node=work.node)
        return storage.filters[text]

    def is_open(self, name: str) -> bool:
        """Tell whether a storage is open, so that asking for it reads no file."""
        with self._lock:
            return name in self._paths

    def fields_of(self, name: str) -> tuple[Field, ...]:
        """Return the metadata fields of a storage; () while it is not open."""
        with self._lock:
            path = self._paths.get(name)
            return self._storages[path].opened.store.fields if path is not None else ()

    def match_count(self, name: str, text: str) -> tuple[int, int]:
        """Return how many records of a storage a filter lets through, and how many there are.

        Raises
        ------
        InspectorError
            3007 when the filter does not compile.
        """
        storage = self._storage(name, QUIETLY)
        total = len(storage.opened.store)
        compiled = self.compiled_filter(name, text)
        if compiled is None:
            return total, total
        if text not in storage.match_counts:
            storage.match_counts[text] = storage.opened.store.match_count(compiled)
        return storage.match_counts[text], total

    def schema_fields(self, schema: str) -> tuple[Field, ...] | None:
        """Return the catalog's fields of a schema, or None when the catalog has no such name."""
        return self.catalog.fields(schema)

    def schema_difference(self, schema: str, name: str) -> str:
        """Say where a file's fields first differ from a catalog schema, or ""."""
        return self.catalog.difference(schema, self.opened(name).store.fields)

    @property
    def broken_catalog(self) -> FileRefused | None:
        """What is wrong with the schema catalog of the root, where it cannot be used."""
        with self._lock:
            if self._catalog is None:
                try:
                    self._catalog = SchemaCatalog.load(self.root.path)
                except FileRefused as refused:
                    # Without the frames that it was raised in, and all that they hold.
                    self._catalog = refused.with_traceback(None)
            return self._catalog if isinstance(self._catalog, FileRefused) else None

    @property
    def catalog(self) -> SchemaCatalog:
        """The schema catalog of the root; empty when there is none.

        Raises
        ------
        FileRefused
            With all its findings, when it is broken.
        """
        broken = self.broken_catalog
        if broken is not None or not isinstance(self._catalog, SchemaCatalog):
            raise broken or LookupError("no catalog was read")
        return self._catalog

    @property
    def schema_names(self) -> tuple[str, ...]:
        """The names of the catalog's schemas; () where there is none, or it is broken."""
        return () if self.broken_catalog is not None else self.catalog.names

    def candidates(
        self, name: str, query: str, filter_text: str, *, dense: bool, work: Work = QUIETLY
    ) -> Candidates:
        """Search a storage, or return what the same search found before.

        Parameters
        ----------
        dense : whether the dense leg is needed; without it nothing is embedded.

        Raises
        ------
        SearchNeeded
            With `work.cached_only`, when this search has not been made yet.
        InspectorError
            3007 for the filter, 4001 or 8003 for the model, 3009 … for the path.
        """
        storage = self._storage(name, work)
        key = (storage.generation, query, filter_text)
        known = self._searches.get(key)
        if known is not None and (known.dense is not None or not dense):
            return known
        work.require_search()
        found = storage.opened.searcher.search(query, filter_text, dense=dense, work=work)
        self._searches.put(key, found)
        return found

    def prepare(self, tables: Iterable[NodeParams], work: Work = QUIETLY) -> None:
        """Load or build what the searches of these nodes need: word indexes first, then vectors.

        Raises
        ------
        InspectorError
            For a path, a content, or a model.
        Cancelled
            When `work` is cancelled.
        """
        tables, before = list(tables), self.notes
        for embeddings in (False, True):
            for params in tables:
                kind_of(params).prepare(params, self, embeddings, work)
        if self.notes != before:
            # What was made anew may rank otherwise.
            self._searches.clear()

    def compare_indexes(self, tables: Iterable[NodeParams], work: Work = QUIETLY) -> None:
        """Compare the prebuilt indexes that these nodes search with their models, before a turn.

        What is wrong with a file or a model is left to the turn to say.
        """
        for params in tables:
            filtered = kind_of(params).filtered(params)
            if filtered is None or not filtered.storage or not getattr(params, "embeds", True):
                continue
            with contextlib.suppress(InspectorError):
                opened = self.opened(filtered.storage, work)
                if isinstance(opened.store, KnowledgeBase) and opened.store.config.index_file:
                    opened.searcher.prepare(dense=True, work=work)

    @property
    def stores(self) -> tuple[Store, ...]:
        """The stores of records that are open."""
        with self._lock:
            return tuple(storage.opened.store for storage in self._storages.values())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was rebuilt beside the open files and why, and what could not be written."""
        with self._lock:
            notes = [
                note
                for storage in self._storages.values()
                for note in storage.opened.searcher.notes
            ]
        return (
            *notes,
            *self.memories.notes,
            *(note for searcher in self.graphs.open_graphs().values() for note in searcher.notes),
        )

    def files(self) -> dict[Path, str]:
        """Map every file that is in use to the storage that it belongs to."""
        with self._lock:
            used = {
                file: storage.opened.store.name
                for storage in self._storages.values()
                for file in storage.opened.store.files
            }
            used |= {path: path.name for path in self._strings}
        return (
            used | self.memories.files() | {path: path.name for path in self.graphs.open_graphs()}
        )

    def sources(self) -> set[Path]:
        """Return all that turns here read, there or not; a folder stands for all that lies in it.

        The open files, the folders of pages, the schema catalog, the user's catalog of models, and
        the models that are named by their folder.
        """
        with self._lock:
            stores = [storage.opened.store for storage in self._storages.values()]
        models = [
            entry.folder()
            for store in stores
            if isinstance(store, KnowledgeBase)
            and (entry := find_model(store.config.embedding_model, store.path.parent)) is not None
            and not (entry.location.package or entry.location.hub_id)
        ]
        return {
            *self.files(),
            *self.corpora.open_corpora(),
            *catalog_paths(self.root.path),
            user_catalog(),
            *(folder for folder in models if folder is not None),
        }

    def sizes(self) -> dict[Path, tuple[int, str]]:
        """Return how much each open storage holds, and of what, by path."""
        with self._lock:
            stores = {path: storage.opened.store for path, storage in self._storages.items()}
        return {
            **{path: (count, "records") for path, count in self.memories.sizes().items()},
            **{path: (len(store), "records") for path, store in stores.items()},
            **{
                path: (len(corpus), "Markdown files")
                for path, corpus in self.corpora.open_corpora().items()
            },
            **{
                path: (len(searcher.graph), "nodes")
                for path, searcher in self.graphs.open_graphs().items()
            },
        }

    def _storage(self, name: str, work: Work) -> _Storage:
        with self._lock:
            # A name that was resolved once needs no look at the disk while a slider moves.
            if name in self._paths:
                return self._storages[self._paths[name]]
        work.require_search()
        path = self.root.resolve(
            name, FileKind.KNOWLEDGE, node=work.node, param="embedded_string_storage"
        )
        with self._lock:
            known = self._storages.get(path)
        fresh = known or _Storage(
            open_store(path, self.root.path, self.models, work), next(self._generations)
        )
        with self._lock:
            self._paths[name] = path
            return self._storages.setdefault(path, fresh)
