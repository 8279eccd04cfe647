"""The small editor: exact text, drafts that survive, marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest

from inspector.widgets.code_edit import CodeEdit, position_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def edit(qtbot: QtBot) -> CodeEdit:
    widget = CodeEdit()
    qtbot.addWidget(widget)
    widget.show_text("first")
    return widget


def type_over(edit: CodeEdit, text: str) -> None:
    edit.selectAll()
    QTest.keyClicks(edit, text)


def test_typed_text_is_handed_on_once_after_quiet(edit: CodeEdit, qtbot: QtBot) -> None:
    texts: list[Any] = []
    edit.text_edited.connect(texts.append)
    with qtbot.waitSignal(edit.text_edited):
        type_over(edit, "hello")
    assert texts == ["hello"]


def test_showing_a_value_emits_nothing(edit: CodeEdit, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(edit.text_edited, wait=250):
        edit.show_text("second")
    assert edit.text == "second"


def test_a_draft_survives_the_old_value_being_shown_again(edit: CodeEdit) -> None:
    type_over(edit, "{broken")
    edit.hand_on()
    edit.show_text("first")
    assert edit.text == "{broken"


def test_typing_on_survives_the_answer_to_what_was_typed_before(edit: CodeEdit) -> None:
    type_over(edit, "ab")
    edit.hand_on()
    QTest.keyClicks(edit, "c")
    edit.show_text("ab")
    assert edit.text == "abc"


def test_a_really_new_value_replaces_a_draft(edit: CodeEdit) -> None:
    type_over(edit, "draft")
    edit.hand_on()
    edit.show_text("undone")
    assert edit.text == "undone"


def test_a_value_typed_before_can_come_back_by_undo(edit: CodeEdit) -> None:
    type_over(edit, "a")
    edit.hand_on()
    edit.show_text("a")
    QTest.keyClicks(edit, "b")
    edit.hand_on()
    edit.show_text("ab")
    edit.show_text("a")
    assert edit.text == "a"


def test_another_node_replaces_a_draft_even_with_the_same_value(edit: CodeEdit) -> None:
    type_over(edit, "draft")
    edit.hand_on()
    edit.forget_draft()
    edit.show_text("first")
    assert edit.text == "first"


def test_discarding_brings_the_value_in_force_back(edit: CodeEdit) -> None:
    type_over(edit, "draft")
    edit.discard_draft()
    assert edit.text == "first"


def test_the_cursor_stays_where_it_is_when_a_value_is_shown(edit: CodeEdit) -> None:
    cursor = edit.textCursor()
    cursor.setPosition(3)
    edit.setTextCursor(cursor)
    edit.show_text("other text")
    assert edit.textCursor().position() == 3


def test_ctrl_return_hands_on_at_once_and_ends_the_edit(edit: CodeEdit, qtbot: QtBot) -> None:
    type_over(edit, "x")
    with qtbot.waitSignals([edit.text_edited, edit.edit_finished], order="strict"):
        QTest.keyClick(edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def test_leaving_without_an_edit_finishes_nothing(edit: CodeEdit, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(edit.edit_finished):
        edit.clearFocus()


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2029\ufdd0\ufdd1"),
        max_size=40,
    )
)
def test_every_character_comes_back_as_it_was(edit: CodeEdit, text: str) -> None:
    edit.forget_draft()
    edit.show_text(text)
    assert edit.text == text


def test_no_break_spaces_and_line_separators_are_kept(edit: CodeEdit) -> None:
    edit.show_text("a\u00a0b\u2028c\nd")
    assert edit.text == "a\u00a0b\u2028c\nd"


def test_marks_underline_the_characters_meant_even_behind_an_emoji(edit: CodeEdit) -> None:
    edit.show_text("😀 bad")
    edit.mark([(2, 5)])
    selections: list[Any] = edit.extraSelections()
    (selection,) = selections
    assert selection.cursor.selectedText() == "bad"


def test_going_to_a_place_puts_the_cursor_there(edit: CodeEdit) -> None:
    edit.show_text("one\ntwo 😀 x")
    edit.go_to(2, 7)
    assert edit.textCursor().blockNumber() == 1
    cursor = edit.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    assert cursor.selectedText() == "x"


@pytest.mark.parametrize(
    ("line", "column", "position"),
    [(1, 1, 0), (1, 3, 2), (2, 1, 4), (2, 99, 6), (9, 1, 4), (1, 99, 3)],
)
def test_a_line_and_column_beyond_the_text_end_inside_it(
    line: int, column: int, position: int
) -> None:
    assert position_of("abc\nde", line, column) == position


def test_an_editor_may_grow_with_its_text_up_to_its_most_lines(qtbot: QtBot) -> None:
    edit = CodeEdit(lines=4, most_lines=10)
    qtbot.addWidget(edit)
    edit.resize(300, 400)
    edit.show()
    heights = []
    for count in (1, 4, 7, 40, 2):
        edit.show_text("\n".join("x" * count))
        heights.append(edit.sizeHint().height())
        assert edit.minimumSizeHint().height() == edit.sizeHint().height()
    line = edit.fontMetrics().lineSpacing()
    assert [height - heights[0] for height in heights] == [0, 0, 3 * line, 6 * line, 0]
