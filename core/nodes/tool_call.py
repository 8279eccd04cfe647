"""ToolCall: a language model calls a tool, or none. The user picks the exit."""

from __future__ import annotations

from dataclasses import dataclass

from core.nodes.kind import NodeKind, Simulated
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, TurnState


@dataclass(frozen=True, kw_only=True)
class ToolCallParams(NodeParams):
    """Parameters of ToolCall, which needs a language model."""

    model_name: str = param("", "Language model.", reads=Reads.GAME, structural=True)
    system_prompt: str = param("", "System message.", reads=Reads.GAME, multiline=True)
    notify_client: bool = param(
        False, "Whether the game is told. No effect here.", reads=Reads.GAME
    )
    tool_called_exit: str = exit_param("when a tool is called")
    no_tool_called_exit: str = exit_param("when no tool is called")


class ToolCall(
    NodeKind[ToolCallParams],
    lacks=("answer", "provides", "memory", "check", "check_storages", "check_change", "prepare"),
):
    """Takes the exit that the user picked, or `no_tool_called`."""

    table = ToolCallParams
    is_in_game = True
    simulated = Simulated("no_tool_called")

    def run(self, name: str, params: ToolCallParams, state: TurnState) -> Outcome:
        taken = state.picked_exit(name, params, self.simulated.exit)
        return Outcome(
            taken,
            simulated=True,
            sections={
                "parameters": {"model_name": state.request.model_of(params.model_name)},
                "input": {"text": state.request.message},
                "output": {"simulated": True, "exit": taken},
            },
        )


TOOL_CALL = ToolCall()
