"""The prompts of a model's configuration: for questions and for records each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from core.embedding.prompts import CONFIG_FILE, read_prompts

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, ("", "")),
        ({"prompts": {"query": "query: ", "passage": "passage: "}}, ("query: ", "passage: ")),
        ({"prompts": {"query": "q ", "document": "", "corpus": "c "}}, ("q ", "c ")),
        ({"prompts": {"query": "q ", "document": "d ", "passage": "p "}}, ("q ", "d ")),
        ({"prompts": {"all": "a ", "query": "q "}, "default_prompt_name": "all"}, ("q ", "a ")),
        ({"prompts": {"all": "a "}, "default_prompt_name": "all"}, ("a ", "a ")),
        ({"prompts": {"all": "a "}}, ("", "")),
        ({"prompts": {"query": 7, "passage": None}, "default_prompt_name": 3}, ("", "")),
        ({"prompts": ["query: "]}, ("", "")),
    ],
)
def test_each_kind_of_text_has_its_own_prompt_or_the_usual_one(
    tmp_path: Path, config: dict[str, Any], expected: tuple[str, str]
) -> None:
    (tmp_path / CONFIG_FILE).write_text(json.dumps(config))
    assert read_prompts(tmp_path) == expected


def test_a_folder_without_configuration_has_no_prompts(tmp_path: Path) -> None:
    assert read_prompts(tmp_path) == read_prompts(None) == ("", "")
