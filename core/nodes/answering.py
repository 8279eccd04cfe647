"""The nodes that say something: Generate, Instruction, CannedResponse."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from core.agent.turn import Projection
from core.errors import InspectorError, Place
from core.io.work import Work
from core.nodes.parameters import InstructionParams, IntentToInstructionParams, SelectionStrategy
from core.nodes.state import Outcome, TurnState
from core.prompt.lint import Provided, lint
from core.prompt.projection import InstructionText, PromptInputs, project

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.nodes.parameters import CannedResponseParams, GenerateParams, NodeParams


def generate(name: str, params: GenerateParams, state: TurnState) -> Outcome:
    """Render the prompt that the model would read; the reply is what the user typed in."""
    inputs = PromptInputs(
        user_message=state.request.message,
        instructions=tuple(state.instructions),
        knowledge=tuple(state.knowledge),
        system_prompt=params.system_prompt,
        template=params.template,
        placement=params.placement,
        dialog=state.request.play.dialog,
    )
    problems = lint(params.template, params.placement, provided_by(state.request.params))
    model = params.model_name or state.request.default_model_name
    try:
        projection = Projection(project(inputs), problems, model)
    except InspectorError as error:
        located = InspectorError(
            error.code,
            error.message,
            hint=error.hint,
            place=Place(
                line=error.place.line, column=error.place.column, node=name, param="template"
            ),
        )
        return Outcome(
            "default", projection=Projection((), problems, model, located), error=located
        )
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


def instruction(name: str, params: InstructionParams, state: TurnState) -> Outcome:
    """Attach a named text for templates."""
    state.instructions.append(InstructionText(params.instruction_name or name, params.instruction))
    return Outcome("default", params.instruction)


def canned_response(name: str, params: CannedResponseParams, state: TurnState) -> Outcome:
    """Answer with a ready line."""
    lines = (
        state.workspace.strings(params.string_storage, work=Work(node=name)).values
        if params.string_storage
        else params.inline_strings
    )
    count = state.canned_counts.get(name, 0)
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
