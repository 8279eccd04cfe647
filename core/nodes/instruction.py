"""Instruction: attach a named text for templates."""

from __future__ import annotations

from dataclasses import dataclass

from core.nodes.kind import NodeKind
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, TurnState
from core.prompt.lint import Provided
from core.prompt.projection import InstructionText


@dataclass(frozen=True, kw_only=True)
class InstructionParams(NodeParams):
    """Parameters of Instruction: attach a named text for templates."""

    instruction_name: str = param(
        "",
        "Name that templates use (instruction_NAME). Empty = the node's name.",
        reads=Reads.PROMPT,
    )
    instruction: str = param("", "The text.", reads=Reads.PROMPT | Reads.WALK, multiline=True)
    default_exit: str = exit_param("next")


class Instruction(
    NodeKind[InstructionParams],
    lacks=("answer", "simulated", "memory", "check", "check_storages", "check_change", "prepare"),
):
    """Attaches its text."""

    table = InstructionParams
    is_in_game = True

    def provides(self, name: str, params: InstructionParams) -> Provided:
        return Provided(instructions=(params.instruction_name or name,))

    def run(self, name: str, params: InstructionParams, state: TurnState) -> Outcome:
        attached_as = params.instruction_name or name
        state.instructions.append(InstructionText(attached_as, params.instruction))
        return Outcome("default", params.instruction)


INSTRUCTION = Instruction()
