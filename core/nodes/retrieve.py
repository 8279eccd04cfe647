"""Retrieve: search a knowledge file or a memory store, and attach the surviving chunks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Self

from core.errors import Code
from core.index.candidates import MAX_TOP_K, Candidates
from core.index.leg_query import no_word_found
from core.knowledge.kinds import FileKind, accepted_kinds
from core.nodes.kind import (
    CheckedGraph,
    CheckedNode,
    Filtered,
    OpenedNode,
    RecordedStages,
    SearchKind,
    StoreUse,
)
from core.nodes.params import NodeParams, Reads, exit_param, input_param, param, source_param
from core.nodes.references import check_store_schema, named_store, query_of
from core.nodes.store_filter import check_store_filter
from core.nodes.walk import Outcome, RetrievalResult, Storages, TurnState
from core.prompt.lint import Provided
from core.retrieve import stages
from core.retrieve.listing import Selection, select
from core.retrieve.modes import RetrievalMode
from core.retrieve.select import Counts, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.hits.hit import Hit
    from core.hits.stage import Stage
    from core.io.findings import Finding
    from core.io.work import Work
    from core.knowledge.memory import MemoryStore


class KnowledgeSourceKind(IntEnum):
    """FromFile = a prebuilt knowledge file, FromName = a memory store that play fills."""

    FromFile = 0
    FromName = 1


@dataclass(frozen=True, kw_only=True)
class RetrieveParams(NodeParams):
    """Parameters of Retrieve: search a storage, attach the surviving chunks."""

    input: str = input_param()
    source_kind: KnowledgeSourceKind = param(
        KnowledgeSourceKind.FromFile,
        "FromFile = a prebuilt knowledge file. FromName = a memory store that the game fills "
        "during play.",
        reads=Reads.SEARCH,
        structural=True,
    )
    embedded_string_storage: str = param(
        "",
        "Knowledge file to search, relative to the storage root. Used with FromFile.",
        reads=Reads.SEARCH,
        structural=True,
        file_kind=FileKind.KNOWLEDGE,
    )
    filter: str = param(
        "",
        "JSON filter on chunk metadata; only matching chunks are searched. Empty = no filter.",
        reads=Reads.SEARCH,
        multiline=True,
    )
    storage_name: str = param(
        "",
        "Memory store to search, by name. Used with FromName; may hold {{var.NAME}}.",
        reads=Reads.SEARCH,
        structural=True,
        references=True,
    )
    schema: str = param(
        "",
        "Record schema of the store. Required with FromName; with FromFile, checked against the "
        "file.",
        reads=Reads.SEARCH,
        structural=True,
    )
    retrieval_mode: RetrievalMode = param(
        RetrievalMode.Dense,
        "Dense = match by meaning. Lexical = match by keywords (BM25). Hybrid = both, merged.",
        reads=Reads.SEARCH | Reads.SELECTION,
    )
    top_k: int = param(
        2,
        "How many matching chunks to return at most.",
        reads=Reads.SELECTION,
        low=1,
        high=MAX_TOP_K,
    )
    threshold: float = param(
        0.5,
        "Largest cosine distance at which a chunk still counts: 0 = identical, 2 = opposite. "
        "0 as a threshold = no limit. Ignored in Lexical mode.",
        reads=Reads.SELECTION,
        low=0.0,
        high=2.0,
        zero="no limit",
    )
    rrf_k: int = param(
        60,
        "Hybrid only: how strongly the merge favours top-ranked hits. Higher = flatter. "
        "60 is the standard value.",
        reads=Reads.SELECTION,
        low=1,
        high=1000,
    )
    source: str = source_param()
    found_exit: str = exit_param("when at least one chunk is found")
    not_found_exit: str = exit_param("when nothing is found")

    def search_key(self) -> Self:
        """Return what searches depend on: Dense and Hybrid share one, Lexical embeds nothing."""
        mode = RetrievalMode.Dense if self.embeds else RetrievalMode.Lexical
        return replace(super().search_key(), retrieval_mode=mode)

    def in_force(self, name: str) -> bool:
        """Tell whether a parameter is read in this mode."""
        return {
            "rrf_k": self.retrieval_mode is RetrievalMode.Hybrid,
            "threshold": self.embeds,
        }.get(name, True)

    @property
    def embeds(self) -> bool:
        """Whether the query is embedded."""
        return self.retrieval_mode is not RetrievalMode.Lexical

    @property
    def settings(self) -> Settings:
        """What the selection reads."""
        return Settings(self.retrieval_mode, self.top_k, self.threshold, self.rrf_k)


@dataclass(frozen=True, slots=True)
class Retrieval(RetrievalResult):
    """What a Retrieve node did.

    no_store : the memory store that was to be searched and is not there, "" for none.
    """

    params: RetrieveParams
    listing: Selection | None
    no_store: str = ""

    near_miss_fields = ("id", "distance", "bm25_score", "rank", "reason", "needs")

    @property
    def counts(self) -> Counts:
        """The counts of every stage; all 0 without a selection."""
        if self.listing is not None:
            return self.listing.counts
        if self.params.retrieval_mode is RetrievalMode.Dense:
            return Counts(0, 0, 0, 0, 0)
        return Counts(
            0, 0, 0, 0, 0, with_query_word=0, dense_raw=0, dense_filtered=0, sparse_raw=0, fused=0
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        if self.listing is None and (self.no_store or not self.query):
            return ()
        return stages.retrieve_stages(self.counts, self.params.retrieval_mode)

    @property
    def how(self) -> str:
        return self.params.retrieval_mode.name

    @property
    def no_distances(self) -> str:
        """Why there are no distances: Lexical mode has none, nor has an empty store."""
        if self.params.retrieval_mode is RetrievalMode.Lexical:
            return (
                "Lexical mode counts words and has no distances: the threshold does nothing. "
                "Dense and Hybrid have them."
            )
        if self.listing is None:
            return "Nothing was searched, so there are no distances."
        return ""

    @property
    def nothing_found(self) -> tuple[str, str]:
        """What to say when nothing came back."""
        if self.no_store:
            return (
                f'There is no memory store "{self.no_store}"',
                "WriteToMemory makes it during play; or check storage_name",
            )
        if self.listing is None or not self.listing.candidates.record_count:
            return "This store has no records yet", "WriteToMemory adds them during play"
        if self.params.retrieval_mode is RetrievalMode.Lexical:
            return no_word_found(
                self.leg_queries,
                ("No record holds a word of this question", "Dense matches by meaning"),
            )
        return "No record came back", "Loosen the filter or raise the threshold"

    def diagnostics(self) -> dict[str, Any]:
        """Return the node's diagnostics with exactly the keys of the reference page."""
        params, counts = self.params, self.counts
        section: dict[str, Any] = {"source": self.source}
        if params.embedded_string_storage:
            section["embedded_string_storage"] = params.embedded_string_storage
        section |= {
            "top_k": params.top_k,
            "threshold": params.threshold if params.threshold else "inf",
            "retrieval_mode": params.retrieval_mode.name,
            "rrf_k": params.rrf_k,
            "filter": params.filter,
            "raw_result_count": counts.raw,
            "filtered_count": counts.filtered,
        }
        if params.retrieval_mode is not RetrievalMode.Dense:
            section |= {
                "dense_raw_count": counts.dense_raw,
                "dense_filtered_count": counts.dense_filtered,
                "sparse_raw_count": counts.sparse_raw,
                "fused_candidate_count": counts.fused,
            }
        section["result_count"] = counts.result
        return self.sections(section, [_result(hit) for hit in self.hits])


