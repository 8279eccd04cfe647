"""Stage 1 of a turn: query → candidates over one knowledge base. Costly, off the GUI thread."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from core.embedding.embedder import Embedder, ModelProvider, embedder_for
from core.embedding.index_file import USEARCH, read_index_header
from core.embedding.index_maker import IndexTask, VectorIndex
from core.embedding.models import find_model
from core.embedding.prebuilt import INSTEAD, compare_with_model, prebuilt_vectors
from core.embedding.vectors import RecordVectors, prepare_vectors, vectors_key
from core.errors import Code, InspectorError, Place
from core.index.candidates import Candidates, DenseLeg, SparseLeg
from core.index.dense import (
    SMALL_STORE,
    build_index,
    dense_leg,
    index_key,
    load_index,
    store_index,
)
from core.index.dense_query import dense_query
from core.index.lexical import LexicalIndex, prepare_lexical, sparse_leg
from core.io.cache import BoundedCache
from core.io.folders import cache_folder
from core.io.sidecar import SidecarFolder
from core.io.work import QUIETLY, Work
from core.knowledge.filter import CompiledFilter, compile_filter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from core.knowledge.base import KnowledgeBase

REMEMBERED_QUERIES = 256


class KnowledgeSearch:
    """Searches one knowledge base; loads or builds what that takes, when it is first needed.

    Every method may be called from any thread. What is being prepared in one thread, another
    waits for, as long as it is not cancelled itself.

    Parameters
    ----------
    knowledge : the records; they never change.
    models : where embedding models come from. The lexical leg never asks for one.
    sidecars : where what was built is kept; beside the knowledge file by default.
    """

    def __init__(
        self, knowledge: KnowledgeBase, models: ModelProvider, sidecars: SidecarFolder | None = None
    ) -> None:
        self.knowledge = knowledge
        self._models = models
        beside = knowledge.path if knowledge.files else None
        self._sidecars = sidecars or SidecarFolder(beside, cache_folder())
        self._lexical: LexicalIndex | None = None
        self._vectors: RecordVectors | None = None
        self._index: VectorIndex | None = None
        self._model_identity = ""
        self._made_by = ""
        self._is_compared = False
        self._locks = {
            "sparse": threading.Lock(),
            "dense": threading.Lock(),
            "index": threading.Lock(),
        }
        self._queries: BoundedCache[str, NDArray[np.float32]] = BoundedCache(
            lambda _vector: 1, REMEMBERED_QUERIES
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What was rebuilt and why, and what could not be written."""
        return self._sidecars.notes

    def prepare_sparse(self, work: Work = QUIETLY) -> None:
        """Load the BM25 index, or build it.

        Raises
        ------
        Cancelled
            When `work` is cancelled.
        """
        if self._lexical is None:
            with work.alone(self._locks["sparse"]):
                if self._lexical is None:
                    self._lexical = prepare_lexical(
                        self.knowledge.texts, self.knowledge.digest, self._sidecars, work
                    )

    def prepare_dense(self, work: Work = QUIETLY) -> None:
        """Load the model and the records' vectors, embedding what is missing.

        A prebuilt USearch index that fits gives its vectors, so that nothing is embedded.
        A store of up to `SMALL_STORE` records gets its HNSW index too.

        Raises
        ------
        InspectorError
            8003 or 4001 for the model.
        Cancelled
            When `work` is cancelled; what was embedded until then is kept.
        """
        if self._vectors is None:
            with work.alone(self._locks["dense"]):
                if self._vectors is None:
                    embedder = self._embedder(work)
                    vectors, self._made_by = self._make_vectors(embedder, work)
                    self._model_identity = embedder.identity
                    self._vectors = vectors
        if len(self.knowledge.ids) <= SMALL_STORE:
            self.prepare_index(work)

    def prepare_index(self, work: Work = QUIETLY) -> None:
        """Load the HNSW index, or build it; prepares the vectors first.

        Raises
        ------
        As `prepare_dense`.
        """
        if self._vectors is None:
            self.prepare_dense(work)
        if self._index is None and len(self.knowledge.ids):
            with work.alone(self._locks["index"]):
                if self._index is None and self._vectors is not None:
                    self._index = self._make_index(self._vectors, work)

    def prepare(self, *, dense: bool, work: Work = QUIETLY) -> None:
        """Prepare the words or, with `dense`, the vectors and their index; a `Searcher`'s."""
        if dense:
            self.prepare_index(work)
            self.compare_prebuilt(work)
        else:
            self.prepare_sparse(work)

    def compare_prebuilt(self, work: Work = QUIETLY) -> None:
        """Note it when the vectors of a prebuilt index are not the model's: background work.

        An index that belongs to other texts is given up, and the texts are embedded.

        Raises
        ------
        InspectorError
            8003 or 4001 for the model.
        """
        is_own = self._made_by == self._model_identity or INSTEAD in self._made_by
        if self._is_compared or is_own:
            return
        knowledge, embedder = self.knowledge, self._embedder(work)
        for path in self._prebuilt_index():
            work.progress("comparing the prebuilt index with the model", 0, 0)
            instead = compare_with_model(path, knowledge.texts, embedder, self._sidecars)
            if instead:
                vectors = prepare_vectors(
                    knowledge.texts, knowledge.digest, embedder, self._sidecars, instead, work
                )
                self._vectors, self._made_by, self._index = vectors, instead, None
                self.prepare_index(work)
        self._is_compared = True

    def search(
        self, query: str, filter_text: str = "", *, dense: bool, work: Work = QUIETLY
    ) -> Candidates:
        """Rank the records for a query; the result is immutable.

        Parameters
        ----------
        query : the resolved text.
        filter_text : only records that match it are ranked; "" for all.
        dense : whether the dense leg is wanted; without it no model is loaded.

        Raises
        ------
        InspectorError
            3007 for the filter; 8003 or 4001 for the model, with `dense`.
        Cancelled
            When `work` is cancelled.
        """
        knowledge = self.knowledge
        compiled = compile_filter(
            filter_text, {field.name: field for field in knowledge.fields}, node=work.node
        )
        self.prepare_sparse(work)
        vector, embed_ms = None, 0.0
        if dense:
            self.prepare_dense(work)
            started = time.perf_counter()
            vector = self._embed_query(query, work)
            embed_ms = 1000 * (time.perf_counter() - started)
        work.stop_if_cancelled()
        started = time.perf_counter()
        matching = None
        if compiled is not None:
            matching = compiled.mask(knowledge.columns, len(knowledge.ids))
        sparse = self._sparse_leg(query, matching)
        dense_result = self._dense_leg(query, vector, matching) if vector is not None else None
        return Candidates(
            query=query,
            ids=knowledge.ids,
            texts=knowledge.texts,
            matching=matching,
            matching_count=(
                len(knowledge.ids) if matching is None else int(np.count_nonzero(matching))
            ),
            dense=dense_result,
            sparse=sparse,
            why_filtered=WhyFiltered(knowledge.columns, compiled),
            metadata=knowledge.metadata,
            field_names=tuple(field.name for field in knowledge.fields),
            embed_ms=embed_ms,
            search_ms=1000 * (time.perf_counter() - started),
        )

    @property
    def _model_name(self) -> str:
        """The model's catalog name, or its folder: a relative one starts at the config's."""
        name = self.knowledge.config.embedding_model
        entry = find_model(name, self.knowledge.path.parent)
        return entry.name if entry is not None else name

    def _embedder(self, work: Work) -> Embedder:
        where = Place(file=str(self.knowledge.path), json_path="embedding_model")
        return embedder_for(self._models, self._model_name, where, work)

    def _embed_query(self, query: str, work: Work) -> NDArray[np.float32]:
        """Embed a query, or return what it was embedded as before."""
        known = self._queries.get(query)
        if known is not None:
            return known
        embedder = self._embedder(work)
        if embedder.identity != self._model_identity:
            raise InspectorError(
                Code.InvalidEmbeddedStringStorageData,
                "the embedding model has changed since the records were embedded",
                place=Place(file=str(self.knowledge.path)),
                hint="reload the knowledge",
            )
        vector = embedder.embed_query(query)
        vector.setflags(write=False)
        self._queries.put(query, vector)
        return vector

    def _sparse_leg(self, query: str, matching: NDArray[np.bool_] | None) -> SparseLeg:
        if self._lexical is None:
            raise LookupError("the lexical leg has not been prepared")
        return sparse_leg(self._lexical, query, matching)

    def _dense_leg(
        self, query: str, vector: NDArray[np.float32], matching: NDArray[np.bool_] | None
    ) -> DenseLeg:
        if self._vectors is None:
            raise LookupError("the dense leg has not been prepared")
        seen = dense_query(self.knowledge.config.embedding_model, self.knowledge.path.parent, query)
        return dense_leg(self._vectors, vector, matching, self._index, seen)

    def _make_vectors(self, embedder: Embedder, work: Work) -> tuple[RecordVectors, str]:
        """Load or make the records' vectors; also return whose they are, for their sidecar."""
        texts, digest = self.knowledge.texts, self.knowledge.digest
        for path in self._prebuilt_index():
            found = prebuilt_vectors(path, texts, digest, embedder, self._sidecars, work)
            if found is not None:
                return found
        return prepare_vectors(
            texts, digest, embedder, self._sidecars, work=work
        ), embedder.identity

    def _make_index(self, vectors: RecordVectors, work: Work) -> VectorIndex:
        digest, (count, dimension) = self.knowledge.digest, vectors.vectors.shape
        key = index_key(digest, self._made_by, count, dimension)
        ready_made = self._prebuilt_hnsw()
        work.progress("loading the vector index", 0, 0)
        if self._models.index_maker is not None and count > SMALL_STORE:
            made = self._models.index_maker(
                IndexTask(
                    key, vectors_key(digest, self._made_by, dimension), self._sidecars, ready_made
                ),
                work,
            )
            if made is not None:
                return made
        index = load_index(key, self._sidecars, ready_made)
        if index is None:
            index = build_index(vectors, work)
            store_index(index, key, self._sidecars)
        return index

    def _prebuilt_index(self) -> Sequence[Path]:
        """Where the knowledge config says that there is an index already."""
        knowledge = self.knowledge
        if not knowledge.config.index_file:
            return ()
        return (knowledge.path.resolve().parent / knowledge.config.index_file,)

    def _prebuilt_hnsw(self) -> Sequence[Path]:
        """As `_prebuilt_index`; one of USearch gives its vectors only and is not searched."""
        headers = {path: read_index_header(path) for path in self._prebuilt_index()}
        return [
            path for path, header in headers.items() if header is None or header.format != USEARCH
        ]


class WhyFiltered:
    """Tells which part of the filter is false for a record; "" without a filter."""

    def __init__(self, columns: Mapping[str, Any], compiled: CompiledFilter | None) -> None:
        self._columns = columns
        self._compiled = compiled

    def __call__(self, row: int) -> str:
        """Say it in a few words (``args[1] is false``)."""
        return self._compiled.falsified(self._columns, row) if self._compiled is not None else ""
