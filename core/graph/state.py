"""What has been attached to a turn so far, what a node hands back, and how its texts resolve."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.progress import IsCancelled, Progress, never_cancelled, no_progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.graph.prompt import InstructionText, KnowledgeBlock
    from core.graph.workspace import Workspace
    from core.knowledge.memory import MemoryStore
    from core.retrievals import RetrievalResult
    from core.turn import Projection, TurnRequest

_REFERENCE = re.compile(r"\{\{\s*(user_message|var\.[^{}\s]+|node\.[^{}]+?\.output)\s*\}\}")


@dataclass(slots=True)
class TurnState:
    """What has been attached to the turn so far; one per walk, passed from node to node.

    label : of the intent that was classified last, "" for none.
    canned_counts, memory : as in `core.play.Play`, with what this turn has changed.
    """

    request: TurnRequest
    workspace: Workspace
    cached_only: bool = False
    progress: Progress = no_progress
    is_cancelled: IsCancelled = never_cancelled
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

    def replace(match: re.Match[str]) -> str:
        reference = match.group(1)
        if reference == "user_message":
            return state.request.message
        if reference.startswith("var."):
            name = reference.removeprefix("var.")
            if name not in state.request.variables:
                raise InspectorError(Code.InvalidParamValue, f'undefined variable "{name}"',
                                     place=place, hint=f"give it a value: --var {name}=VALUE")
            return state.request.variables[name]
        name = reference.removeprefix("node.").removesuffix(".output")
        if name not in state.request.params:
            raise InspectorError(Code.InvalidParamValue, f'the graph has no node "{name}"',
                                 place=place, hint="{{node.NAME.output}} names an earlier node")
        return state.outputs.get(name, "")

    return _REFERENCE.sub(replace, template).strip()


def query_of(name: str, text: str, state: TurnState) -> str:
    """Return what a node searches with; `text` is its parameter `input`."""
    return (resolve_text(text, state, Place(node=name, param="input"))
            if text.strip() else state.request.message.strip())
