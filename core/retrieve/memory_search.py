"""Searches a memory store that grows: what is known of its first records is kept.

A store never changes; play makes another one out of it, which most often has the same records and
one more. So whatever a search needs (ids, columns, words, vectors) is kept with the records that
it was made of, cut back to those that the next store has too, and continued.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.embedding.embedder import Embedder, ModelProvider, embedder_for
from core.embedding.growing_vectors import GrowingVectors, TextVectors
from core.embedding.models import find_model
from core.embedding.vectors import prepare_vectors, text_keys
from core.errors import Code, Place
from core.index.candidates import Candidates, DenseLeg
from core.index.dense import dense_leg
from core.index.dense_query import dense_query
from core.index.growing_lexical import GrowingLexicalIndex
from core.index.lexical import sparse_leg
from core.io.findings import Findings
from core.io.folders import cache_folder
from core.io.sidecar import SidecarFolder
from core.io.work import QUIETLY, Work
from core.knowledge.base import texts_digest
from core.knowledge.column_join import joined
from core.knowledge.columns import Metadata, typed_columns
from core.knowledge.filter import compile_filter
from core.knowledge.inference import infer_fields
from core.knowledge.records import RecordPlaces, parse_records
from core.retrieve.search import WhyFiltered

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from core.index.leg_query import LegQuery
    from core.knowledge.memory import MemoryStore
    from core.knowledge.schema import Column, Field


class MemorySearch:
    """Searches the stores of one name, one after the other. Every method is for any thread.

    Parameters
    ----------
    models : where embedding models come from. The lexical leg never asks for one.
    vectors : the vectors of texts that are known already, shared by the searches of all stores.
    folder : where the relative path of a model starts for a store without a file.
    """

    def __init__(self, models: ModelProvider, vectors: TextVectors, folder: Path) -> None:
        self._models = models
        self._text_vectors = vectors
        self._folder = folder
        self._lock = threading.Lock()
        self._contents = _Contents()
        self._lexical = GrowingLexicalIndex()
        self._vectors: GrowingVectors | None = None
        self._model = ""
        self._sidecars: dict[Path, SidecarFolder] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was rebuilt beside the stores' files and why, and what could not be written."""
        return tuple(note for sidecars in list(self._sidecars.values()) for note in sidecars.notes)

    def fields_of(self, store: MemoryStore) -> tuple[Field, ...] | None:
        """Return the fields of a store, if it is the one that was read last; waits for nothing."""
        contents = self._contents
        return contents.fields if contents.records is store.records else None

    def prepare(
        self,
        store: MemoryStore,
        fields: tuple[Field, ...] | None,
        *,
        dense: bool,
        work: Work = QUIETLY,
    ) -> None:
        """Read a store's records, and embed what is new of them if `dense`.

        Parameters
        ----------
        fields : of the store's schema; made up from the records' metadata if None.

        Raises
        ------
        FileRefused
            8003 with a finding for each record that does not fit the schema.
        InspectorError
            8003 or 4001 for the model, with `dense`.
        Cancelled
            When `work` is cancelled; what was done until then is kept.
        """
        with work.alone(self._lock):
            self._follow(store, fields, work)
            if dense:
                self._embed(store, work)

    def search(
        self,
        store: MemoryStore,
        fields: tuple[Field, ...] | None,
        query: str,
        filter_text: str,
        *,
        dense: bool,
        work: Work = QUIETLY,
    ) -> Candidates:
        """Rank the records of a store for a query; the result is immutable.

        Distances come from an exact scan of all records.

        Parameters
        ----------
        fields : as in `prepare`.
        filter_text : only records that match it are ranked; "" for all.
        dense : whether the dense leg is wanted; without it no model is loaded.

        Raises
        ------
        InspectorError
            3007 for the filter; otherwise as `prepare`.
        """
        with work.alone(self._lock):
            self._follow(store, fields, work)
            contents = self._contents
            compiled = compile_filter(
                filter_text, {field.name: field for field in contents.fields}, node=work.node
            )
            vector, embed_ms = None, 0.0
            if dense:
                embedder = self._embed(store, work)
                started = time.perf_counter()
                vector = embedder.embed_query(query)
                embed_ms = 1000 * (time.perf_counter() - started)
            work.stop_if_cancelled()
            started = time.perf_counter()
            count, matching = len(contents.ids), None
            if compiled is not None:
                matching = compiled.mask(contents.columns, count)
            return Candidates(
                query=query,
                ids=contents.ids,
                texts=contents.texts,
                matching=matching,
                matching_count=count if matching is None else int(np.count_nonzero(matching)),
                sparse=sparse_leg(self._lexical, query, matching),
                dense=(
                    self._dense_leg(vector, matching, self._seen(store, query))
                    if vector is not None
                    else None
                ),
                why_filtered=WhyFiltered(contents.columns, compiled),
                metadata=contents.metadata,
                field_names=tuple(field.name for field in contents.fields),
                embed_ms=embed_ms,
                search_ms=1000 * (time.perf_counter() - started),
            )

    def keep_vectors(self, store: MemoryStore, work: Work = QUIETLY) -> None:
        """Write the vectors of a store beside its file, if all of them are known; embed nothing."""
        with work.alone(self._lock):
            vectors, texts = self._vectors, self._contents.texts
            if (
                store.path is None
                or vectors is None
                or not texts
                or vectors.count != len(texts)
                or _common(self._contents.records, store.records) != len(texts)
                or len(store.records) != len(texts)
            ):
                return
            prepare_vectors(
                texts,
                texts_digest(texts),
                self._embedder(store, work),
                self._sidecars_of(store.path),
                work=work,
            )

    def _follow(self, store: MemoryStore, fields: tuple[Field, ...] | None, work: Work) -> None:
        """Make contents and word counts those of this store."""
        before = self._contents
        fresh = before.followed_by(store, fields)
        # Cut as soon as the texts are replaced that say what to take out of the counts.
        kept = fresh.kept
        if kept < self._lexical.count:
            if kept:
                self._lexical.cut(kept, before.texts)
            else:
                self._lexical = GrowingLexicalIndex()
        if self._vectors is not None:
            self._vectors.cut(kept)
        self._contents = fresh
        self._lexical.extend(fresh.texts[self._lexical.count :], work)

    def _folder_of(self, store: MemoryStore) -> Path:
        return store.path.parent if store.path is not None else self._folder

    def _seen(self, store: MemoryStore, query: str) -> LegQuery:
        return dense_query(store.embedding_model, self._folder_of(store), query)

    def _embedder(self, store: MemoryStore, work: Work) -> Embedder:
        entry = find_model(store.embedding_model, self._folder_of(store))
        name = entry.name if entry is not None else store.embedding_model
        where = Place(file=str(store.path or store.name), json_path="embedding_model")
        return self._text_vectors.remembering(embedder_for(self._models, name, where, work))

    def _embed(self, store: MemoryStore, work: Work) -> Embedder:
        """Embed the texts that have no vector yet; return the model."""
        embedder = self._embedder(store, work)
        if self._vectors is None or self._model != embedder.identity:
            self._vectors, self._model = GrowingVectors(embedder.dimension), embedder.identity
        texts = self._contents.texts[self._vectors.count :]
        if texts:
            # A store's file gets a sidecar when it is met; what comes later stays in memory.
            path = None if self._vectors.count else store.path
            made = prepare_vectors(
                texts, texts_digest(texts), embedder, self._sidecars_of(path), work=work
            )
            self._vectors.extend(made)
            if made.embedded < len(texts):
                # Those of a sidecar too, so that an edit of an early record embeds no later one.
                self._text_vectors.put(embedder.identity, text_keys(texts), made.vectors)
        return embedder

    def _sidecars_of(self, path: Path | None) -> SidecarFolder:
        if path is None:
            return SidecarFolder(None, cache_folder())
        return self._sidecars.setdefault(path, SidecarFolder(path, cache_folder()))

    def _dense_leg(
        self, vector: NDArray[np.float32], matching: NDArray[np.bool_] | None, seen: LegQuery
    ) -> DenseLeg:
        if self._vectors is None:
            raise LookupError("the dense leg has not been prepared")
        return dense_leg(self._vectors.records, vector, matching, seen=seen)


