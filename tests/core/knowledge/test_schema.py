from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Code
from core.io.findings import Finding, Findings
from core.knowledge.columns import absent_column, build_columns
from core.knowledge.inference import infer_fields
from core.knowledge.schema import MAX_FIELDS, Column, Field, FieldType, parse_fields

INT, FLOAT, STRING = FieldType.INT, FieldType.FLOAT, FieldType.STRING
BOOL, SET = FieldType.BOOL, FieldType.SET
ABSENT = "absent"


def collector() -> Findings:
    return Findings(Code.InvalidEmbeddedStringStorageData, "file.json")


def parsed(*entries: Any) -> tuple[tuple[Field, ...], list[Finding]]:
    findings = collector()
    return parse_fields(list(entries), findings), list(findings)


def built(field: Field, *values: Any) -> tuple[Column | None, list[Finding]]:
    findings = collector()
    metadata = [{} if value is ABSENT else {field.name: value} for value in values]
    return build_columns([field], metadata, findings).get(field.name), list(findings)


def value_at(column: Column, row: int) -> Any:
    """Read one value of a column back, the slow way."""
    if not column.present[row]:
        return None
    if column.offsets is not None:
        codes = column.values[column.offsets[row] : column.offsets[row + 1]]
        return tuple(column.vocabulary[int(code)] for code in codes)
    if column.field.type is STRING:
        return column.vocabulary[int(column.values[row])]
    return column.values[row].item()


def test_a_declaration_of_each_type_is_read() -> None:
    fields, findings = parsed(
        {"name": "level", "type": "int", "default": 1},
        {"name": "weight", "type": "float", "default": 2, "filterable": False},
        {"name": "place", "type": "string", "optional": True},
        {"name": "rare", "type": "bool", "default": False, "optional": False},
        {"name": "tags", "type": "set<string>", "default": ["b", "a", "b"]},
    )
    assert findings == []
    assert fields == (
        Field("level", INT, 1),
        Field("weight", FLOAT, 2.0, filterable=False),
        Field("place", STRING, None, True),
        Field("rare", BOOL, False),
        Field("tags", SET, ("a", "b")),
    )


@pytest.mark.parametrize(
    ("entry", "path", "said"),
    [
        ("level", "fields[0]", 'found the text "level"'),
        ({"type": "int", "default": 0}, "fields[0].name", "found none"),
        ({"name": "", "type": "int", "default": 0}, "fields[0].name", "found an empty text"),
        ({"name": "a\0", "type": "int", "default": 0}, "fields[0].name", "control characters"),
        ({"name": "a", "default": 0}, "fields[0].type", "found none"),
        ({"name": "a", "type": 3, "default": 0}, "fields[0].type", "found the number 3"),
        ({"name": "a", "type": "int"}, "fields[0]", "neither a default nor"),
        ({"name": "a", "type": "int", "optional": False}, "fields[0]", "neither a default nor"),
        (
            {"name": "a", "type": "int", "optional": True, "default": 0},
            "fields[0]",
            "both a default",
        ),
        (
            {"name": "a", "type": "int", "optional": 1},
            "fields[0].optional",
            "expected true or false",
        ),
        (
            {"name": "a", "type": "int", "default": 0, "filterable": "no"},
            "fields[0].filterable",
            'found the text "no"',
        ),
        (
            {"name": "a", "type": "int", "default": True},
            "fields[0].default",
            "expected int, found tru",
        ),
        ({"name": "a", "type": "int", "default": 1.5}, "fields[0].default", "expected int"),
        ({"name": "a", "type": "int", "default": 2**63}, "fields[0].default", "64-bit"),
        ({"name": "a", "type": "float", "default": "1"}, "fields[0].default", "expected float"),
        ({"name": "a", "type": "float", "default": math.nan}, "fields[0].default", "finite"),
        ({"name": "a", "type": "bool", "default": 0}, "fields[0].default", "expected bool"),
        ({"name": "a", "type": "string", "default": None}, "fields[0].default", "found null"),
        ({"name": "a", "type": "set<string>", "default": "x"}, "fields[0].default", "set<string>"),
        (
            {"name": "a", "type": "set<string>", "default": ["x", 1]},
            "fields[0].default[1]",
            "found the number 1",
        ),
    ],
)
def test_a_faulty_declaration_is_an_error_with_its_path(entry: Any, path: str, said: str) -> None:
    fields, [finding] = parsed(entry)
    assert fields == ()
    assert finding.severity == "error"
    assert finding.place.json_path == path
    assert said in finding.message


def test_a_misspelt_type_is_asked_about() -> None:
    _, [finding] = parsed({"name": "a", "type": "strng", "default": ""})
    assert finding.hint == 'did you mean "string"?'


def test_a_field_that_is_declared_twice_names_both_declarations() -> None:
    _, [finding] = parsed(
        {"name": "a", "type": "int", "default": 0},
        {"name": "b", "type": "int", "default": 0},
        {"name": "a", "type": "bool", "optional": True},
    )
    assert "fields[0] and fields[2]" in finding.message


