"""Description → agent → turn. Scripts import what the game's own client calls the same way."""

from core.agent.agent import Agent
from core.agent.description import GraphDescription, Node
from core.agent.workspace import Workspace
from core.nodes import (
    CannedResponseParams,
    ClassifyIntentLLMParams,
    ClassifyIntentParams,
    ExpansionDepth,
    GenerateAndSpeakParams,
    GenerateParams,
    HumanMessageGuardrailParams,
    InstructionParams,
    IntentToInstructionParams,
    KeywordRetrieveParams,
    KnowledgeSourceKind,
    NodeParams,
    Placement,
    RetrievalMode,
    RetrieveParams,
    RetrieveSubgraphParams,
    SelectionStrategy,
    SpeakParams,
    ToolCallParams,
    WriteToMemoryParams,
)

__all__ = [
    "Agent",
    "CannedResponseParams",
    "ClassifyIntentLLMParams",
    "ClassifyIntentParams",
    "ExpansionDepth",
    "GenerateAndSpeakParams",
    "GenerateParams",
    "GraphDescription",
    "HumanMessageGuardrailParams",
    "InstructionParams",
    "IntentToInstructionParams",
    "KeywordRetrieveParams",
    "KnowledgeSourceKind",
    "Node",
    "NodeParams",
    "Placement",
    "RetrievalMode",
    "RetrieveParams",
    "RetrieveSubgraphParams",
    "SelectionStrategy",
    "SpeakParams",
    "ToolCallParams",
    "Workspace",
    "WriteToMemoryParams",
]
