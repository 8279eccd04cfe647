from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Code
from core.io.findings import Finding, Findings
from core.knowledge import records as records_module
from core.knowledge.project import project_records
from core.knowledge.records import RecordPlaces, Records, parse_records

GOOD = {"id": "a", "text": "x"}


def parse(raw: object, **options: Any) -> tuple[Records | None, list[Finding]]:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, "r.kb.json")
    return parse_records(raw, findings, RecordPlaces("r.kb.json"), **options), list(findings)


def test_records_are_read_in_file_order_and_unknown_keys_ignored() -> None:
    records, findings = parse(
        [{"id": "b", "text": "x", "extra": [1]}, {"text": "y", "id": "a", "metadata": {"k": 1}}]
    )
    assert findings == []
    assert records == Records(("b", "a"), ("x", "y"), (None, {"k": 1}))


@pytest.mark.parametrize("raw", [{}, "x", 3])
def test_what_is_no_list_is_an_error(raw: object) -> None:
    records, [finding] = parse(raw)
    assert records is None
    assert "expected a list of records" in finding.message


def test_an_empty_list_is_an_error_unless_it_may_be_empty() -> None:
    assert "there are no records" in parse([])[1][0].message
    assert parse([], may_be_empty=True) == (Records((), (), ()), [])


@pytest.mark.parametrize(
    ("record", "path", "said"),
    [
        (None, "records[1]", "found null"),
        ([], "records[1]", "found a list"),
        ({"text": "y"}, "records[1].id", "found none"),
        ({"id": "", "text": "y"}, "records[1].id", "found an empty text"),
        ({"id": 7, "text": "y"}, "records[1].id", "found the number 7"),
        ({"id": ["a"], "text": "y"}, "records[1].id", "found a list"),
        ({"id": "b\0c", "text": "y"}, "records[1].id", "control character U+0000"),
        ({"id": "b\nc", "text": "y"}, "records[1].id", "control character U+000A"),
        ({"id": "b"}, "records[1].text", "found none"),
        ({"id": "b", "text": None}, "records[1].text", "found null"),
        ({"id": "b", "text": True}, "records[1].text", "found true"),
        ({"id": "b", "text": "y", "metadata": []}, "records[1].metadata", "found a list"),
        ({"id": "b", "text": "y", "metadata": None}, "records[1].metadata", "found null"),
    ],
)
def test_a_faulty_record_is_an_error_with_its_path(record: object, path: str, said: str) -> None:
    records, [finding] = parse([GOOD, record])
    assert records is not None
    assert (records.ids[0], records.texts[0], records.metadata[0]) == ("a", "x", None)
    assert len(records.ids) == len(records.texts) == len(records.metadata) == 2
    assert finding.severity == "error"
    assert finding.place.json_path == path
    assert said in finding.message


def test_a_duplicate_id_names_both_records() -> None:
    _, [finding] = parse([GOOD, {"id": "b", "text": "y"}, {"id": "a", "text": "z"}])
    assert "records[0] and records[2]" in finding.message
    assert '"a"' in finding.message


def test_all_faults_are_found_up_to_a_hundred() -> None:
    _, findings = parse([{"id": "", "text": 1}, 3, {"id": "b", "text": "x", "metadata": 4}])
    assert [f.place.json_path for f in findings] == [
        "records[0].id",
        "records[0].text",
        "records[1]",
        "records[2].metadata",
    ]
    assert len(parse([{}] * 500)[1]) == 100


def test_a_text_without_bounds_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records_module, "MAX_TEXT_CHARS", 5)
    assert parse([{"id": "a", "text": "12345"}])[1] == []
    assert "6 characters" in parse([{"id": "a", "text": "123456"}])[1][0].message


def test_a_text_of_a_million_characters_is_fine() -> None:
    records, findings = parse([{"id": "a", "text": "x" * 10**6}])
    assert records is not None
    assert findings == []


@pytest.mark.parametrize(
    "text",
    [
        "\u0645\u0631\u062d\u0628\u0627",
        "日本語のテキスト",
        "👩\u200d👧 🏳\ufe0f\u200d🌈",
        "a\u202eb",
        "e\u0301",
    ],
)
def test_any_script_is_kept_as_it_is(text: str) -> None:
    records, findings = parse([{"id": text, "text": text}])
    assert findings == []
    assert records == Records((text,), (text,), (None,))


def test_empty_and_blank_texts_are_warnings() -> None:
    records, findings = parse(
        [{"id": "a", "text": ""}, {"id": "b", "text": " \n"}, GOOD | {"id": "c"}]
    )
    assert records is not None
    assert [(f.severity, f.place.json_path) for f in findings] == [
        ("warning", "records[0].text"),
        ("warning", "records[1].text"),
    ]


