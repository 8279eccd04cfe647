"""The filter: what it refuses and how, and its values against a record-by-record evaluator."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from core.errors import Code, InspectorError
from core.io.findings import Findings
from core.knowledge.filter import MAX_CHARACTERS, compile_filter
from core.knowledge.inference import infer_fields
from core.knowledge.schema import Column, Field, FieldType

INT, FLOAT, STRING = FieldType.INT, FieldType.FLOAT, FieldType.STRING
BOOL, SET = FieldType.BOOL, FieldType.SET
ORDERINGS = ("lt", "le", "gt", "ge")
SLUGS = (
    "syntax",
    "unknown_op",
    "unknown_field",
    "not_filterable",
    "unknown_namespace",
    "type_mismatch",
    "misplaced_array",
    "empty_args",
    "too_deep",
    "too_large",
    "missing_operand",
)

FIELDS = {
    field.name: field
    for field in (
        Field("level", INT, default=0),
        Field("min_level", INT, default=0),
        Field("depth", INT, optional=True),
        Field("temp", FLOAT, default=0.0),
        Field("ratio", FLOAT, optional=True),
        Field("water", STRING, default="fresh"),
        Field("mood", STRING, optional=True),
        Field("beginner", BOOL, default=False),
        Field("hidden", BOOL, optional=True),
        Field("tags", SET, default=()),
        Field("tools", SET, optional=True),
        Field("notes", STRING, default="", filterable=False),
    )
}


def knowledge(name: str) -> dict[str, Any]:
    return {"knowledge": name}


def value(literal: object) -> dict[str, Any]:
    return {"value": literal}


def compare(op: str, lhs: object, rhs: object) -> dict[str, Any]:
    return {"op": op, "lhs": lhs, "rhs": rhs}


def member(needle: object, haystack: object) -> dict[str, Any]:
    return {"op": "in", "needle": needle, "haystack": haystack}


def both(*args: object) -> dict[str, Any]:
    return {"op": "and", "args": list(args)}


def either(*args: object) -> dict[str, Any]:
    return {"op": "or", "args": list(args)}


def negate(arg: object) -> dict[str, Any]:
    return {"op": "not", "arg": arg}


LEVEL_5 = compare("ge", knowledge("level"), value(5))
SALT = compare("eq", knowledge("water"), value("salt"))
REEF = member(value("reef"), knowledge("tags"))
ONE = compare("eq", value(1), value(1))


def columns_of(records: list[dict[str, Any]]) -> dict[str, Column]:
    return {field.name: column_of(field, records) for field in FIELDS.values()}


def column_of(field: Field, records: list[dict[str, Any]]) -> Column:
    cells = [record.get(field.name, field.default) for record in records]
    present = np.array([cell is not None for cell in cells], dtype=np.bool_)
    if field.type is STRING:
        vocabulary = tuple(sorted({cell for cell in cells if cell is not None}))
        codes = [0 if cell is None else vocabulary.index(cell) for cell in cells]
        return Column(field, np.array(codes, dtype=np.int32), present, vocabulary)
    if field.type is SET:
        sets = [sorted(set(cell or ())) for cell in cells]
        vocabulary = tuple(sorted({text for members in sets for text in members}))
        codes = [vocabulary.index(text) for members in sets for text in members]
        offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
        return Column(field, np.array(codes, dtype=np.int32), present, vocabulary, offsets)
    dtype = {INT: np.int64, FLOAT: np.float64, BOOL: np.bool_}[field.type]
    return Column(field, np.array([cell or 0 for cell in cells], dtype=dtype), present)


def naive(tree: dict[str, Any], record: dict[str, Any]) -> bool:
    """The specification's rules, one record at a time, on plain Python objects."""
    op = tree["op"]
    if op == "and":
        return all(naive(arg, record) for arg in tree["args"])
    if op == "or":
        return any(naive(arg, record) for arg in tree["args"])
    if op == "not":
        return not naive(tree["arg"], record)
    first, second = ("needle", "haystack") if op == "in" else ("lhs", "rhs")
    left, right = (
        tree[side]["value"]
        if "value" in tree[side]
        else record.get(tree[side]["knowledge"], FIELDS[tree[side]["knowledge"]].default)
        for side in (first, second)
    )
    if left is None or right is None:
        return False
    if op == "in":
        return left in right
    return (
        {"eq": left == right, "ne": left != right}.get(op)
        if op in ("eq", "ne")
        else {"lt": left < right, "le": left <= right, "gt": left > right, "ge": left >= right}[op]
    )


