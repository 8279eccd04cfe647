"""ClassifyIntent and IntentToInstruction: message → label of the nearest example → instruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.agent.checks import inline_problem
from core.errors import Code, InspectorError, Place
from core.io.work import Work
from core.knowledge.root import FileKind
from core.knowledge.schema import Field, FieldType
from core.nodes.intent_retrieval import IntentRetrieval
from core.nodes.parameters import (
    ClassifyIntentParams,
    IntentToInstructionParams,
    RetrievalMode,
    did_you_mean,
)
from core.nodes.state import Outcome, TurnState
from core.prompt.projection import InstructionText
from core.retrieve.select import Settings, select

if TYPE_CHECKING:
    from core.agent.workspace import Workspace

_MOST_TOP_K = ClassifyIntentParams.specs()["diagnostic_topk"].maximum or 1


def classify_intent(name: str, params: ClassifyIntentParams, state: TurnState) -> Outcome:
    """Find the example nearest to the player's message; its label is the intent.

    Raises
    ------
    SearchNeeded
        With `work.cached_only`, when this search has not been made yet.
    InspectorError
        3007 for a field that gives no labels, and what the search refuses.
    """
    query = state.request.message.strip()
    result = IntentRetrieval(params, name, query, None)
    if query:
        candidates = state.workspace.candidates(
            params.embedded_string_storage, query, params.filter, dense=True, work=state.work
        )
        settings = Settings(
            RetrievalMode.Dense,
            params.diagnostic_topk,
            params.threshold,
            top_k_name="diagnostic_topk",
            most_top_k=int(_MOST_TOP_K),
        )
        default = label_field(name, params, state.workspace).default
        result = IntentRetrieval(
            params,
            name,
            query,
            select(candidates, settings),
            default if isinstance(default, str) else None,
        )
    if not result.label:
        return Outcome("not_found", retrieval=result)
    state.label = result.label
    return Outcome("found", result.label, retrieval=result)


def label_field(name: str, params: ClassifyIntentParams, workspace: Workspace) -> Field:
    """Return the metadata field that the labels are in.

    Raises
    ------
    InspectorError
        3007 when the storage declares no such field of type string.
    """
    fields = workspace.knowledge(params.embedded_string_storage, work=Work(node=name)).fields
    texts = [field.name for field in fields if field.type is FieldType.STRING]
    wanted = params.metadata_field
    found = next((field for field in fields if field.name == wanted), None)
    if found is not None and found.type is FieldType.STRING:
        return found
    said = (
        "metadata_field is empty: no field gives the label"
        if not wanted
        else f'{params.embedded_string_storage} declares no field "{wanted}"'
        if found is None
        else f'the field "{wanted}" is of type {found.type}, and a label is a string'
    )
    one_of = (
        f"string fields: {', '.join(texts)}"
        if texts
        else ("declare a field of type string in the knowledge file")
    )
    raise InspectorError(
        Code.InvalidParamValue,
        said,
        place=Place(node=name, param="metadata_field"),
        hint=did_you_mean(wanted, texts) or one_of,
    )


def intent_to_instruction(
    name: str, params: IntentToInstructionParams, state: TurnState
) -> Outcome:
    """Attach the instruction of the intent that was classified last, where there is one.

    Raises
    ------
    InspectorError
        As `instruction_of`.
    """
    label, attached_as = state.label, params.instruction_name or name
    text = instruction_of(label, name, params, state.workspace) if label else None
    output: dict[str, object] = {"attached": text is not None}
    if text is not None:
        state.instructions.append(InstructionText(attached_as, text))
        output |= {"name": attached_as, "text": text}
    storage = {"string_storage": params.string_storage} if params.string_storage else {}
    return Outcome(
        "default",
        text or "",
        sections={
            "parameters": {**storage, "instruction_name": attached_as},
            "input": {"label": label} if label else {},
            "output": output,
        },
    )


def instruction_of(
    label: str, name: str, params: IntentToInstructionParams, workspace: Workspace
) -> str | None:
    """Return the text that belongs to a label, of the storage or else of the inline lists.

    Raises
    ------
    InspectorError
        3003 for inline lists of different lengths, 3011 for a storage that is no Map, and what
        `core.agent.workspace.Workspace.strings` raises.
    """
    if params.string_storage:
        return workspace.strings(
            params.string_storage, FileKind.MAP, work=Work(node=name)
        ).find_first(label)
    problem = inline_problem(params)
    if problem:
        raise InspectorError(
            Code.GraphCompilationFailed, problem, place=Place(node=name, param="inline_keys")
        )
    pairs = zip(params.inline_keys, params.inline_strings, strict=True)
    return next((text for key, text in pairs if key == label), None)
