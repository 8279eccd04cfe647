"""Every node's parameters: default, range, unit, structural or mutable. Validated here, only here.

The tables follow the Retrieve node's reference page and the sister pages of the same system.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, field, fields
from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar, get_type_hints

from core.errors import Code, InspectorError, Place

if TYPE_CHECKING:
    from collections.abc import Iterable


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


@dataclass(frozen=True, slots=True)
class ParamSpec:
    """What is known of one parameter; the only source for ranges, help texts and pickers."""

    name: str
    kind: type[Any]
    default: Any
    minimum: float | None = None
    maximum: float | None = None
    structural: bool = False
    is_exit: bool = False
    multiline: bool = False
    file_kind: str = ""
    help: str = ""

    def check(self, value: Any) -> Any:
        """Return `value` as this parameter's type.

        Raises
        ------
        InspectorError
            3007 for a wrong type, a value out of range, NaN or an infinity.
        """
        if issubclass(self.kind, IntEnum):
            return self._check_enum(value)
        if self.kind is bool:
            if not isinstance(value, bool):
                raise self._refuse(f"expected true or false, found {_show(value)}")
            return value
        if self.kind in (int, float):
            return self._check_number(value)
        if self.kind is tuple:
            if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
                raise self._refuse(f"expected a list of strings, found {_show(value)}")
            return tuple(value)
        if not isinstance(value, str):
            raise self._refuse(f"expected text, found {_show(value)}")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise self._refuse("the text has a lone surrogate, which is no character") from None
        return value

    def to_json(self, value: Any) -> Any:
        """Return `value` as it is written to a graph file: enumerations by name."""
        if isinstance(value, IntEnum):
            return value.name
        return list(value) if isinstance(value, tuple) else value

    @property
    def range_text(self) -> str:
        """The range in words (``1 to 1000``), or ""."""
        if self.minimum is None:
            return ""
        if self.maximum is None:
            return f"{self.minimum:g} or more"
        return f"{self.minimum:g} to {self.maximum:g}"

    def _check_number(self, value: Any) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            article = "a whole number" if self.kind is int else "a number"
            raise self._refuse(f"expected {article}, found {_show(value)}")
        if self.kind is int and not isinstance(value, int):
            raise self._refuse(f"expected a whole number, found {_show(value)}")
        # `not (a <= v <= b)` also refuses NaN.
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        if not (low <= value <= high) or abs(value) == math.inf:
            raise self._refuse(f"{_show(value)} is out of range: {self.range_text}")
        return float(value) if self.kind is float else value

    def _check_enum(self, value: Any) -> IntEnum:
        members: list[IntEnum] = list(self.kind.__members__.values())
        if isinstance(value, self.kind) and isinstance(value, IntEnum):
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            for member in members:
                if member.value == value:
                    return member
        if isinstance(value, str):
            wanted = value.replace("_", "").casefold()
            for member in members:
                if member.name.casefold() == wanted:
                    return member
        names = ", ".join(m.name for m in members)
        raise self._refuse(f"expected one of {names}; found {_show(value)}")

    def _refuse(self, message: str) -> InspectorError:
        return InspectorError(Code.InvalidParamValue, message, place=Place(param=self.name))


def _show(value: Any) -> str:
    text = repr(value) if not isinstance(value, str) else f'the text "{value}"'
    return text if len(text) <= 60 else text[:57] + "..."


def _param(default: Any, *, low: float | None = None, high: float | None = None,
           structural: bool = False, is_exit: bool = False, multiline: bool = False,
           file_kind: str = "", text: str = "") -> Any:
    meta = {"minimum": low, "maximum": high, "structural": structural or is_exit,
            "is_exit": is_exit, "multiline": multiline, "file_kind": file_kind, "help": text}
    return field(default=default, metadata=meta)


def _exit(when: str) -> Any:
    return _param("", is_exit=True, text=f"Node to run {when}. Empty = end the turn.")


@dataclass(frozen=True, kw_only=True)
class NodeParams:
    """Base of the parameter tables. `node_type` is the node type's public name."""

    node_type: ClassVar[str] = ""

    @classmethod
    def specs(cls) -> dict[str, ParamSpec]:
        """Return the parameters by name, in the order of the reference page."""
        return _SPECS[cls]

    @classmethod
    def exits(cls) -> dict[str, str]:
        """Map exit route → the parameter that names its target, e.g. ``found`` → ``found_exit``."""
        return {name.removesuffix("_exit"): name
                for name, spec in cls.specs().items() if spec.is_exit}