def at_path(tree: dict[str, Any], path: str) -> dict[str, Any]:
    for key, index in re.findall(r"(arg)(?:s\[(\d+)\])?", path):
        tree = tree[key + "s"][int(index)] if index else tree[key]
    return tree


def refusal(tree: object) -> InspectorError:
    text = tree if isinstance(tree, str) else json.dumps(tree)
    with pytest.raises(InspectorError) as caught:
        compile_filter(text, FIELDS, node="knowledge")
    assert caught.value.code is Code.InvalidParamValue
    return caught.value


def passes(tree: object, **record: object) -> bool:
    compiled = compile_filter(json.dumps(tree), FIELDS)
    assert compiled is not None
    return bool(compiled.mask(columns_of([record]), 1)[0])


def why(tree: object, **record: object) -> str:
    compiled = compile_filter(json.dumps(tree), FIELDS)
    assert compiled is not None
    return compiled.falsified(columns_of([record]), 0)


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_a_blank_text_is_no_filter(text: str) -> None:
    assert compile_filter(text, FIELDS) is None


@pytest.mark.parametrize(
    ("tree", "start"),
    [
        # The examples of the specification come first.
        (
            both(LEVEL_5, compare("eq", knowledge("water"), value(5))),
            "filter.type_mismatch: at args[1].rhs: cannot compare string with int",
        ),
        ({"op": "xor", "args": [ONE]}, "filter.unknown_op: at the top: "),
        ({"op": 5}, "filter.unknown_op: at the top: "),
        ({}, "filter.unknown_op: at the top: "),
        (negate({"op": "EQ", "lhs": value(1), "rhs": value(1)}), "filter.unknown_op: at arg: "),
        (compare("eq", knowledge("levle"), value(1)), "filter.unknown_field: at lhs: "),
        (
            either(ONE, negate(member(knowledge("nope"), knowledge("tags")))),
            "filter.unknown_field: at args[1].arg.needle: ",
        ),
        (compare("eq", value("x"), knowledge("notes")), "filter.not_filterable: at rhs: "),
        (compare("eq", {"agent": "hp"}, value(1)), "filter.unknown_namespace: at lhs: "),
        (member({"player": "class"}, knowledge("tags")), "filter.unknown_namespace: at needle: "),
        (
            compare("eq", knowledge("water"), value(True)),
            "filter.type_mismatch: at rhs: cannot compare string with bool",
        ),
        (
            compare("ne", knowledge("beginner"), value(1)),
            "filter.type_mismatch: at rhs: cannot compare bool with int",
        ),
        (
            compare("eq", value(1.5), knowledge("hidden")),
            "filter.type_mismatch: at rhs: cannot compare float with bool",
        ),
        (compare("eq", knowledge("tags"), knowledge("tools")), "filter.type_mismatch: at lhs: "),
        (
            compare("eq", knowledge("tags"), value("reef")),
            "filter.type_mismatch: at rhs: cannot compare set<string> with string",
        ),
        *(
            (compare(op, knowledge("water"), value("a")), "filter.type_mismatch: at lhs: ")
            for op in ORDERINGS
        ),
        *(
            (compare(op, value(True), knowledge("beginner")), "filter.type_mismatch: at lhs: ")
            for op in ORDERINGS
        ),
        (
            compare("lt", knowledge("level"), value("5")),
            "filter.type_mismatch: at rhs: cannot compare int with string",
        ),
        (member(value(5), knowledge("tags")), "filter.type_mismatch: at needle: "),
        (member(knowledge("level"), value(["5"])), "filter.type_mismatch: at needle: "),
        (member(knowledge("tools"), knowledge("tags")), "filter.type_mismatch: at needle: "),
        (member(value("reef"), knowledge("water")), "filter.type_mismatch: at haystack: "),
        (member(value("reef"), value("reef and more")), "filter.type_mismatch: at haystack: "),
        (member(knowledge("level"), value([1, 2])), "filter.type_mismatch: at haystack.value[0]: "),
        (member(value("a"), value(["a", None])), "filter.type_mismatch: at haystack.value[1]: "),
        (member(value("a"), value([["a"]])), "filter.type_mismatch: at haystack.value[0]: "),
        (compare("eq", knowledge("water"), value(None)), "filter.type_mismatch: at rhs: "),
        (compare("eq", value({"a": 1}), value(1)), "filter.type_mismatch: at lhs: "),
        (compare("eq", knowledge("level"), value(2**63)), "filter.type_mismatch: at rhs: "),
        (compare("eq", value(-(2**63) - 1), knowledge("level")), "filter.type_mismatch: at lhs: "),
        (
            '{"op":"lt","lhs":{"knowledge":"temp"},"rhs":{"value":1e999}}',
            "filter.type_mismatch: at rhs: ",
        ),
        (
            '{"op":"lt","lhs":{"value":' + "9" * 10_000 + '},"rhs":{"value":1}}',
            "filter.type_mismatch: at lhs: ",
        ),
        (compare("eq", value(["a"]), knowledge("water")), "filter.misplaced_array: at lhs: "),
        (compare("eq", knowledge("tags"), value(["a"])), "filter.misplaced_array: at rhs: "),
        (
            both(member(value(["a"]), knowledge("tags"))),
            "filter.misplaced_array: at args[0].needle: ",
        ),
        (compare("eq", ["a"], knowledge("water")), "filter.misplaced_array: at lhs: "),
        (both(), "filter.empty_args: at args: "),
        (negate(either(ONE, both())), "filter.empty_args: at arg.args[1].args: "),
        ({"op": "eq", "lhs": value(1)}, "filter.missing_operand: at rhs: "),
        ({"op": "eq", "lhs": None, "rhs": value(1)}, "filter.missing_operand: at lhs: "),
        ({"op": "in", "needle": value("a")}, "filter.missing_operand: at haystack: "),
        (both({"op": "not"}), "filter.missing_operand: at args[0].arg: "),
        ({"op": "or"}, "filter.missing_operand: at args: "),
        (compare("eq", {}, value(1)), "filter.missing_operand: at lhs: "),
        (compare("eq", {"knowledge": "level", "value": 1}, value(1)), "filter.syntax: at lhs: "),
        (compare("eq", "level", value(1)), "filter.syntax: at lhs: "),
        (compare("eq", knowledge("level"), 5), "filter.syntax: at rhs: "),
        (member(value("a"), ["a"]), "filter.syntax: at haystack: "),
        (compare("eq", {"knowledge": 5}, value(1)), "filter.syntax: at lhs: "),
        ({"op": "and", "args": {"op": "not"}}, "filter.syntax: at args: "),
        (both(ONE, "level"), "filter.syntax: at args[1]: "),
        ([ONE], "filter.syntax: at the top: "),
        ("null", "filter.syntax: at the top: "),
        ({**ONE, "args": []}, "filter.syntax: at the top: "),
        (
            '{"op":"not","op":"eq","lhs":{"value":1},"rhs":{"value":1}}',
            "filter.syntax: at the top: ",
        ),
        ('{"op":"eq","lhs":{"value":1,"value":2},"rhs":{"value":1}}', "filter.syntax: at lhs: "),
        (compare("eq", knowledge("water"), value("\ud800")), "filter.syntax: at rhs: "),
        (
            member(knowledge("water"), value(["a", "\udfff"])),
            "filter.syntax: at haystack.value[1]: ",
        ),
        ('{"op":"eq","lhs":{"value":"\udcff"},"rhs":{"value":"a"}}', "filter.syntax: at lhs: "),
    ],
)
def test_a_mistake_is_refused_with_its_slug_and_json_path(
    tree: dict[str, Any] | list[dict[str, dict[str, int] | str]] | str, start: str
) -> None:
    error = refusal(tree)
    assert error.message.startswith(start)
    assert error.place.node == "knowledge"
    assert error.place.param == "filter"
    assert error.place.json_path == start.split(": ")[1].removeprefix("at ").replace("the top", "")
    error.line().encode()


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("{", 1, 2),
        ('{"op": "and",\n "args": [}', 2, 11),
        ("level > 5", 1, 1),
        ('{"op":"eq","lhs":{"value":1},"rhs":{"value":1}} x', 1, 49),
        ('{"op":"eq",\n"lhs":{"value":NaN},"rhs":{"value":1}}', 2, 16),
        ('{"op":"eq","lhs":{"value":"NaN \\" Infinity"},\n\n "rhs":{"value":-Infinity}}', 3, 18),
        ('{"op":"eq","lhs":{"value":"a\x00"},"rhs":{"value":1}}', 1, 29),
        ("\ufeff{}", 1, 1),
    ],
)
def test_invalid_json_gives_line_and_column(text: str, line: int, column: int) -> None:
    error = refusal(text)
    assert error.message.startswith(f"filter.syntax: at line {line}, column {column}: ")
    assert (error.place.line, error.place.column) == (line, column)


