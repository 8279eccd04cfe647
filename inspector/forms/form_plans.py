"""How the parameters of a node type are laid out where the order of the table does not do."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.nodes import (
    CannedResponseParams,
    ClassifyIntentLLMParams,
    ClassifyIntentParams,
    GenerateAndSpeakParams,
    GenerateParams,
    HumanMessageGuardrailParams,
    IntentToInstructionParams,
    KeywordRetrieveParams,
    NodeParams,
    RetrieveSubgraphParams,
    SpeakParams,
    ToolCallParams,
    WriteToMemoryParams,
)
from inspector.drawing.scales import KneeScale
from inspector.forms.number_row import SLIDER_STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.drawing.scales import Scale

Sections = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class FormPlan:
    """One node type's form.

    sections : heading and the parameters below it, in order; all of the table's.
    labels : parameter → label, where it is not the parameter's name.
    stems : parameter → start of its controls' object names, where scripts use them.
    scales : parameter → how the values lie along its slider.
    hints : parameter → what stands below it, in place of its range and meaning.
    empty : parameter → what is shown faintly where it is empty.
    """

    sections: Sections
    labels: Mapping[str, str] = field(default_factory=dict)
    stems: Mapping[str, str] = field(default_factory=dict)
    scales: Mapping[str, Scale] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    empty: Mapping[str, str] = field(default_factory=dict)


_INPUT = "player's message"
_WEIGHTS = ("path_weight", "summary_weight", "aliases_weight", "content_weight", "related_weight")
_WEIGHT_SCALE = KneeScale(0, 100 * SLIDER_STEPS, 4 * SLIDER_STEPS, 0.8)
_EXITS = ("Exits", ("found_exit", "not_found_exit"))

KEYWORD = FormPlan(
    sections=(
        ("Selection", ("k", "min_score")),
        ("Points of a word found", (*_WEIGHTS, "path_cap", "aliases_overlap")),
        ("Factors of categories", ("other_category_weight", "category_weights")),
        ("Corpus", ("source", "corpus", "summary_field", "preview_chars", "input")),
        _EXITS,
    ),
    labels=MappingProxyType(
        {
            "min_score": "min_score",
            **{name: name.removesuffix("_weight") for name in _WEIGHTS},
            "path_cap": "path cap",
            "aliases_overlap": "alias floor",
            "other_category_weight": "others",
            "category_weights": "by name",
            "summary_field": "summary",
            "preview_chars": "characters",
        }
    ),
    stems=MappingProxyType({"k": "k", "min_score": "minScore"}),
    scales=MappingProxyType(
        {
            "k": KneeScale(1, 1000, 20, 0.6),
            "min_score": KneeScale(0, 100 * SLIDER_STEPS, 20 * SLIDER_STEPS, 0.85),
            "path_cap": KneeScale(0, 1000, 10, 0.8),
            "aliases_overlap": KneeScale(0, 1000, 10, 0.8),
            **dict.fromkeys((*_WEIGHTS, "other_category_weight"), _WEIGHT_SCALE),
        }
    ),
    hints=MappingProxyType(
        {
            "k": "1 to 1000 · at most",
            "min_score": "0 or more",
            "path_weight": "in folders and name",
            "summary_weight": "in the summary",
            "aliases_weight": "in the aliases",
            "content_weight": "in the text",
            "related_weight": "in linked summaries",
            "path_cap": "words at most",
            "aliases_overlap": "words at least",
            "other_category_weight": "0 or more",
        }
    ),
    empty=MappingProxyType(
        {"category_weights": '{"errors": 0.4, "concepts": 1.5}', "input": _INPUT}
    ),
)

SUBGRAPH = FormPlan(
    sections=(
        ("Matches", ("top_k", "use_embeddings")),
        ("Walk", ("expansion_depth",)),
        ("Scope", ("root_node_id", "directory_prefix", "tag_filters")),
        ("Prompt", ("include_raw_text", "source")),
        ("Storage", ("knowledge_graph", "input")),
        _EXITS,
    ),
    labels=MappingProxyType(
        {
            "top_k": "top_k",
            "use_embeddings": "by meaning",
            "expansion_depth": "depth",
            "root_node_id": "below node",
            "directory_prefix": "directory",
            "tag_filters": "tags",
            "include_raw_text": "long text",
            "knowledge_graph": "file",
        }
    ),
    stems=MappingProxyType(
        {
            "top_k": "matches",
            "expansion_depth": "depth",
            "root_node_id": "rootNode",
            "directory_prefix": "directory",
            "tag_filters": "tagFilters",
            "include_raw_text": "rawText",
            "use_embeddings": "embeddings",
        }
    ),
    scales=MappingProxyType({"top_k": KneeScale(1, 50, 10, 0.5)}),
    hints=MappingProxyType({"top_k": "1 to 50 · at most"}),
    empty=MappingProxyType(
        {
            "root_node_id": "the whole graph",
            "directory_prefix": "any directory",
            "tag_filters": '{"kind": "person"}',
            "input": _INPUT,
        }
    ),
)

_DEFAULT_EXIT = ("Exits", ("default_exit",))
_DEFAULT_MODEL = MappingProxyType({"model_name": "the graph's default"})
_SHARE_SCALE = KneeScale(0, SLIDER_STEPS, SLIDER_STEPS // 2, 0.5)

_OTHERS: dict[type[NodeParams], FormPlan] = {
    GenerateParams: FormPlan(
        sections=(
            ("Prompt", ("template", "placement", "system_prompt")),
            ("Model", ("model_name", "stream")),
            _DEFAULT_EXIT,
        ),
        empty=_DEFAULT_MODEL,
    ),
    GenerateAndSpeakParams: FormPlan(
        sections=(
            ("Prompt", ("template", "placement", "system_prompt")),
            ("Model", ("model_name", "stream", "voice")),
            _DEFAULT_EXIT,
        ),
        empty=_DEFAULT_MODEL,
    ),
    CannedResponseParams: FormPlan(
        sections=(
            ("Lines", ("selection_strategy", "string_storage", "inline_strings")),
            _DEFAULT_EXIT,
        ),
        labels=MappingProxyType({"inline_strings": "lines given right here"}),
    ),
    HumanMessageGuardrailParams: FormPlan(
        sections=(
            ("Patterns", ("string_storage", "inline_strings")),
            ("Exits", ("triggered_exit", "not_triggered_exit")),
        ),
        labels=MappingProxyType({"inline_strings": "patterns given right here"}),
    ),
    ClassifyIntentParams: FormPlan(
        sections=(
            ("Match", ("threshold", "filter")),
            ("Label", ("metadata_field", "notify_client")),
            ("Storage", ("embedded_string_storage", "diagnostic_topk")),
            _EXITS,
        ),
        labels=MappingProxyType(
            {
                "metadata_field": "field",
                "notify_client": "tell game",
                "diagnostic_topk": "hits shown",
            }
        ),
        stems=MappingProxyType({"threshold": "threshold"}),
        scales=MappingProxyType(
            {
                "threshold": KneeScale(0, 2 * SLIDER_STEPS, SLIDER_STEPS, 0.8),
                "diagnostic_topk": KneeScale(1, 64, 16, 0.6),
            }
        ),
        hints=MappingProxyType(
            {
                "threshold": "0 to 2 · 0 = no limit",
                "diagnostic_topk": "1 to 64 · the nearest decides",
            }
        ),
        empty=MappingProxyType({"metadata_field": "metadata field of the label"}),
    ),
    IntentToInstructionParams: FormPlan(
        sections=(
            ("Instruction", ("instruction_name",)),
            ("Texts by label", ("string_storage", "inline_keys", "inline_strings")),
            _DEFAULT_EXIT,
        ),
        labels=MappingProxyType(
            {
                "inline_keys": "labels given right here",
                "inline_strings": "their texts, in the same order",
            }
        ),
        empty=MappingProxyType({"instruction_name": "the node's name"}),
    ),
    ToolCallParams: FormPlan(
        sections=(
            ("Model", ("model_name", "notify_client", "system_prompt")),
            ("Exits", ("tool_called_exit", "no_tool_called_exit")),
        ),
        labels=MappingProxyType({"notify_client": "tell game"}),
        empty=_DEFAULT_MODEL,
    ),
    ClassifyIntentLLMParams: FormPlan(
        sections=(
            ("Labels", ("intents_ids", "intents_prompt")),
            ("Decision", ("threshold", "margin", "history_turns")),
            ("Model", ("model_name", "system_prompt")),
            _EXITS,
        ),
        labels=MappingProxyType(
            {"intents_ids": "labels", "intents_prompt": "described", "history_turns": "turns"}
        ),
        stems=MappingProxyType({"threshold": "threshold"}),
        scales=MappingProxyType({"threshold": _SHARE_SCALE, "margin": _SHARE_SCALE}),
        hints=MappingProxyType(
            {
                "threshold": "0 to 1 · least probability",
                "margin": "0 to 1 · lead over the second",
                "history_turns": "0 to 64 · earlier turns read",
            }
        ),
        empty=_DEFAULT_MODEL,
    ),
    SpeakParams: FormPlan(sections=(("Speech", ("voice",)), _DEFAULT_EXIT)),
    WriteToMemoryParams: FormPlan(
        sections=(
            ("Memory store", ("storage_name", "schema")),
            ("Record", ("input", "metadata")),
            _DEFAULT_EXIT,
        ),
        empty=MappingProxyType({"input": _INPUT, "metadata": '{"mood": "glad", "day": 3}'}),
    ),
}

_PLANS: Mapping[type[NodeParams], FormPlan] = MappingProxyType(
    {**_OTHERS, KeywordRetrieveParams: KEYWORD, RetrieveSubgraphParams: SUBGRAPH}
)


def plan_of(table: type[NodeParams]) -> FormPlan:
    """Return the plan of a node type: its own, or parameters and exits in the table's order."""
    specs = table.specs().values()
    return _PLANS.get(table) or FormPlan(
        (
            ("Parameters", tuple(spec.name for spec in specs if not spec.is_exit)),
            ("Exits", tuple(spec.name for spec in specs if spec.is_exit)),
        )
    )
