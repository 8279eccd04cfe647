"""Compile-time checks of a graph that need no other file; all findings at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from core.errors import InspectorError
from core.io.wording import did_you_mean
from core.nodes.checking import CheckedNode
from core.nodes.kind import Answer, kind_of
from core.nodes.references import stray_references

if TYPE_CHECKING:
    from core.agent.description import GraphDescription, Node
    from core.io.findings import Findings


def check_graph(graph: GraphDescription, findings: Findings) -> None:
    """Check names, start node, exits, ranges, reachability and models."""
    names = [node.name for node in graph.nodes]
    if not names:
        if not graph.unread:
            findings.error("a graph needs at least one node", "nodes")
        return
    for name, count in Counter(names).items():
        if not name.strip():
            findings.error("a node needs a non-empty name", "nodes")
        elif count > 1:
            where = ", ".join(f"nodes[{i}]" for i, other in enumerate(names) if other == name)
            findings.error(
                f'{count} nodes are called "{name}": {where}',
                hint="give each node its own name",
                place=_checked(name, graph, findings).place(),
            )
    if graph.start_node not in {*names, *graph.unread}:
        said = (
            f'the start node "{graph.start_node}" does not exist'
            if graph.start_node
            else ("the graph names no start node")
        )
        findings.error(
            said,
            "start_node",
            hint=did_you_mean(graph.start_node, names) or f"one of {', '.join(names)}",
        )
    for node in graph.nodes:
        _check_node(node, graph, findings)
    _warn_unreachable(with_sound_params(graph), findings)
    for node in graph.nodes:
        asks = kind_of(node.params).answer is Answer.REPLY
        if asks and not (getattr(node.params, "model_name", "") or graph.default_model_name):
            _checked(node.name, graph, findings).warning(
                "model_name", "no model: neither model_name nor the graph's default_model_name"
            )


def with_sound_params(graph: GraphDescription) -> GraphDescription:
    """Return the graph with the refused values of its nodes at their defaults."""
    sound = graph.copy()
    sound.nodes = [replace(node, params=node.params.sound()) for node in graph.nodes]
    return sound


def exit_targets(node: Node) -> dict[str, str]:
    """Map each exit route of the node to its target's name, "" for END."""
    return {route: getattr(node.params, field) for route, field in node.params.exits().items()}


def _check_node(node: Node, graph: GraphDescription, findings: Findings) -> None:
    names = [*(other.name for other in graph.nodes), *graph.unread]
    checked = _checked(node.name, graph, findings)
    for field, spec in node.params.specs().items():
        value = getattr(node.params, field)
        try:
            spec.check(value)
        except InspectorError as error:
            checked.error(field, error.message, code=error.code)
            continue
        if spec.is_exit and value and value not in names:
            checked.error(
                field,
                f'exit {field} of node "{node.name}" leads to "{value}", which is no '
                "node of this graph",
                hint=did_you_mean(value, names) or "leave it empty to end the turn",
            )
    params = node.params.sound()
    kind_of(params).check(params, checked)
    for field, text in stray_references(params, names):
        checked.warning(
            field,
            f"nothing replaces {text}",
            hint="there are {{user_message}}, {{var.NAME}} and "
            "{{node.NAME.output}} of a node of this graph",
        )


def _warn_unreachable(graph: GraphDescription, findings: Findings) -> None:
    if graph.unread:
        return  # Where those lead, nobody knows.
    nodes = {node.name: node for node in graph.nodes}
    reached: set[str] = set()
    queue = [graph.start_node]
    while queue:
        name = queue.pop()
        if name in nodes and name not in reached:
            reached.add(name)
            queue.extend(exit_targets(nodes[name]).values())
    if not reached:
        return
    for name in nodes:
        if name not in reached:
            findings.warning(
                f'node "{name}" cannot be reached from the start node',
                place=_checked(name, graph, findings).place(),
            )


def _checked(name: str, graph: GraphDescription, findings: Findings) -> CheckedNode:
    index = next(i for i, other in enumerate(graph.nodes) if other.name == name)
    return CheckedNode(name, index, findings)
