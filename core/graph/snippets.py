"""Parameters as text for elsewhere: JSON, and calls of the public client API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from core.graph.description import Node
    from core.parameters import NodeParams


def params_as_json(node: Node) -> str:
    """Return all parameters of a node as a JSON object, enumerations by name."""
    values = {name: spec.to_json(getattr(node.params, name))
              for name, spec in node.params.specs().items()}
    return json.dumps(values, ensure_ascii=False, indent=2)


def changed_mutable(node: Node, baseline: NodeParams) -> dict[str, Any]:
    """Return the mutable parameters that differ from `baseline`, by name."""
    return {name: getattr(node.params, name) for name, spec in node.params.specs().items()
            if not spec.structural and getattr(node.params, name) != getattr(baseline, name)}


def change_param_calls(node: Node, baseline: NodeParams) -> str:
    """Return Python calls that bring a running agent from `baseline` to the node's parameters.

    Without a difference, one call for each mutable parameter that is not at its default.
    """
    values = changed_mutable(node, baseline) or changed_mutable(node, type(node.params)())
    lines = []
    for name, value in values.items():
        shown = node.params.specs()[name].to_json(value)
        lines.append(f"agent.change_param({json.dumps(node.name, ensure_ascii=False)}, "
                     f'"{name}", {shown!r})')
    return "\n".join(lines)
