"""Graph-aware retrieval, Pass 2: what surrounds the matches, and the response.

The walk, depth by depth:

``none``
    The matches. No connections.
``shallow``
    And the parents and children of every match.
``standard``
    And the other end of every connection of a match, in both directions.
``deep``
    And, from every node found so far, its parents, children and connected nodes once more.

From ``shallow`` on, every connection both of whose ends are in the result is in it too.

Order: the matches by rank (ring 0), then the nodes one step away (ring 1), then those two steps
away (ring 2). Inside a ring the nodes of the ring before take turns: each gives its first
neighbour that no earlier ring has, then each its second, and so on; its parents in their own
order, then its children, then its connected nodes, both in file order. So a node with hundreds of
children does not crowd out the neighbours of the others. Of more than `MAX_NODES` nodes the first
are kept, which are the nearest, and `Expansion.note` says so. The scope chooses matches only: the
walk may leave it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from core.subgraph.depths import ExpansionDepth
from core.subgraph.entry_points import EntryPoints, find_entry_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from core.subgraph.knowledge_graph import KnowledgeGraph
    from core.subgraph.request import SubgraphRequest
    from core.subgraph.search import SubgraphCandidates

MAX_NODES = 500


class Via(StrEnum):
    """What a node of the result is to the node that led to it. MATCH: it is a match itself."""

    MATCH = "match"
    PARENT = "parent"
    CHILD = "child"
    CONNECTION = "connection"


@dataclass(frozen=True, slots=True)
class PlacedNode:
    """One node of the result, and how the walk came to it.

    ring : steps from the nearest match: 0 for a match, 1 or 2.
    via : what it is to `from_row`.
    from_row : the node that led to it, None for a match.
    line : the connection that led to it, None unless `via` is CONNECTION.
    """

    row: int
    ring: int
    via: Via
    from_row: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """The nodes and connections around the matches.

    nodes : at most `MAX_NODES`, in the order that the module describes.
    lines : int64 (m,), the connections between them, in file order.
    left_out : the nodes that the walk reached beyond `MAX_NODES`, in the same order.
    """

    nodes: tuple[PlacedNode, ...]
    lines: NDArray[np.int64]
    left_out: tuple[PlacedNode, ...] = ()

    @property
    def reached(self) -> int:
        """How many nodes the walk reached before the cap."""
        return len(self.nodes) + len(self.left_out)

    @property
    def note(self) -> str:
        """What was left out, or ""."""
        if not self.left_out:
            return ""
        return (
            f"{len(self.left_out)} of {self.reached} nodes are left out: a result has at most "
            f"{MAX_NODES}, the nearest first"
        )


def expand(graph: KnowledgeGraph, match_rows: Iterable[int], depth: ExpansionDepth) -> Expansion:
    """Walk from the matches. Deterministic; costs what the nodes reached have neighbours.

    Parameters
    ----------
    match_rows : rows of the matches, best first, each once.
    """
    found = {row: PlacedNode(row, 0, Via.MATCH) for row in match_rows}
    linked = depth in (ExpansionDepth.STANDARD, ExpansionDepth.DEEP)
    rings = {ExpansionDepth.NONE: 0, ExpansionDepth.DEEP: 2}.get(depth, 1)
    frontier = list(found)
    for ring in range(1, rings + 1):
        frontier = _next_ring(graph, frontier, ring, linked, found)
    reached = tuple(found.values())
    nodes = reached[:MAX_NODES]
    lines = np.empty(0, dtype=np.int64)
    if depth is not ExpansionDepth.NONE:
        inside = np.zeros(len(graph), dtype=bool)
        inside[[node.row for node in nodes]] = True
        lines = np.flatnonzero(inside[graph.from_rows] & inside[graph.to_rows])
    lines.setflags(write=False)
    return Expansion(nodes, lines, reached[MAX_NODES:])


def _next_ring(
    graph: KnowledgeGraph,
    frontier: list[int],
    ring: int,
    linked: bool,
    found: dict[int, PlacedNode],
) -> list[int]:
    """Add the neighbours of the frontier to `found` and return those that are new."""
    turns: list[tuple[int, int, PlacedNode]] = []
    for place, row in enumerate(frontier):
        around: dict[int, PlacedNode] = {}
        for neighbour, via, line in _neighbours(graph, row, linked):
            if neighbour not in found and neighbour not in around:
                around[neighbour] = PlacedNode(neighbour, ring, via, row, line)
        turns += [(turn, place, node) for turn, node in enumerate(around.values())]
    # Round after round, each frontier node gives one.
    turns.sort(key=lambda item: item[:2])
    new = []
    for _, _, node in turns:
        if node.row not in found:
            found[node.row] = node
            new.append(node.row)
    return new


def _neighbours(
    graph: KnowledgeGraph, row: int, linked: bool
) -> Iterator[tuple[int, Via, int | None]]:
    for parent in graph.parents[row]:
        yield parent, Via.PARENT, None
    for child in graph.children[row]:
        yield child, Via.CHILD, None
    if linked:
        for line in graph.links(row).tolist():
            yield graph.other_end(line, row), Via.CONNECTION, line


class SubgraphResult:
    """Matches and what surrounds them. Immutable.

    Attributes
    ----------
    entry_points : Pass 1: matches, near-misses, counts.
    expansion : Pass 2: nodes and connections.
    include_raw_text : whether the response holds the nodes' long texts.
    """

    def __init__(
        self,
        entry_points: EntryPoints,
        depth: ExpansionDepth | None = None,
        include_raw_text: bool | None = None,
    ) -> None:
        request = entry_points.request
        self.entry_points = entry_points
        self.graph = entry_points.candidates.graph
        self.depth = request.expansion_depth if depth is None else depth
        self.include_raw_text = (
            request.include_raw_text if include_raw_text is None else include_raw_text
        )
        self.expansion = expand(self.graph, entry_points.match_rows.tolist(), self.depth)

    @classmethod
    def of(cls, candidates: SubgraphCandidates, request: SubgraphRequest) -> SubgraphResult:
        """Choose the entry points and walk from them.

        Raises
        ------
        InvalidRequest
            3007 when the scope's root is no node of the graph.
        """
        return cls(find_entry_points(candidates, request))

    def response(self) -> dict[str, Any]:
        """Return the response as JSON values, with exactly the keys of the interface.

        A node's `path` holds titles, root first and the node itself last. `text_content` is null
        unless raw text was asked for, and then "" where the node has none.
        """
        return {
            "query": self.entry_points.request.query,
            "matches": [
                {
                    "node_id": match.node_id,
                    "title": match.title,
                    "score": match.score,
                    "match_reason": match.match_reason,
                }
                for match in self.entry_points.matches
            ],
            "nodes": [self._node(placed.row) for placed in self.expansion.nodes],
            "connections": [self._connection(line) for line in self.expansion.lines.tolist()],
        }

    def _node(self, row: int) -> dict[str, Any]:
        node = self.graph.nodes[row]
        return {
            "node_id": node.id,
            "title": node.title,
            "description": node.description,
            "path": list(self.graph.path(row)),
            "tags": dict(node.tags),
            "directories": list(node.directories),
            "text_content": (node.text or "") if self.include_raw_text else None,
        }

    def _connection(self, line: int) -> dict[str, Any]:
        link = self.graph.connections[line]
        nodes = self.graph.nodes
        return {
            "connection_id": link.id,
            "from_node_id": link.from_id,
            "from_title": nodes[int(self.graph.from_rows[line])].title,
            "to_node_id": link.to_id,
            "to_title": nodes[int(self.graph.to_rows[line])].title,
            "label": link.label,
            "connection_type": link.type,
        }

    def chunk_text(self, row: int) -> str:
        """Return a node as a prompt reads it: title, description, and text when asked for.

        Each on a line of its own, empty ones left out.
        """
        node = self.graph.nodes[row]
        parts = [node.title, node.description]
        if self.include_raw_text:
            parts.append(node.text or "")
        return "\n".join(part for part in parts if part)
