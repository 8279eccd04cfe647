"""How the parameters of a node type are laid out where the order of the table does not do."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from core.parameters import KeywordRetrieveParams, NodeParams, RetrieveSubgraphParams
from inspector.models.scales import KneeScale
from inspector.widgets.number_row import SLIDER_STEPS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspector.models.scales import Scale

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
        _EXITS),
    labels=MappingProxyType({
        "min_score": "min_score", **{name: name.removesuffix("_weight") for name in _WEIGHTS},
        "path_cap": "path cap", "aliases_overlap": "alias floor",
        "other_category_weight": "others", "category_weights": "by name",
        "summary_field": "summary", "preview_chars": "characters"}),
    stems=MappingProxyType({"k": "k", "min_score": "minScore"}),
    scales=MappingProxyType({
        "k": KneeScale(1, 1000, 20, 0.6),
        "min_score": KneeScale(0, 100 * SLIDER_STEPS, 20 * SLIDER_STEPS, 0.85),
        "path_cap": KneeScale(0, 1000, 10, 0.8), "aliases_overlap": KneeScale(0, 1000, 10, 0.8),
        **dict.fromkeys((*_WEIGHTS, "other_category_weight"), _WEIGHT_SCALE)}),
    hints=MappingProxyType({
        "k": "1 to 1000 · at most", "min_score": "0 or more",
        "path_weight": "in folders and name", "summary_weight": "in the summary",
        "aliases_weight": "in the aliases", "content_weight": "in the text",
        "related_weight": "in linked summaries", "path_cap": "words at most",
        "aliases_overlap": "words at least", "other_category_weight": "0 or more"}),
    empty=MappingProxyType({
        "category_weights": '{"errors": 0.4, "concepts": 1.5}', "input": _INPUT}))

SUBGRAPH = FormPlan(
    sections=(
        ("Matches", ("top_k", "use_embeddings")),
        ("Walk", ("expansion_depth",)),
        ("Scope", ("root_node_id", "directory_prefix", "tag_filters")),
        ("Prompt", ("include_raw_text", "source")),
        ("Storage", ("knowledge_graph", "input")),
        _EXITS),
    labels=MappingProxyType({
        "top_k": "top_k", "use_embeddings": "by meaning", "expansion_depth": "depth",
        "root_node_id": "below node", "directory_prefix": "directory", "tag_filters": "tags",
        "include_raw_text": "long text", "knowledge_graph": "file"}),
    stems=MappingProxyType({"top_k": "matches", "expansion_depth": "depth",
                            "root_node_id": "rootNode", "directory_prefix": "directory",
                            "tag_filters": "tagFilters", "include_raw_text": "rawText",
                            "use_embeddings": "embeddings"}),
    scales=MappingProxyType({"top_k": KneeScale(1, 50, 10, 0.5)}),
    hints=MappingProxyType({"top_k": "1 to 50 · at most"}),
    empty=MappingProxyType({
        "root_node_id": "the whole graph", "directory_prefix": "any directory",
        "tag_filters": '{"kind": "person"}', "input": _INPUT}))

_PLANS: Mapping[type[NodeParams], FormPlan] = MappingProxyType({
    KeywordRetrieveParams: KEYWORD, RetrieveSubgraphParams: SUBGRAPH})


def plan_of(table: type[NodeParams]) -> FormPlan:
    """Return the plan of a node type: its own, or parameters and exits in the table's order."""
    specs = table.specs().values()
    return _PLANS.get(table) or FormPlan((
        ("Parameters", tuple(spec.name for spec in specs if not spec.is_exit)),
        ("Exits", tuple(spec.name for spec in specs if spec.is_exit))))