@dataclass(frozen=True, slots=True)
class MemorySearcher:
    """The `Searcher` of one store among those that follow each other.

    fields : of the store's schema; made up from the records' metadata if None.
    """

    following: MemorySearch
    store: MemoryStore
    fields: tuple[Field, ...] | None

    @property
    def notes(self) -> tuple[str, ...]:
        """What was made anew and why, and what could not be kept."""
        return self.following.notes

    def prepare(self, *, dense: bool, work: Work = QUIETLY) -> None:
        """Read the records, and embed what is new of them if `dense`."""
        self.following.prepare(self.store, self.fields, dense=dense, work=work)

    def search(
        self, query: str, filter_text: str = "", *, dense: bool, work: Work = QUIETLY
    ) -> Candidates:
        """Rank the records of the store for a query."""
        return self.following.search(
            self.store, self.fields, query, filter_text, dense=dense, work=work
        )


def check_records(store: MemoryStore, fields: tuple[Field, ...] | None) -> tuple[Field, ...]:
    """Read a store's records as a search would; return their fields, made up where none are given.

    Raises
    ------
    FileRefused
        8003 with a finding for each record that does not fit the schema.
    """
    return _Contents().followed_by(store, fields).fields


class _Contents:
    """A store's records, apart; columns typed by its schema, or by one made up from them.

    kept : how many of the first records were those of the contents before.
    """

    def __init__(self) -> None:
        self.records: tuple[Mapping[str, Any], ...] = ()
        self.ids: tuple[str, ...] = ()
        self.texts: tuple[str, ...] = ()
        self.metadata: tuple[Metadata, ...] = ()
        self.fields: tuple[Field, ...] = ()
        self.columns: dict[str, Column] = {}
        self.made_up = False
        self.kept = 0

    def followed_by(self, store: MemoryStore, fields: tuple[Field, ...] | None) -> _Contents:
        """Return the contents of another store, reading only the records that are new in it.

        Raises
        ------
        FileRefused
            8003.
        """
        new = _Contents()
        new.records = store.records
        new.kept = kept = _common(self.records, store.records)
        findings = Findings(Code.InvalidEmbeddedStringStorageData, str(store.path or store.name))
        more = parse_records(
            list(store.records[kept:]),
            findings,
            RecordPlaces(findings.file, numbers=range(kept, len(store.records))),
            may_be_empty=True,
        )
        findings.raise_errors()
        if more is not None:
            new.ids = self.ids[:kept] + more.ids
            new.texts = self.texts[:kept] + more.texts
            new.metadata = self.metadata[:kept] + more.metadata
        self._type(new, fields, findings)
        findings.raise_errors()
        return new

    def _type(self, new: _Contents, fields: tuple[Field, ...] | None, findings: Findings) -> None:
        """Give the new contents their columns, continuing those of the records that are kept."""
        new.made_up = fields is None
        new.fields = infer_fields(new.metadata, findings) if fields is None else fields
        continues = (
            new.kept
            and new.kept == len(self.records)
            and (new.made_up, new.fields) == (self.made_up, self.fields)
        )
        start = new.kept if continues else 0
        if continues and start == len(new.records):
            new.columns = self.columns
            return
        places = RecordPlaces(findings.file, numbers=range(start, len(new.records)))
        columns = typed_columns(
            new.fields, new.metadata[start:], findings, places, made_up=new.made_up
        )
        if continues and not findings.has_errors:
            columns = {name: joined(self.columns[name], column) for name, column in columns.items()}
        new.columns = columns


def _common(one: tuple[Mapping[str, Any], ...], other: tuple[Mapping[str, Any], ...]) -> int:
    """Count the records that two stores begin with, both of them."""
    for row, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine is not theirs:
            return row
    return min(len(one), len(other))