def test_an_unknown_key_of_a_declaration_is_a_warning_with_a_suggestion() -> None:
    fields, [finding] = parsed({"name": "a", "type": "int", "default": 0, "filterabel": True})
    assert len(fields) == 1
    assert (finding.severity, finding.hint) == ("warning", 'did you mean "filterable"?')


def test_fields_that_are_no_list_are_an_error() -> None:
    findings = collector()
    assert parse_fields({"name": "a"}, findings) == ()
    assert "found an object" in next(iter(findings)).message


def test_a_flood_of_fields_is_refused() -> None:
    _, findings = parsed(*[{}] * (MAX_FIELDS + 1))
    assert len(findings) == 1


def test_ints_keep_all_64_bits() -> None:
    column, _ = built(Field("a", INT, 0), 2**63 - 1, -(2**63), ABSENT)
    assert column is not None
    assert column.values.dtype == np.int64
    assert column.values.tolist() == [2**63 - 1, -(2**63), 0]
    assert column.present.all()


def test_an_int_is_accepted_where_float_is_declared() -> None:
    column, findings = built(Field("a", FLOAT, None, True), 1, 2.5, ABSENT)
    assert findings == []
    assert column is not None
    assert column.values.tolist() == [1.0, 2.5, 0.0]
    assert column.present.tolist() == [True, True, False]


def test_strings_are_codes_into_a_sorted_vocabulary() -> None:
    column, _ = built(Field("a", STRING, None, True), "b", "", ABSENT, "é", "b")
    assert column is not None
    assert column.vocabulary == ("", "b", "é")
    assert column.values.tolist() == [1, 0, -1, 2, 1]


def test_sets_are_stored_sorted_and_unique() -> None:
    column, _ = built(Field("a", SET, ("d",)), ["b", "a", "b"], [], ABSENT, ["a"])
    assert column is not None
    assert column.vocabulary == ("a", "b", "d")
    assert column.values.tolist() == [0, 1, 2, 0]
    assert column.offsets is not None
    assert column.offsets.tolist() == [0, 2, 2, 3, 4]


def test_columns_cannot_be_written_to() -> None:
    column, _ = built(Field("a", SET, ()), ["b"])
    assert column is not None
    assert column.offsets is not None
    assert not any(a.flags.writeable for a in (column.values, column.present, column.offsets))


@pytest.mark.parametrize(
    ("kind", "value", "said"),
    [
        (INT, "high", 'expected int, found the text "high"'),
        (INT, True, "found true"),
        (INT, 1.0, "found the number 1.0"),
        (INT, None, "found null"),
        (INT, 2**63, "expected a 64-bit int"),
        (FLOAT, True, "expected float, found true"),
        (FLOAT, math.inf, "finite"),
        (FLOAT, "1", "expected float"),
        (BOOL, 1, "expected bool"),
        (STRING, 1, "expected string"),
        (STRING, ["x"], "found a list"),
        (SET, "x", "set<string>"),
        (SET, {"x": 1}, "found an object"),
    ],
)
def test_a_value_of_the_wrong_type_is_an_error_with_its_path(
    kind: FieldType, value: Any, said: str
) -> None:
    good = {INT: 1, FLOAT: 1.0, BOOL: True, STRING: "x", SET: ["x"]}[kind]
    column, [finding] = built(Field("min_level", kind, None, True), good, ABSENT, value)
    assert column is None
    assert finding.place.json_path == "records[2].metadata.min_level"
    assert finding.place.file == "file.json"
    assert said in finding.message


def test_a_wrong_member_of_a_set_has_its_own_path() -> None:
    _, [finding] = built(Field("a b", SET, ()), ["x", "y", 3])
    assert finding.place.json_path == 'records[0].metadata["a b"][2]'


def test_every_wrong_value_is_found_up_to_a_hundred() -> None:
    _, findings = built(Field("a", INT, 0), *["x"] * 150)
    assert len(findings) == 100


def test_deeply_nested_metadata_that_no_field_names_is_an_error() -> None:
    deep: Any = 1
    for _ in range(300):
        deep = [deep]
    findings = collector()
    build_columns([Field("a", INT, 0)], [{"a": 1}, {"note": [[1]]}, {"note": deep}], findings)
    [finding] = findings
    assert finding.place.json_path == "records[2].metadata.note"


def test_a_column_that_nobody_has_is_absent_everywhere() -> None:
    column = absent_column(Field("a", STRING, None, True), 3)
    assert not column.present.any()
    assert column.values.tolist() == [-1, -1, -1]


def test_no_records_make_empty_columns() -> None:
    for kind in FieldType:
        column, findings = built(Field("a", kind, None, True))
        assert findings == []
        assert column is not None
        assert len(column.present) == 0


VALUES = {
    INT: st.integers(-(2**63), 2**63 - 1),
    BOOL: st.booleans(),
    STRING: st.text(max_size=3),
    FLOAT: st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53),
    SET: st.lists(st.sampled_from(["a", "b", "é", ""]), max_size=4),
}
DEFAULTS: dict[FieldType, Any] = {INT: 7, BOOL: True, STRING: "d", FLOAT: 0.5, SET: ("b", "z")}


