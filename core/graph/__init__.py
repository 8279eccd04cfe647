"""Description → agent → turn. Scripts import what the game's own client calls the same way."""

from core.graph.agent import Agent
from core.graph.description import GraphDescription, Node
from core.graph.workspace import Workspace
from core.parameters import (
    CannedResponseParams,
    ClassifyIntentLLMParams,
    ClassifyIntentParams,
    GenerateAndSpeakParams,
    GenerateParams,
    HumanMessageGuardrailParams,
    InstructionParams,
    IntentToInstructionParams,
    KnowledgeSourceKind,
    NodeParams,
    Placement,
    RetrievalMode,
    RetrieveParams,
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
    "GenerateAndSpeakParams",
    "GenerateParams",
    "GraphDescription",
    "HumanMessageGuardrailParams",
    "InstructionParams",
    "IntentToInstructionParams",
    "KnowledgeSourceKind",
    "Node",
    "NodeParams",
    "Placement",
    "RetrievalMode",
    "RetrieveParams",
    "SelectionStrategy",
    "SpeakParams",
    "ToolCallParams",
    "Workspace",
    "WriteToMemoryParams",
]
