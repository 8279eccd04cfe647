"""Ready clauses and where an error is: every filter that is made compiles."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from core.errors import InspectorError
from core.knowledge.filter import compile_filter
from core.knowledge.schema import Field, FieldType
from inspector.forms.filter_snippets import (
    lay_out,
    negated,
    place_in,
    snippets,
    tidy,
    with_clause,
)

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = {
    "level": Field("level", FieldType.INT, 1),
    "weight": Field("weight", FieldType.FLOAT, optional=True),
    "water": Field("water", FieldType.STRING, "salt"),
    "shy": Field("shy", FieldType.BOOL, False),
    "tags": Field("tags", FieldType.SET, ()),
}
SAMPLES = {"level": 12, "weight": 2.5, "water": "fresh", "shy": True, "tags": ("reef", "small")}
CLAUSE = {"op": "eq", "lhs": {"knowledge": "water"}, "rhs": {"value": "salt"}}


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("samples", [{}, SAMPLES])
def test_every_ready_clause_compiles(name: str, samples: dict[str, Any]) -> None:
    found = snippets(FIELDS[name], samples.get(name))
    assert found
    for snippet in found:
        assert compile_filter(json.dumps(snippet.clause), FIELDS) is not None


def test_a_sample_value_of_the_storage_stands_in_the_clause() -> None:
    labels = [snippet.label for snippet in snippets(FIELDS["water"], "fresh")]
    assert 'water = "fresh"' in labels


def test_a_clause_is_the_whole_filter_where_there_was_none() -> None:
    assert json.loads(with_clause("  ", CLAUSE)) == CLAUSE


def test_a_clause_joins_the_arguments_of_an_and() -> None:
    text = with_clause(json.dumps({"op": "and", "args": [CLAUSE]}), CLAUSE)
    assert json.loads(text) == {"op": "and", "args": [CLAUSE, CLAUSE]}


def test_a_clause_is_anded_to_any_other_filter() -> None:
    other = {"op": "or", "args": [CLAUSE]}
    assert json.loads(with_clause(json.dumps(other), CLAUSE)) == {
        "op": "and",
        "args": [other, CLAUSE],
    }


@pytest.mark.parametrize("text", ['{"op":', "[1]", "3", '{"a": NaN}', "[" * 100_000, "x" * 200_000])
def test_what_is_no_filter_is_left_alone(text: str) -> None:
    assert with_clause(text, CLAUSE) is None
    assert tidy(text) is None
    assert negated(text) is None


def test_tidying_keeps_the_meaning(samples: Path) -> None:
    graph = json.loads((samples / "adventure" / "npc.graph.json").read_text(encoding="utf-8"))
    text = graph["nodes"][0]["params"]["filter"]
    assert json.loads(tidy(text)) == json.loads(text)
    assert max(map(len, tidy(text).splitlines())) <= 110


def test_a_negated_filter_lets_through_what_it_dropped() -> None:
    assert json.loads(negated(json.dumps(CLAUSE))) == {"op": "not", "arg": CLAUSE}


def test_an_empty_list_stays_on_one_line() -> None:
    assert lay_out({"op": "and", "args": []}) == '{"op": "and", "args": []}'


def test_the_place_of_a_type_mismatch_is_the_operand() -> None:
    text = json.dumps(
        {
            "op": "and",
            "args": [
                CLAUSE,
                {"op": "ge", "lhs": {"knowledge": "level"}, "rhs": {"value": "twelve"}},
            ],
        },
        indent=1,
    )
    with pytest.raises(InspectorError) as caught:
        compile_filter(text, FIELDS)
    start, end = place_in(text, str(caught.value))
    assert json.loads(text[start:end]) == {"value": "twelve"}


def test_the_place_of_broken_json_is_the_character() -> None:
    text = '{"op": "eq",\n "lhs": }'
    with pytest.raises(InspectorError) as caught:
        compile_filter(text, FIELDS)
    start, end = place_in(text, str(caught.value))
    assert text[start:end] == "}"


@pytest.mark.parametrize(
    "message", ["", "at the top: no", "at args[7].rhs: gone", "at line 99, column 1"]
)
def test_an_unknown_place_is_none_or_inside_the_text(message: str) -> None:
    place = place_in(json.dumps(CLAUSE), message)
    assert place is None or 0 <= place[0] <= place[1] <= len(json.dumps(CLAUSE))
