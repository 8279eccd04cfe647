"""What a model reads of a question: its prompt, and where the question is cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.embedding.models import DEFAULT_MODEL
from core.index.dense_query import dense_query
from core.index.leg_query import DENSE_QUERY


def test_a_question_that_the_model_reads_whole_has_no_warning() -> None:
    assert dense_query(DEFAULT_MODEL, Path(), "where do clownfish live?").warning == ""


@pytest.mark.parametrize("end", ["dragon", "bread"])
def test_a_question_longer_than_the_model_reads_says_how_many_tokens_are_cut(end: str) -> None:
    query = dense_query(DEFAULT_MODEL, Path(), "fish " * 1999 + end)
    # A token each, and the two that stand at the ends.
    assert (query.tokens, query.max_tokens) == (2002, 256)
    assert query.warning == (
        f"the question has 2002 tokens, {DEFAULT_MODEL} reads 256: 1746 are cut at its end, "
        "dense search does not see them"
    )


def test_a_question_that_just_fits_is_not_cut_and_one_word_more_is() -> None:
    assert not dense_query(DEFAULT_MODEL, Path(), "fish " * 254).warning
    assert "1 are cut" in dense_query(DEFAULT_MODEL, Path(), "fish " * 255).warning


def test_a_relative_model_starts_at_the_folder_and_tells_its_prompts(tmp_path: Path) -> None:
    folder = tmp_path / "e5"
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    prompts = {"query": "query: ", "passage": "passage: "}
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts}))
    query = dense_query("e5", tmp_path, "where?")
    assert (query.prompt, query.record_prompt) == ("query: ", "passage: ")


def test_nothing_is_said_of_a_model_that_is_not_known(tmp_path: Path) -> None:
    assert dense_query("no such model", tmp_path, "x " * 5000) == DENSE_QUERY
