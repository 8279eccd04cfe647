"""What a node that searches did: one result type for each kind, one protocol for all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from core.keyword.select import KeywordCounts
from core.keyword.stages import keyword_stages
from core.nodes.parameters import RetrievalMode
from core.retrieve.select import Counts, Selection
from core.retrieve.stages import retrieve_stages
from core.subgraph.listing import SubgraphCounts
from core.subgraph.stages import subgraph_stages

if TYPE_CHECKING:
    from core.hits.hit import Hit
    from core.hits.listing import Listing
    from core.hits.stage import Stage
    from core.keyword.listing import KeywordListing
    from core.nodes.parameters import (
        KeywordRetrieveParams,
        NodeParams,
        RetrieveParams,
        RetrieveSubgraphParams,
    )
    from core.subgraph.listing import SubgraphListing


class RetrievalResult(Protocol):
    """What prompt, funnel, tables and diagnostics need of a node that searched. Immutable."""

    @property
    def params(self) -> NodeParams:
        """The node's parameters in force."""

    @property
    def source(self) -> str:
        """The name that templates use for its chunks."""

    @property
    def query(self) -> str:
        """The text that was searched with; "" when the input resolved to nothing."""

    @property
    def listing(self) -> Listing | None:
        """Hits and near-misses; None when there was nothing to search with or in."""

    @property
    def selection(self) -> Selection | None:
        """The listing, where it ranks by distance or BM25; None for the other kinds."""

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The chunks attached to the turn, in the engine's order."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The counts as the stages of a funnel; all 0 without a listing."""

    @property
    def how(self) -> str:
        """The way of searching in a word or two."""

    @property
    def no_distances(self) -> str:
        """Why there are no distances to plot, "" where there are some."""

    @property
    def nothing_found(self) -> tuple[str, str]:
        """What to say, and what to advise, when nothing at all came back."""

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the first `limit` near-misses as JSON data."""

    def diagnostics(self) -> dict[str, Any]:
        """Return the sections ``parameters``, ``input`` and ``output``."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a Retrieve node did. `selection` is None when there was nothing to search with or in."""

    params: RetrieveParams
    source: str
    query: str
    selection: Selection | None

    @property
    def listing(self) -> Listing | None:
        """The selection."""
        return self.selection

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The chunks attached to the turn, in the engine's order."""
        return self.selection.hits if self.selection is not None else ()

    @property
    def counts(self) -> Counts:
        """The counts of every stage; all 0 without a selection."""
        if self.selection is not None:
            return self.selection.counts
        if self.params.retrieval_mode is RetrievalMode.Dense:
            return Counts(0, 0, 0, 0, 0)
        return Counts(
            0, 0, 0, 0, 0, with_query_word=0, dense_raw=0, dense_filtered=0, sparse_raw=0, fused=0
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The counts as the stages of a funnel."""
        return retrieve_stages(self.counts, self.params.retrieval_mode)

    @property
    def how(self) -> str:
        """The mode."""
        return self.params.retrieval_mode.name

    @property
    def no_distances(self) -> str:
        """Why there are no distances: Lexical mode has none, nor has an empty store."""
        if self.params.retrieval_mode is RetrievalMode.Lexical:
            return (
                "Lexical mode has no distances: it counts words (BM25), and the threshold "
                "does nothing. Choose Dense or Hybrid to see distances."
            )
        if self.selection is None:
            return "Nothing was searched, so there are no distances."
        return ""

    @property
    def nothing_found(self) -> tuple[str, str]:
        """What to say when nothing came back."""
        if self.selection is None or not self.selection.candidates.record_count:
            return "This store has no records yet", "WriteToMemory adds them during play"
        if self.params.retrieval_mode is RetrievalMode.Lexical:
            return "No record holds a word of this question", "Dense matches by meaning"
        return "No record came back", "Loosen the filter or raise the threshold"

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the closest near-misses: id, distance, bm25_score, rank, reason, needs."""
        found = self.selection.near_misses(limit) if self.selection is not None else ()
        return [
            {
                "id": hit.id,
                "distance": hit.distance,
                "bm25_score": hit.bm25_score,
                "rank": hit.rank,
                "reason": hit.reason.value,
                "needs": hit.needs,
            }
            for hit in found
        ]

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
        return _sections(section, self.query, [_result(hit) for hit in self.hits])


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


@dataclass(frozen=True, slots=True)
class KeywordRetrieval:
    """What a KeywordRetrieve node did."""

    params: KeywordRetrieveParams
    source: str
    query: str
    listing: KeywordListing | None

    selection = None
    how = "Keyword"
    no_distances = (
        "A keyword retrieval has no distances: its score counts the words that a "
        "question and an entry share. Higher is better."
    )
    nothing_found = (
        "No entry shares a word with this question",
        "Words such as how, the, is do not count",
    )

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The entries attached to the turn, best first."""
        return self.listing.hits if self.listing is not None else ()

    @property
    def counts(self) -> KeywordCounts:
        """The counts of every stage."""
        return (
            self.listing.selection.counts if self.listing is not None else KeywordCounts(0, 0, 0, 0)
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The counts as the stages of a funnel."""
        return keyword_stages(self.counts)

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the best near-misses, and by how much each misses `min_score`."""
        found = self.listing.selection.near_misses(limit) if self.listing is not None else ()
        return [
            {
                "id": miss.entry.path,
                "score": miss.score,
                "match_reason": miss.match_reason,
                "rank": miss.rank,
                "reason": miss.reason.value,
                "needs": miss.needs,
                "misses_by": miss.misses_by,
            }
            for miss in found
        ]

    def diagnostics(self) -> dict[str, Any]:
        """Return parameters with counts, the query, and the entries with score and reason."""
        params, counts = self.params, self.counts
        weights = {
            name: getattr(params, name) for name in params.specs() if name.endswith("_weight")
        }
        return _sections(
            {
                "source": self.source,
                "corpus": params.corpus,
                "k": params.k,
                "min_score": params.min_score,
                **weights,
                "path_cap": params.path_cap,
                "aliases_overlap": params.aliases_overlap,
                "category_weights": params.category_weights,
                "entry_count": counts.entries,
                "raw_result_count": counts.matched,
                "filtered_count": counts.matched - counts.at_or_above,
                "result_count": counts.hits,
            },
            self.query,
            [_scored(hit) for hit in self.hits],
        )


@dataclass(frozen=True, slots=True)
class SubgraphRetrieval:
    """What a RetrieveSubgraph node did."""

    params: RetrieveSubgraphParams
    source: str
    query: str
    listing: SubgraphListing | None

    selection = None
    no_distances = (
        "A subgraph retrieval is drawn as a graph, in the tab Subgraph, and ranks by "
        "score: there is no threshold of distance to move."
    )
    nothing_found = (
        "No node shares a word with this question",
        "Loosen the scope, or use embeddings to match by meaning",
    )

    @property
    def how(self) -> str:
        """The depth of the walk."""
        return f"Subgraph {self.params.expansion_depth}"

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The nodes attached to the turn: the matches, then what the walk adds."""
        return self.listing.hits if self.listing is not None else ()

    @property
    def counts(self) -> SubgraphCounts:
        """The counts of every stage."""
        return (
            self.listing.counts if self.listing is not None else SubgraphCounts(0, 0, 0, 0, 0, 0, 0)
        )

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The counts as the stages of a funnel."""
        return subgraph_stages(self.counts)

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the best near-misses: those that `top_k` cut off, then those out of scope."""
        listing = self.listing
        found = [listing.story(row) for row in listing.near_miss_rows(limit)] if listing else []
        return [
            {
                "id": miss.id,
                "score": miss.score,
                "match_reason": miss.match_reason,
                "rank": miss.rank,
                "reason": miss.reason.value,
                "needs": miss.needs,
            }
            for miss in found
        ]

    def diagnostics(self) -> dict[str, Any]:
        """Return parameters with counts, the query, and the nodes; one without score was added."""
        params, counts = self.params, self.counts
        return _sections(
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
            self.query,
            [_scored(hit) for hit in self.hits],
        )


def _scored(hit: Hit) -> dict[str, Any]:
    return {"id": hit.id, "score": hit.score, "match_reason": hit.match_reason, "text": hit.text}


def _sections(
    parameters: dict[str, Any], query: str, results: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "parameters": parameters,
        "input": {"query": query} if query else {},
        "output": {"results": results},
    }
