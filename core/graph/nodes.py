"""What each node type does in a turn. A new type is one function and one line in the table."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.graph.lint import Provided, lint
from core.graph.prompt import Chunk, InstructionText, KnowledgeBlock, PromptInputs, project
from core.parameters import (
    CannedResponseParams,
    GenerateParams,
    InstructionParams,
    IntentToInstructionParams,
    KeywordRetrieveParams,
    KnowledgeSourceKind,
    NodeParams,
    RetrievalMode,
    RetrieveParams,
    RetrieveSubgraphParams,
    SelectionStrategy,
)
from core.progress import IsCancelled, Progress, never_cancelled, no_progress
from core.retrievals import KeywordRetrieval, Retrieval, RetrievalResult, SubgraphRetrieval
from core.search.subgraph_expand import SubgraphResult
from core.search.subgraph_request import SubgraphRequest
from core.selection.entry_points import find_entry_points
from core.selection.keyword_listing import KeywordListing
from core.selection.keyword_select import select as select_entries
from core.selection.select import Settings, select
from core.selection.subgraph_listing import SubgraphListing
from core.turn import Projection, TurnRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.graph.workspace import Workspace

_REFERENCE = re.compile(r"\{\{\s*(user_message|var\.[^{}\s]+|node\.[^{}]+?\.output)\s*\}\}")


@dataclass(slots=True)
class TurnState:
    """What has been attached to the turn so far; one per walk, passed from node to node."""

    request: TurnRequest
    workspace: Workspace
    cached_only: bool = False
    progress: Progress = no_progress
    is_cancelled: IsCancelled = never_cancelled
    outputs: dict[str, str] = field(default_factory=dict)
    instructions: list[InstructionText] = field(default_factory=list)
    knowledge: list[KnowledgeBlock] = field(default_factory=list)
    canned_counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a node hands back to the walk."""

    exit: str
    output: str = ""
    retrieval: RetrievalResult | None = None
    projection: Projection | None = None
    error: InspectorError | None = None


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


def _query(name: str, text: str, state: TurnState) -> str:
    """Return what a node searches with; `text` is its parameter `input`."""
    return (resolve_text(text, state, Place(node=name, param="input"))
            if text.strip() else state.request.message.strip())


def _attach(result: RetrievalResult, state: TurnState) -> Outcome:
    """Attach what a node found to the turn, as a block of knowledge; an empty one too."""
    state.knowledge.append(KnowledgeBlock(result.source, tuple(
        Chunk(hit.id, hit.text, hit.distance) for hit in result.hits)))
    output = "\n".join(hit.text for hit in result.hits)
    return Outcome("found" if result.hits else "not_found", output, retrieval=result)


def _retrieve(name: str, params: RetrieveParams, state: TurnState) -> Outcome:
    query = _query(name, params.input, state)
    selection = None
    if params.source_kind is KnowledgeSourceKind.FromName:
        resolve_text(params.storage_name, state, Place(node=name, param="storage_name"))
    elif query:
        candidates = state.workspace.candidates(
            params.embedded_string_storage, query, params.filter,
            dense=params.retrieval_mode is not RetrievalMode.Lexical, node=name,
            cached_only=state.cached_only, progress=state.progress,
            is_cancelled=state.is_cancelled)
        selection = select(candidates, Settings.of(params))
    return _attach(Retrieval(params, params.source or name, query, selection), state)


def _keyword_retrieve(name: str, params: KeywordRetrieveParams, state: TurnState) -> Outcome:
    query, listing = _query(name, params.input, state), None
    if query:
        candidates = state.workspace.keyword_candidates(
            params, query, node=name, cached_only=state.cached_only, progress=state.progress,
            is_cancelled=state.is_cancelled)
        listing = KeywordListing(select_entries(candidates, params.k, params.min_score))
    return _attach(KeywordRetrieval(params, params.source or name, query, listing), state)


def _retrieve_subgraph(name: str, params: RetrieveSubgraphParams, state: TurnState) -> Outcome:
    query, listing = _query(name, params.input, state), None
    if query:
        candidates = state.workspace.subgraph_candidates(
            params, query, node=name, cached_only=state.cached_only, progress=state.progress,
            is_cancelled=state.is_cancelled)
        listing = SubgraphListing(SubgraphResult(
            find_entry_points(candidates, SubgraphRequest.of_params(query, params))))
    return _attach(SubgraphRetrieval(params, params.source or name, query, listing), state)


def _generate(name: str, params: GenerateParams, state: TurnState) -> Outcome:
    inputs = PromptInputs(
        user_message=state.request.message, instructions=tuple(state.instructions),
        knowledge=tuple(state.knowledge), system_prompt=params.system_prompt,
        template=params.template, placement=params.placement)
    problems = lint(params.template, params.placement, provided_by(state.request.params))
    model = params.model_name or state.request.default_model_name
    try:
        projection = Projection(project(inputs), problems, model)
    except InspectorError as error:
        located = InspectorError(error.code, error.message, hint=error.hint, place=Place(
            line=error.place.line, column=error.place.column, node=name, param="template"))
        return Outcome("default", projection=Projection((), problems, model, located),
                       error=located)
    return Outcome("default", state.request.replies.get(name, ""), projection=projection)


def provided_by(params: Mapping[str, NodeParams]) -> Provided:
    """Return the names that the nodes of a graph can provide to a template."""
    instructions: list[str] = []
    sources: list[str] = []
    for name, table in params.items():
        if isinstance(table, InstructionParams | IntentToInstructionParams):
            instructions.append(table.instruction_name or name)
        elif table.attaches_knowledge:
            sources.append(getattr(table, "source", "") or name)
    return Provided(tuple(dict.fromkeys(instructions)), tuple(dict.fromkeys(sources)))


def _instruction(name: str, params: InstructionParams, state: TurnState) -> Outcome:
    state.instructions.append(InstructionText(params.instruction_name or name,
                                              params.instruction))
    return Outcome("default", params.instruction)


def _canned_response(name: str, params: CannedResponseParams, state: TurnState) -> Outcome:
    lines = (state.workspace.strings(params.string_storage, node=name).values
             if params.string_storage else params.inline_strings)
    count = state.canned_counts.get(name, state.request.canned_counts.get(name, 0))
    state.canned_counts[name] = count + 1
    if not lines:
        return Outcome("default")
    if params.selection_strategy is SelectionStrategy.First:
        index = 0
    elif params.selection_strategy is SelectionStrategy.RoundRobin:
        index = count % len(lines)
    else:
        index = random.Random(f"{state.request.seed}:{name}:{count}").randrange(len(lines))
    return Outcome("default", lines[index])


_RUNNERS: dict[type[NodeParams], Callable[[str, Any, TurnState], Outcome]] = {
    RetrieveParams: _retrieve,
    GenerateParams: _generate,
    InstructionParams: _instruction,
    CannedResponseParams: _canned_response,
    KeywordRetrieveParams: _keyword_retrieve,
    RetrieveSubgraphParams: _retrieve_subgraph,
}


def run_node(name: str, params: NodeParams, state: TurnState) -> Outcome:
    """Run one node.

    Raises
    ------
    InspectorError
        3003 for a node type that does not run here, otherwise what the node itself refuses.
    """
    runner = _RUNNERS.get(type(params))
    if runner is None:
        raise InspectorError(Code.GraphCompilationFailed,
                             f'node "{name}": {params.node_type} does not run here yet',
                             place=Place(node=name))
    return runner(name, params, state)
