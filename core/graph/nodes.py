"""What each node type does in a turn. A new type is one function and one line in the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.graph.answering import canned_response, generate, instruction
from core.graph.searching import keyword_retrieve, retrieve, retrieve_subgraph
from core.parameters import (
    CannedResponseParams,
    GenerateParams,
    InstructionParams,
    KeywordRetrieveParams,
    NodeParams,
    RetrieveParams,
    RetrieveSubgraphParams,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.graph.state import Outcome, TurnState

_RUNNERS: dict[type[NodeParams], Callable[[str, Any, TurnState], Outcome]] = {
    RetrieveParams: retrieve,
    GenerateParams: generate,
    InstructionParams: instruction,
    CannedResponseParams: canned_response,
    KeywordRetrieveParams: keyword_retrieve,
    RetrieveSubgraphParams: retrieve_subgraph,
}


def run_node(name: str, params: NodeParams, state: TurnState) -> Outcome:
    """Run one node.

    Raises
    ------
    InspectorError
        3003 for a node type that does not run here, otherwise what the node itself refuses.
    """
    runner = _RUNNERS.get(type(params))
    if runner is None:
        raise InspectorError(Code.GraphCompilationFailed,
                             f'node "{name}": {params.node_type} does not run here yet',
                             place=Place(node=name))
    return runner(name, params, state)
