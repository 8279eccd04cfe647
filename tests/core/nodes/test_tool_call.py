"""The node whose exit the user picks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core import SpeakParams, ToolCallParams, Workspace
from core.agent.agent import MAX_STEPS
from core.errors import Code
from tests.core.nodes.agents import agent_of, tool_agent

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_a_tool_call_takes_no_tool_called_unless_the_user_picks_an_exit(
    workspace: Workspace,
) -> None:
    agent = tool_agent(workspace)
    assert [run.name for run in agent.turn("x").runs] == ["tool", "no"]
    assert [run.name for run in agent.turn("x", exits={"tool": "tool_called"}).runs] == [
        "tool",
        "yes",
    ]


def test_a_simulated_exit_says_so(workspace: Workspace) -> None:
    run = tool_agent(workspace).turn("x", exits={"tool": "tool_called"}).runs[0]
    assert run.simulated
    assert run.diagnostics() == {
        "parameters": {"model_name": "M"},
        "input": {"text": "x"},
        "output": {"simulated": True, "exit": "tool_called"},
    }


def test_an_exit_that_the_node_does_not_have_is_3007(workspace: Workspace) -> None:
    turn = tool_agent(workspace).turn("x", exits={"tool": "tool_caled"})
    assert turn.error is not None
    assert (turn.error.code, turn.error.place.node) == (Code.InvalidParamValue, "tool")
    assert 'no exit "tool_caled"' in turn.error.message
    assert '"tool_called"' in turn.error.hint


def test_an_exit_that_is_picked_for_another_node_changes_nothing(workspace: Workspace) -> None:
    turn = tool_agent(workspace).turn("x", exits={"yes": "default"})
    assert [run.name for run in turn.runs] == ["tool", "no"]


def test_a_loop_through_a_simulated_exit_ends_with_4003(workspace: Workspace) -> None:
    agent = agent_of(
        workspace,
        tool=ToolCallParams(no_tool_called_exit="say"),
        say=SpeakParams(default_exit="tool"),
    )
    turn = agent.turn("x")
    assert turn.error is not None
    assert turn.error.code is Code.MaxStepsExceeded
    assert [run.name for run in turn.runs] == ["tool", "say"] * (MAX_STEPS // 2)
