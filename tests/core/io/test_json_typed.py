"""Why a text that was typed is no JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.io.json_typed import why_no_json


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ('{"a": 1,}', "at line 1, column 8: a comma with nothing after it", "remove the comma"),
        ("{'a': 1}", "at line 1, column 2: ' does not start a text", "straight double quotes"),
        ('{"a":\n True}', "at line 2, column 2: True is no JSON value", "write true"),
        ('{"a": 1', "at line 1, column 8: the filter ends too early", "restore the rest of the f"),
        ("\ufeff{}", "at line 1, column 1: the invisible character U+FEFF is not", "remove it"),
        ('{"a":\u00a01}', "at line 1, column 6: the invisible character U+00A0 is", "remove it"),
        ("level > 5", "at line 1, column 1: level is not in quotes", 'write "level"'),
        ("[-Infinity]", "at line 1, column 3: Infinity is no JSON number", "a finite number"),
        ('["\ud800"]', "at line 1, column 3: a lone surrogate", "remove it"),
    ],
)
def test_a_mistake_is_told_with_its_place_and_what_to_do(text: str, said: str, hint: str) -> None:
    mistake = why_no_json(text, "the filter")
    assert mistake is not None
    assert str(mistake).startswith(said)
    assert hint in mistake.hint


@given(st.dictionaries(st.text(), st.integers(-9, 9) | st.text()))
def test_json_has_no_mistake(value: dict[str, object]) -> None:
    assert why_no_json(json.dumps(value), "the filter") is None


@given(st.text())
def test_any_text_can_be_looked_at(text: str) -> None:
    why_no_json(text, "the filter")
