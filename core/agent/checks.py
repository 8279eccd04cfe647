"""Compile-time checks of a graph that need no other file; all findings at once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from core.errors import InspectorError
from core.io.wording import did_you_mean
from core.nodes.kind import Answer, CheckedGraph, CheckedNode, kind_of
from core.nodes.reference_checks import check_references
from core.nodes.routes import reached

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from core.io.findings import Findings
    from core.nodes.params import NodeParams


def check_graph(
    nodes: Sequence[tuple[str, NodeParams]],
    findings: Findings,
    *,
    indices: Sequence[int],
    start_node: str,
    default_model_name: str,
    unread: Collection[str],
) -> None:
    """Check names, start node, exits, ranges, reachability and models.

    Parameters
    ----------
    nodes : names and parameters.
    indices : the nodes' places in the list of their file.
    unread : names of nodes that could not be read.
    """
    names = [name for name, _ in nodes]
    if not names:
        if not unread:
            findings.error("a graph needs at least one node", "nodes")
        return
    sound = {name: params.sound() for name, params in nodes}
    graph = CheckedGraph(sound, start_node, tuple(unread))
    checked = {
        name: CheckedNode(name, indices[names.index(name)], findings, graph) for name in names
    }
    for name, count in Counter(names).items():
        if not name.strip():
            findings.error("a node needs a non-empty name", "nodes")
        elif count > 1:
            same = (i for i, other in zip(indices, names, strict=True) if other == name)
            where = ", ".join(f"nodes[{i}]" for i in same)
            checked[name].error(
                "",
                f'{count} nodes are called "{name}": {where}',
                hint="give each node its own name",
            )
    known = [*names, *filter(None, unread)]
    if start_node not in known:
        said = (
            f'the start node "{start_node}" does not exist'
            if start_node
            else "the graph names no start node"
        )
        findings.error(
            said, "start_node", hint=did_you_mean(start_node, names) or f"one of {', '.join(names)}"
        )
    for name, params in nodes:
        _check_node(checked[name], params, known)
    if not unread:  # Where those lead, nobody knows.
        on_a_path = reached(sound, [start_node])
        for name in dict.fromkeys(names) if on_a_path else ():
            if name not in on_a_path:
                checked[name].warning("", f'node "{name}" cannot be reached from the start node')
    for name, params in nodes:
        asks = kind_of(params).answer is Answer.REPLY
        if asks and not (getattr(params, "model_name", "") or default_model_name):
            checked[name].warning(
                "model_name", "no model: neither model_name nor the graph's default_model_name"
            )


def _check_node(node: CheckedNode, params: NodeParams, names: Collection[str]) -> None:
    for field, spec in params.specs().items():
        value = getattr(params, field)
        try:
            spec.check(value)
        except InspectorError as error:
            node.error(field, error.message, hint=error.hint, code=error.code)
            continue
        if spec.is_exit and value and value not in names:
            node.error(
                field,
                f'exit {field} of node "{node.name}" leads to "{value}", which is no '
                "node of this graph",
                hint=did_you_mean(value, names) or "leave it empty to end the turn",
            )
    params = params.sound()
    kind_of(params).check(params, node)
    check_references(params, node)
