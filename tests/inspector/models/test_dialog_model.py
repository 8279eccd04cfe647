"""The dialog's table: edits, a message in the making, and rows that stay put."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPersistentModelIndex, Qt

from core.prompt.messages import DialogLine
from inspector.models.dialog_model import Column, DialogModel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.modeltest import ModelTester

LINES = (DialogLine("user", "A bed?"), DialogLine("assistant", "One is left.\nTwo coppers."))
SOME = st.lists(
    st.builds(DialogLine, st.sampled_from(("user", "assistant")), st.sampled_from("abc")),
    max_size=6,
)


@pytest.fixture
def model(qapp: QApplication) -> DialogModel:
    made = DialogModel()
    made.show_lines(LINES)
    return made


def emitted(model: DialogModel) -> list[Any]:
    found: list[Any] = []
    model.edited.connect(found.append)
    return found


def test_the_model_keeps_the_rules_of_item_models(
    model: DialogModel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)


def test_a_message_is_one_line_in_the_table_and_whole_in_the_editor(model: DialogModel) -> None:
    index = model.index(1, Column.TEXT)
    assert index.data() == "One is left. Two coppers."
    assert index.data(Qt.ItemDataRole.EditRole) == LINES[1].text


def test_text_and_role_can_be_edited(model: DialogModel) -> None:
    found = emitted(model)
    assert model.setData(model.index(0, Column.TEXT), "A room?")
    assert model.setData(model.index(0, Column.ROLE), "system")
    assert found == [
        (DialogLine("user", "A room?"), LINES[1]),
        (DialogLine("system", "A room?"), LINES[1]),
    ]


def test_an_empty_text_and_an_unknown_role_are_refused(model: DialogModel) -> None:
    found = emitted(model)
    assert not model.setData(model.index(0, Column.TEXT), " \n")
    assert not model.setData(model.index(0, Column.ROLE), "wizard")
    assert (model.lines, found) == (LINES, [])


def test_messages_are_removed_whatever_the_order_of_their_rows(model: DialogModel) -> None:
    found = emitted(model)
    model.show_lines((*LINES, DialogLine("user", "c")))
    model.remove([2, 0, 2, 9])
    assert found == [(LINES[1],)]


def test_a_message_in_the_making_is_told_when_it_has_a_text(model: DialogModel) -> None:
    found = emitted(model)
    row = model.begin_draft()
    assert (row, model.lines, found) == (2, LINES, [])
    assert model.index(row, Column.ROLE).data() == "user"
    model.setData(model.index(row, Column.TEXT), "Thanks")
    assert found == [(*LINES, DialogLine("user", "Thanks"))]


def test_a_message_in_the_making_stays_below_what_is_shown_anew(model: DialogModel) -> None:
    row = QPersistentModelIndex(model.index(model.begin_draft(), Column.TEXT))
    model.show_lines((*LINES, DialogLine("user", "c")))
    assert (row.row(), model.rowCount()) == (3, 4)
    model.drop_draft()
    assert model.rowCount() == 3


def test_showing_emits_no_edit(model: DialogModel) -> None:
    found = emitted(model)
    model.show_lines(())
    assert (model.lines, found) == ((), [])


def test_markup_in_a_message_is_no_html(model: DialogModel) -> None:
    model.show_lines((DialogLine("user", "<b>x</b>"),))
    assert "<b>" not in model.index(0, Column.TEXT).data(Qt.ItemDataRole.ToolTipRole)


@given(SOME, SOME)
def test_any_dialog_after_any_other_is_shown_as_given(
    qapp: QApplication, first: list[DialogLine], second: list[DialogLine]
) -> None:
    model = DialogModel()
    model.show_lines(first)
    model.show_lines(second)
    assert [model.index(row, Column.TEXT).data() for row in range(model.rowCount())] == [
        line.text for line in second
    ]
    assert model.lines == tuple(second)
