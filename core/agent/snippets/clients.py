"""The changed parameters of a graph in the terms of each client of the game's server.

The Python client changes one parameter a call. The others send a node's whole table, with which
the server compares what it has. Unity and Unreal hand out a copy of the table in force, and only
what differs is set; the C++ client keeps none, so its table is filled from the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.agent.snippets.changes import GraphChanges, NodeChange, changes_of
from core.agent.snippets.literals import (
    CppLiterals,
    Literals,
    PythonLiterals,
    UnityLiterals,
    UnrealLiterals,
)
from core.agent.snippets.python_calls import python_calls
from core.nodes.kind import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.agent.description import GraphDescription

_LONGEST_REMARK = 60
_CPP_KEYWORDS = ("template",)


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
    writer, literals = _CLIENTS[language]
    changes = changes_of(graph, baseline)
    if not changes.nodes and not changes.structural:
        return f"{literals.comment} No parameter differs from the graph file.\n"
    blocks = writer(changes) if changes.nodes else []
    if changes.structural:
        blocks.append(_fixed(changes, literals))
    return "\n\n".join(blocks) + "\n"


def _fixed(changes: GraphChanges, literals: Literals) -> str:
    lines = ["Fixed once an agent exists, so not sent here; make a new agent from the graph file:"]
    for node, param in changes.structural:
        what = ".".join(literals.name(part) for part in (node, param) if part)
        lines.append(f"- {what}" if param else f"- {what} (another node)")
    return "\n".join(f"{literals.comment} {line}" for line in lines)


def _python(changes: GraphChanges) -> list[str]:
    return [
        "\n".join(
            python_calls(
                (
                    change.name,
                    change.after,
                    {name: getattr(change.after, name) for name in change.changed},
                )
                for change in changes.nodes
            )
        )
    ]


def _cpp(changes: GraphChanges) -> list[str]:
    head = "using namespace Tryll::Client;\nusing namespace Tryll::NodeParams;"
    return _typed(changes, head, CppLiterals(), _cpp_block)


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


def _unity(changes: GraphChanges) -> list[str]:
    return _typed(changes, "using Tryll.Client;", UnityLiterals(), _unity_block)


def _unity_block(change: NodeChange, variable: str, literals: Literals) -> list[str]:
    table, node = f"Tryll{change.after.node_type}Params", literals.quoted(change.name)
    lines = [f"var {variable} = ({table})agent.GetNodeParamsBaseline({node}).Clone();"]
    for name, value in _changed_values(change, literals):
        lines.append(_assigned(f"{variable}.{_pascal(name)}", value))
    return [*lines, f"agent.ChangeParams({node}, {variable});"]


def _unreal(changes: GraphChanges) -> list[str]:
    head = (
        '#include "Generated/TryllGraphBuilder.Nodes.h"\n'
        '#include "Generated/TryllNodeParamsFactory.h"'
    )
    return _typed(changes, head, UnrealLiterals(), _unreal_block)


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


def _typed(
    changes: GraphChanges,
    head: str,
    literals: Literals,
    block: Callable[[NodeChange, str, Literals], list[str]],
) -> list[str]:
    """Return the head and one block a node; a node that the clients lack gets a comment."""
    taken: set[str] = set()
    blocks = []
    for change in changes.nodes:
        if not kind_of(change.after).is_in_game:
            blocks.append(_unsendable(change, literals))
            continue
        variable = _unused(literals.variable(change.name), taken)
        blocks.append("\n".join(block(change, variable, literals)))
    return [head, *blocks] if taken else blocks


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


_CLIENTS: dict[str, tuple[Callable[[GraphChanges], list[str]], Literals]] = {
    "python": (_python, PythonLiterals()),
    "cpp": (_cpp, CppLiterals()),
    "unity": (_unity, UnityLiterals()),
    "unreal": (_unreal, UnrealLiterals()),
}