@dataclass(frozen=True, kw_only=True)
class RetrieveParams(NodeParams):
    """Parameters of Retrieve: search a storage, attach the surviving chunks."""

    node_type: ClassVar[str] = "Retrieve"

    input: str = _param("", structural=True, text=(
        "Text to search with: the player's message or an earlier node's output. "
        "Empty = the player's message."))
    source_kind: KnowledgeSourceKind = _param(KnowledgeSourceKind.FromFile, structural=True, text=(
        "FromFile = a prebuilt knowledge file. FromName = a memory store that the game fills "
        "during play."))
    embedded_string_storage: str = _param("", structural=True, file_kind="knowledge", text=(
        "Knowledge file to search, relative to the storage root. Used with FromFile."))
    filter: str = _param("", multiline=True, text=(
        "JSON filter on chunk metadata; only matching chunks are searched. Empty = no filter."))
    storage_name: str = _param("", structural=True, text=(
        "Memory store to search, by name. Used with FromName; may hold {{var.NAME}}."))
    schema: str = _param("", structural=True, text=(
        "Record schema of the store. Required with FromName; with FromFile, checked against "
        "the file."))
    retrieval_mode: RetrievalMode = _param(RetrievalMode.Dense, text=(
        "Dense = match by meaning. Lexical = match by keywords (BM25). Hybrid = both, merged."))
    top_k: int = _param(2, low=1, high=1000, text=(
        "How many matching chunks to return at most."))
    threshold: float = _param(0.5, low=0.0, high=2.0, text=(
        "Largest cosine distance at which a chunk still counts: 0 = identical, 2 = opposite. "
        "0 as a threshold = no limit. Ignored in Lexical mode."))
    rrf_k: int = _param(60, low=1, high=1000, text=(
        "Hybrid only: how strongly the merge favours top-ranked hits. Higher = flatter. "
        "60 is the standard value."))
    source: str = _param("", text=(
        "Name that templates use for these results (knowledge_NAME). Empty = the node's name."))
    found_exit: str = _exit("when at least one chunk is found")
    not_found_exit: str = _exit("when nothing is found")


@dataclass(frozen=True, kw_only=True)
class GenerateParams(NodeParams):
    """Parameters of Generate: render the prompt that a language model would read."""

    node_type: ClassVar[str] = "Generate"

    model_name: str = _param("", structural=True, text=(
        "Language model. Empty = the graph's default model."))
    system_prompt: str = _param("", multiline=True, text="System message before everything else.")
    template: str = _param("", multiline=True, text=(
        "Mustache template of what is added to the prompt."))
    placement: Placement = _param(Placement.BeforeUserAsSystem, text=(
        "Where the rendered template goes: in place of the player's message, or before or after "
        "it, as a user or a system message."))
    stream: bool = _param(False, text="Whether the game streams the reply. No effect here.")
    default_exit: str = _exit("after the reply")


@dataclass(frozen=True, kw_only=True)
class InstructionParams(NodeParams):
    """Parameters of Instruction: attach a named text for templates."""

    node_type: ClassVar[str] = "Instruction"

    instruction_name: str = _param("", text=(
        "Name that templates use (instruction_NAME). Empty = the node's name."))
    instruction: str = _param("", multiline=True, text="The text.")
    default_exit: str = _exit("next")


@dataclass(frozen=True, kw_only=True)
class CannedResponseParams(NodeParams):
    """Parameters of CannedResponse: answer with a ready line."""

    node_type: ClassVar[str] = "CannedResponse"

    string_storage: str = _param("", structural=True, file_kind="strings", text=(
        "File of lines, relative to the storage root. Comes before inline_strings."))
    inline_strings: tuple[str, ...] = _param((), structural=True, text="Lines given right here.")
    selection_strategy: SelectionStrategy = _param(SelectionStrategy.RoundRobin, text=(
        "Random, always the First, or one after the other (RoundRobin)."))
    default_exit: str = _exit("next")


