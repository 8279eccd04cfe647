"""Compile-time checks of a graph that need no other file; all findings at once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.nodes import (
    ClassifyIntentParams,
    GenerateParams,
    HumanMessageGuardrailParams,
    IntentToInstructionParams,
    KnowledgeSourceKind,
    RetrieveParams,
)
from core.nodes.params import did_you_mean
from core.nodes.state import stray_references

if TYPE_CHECKING:
    from core.agent.description import GraphDescription, Node
    from core.io.findings import Finding, Findings

_NEEDED_FILES = {
    "corpus": (
        "corpus",
        "name a folder of Markdown files, or a knowledge file, relative to the storage root",
    ),
    "knowledge_graph": ("knowledge graph", "name one, relative to the storage root"),
}


def check_graph(graph: GraphDescription, findings: Findings) -> None:
    """Check names, start node, exits, ranges, reachability and models."""
    names = [node.name for node in graph.nodes]
    if not names:
        if not graph.unread:
            findings.error("a graph needs at least one node", "nodes")
        return
    for name, count in Counter(names).items():
        if not name.strip():
            findings.error("a node needs a non-empty name", "nodes")
        elif count > 1:
            where = ", ".join(f"nodes[{i}]" for i, other in enumerate(names) if other == name)
            findings.error(
                f'{count} nodes are called "{name}": {where}',
                hint="give each node its own name",
                place=_place(findings, graph, name),
            )
    if graph.start_node not in {*names, *graph.unread}:
        said = (
            f'the start node "{graph.start_node}" does not exist'
            if graph.start_node
            else ("the graph names no start node")
        )
        findings.error(
            said,
            "start_node",
            hint=did_you_mean(graph.start_node, names) or f"one of {', '.join(names)}",
        )
    for node in graph.nodes:
        _check_node(node, graph, findings)
    _warn_unreachable(with_sound_params(graph), findings)
    for node in graph.nodes:
        if isinstance(node.params, GenerateParams) and not (
            node.params.model_name or graph.default_model_name
        ):
            findings.warning(
                "no model: neither model_name nor the graph's default_model_name",
                place=_place(findings, graph, node.name, "model_name"),
            )


def with_sound_params(graph: GraphDescription) -> GraphDescription:
    """Return the graph with the refused values of its nodes at their defaults."""
    sound = graph.copy()
    sound.nodes = [replace(node, params=node.params.sound()) for node in graph.nodes]
    return sound


def exit_targets(node: Node) -> dict[str, str]:
    """Map each exit route of the node to its target's name, "" for END."""
    return {route: getattr(node.params, field) for route, field in node.params.exits().items()}


def _check_node(node: Node, graph: GraphDescription, findings: Findings) -> None:
    names = [*(other.name for other in graph.nodes), *graph.unread]
    for field, spec in node.params.specs().items():
        value = getattr(node.params, field)
        try:
            spec.check(value)
        except InspectorError as error:
            findings.error(
                error.message, code=error.code, place=_place(findings, graph, node.name, field)
            )
            continue
        if spec.is_exit and value and value not in names:
            findings.error(
                f'exit {field} of node "{node.name}" leads to "{value}", which is no '
                "node of this graph",
                hint=did_you_mean(value, names) or "leave it empty to end the turn",
                place=_place(findings, graph, node.name, field),
            )
    params = node.params.sound()
    for field, (what, hint) in _NEEDED_FILES.items():
        if getattr(params, field, None) == "":
            findings.error(
                f"no {what} to search",
                code=Code.InvalidEmbeddedStringStorageName,
                hint=hint,
                place=_place(findings, graph, node.name, field),
            )
    from_name = (
        isinstance(params, RetrieveParams) and params.source_kind is KnowledgeSourceKind.FromName
    )
    if from_name:
        for field in ("storage_name", "schema"):
            if not str(getattr(params, field)).strip():
                findings.error(
                    f"FromName needs a {field}",
                    code=Code.InvalidParamValue,
                    place=_place(findings, graph, node.name, field),
                )
    elif getattr(params, "embedded_string_storage", None) == "":
        findings.error(
            "no knowledge file to search",
            code=Code.InvalidEmbeddedStringStorageName,
            hint="name one, relative to the storage root",
            place=_place(findings, graph, node.name, "embedded_string_storage"),
        )
    for field, text in stray_references(params, names):
        findings.warning(
            f"nothing replaces {text}",
            place=_place(findings, graph, node.name, field),
            hint="there are {{user_message}}, {{var.NAME}} and "
            "{{node.NAME.output}} of a node of this graph",
        )
    _check_texts(replace(node, params=params), graph, findings)