def test_identical_texts_are_a_warning_that_names_both_records() -> None:
    records, findings = parse(
        [GOOD, {"id": "b", "text": "y"}, {"id": "c", "text": "x"}, {"id": "d", "text": "x"}]
    )
    assert records is not None
    assert [f.message for f in findings] == [
        "records[0] and records[2] have the same text",
        "records[0] and records[3] have the same text",
    ]


def test_places_of_json_lines_have_the_line() -> None:
    place = RecordPlaces("f.jsonl", [0, 3], [1, 9])(1, "text")
    assert (place.line, place.json_path) == (9, "records[3].text")


def project(document: dict[str, Any]) -> tuple[list[Any], RecordPlaces, list[Finding]]:
    findings = Findings(Code.InvalidEmbeddedStringStorageData, "p.json")
    raw, places = project_records(document, findings)
    return raw, places, list(findings)


def test_chunks_of_a_project_become_records_with_their_category() -> None:
    raw, places, findings = project(
        {
            "name": "p",
            "createdAt": "now",
            "categories": [
                {
                    "name": "fish",
                    "chunks": [
                        {
                            "id": "a",
                            "text": "x",
                            "metadata": {"k": 1},
                            "customFields": [{"key": "level", "value": "5"}],
                        }
                    ],
                },
                {
                    "name": "plants",
                    "chunks": [
                        {"id": "b", "text": "y", "metadata": {"category": "own"}},
                        {"id": "c", "text": "z"},
                    ],
                },
            ],
        }
    )
    assert findings == []
    assert [record["metadata"] for record in raw] == [
        {"k": 1, "level": "5", "category": "fish"},
        {"category": "own"},
        {"category": "plants"},
    ]
    assert places(2, "text").json_path == "categories[1].chunks[1].text"


def test_metadata_wins_over_a_custom_field_of_the_same_key_with_a_warning() -> None:
    raw, _, [finding] = project(
        {
            "categories": [
                {
                    "name": "c",
                    "chunks": [
                        {
                            "id": "a",
                            "text": "x",
                            "metadata": {"k": 1},
                            "customFields": [{"key": "k", "value": 2}],
                        }
                    ],
                }
            ]
        }
    )
    assert raw[0]["metadata"]["k"] == 1
    assert finding.severity == "warning"
    assert finding.place.json_path == "categories[0].chunks[0].customFields[0]"


@pytest.mark.parametrize(
    ("document", "path"),
    [
        ({"categories": {}}, "categories"),
        ({"categories": [3]}, "categories[0]"),
        ({"categories": [{"name": 1, "chunks": []}]}, "categories[0].name"),
        ({"categories": [{"name": "c", "chunks": {}}]}, "categories[0].chunks"),
        (
            {"categories": [{"name": "c", "chunks": [{"customFields": 3}]}]},
            "categories[0].chunks[0].customFields",
        ),
        (
            {"categories": [{"name": "c", "chunks": [{"customFields": [{"key": 1, "value": 1}]}]}]},
            "categories[0].chunks[0].customFields[0]",
        ),
    ],
)
def test_a_faulty_project_is_an_error_with_its_path(document: dict[str, Any], path: str) -> None:
    _, _, [finding] = project(document)
    assert finding.severity == "error"
    assert finding.place.json_path == path


PIECES = st.sampled_from(["a", "b", "", "x\0"]) | st.integers() | st.none()


@settings(deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "id": PIECES,
                "text": PIECES,
                "metadata": st.dictionaries(st.text(max_size=1), st.none())
                | st.none()
                | st.integers(),
            },
        )
        | st.none(),
        max_size=5,
    )
)
def test_records_are_refused_exactly_when_one_breaks_a_rule(raw: list[Any]) -> None:
    def good(record: Any) -> bool:
        return (
            isinstance(record, dict)
            and isinstance(record.get("id"), str)
            and record["id"] not in ("", "x\0")
            and isinstance(record.get("text"), str)
            and isinstance(record.get("metadata", {}), dict)
        )

    ids = [record["id"] for record in raw if good(record)]
    valid = bool(raw) and all(map(good, raw)) and len(set(ids)) == len(ids)
    records, findings = parse(raw)
    assert (records is not None) == bool(raw)
    assert any(f.severity == "error" for f in findings) != valid


def test_a_faulty_record_hides_nothing_of_the_others() -> None:
    _, findings = parse(
        [GOOD, {"id": "b"}, {"id": "c", "text": " "}, {"id": "a", "text": "x"}, 3, {"id": "d"}]
    )
    assert [(f.severity.value, f.place.json_path) for f in findings] == [
        ("error", "records[1].text"),
        ("error", "records[3].id"),
        ("error", "records[4]"),
        ("error", "records[5].text"),
        ("warning", "records[2].text"),
        ("warning", "records[3].text"),
    ]
