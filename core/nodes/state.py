"""What has been attached to a turn so far, what a node hands back, and how its texts resolve."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.io.work import QUIETLY, Work
from core.nodes.parameters import KnowledgeSourceKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from core.agent.turn import Projection, TurnRequest
    from core.agent.workspace import Workspace
    from core.knowledge.memory import MemoryStore
    from core.nodes.parameters import NodeParams
    from core.nodes.retrievals import RetrievalResult
    from core.prompt.projection import InstructionText, KnowledgeBlock

_REFERENCE = re.compile(r"\{\{\s*(user_message|var\.[^{}\s]+|node\.[^{}]+?\.output)\s*\}\}")

_BRACED = re.compile(r"\{\{[^{}]*\}\}")

_TEXTS_WITH_REFERENCES = ("input", "storage_name", "metadata")


@dataclass(slots=True)
class TurnState:
    """What has been attached to the turn so far; one per walk, passed from node to node.

    label : of the intent that was classified last, "" for none.
    work : of the node that runs.
    canned_counts, memory : as in `core.agent.play.Play`, with what this turn has changed.
    """

    request: TurnRequest
    workspace: Workspace
    work: Work = QUIETLY
    outputs: dict[str, str] = field(default_factory=dict)
    instructions: list[InstructionText] = field(default_factory=list)
    knowledge: list[KnowledgeBlock] = field(default_factory=list)
    label: str = ""
    canned_counts: dict[str, int] = field(default_factory=dict)
    memory: dict[str, MemoryStore] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a node hands back to the walk.

    sections : its diagnostics (``parameters``, ``input``, ``output``) where neither a retrieval nor
        a projection tells them.
    simulated : the exit is not the node's own decision, which takes a language model.
    """

    exit: str
    output: str = ""
    retrieval: RetrievalResult | None = None
    projection: Projection | None = None
    error: InspectorError | None = None
    sections: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False


def resolve_text(template: str, state: TurnState, place: Place) -> str:
    """Resolve a node's text parameter: references replaced, white space trimmed.

    A text that equals the name of a node that ran earlier in this turn means its output. A
    reference to a node of the graph that has not run is empty.

    Raises
    ------
    InspectorError
        3007 for an undefined variable or a node that the graph does not have.
    """
    if template.strip() in state.outputs:
        return state.outputs[template.strip()].strip()
    return resolve_references(template, state, place)


def resolve_references(template: str, state: TurnState, place: Place) -> str:
    """Replace the references in a text that is no `input`: otherwise as `resolve_text`.

    A memory store may be called what a node is called.
    """
    return _replaced(template, state.request, state.outputs, place)


def _replaced(template: str, request: TurnRequest, outputs: Mapping[str, str], place: Place) -> str:
    def replace(match: re.Match[str]) -> str:
        reference = match.group(1)
        if reference == "user_message":
            return request.message
        if reference.startswith("var."):
            name = reference.removeprefix("var.")
            if name not in request.variables:
                raise InspectorError(
                    Code.InvalidParamValue,
                    f'undefined variable "{name}"',
                    place=place,
                    hint=f"give it a value: in Inputs, or with --var {name}=VALUE",
                )
            return request.variables[name]
        name = reference.removeprefix("node.").removesuffix(".output")
        if name not in request.params:
            raise InspectorError(
                Code.InvalidParamValue,
                f'the graph has no node "{name}"',
                place=place,
                hint="{{node.NAME.output}} names an earlier node",
            )
        return outputs.get(name, "")

    return _REFERENCE.sub(replace, template).strip()


def has_references(text: str) -> bool:
    """Tell whether there is something in a text that a turn replaces."""
    return _REFERENCE.search(text) is not None


def stray_references(params: NodeParams, nodes: Collection[str]) -> list[tuple[str, str]]:
    """Return what looks like a reference in a node's texts but names nothing: parameter, text.

    Parameters
    ----------
    nodes : the names of the graph's nodes.
    """
    strays = []
    for param in _TEXTS_WITH_REFERENCES:
        for found in _BRACED.findall(str(getattr(params, param, ""))):
            match = _REFERENCE.fullmatch(found)
            name = match[1].removeprefix("node.").removesuffix(".output") if match else ""
            if not match or (match[1].startswith("node.") and name not in nodes):
                strays.append((param, found))
    return strays


def query_of(name: str, text: str, state: TurnState) -> str:
    """Return what a node searches with; `text` is its parameter `input`."""
    return (
        resolve_text(text, state, Place(node=name, param="input"))
        if text.strip()
        else state.request.message.strip()
    )


def variables_used(params: Mapping[str, NodeParams]) -> dict[str, tuple[str, ...]]:
    """Map each agent variable that a graph's nodes read to where: ``("recall.storage_name",)``.

    Parameters
    ----------
    params : node name → its parameters.
    """
    used: dict[str, list[str]] = {}
    for node, table in params.items():
        for param in _TEXTS_WITH_REFERENCES:
            for match in _REFERENCE.finditer(getattr(table, param, "")):
                if match.group(1).startswith("var."):
                    places = used.setdefault(match.group(1).removeprefix("var."), [])
                    places.append(f"{node}.{param}")
    return {name: tuple(dict.fromkeys(places)) for name, places in used.items()}


def stores_used(request: TurnRequest) -> dict[str, str]:
    """Map each memory store that the nodes of a turn name, variables resolved, to its schema.

    Names with an undefined variable, or with the output of a node, which only the walk knows, are
    left out.
    """
    used: dict[str, str] = {}
    for params in request.params.values():
        if getattr(params, "source_kind", KnowledgeSourceKind.FromName) is not (
            KnowledgeSourceKind.FromName
        ):
            continue
        template = getattr(params, "storage_name", "")
        if any(match[1].startswith("node.") for match in _REFERENCE.finditer(template)):
            continue
        try:
            name = _replaced(template, request, {}, Place())
        except InspectorError:
            continue
        if name:
            used.setdefault(name, getattr(params, "schema", ""))
    return used
