"""Stores by name, and records as a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from core.errors import Code, InspectorError
from core.knowledge.memory import MemoryStore
from inspector.drawing.record_text import RecordText, compact, metadata_text, parse_metadata
from inspector.models.memory_model import (
    ID,
    METADATA,
    STATE,
    TEXT,
    EntryRole,
    RecordIdRole,
    RecordsModel,
    StoreEntry,
    StoreRole,
    StoresModel,
)

if TYPE_CHECKING:
    from pytestqt.modeltest import ModelTester
    from pytestqt.qtbot import QtBot

RECORDS = (
    {"id": "m1", "text": "Ada owes Marta\na favour", "metadata": {"turn": 2, "who": "Ada"}},
    {"id": "m2", "text": "<b>wolves</b> in the mine"},
    {"id": "m3", "text": "a room for the night", "metadata": {}},
)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(max_size=8)
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.fixture
def model(qtbot: QtBot) -> RecordsModel:
    made = RecordsModel()
    made.show_records(RECORDS, {"m3"})
    return made


def ids(model: RecordsModel) -> list[str]:
    return [model.index(row, ID).data(RecordIdRole) for row in range(model.rowCount())]


def test_the_records_keep_the_rules_of_item_models(
    model: RecordsModel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)


def test_the_stores_keep_the_rules_of_item_models(qtmodeltester: ModelTester) -> None:
    model = StoresModel()
    model.show_entries([StoreEntry("a", 1), StoreEntry("b", 2)])
    qtmodeltester.check(model)


def test_a_row_has_id_text_on_one_line_and_compact_metadata(model: RecordsModel) -> None:
    assert [model.index(0, column).data() for column in (ID, TEXT, METADATA)] == [
        "m1",
        "Ada owes Marta a favour",
        '{"turn": 2, "who": "Ada"}',
    ]


def test_no_metadata_and_empty_metadata_are_told_apart(model: RecordsModel) -> None:
    assert model.index(1, METADATA).data() == ""
    assert model.index(2, METADATA).data() == "{}"


def test_a_record_that_the_turn_wrote_has_a_word_and_an_icon(model: RecordsModel) -> None:
    index = model.index(2, STATE)
    assert index.data() == "new"
    assert not index.data(Qt.ItemDataRole.DecorationRole).isNull()
    assert model.index(0, STATE).data(Qt.ItemDataRole.DecorationRole) is None


def test_an_edit_that_is_not_in_force_is_said_before_all_else(model: RecordsModel) -> None:
    model.show_records(RECORDS, {"m3"}, {"m3"})
    assert model.index(2, STATE).data() == "draft"


def test_other_marks_of_the_same_records_move_no_rows(model: RecordsModel, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.show_records(RECORDS, {"m1"})
    assert model.index(0, STATE).data() == "new"


@pytest.mark.parametrize(
    ("needle", "found"),
    [
        ("WOLVES", ["m2"]),
        ('"who": "ada"', ["m1"]),
        ("m", ["m1", "m2", "m3"]),
        ("no such", []),
        ("  ", ["m1", "m2", "m3"]),
    ],
)
def test_a_search_looks_at_id_text_and_metadata(
    model: RecordsModel, needle: str, found: list[str]
) -> None:
    model.set_needle(needle)
    assert ids(model) == found


def test_sorting_can_be_taken_back_to_the_stores_order(model: RecordsModel) -> None:
    model.sort(TEXT, Qt.SortOrder.AscendingOrder)
    assert ids(model) == ["m2", "m3", "m1"]
    assert model.records[1]["id"] == "m2"
    model.sort(ID, Qt.SortOrder.DescendingOrder)
    assert ids(model) == ["m3", "m2", "m1"]
    model.sort(-1)
    assert ids(model) == ["m1", "m2", "m3"]


def test_new_records_are_sorted_to_the_top(model: RecordsModel) -> None:
    model.sort(STATE)
    assert ids(model) == ["m3", "m1", "m2"]


def test_a_row_is_found_by_the_records_id(model: RecordsModel) -> None:
    model.sort(ID, Qt.SortOrder.DescendingOrder)
    assert (model.row_of("m1"), model.row_of("gone")) == (2, -1)


def test_markup_in_a_text_is_no_html(model: RecordsModel) -> None:
    assert "<b>" not in model.index(1, TEXT).data(Qt.ItemDataRole.ToolTipRole)


def test_a_store_says_what_it_is_and_marks_what_is_not_saved() -> None:
    store = MemoryStore("memories_ada", "npc", records=RECORDS[:1], path=Path("x") / "ada.json")
    entry = StoreEntry.of(store, is_changed=True, is_in_use=True)
    assert entry.label == "* memories_ada"
    assert entry.facts == "1 record · used by this turn · changed · ada.json · npc"
    assert StoreEntry.of(MemoryStore("new")).facts == "0 records · not saved · no schema"


def test_a_store_that_changes_keeps_its_row(qtbot: QtBot) -> None:
    model = StoresModel()
    model.show_entries([StoreEntry("a", 1), StoreEntry("b", 2)])
    with qtbot.assertNotEmitted(model.modelReset), qtbot.waitSignal(model.dataChanged):
        model.show_entries([StoreEntry("a", 1), StoreEntry("b", 3, is_changed=True)])
    index = model.index(1, 0)
    assert (index.data(), index.data(StoreRole), index.data(EntryRole).records) == ("* b", "b", 3)


def test_a_record_is_read_back_with_what_was_changed_and_all_other_keys() -> None:
    record = {"id": "m1", "text": "old", "metadata": {"a": 1}, "from": "a later version"}
    shown = RecordText.of(record)
    assert RecordText("m1", "new", shown.metadata).applied_to(record, shown) == {
        **record,
        "text": "new",
    }
    assert RecordText("m1", "old", "  ").applied_to(record, shown) == {
        "id": "m1",
        "text": "old",
        "from": "a later version",
    }
    assert shown.applied_to(record, shown)["metadata"] is record["metadata"]


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=6), json_values, max_size=6))
def test_metadata_comes_back_as_it_was_written_out(metadata: dict[str, Any]) -> None:
    assert compact(parse_metadata(metadata_text(metadata))) == compact(metadata)


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ('{"a": 1 "b": 2}', 1, 9, "a comma is missing"),
        ('{"a": 1,\n "b": }', 2, 7, ""),
        ('{"é🐠": tru}', 1, 8, ""),
        ("[1]", 1, 1, "expected an object, found a list"),
        ('{"a": 1', 1, 8, "the metadata ends too early"),
    ],
)
def test_metadata_that_is_no_object_is_refused_with_its_place(
    text: str, line: int, column: int, said: str
) -> None:
    with pytest.raises(InspectorError) as refused:
        parse_metadata(text)
    assert refused.value.code == Code.InvalidEmbeddedStringStorageData
    assert (refused.value.place.line, refused.value.place.column) == (line, column)
    assert said in refused.value.message


def test_metadata_that_is_nested_too_deep_is_refused() -> None:
    with pytest.raises(InspectorError, match="nested"):
        parse_metadata('{"a": ' + "[" * 300 + "]" * 300 + "}")
