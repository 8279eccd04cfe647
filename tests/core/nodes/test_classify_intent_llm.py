"""The intent that a model would tell: the user picks exit and label."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core import (
    ClassifyIntentLLMParams,
    GenerateAndSpeakParams,
    IntentToInstructionParams,
    Workspace,
)
from tests.core.nodes.agents import agent_of

if TYPE_CHECKING:
    from pathlib import Path

    from core import Agent


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


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
