"""What every command line has in common: stray words, and texts that begin with a dash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from core.errors import InspectorError
from inspector.__main__ import main
from inspector.cli import commands as cli
from inspector.cli.parser import Parser

if TYPE_CHECKING:
    from pathlib import Path

LEXICAL = ("--set", "retrieval_mode=Lexical")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["trun"], 'did you mean "turn"?'),
        (["trun", "rag.graph.json", "-m", "hello"], 'did you mean "turn"?'),
        (["Check", "a.json"], 'did you mean "check"?'),
        (["doctor"], "commands: turn, check"),
        (["sub-graph"], 'did you mean "subgraph"?'),
        (["--theme", "dark", "doctor"], "commands: turn, check"),
    ],
)
def test_a_word_that_is_neither_a_command_nor_a_path_is_refused_in_one_line(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "is neither a command nor a file or folder" in said
    assert hint in said


def test_a_folder_may_be_called_like_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "doctor").mkdir()
    monkeypatch.chdir(tmp_path)
    assert cli.window_options(["doctor"]).paths == ["doctor"]
    assert cli.window_options(["gone.graph.json"]).paths == ["gone.graph.json"]


@pytest.mark.parametrize("message", ["-yes", "--yes please", "-1", "-m is for message", "-"])
def test_a_message_may_begin_with_a_dash(
    message: str, samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rag = str(samples / "aquarium" / "rag.graph.json")
    assert cli.main(["turn", rag, "-m", message, "--messages", *LEXICAL]) == 0
    assert json.loads(capsys.readouterr().out)[-1]["content"] == message
    assert cli.window_options(["--message", message]).message == message


def test_an_option_in_place_of_a_value_is_refused_and_the_way_out_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["turn", "a.json", "-m", "--messages"]) == 2
    said = capsys.readouterr().err
    assert "-m=-yes" in said
    assert cli.main(["turn", "a.json", "-m=--messages"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_an_option_without_a_value_takes_none() -> None:
    parser = Parser(prog="p")
    parser.add_argument("--flag", action="store_true")
    parser.add_argument("rest", nargs="*")
    with pytest.raises(InspectorError, match="unrecognized"):
        parser.parse_args(["--flag", "-yes"])
