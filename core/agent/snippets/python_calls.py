"""Calls of the Python client: one parameter each."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from core.agent.snippets.changes import changed_mutable
from core.agent.snippets.literals import PythonLiterals, enum_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from core.agent.description import Node
    from core.nodes import NodeParams

_LITERALS = PythonLiterals()


def change_param_calls(node: Node, baseline: NodeParams) -> str:
    """Return Python calls that bring a running agent from `baseline` to the node's parameters.

    Without a difference, one call for each mutable parameter that is not at its default.
    """
    values = changed_mutable(node, baseline) or changed_mutable(node, type(node.params)())
    return "\n".join(python_calls([(node.name, node.params, values)]))


def python_calls(nodes: Iterable[tuple[str, NodeParams, Mapping[str, Any]]]) -> list[str]:
    """Return the import that the calls need, if any, and the calls.

    Parameters
    ----------
    nodes : name, parameter table and the values to send, of each node.
    """
    enums: set[str] = set()
    lines = []
    for node, params, values in nodes:
        specs = params.specs()
        for name, value in values.items():
            if isinstance(value, IntEnum):
                enums.add(enum_name(specs[name]))
            lines.append(
                f'agent.change_param({_LITERALS.quoted(node)}, "{name}", '
                f"{_LITERALS.value(specs[name], value)})"
            )
    if enums:
        lines.insert(0, f"from tryll_client.graph import {', '.join(sorted(enums))}\n")
    return lines