def test_a_misspelt_field_gets_a_suggestion_and_the_list_of_fields() -> None:
    hint = refusal(compare("eq", knowledge("levle"), value(1))).hint
    assert 'did you mean "level"?' in hint
    assert "water" in hint
    assert "notes" not in hint


def test_a_misspelt_operator_gets_a_suggestion_and_the_list_of_operators() -> None:
    hint = refusal({"op": "andd", "args": [ONE]}).hint
    assert 'did you mean "and"?' in hint
    assert all(op in hint for op in ("or", "not", "eq", "ne", "in", *ORDERINGS))


def test_an_operator_in_capitals_gets_the_small_one_as_a_suggestion() -> None:
    assert 'did you mean "eq"?' in refusal({"op": "EQ", "lhs": value(1), "rhs": value(1)}).hint


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ('{"op": "and", "args": [],}', "a comma with nothing after it", "remove the comma"),
        ("\ufeff{}", "the invisible character U+FEFF is not expected here", "remove it"),
        ('{"op": "eq"', "the filter ends too early", "close the {"),
        ('{"op" "eq"}', "expected : after the key", '"key": value'),
    ],
)
def test_a_mistake_of_json_is_told_as_of_a_file(text: str, said: str, hint: str) -> None:
    error = refusal(text)
    assert said in error.message
    assert hint in error.hint


