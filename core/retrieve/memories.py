"""The memory stores below a storage root, found by their names, and the results of searches."""

from __future__ import annotations

import re
import threading
from itertools import islice
from typing import TYPE_CHECKING

from core.embedding.growing_vectors import TextVectors
from core.errors import Code, InspectorError, Place
from core.io.cache import BoundedCache
from core.io.findings import FileRefused, Finding, Findings, Severity
from core.io.work import QUIETLY, Work
from core.knowledge.catalog import compare
from core.knowledge.memory import MemoryStore
from core.knowledge.root import FileKind, StorageRoot, kind_of
from core.retrieve.memory_search import MemorySearch, MemorySearcher, check_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from core.embedding.embedder import ModelProvider
    from core.index.candidates import Candidates
    from core.index.searcher import Searcher
    from core.knowledge.schema import Field

_BYTES_PER_RECORD = 50
"""What a search keeps of each record: distances, orders, ranks, scores, the mask, and its share of
the lists of ids, texts and metadata, which only the searches of one store have in common."""

MOST_FILES = 1000
"""JSON files that are looked at below a root."""

LEVELS = 2
"""How far below the root stores are looked for: in folders of folders of it."""

_MOST_ENTRIES = 10_000
_HEAD_BYTES = 16 << 10
_NAME = re.compile(r'"name"\s*:\s*"([^"\\]{1,1000})"')

_SearchKey = tuple[str, str, str, str]


