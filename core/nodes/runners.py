"""What each node type does in a turn. A new type is one function and one line in the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.nodes.answering import canned_response, generate, instruction
from core.nodes.guarding import guardrail
from core.nodes.intents import classify_intent, intent_to_instruction
from core.nodes.memorizing import write_to_memory
from core.nodes.parameters import (
    CannedResponseParams,
    ClassifyIntentLLMParams,
    ClassifyIntentParams,
    GenerateAndSpeakParams,
    GenerateParams,
    HumanMessageGuardrailParams,
    InstructionParams,
    IntentToInstructionParams,
    KeywordRetrieveParams,
    NodeParams,
    RetrieveParams,
    RetrieveSubgraphParams,
    SpeakParams,
    ToolCallParams,
    WriteToMemoryParams,
)
from core.nodes.searching import keyword_retrieve, retrieve, retrieve_subgraph
from core.nodes.simulating import classify_intent_llm, speak, tool_call

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.nodes.state import Outcome, TurnState

_RUNNERS: dict[type[NodeParams], Callable[[str, Any, TurnState], Outcome]] = {
    RetrieveParams: retrieve,
    GenerateParams: generate,
    InstructionParams: instruction,
    CannedResponseParams: canned_response,
    KeywordRetrieveParams: keyword_retrieve,
    RetrieveSubgraphParams: retrieve_subgraph,
    WriteToMemoryParams: write_to_memory,
    HumanMessageGuardrailParams: guardrail,
    ClassifyIntentParams: classify_intent,
    IntentToInstructionParams: intent_to_instruction,
    ToolCallParams: tool_call,
    ClassifyIntentLLMParams: classify_intent_llm,
    GenerateAndSpeakParams: generate,
    SpeakParams: speak,
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
        raise InspectorError(
            Code.GraphCompilationFailed,
            f'node "{name}": {params.node_type} does not run here',
            place=Place(node=name),
        )
    return runner(name, params, state)
