"""The node that only speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from core import Workspace
from tests.core.nodes.agents import tool_agent

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def test_speak_says_its_voice_and_does_nothing(workspace: Workspace) -> None:
    run = tool_agent(workspace).turn("x", exits={"tool": "tool_called"}).runs[1]
    assert run.diagnostics() == {"parameters": {"voice": "low"}, "input": {}, "output": {}}