class Memories:
    """Finds memory stores by name and searches those that play makes of them.

    Play's own stores (`core.nodes.walk.Play.memory`) come first and are not known here:
    this is what lies on disk, and what searching any store takes.

    Parameters
    ----------
    root : stores are looked for below it.
    models : loaded embedding models.
    schema_fields : the fields of a schema of the catalog, None for one that is not in it.
    """

    def __init__(
        self,
        root: StorageRoot,
        models: ModelProvider,
        schema_fields: Callable[[str], tuple[Field, ...] | None],
    ) -> None:
        self._root = root
        self._models = models
        self._schema_fields = schema_fields
        self._lock = threading.Lock()
        self._scanning = threading.Lock()
        self._found: _Scan | None = None
        self._in_use: dict[Path, MemoryStore] = {}
        self._checked: dict[tuple[str, str], tuple[Field, ...]] = {}
        self._vectors = TextVectors()
        self._searchers: dict[str, MemorySearch] = {}
        self._searches: BoundedCache[_SearchKey, Candidates] = BoundedCache(
            lambda found: found.known_count * _BYTES_PER_RECORD
        )

    @property
    def is_scanned(self) -> bool:
        """Whether it is known what lies below the root, so that `find` reads no file."""
        return self._found is not None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What keeps files below the root from being used: broken ones, names that are taken.

        Looks for them first. What else there is to say about a store, itself says.
        """
        return self._scanned().findings

    def on_disk(self) -> Mapping[str, MemoryStore]:
        """Return the stores below the root by name, looking for them once.

        They lie in the root or up to `LEVELS` folders below it; what starts with a dot is left
        out. Of two with one name the first by path is taken.
        """
        return self._scanned().stores

    def if_scanned(self) -> Mapping[str, MemoryStore]:
        """Return the stores below the root by name; none while nobody has looked for them."""
        found = self._found
        return found.stores if found is not None else {}

    def find(self, name: str, work: Work = QUIETLY) -> MemoryStore | None:
        """Return the store of that name below the root, or None.

        Raises
        ------
        SearchNeeded
            With `work.cached_only`, when nobody has looked for stores yet.
        FileRefused
            With all findings, when the file of that store is broken.
        """
        if not self.is_scanned:
            work.require_search()
        found = self._scanned()
        store = found.stores.get(name)
        if store is None and name in found.broken:
            raise found.broken[name]
        if store is not None and store.path is not None:
            with self._lock:
                self._in_use[store.path] = store
        return store

    def reload(self) -> None:
        """Look for the stores again when they are next asked for."""
        with self._scanning:
            self._found = None

    def fields(
        self, store: MemoryStore | None, schema: str, node: str = ""
    ) -> tuple[Field, ...] | None:
        """Return the fields of a node's schema; None when it is not in the catalog.

        Parameters
        ----------
        store : what the node reads or writes; None for one that is not there yet.
        schema : the one that the node names; "" for the store's own.

        Raises
        ------
        InspectorError
            8003, with the first difference, when the store has another schema.
        """
        if store is not None and not schema:
            return self._schema_fields(store.schema)
        fields = self._schema_fields(schema)
        if store is None or store.schema in ("", schema):
            return fields
        theirs = self._schema_fields(store.schema)
        if fields is None or theirs is None:
            missing = schema if fields is None else store.schema
            difference = f'"{missing}" is not in the schema catalog, so they cannot be compared'
        else:
            difference = compare(fields, theirs)
        if difference:
            raise InspectorError(
                Code.InvalidEmbeddedStringStorageData,
                f'memory store "{store.name}" has the schema "{store.schema}", the node '
                f'"{schema}": {difference}',
                place=Place(
                    file=str(store.path or ""),
                    json_path="schema" if store.path else "",
                    node=node,
                    param="schema",
                ),
                hint="give both the same schema",
            )
        return fields

    def check(self, store: MemoryStore, schema: str, node: str = "") -> None:
        """Refuse a store that does not fit a node's schema; does not wait for any search.

        Raises
        ------
        InspectorError
            8003 as `fields`; FileRefused with a finding for each record that does not fit.
        """
        fields = self.fields(store, schema, node)
        if (store.digest, schema) not in self._checked:
            self._checked[store.digest, schema] = check_records(store, fields)

    def held_fields(
        self, name: str, schema: str, memory: Mapping[str, MemoryStore]
    ) -> tuple[Field, ...] | None:
        """Return the fields that the records of a store hold, as far as anyone has read them.

        Parameters
        ----------
        name : the store's, without references.
        schema : the node's, which the catalog lacks.
        memory : store name → the memory stores that play has changed.

        Returns
        -------
        tuple[Field, ...] | None
            None for a store without records, and for one that was neither checked nor searched.
        """
        store = memory.get(name) or self.if_scanned().get(name)
        if store is None or not store.records:
            return None
        known = self._checked.get((store.digest, schema))
        return known if known is not None else self._searcher(store).fields_of(store)

    def candidates(
        self,
        store: MemoryStore,
        schema: str,
        query: str,
        filter_text: str,
        *,
        dense: bool,
        work: Work = QUIETLY,
    ) -> Candidates:
        """Search a store, or return what the same search found before.

        Parameters
        ----------
        schema : the node's, which types the records.
        dense : whether the dense leg is needed; without it nothing is embedded.

        Raises
        ------
        SearchNeeded
            With `work.cached_only`, when this search has not been made yet.
        InspectorError
            8003 for a store of another schema or records that do not fit it, 3007 for the filter,
            4001 or 8003 for the model.
        """
        key = (store.digest, schema, query, filter_text)
        known = self._searches.get(key)
        if known is not None and (known.dense is not None or not dense):
            return known
        work.require_search()
        found = self.searcher(store, schema, work).search(
            query, filter_text, dense=dense, work=work
        )
        self._searches.put(key, found)
        return found

    def searcher(self, store: MemoryStore, schema: str, work: Work = QUIETLY) -> Searcher:
        """Return what searches a store, typed by a node's schema; raises as `fields`."""
        fields = self.fields(store, schema, work.node)
        return MemorySearcher(self._searcher(store), store, fields)

    def prepare(
        self, store: MemoryStore, schema: str, *, dense: bool, work: Work = QUIETLY
    ) -> None:
        """Read a store's records, and embed them if `dense`, so that the next search is quick.

        Raises
        ------
        InspectorError
            As `candidates`.
        """
        self.searcher(store, schema, work).prepare(dense=dense, work=work)

    def saved(self, store: MemoryStore, work: Work = QUIETLY) -> None:
        """Take note of a store that has been saved: off the GUI thread, after `MemoryStore.save`.

        The vectors of its records that are known are kept beside its file, so that opening it
        embeds nothing again; those below the root are looked for again.
        """
        self._searcher(store).keep_vectors(store, work)
        self.reload()

    def files(self) -> dict[Path, str]:
        """Map the files of the stores that are in use to the stores' names."""
        with self._lock:
            return {path: store.name for path, store in self._in_use.items()}

    def sizes(self) -> dict[Path, int]:
        """Return how many records each file in use holds."""
        with self._lock:
            return {path: len(store.records) for path, store in self._in_use.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was rebuilt beside the stores' files and why, and what could not be written."""
        with self._lock:
            searchers = list(self._searchers.values())
        return tuple(note for searcher in searchers for note in searcher.notes)

    def _searcher(self, store: MemoryStore) -> MemorySearch:
        with self._lock:
            if store.path is not None:
                self._in_use.setdefault(store.path, store)
            if store.name not in self._searchers:
                self._searchers[store.name] = MemorySearch(
                    self._models, self._vectors, self._root.path
                )
            return self._searchers[store.name]

    def _scanned(self) -> _Scan:
        with self._scanning:
            if self._found is None:
                self._found = _Scan(self._root)
            return self._found


class _Scan:
    """What memory stores lie below a root."""

    def __init__(self, root: StorageRoot) -> None:
        self.stores: dict[str, MemoryStore] = {}
        self.broken: dict[str, FileRefused] = {}
        found: list[Finding] = []
        paths = list(islice(_json_files(root), MOST_FILES + 1))
        if len(paths) > MOST_FILES:
            findings = Findings(Code.InvalidEmbeddedStringStorageData, str(root.path))
            findings.warning(
                f"there are more than {MOST_FILES} JSON files: memory stores are "
                "looked for in the first of them only",
                hint="keep memory stores in a folder of few files",
            )
            found += findings
        for path in sorted(paths[:MOST_FILES]):
            if kind_of(path) is FileKind.MEMORY:
                finding = self._take(path)
                if finding is not None:
                    found.append(finding)
        self.findings = tuple(found)

    def _take(self, path: Path) -> Finding | None:
        """Read a store, or say why it is not used."""
        try:
            store = MemoryStore.load(path)
        except FileRefused as refused:
            name = _name_in(path)
            if name:
                self.broken.setdefault(name, refused)
            return Finding(
                Severity.ERROR,
                refused.code,
                refused.place,
                f"a broken memory store is not used: {refused.message}",
                refused.hint,
            )
        first = self.stores.setdefault(store.name, store)
        if first is store:
            return None
        return Finding(
            Severity.WARNING,
            Code.InvalidEmbeddedStringStorageName,
            Place(file=str(path), json_path="name"),
            f'there are two memory stores "{store.name}": {first.path} is used',
            "give one of them another name",
        )


def _json_files(root: StorageRoot) -> Iterator[Path]:
    """Yield the JSON files of the root and of `LEVELS` levels of folders below it."""
    folders = [root.path]
    for _ in range(LEVELS + 1):
        below: list[Path] = []
        for folder in folders:
            for path in _entries(folder):
                if not _lies_inside(root, path):
                    continue
                if path.is_dir():
                    below.append(path)
                elif path.suffix.casefold() == ".json":
                    yield path
        folders = below


def _entries(folder: Path) -> list[Path]:
    """List what lies in a folder by name, without what starts with a dot, up to a limit."""
    try:
        entries = (path for path in folder.iterdir() if not path.name.startswith("."))
        return sorted(islice(entries, _MOST_ENTRIES))
    except OSError:
        return []


def _lies_inside(root: StorageRoot, path: Path) -> bool:
    try:
        root.name_of(path)
    except InspectorError:
        return False
    return True


def _name_in(path: Path) -> str:
    """Return the name that a broken file gives its store, as far as that can be told, or ""."""
    try:
        with path.open("rb") as stream:
            head = stream.read(_HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
    match = _NAME.search(head)
    # Behind a second bracket it would be something inside the store.
    return match[1] if match and head.count("{", 0, match.start()) == 1 else ""
