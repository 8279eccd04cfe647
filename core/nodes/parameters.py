"""Every node's parameters: default, range, unit, structural or mutable. Validated here, only here.

The tables follow the Retrieve node's reference page and the sister pages of the same system.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

from core.nodes.params import NodeParams, ParamSpec, did_you_mean
from core.nodes.params import exit_param as _exit
from core.nodes.params import param as _param

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
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
    "did_you_mean",
    "node_table",
]


class Placement(IntEnum):
    """Where a Generate node's rendered template goes among the messages."""

    InPlaceOfUser = 0
    BeforeUserAsUser = 1
    BeforeUserAsSystem = 2
    AfterUserAsUser = 3
    AfterUserAsSystem = 4


class SelectionStrategy(IntEnum):
    """How a CannedResponse node picks its line."""

    Random = 0
    First = 1
    RoundRobin = 2


class RetrievalMode(IntEnum):
    """Dense = by meaning, Lexical = by keywords (BM25), Hybrid = both, fused."""

    Dense = 0
    Lexical = 1
    Hybrid = 2


class KnowledgeSourceKind(IntEnum):
    """FromFile = a prebuilt knowledge file, FromName = a memory store that play fills."""

    FromFile = 0
    FromName = 1


class ExpansionDepth(StrEnum):
    """How far a subgraph retrieval walks from its matches (`core.subgraph.expand`)."""

    NONE = "none"
    SHALLOW = "shallow"
    STANDARD = "standard"
    DEEP = "deep"


def _json_values(text: str, fits: Callable[[Any], bool], wanted: str) -> str:
    """Say what is wrong with the text of a JSON object of name: value, "" when nothing is."""
    if not text.strip():
        return ""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"invalid JSON: {error}"
    if not isinstance(values, dict):
        return "expected a JSON object of name: value"
    for name, value in values.items():
        if not fits(value):
            return f"{name}: expected {wanted}, found {json.dumps(value)[:60]}"
    return ""


def _tag_filters_problem(text: str) -> str:
    return _json_values(
        text,
        lambda value: isinstance(value, str | int | float) and value == value,
        "a text, a number, true or false",
    )


def _weights_problem(text: str) -> str:
    return _json_values(
        text,
        lambda value: (
            isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
        ),
        "a number of 0 or more",
    )


_INPUT_HELP = (
    "Text to search with: the player's message or an earlier node's output. "
    "Empty = the player's message."
)
_SOURCE_HELP = (
    "Name that templates use for these results (knowledge_NAME). Empty = the node's name."
)


@dataclass(frozen=True, kw_only=True)
class RetrieveParams(NodeParams):
    """Parameters of Retrieve: search a storage, attach the surviving chunks."""

    node_type: ClassVar[str] = "Retrieve"
    attaches_knowledge: ClassVar[bool] = True

    input: str = _param("", structural=True, text=_INPUT_HELP)
    source_kind: KnowledgeSourceKind = _param(
        KnowledgeSourceKind.FromFile,
        structural=True,
        text=(
            "FromFile = a prebuilt knowledge file. FromName = a memory store that the game fills "
            "during play."
        ),
    )
    embedded_string_storage: str = _param(
        "",
        structural=True,
        file_kind="knowledge",
        text=("Knowledge file to search, relative to the storage root. Used with FromFile."),
    )
    filter: str = _param(
        "",
        multiline=True,
        text=(
            "JSON filter on chunk metadata; only matching chunks are searched. Empty = no filter."
        ),
    )
    storage_name: str = _param(
        "",
        structural=True,
        text=("Memory store to search, by name. Used with FromName; may hold {{var.NAME}}."),
    )
    schema: str = _param(
        "",
        structural=True,
        text=(
            "Record schema of the store. Required with FromName; with FromFile, checked against "
            "the file."
        ),
    )
    retrieval_mode: RetrievalMode = _param(
        RetrievalMode.Dense,
        text=(
            "Dense = match by meaning. Lexical = match by keywords (BM25). Hybrid = both, merged."
        ),
    )
    top_k: int = _param(2, low=1, high=1000, text=("How many matching chunks to return at most."))
    threshold: float = _param(
        0.5,
        low=0.0,
        high=2.0,
        text=(
            "Largest cosine distance at which a chunk still counts: 0 = identical, 2 = opposite. "
            "0 as a threshold = no limit. Ignored in Lexical mode."
        ),
    )
    rrf_k: int = _param(
        60,
        low=1,
        high=1000,
        text=(
            "Hybrid only: how strongly the merge favours top-ranked hits. Higher = flatter. "
            "60 is the standard value."
        ),
    )
    source: str = _param("", text=_SOURCE_HELP)
    found_exit: str = _exit("when at least one chunk is found")
    not_found_exit: str = _exit("when nothing is found")