def _result(hit: Hit) -> dict[str, Any]:
    result: dict[str, Any] = {"id": hit.id, "distance": hit.distance}
    for key, value in (
        ("bm25_score", hit.bm25_score),
        ("rank_dense", hit.rank_dense),
        ("rank_sparse", hit.rank_sparse),
    ):
        if value is not None:
            result[key] = value
    result["text"] = hit.text
    return result


class Retrieve(
    SearchKind[RetrieveParams],
    lacks=("answer", "simulated", "draws_subgraph"),
):
    """Searches, and attaches what comes back."""

    table = RetrieveParams
    is_in_game = True
    opened_files = accepted_kinds(FileKind.KNOWLEDGE)

    def provides(self, name: str, params: RetrieveParams) -> Provided:
        return Provided(sources=(params.source or name,))

    def memory(self, params: RetrieveParams) -> StoreUse | None:
        if params.source_kind is KnowledgeSourceKind.FromName:
            return StoreUse(params.storage_name, params.schema)
        return None

    def filtered(self, params: RetrieveParams) -> Filtered:
        if self.memory(params) is not None:
            return Filtered(params.filter, schema=params.schema, store=params.storage_name)
        return Filtered(params.filter, params.embedded_string_storage)

    def distance_threshold(self, params: RetrieveParams) -> float | None:
        return None if params.retrieval_mode is RetrievalMode.Lexical else params.threshold

    def check(self, params: RetrieveParams, node: CheckedNode) -> None:
        if self.memory(params) is None:
            node.needs_file(
                "embedded_string_storage", params.embedded_string_storage, "knowledge file"
            )
            return
        for field in ("storage_name", "schema"):
            if not getattr(params, field).strip():
                node.error(field, f"FromName needs a {field}", code=Code.InvalidParamValue)

    def check_storages(self, params: RetrieveParams, node: OpenedNode) -> None:
        if self.memory(params) is None:
            node.open(
                "embedded_string_storage",
                params.embedded_string_storage,
                lambda name: self._opened(name, params, node),
            )
            return
        check_store_schema(params.schema, node)
        node.attempt(self.check_change, params, "filter")

    def _opened(
        self, name: str, params: RetrieveParams, node: OpenedNode
    ) -> tuple[str, tuple[Finding, ...]]:
        store = node.storages.opened(name, node.work).store
        node.attempt(self.check_change, params, "filter")
        _check_schema(params, node)
        return str(store.path), store.findings

    def check_change(
        self,
        params: RetrieveParams,
        param: str,
        storages: Storages,
        work: Work,
        graph: CheckedGraph,
    ) -> None:
        """Refuse a filter that does not fit the fields of the file, or of the store."""
        if param != "filter":
            return
        if (store := self.memory(params)) is not None:
            check_store_filter(store, params.filter, storages, work, graph)
        elif params.embedded_string_storage:
            storages.compiled_filter(params.embedded_string_storage, params.filter, work)

    def prepare(
        self, params: RetrieveParams, storages: Storages, embeddings: bool, work: Work
    ) -> None:
        """Prepare the file, or a store on disk whose name has no references."""
        if embeddings and not params.embeds:
            return
        if self.memory(params) is not None:
            store = storages.memories.find(params.storage_name.strip())
            if store is not None:
                storages.memories.prepare(store, params.schema, dense=embeddings, work=work)
        elif params.embedded_string_storage:
            searcher = storages.opened(params.embedded_string_storage, work).searcher
            searcher.prepare(dense=embeddings, work=work)

    def run(self, name: str, params: RetrieveParams, state: TurnState) -> Outcome:
        query = query_of(name, params.input, state)
        no_store = ""
        if self.memory(params) is None:
            found = self._search_file(params, query, state)
        else:
            store_name, store = named_store(name, params.storage_name, state)
            found = self._search_store(name, params, query, store, state)
            no_store = store_name if store is None else ""
        selection = select(found, params.settings) if found is not None else None
        return state.attach(Retrieval(params, params.source or name, query, selection, no_store))

    def _search_file(
        self, params: RetrieveParams, query: str, state: TurnState
    ) -> Candidates | None:
        if not query:
            return None
        return state.storages.candidates(
            params.embedded_string_storage,
            query,
            params.filter,
            dense=params.embeds,
            work=state.work,
        )

    def _search_store(
        self,
        name: str,
        params: RetrieveParams,
        query: str,
        store: MemoryStore | None,
        state: TurnState,
    ) -> Candidates | None:
        """Search a store; None for one that is not there or has no records: nothing is embedded."""
        memories = state.storages.memories
        if store is None or not store.records or not query:
            memories.fields(store, params.schema, name)
            return None
        return memories.candidates(
            store, params.schema, query, params.filter, dense=params.embeds, work=state.work
        )

    def recorded_stages(self, params: RetrieveParams) -> RecordedStages:
        mode = params.retrieval_mode
        hits = (stages.HITS, "result_count")
        if mode is RetrievalMode.Lexical:
            return (stages.SPARSE_RAW, "raw_result_count"), hits
        kept = (stages.WITHIN_THRESHOLD, "kept_count")
        if mode is RetrievalMode.Dense:
            return (stages.RAW, "raw_result_count"), kept, hits
        fused = (stages.FUSED, "fused_candidate_count")
        return (stages.BOTH_RAW, "raw_result_count"), kept, fused, hits

    def recorded_how(self, params: RetrieveParams) -> str:
        return params.retrieval_mode.name

    def implied(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the kind of source that a recorded file or store tells."""
        if values.get("embedded_string_storage"):
            return {"source_kind": KnowledgeSourceKind.FromFile}
        if values.get("storage_name"):
            return {"source_kind": KnowledgeSourceKind.FromName}
        return {}


def _check_schema(params: RetrieveParams, node: OpenedNode) -> None:
    """Compare the fields of the file with a schema of the catalog."""
    schema, storages = params.schema, node.storages
    if not schema or storages.broken_catalog is not None:
        return
    code = Code.InvalidEmbeddedStringStorageData
    if storages.schema_fields(schema) is None:
        node.warning(
            "schema",
            f'schema "{schema}" is not in the catalog, so it is not checked',
            code=code,
            hint="the game's own server may know it",
        )
        return
    storage = params.embedded_string_storage
    difference = storages.schema_difference(schema, storage)
    if difference:
        node.error(
            "schema", f'{storage} does not agree with schema "{schema}": {difference}', code=code
        )


RETRIEVE = Retrieve()