def nested(levels: int) -> dict[str, Any]:
    tree = ONE
    for _ in range(levels - 1):
        tree = negate(tree)
    return tree


def test_sixteen_levels_are_accepted() -> None:
    assert passes(nested(16)) == (15 % 2 == 0)


def test_a_seventeenth_level_is_refused_where_it_begins() -> None:
    assert refusal(nested(17)).message.startswith("filter.too_deep: at " + ".".join(["arg"] * 16))


@pytest.mark.parametrize(
    "text",
    [
        '{"op":"not","arg":' * 10_000 + "{}" + "}" * 10_000,
        '{"op":"and","args":[' * 10_000 + "]}" * 10_000,
        "[" * 10_000 + "]" * 10_000,
        "[" * 10_000,
    ],
)
def test_json_nested_ten_thousand_deep_is_too_deep(text: str) -> None:
    assert refusal(text).message.startswith("filter.too_deep: at the top: ")


def test_two_hundred_and_fifty_six_conditions_are_accepted() -> None:
    compiled = compile_filter(json.dumps(both(*[ONE] * 255)), FIELDS)
    assert compiled is not None
    assert compiled.node_count == 256


def test_one_condition_more_is_refused_where_it_stands() -> None:
    assert refusal(both(*[ONE] * 256)).message.startswith("filter.too_large: at args[255]: ")


def test_a_million_conditions_are_refused() -> None:
    text = '{"op":"and","args":[' + ",".join([json.dumps(ONE)] * 1_000_000) + "]}"
    assert refusal(text).message.startswith("filter.too_large: ")


def test_a_text_up_to_the_limit_is_read_and_a_longer_one_is_not() -> None:
    text = json.dumps(ONE)
    assert compile_filter(text.ljust(MAX_CHARACTERS), FIELDS) is not None
    assert refusal(text.ljust(MAX_CHARACTERS + 1)).message.startswith("filter.too_large: ")


def test_a_filter_knows_its_text_its_fields_and_its_size() -> None:
    text = json.dumps(both(SALT, negate(LEVEL_5), REEF, SALT), indent=2)
    compiled = compile_filter(text, FIELDS)
    assert compiled is not None
    assert compiled.text == text
    assert compiled.fields == ("water", "level", "tags")
    assert compiled.node_count == 6


