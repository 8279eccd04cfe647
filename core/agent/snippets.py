"""Parameters as text for elsewhere: JSON, and code of the clients of the game's server.

The Python client changes one parameter a call. The others send a node's whole table, with which
the server compares what it has. Unity and Unreal hand out a copy of the table in force, and only
what differs is set; the C++ client keeps none, so its table is filled from the graph.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any

from core.agent.literals import (
    CppLiterals,
    Literals,
    PythonLiterals,
    UnityLiterals,
    UnrealLiterals,
    enum_name,
)
from core.nodes.kind import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from core.agent.description import GraphDescription, Node
    from core.nodes import NodeParams


LANGUAGES = {"python": "Python", "cpp": "C++", "unity": "Unity (C#)", "unreal": "Unreal (C++)"}
"""Key → what to call it."""

_LONGEST_REMARK = 60
_CPP_KEYWORDS = ("template",)


def params_as_json(node: Node) -> str:
    """Return all parameters of a node as a JSON object, enumerations by name."""
    values = {
        name: spec.to_json(getattr(node.params, name)) for name, spec in node.params.specs().items()
    }
    return json.dumps(values, ensure_ascii=False, indent=2)


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


def change_param_calls(node: Node, baseline: NodeParams) -> str:
    """Return Python calls that bring a running agent from `baseline` to the node's parameters.

    Without a difference, one call for each mutable parameter that is not at its default.
    """
    values = changed_mutable(node, baseline) or changed_mutable(node, type(node.params)())
    return _python([NodeChange(node.name, baseline, node.params, tuple(values))])


def changed_snippet(language: str, graph: GraphDescription, baseline: GraphDescription) -> str:
    """Return code that brings a running agent from `baseline` to `graph`, all nodes of it.

    Parameters
    ----------
    language : a key of `LANGUAGES`.
    graph : the parameters that are wanted.
    baseline : what the agent was made from.

    What cannot be changed in a running agent is named in a comment. Without a change the whole
    snippet is a comment.
    """
    client = _CLIENTS[language]
    literals = client.literals
    changes = changes_of(graph, baseline)
    if not changes.nodes and not changes.structural:
        return f"{literals.comment} No parameter differs from the graph file.\n"
    blocks = _blocks(changes.nodes, client) if changes.nodes else []
    if changes.structural:
        blocks.append(_fixed(changes, literals))
    return "\n\n".join(blocks) + "\n"


def _fixed(changes: GraphChanges, literals: Literals) -> str:
    lines = ["Fixed once an agent exists, so not sent here; make a new agent from the graph file:"]
    for node, param in changes.structural:
        what = ".".join(literals.name(part) for part in (node, param) if part)
        lines.append(f"- {what}" if param else f"- {what} (another node)")
    return "\n".join(f"{literals.comment} {line}" for line in lines)


def _python(changes: Iterable[NodeChange]) -> str:
    """Return the import that the calls need, if any, and the calls: one parameter each."""
    literals = PythonLiterals()
    enums: set[str] = set()
    lines = []
    for change in changes:
        specs = change.after.specs()
        for name, value in _changed_values(change, literals):
            if issubclass(specs[name].kind, IntEnum):
                enums.add(enum_name(specs[name]))
            lines.append(f'agent.change_param({literals.quoted(change.name)}, "{name}", {value})')
    if enums:
        lines.insert(0, f"from tryll_client.graph import {', '.join(sorted(enums))}\n")
    return "\n".join(lines)


def _cpp_block(change: NodeChange, variable: str, literals: Literals) -> list[str]:
    lines = [f"{change.after.node_type}ParamsT {variable};"]
    for name, spec in change.after.specs().items():
        value, was = getattr(change.after, name), getattr(change.before, name)
        if value == spec.default and value == was:
            continue
        field = f"{name}_" if name in _CPP_KEYWORDS else name
        remark = ""
        if name in change.changed:
            old = literals.value(spec, was)
            remark = (
                f"  // was {old}"
                if len(old) <= _LONGEST_REMARK and "\n" not in old
                else "  // changed"
            )
        lines.append(_assigned(f"{variable}.{field}", literals.value(spec, value)) + remark)
    if change.unknown:
        names = ", ".join(literals.name(name) for name in change.unknown)
        lines.append(f"// The graph file has more of this node; set it as the game does: {names}.")
    return [*lines, f"agent.ChangeParams({literals.quoted(change.name)}, std::move({variable}));"]


def _unity_block(change: NodeChange, variable: str, literals: Literals) -> list[str]:
    table, node = f"Tryll{change.after.node_type}Params", literals.quoted(change.name)
    lines = [f"var {variable} = ({table})agent.GetNodeParamsBaseline({node}).Clone();"]
    for name, value in _changed_values(change, literals):
        lines.append(_assigned(f"{variable}.{_pascal(name)}", value))
    return [*lines, f"agent.ChangeParams({node}, {variable});"]


def _unreal_block(change: NodeChange, variable: str, literals: Literals) -> list[str]:
    table, node = f"UTryll{change.after.node_type}Params", literals.quoted(change.name)
    lines = [
        f"{table}* {variable} = Cast<{table}>(UTryllNodeParamsFactory::CloneParams(",
        f"    AgentComponent->GetNodeParamsBaseline({node}), this));",
    ]
    specs = change.after.specs()
    for name, value in _changed_values(change, literals):
        field = _pascal(name)
        if specs[name].kind is str:
            # An optional text counts only with its switch on, also where it is empty.
            lines.append(f"{variable}->bOverride{field} = true;")
        elif specs[name].kind is bool:
            field = f"b{field}"
        lines.append(_assigned(f"{variable}->{field}", value))
    return [*lines, f"AgentComponent->ChangeParams({node}, {variable});"]


def _blocks(changes: Sequence[NodeChange], client: _Client) -> list[str]:
    """Return the head and one block a node; a node that the clients lack gets a comment."""
    if client.block is None:
        return [_python(changes)]
    literals = client.literals
    taken: set[str] = set()
    blocks = []
    for change in changes:
        if not kind_of(change.after).is_in_game:
            blocks.append(_unsendable(change, literals))
            continue
        variable = _unused(literals.variable(change.name), taken)
        blocks.append("\n".join(client.block(change, variable, literals)))
    return [client.head, *blocks] if taken else blocks


def _unused(wanted: str, taken: set[str]) -> str:
    variable, number = wanted, 1
    while variable in taken:
        number += 1
        variable = f"{wanted}{number}"
    taken.add(variable)
    return variable


def _unsendable(change: NodeChange, literals: Literals) -> str:
    specs = change.after.specs()
    lines = [
        f"{literals.name(change.name)}: the game's client has no node type "
        f"{change.after.node_type}; changed are:"
    ]
    for name in change.changed:
        shown = str(specs[name].to_json(getattr(change.after, name)))
        cut = shown if len(shown) <= _LONGEST_REMARK else f"{shown[:_LONGEST_REMARK]}..."
        lines.append(f"- {name} = {literals.name(cut)}.")
    return "\n".join(f"{literals.comment} {line}" for line in lines)


def _changed_values(change: NodeChange, literals: Literals) -> list[tuple[str, str]]:
    specs = change.after.specs()
    return [
        (name, literals.value(specs[name], getattr(change.after, name))) for name in change.changed
    ]


def _assigned(target: str, value: str) -> str:
    return f"{target} ={'' if value.startswith(chr(10)) else ' '}{value};"


def _pascal(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


@dataclass(frozen=True, slots=True)
class _Client:
    """How a client is told.

    head : what its code begins with.
    block : writes the lines of one node; None where a parameter is changed a call.
    """

    literals: Literals
    head: str = ""
    block: Callable[[NodeChange, str, Literals], list[str]] | None = None


_CLIENTS = {
    "python": _Client(PythonLiterals()),
    "cpp": _Client(
        CppLiterals(),
        "using namespace Tryll::Client;\nusing namespace Tryll::NodeParams;",
        _cpp_block,
    ),
    "unity": _Client(UnityLiterals(), "using Tryll.Client;", _unity_block),
    "unreal": _Client(
        UnrealLiterals(),
        '#include "Generated/TryllGraphBuilder.Nodes.h"\n'
        '#include "Generated/TryllNodeParamsFactory.h"',
        _unreal_block,
    ),
}
