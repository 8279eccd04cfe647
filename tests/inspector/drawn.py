"""What the drawings of the graph and the subgraph show, read from their scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt

from inspector.widgets.graph_items import EdgeItem, NodeItem
from inspector.widgets.subgraph_items import SubgraphNode

if TYPE_CHECKING:
    from PySide6.QtWidgets import QGraphicsView


def _items(view: QGraphicsView, kind: type[Any]) -> list[Any]:
    items = view.scene().items(Qt.SortOrder.AscendingOrder)
    return [item for item in items if isinstance(item, kind)]


def lit_path(view: QGraphicsView) -> tuple[tuple[str, str], ...]:
    """Return the (node, exit) pairs that are lit, as drawn."""
    return tuple(
        (item.edge.source, route)
        for item in _items(view, EdgeItem)
        for route in item.edge.routes
        if route in item.lit_routes
    )


def node_rows(view: QGraphicsView) -> tuple[int, ...]:
    """Return the rows of the subgraph's nodes that are drawn, in the order of the result."""
    nodes = sorted(_items(view, SubgraphNode), key=lambda node: node._place)
    return tuple(node.row for node in nodes)


def node_item(view: QGraphicsView, key: str | int) -> Any:
    """Return what a node of this name, or this row, is drawn with; None when it is not."""
    nodes = {item.name: item for item in _items(view, NodeItem)}
    nodes |= {item.row: item for item in _items(view, SubgraphNode)}
    return nodes.get(key)
