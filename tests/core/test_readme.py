from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import core
from core import GraphDescription
from core.errors import Code

if TYPE_CHECKING:
    from pathlib import Path


def blocks(repo: Path, language: str) -> list[str]:
    text = (repo / "README.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.slow
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


def test_every_error_code_is_in_the_readme_and_only_what_nothing_makes_is_reserved(
    repo: Path,
) -> None:
    rows = re.findall(
        r"^\| (\d{4} .+?) \| (.+?) \|$", (repo / "README.md").read_text("utf-8"), re.M
    )
    told = {code: why for codes, why in rows for code in codes.split(", ")}
    assert sorted(told) == sorted(f"{int(code)} {code.name}" for code in Code)
    sources = "".join(
        path.read_text("utf-8")
        for room in ("core", "inspector")
        for path in (repo / room).rglob("*.py")
    )
    made = {code for code in Code if re.search(rf"\bCode\.{code.name}\b", sources)}
    reserved = {code for code in Code if told[f"{int(code)} {code.name}"].startswith("reserved")}
    assert reserved == set(Code) - made


def test_the_face_of_the_engine_has_what_scripts_need_and_loads_nothing_before() -> None:
    script = (
        "import core, sys; print([name for name in sys.modules if name.startswith('core.')]);"
        "from core import Agent, GraphDescription, RetrieveParams, RetrievalMode, Workspace"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
    with pytest.raises(AttributeError, match="'core' has no attribute 'Agnet'"):
        _ = core.Agnet  # type: ignore[attr-defined]
