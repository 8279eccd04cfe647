"""The command ``snippet``: what --set changes, as code of a game client, and as a graph file."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from core.agent.description import GraphDescription
from core.agent.snippets import LANGUAGES, changed_snippet
from inspector.cli import commands as cli

if TYPE_CHECKING:
    from pathlib import Path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = cli.main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


@pytest.fixture
def graph_file(samples: Path) -> Path:
    return samples / "aquarium" / "hybrid.graph.json"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_snippet_is_what_set_changes(
    capsys: pytest.CaptureFixture[str], graph_file: Path, language: str
) -> None:
    base = GraphDescription.load(graph_file)
    changed = base.with_param("knowledge", "threshold", 0.6).with_param("answer", "stream", True)
    assert run(
        capsys,
        "snippet",
        graph_file,
        "--set",
        "threshold=0.6",
        "--set",
        "answer.stream=true",
        "--language",
        language,
    ) == (0, changed_snippet(language, changed, base), "")


def test_python_is_the_language_unless_another_is_named(
    capsys: pytest.CaptureFixture[str], graph_file: Path
) -> None:
    assert run(capsys, "snippet", graph_file, "--set", "knowledge.threshold=0.6") == (
        0,
        'agent.change_param("knowledge", "threshold", 0.6)\n',
        "",
    )


def test_without_a_change_the_snippet_is_a_comment(
    capsys: pytest.CaptureFixture[str], graph_file: Path
) -> None:
    assert run(capsys, "snippet", graph_file, "--language", "cpp") == (
        0,
        "// No parameter differs from the graph file.\n",
        "",
    )


def test_a_structural_change_is_named(capsys: pytest.CaptureFixture[str], graph_file: Path) -> None:
    status, out, _ = run(capsys, "snippet", graph_file, "--set", "knowledge.not_found_exit=")
    assert status == 0
    assert out.endswith("# - knowledge.not_found_exit\n")


def test_save_writes_the_changed_graph_and_leaves_the_old_file(
    capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path
) -> None:
    before = graph_file.read_bytes()
    target = tmp_path / "tuned.graph.json"
    status, out, err = run(
        capsys, "snippet", graph_file, "--set", "threshold=0.6", "--save", target
    )
    assert (status, out, err) == (0, 'agent.change_param("knowledge", "threshold", 0.6)\n', "")
    params: Any = GraphDescription.load(target).node("knowledge").params
    assert params.threshold == 0.6
    assert graph_file.read_bytes() == before
    assert list(json.loads(target.read_text())) == list(json.loads(before))


def test_a_knowledge_file_gets_the_snippet_of_the_graph_around_it(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    file = samples / "aquarium" / "aquarium_all_mini.json"
    status, out, _ = run(capsys, "snippet", file, "--set", "top_k=9", "--language", "unity")
    assert status == 0
    assert "knowledgeParams.TopK = 9;" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--language", "cobol"), "3007"),
        (("--set", "threshold=3"), "3007"),
        (("--set", "nobody.top_k=3"), "3005"),
        (("--set", "top_k"), "3007"),
        (("--set", "knowledge.found_exit=nowhere"), "3003"),
        (
            ("--set", 'knowledge.filter={"op":"eq","lhs":{"knowledge":"x"},"rhs":{"value":1}}'),
            "filter.unknown_field",
        ),
        (("--set", "answer.template={{#knowledge}}"), "never closed"),
        (("--set", "knowledge.embedded_string_storage=gone.json"), "3010"),
        (("--set", "knowledge.input={{node.gone.output}}"), 'no node "gone"'),
    ],
)
def test_what_the_game_would_refuse_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], graph_file: Path, options: tuple[str, ...], said: str
) -> None:
    assert said in refused(capsys, "snippet", graph_file, *options)


def test_a_folder_that_is_not_there_is_refused_before_anything_is_printed(
    capsys: pytest.CaptureFixture[str], graph_file: Path, tmp_path: Path
) -> None:
    assert "3010" in refused(capsys, "snippet", tmp_path / "none.graph.json")
    assert "3010" in refused(capsys, "snippet", graph_file, "--save", tmp_path / "no" / "x.json")


@pytest.mark.slow
def test_the_program_knows_the_command(graph_file: Path, offscreen_env: dict[str, str]) -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "inspector",
            "snippet",
            str(graph_file),
            "--set",
            "source=Fässer 🐠",
            "--language",
            "unreal",
        ],
        capture_output=True,
        env=offscreen_env,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert 'TEXT("F\\u00e4sser \\U0001f420")' in done.stdout.decode()