def _check_texts(node: Node, graph: GraphDescription, findings: Findings) -> None:
    """Check what the nodes about patterns and intents are given right in the graph."""
    params = node.params
    if isinstance(params, ClassifyIntentParams) and not params.metadata_field:
        findings.error(
            "metadata_field is empty: no field gives the label",
            code=Code.InvalidParamValue,
            hint="name a metadata field of type string",
            place=_place(findings, graph, node.name, "metadata_field"),
        )
    elif isinstance(params, HumanMessageGuardrailParams) and not (
        params.string_storage or params.inline_strings
    ):
        findings.warning(
            "no patterns: neither string_storage nor inline_strings, so the exit is "
            "always not_triggered",
            place=_place(findings, graph, node.name, "inline_strings"),
        )
    elif isinstance(params, IntentToInstructionParams) and not params.string_storage:
        place = _place(findings, graph, node.name, "inline_keys")
        problem = inline_problem(params)
        twice = [key for key, count in Counter(params.inline_keys).items() if count > 1]
        if problem:
            findings.error(problem, hint="make the two lists equally long", place=place)
        elif twice:
            findings.warning(
                f'the label "{twice[0]}" is in inline_keys more than once; its first text is used',
                place=place,
            )
        elif not params.inline_keys:
            findings.warning(
                "no labels: neither string_storage nor inline_keys, so nothing is ever attached",
                place=place,
            )


def inline_problem(params: IntentToInstructionParams) -> str:
    """Say what is wrong with a node's inline labels and texts where they are used, or ""."""
    keys, texts = len(params.inline_keys), len(params.inline_strings)
    if params.string_storage or keys == texts:
        return ""
    return f"inline_keys has {keys} labels and inline_strings {texts} texts: each label needs one"


def _warn_unreachable(graph: GraphDescription, findings: Findings) -> None:
    if graph.unread:
        return  # Where those lead, nobody knows.
    nodes = {node.name: node for node in graph.nodes}
    reached: set[str] = set()
    queue = [graph.start_node]
    while queue:
        name = queue.pop()
        if name in nodes and name not in reached:
            reached.add(name)
            queue.extend(exit_targets(nodes[name]).values())
    if not reached:
        return
    for name in nodes:
        if name not in reached:
            findings.warning(
                f'node "{name}" cannot be reached from the start node',
                place=_place(findings, graph, name),
            )


def _place(findings: Findings, graph: GraphDescription, node: str, param: str = "") -> Place:
    index = next(i for i, other in enumerate(graph.nodes) if other.name == node)
    return place_in_graph(findings.file, index, node, param)


def place_in_graph(file: str, index: int, node: str, param: str = "") -> Place:
    """Return the place of a node, or of one of its parameters, in a graph's file."""
    path = f"nodes[{index}]" + (f".params.{param}" if param else "")
    return Place(file=file, json_path=path, node=node, param=param)


def at_param(finding: Finding, file: str, index: int, node: str, param: str) -> Finding:
    """Return what a storage says of a node's parameter as a finding of the graph's file.

    A place in another file stays; a path inside the parameter's value stays too, without a line.
    """
    said = finding.place
    if said.file:
        place = replace(said, node=node, param=param)
    else:
        place = place_in_graph(file, index, node, param)
        if said.json_path.startswith(f"{param}["):
            place = replace(place, json_path=f"nodes[{index}].params.{said.json_path}")
        elif said.json_path:
            place = replace(place, json_path=said.json_path)
    return replace(finding, place=place)
