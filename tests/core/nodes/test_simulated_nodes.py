"""The nodes whose exit the user picks, and those that only speak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core.agent import (
    Agent,
    ClassifyIntentLLMParams,
    GenerateAndSpeakParams,
    GraphDescription,
    InstructionParams,
    IntentToInstructionParams,
    SpeakParams,
    ToolCallParams,
    Workspace,
)
from core.agent.agent import MAX_STEPS
from core.errors import Code

if TYPE_CHECKING:
    from pathlib import Path

    from core.nodes import NodeParams


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def agent_of(workspace: Workspace, **nodes: NodeParams) -> Agent:
    graph = GraphDescription().set_start_node(next(iter(nodes))).set_default_model_name("M")
    for name, params in nodes.items():
        graph.add_node(name, params)
    return Agent(graph, workspace)


def tool_agent(workspace: Workspace) -> Agent:
    tool = ToolCallParams(tool_called_exit="yes", no_tool_called_exit="no")
    return agent_of(workspace, tool=tool, yes=SpeakParams(voice="low"), no=SpeakParams())


def llm_agent(workspace: Workspace, ids: str = " trade, greeting ,") -> Agent:
    return agent_of(
        workspace,
        intent=ClassifyIntentLLMParams(intents_ids=ids, found_exit="say"),
        say=IntentToInstructionParams(
            inline_keys=("trade", "duel"),
            default_exit="answer",
            inline_strings=("Name a price.", "Draw!"),
        ),
        answer=GenerateAndSpeakParams(template="{{#instructions}}{{text}}{{/instructions}}"),
    )


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


def test_an_intent_of_a_model_is_not_found_unless_the_user_picks_found(
    workspace: Workspace,
) -> None:
    turn = llm_agent(workspace).turn("x")
    assert [(run.name, run.exit, run.simulated) for run in turn.runs] == [
        ("intent", "not_found", True)
    ]
    assert turn.runs[0].diagnostics()["output"] == {"simulated": True, "exit": "not_found"}


def test_the_first_of_the_labels_is_taken_when_none_is_typed_in(workspace: Workspace) -> None:
    turn = llm_agent(workspace).turn("x", exits={"intent": "found"})
    assert turn.runs[0].output == "trade"
    assert turn.runs[0].diagnostics()["parameters"]["intents_ids"] == ["trade", "greeting"]
    assert turn.runs[0].diagnostics()["output"] == {
        "simulated": True,
        "exit": "found",
        "label": "trade",
    }
    assert turn.messages[0].text == "Name a price."


def test_a_label_that_is_typed_in_comes_before_the_list(workspace: Workspace) -> None:
    turn = llm_agent(workspace).turn("x", exits={"intent": "found"}, replies={"intent": "duel"})
    assert turn.messages[0].text == "Draw!"
    assert '"duel" is none of intents_ids' in turn.runs[0].diagnostics()["output"]["note"]


def test_found_without_any_label_has_none(workspace: Workspace) -> None:
    turn = llm_agent(workspace, ids="").turn("x", exits={"intent": "found"})
    assert turn.runs[0].output == ""
    assert turn.runs[1].diagnostics()["output"] == {"attached": False}


def test_generate_and_speak_renders_as_generate_does(workspace: Workspace) -> None:
    agent = agent_of(
        workspace,
        mood=InstructionParams(instruction="Be kind.", default_exit="a"),
        a=GenerateAndSpeakParams(template="{{instruction_mood}}", voice="low", default_exit="loud"),
        loud=SpeakParams(),
    )
    turn = agent.turn("Hello", replies={"a": "Good evening."})
    assert [(m.role, m.text) for m in turn.messages] == [("system", "Be kind."), ("user", "Hello")]
    assert [(run.name, run.exit, run.output) for run in turn.runs] == [
        ("mood", "default", "Be kind."),
        ("a", "default", "Good evening."),
        ("loud", "default", ""),
    ]
    assert turn.runs[1].projection is not None
    assert turn.runs[1].projection.problems == ()


def test_speak_says_its_voice_and_does_nothing(workspace: Workspace) -> None:
    run = tool_agent(workspace).turn("x", exits={"tool": "tool_called"}).runs[1]
    assert run.diagnostics() == {"parameters": {"voice": "low"}, "input": {}, "output": {}}


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
