"""What a stage of a subgraph retrieval counts can be listed, with what became of each node."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.hits.hit import Reason
from core.subgraph import stages
from core.subgraph.depths import ExpansionDepth
from core.subgraph.expand import MAX_NODES, SubgraphResult
from core.subgraph.knowledge_graph import GraphNode, KnowledgeGraph
from core.subgraph.listing import SubgraphListing
from core.subgraph.request import Scope, SubgraphRequest
from core.subgraph.search import SubgraphSearch
from core.subgraph.stages import subgraph_stages
from tests.core.drawn_graphs import graphs

pytestmark = pytest.mark.slow  # long searches for counterexamples


def listed(
    graph: KnowledgeGraph,
    query: str,
    top_k: int,
    depth: ExpansionDepth,
    scope: Scope | None = None,
    *,
    embeddings: bool = False,
) -> SubgraphListing:
    distances = np.linspace(1.0, 0.0, len(graph), dtype=np.float32)
    search = SubgraphSearch(graph, (lambda _query: distances) if embeddings else None)
    request = SubgraphRequest(query, top_k, depth, scope or Scope())
    return SubgraphListing(SubgraphResult.of(search.candidates(query), request))


def family(count: int) -> KnowledgeGraph:
    """A hub that is called lamp, its children, and one that is called lamp too."""
    children = [GraphNode(f"n{number}", "leaf", parents=("hub",)) for number in range(count)]
    return KnowledgeGraph(
        [GraphNode("hub", "lamp lamp lamp"), *children, GraphNode("far", "lamp", parents=("n0",))],
        [],
        "family",
    )


@settings(max_examples=150, deadline=None)
@given(
    graph=graphs(),
    top_k=st.integers(1, 4),
    depth=st.sampled_from(ExpansionDepth),
    root=st.integers(0, 5),
    embeddings=st.booleans(),
)
def test_each_number_of_the_funnel_has_as_many_rows(
    graph: KnowledgeGraph, top_k: int, depth: ExpansionDepth, root: int, *, embeddings: bool
) -> None:
    scope = Scope(graph.nodes[root].id) if root < len(graph) else Scope()
    query = graph.nodes[0].title or "node"
    listing = listed(graph, query, top_k, depth, scope, embeddings=embeddings)
    inside = set(listing.hit_rows.tolist())
    for stage in subgraph_stages(listing.counts)[1:]:
        found = listing.stage_rows(stage.kind)
        assert found is not None
        rows = found.rows.tolist()
        assert len(rows) == len(set(rows)) == abs(stage.removed), stage.label
        assert set(found.told()) == set(rows) & inside


def test_a_node_beyond_top_k_that_the_walk_reached_came_back() -> None:
    listing = listed(family(3), "lamp", 1, ExpansionDepth.DEEP)
    found = listing.stage_rows(stages.MATCHES)
    assert found is not None
    assert found.told() == {listing.row_of("far"): "came back through the walk"}


def test_nodes_beyond_the_cap_are_near_misses_with_their_place() -> None:
    listing = listed(family(MAX_NODES + 20), "lamp", 1, ExpansionDepth.DEEP)
    found = listing.stage_rows(stages.CAPPED)
    assert found is not None
    # The hub, all leaves and the far node are reached: 20 leaves and that node are too many.
    assert len(found.rows) == 1 + MAX_NODES + 20 + 1 - MAX_NODES
    assert listing.near_miss_rows(1000) == found.rows.tolist()
    stories = [listing.story(row) for row in found.rows.tolist()]
    assert {story.reason for story in stories} == {Reason.CAP}
    assert stories[0].needs == "out of reach: place 501, a result has at most 500"
    assert (stories[-1].id, stories[-1].needs) == ("far", "top_k ≥ 2")


def test_a_node_that_nothing_found_says_why() -> None:
    plain = listed(family(300), "lamp", 1, ExpansionDepth.NONE)
    told = plain.story(plain.row_of("n0"))
    assert (told.reason, told.needs) == (
        Reason.WORDS,
        "out of reach: it has no word of the question",
    )
    by_meaning = listed(family(300), "lamp", 1, ExpansionDepth.NONE, embeddings=True)
    told = by_meaning.story(by_meaning.row_of("n0"))
    assert (told.reason, told.needs) == (
        Reason.LEG_DEPTH,
        "out of reach: not among the best 200 of either leg",
    )
    scoped = listed(family(3), "lamp", 1, ExpansionDepth.NONE, Scope("far"))
    told = scoped.story(scoped.row_of("n0"))
    assert (told.reason, told.needs) == (
        Reason.SCOPE,
        'scope.root_node_id: it is not below "far"',
    )
