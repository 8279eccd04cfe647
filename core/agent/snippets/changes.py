"""What was changed in a graph, node by node: what a running agent takes, and what it does not."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.agent.description import GraphDescription, Node
    from core.nodes import NodeParams


@dataclass(frozen=True, slots=True)
class NodeChange:
    """One node with changed mutable parameters.

    before : the parameters that a running agent has.
    after : the same with the changed mutable ones; structural ones stay as the agent has them.
    changed : names of the changed parameters, in the order of the table.
    unknown : parameters of the node in the graph file that this program does not know.
    """

    name: str
    before: NodeParams
    after: NodeParams
    changed: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphChanges:
    """All that differs between two graphs.

    nodes : what a running agent can be told.
    structural : what only another agent can have, as (node, parameter); ("", parameter) is of
        the graph itself, (node, "") a node that is new, gone, or of another type.
    """

    nodes: tuple[NodeChange, ...]
    structural: tuple[tuple[str, str], ...]


def changed_mutable(node: Node, baseline: NodeParams) -> dict[str, Any]:
    """Return the mutable parameters that differ from `baseline`, by name."""
    return {
        name: getattr(node.params, name)
        for name, spec in node.params.specs().items()
        if not spec.structural and getattr(node.params, name) != getattr(baseline, name)
    }


def changes_of(graph: GraphDescription, baseline: GraphDescription) -> GraphChanges:
    """Return what differs in `graph` from `baseline`, the graph of a running agent."""
    old = {node.name: node.params for node in baseline.nodes}
    new = {node.name for node in graph.nodes}
    unknown = _unknown_params(graph)
    nodes: list[NodeChange] = []
    structural = [
        ("", key)
        for key in ("start_node", "default_model_name")
        if getattr(graph, key) != getattr(baseline, key)
    ]
    structural += [(name, "") for name in old if name not in new]
    for node in graph.nodes:
        before = old.get(node.name)
        if before is None or type(before) is not type(node.params):
            structural.append((node.name, ""))
            continue
        structural += [
            (node.name, name)
            for name, spec in node.params.specs().items()
            if spec.structural and getattr(node.params, name) != getattr(before, name)
        ]
        values = changed_mutable(node, before)
        if values:
            nodes.append(
                NodeChange(
                    node.name,
                    before,
                    dataclasses.replace(before, **values),
                    tuple(values),
                    unknown.get(node.name, ()),
                )
            )
    return GraphChanges(tuple(nodes), tuple(structural))


def _unknown_params(graph: GraphDescription) -> dict[str, tuple[str, ...]]:
    known = {node.name: node.params.specs() for node in graph.nodes}
    entries = graph.to_document()["nodes"]
    return {
        entry["name"]: tuple(
            key for key in entry.get("params", {}) if key not in known.get(entry["name"], {})
        )
        for entry in entries
    }
