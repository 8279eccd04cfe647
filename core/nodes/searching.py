"""The nodes that search and attach what they find: Retrieve, KeywordRetrieve, RetrieveSubgraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.keyword.listing import KeywordListing
from core.keyword.select import select as select_entries
from core.nodes.memorizing import named_store
from core.nodes.parameters import KnowledgeSourceKind, RetrievalMode
from core.nodes.retrievals import KeywordRetrieval, Retrieval, RetrievalResult, SubgraphRetrieval
from core.nodes.state import Outcome, TurnState, query_of
from core.prompt.projection import Chunk, KnowledgeBlock
from core.retrieve.select import Settings, select
from core.subgraph.entry_points import find_entry_points
from core.subgraph.expand import SubgraphResult
from core.subgraph.listing import SubgraphListing
from core.subgraph.request import SubgraphRequest

if TYPE_CHECKING:
    from core.index.candidates import Candidates
    from core.nodes.parameters import KeywordRetrieveParams, RetrieveParams, RetrieveSubgraphParams


def _attach(result: RetrievalResult, state: TurnState) -> Outcome:
    """Attach what a node found to the turn, as a block of knowledge; an empty one too."""
    state.knowledge.append(
        KnowledgeBlock(
            result.source, tuple(Chunk(hit.id, hit.text, hit.distance) for hit in result.hits)
        )
    )
    output = "\n".join(hit.text for hit in result.hits)
    return Outcome("found" if result.hits else "not_found", output, retrieval=result)


def retrieve(name: str, params: RetrieveParams, state: TurnState) -> Outcome:
    """Search a knowledge file or a memory store."""
    query = query_of(name, params.input, state)
    if params.source_kind is KnowledgeSourceKind.FromName:
        candidates = _from_name(name, params, query, state)
    else:
        candidates = _from_file(params, query, state)
    selection = select(candidates, Settings.of(params)) if candidates is not None else None
    return _attach(Retrieval(params, params.source or name, query, selection), state)


def _from_file(params: RetrieveParams, query: str, state: TurnState) -> Candidates | None:
    if not query:
        return None
    return state.workspace.candidates(
        params.embedded_string_storage, query, params.filter, dense=_embeds(params), work=state.work
    )


def _from_name(
    name: str, params: RetrieveParams, query: str, state: TurnState
) -> Candidates | None:
    """Search a store; None for one that is not there or has no records: nothing is embedded."""
    _, store = named_store(name, params, state)
    memories = state.workspace.memories
    if store is None or not store.records or not query:
        memories.fields(store, params.schema, name)
        return None
    return memories.candidates(
        store, params.schema, query, params.filter, dense=_embeds(params), work=state.work
    )


def _embeds(params: RetrieveParams) -> bool:
    return params.retrieval_mode is not RetrievalMode.Lexical


def keyword_retrieve(name: str, params: KeywordRetrieveParams, state: TurnState) -> Outcome:
    """Search a corpus by shared words."""
    query, listing = query_of(name, params.input, state), None
    if query:
        candidates = state.workspace.keyword_candidates(params, query, work=state.work)
        listing = KeywordListing(select_entries(candidates, params.k, params.min_score))
    return _attach(KeywordRetrieval(params, params.source or name, query, listing), state)


def retrieve_subgraph(name: str, params: RetrieveSubgraphParams, state: TurnState) -> Outcome:
    """Search a knowledge graph, and walk from what is found."""
    query, listing = query_of(name, params.input, state), None
    if query:
        candidates = state.workspace.subgraph_candidates(params, query, work=state.work)
        listing = SubgraphListing(
            SubgraphResult(find_entry_points(candidates, SubgraphRequest.of_params(query, params)))
        )
    return _attach(SubgraphRetrieval(params, params.source or name, query, listing), state)
