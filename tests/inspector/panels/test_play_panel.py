"""What a turn starts from: variables, picked exits, the dialog. Driven as a user does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QToolButton,
    QWidget,
)

from core.prompt.messages import DialogLine
from inspector.models.exits_model import SimulatedExit
from inspector.panels.play_panel import PlayPanel
from inspector.widgets.labels import StatusLabel

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


VALUES = {"player": "Marla", "town": "Harbour"}
USED = {"player": ("recall.storage_name",), "quest": ("answer.template",)}
TOOLS = SimulatedExit("tools", "ToolCall", ("no_tool_called", "tool_called"), "no_tool_called")
INTENT = SimulatedExit("intent", "ClassifyIntentLLM", ("found", "not_found"), "not_found")
LINES = (DialogLine("user", "A bed?"), DialogLine("assistant", "One is left."))
NAME, VALUE = 0, 1
ROLE, TEXT = 0, 1


@pytest.fixture
def panel(qtbot: QtBot) -> PlayPanel:
    widget = PlayPanel()
    qtbot.addWidget(widget)
    widget.resize(1100, 300)
    widget.show_variables(VALUES, USED)
    widget.show_exits((TOOLS, INTENT))
    show_dialog(widget)
    with qtbot.waitActive(widget):
        widget.show()
    return widget


def show_dialog(
    panel: PlayPanel,
    lines: tuple[DialogLine, ...] = LINES,
    *,
    kept: bool = True,
    reply: str = "",
    replies_to: str = "Who is he?",
) -> None:
    panel.show_dialog(lines, kept=kept, reply=reply, replies_to=replies_to)


def emitted(panel: PlayPanel) -> list[Any]:
    found = []
    for section, name in (
        (panel.variables, "variable_edited"),
        (panel.exits, "exit_picked"),
        (panel.dialog, "dialog_kept_changed"),
        (panel.dialog, "dialog_edited"),
        (panel.dialog, "reply_edited"),
        (panel.exits, "node_activated"),
    ):
        getattr(section, name).connect(lambda *args, name=name: found.append((name, *args)))
    return found


def table(panel: PlayPanel, name: str) -> QTableView:
    return panel.findChild(QTableView, name)


def click_cell(view: QTableView, row: int, column: int, *, double: bool = False) -> None:
    place = view.visualRect(view.model().index(row, column)).center()
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    if double:
        QTest.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def editor(view: QTableView, kind: type[QWidget] = QLineEdit) -> Any:
    return view.viewport().findChild(kind, options=Qt.FindChildOption.FindDirectChildrenOnly)


def edited(
    view: QTableView,
    row: int,
    column: int,
    text: str,
    kind: type[QWidget] = QLineEdit,
    key: Qt.Key | None = Qt.Key.Key_Return,
) -> Any:
    click_cell(view, row, column, double=True)
    field = editor(view, kind)
    field.selectAll()
    QTest.keyClicks(field, text)
    if key is not None:
        QTest.keyClick(field, key)
        QApplication.processEvents()
    return field


# Variables


@pytest.mark.slow
def test_a_value_is_edited_in_place(panel: PlayPanel) -> None:
    found = emitted(panel)
    edited(table(panel, "variablesTable"), 1, VALUE, "Perrin")
    assert found == [("variable_edited", "player", "Perrin")]


def test_escape_and_an_unchanged_value_emit_nothing(panel: PlayPanel) -> None:
    found = emitted(panel)
    edited(table(panel, "variablesTable"), 1, VALUE, "Perrin", key=Qt.Key.Key_Escape)
    click_cell(table(panel, "variablesTable"), 1, VALUE, double=True)
    QTest.keyClick(editor(table(panel, "variablesTable")), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found == []


def test_an_undefined_variable_that_is_only_looked_at_stays_undefined(panel: PlayPanel) -> None:
    found = emitted(panel)
    click_cell(table(panel, "variablesTable"), 0, VALUE, double=True)
    QTest.keyClick(editor(table(panel, "variablesTable")), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found == []


def test_add_asks_for_a_name_and_goes_on_to_the_value(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "variablesTable")
    panel.findChild(QToolButton, "addVariable").click()
    QTest.keyClicks(editor(view), "mood")
    QTest.keyClick(editor(view), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found == [("variable_edited", "mood", "")]
    panel.show_variables({**VALUES, "mood": ""}, USED)
    fields = view.viewport().findChildren(QLineEdit)
    QTest.keyClicks(fields[-1], "grumpy")
    QTest.keyClick(fields[-1], Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found[1:] == [("variable_edited", "mood", "grumpy")]


def test_a_name_with_a_blank_is_refused_beside_the_table_and_not_lost(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "variablesTable")
    field = edited(view, 3, NAME, "my mood")
    status = panel.findChild(StatusLabel, "variablesStatus")
    assert status.isVisible()
    assert "white space" in status.text()
    assert (editor(view) is field, field.text(), found) == (True, "my mood", [])
    for _ in range(5):
        QTest.keyClick(field, Qt.Key.Key_Backspace)
    assert not status.isVisible()
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found == [("variable_edited", "my", "")]


def test_delete_and_the_button_remove_the_selected_variable(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "variablesTable")
    click_cell(view, 1, NAME)
    QTest.keyClick(view, Qt.Key.Key_Delete)
    click_cell(view, 2, NAME)
    panel.findChild(QToolButton, "removeVariable").click()
    assert found == [("variable_edited", "player", None), ("variable_edited", "town", None)]


def test_what_has_no_value_cannot_be_removed(panel: PlayPanel) -> None:
    view = table(panel, "variablesTable")
    for row, removable in ((0, False), (1, True), (3, False)):
        click_cell(view, row, NAME)
        assert panel.findChild(QToolButton, "removeVariable").isEnabled() == removable


def test_enter_edits_the_value_of_the_row_that_has_the_focus(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "variablesTable")
    view.setFocus()
    view.setCurrentIndex(view.model().index(0, NAME))
    QTest.keyClick(view, Qt.Key.Key_Return)
    QTest.keyClicks(editor(view), "find the cat")
    QTest.keyClick(editor(view), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found == [("variable_edited", "quest", "find the cat")]


def test_variables_shown_anew_leave_what_is_typed_with_cursor_and_selection(
    panel: PlayPanel,
) -> None:
    view = table(panel, "variablesTable")
    field = edited(view, 1, VALUE, "Old Perrin", key=None)
    field.setSelection(1, 4)
    panel.show_variables({**VALUES, "player": "someone else"}, USED)
    panel.show_variables({"player": "third", "mood": "x"}, {"mood": ("a.b",)})
    assert (editor(view) is field, field.text(), field.selectedText()) == (
        True,
        "Old Perrin",
        "ld P",
    )
    found = emitted(panel)
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found == [("variable_edited", "player", "Old Perrin")]


def test_a_name_that_is_typed_survives_rows_that_come_above_it(panel: PlayPanel) -> None:
    view = table(panel, "variablesTable")
    panel.findChild(QToolButton, "addVariable").click()
    field = editor(view)
    QTest.keyClicks(field, "mo")
    panel.show_variables({**VALUES, "other": "x"}, USED)
    found = emitted(panel)
    QTest.keyClicks(field, "od")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found == [("variable_edited", "mood", "")]


@pytest.mark.parametrize(("width", "height"), [(1100, 300), (1000, 230), (700, 230), (460, 150)])
def test_the_sign_of_an_undefined_variable_is_never_cut_off(
    panel: PlayPanel, width: int, height: int
) -> None:
    panel.resize(width, height)
    QApplication.processEvents()
    view = table(panel, "variablesTable")
    sign = view.fontMetrics().horizontalAdvance("undefined: 3007")
    assert view.columnWidth(VALUE) >= sign + 16 + 2 * 5


# Simulated exits


def test_each_node_has_a_box_of_its_exits(panel: PlayPanel) -> None:
    combos = table(panel, "exitsTable").findChildren(QComboBox)
    assert [[c.itemText(i) for i in range(c.count())] for c in combos] == [
        list(TOOLS.routes),
        list(INTENT.routes),
    ]
    assert [c.currentText() for c in combos] == ["no_tool_called", "not_found"]
    assert combos[0].accessibleName() == "Exit of tools"


def test_an_exit_is_picked_by_keys(panel: PlayPanel) -> None:
    found = emitted(panel)
    combo = table(panel, "exitsTable").findChild(QComboBox, "exit_tools")
    QTest.keyClick(combo, Qt.Key.Key_Down)
    assert found == [("exit_picked", "tools", "tool_called")]


def test_exits_shown_anew_emit_nothing_and_keep_the_boxes(panel: PlayPanel) -> None:
    found = emitted(panel)
    combo = table(panel, "exitsTable").findChild(QComboBox, "exit_tools")
    panel.show_exits((SimulatedExit(TOOLS.node, TOOLS.type, TOOLS.routes, "tool_called"), INTENT))
    assert (combo.currentText(), found) == ("tool_called", [])
    assert table(panel, "exitsTable").findChild(QComboBox, "exit_tools") is combo


def test_a_double_click_and_enter_on_a_node_are_told(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "exitsTable")
    click_cell(view, 1, 0, double=True)
    view.setCurrentIndex(view.model().index(0, 0))
    QTest.keyClick(view, Qt.Key.Key_Return)
    assert found == [("node_activated", "intent"), ("node_activated", "tools")]


def test_a_graph_that_decides_everything_shows_no_exits(panel: PlayPanel) -> None:
    panel.show_exits(())
    assert not table(panel, "exitsTable").isVisible()
    panel.show_exits((TOOLS,))
    assert table(panel, "exitsTable").isVisible()


def test_it_says_that_only_a_language_model_could_decide(panel: PlayPanel) -> None:
    said = [label.text() for label in panel.findChildren(QLabel) if label.isVisible()]
    assert any("language model" in text for text in said)


# Dialog


def test_no_dialog_is_kept_unless_it_is_switched_on(qtbot: QtBot) -> None:
    widget = PlayPanel()
    qtbot.addWidget(widget)
    assert not widget.findChild(QCheckBox, "dialogCheck").isChecked()
    assert not widget.findChild(QToolButton, "dialogPaste").isEnabled()


def test_the_switch_is_told(panel: PlayPanel) -> None:
    found = emitted(panel)
    panel.findChild(QCheckBox, "dialogCheck").click()
    assert found == [("dialog_kept_changed", False)]


def test_showing_emits_nothing(panel: PlayPanel) -> None:
    found = emitted(panel)
    show_dialog(panel, (), kept=False, reply="x")
    show_dialog(panel, reply="y", replies_to="other")
    panel.show_variables({}, {})
    panel.show_exits(())
    assert found == []


def test_a_message_is_edited_in_place(panel: PlayPanel) -> None:
    found = emitted(panel)
    edited(table(panel, "dialogView"), 1, TEXT, "None is left.", QPlainTextEdit)
    assert found == [("dialog_edited", (LINES[0], DialogLine("assistant", "None is left.")))]


def test_shift_enter_breaks_the_line_of_a_message(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "dialogView")
    field = edited(view, 0, TEXT, "one", QPlainTextEdit, key=None)
    QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(field, "two")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert found[0][1][0].text == "one\ntwo"


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_role_of_a_message_is_picked(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "dialogView")
    click_cell(view, 0, ROLE, double=True)
    QApplication.processEvents()
    combo = editor(view, QComboBox)
    combo.hidePopup()
    QTest.keyClick(combo, Qt.Key.Key_Home)
    assert found == [("dialog_edited", (DialogLine("system", "A bed?"), LINES[1]))]


def test_add_writes_a_message_of_who_speaks_next(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "dialogView")
    panel.findChild(QToolButton, "dialogAdd").click()
    field = editor(view, QPlainTextEdit)
    QTest.keyClicks(field, "Thanks")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QApplication.processEvents()
    assert found == [("dialog_edited", (*LINES, DialogLine("user", "Thanks")))]


def test_an_added_message_without_text_goes_away(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "dialogView")
    panel.findChild(QToolButton, "dialogAdd").click()
    assert view.model().rowCount() == 3
    QTest.keyClick(editor(view, QPlainTextEdit), Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert (view.model().rowCount(), found) == (2, [])


def test_selected_messages_are_removed_with_delete(panel: PlayPanel) -> None:
    found = emitted(panel)
    view = table(panel, "dialogView")
    view.setFocus()
    view.selectAll()
    QTest.keyClick(view, Qt.Key.Key_Delete)
    assert found == [("dialog_edited", ())]


def test_pasted_lines_and_json_join_the_messages(panel: PlayPanel) -> None:
    found = emitted(panel)
    QGuiApplication.clipboard().setText("User: Thanks\nAssistant: Sleep well")
    panel.findChild(QToolButton, "dialogPaste").click()
    assert found[-1][1][2:] == (DialogLine("user", "Thanks"), DialogLine("assistant", "Sleep well"))
    QGuiApplication.clipboard().setText(json.dumps([{"role": "user", "content": "Bye"}]))
    table(panel, "dialogView").setFocus()
    QTest.keyClick(table(panel, "dialogView"), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert found[-1][1][4:] == (DialogLine("user", "Bye"),)


def test_a_paste_that_cannot_be_read_says_why_and_changes_nothing(panel: PlayPanel) -> None:
    found = emitted(panel)
    QGuiApplication.clipboard().setText('[{"role": "wizard", "content": "x"}]')
    panel.findChild(QToolButton, "dialogPaste").click()
    status = panel.findChild(StatusLabel, "dialogStatus")
    assert (status.isVisible(), status.kind, found) == (True, "error", [])
    assert "3007" in status.text()
    assert '"wizard"' in status.text()


def test_messages_shown_anew_leave_what_is_typed(panel: PlayPanel) -> None:
    view = table(panel, "dialogView")
    field = edited(view, 1, TEXT, "None", QPlainTextEdit, key=None)
    cursor = field.textCursor()
    cursor.setPosition(1)
    cursor.setPosition(3, cursor.MoveMode.KeepAnchor)
    field.setTextCursor(cursor)
    show_dialog(panel, (LINES[0], DialogLine("assistant", "Other"), DialogLine("user", "c")))
    assert editor(view, QPlainTextEdit) is field
    assert (field.toPlainText(), field.textCursor().selectedText()) == ("None", "on")


# The reply


def reply_of(panel: PlayPanel) -> QPlainTextEdit:
    return panel.findChild(QPlainTextEdit, "replyEdit")


def test_a_reply_is_told_after_quiet(panel: PlayPanel, qtbot: QtBot) -> None:
    QTest.keyClicks(reply_of(panel), "Perrin.")
    with qtbot.waitSignal(panel.dialog.reply_edited, timeout=2000) as told:
        pass
    assert told.args == ["Perrin."]


def test_a_reply_is_told_at_once_when_the_field_is_left(panel: PlayPanel) -> None:
    found = emitted(panel)
    reply_of(panel).setFocus()
    QTest.keyClicks(reply_of(panel), "Perrin.")
    panel.findChild(QCheckBox, "dialogCheck").setFocus()
    assert found == [("reply_edited", "Perrin.")]


def test_a_reply_that_is_typed_survives_being_shown_anew(panel: PlayPanel) -> None:
    field = reply_of(panel)
    QTest.keyClicks(field, "Old Perrin")
    cursor = field.textCursor()
    cursor.setPosition(1)
    cursor.setPosition(3, cursor.MoveMode.KeepAnchor)
    field.setTextCursor(cursor)
    show_dialog(panel)
    assert (field.toPlainText(), field.textCursor().selectedText()) == ("Old Perrin", "ld")


def test_the_next_turn_begins_without_a_reply(panel: PlayPanel) -> None:
    QTest.keyClicks(reply_of(panel), "Perrin")
    panel.findChild(QCheckBox, "dialogCheck").setFocus()
    show_dialog(panel, replies_to="And her?")
    assert reply_of(panel).toPlainText() == ""


def test_without_a_turn_there_is_nothing_to_reply_to(panel: PlayPanel) -> None:
    show_dialog(panel, replies_to="")
    assert not reply_of(panel).isEnabled()
    assert panel.findChild(QLabel, "replyLabel").text() == "No turn to reply to yet"


# Size


@pytest.mark.parametrize("width", [460, 700])
def test_a_narrow_panel_shows_one_section_at_a_time(
    panel: PlayPanel, qtbot: QtBot, width: int
) -> None:
    panel.resize(width, 180)
    names = ("variablesTable", "exitsTable", "dialogView")
    for number, label in enumerate(("Variables", "Exits", "Dialog")):
        QTest.mouseClick(panel.findChild(QPushButton, f"show{label}"), Qt.MouseButton.LeftButton)
        assert [table(panel, name).isVisible() for name in names] == [
            place == number for place in range(3)
        ]
    panel.resize(1100, 300)
    assert all(table(panel, name).isVisible() for name in names)


def test_what_is_typed_survives_a_change_of_size(panel: PlayPanel) -> None:
    field = edited(table(panel, "variablesTable"), 1, VALUE, "Old Perrin", key=None)
    panel.resize(460, 150)
    panel.resize(1100, 300)
    assert editor(table(panel, "variablesTable")) is field
    assert field.text() == "Old Perrin"


def test_every_control_stays_inside_at_the_smallest_size(panel: PlayPanel) -> None:
    panel.resize(460, 150)
    for label in ("Variables", "Exits", "Dialog"):
        panel.findChild(QPushButton, f"show{label}").click()
        QApplication.processEvents()
        for button in panel.findChildren(QToolButton):
            if button.isVisible():
                place = button.mapTo(panel, QPoint(0, 0))
                assert panel.rect().contains(place)
                assert place.x() + button.width() <= panel.width()
