"""The filter's editor: typing, state, marks, ready clauses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from core.knowledge.schema import Field, FieldType
from core.nodes import RetrieveParams
from inspector.forms.filter_row import FilterRow
from inspector.forms.param_row import RowPlan

if TYPE_CHECKING:
    from PySide6.QtGui import QAction
    from pytestqt.qtbot import QtBot

FIELDS = (
    Field("level", FieldType.INT, 1),
    Field("a&b", FieldType.STRING, "x"),
    Field("secret", FieldType.INT, 0, filterable=False),
)
CLAUSE = '{"op": "ge", "lhs": {"knowledge": "level"}, "rhs": {"value": 12}}'


@pytest.fixture
def editor(qtbot: QtBot) -> FilterRow:
    widget = FilterRow(RetrieveParams.specs()["filter"], RowPlan("filter"))
    qtbot.addWidget(widget)
    widget.resize(280, 200)
    widget.set_fields(FIELDS, {"level": 12})
    widget.show()
    return widget


def menu_actions(editor: FilterRow, number: int) -> list[QAction]:
    menu = editor.insert_menu.actions()[number].menu()
    assert isinstance(menu, QMenu)
    return menu.actions()


def test_typing_asks_once_for_the_filter_after_quiet(editor: FilterRow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(editor.value_edited) as asked:
        QTest.keyClicks(editor.editor, '{"op"')
    assert asked.args == ['{"op"']


def test_a_compiled_filter_says_what_it_lets_through(editor: FilterRow) -> None:
    editor.show_value(CLAUSE)
    editor.set_status(True, "compiled · 84 of 120 records match")
    assert editor.status.text() == "compiled · 84 of 120 records match"
    assert editor.status.kind == "ok"
    assert editor.editor.marks == ()


def test_a_refused_filter_says_why_and_where(editor: FilterRow) -> None:
    editor.show_value(CLAUSE)
    editor.set_status(False, "3007 InvalidParamValue: filter.type_mismatch: at rhs: no")
    start, end = editor.editor.marks[0]
    assert CLAUSE[start:end] == '{"value": 12}'
    assert editor.status.kind == "error"
    assert editor.status.text().startswith("3007 InvalidParamValue")


def test_a_filter_that_compiles_again_has_no_mark(editor: FilterRow) -> None:
    editor.show_value(CLAUSE)
    editor.set_status(False, "filter.type_mismatch: at rhs: no")
    editor.set_status(True, "compiled")
    assert editor.editor.marks == ()


def test_only_filterable_fields_are_offered(editor: FilterRow) -> None:
    titles = [action.text() for action in editor.insert_menu.actions() if action.menu()]
    assert titles == ["level (int)", "a&&b (string)"]


def test_a_ready_clause_fills_an_empty_filter_and_asks_for_it(
    editor: FilterRow, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(editor.value_edited) as asked:
        menu_actions(editor, 0)[0].trigger()
    assert json.loads(asked.args[0]) == json.loads(CLAUSE)


def test_a_ready_clause_is_added_to_a_filter(editor: FilterRow) -> None:
    editor.show_value(CLAUSE)
    menu_actions(editor, 0)[1].trigger()
    assert json.loads(editor.text)["op"] == "and"
    assert len(json.loads(editor.text)["args"]) == 2


def test_a_broken_filter_is_never_overwritten_by_a_clause(editor: FilterRow, qtbot: QtBot) -> None:
    editor.show_value('{"op":')
    with qtbot.assertNotEmitted(editor.value_edited, wait=200):
        menu_actions(editor, 0)[0].trigger()
    assert editor.text == '{"op":'
    assert "repair" in editor.status.text()


def test_tidying_lays_a_filter_out(editor: FilterRow) -> None:
    editor.show_value('{"op":"and","args":[' + CLAUSE + "," + CLAUSE + "]}")
    editor.tidy_button.click()
    assert editor.text.count("\n") == 2


def test_undo_brings_back_the_filter_before_a_clause(editor: FilterRow) -> None:
    editor.show_value(CLAUSE)
    menu_actions(editor, 0)[0].trigger()
    editor.editor.undo()
    assert editor.text == CLAUSE


def test_a_huge_filter_does_not_hold_up_the_window(editor: FilterRow) -> None:
    editor.show_value('{"op": "and", "args": [' + ", ".join([CLAUSE] * 3000) + "]}")
    editor.set_status(False, "filter.too_large: at args[256]: more than 256 conditions")
    assert editor.editor.marks
