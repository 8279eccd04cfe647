"""Fixed subgraphs for panel tests: small knowledge graphs, searched and walked in memory."""

from __future__ import annotations

from core.nodes import ExpansionDepth
from core.subgraph.expand import SubgraphResult
from core.subgraph.knowledge_graph import GraphConnection, GraphNode, KnowledgeGraph
from core.subgraph.listing import SubgraphListing
from core.subgraph.request import SubgraphRequest
from core.subgraph.search import SubgraphSearch

TOWN = KnowledgeGraph(
    [
        GraphNode("town", "Town"),
        GraphNode("mill", "Lamp Mill", parents=("town",)),
        GraphNode("attic", "Attic", parents=("mill",)),
        GraphNode("miller", "Miller"),
        GraphNode("key", "Key"),
        GraphNode("far", "Far Away"),
        GraphNode("second", "Second Lamp", description="a lamp", parents=("attic",)),
    ],
    [
        GraphConnection("c1", "miller", "mill", "owns"),
        GraphConnection("c2", "mill", "key", "is opened by"),
        GraphConnection("c3", "miller", "key", "has lost"),
        GraphConnection("c4", "far", "miller", "writes to"),
    ],
    "town",
)


def walked(
    graph: KnowledgeGraph = TOWN,
    query: str = "lamp mill",
    depth: ExpansionDepth = ExpansionDepth.STANDARD,
    top_k: int = 1,
) -> SubgraphListing:
    """Search and walk."""
    request = SubgraphRequest(query, top_k, depth)
    candidates = SubgraphSearch(graph).candidates(query)
    return SubgraphListing(SubgraphResult.of(candidates, request))


def wide(count: int, title: str = "leaf") -> KnowledgeGraph:
    """One hub, its children, and connections between neighbours."""
    nodes = [GraphNode("hub", "hub")] + [
        GraphNode(f"n{number}", f"{title} {number}", parents=("hub",)) for number in range(count)
    ]
    links = [
        GraphConnection(f"c{number}", f"n{number}", f"n{number + 1}", "leads to")
        for number in range(count - 1)
    ]
    return KnowledgeGraph(nodes, links, "wide")