def test_a_mask_is_read_only() -> None:
    compiled = compile_filter(json.dumps(LEVEL_5), FIELDS)
    assert compiled is not None
    mask = compiled.mask(columns_of([{"level": 5}, {"level": 4}]), 2)
    assert mask.tolist() == [True, False]
    assert mask.dtype == np.bool_
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = False


@pytest.mark.parametrize("op", ["eq", "ne", *ORDERINGS])
def test_every_comparison_of_an_absent_value_is_false(op: str) -> None:
    for other in (value(3), value(3.5), knowledge("level"), knowledge("depth"), knowledge("temp")):
        assert not passes(compare(op, knowledge("depth"), other))
        assert not passes(compare(op, other, knowledge("depth")))
        assert passes(negate(compare(op, knowledge("depth"), other)))


def test_every_membership_of_or_in_an_absent_value_is_false() -> None:
    for tree in (
        member(value("a"), knowledge("tools")),
        member(knowledge("mood"), value(["a"])),
        member(knowledge("mood"), knowledge("tags")),
        member(knowledge("water"), knowledge("tools")),
    ):
        assert not passes(tree, tags=["a", "fresh"])
        assert passes(negate(tree), tags=["a", "fresh"])


def test_an_empty_array_holds_nothing() -> None:
    assert not passes(member(knowledge("water"), value([])))


EDGE_INTS = [
    0,
    1,
    -1,
    *(sign * (2**53 + step) for sign in (1, -1) for step in range(-2, 6)),
    2**62,
    2**63 - 1,
    2**63 - 1024,
    -(2**63),
    -(2**63) + 1,
]
EDGE_FLOATS = [
    0.0,
    0.5,
    -0.5,
    1.0,
    *(sign * (2.0**53 + step) for sign in (1, -1) for step in range(-2, 6, 2)),
    2.0**62,
    2.0**63,
    2.0**63 - 1024,
    -(2.0**63),
    1e300,
    -1e300,
]


@pytest.mark.parametrize("op", ["eq", "ne", *ORDERINGS])
def test_integers_and_floats_are_compared_exactly_at_the_edges_of_both(op: str) -> None:
    records = [{"level": whole, "temp": real} for whole in EDGE_INTS for real in EDGE_FLOATS]
    columns = columns_of(records)
    trees = [
        compare(op, knowledge("level"), knowledge("temp")),
        compare(op, knowledge("temp"), knowledge("level")),
        *(
            tree
            for real in EDGE_FLOATS
            for tree in (
                compare(op, knowledge("level"), value(real)),
                compare(op, value(real), knowledge("level")),
            )
        ),
        *(
            tree
            for whole in EDGE_INTS
            for tree in (
                compare(op, knowledge("temp"), value(whole)),
                compare(op, value(whole), knowledge("temp")),
            )
        ),
    ]
    for tree in trees:
        compiled = compile_filter(json.dumps(tree), FIELDS)
        assert compiled is not None
        expected = [naive(tree, record) for record in records]
        assert compiled.mask(columns, len(records)).tolist() == expected


