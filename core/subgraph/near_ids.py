"""Which node may have been meant by an id that no node has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.io.wording import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.subgraph.knowledge_graph import GraphNode

_MOST_COMPARED = 20_000
"""Ids that are compared in all: in a file full of mistakes only the first get a hint."""

_LONGEST_ID = 100


class NearIds:
    """Guesses for the ids of a graph's nodes."""

    def __init__(self, nodes: Sequence[GraphNode]) -> None:
        self._ids = [node.id for node in nodes]
        self._titles = {node.title.casefold(): node.id for node in reversed(nodes)}
        self._compared = 0

    def hint(self, name: str) -> str:
        """Return the id of the node with this title, or a close one, as a hint; "" for neither."""
        titled = self._titles.get(name.casefold())
        if titled:
            return f'that is the title of "{titled}": name the node by its id'
        self._compared += len(self._ids)
        if self._compared > _MOST_COMPARED:
            return ""
        return did_you_mean(name[:_LONGEST_ID], self._ids)
