"""Parameters as text for elsewhere: JSON, and code of the game's public client API."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from core.agent.client_languages import LANGUAGES
from core.agent.snippets.changes import changed_mutable
from core.agent.snippets.clients import changed_snippet
from core.agent.snippets.python_calls import change_param_calls

if TYPE_CHECKING:
    from core.agent.description import GraphDescription, Node

__all__ = [
    "LANGUAGES",
    "change_param_calls",
    "changed_mutable",
    "changed_snippet",
    "graph_as_json",
    "params_as_json",
]


def params_as_json(node: Node) -> str:
    """Return all parameters of a node as a JSON object, enumerations by name."""
    values = {
        name: spec.to_json(getattr(node.params, name)) for name, spec in node.params.specs().items()
    }
    return json.dumps(values, ensure_ascii=False, indent=2)


def graph_as_json(graph: GraphDescription) -> str:
    """Return the text of the graph file that saving the graph would write."""
    return json.dumps(graph.to_document(), ensure_ascii=False, indent=2) + "\n"