@pytest.mark.parametrize(
    ("tree", "record", "statement"),
    [
        (
            both(SALT, LEVEL_5),
            {"water": "salt", "level": 3},
            "level is 3 (wanted ≥ 5) · args[1]",
        ),
        (
            both(SALT, LEVEL_5, REEF),
            {"level": 7},
            'water is "fresh" (wanted "salt"), tags is [] (wanted with "reef") · args[0], args[2]',
        ),
        (
            both(*[LEVEL_5] * 5),
            {"level": 1},
            f"{', '.join(['level is 1 (wanted ≥ 5)'] * 3)} and 2 more · args[0], args[1], args[2]",
        ),
        (
            both(LEVEL_5, both(LEVEL_5, SALT)),
            {"level": 7},
            'water is "fresh" (wanted "salt") · args[1].args[1]',
        ),
        (
            both(LEVEL_5, either(REEF, SALT)),
            {"level": 7},
            'tags is [] (wanted with "reef"), water is "fresh" (wanted "salt")'
            " · args[1].args[0], args[1].args[1]",
        ),
        (
            either(REEF, SALT),
            {},
            'tags is [] (wanted with "reef"), water is "fresh" (wanted "salt") · args[0], args[1]',
        ),
        (either(SALT), {}, 'water is "fresh" (wanted "salt") · args[0]'),
        (negate(SALT), {"water": "salt"}, 'water is "salt" (unwanted) · arg'),
        (
            both(LEVEL_5, negate(either(SALT, REEF))),
            {"level": 7, "tags": ["reef", "cold"]},
            'tags is ["cold", "reef"] (unwanted with "reef") · args[1].arg.args[1]',
        ),
        (
            negate(either(SALT, REEF)),
            {"water": "salt", "tags": ["reef"]},
            'water is "salt" (unwanted), tags is ["reef"] (unwanted with "reef")'
            " · arg.args[0], arg.args[1]",
        ),
        (
            negate(both(SALT, REEF)),
            {"water": "salt", "tags": ["reef"]},
            'water is "salt" (unwanted), tags is ["reef"] (unwanted with "reef")'
            " · arg.args[0], arg.args[1]",
        ),
        (negate(negate(SALT)), {}, 'water is "fresh" (wanted "salt") · arg.arg'),
        (SALT, {}, 'water is "fresh" (wanted "salt")'),
        (compare("lt", value(2), value(1)), {}, "2 < 1 is false"),
        (
            both(compare("gt", knowledge("depth"), value(1.5))),
            {},
            "depth is absent (wanted > 1.5) · args[0]",
        ),
        (
            both(compare("le", knowledge("level"), knowledge("temp"))),
            {"level": 9, "temp": 2.5},
            "level is 9, temp is 2.5 (wanted level ≤ temp) · args[0]",
        ),
    ],
)
def test_the_statement_names_the_values_that_keep_a_record_out_and_their_places(
    tree: dict[str, Any], record: dict[str, Any], statement: str
) -> None:
    assert why(tree, **record) == statement


def test_a_statement_about_long_values_is_cut_short() -> None:
    tree = both(compare("eq", knowledge("water"), value("x" * 500)))
    statement = why(tree, water="y" * 500)
    assert statement.startswith('water is "yyy')
    assert statement.endswith(" · args[0]")
    assert len(statement) <= 80


def test_a_record_that_passes_has_nothing_falsified() -> None:
    assert why(LEVEL_5, level=5) == ""


def test_an_explanation_lists_every_condition_with_its_value_for_the_record() -> None:
    compiled = compile_filter(json.dumps(both(LEVEL_5, negate(SALT))), FIELDS)
    assert compiled is not None
    assert compiled.explain(columns_of([{"level": 3, "water": "fresh"}]), 0) == (
        ("", "all of 2", False, ""),
        ("args[0]", "level ≥ 5", False, "level is 3"),
        ("args[1]", "not", True, ""),
        ("args[1].arg", 'water = "salt"', False, 'water is "fresh"'),
    )


WORDS = st.sampled_from(["", "a", "b", "reef", "Reef", "é", "魚", "🐠"])
INTS = st.sampled_from(
    [
        0,
        1,
        -1,
        2,
        2**53 - 1,
        2**53,
        2**53 + 1,
        2**53 + 3,
        -(2**53) - 1,
        2**62,
        2**63 - 1,
        2**63 - 1024,
        -(2**63),
    ]
) | st.integers(-3, 3)
FLOATS = st.sampled_from(
    [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.0,
        2.0**53,
        2.0**53 + 4,
        -(2.0**53),
        2.0**62,
        2.0**63,
        -(2.0**63),
        2.0**63 - 1024,
        1e300,
        -1e300,
        5e-324,
    ]
) | st.integers(-3, 3).map(float)
VALUES = {
    INT: INTS,
    FLOAT: FLOATS,
    STRING: WORDS,
    BOOL: st.booleans(),
    SET: st.lists(WORDS, max_size=4, unique=True).map(sorted),
}
RECORDS = st.fixed_dictionaries(
    {}, optional={field.name: VALUES[field.type] for field in FIELDS.values()}
)


