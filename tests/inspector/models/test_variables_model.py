"""The variables' table: which rows there are, what can be edited, and that rows stay put."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt

from core.nodes.references import REFERENCE
from inspector.models.variables_model import (
    UNDEFINED,
    Column,
    VariablesModel,
    name_problem,
)
from inspector.theme import LIGHT

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.modeltest import ModelTester

NAMES = st.sampled_from("abcdef")
VALUES = st.dictionaries(NAMES, st.text(max_size=3))
USED = st.dictionaries(NAMES, st.lists(st.just("answer.template"), min_size=1, max_size=2))


@pytest.fixture
def model(qapp: QApplication) -> VariablesModel:
    made = VariablesModel()
    made.show_variables(
        {"player": "Marla", "town": "Harbour"},
        {"player": ("recall.storage_name", "answer.template"), "quest": ("a.b",)},
    )
    return made


def emitted(model: VariablesModel) -> list[Any]:
    found = []
    model.edited.connect(lambda *args: found.append(args))
    return found


def names(model: VariablesModel) -> list[str]:
    return [
        model.index(row, Column.NAME).data(Qt.ItemDataRole.EditRole) for row in range(model.count)
    ]


def test_the_model_keeps_the_rules_of_item_models(
    model: VariablesModel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)


def test_a_row_has_name_value_and_where_it_is_used(model: VariablesModel) -> None:
    assert names(model) == ["quest", "player", "town"]
    assert [model.index(1, column).data() for column in Column] == [
        "player",
        "Marla",
        "recall.storage_name, answer.template",
    ]


def test_a_variable_without_a_value_says_so_in_words_with_an_icon_and_a_colour(
    model: VariablesModel,
) -> None:
    index = model.index(0, Column.VALUE)
    assert index.data() == UNDEFINED == "undefined: 3007"
    assert index.data(Qt.ItemDataRole.EditRole) == ""
    assert not index.data(Qt.ItemDataRole.DecorationRole).isNull()
    assert index.data(Qt.ItemDataRole.ForegroundRole) == LIGHT.ink(LIGHT.error)
    assert "undefined variable &quot;quest&quot;" in index.data(Qt.ItemDataRole.ToolTipRole)


def test_an_empty_value_is_a_value(model: VariablesModel) -> None:
    model.show_variables({"quest": ""}, {"quest": ("a.b",)})
    index = model.index(0, Column.VALUE)
    assert index.data() == ""
    assert index.data(Qt.ItemDataRole.DecorationRole) is None


def test_a_value_can_be_edited_and_gives_an_undefined_variable_one(model: VariablesModel) -> None:
    found = emitted(model)
    assert model.setData(model.index(1, Column.VALUE), "Perrin")
    assert model.setData(model.index(0, Column.VALUE), "find the cat")
    assert found == [("player", "Perrin"), ("quest", "find the cat")]


def test_the_same_value_again_emits_nothing(model: VariablesModel) -> None:
    found = emitted(model)
    assert model.setData(model.index(1, Column.VALUE), "Marla")
    assert found == []


def test_a_name_in_the_last_row_adds_a_variable_and_another_last_row(model: VariablesModel) -> None:
    found = emitted(model)
    assert model.setData(model.index(3, Column.NAME), " mood ")
    assert found == [("mood", "")]
    assert names(model)[-1] == "mood"
    assert model.rowCount() == 5


def test_a_new_name_keeps_the_value_and_the_place(model: VariablesModel) -> None:
    found = emitted(model)
    assert model.setData(model.index(1, Column.NAME), "hero")
    assert found == [("hero", "Marla"), ("player", None)]
    model.show_variables({"player": "Marla", "town": "Harbour", "hero": "Marla"}, {})
    model.show_variables({"town": "Harbour", "hero": "Marla"}, {})
    assert names(model) == ["hero", "town"]


def test_the_name_that_the_graph_reads_without_a_value_stays(model: VariablesModel) -> None:
    assert not model.index(0, Column.NAME).flags() & Qt.ItemFlag.ItemIsEditable
    assert model.index(0, Column.VALUE).flags() & Qt.ItemFlag.ItemIsEditable
    assert not model.index(1, Column.USED).flags() & Qt.ItemFlag.ItemIsEditable


@pytest.mark.parametrize("name", ["", "a b", "a{", "}", "tab\t", "town"])
def test_a_name_that_cannot_stand_is_refused(model: VariablesModel, name: str) -> None:
    found = emitted(model)
    assert not model.setData(model.index(1, Column.NAME), name.replace("tab", "t\tb"))
    assert (names(model)[1], found) == ("player", [])


def test_removing_asks_for_it_where_there_is_a_value(model: VariablesModel) -> None:
    found = emitted(model)
    for row in (0, 1, 3):
        model.remove(row)
    assert found == [("player", None)]


def test_rows_keep_their_places_while_others_come_and_go(model: VariablesModel) -> None:
    kept = QPersistentModelIndex(model.index(1, Column.VALUE))
    model.show_variables({"mood": "x", "player": "Marla"}, {"town": ("a.b",)})
    assert names(model) == ["player", "town", "mood"]
    assert (kept.row(), kept.data()) == (0, "Marla")


def test_showing_emits_no_edit(model: VariablesModel) -> None:
    found = emitted(model)
    model.show_variables({"a": "1"}, {})
    assert found == []


def test_markup_in_a_value_is_no_html(model: VariablesModel) -> None:
    model.show_variables({"a": "<b>x</b>"}, {})
    index = model.index(0, Column.VALUE)
    assert index.data() == "<b>x</b>"
    assert "<b>" not in index.data(Qt.ItemDataRole.ToolTipRole)


@given(st.text(st.characters(), max_size=6))
def test_a_name_is_accepted_exactly_where_a_reference_to_it_is_understood(name: str) -> None:
    match = REFERENCE.fullmatch("{{var." + name + "}}")
    assert (name_problem(name) == "") == (match is not None and match[1] == "var." + name)


@given(st.lists(st.tuples(VALUES, USED), min_size=1, max_size=5))
def test_after_any_course_the_table_shows_what_it_was_given(
    qapp: QApplication, course: list[tuple[dict[str, str], dict[str, list[str]]]]
) -> None:
    model = VariablesModel()
    for values, used in course:
        model.show_variables(values, used)
    rows = [model.variable(row) for row in range(model.count)]
    assert {row.name: row.value for row in rows} == {**dict.fromkeys(used), **values}
    assert {row.name: row.used for row in rows if row.used} == {
        name: tuple(places) for name, places in used.items()
    }
    assert len(rows) == len({*used, *values})
