"""Matches, what is around them, and near-misses of a subgraph retrieval, as tables show them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from core.hits.hit import Hit, Reason
from core.hits.listing import Bar, ScoreLine, SortKeys, Timing, sort_keys
from core.hits.words import QueryWords
from core.index.candidates import ranks
from core.subgraph.entry_points import RRF_K, SubgraphMatch
from core.subgraph.expand import PlacedNode, SubgraphResult, Via
from core.subgraph.search import TITLE_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


_STEPS = {Via.PARENT: "parent of", Via.CHILD: "child of"}


@dataclass(frozen=True, slots=True)
class SubgraphCounts:
    """How many nodes each stage lets through, and how many the walk adds.

    nodes, in_scope, found, matches : as in `core.subgraph.entry_points.MatchCounts`.
    reached : the matches and all nodes that the walk comes to.
    nodes_in_result : of those, the ones that the cap leaves: what goes into the prompt.
    connections : between the nodes in the result.
    """

    nodes: int
    in_scope: int
    found: int
    matches: int
    reached: int
    nodes_in_result: int
    connections: int


class SubgraphListing:
    """A `core.hits.listing.Listing` of graph nodes; rows are those of the graph.

    Its hits are the matches and then the nodes that the walk adds, in the order of the result:
    all of them go into the prompt. A node that the walk reached is no near-miss, though it may
    have missed `top_k`.
    """

    is_complete = True
    known_reasons = frozenset({Reason.SCOPE, Reason.TOP_K})
    known_fields: tuple[str, ...] | None = None

    def __init__(self, result: SubgraphResult) -> None:
        self.result = result
        self.candidates = result.entry_points.candidates
        self._placed = {node.row: node for node in result.expansion.nodes}
        self.hit_rows: NDArray[np.int64] = np.fromiter(
            self._placed, dtype=np.int64, count=len(self._placed)
        )
        self._stories: dict[int, Hit] = {}

    @property
    def counts(self) -> SubgraphCounts:
        """The counts of every stage."""
        found, expansion = self.result.entry_points.counts, self.result.expansion
        return SubgraphCounts(
            found.nodes,
            found.in_scope,
            found.found,
            found.matches,
            expansion.reached,
            len(expansion.nodes),
            len(expansion.lines),
        )

    @property
    def search(self) -> object:
        """The candidates."""
        return self.candidates

    @property
    def record_count(self) -> int:
        """Number of nodes in the graph."""
        return len(self.result.graph)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that its rows have; all matches of full text alone have one reason."""
        if self.candidates.distances is not None:
            numbers = ("distance", "rank_dense", "rank_sparse")
            return ("rank", "title", "score", "match_reason", *numbers)
        if len(self.hit_rows) > len(self.result.entry_points.matches):
            return ("rank", "title", "score", "match_reason")
        return ("rank", "title", "score")

    @property
    def bar(self) -> Bar | None:
        """The score, ending at the best one."""
        best = self.result.entry_points.matches[:1]
        return Bar("score", best[0].score) if best else None

    @cached_property
    def words(self) -> QueryWords:
        """The query's words as full text sees them."""
        return QueryWords(frozenset(self.candidates.tokens))

    @property
    def marks(self) -> Mapping[str, Sequence[float]]:
        """No value of a parameter stands out."""
        return {}

    @property
    def timing(self) -> Timing:
        """How long the search took."""
        return Timing(self.candidates.search_ms)

    @cached_property
    def hits(self) -> tuple[Hit, ...]:
        """The nodes of the result, matches first."""
        return tuple(self.story(row) for row in self.hit_rows.tolist())

    @cached_property
    def _near_rows(self) -> NDArray[np.int64]:
        return self._without_result(self.result.entry_points.near_miss_rows())

    def _without_result(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        outside: NDArray[np.bool_] = ranks(self.hit_rows, self.record_count)[rows] == 0
        return rows[outside]

    @property
    def near_miss_count(self) -> int:
        """How many nodes were found, and are neither matches nor reached by the walk."""
        return len(self._near_rows)

    def near_miss_rows(self, limit: int, reason: Reason | None = None) -> list[int]:
        """Return the first `limit` near-misses: those that `top_k` cut off before the others."""
        rows = (
            self._near_rows
            if reason is None
            else self._without_result(self.result.entry_points.near_miss_rows(reason))
        )
        found: list[int] = rows[:limit].tolist()
        return found

    def near_miss_keys(self, field: str, rows: Sequence[int]) -> SortKeys:
        """Return what near-misses are sorted by."""
        return sort_keys([self.story(row) for row in rows], field)

    def row_of(self, hit_id: str) -> int:
        """Return the row of the node with this id, or −1."""
        return self.result.graph.row(hit_id) if hit_id in self.result.graph else -1

    def placed(self, row: int) -> PlacedNode | None:
        """Return how the walk came to a node; None for one that is not in the result."""
        return self._placed.get(row)

    def story(self, row: int) -> Hit:
        """Return everything about one node (made once, then kept)."""
        known = self._stories.get(row)
        if known is None:
            known = self._stories[row] = self._tell(row)
        return known

    def _tell(self, row: int) -> Hit:
        node, text = self.result.graph.nodes[row], self.result.chunk_text(row)
        return replace(self._told(row, node.id, text), title=node.title or node.id)

    def _told(self, row: int, node_id: str, text: str) -> Hit:
        placed = self._placed.get(row)
        if placed is not None and placed.via is not Via.MATCH:
            return Hit(row, node_id, text, Reason.NONE, None, match_reason=self.step(placed))
        found = self.result.entry_points.story(row)
        if found is None:
            return Hit(row, node_id, text, Reason.TOP_K, None, needs="no word of the question")
        return Hit(
            row,
            node_id,
            text,
            found.reason,
            found.rank,
            distance=found.distance,
            exact_distance=found.distance,
            bm25_score=found.fts_score,
            rank_dense=found.rank_dense,
            rank_sparse=found.rank_fts,
            needs=found.needs,
            score=found.score,
            match_reason=found.match_reason,
        )

    def step(self, placed: PlacedNode) -> str:
        """Return how the walk came to a node, "" for a match.

        ``child of Old Town``; with a connection from the node ``→ opens → Box``, and with one to
        it ``← opens ← Key``.
        """
        if placed.from_row is None:
            return ""
        graph = self.result.graph
        title = graph.nodes[placed.from_row].title
        if placed.line is None:
            return f"{_STEPS[placed.via]} {title}"
        arrow = "→" if graph.from_rows[placed.line] == placed.row else "←"
        label = graph.connections[placed.line].label
        return f"{arrow} {label} {arrow} {title}" if label else f"{arrow} {title}"

    def score_lines(self, row: int) -> tuple[ScoreLine, ...]:
        """Say which leg found the node and how well, or how the walk came to it."""
        placed, found = self._placed.get(row), self.result.entry_points.story(row)
        lines = []
        if placed is not None and placed.from_row is not None:
            lines.append(ScoreLine("in the result as", self.step(placed)))
            lines.append(ScoreLine("steps from a match", str(placed.ring)))
        if found is None:
            return (*lines, ScoreLine("score", "no word of the question is found in it"))
        if found.rank is not None:
            lines.append(ScoreLine("rank", str(found.rank)))
        if found.fts_score is not None:
            lines.append(
                ScoreLine("full text score", f"{found.fts_score:.6f}", f"title × {TITLE_WEIGHT}")
            )
        lines += [
            ScoreLine(name, str(rank))
            for name, rank in (("full text rank", found.rank_fts), ("dense rank", found.rank_dense))
            if rank is not None and self.candidates.distances is not None
        ]
        if found.distance is not None:
            lines.append(ScoreLine("cosine distance", f"{found.distance:.6f}"))
            lines.append(ScoreLine("fused score", _fused(found)))
        return tuple(lines)

    def metadata(self, row: int) -> Mapping[str, Any]:
        """Return title, ancestry (root first), directories and tags of the node."""
        graph = self.result.graph
        node = graph.nodes[row]
        return {
            "title": node.title,
            "path": " → ".join(graph.path(row)),
            "directories": list(node.directories),
            **{f"tag {name}": value for name, value in node.tags.items()},
        }


def _fused(found: SubgraphMatch) -> str:
    parts = [
        f"1/({RRF_K}+{rank})" for rank in (found.rank_dense, found.rank_fts) if rank is not None
    ]
    return f"{' + '.join(parts)} = {found.score:.4f}"