def operands(*types: FieldType, literals: bool = True) -> st.SearchStrategy[dict[str, Any]]:
    named = st.sampled_from(
        [
            knowledge(field.name)
            for field in FIELDS.values()
            if field.type in types and field.filterable
        ]
    )
    written = [VALUES[kind].map(value) for kind in types] if literals else []
    return st.one_of(named, *written)


def comparisons() -> st.SearchStrategy[dict[str, Any]]:
    ops = st.sampled_from(["eq", "ne", *ORDERINGS])
    numbers = operands(INT, FLOAT)
    equalities = st.sampled_from(["eq", "ne"])
    return st.one_of(
        st.builds(compare, ops, numbers, numbers),
        st.builds(compare, equalities, operands(STRING), operands(STRING)),
        st.builds(compare, equalities, operands(BOOL), operands(BOOL)),
        st.builds(member, operands(STRING), operands(SET)),
    )


FILTERS = st.recursive(
    comparisons(),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda args: both(*args)),
        st.lists(inner, min_size=1, max_size=3).map(lambda args: either(*args)),
        inner.map(negate),
    ),
    max_leaves=6,
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.lists(RECORDS, min_size=1, max_size=8), st.lists(FILTERS, min_size=1, max_size=8))
def test_masks_explanations_and_statements_agree_with_a_record_by_record_evaluator(
    records: list[dict[str, Any]], trees: list[Any]
) -> None:
    columns = columns_of(records)
    for tree in trees:
        compiled = compile_filter(json.dumps(tree), FIELDS)
        assert compiled is not None
        expected = [naive(tree, record) for record in records]
        assert compiled.mask(columns, len(records)).tolist() == expected
        for row, record in enumerate(records):
            clauses = compiled.explain(columns, row)
            assert len(clauses) == compiled.node_count
            for clause in clauses:
                assert clause.truth is naive(at_path(tree, clause.json_path), record)
            assert_statement_holds(compiled.falsified(columns, row), tree, record)


def assert_statement_holds(statement: str, tree: dict[str, Any], record: dict[str, Any]) -> None:
    assert (statement == "") is naive(tree, record)
    assert len(statement) <= 160
    paths = statement.rpartition(" · ")[2] if " · arg" in statement else ""
    if paths and ", " not in paths and "…" not in paths:
        is_unwanted = "(unwanted" in statement or " is true · " in statement
        assert naive(at_path(tree, paths), record) is is_unwanted


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
NEARLY_FILTERS = st.recursive(
    JSON_VALUES | comparisons(),
    lambda inner: st.fixed_dictionaries(
        {"op": st.sampled_from(["and", "or", "not", "eq", "ne", "lt", "in", "xor"])},
        optional={
            key: inner
            | st.lists(inner, max_size=2)
            | st.fixed_dictionaries(
                {},
                optional={
                    "knowledge": st.sampled_from(sorted(FIELDS)),
                    "value": inner,
                    "agent": inner,
                },
            )
            for key in ("args", "arg", "lhs", "rhs", "needle", "haystack")
        },
    ),
    max_leaves=5,
)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(NEARLY_FILTERS.map(json.dumps) | st.text(max_size=30))
@example('{"op":"eq","lhs":{"\ud800":1},"rhs":{"value":1}}')
@example('{"op":"\\ud800"}')
@example('{"op":"and","args":[{"op":"eq","lhs":{"knowledge":"\\ud800"},"rhs":{"value":1}}]}')
@example('"\\')
def test_any_text_compiles_or_is_refused_with_a_known_slug(text: str) -> None:
    error = None
    try:
        compile_filter(text, FIELDS)
    except InspectorError as caught:
        error = caught
    if error is not None:
        assert re.match(rf"filter\.({'|'.join(SLUGS)}): at \S", error.message)
        error.line().encode()


def test_a_field_of_mixed_types_is_refused_with_the_types_that_it_holds() -> None:
    findings = Findings(Code.InvalidEmbeddedStringStorageData)
    fields = {field.name: field for field in infer_fields([{"mix": 1}, {"mix": "s"}], findings)}
    condition = '{"op": "eq", "lhs": {"knowledge": "mix"}, "rhs": {"value": 1}}'
    with pytest.raises(InspectorError, match="not_filterable") as refused:
        compile_filter(condition, fields)
    assert refused.value.hint == (
        "its records hold int values and string values: give it one type in all of them"
    )
