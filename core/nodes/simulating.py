"""The exit of a node that only a language model could decide: the user picks it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.io.wording import did_you_mean

if TYPE_CHECKING:
    from core.nodes.params import NodeParams
    from core.nodes.state import TurnState


def picked_exit(name: str, params: NodeParams, default: str, state: TurnState) -> str:
    """Return the exit that the user picked for a node, else the default.

    Raises
    ------
    InspectorError
        3007 for an exit that the node does not have.
    """
    taken = state.request.exits.get(name, default)
    exits = params.exits()
    if taken not in exits:
        raise InspectorError(
            Code.InvalidParamValue,
            f'node "{name}" has no exit "{taken}"',
            place=Place(node=name),
            hint=did_you_mean(taken, exits) or f"one of {', '.join(exits)}",
        )
    return taken