@dataclass(frozen=True, kw_only=True)
class HumanMessageGuardrailParams(NodeParams):
    """Parameters of HumanMessageGuardrail: branch when the message matches a pattern."""

    node_type: ClassVar[str] = "HumanMessageGuardrail"

    string_storage: str = _param("", structural=True, file_kind="strings", text=(
        "File of patterns, relative to the storage root. Comes before inline_strings."))
    inline_strings: tuple[str, ...] = _param((), structural=True, text="Patterns given right here.")
    triggered_exit: str = _exit("when a pattern matches")
    not_triggered_exit: str = _exit("when no pattern matches")


@dataclass(frozen=True, kw_only=True)
class ClassifyIntentParams(NodeParams):
    """Parameters of ClassifyIntent: the nearest record gives the label."""

    node_type: ClassVar[str] = "ClassifyIntent"

    embedded_string_storage: str = _param("", structural=True, file_kind="knowledge", text=(
        "Knowledge file of labelled examples, relative to the storage root."))
    metadata_field: str = _param("", text="Metadata field whose text becomes the label.")
    threshold: float = _param(0.25, low=0.0, high=2.0, text=(
        "Largest cosine distance at which the nearest record counts. 0 = no limit."))
    filter: str = _param("", multiline=True, text="JSON filter on metadata. Empty = no filter.")
    notify_client: bool = _param(False, text="Whether the game is told. No effect here.")
    diagnostic_topk: int = _param(1, low=1, high=64, text="Hits shown in the diagnostics.")
    found_exit: str = _exit("when an intent is found")
    not_found_exit: str = _exit("when none is")


@dataclass(frozen=True, kw_only=True)
class IntentToInstructionParams(NodeParams):
    """Parameters of IntentToInstruction: label → instruction text."""

    node_type: ClassVar[str] = "IntentToInstruction"

    string_storage: str = _param("", structural=True, file_kind="map", text=(
        "Map file label → text, relative to the storage root."))
    inline_keys: tuple[str, ...] = _param((), structural=True, text="Labels given right here.")
    inline_strings: tuple[str, ...] = _param((), structural=True, text="Texts given right here.")
    instruction_name: str = _param("", text=(
        "Name that templates use (instruction_NAME). Empty = the node's name."))
    default_exit: str = _exit("next")


@dataclass(frozen=True, kw_only=True)
class ToolCallParams(NodeParams):
    """Parameters of ToolCall, which needs a language model."""

    node_type: ClassVar[str] = "ToolCall"

    model_name: str = _param("", structural=True, text="Language model.")
    system_prompt: str = _param("", multiline=True, text="System message.")
    notify_client: bool = _param(False, text="Whether the game is told. No effect here.")
    tool_called_exit: str = _exit("when a tool is called")
    no_tool_called_exit: str = _exit("when no tool is called")


@dataclass(frozen=True, kw_only=True)
class ClassifyIntentLLMParams(NodeParams):
    """Parameters of ClassifyIntentLLM, which needs a language model."""

    node_type: ClassVar[str] = "ClassifyIntentLLM"

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
    metadata: str = _param("", multiline=True, text="JSON object of the record's metadata.")
    default_exit: str = _exit("next")


NODE_TYPES: dict[str, type[NodeParams]] = {
    table.node_type: table for table in (
        RetrieveParams, GenerateParams, InstructionParams, CannedResponseParams,
        HumanMessageGuardrailParams, ClassifyIntentParams, IntentToInstructionParams,
        ToolCallParams, ClassifyIntentLLMParams, GenerateAndSpeakParams, SpeakParams,
        WriteToMemoryParams)
}


def _specs_of(table: type[NodeParams]) -> dict[str, ParamSpec]:
    hints = get_type_hints(table)
    specs = {}
    for item in fields(table):
        hint = hints[item.name]
        kind = hint if isinstance(hint, type) and hint.__class__ is not type(tuple[str]) else tuple
        specs[item.name] = ParamSpec(item.name, kind, item.default, **item.metadata)
    return specs


_SPECS: dict[type[NodeParams], dict[str, ParamSpec]] = {
    table: _specs_of(table) for table in NODE_TYPES.values()}


def node_table(type_name: str) -> type[NodeParams] | None:
    """Return the parameter table of a node type (``Retrieve`` or ``RetrieveParams``), or None."""
    return NODE_TYPES.get(type_name) or NODE_TYPES.get(type_name.removesuffix("Params"))


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``did you mean "top_k"?`` for the closest of the `known` names, or ""."""
    close = difflib.get_close_matches(name, list(known), n=1)
    return f'did you mean "{close[0]}"?' if close else ""
