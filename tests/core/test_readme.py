from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.agent import GraphDescription

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def blocks(repo: Path, language: str) -> list[str]:
    text = (repo / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


def test_the_ten_lines_of_the_readme_run_as_they_stand(
    repo: Path, samples: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (script,) = blocks(repo, "python")
    assert len(script.splitlines()) <= 15
    monkeypatch.chdir(samples.parent)
    exec(compile(script, "README.md", "exec"), {})
    assert "clown" in capsys.readouterr().out
    assert [node.name for node in GraphDescription.load("my.graph.json").nodes] == [
        "knowledge",
        "answer",
    ]


def test_every_picture_and_sample_of_the_readme_is_there(repo: Path) -> None:
    text = (repo / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"\]\((resources/[^)]+)\)", text) + re.findall(r"`(samples/[\w/.]+)`", text)
    assert [name for name in named if not (repo / name).exists()] == []
    assert len(named) >= 5


def test_ci_runs_the_test_command_of_the_readme(repo: Path) -> None:
    assert 'pip install -e ".[test]" && python -m pytest' in "".join(blocks(repo, "sh"))
    assert "<!-- test command -->" in (repo / ".ci" / "run").read_text(encoding="utf-8")
