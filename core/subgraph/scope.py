"""Which nodes of a knowledge graph a scope lets through, and why the others are out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.io.request import MAX_SHOWN_CHARS, InvalidRequest
from core.io.wording import cut, did_you_mean
from core.subgraph.knowledge_graph import KnowledgeGraph, TagValue, tag_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.subgraph.request import Scope


_MOST_APART = 4
_MOST_COMPARED = 2000


class ScopeFilter:
    """One scope over one graph.

    `mask` is bool (nodes,), read-only: the nodes that every filter lets through; None when no
    filter is set.

    Raises
    ------
    InvalidRequest
        3007 when `root_node_id` is no node of the graph.
    """

    def __init__(self, graph: KnowledgeGraph, scope: Scope) -> None:
        self.graph = graph
        self.scope = scope
        self._below = self._below_root()
        self.mask: NDArray[np.bool_] | None = None
        if not scope.is_everything:
            self.mask = self._mask()
            self.mask.setflags(write=False)

    def _below_root(self) -> NDArray[np.bool_] | None:
        root = self.scope.root_node_id
        if not root:
            return None
        if root not in self.graph:
            raise InvalidRequest(
                "scope.root_node_id",
                f'there is no node "{root}" in the graph',
                near_node(self.graph, root) or "name a node_id of the knowledge graph",
            )
        below = np.zeros(len(self.graph), dtype=bool)
        below[self.graph.descendants(self.graph.row(root))] = True
        return below

    def _mask(self) -> NDArray[np.bool_]:
        count = len(self.graph)
        mask = np.ones(count, dtype=bool) if self._below is None else self._below.copy()
        parts = [
            self.graph.rows_with_tag(name, value) for name, value in self.scope.tag_filters.items()
        ]
        if self.scope.directory_prefix:
            parts.append(self.graph.rows_in_directory(self.scope.directory_prefix))
        for rows in parts:
            inside = np.zeros(count, dtype=bool)
            inside[rows] = True
            mask &= inside
        return mask

    def why_out(self, row: int) -> str:
        """Say which filter leaves a node out, and on which value: the first one that does."""
        scope, node = self.scope, self.graph.nodes[row]
        if self._below is not None and not self._below[row]:
            return f'scope.root_node_id: it is not below "{scope.root_node_id}"'
        for name, value in scope.tag_filters.items():
            if name not in node.tags:
                return f"scope.tag_filters: it has no tag {name}"
            if not tag_texts(node.tags[name]) & tag_texts(value):
                return (
                    f"scope.tag_filters: {name} is {_quoted(node.tags[name])}, not {_quoted(value)}"
                )
        return (
            "scope.directory_prefix: none of its directories starts with "
            f'"{scope.directory_prefix}"'
        )


def near_node(graph: KnowledgeGraph, name: str) -> str:
    """Say which node may be meant by what is no node_id: by a title, or by an id like it."""
    titled = next((node for node in graph.nodes if node.title.casefold() == name.casefold()), None)
    if titled is not None:
        return f'the node "{titled.title}" has the node_id "{titled.id}"'
    alike = [
        node.id
        for node in graph.nodes
        if abs(len(node.id) - len(name)) <= _MOST_APART
        and (node.id[:1].casefold() == name[:1].casefold() or node.id[-2:] == name[-2:])
    ]
    # Comparing letter by letter takes long, so not with all of a large graph.
    return did_you_mean(name, alike[:_MOST_COMPARED])


def _quoted(value: TagValue) -> str:
    return cut(f'"{value}"' if isinstance(value, str) else repr(value), MAX_SHOWN_CHARS, "...")