def _weight(default: float, field: str) -> Any:
    return _param(
        default,
        low=0.0,
        high=100.0,
        text=(f"Points of each word of the question that an entry has in its {field}."),
    )


@dataclass(frozen=True, kw_only=True)
class KeywordRetrieveParams(NodeParams):
    """Parameters of KeywordRetrieve: rank the entries of a corpus by shared words."""

    node_type: ClassVar[str] = "KeywordRetrieve"
    attaches_knowledge: ClassVar[bool] = True

    input: str = _param("", structural=True, text=_INPUT_HELP)
    corpus: str = _param(
        "",
        structural=True,
        file_kind="corpus",
        text=(
            "Folder of Markdown files, or a knowledge file whose records are the entries, relative "
            "to the storage root. A dot = the root itself."
        ),
    )
    summary_field: str = _param(
        "summary",
        structural=True,
        text=(
            "Metadata field of a knowledge file that is taken for an entry's summary. Markdown "
            "files "
            "have theirs in the front matter."
        ),
    )
    preview_chars: int = _param(
        500,
        low=0,
        high=1_000_000,
        structural=True,
        text=("How many characters of an entry's text are read, front matter included."),
    )
    k: int = _param(5, low=1, high=1000, text="How many entries to return at most.")
    min_score: float = _param(
        2.0,
        low=0.0,
        text=("Smallest score at which an entry still counts. Higher = fewer and better ones."),
    )
    path_weight: float = _weight(2.0, "path (folders and file name)")
    path_cap: int = _param(3, low=0, high=1000, text=("At most this many words of the path count."))
    summary_weight: float = _weight(1.5, "summary")
    aliases_weight: float = _weight(2.0, "aliases")
    aliases_overlap: int = _param(
        2,
        low=0,
        high=1000,
        text=("The aliases count only when at least this many of their words match."),
    )
    content_weight: float = _weight(1.0, "text")
    related_weight: float = _weight(0.5, "cross-linked entries' summaries")
    category_weights: str = _param(
        "",
        multiline=True,
        text_rule=_weights_problem,
        text=(
            'JSON object category: factor, e.g. {"concepts": 1.5}. An entry\'s category is its '
            "first "
            "folder; its score is multiplied by the factor. What is given here comes on top of the "
            "usual factors."
        ),
    )
    other_category_weight: float = _param(
        1.0, low=0.0, high=100.0, text=("Factor of every category that has none of its own.")
    )
    source: str = _param("", text=_SOURCE_HELP)
    found_exit: str = _exit("when at least one entry is found")
    not_found_exit: str = _exit("when nothing is found")


@dataclass(frozen=True, kw_only=True)
class RetrieveSubgraphParams(NodeParams):
    """Parameters of RetrieveSubgraph: find nodes of a knowledge graph, and what is around them."""

    node_type: ClassVar[str] = "RetrieveSubgraph"
    attaches_knowledge: ClassVar[bool] = True

    input: str = _param("", structural=True, text=_INPUT_HELP)
    knowledge_graph: str = _param(
        "",
        structural=True,
        file_kind="knowledge_graph",
        text=("Knowledge graph file to search, relative to the storage root."),
    )
    top_k: int = _param(
        5, low=1, high=50, text=("How many matches at most, before the walk from them.")
    )
    expansion_depth: ExpansionDepth = _param(
        ExpansionDepth.NONE,
        text=(
            "How far to walk from the matches: none = only the matches; shallow = and their "
            "parents "
            "and children; standard = and the nodes that they are connected with; deep = and all "
            "of "
            "that once more from every node found."
        ),
    )
    root_node_id: str = _param(
        "", text=("Only this node and what is below it may match. Empty = the whole graph.")
    )
    tag_filters: str = _param(
        "",
        multiline=True,
        text_rule=_tag_filters_problem,
        text=(
            'JSON object tag: value, all of which a match must have, e.g. {"kind": "person"}. '
            "Empty = no filter."
        ),
    )
    directory_prefix: str = _param(
        "", text=("One of a match's directories must start with this. Empty = any.")
    )
    include_raw_text: bool = _param(
        False,
        text=("Whether a node's long text goes into the prompt, besides title and description."),
    )
    use_embeddings: bool = _param(
        False,
        text=("Whether to match by meaning too, fused with full text. Needs the embedding model."),
    )
    source: str = _param("", text=_SOURCE_HELP)
    found_exit: str = _exit("when at least one node is found")
    not_found_exit: str = _exit("when nothing is found")


