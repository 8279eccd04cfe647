"""What a search did not see, and what was made anew, is told on standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.agent import Agent
from core.embedding.embedder import ModelProvider
from core.opening.opening import open_path
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
