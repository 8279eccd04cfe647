"""Which nodes each stage of a subgraph retrieval removed or added; as many as its number says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.hits.stage import StageKind, StageRows
from core.index.candidates import ranks
from core.subgraph import stages

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from core.subgraph.expand import PlacedNode, SubgraphResult

_BACK = "came back through the walk"
_ADDED = "added by the walk"


def stage_rows(result: SubgraphResult, kind: StageKind) -> StageRows | None:
    """Return the nodes that a stage removed, best first, or that it added, in the walk's order.

    None for a stage that a subgraph retrieval does not have.
    """
    found, expansion = result.entry_points, result.expansion
    matches, inside = len(found.match_rows), _rows(expansion.nodes)
    if kind is stages.CAPPED:
        return StageRows.of(_rows(expansion.left_out))
    if kind in (stages.REACHED, stages.WALKED):
        # In the same order: the matches come first.
        added = np.concatenate([inside, _rows(expansion.left_out)])[matches:]
        return StageRows.of(added, inside, _ADDED)
    if kind is stages.MATCHES:
        return StageRows.of(found.found_rows[matches:], inside, _BACK)
    mask = np.ones(len(result.graph), np.bool_) if found.in_scope is None else found.in_scope
    if kind is stages.FOUND:
        mask = ~mask | (ranks(found.found_rows, len(mask)) > 0)
    elif kind is not stages.IN_SCOPE:
        return None
    return StageRows.of(_best_first(~mask, found.found_anywhere), inside, _BACK)


def _best_first(mask: NDArray[np.bool_], ranking: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the rows of a mask: those of the ranking in its order, then the rest as they come."""
    rest = mask & (ranks(ranking, len(mask)) == 0)
    return np.concatenate([ranking[mask[ranking]], np.flatnonzero(rest)])


def _rows(nodes: Iterable[PlacedNode]) -> NDArray[np.int64]:
    return np.array([node.row for node in nodes], dtype=np.int64)