@pytest.mark.slow
@settings(deadline=None)
@given(st.data())
def test_columns_equal_a_record_by_record_reading(data: st.DataObject) -> None:
    fields = [
        Field(f"{kind}{optional}", kind, None if optional else DEFAULTS[kind], optional)
        for kind in FieldType
        for optional in (False, True)
    ]
    record = st.fixed_dictionaries(
        {}, optional={f.name: VALUES[f.type] for f in fields} | {"other": st.integers()}
    )
    metadata = data.draw(st.lists(st.none() | record, max_size=8))
    findings = collector()
    columns = build_columns(fields, metadata, findings)
    assert list(findings) == []
    for field in fields:
        for row, given_metadata in enumerate(metadata):
            value: Any = (given_metadata or {}).get(field.name, field.default)
            if field.type is SET and value is not None:
                value = tuple(sorted(set(value)))
            read = value_at(columns[field.name], row)
            assert read == value
            assert type(read) is type(value) or field.type is FLOAT


def inferred(*metadata: dict[str, Any] | None) -> tuple[dict[str, Field], list[Finding]]:
    findings = collector()
    return {f.name: f for f in infer_fields(metadata, findings)}, list(findings)


def test_a_field_of_one_type_in_every_record_gets_that_type() -> None:
    fields, findings = inferred(
        {"i": 1, "f": 1.5, "s": "x", "b": True, "t": ["a"]},
        {"i": 2, "f": 2.5, "s": "y", "b": False, "t": []},
    )
    assert findings == []
    assert [(f.name, f.type, f.optional) for f in fields.values()] == [
        ("i", INT, False),
        ("f", FLOAT, False),
        ("s", STRING, False),
        ("b", BOOL, False),
        ("t", SET, False),
    ]


def test_a_field_that_some_record_lacks_or_has_null_for_is_optional() -> None:
    fields, _ = inferred({"a": 1, "b": 1}, {"b": None}, None)
    assert fields["a"] == Field("a", INT, None, True)
    assert fields["b"] == Field("b", INT, None, True)


def test_ints_and_floats_together_become_float() -> None:
    assert inferred({"a": 1}, {"a": 1.5})[0]["a"].type is FLOAT


def test_ints_beyond_64_bits_become_float() -> None:
    assert inferred({"a": 2**63}, {"a": 1})[0]["a"].type is FLOAT


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (1, "x", "int values and string values"),
        (True, 1, "bool values and int values"),
        (["a"], "a", "set<string> values and string values"),
        ({}, {}, "objects"),
        ([1], [2], "lists of other things"),
    ],
)
def test_any_other_mix_is_not_filterable_and_warned_of(one: Any, other: Any, said: str) -> None:
    fields, [finding] = inferred({"a": one}, {"a": other})
    assert not fields["a"].filterable
    assert finding.severity == "warning"
    assert said in finding.message


def test_a_mix_is_shown_at_the_first_record_that_breaks_it() -> None:
    _, [finding] = inferred({"a": 1}, {"a": 2}, {"a": "x"}, {"a": "y"})
    assert finding.place.json_path == "records[2].metadata.a"


def test_numbers_as_text_stay_text_with_the_entry_that_would_make_them_numbers() -> None:
    fields, findings = inferred({"level": "5", "price": "1.5"}, {"level": "-12"}, {"level": "7"})
    assert fields["level"].type is STRING
    assert '{"name": "level", "type": "int", "default": 0}' in findings[0].hint
    assert '{"name": "price", "type": "float", "optional": true}' in findings[1].hint


def test_codes_with_leading_zeros_are_no_numbers() -> None:
    assert inferred({"code": "007"})[1] == []


def test_a_flood_of_metadata_keys_is_cut_with_a_warning() -> None:
    fields, findings = inferred({f"k{i}": 1 for i in range(MAX_FIELDS + 50)})
    assert len(fields) == MAX_FIELDS
    assert str(MAX_FIELDS + 50) in findings[0].message


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abc"),
            st.none()
            | st.booleans()
            | st.integers(-(2**65), 2**65)
            | st.floats(allow_nan=False)
            | st.sampled_from(["1", "x"])
            | st.lists(st.text(max_size=2) | st.integers(), max_size=2),
        ),
        max_size=6,
    )
)
def test_what_is_inferred_and_filterable_can_always_be_built(
    metadata: list[dict[str, Any] | None],
) -> None:
    findings = collector()
    fields = infer_fields(metadata, findings)
    usable = [f for f in fields if f.filterable]
    columns = build_columns(usable, metadata, findings, null_is_absent=True)
    errors = [f for f in findings if f.severity == "error"]
    infinite = any(
        isinstance(v, float) and math.isinf(v) for m in metadata for v in (m or {}).values()
    )
    assert infinite or (not errors and columns.keys() == {f.name for f in usable})
