"""Matches, what is around them, and near-misses of a subgraph retrieval, as tables show them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from core.hits.hit import Hit, Reason
from core.hits.listing import Bar, ScoreLine, SortKeys, Timing, sort_keys
from core.hits.numbers import apart, in_detail
from core.hits.words import QueryWords
from core.index.candidates import ranks
from core.subgraph.entry_points import HYBRID_DEPTH, RRF_K, SubgraphMatch
from core.subgraph.expand import MAX_NODES, PlacedNode, SubgraphResult, Via
from core.subgraph.request import MAX_TOP_K
from core.subgraph.search import TITLE_WEIGHT
from core.subgraph.stage_rows import stage_rows
from core.subgraph.stages import SubgraphCounts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from core.hits.stage import StageKind, StageRows
    from core.hits.words import Span
    from core.index.leg_query import LegQuery

_STEPS = {Via.PARENT: "parent of", Via.CHILD: "child of"}


class SubgraphListing:
    """A `core.hits.listing.Listing` of graph nodes; rows are those of the graph.

    Its hits are the matches and then the nodes that the walk adds, in the order of the result:
    all of them go into the prompt. A node that the walk reached is no near-miss, though it may
    have missed `top_k`.
    """

    is_complete = True
    known_fields: tuple[str, ...] | None = None

    def __init__(self, result: SubgraphResult) -> None:
        self.result = result
        self.candidates = result.entry_points.candidates
        self._placed = {node.row: node for node in result.expansion.nodes}
        self._left_out = {
            node.row: place
            for place, node in enumerate(result.expansion.left_out, start=len(self._placed) + 1)
        }
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
        return QueryWords(frozenset(self.candidates.queries[0].kept))

    @property
    def leg_queries(self) -> tuple[LegQuery, ...]:
        """The query as full text, and with embeddings the model, sees it."""
        return self.candidates.queries

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
        left_out = np.fromiter(self._left_out, dtype=np.int64, count=len(self._left_out))
        found = self.result.entry_points.near_miss_rows
        reached = np.concatenate([self.hit_rows, left_out])
        return np.concatenate([left_out, found[ranks(reached, self.record_count)[found] == 0]])

    @property
    def near_miss_count(self) -> int:
        """How many nodes the cap left out, or were found and neither match nor were reached."""
        return len(self._near_rows)

    def near_miss_rows(self, limit: int) -> list[int]:
        """Return the first `limit` near-misses: those beyond the cap, beyond top_k, the others."""
        found: list[int] = self._near_rows[:limit].tolist()
        return found

    def stage_rows(self, kind: StageKind) -> StageRows | None:
        """Return the nodes that a stage removed or added, and which of them are in the result."""
        return stage_rows(self.result, kind)

    def near_miss_keys(self, field: str, rows: Sequence[int]) -> SortKeys:
        """Return what near-misses are sorted by."""
        if field == "score":
            return self._scores[list(rows)]
        return sort_keys([self.story(row) for row in rows], field)

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        """The score of every node, NaN where no leg found it: telling all stories takes long."""
        scores, found = np.full(self.record_count, np.nan), self.result.entry_points
        scores[found.found_anywhere] = found.scores_anywhere
        scores[found.found_rows] = found.found_scores
        return scores

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
        reason, needs = self._why_not(row, found)
        if found is None:
            return Hit(row, node_id, text, reason, None, needs=needs)
        return Hit(
            row,
            node_id,
            text,
            reason,
            found.rank,
            distance=found.distance,
            exact_distance=found.distance,
            bm25_score=found.fts_score,
            rank_dense=found.rank_dense,
            rank_sparse=found.rank_fts,
            needs=needs,
            score=found.score,
            match_reason=found.match_reason,
        )

    def _why_not(self, row: int, found: SubgraphMatch | None) -> tuple[Reason, str]:
        """Return the reason of a node that the walk did not bring in, and what would."""
        place = self._left_out.get(row)
        if place is not None:
            if found is not None and found.rank is not None and found.rank <= MAX_TOP_K:
                return Reason.CAP, found.needs
            return Reason.CAP, f"out of reach: place {place}, a result has at most {MAX_NODES}"
        if found is not None:
            return found.reason, found.needs
        out = self.result.entry_points.why_out(row)
        if out:
            return Reason.SCOPE, out
        if self.candidates.distances is None:
            return Reason.WORDS, "out of reach: it has no word of the question"
        return Reason.LEG_DEPTH, f"out of reach: not among the best {HYBRID_DEPTH} of either leg"

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
                ScoreLine("full text score", in_detail(found.fts_score), f"title × {TITLE_WEIGHT}")
            )
        lines += [
            ScoreLine(name, str(rank))
            for name, rank in (("full text rank", found.rank_fts), ("dense rank", found.rank_dense))
            if rank is not None and self.candidates.distances is not None
        ]
        if found.distance is not None:
            lines.append(ScoreLine("cosine distance", in_detail(found.distance)))
            lines.append(ScoreLine("fused score", self._fused(found)))
        return tuple(lines)

    def unread(self, row: int) -> tuple[Span, ...]:
        """Return nothing: full text reads all of a node."""
        del row
        return ()

    def _fused(self, found: SubgraphMatch) -> str:
        parts = [
            f"1/({RRF_K}+{rank})" for rank in (found.rank_dense, found.rank_fts) if rank is not None
        ]
        others = self.result.entry_points.found_scores.tolist()
        return f"{' + '.join(parts)} = {apart(found.score, others, 4)}"

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
