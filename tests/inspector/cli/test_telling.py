"""What a search did not see, and what was made anew, is told on standard error."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from core.agent import Agent
from core.embedding.embedder import ModelProvider
from core.opening.opening import open_path
from inspector.cli.commands import main
from inspector.cli.telling import query_words_of, tell
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from core.agent.turn import Turn


def turn_of(samples: Path, question: str) -> Turn:
    models = ModelProvider(lambda _name: FakeEmbedder())
    opened = open_path(samples / "aquarium" / "rag.graph.json", models=models)
    return Agent(opened.graph, opened.workspace).turn(question)


def test_a_question_that_is_cut_is_a_warning_of_the_node(
    samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(turn_of(samples, "fish " * 1999 + "dragon"), ())
    told = capsys.readouterr().err
    assert told.startswith("warning knowledge: the question has 2002 tokens")
    assert "1746 are cut at its end" in told


def test_a_note_is_told_once(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    turn = turn_of(samples, "clownfish")
    told = tell(turn, ("kb.json.bm25 is made again",))
    tell(turn, ("kb.json.bm25 is made again", "another"), told)
    assert capsys.readouterr().err == "note: kb.json.bm25 is made again\nnote: another\n"


def test_of_a_model_its_prompts_are_told(samples: Path) -> None:
    assert query_words_of(turn_of(samples, "clownfish")) == [
        {"leg": "Dense", "prompt": "", "record_prompt": "", "max_tokens": 256}
    ]


def test_turn_tells_that_it_replaces_a_foreign_sidecar(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kb.json"
    path.write_text('[{"id": "r0", "text": "hero number 0"}]')
    (tmp_path / "kb.json.bm25").write_bytes(b"TRYLLBM2 engine data of the game")
    assert main(["turn", str(path), "-m", "hero", "--set", "retrieval_mode=Lexical"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["status"] == "Success"
    assert printed.err.startswith("note: kb.json.bm25 is made again, in the place of")


def test_a_hit_without_a_visible_text_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "empty.kb.json"
    texts = {"empty": "", "zwsp": "\u200b", "sword": "The red sword burns."}
    path.write_text(json.dumps([{"id": name, "text": text} for name, text in texts.items()]))
    opened = open_path(path, models=ModelProvider(lambda _name: FakeEmbedder()))
    graph = opened.graph.with_param("knowledge", "top_k", 3)
    turn = Agent(graph.with_param("knowledge", "threshold", 0), opened.workspace).turn("hello")
    tell(turn, ())
    assert sorted(capsys.readouterr().err.splitlines()) == [
        f'warning knowledge: the text of the hit "{name}" is {what}: it takes a place and says '
        "nothing"
        for name, what in (("empty", "empty"), ("zwsp", "invisible (U+200B)"))
    ]


def test_lint_of_the_template_is_told_on_standard_error(
    samples: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rag = str(samples / "aquarium" / "rag.graph.json")
    options = ("--set", "retrieval_mode=Lexical", "--set", "answer.template=Context: {knowledge}")
    assert main(["turn", rag, "-m", "clownfish", *options]) == 0
    said = capsys.readouterr().err
    assert "warning answer.template: line 1, column 1: 3 hits, none reaches the prompt" in said
    assert "column 10: {knowledge} is plain text: Mustache takes two braces" in said
