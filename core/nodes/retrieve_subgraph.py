"""RetrieveSubgraph: find nodes of a knowledge graph, and what is around them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.index.leg_query import no_word_found
from core.knowledge.kinds import FileKind
from core.nodes.kind import CheckedGraph, CheckedNode, OpenedNode, RecordedStages, SearchKind
from core.nodes.params import (
    NodeParams,
    Reads,
    exit_param,
    input_param,
    param,
    scalars_problem,
    source_param,
)
from core.nodes.references import query_of
from core.nodes.walk import Outcome, RetrievalResult, Storages, TurnState, scored
from core.prompt.lint import Provided
from core.subgraph import stages
from core.subgraph.depths import ExpansionDepth
from core.subgraph.expand import SubgraphResult
from core.subgraph.listing import SubgraphListing
from core.subgraph.request import MAX_TOP_K, Scope, SubgraphRequest
from core.subgraph.scope import near_node
from core.subgraph.stages import SubgraphCounts

if TYPE_CHECKING:
    from core.hits.stage import Stage
    from core.io.findings import Finding
    from core.io.work import Work


@dataclass(frozen=True, kw_only=True)
class RetrieveSubgraphParams(NodeParams):
    """Parameters of RetrieveSubgraph: find nodes of a knowledge graph, and what is around them."""

    input: str = input_param()
    knowledge_graph: str = param(
        "",
        "Knowledge graph file to search, relative to the storage root.",
        reads=Reads.SEARCH,
        structural=True,
        file_kind=FileKind.KNOWLEDGE_GRAPH,
    )
    top_k: int = param(
        5,
        "How many matches at most, before the walk from them.",
        reads=Reads.SELECTION,
        low=1,
        high=MAX_TOP_K,
    )
    expansion_depth: ExpansionDepth = param(
        ExpansionDepth.NONE,
        "How far to walk from the matches: none = only the matches; shallow = and their parents "
        "and children; standard = and the nodes that they are connected with; deep = and all of "
        "that once more from every node found.",
        reads=Reads.SELECTION,
    )
    root_node_id: str = param(
        "",
        "Only this node and what is below it may match. Empty = the whole graph.",
        reads=Reads.SELECTION,
    )
    tag_filters: str = param(
        "",
        'JSON object tag: value, all of which a match must have, e.g. {"kind": "person"}. '
        "Empty = no filter.",
        reads=Reads.SELECTION,
        multiline=True,
        text_rule=scalars_problem,
    )
    directory_prefix: str = param(
        "",
        "One of a match's directories must start with this. Empty = any.",
        reads=Reads.SELECTION,
    )
    include_raw_text: bool = param(
        False,
        "Whether a node's long text goes into the prompt, besides title and description.",
        reads=Reads.SELECTION,
    )
    use_embeddings: bool = param(
        False,
        "Whether to match by meaning too, fused with full text. Needs the embedding model.",
        reads=Reads.SEARCH,
    )
    source: str = source_param()
    found_exit: str = exit_param("when at least one node is found")
    not_found_exit: str = exit_param("when nothing is found")

    def request(self, query: str) -> SubgraphRequest:
        """Return the request that a node makes."""
        tags = json.loads(self.tag_filters) if self.tag_filters.strip() else {}
        return SubgraphRequest(
            query,
            self.top_k,
            self.expansion_depth,
            Scope(self.root_node_id, tags, self.directory_prefix),
            self.include_raw_text,
        )


@dataclass(frozen=True, slots=True)
class SubgraphRetrieval(RetrievalResult):
    """What a RetrieveSubgraph node did."""

    params: RetrieveSubgraphParams
    listing: SubgraphListing | None

    near_miss_fields = ("id", "score", "match_reason", "rank", "reason", "needs")
    no_distances = (
        "A subgraph retrieval is drawn as a graph, in the tab Subgraph, and ranks by "
        "score: there is no threshold of distance to move."
    )

    @property
    def nothing_found(self) -> tuple[str, str]:
        """What to say when nothing came back, and what to advise: a scope only where there is."""
        params = self.params
        has_scope = any((params.root_node_id, params.tag_filters.strip(), params.directory_prefix))
        ways = ["loosen the scope"] if has_scope else []
        ways += [] if params.use_embeddings else ["use embeddings to match by meaning"]
        advice = ", or ".join(ways) or "ask in other words"
        said = "No node in scope" if has_scope else "No node"
        said += " shares a word with this question"
        return no_word_found(self.leg_queries, (said, advice[:1].upper() + advice[1:]))

    @property
    def how(self) -> str:
        return f"Subgraph {self.params.expansion_depth}"

    @property
    def counts(self) -> SubgraphCounts:
        """The counts of every stage."""
        return (
            self.listing.counts if self.listing is not None else SubgraphCounts(0, 0, 0, 0, 0, 0, 0)
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        return () if self.listing is None else stages.subgraph_stages(self.counts)

    def diagnostics(self) -> dict[str, Any]:
        """Return parameters with counts, the query, and the nodes; one without score was added."""
        params, counts = self.params, self.counts
        return self.sections(
            {
                "source": self.source,
                "knowledge_graph": params.knowledge_graph,
                "top_k": params.top_k,
                "expansion_depth": str(params.expansion_depth),
                "root_node_id": params.root_node_id,
                "tag_filters": params.tag_filters,
                "directory_prefix": params.directory_prefix,
                "include_raw_text": params.include_raw_text,
                "use_embeddings": params.use_embeddings,
                "node_count": counts.nodes,
                "in_scope_count": counts.in_scope,
                "raw_result_count": counts.found,
                "match_count": counts.matches,
                "reached_count": counts.reached,
                "connection_count": counts.connections,
                "result_count": counts.nodes_in_result,
            },
            [scored(hit) for hit in self.hits],
        )


class RetrieveSubgraph(
    SearchKind[RetrieveSubgraphParams],
    lacks=("answer", "simulated", "memory", "filtered", "distance_threshold"),
):
    """Searches a knowledge graph, and attaches what is found and what is around it."""

    table = RetrieveSubgraphParams
    is_in_game = False
    opened_files = frozenset({FileKind.KNOWLEDGE_GRAPH})
    draws_subgraph = True

    def provides(self, name: str, params: RetrieveSubgraphParams) -> Provided:
        return Provided(sources=(params.source or name,))

    def check(self, params: RetrieveSubgraphParams, node: CheckedNode) -> None:
        node.needs_file("knowledge_graph", params.knowledge_graph, "knowledge graph")

    def check_storages(self, params: RetrieveSubgraphParams, node: OpenedNode) -> None:

        def opened(name: str) -> tuple[str, tuple[Finding, ...]]:
            graph = node.storages.graphs.searcher(name, node.work).graph
            node.attempt(self.check_change, params, "root_node_id")
            return name, graph.findings

        node.open("knowledge_graph", params.knowledge_graph, opened)

    def check_change(
        self,
        params: RetrieveSubgraphParams,
        param: str,
        storages: Storages,
        work: Work,
        graph: CheckedGraph,
    ) -> None:
        """Refuse a root that the knowledge graph does not have."""
        del graph
        name, root = params.knowledge_graph, params.root_node_id
        if param != "root_node_id" or not name or not root:
            return
        known = storages.graphs.searcher(name, work).graph
        if root not in known:
            raise InspectorError(
                Code.InvalidParamValue,
                f'there is no node "{root}" in {name}',
                place=Place(node=work.node, param=param),
                hint=near_node(known, root) or "name a node_id of the knowledge graph",
            )

    def prepare(
        self, params: RetrieveSubgraphParams, storages: Storages, embeddings: bool, work: Work
    ) -> None:
        """Prepare full text, and the embeddings where they are used."""
        if params.knowledge_graph and (params.use_embeddings or not embeddings):
            searcher = storages.graphs.searcher(params.knowledge_graph)
            searcher.prepare(embeddings=embeddings, work=work)

    def run(self, name: str, params: RetrieveSubgraphParams, state: TurnState) -> Outcome:
        query, listing = query_of(name, params.input, state), None
        if query:
            found = state.storages.graphs.candidates(
                params.knowledge_graph, query, embeddings=params.use_embeddings, work=state.work
            )
            listing = SubgraphListing(SubgraphResult.of(found, params.request(query)))
        return state.attach(SubgraphRetrieval(params, params.source or name, query, listing))

    def recorded_stages(self, params: RetrieveSubgraphParams) -> RecordedStages:
        del params
        return (
            (stages.NODES, "node_count"),
            (stages.IN_SCOPE, "in_scope_count"),
            (stages.FOUND, "raw_result_count"),
            (stages.MATCHES, "match_count"),
            (stages.WALKED, "result_count"),
        )


RETRIEVE_SUBGRAPH = RetrieveSubgraph()