@dataclass(frozen=True, kw_only=True)
class GenerateParams(NodeParams):
    """Parameters of Generate: render the prompt that a language model would read."""

    node_type: ClassVar[str] = "Generate"

    model_name: str = _param(
        "", structural=True, text=("Language model. Empty = the graph's default model.")
    )
    system_prompt: str = _param("", multiline=True, text="System message before everything else.")
    template: str = _param(
        "", multiline=True, text=("Mustache template of what is added to the prompt.")
    )
    placement: Placement = _param(
        Placement.BeforeUserAsSystem,
        text=(
            "Where the rendered template goes: in place of the player's message, or before or "
            "after "
            "it, as a user or a system message."
        ),
    )
    stream: bool = _param(False, text="Whether the game streams the reply. No effect here.")
    default_exit: str = _exit("after the reply")


@dataclass(frozen=True, kw_only=True)
class InstructionParams(NodeParams):
    """Parameters of Instruction: attach a named text for templates."""

    node_type: ClassVar[str] = "Instruction"

    instruction_name: str = _param(
        "", text=("Name that templates use (instruction_NAME). Empty = the node's name.")
    )
    instruction: str = _param("", multiline=True, text="The text.")
    default_exit: str = _exit("next")


@dataclass(frozen=True, kw_only=True)
class CannedResponseParams(NodeParams):
    """Parameters of CannedResponse: answer with a ready line."""

    node_type: ClassVar[str] = "CannedResponse"

    string_storage: str = _param(
        "",
        structural=True,
        file_kind="strings",
        text=("File of lines, relative to the storage root. Comes before inline_strings."),
    )
    inline_strings: tuple[str, ...] = _param((), structural=True, text="Lines given right here.")
    selection_strategy: SelectionStrategy = _param(
        SelectionStrategy.RoundRobin,
        text=("Random, always the First, or one after the other (RoundRobin)."),
    )
    default_exit: str = _exit("next")


@dataclass(frozen=True, kw_only=True)
class HumanMessageGuardrailParams(NodeParams):
    """Parameters of HumanMessageGuardrail: branch when the message matches a pattern."""

    node_type: ClassVar[str] = "HumanMessageGuardrail"

    string_storage: str = _param(
        "",
        structural=True,
        file_kind="strings",
        text=("File of patterns, relative to the storage root. Comes before inline_strings."),
    )
    inline_strings: tuple[str, ...] = _param((), structural=True, text="Patterns given right here.")
    triggered_exit: str = _exit("when a pattern matches")
    not_triggered_exit: str = _exit("when no pattern matches")


@dataclass(frozen=True, kw_only=True)
class ClassifyIntentParams(NodeParams):
    """Parameters of ClassifyIntent: the nearest record gives the label."""

    node_type: ClassVar[str] = "ClassifyIntent"

    embedded_string_storage: str = _param(
        "",
        structural=True,
        file_kind="knowledge",
        text=("Knowledge file of labelled examples, relative to the storage root."),
    )
    metadata_field: str = _param("", text="Metadata field whose text becomes the label.")
    threshold: float = _param(
        0.25,
        low=0.0,
        high=2.0,
        text=("Largest cosine distance at which the nearest record counts. 0 = no limit."),
    )
    filter: str = _param("", multiline=True, text="JSON filter on metadata. Empty = no filter.")
    notify_client: bool = _param(False, text="Whether the game is told. No effect here.")
    diagnostic_topk: int = _param(1, low=1, high=64, text="Hits shown in the diagnostics.")
    found_exit: str = _exit("when an intent is found")
    not_found_exit: str = _exit("when none is")


