"""The node types, one file each: parameters, and all that the engine must know of the type."""

from typing import Any

from core.nodes.canned_response import CANNED_RESPONSE, CannedResponseParams, SelectionStrategy
from core.nodes.classify_intent import CLASSIFY_INTENT, ClassifyIntentParams
from core.nodes.classify_intent_llm import CLASSIFY_INTENT_LLM, ClassifyIntentLLMParams
from core.nodes.generate import GENERATE, GenerateParams
from core.nodes.generate_and_speak import GENERATE_AND_SPEAK, GenerateAndSpeakParams
from core.nodes.human_message_guardrail import (
    HUMAN_MESSAGE_GUARDRAIL,
    HumanMessageGuardrailParams,
)
from core.nodes.instruction import INSTRUCTION, InstructionParams
from core.nodes.intent_to_instruction import INTENT_TO_INSTRUCTION, IntentToInstructionParams
from core.nodes.keyword_retrieve import KEYWORD_RETRIEVE, KeywordRetrieveParams
from core.nodes.kind import NodeKind, kind_of
from core.nodes.params import NodeParams, ParamSpec
from core.nodes.retrieve import RETRIEVE, KnowledgeSourceKind, RetrieveParams
from core.nodes.retrieve_subgraph import RETRIEVE_SUBGRAPH, RetrieveSubgraphParams
from core.nodes.speak import SPEAK, SpeakParams
from core.nodes.tool_call import TOOL_CALL, ToolCallParams
from core.nodes.write_to_memory import WRITE_TO_MEMORY, WriteToMemoryParams
from core.prompt.messages import Placement
from core.retrieve.modes import RetrievalMode
from core.subgraph.depths import ExpansionDepth

__all__ = [
    "NODE_KINDS",
    "NODE_TYPES",
    "CannedResponseParams",
    "ClassifyIntentLLMParams",
    "ClassifyIntentParams",
    "ExpansionDepth",
    "GenerateAndSpeakParams",
    "GenerateParams",
    "HumanMessageGuardrailParams",
    "InstructionParams",
    "IntentToInstructionParams",
    "KeywordRetrieveParams",
    "KnowledgeSourceKind",
    "NodeKind",
    "NodeParams",
    "ParamSpec",
    "Placement",
    "RetrievalMode",
    "RetrieveParams",
    "RetrieveSubgraphParams",
    "SelectionStrategy",
    "SpeakParams",
    "ToolCallParams",
    "WriteToMemoryParams",
    "kind_of",
    "node_table",
]

NODE_KINDS: tuple[NodeKind[Any], ...] = (
    RETRIEVE,
    GENERATE,
    INSTRUCTION,
    CANNED_RESPONSE,
    HUMAN_MESSAGE_GUARDRAIL,
    CLASSIFY_INTENT,
    INTENT_TO_INSTRUCTION,
    TOOL_CALL,
    CLASSIFY_INTENT_LLM,
    GENERATE_AND_SPEAK,
    SPEAK,
    WRITE_TO_MEMORY,
    KEYWORD_RETRIEVE,
    RETRIEVE_SUBGRAPH,
)
"""Every node type, in the order in which they are listed."""

NODE_TYPES: dict[str, type[NodeParams]] = {kind.table.node_type: kind.table for kind in NODE_KINDS}
"""The name of a node type → its table of parameters."""


def node_table(type_name: str) -> type[NodeParams] | None:
    """Return the parameter table of a node type (``Retrieve`` or ``RetrieveParams``), or None."""
    return NODE_TYPES.get(type_name.removesuffix("Params"))
