"""Generate whose reply is spoken."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core import GenerateAndSpeakParams, InstructionParams, SpeakParams, Workspace
from tests.core.nodes.agents import agent_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


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