@dataclass(frozen=True, kw_only=True)
class IntentToInstructionParams(NodeParams):
    """Parameters of IntentToInstruction: label → instruction text."""

    node_type: ClassVar[str] = "IntentToInstruction"

    string_storage: str = _param(
        "",
        structural=True,
        file_kind="map",
        text=("Map file label → text, relative to the storage root."),
    )
    inline_keys: tuple[str, ...] = _param((), structural=True, text="Labels given right here.")
    inline_strings: tuple[str, ...] = _param((), structural=True, text="Texts given right here.")
    instruction_name: str = _param(
        "", text=("Name that templates use (instruction_NAME). Empty = the node's name.")
    )
    default_exit: str = _exit("next")


@dataclass(frozen=True, kw_only=True)
class ToolCallParams(NodeParams):
    """Parameters of ToolCall, which needs a language model."""

    node_type: ClassVar[str] = "ToolCall"
    simulated_exit: ClassVar[str] = "no_tool_called"

    model_name: str = _param("", structural=True, text="Language model.")
    system_prompt: str = _param("", multiline=True, text="System message.")
    notify_client: bool = _param(False, text="Whether the game is told. No effect here.")
    tool_called_exit: str = _exit("when a tool is called")
    no_tool_called_exit: str = _exit("when no tool is called")


@dataclass(frozen=True, kw_only=True)
class ClassifyIntentLLMParams(NodeParams):
    """Parameters of ClassifyIntentLLM, which needs a language model."""

    node_type: ClassVar[str] = "ClassifyIntentLLM"
    simulated_exit: ClassVar[str] = "not_found"

    model_name: str = _param("", structural=True, text="Language model.")
    intents_ids: str = _param("", structural=True, text="Comma-separated labels.")
    intents_prompt: str = _param("", structural=True, text="Comma-separated descriptions.")
    system_prompt: str = _param("", multiline=True, text="System message.")
    history_turns: int = _param(4, low=0, high=64, text="Earlier turns that are read.")
    threshold: float = _param(0.5, low=0.0, high=1.0, text="Smallest probability that counts.")
    margin: float = _param(0.0, low=0.0, high=1.0, text="Smallest lead over the second label.")
    found_exit: str = _exit("when an intent is found")
    not_found_exit: str = _exit("when none is")


@dataclass(frozen=True, kw_only=True)
class GenerateAndSpeakParams(GenerateParams):
    """Parameters of GenerateAndSpeak: Generate whose reply is spoken."""

    node_type: ClassVar[str] = "GenerateAndSpeak"

    voice: str = _param("", structural=True, text="Voice. No effect here.")


@dataclass(frozen=True, kw_only=True)
class SpeakParams(NodeParams):
    """Parameters of Speak: say the reply. Nothing happens here."""

    node_type: ClassVar[str] = "Speak"

    voice: str = _param("", structural=True, text="Voice. No effect here.")
    default_exit: str = _exit("next")


@dataclass(frozen=True, kw_only=True)
class WriteToMemoryParams(NodeParams):
    """Parameters of WriteToMemory: append a record to a memory store."""

    node_type: ClassVar[str] = "WriteToMemory"

    input: str = _param("", structural=True, text="Text to write. Empty = the player's message.")
    storage_name: str = _param("", structural=True, text="Memory store; may hold {{var.NAME}}.")
    schema: str = _param("", structural=True, text="Record schema of the store.")
    metadata: str = _param(
        "",
        multiline=True,
        text=(
            "JSON object of the record's metadata; its texts may hold {{user_message}}, "
            "{{var.NAME}} "
            "and {{node.NAME.output}}."
        ),
    )
    default_exit: str = _exit("next")


NODE_TYPES: dict[str, type[NodeParams]] = {
    table.node_type: table
    for table in (
        RetrieveParams,
        GenerateParams,
        InstructionParams,
        CannedResponseParams,
        HumanMessageGuardrailParams,
        ClassifyIntentParams,
        IntentToInstructionParams,
        ToolCallParams,
        ClassifyIntentLLMParams,
        GenerateAndSpeakParams,
        SpeakParams,
        WriteToMemoryParams,
        KeywordRetrieveParams,
        RetrieveSubgraphParams,
    )
}


def node_table(type_name: str) -> type[NodeParams] | None:
    """Return the parameter table of a node type (``Retrieve`` or ``RetrieveParams``), or None."""
    return NODE_TYPES.get(type_name) or NODE_TYPES.get(type_name.removesuffix("Params"))
