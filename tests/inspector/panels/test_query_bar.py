"""The question's bar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QLineEdit, QMenu, QPushButton, QToolButton

from inspector.panels.query_bar import QueryBar

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def bar(qtbot: QtBot) -> QueryBar:
    widget = QueryBar()
    qtbot.addWidget(widget)
    widget.resize(900, 50)
    widget.show()
    return widget


def edit_of(bar: QueryBar) -> QLineEdit:
    return bar.findChild(QLineEdit, "messageEdit")


def test_typing_tells_each_change(bar: QueryBar) -> None:
    texts: list[Any] = []
    bar.message_edited.connect(texts.append)
    QTest.keyClicks(edit_of(bar), "fish")
    assert texts == ["f", "fi", "fis", "fish"]
    assert bar.edit.text() == "fish"


@pytest.mark.parametrize(
    "modifier", [Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier]
)
@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_enter_with_and_without_ctrl_runs_once(
    bar: QueryBar, modifier: Qt.KeyboardModifier, key: Qt.Key
) -> None:
    runs: list[Any] = []
    bar.run_requested.connect(runs.append)
    QTest.keyClicks(edit_of(bar), "fish")
    QTest.keyClick(edit_of(bar), key, modifier)
    assert runs == ["fish"]


def test_the_button_runs_what_a_script_put_in(bar: QueryBar, qtbot: QtBot) -> None:
    edit_of(bar).setText("clownfish")
    with qtbot.waitSignal(bar.run_requested) as run:
        bar.findChild(QPushButton, "runButton").click()
    assert run.args == ["clownfish"]


def test_setting_a_message_tells_nobody(bar: QueryBar, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(bar.message_edited), qtbot.assertNotEmitted(bar.live_toggled):
        bar.set_message("older")
        bar.live.setChecked(False)
    assert bar.edit.text() == "older"
    assert not bar.live.isChecked()


def test_a_turn_that_is_brought_back_puts_its_message_in(bar: QueryBar) -> None:
    QTest.keyClicks(edit_of(bar), "draft")
    bar.set_message("picked")
    assert bar.edit.text() == "picked"


def test_live_is_on_and_can_be_switched(bar: QueryBar, qtbot: QtBot) -> None:
    check = bar.findChild(QCheckBox, "liveCheck")
    assert check.isChecked()
    with qtbot.waitSignal(bar.live_toggled) as told:
        check.click()
    assert told.args == [False]


def test_a_long_pasted_text_is_kept_whole(bar: QueryBar) -> None:
    text = "lionfish " * 20_000
    QGuiApplication.clipboard().setText(text)
    edit_of(bar).paste()
    assert bar.edit.text() == text


def test_a_pasted_line_break_is_kept(bar: QueryBar) -> None:
    edit_of(bar).insert("one\ntwo")
    assert bar.edit.text() == "one\ntwo"


def test_the_copy_button_shows_the_menu_it_is_given(bar: QueryBar) -> None:
    menu = QMenu(bar)
    bar.copy_button.setMenu(menu)
    assert bar.findChild(QToolButton, "copyButton").menu() is menu


@pytest.mark.parametrize("width", [900, 1280])
def test_the_status_keeps_its_words_whatever_the_width(bar: QueryBar, width: int) -> None:
    bar.resize(width, 50)
    text = "MiniLM ready · embed 9 ms · search 0.4 ms"
    bar.status.show_state("ready", text)
    status = bar.findChild(QLabel, "queryStatus")
    assert status.text() == text
    assert status.accessibleName() == text
    assert edit_of(bar).width() >= 200
    assert status.geometry().right() <= bar.width()


def test_the_cursor_goes_into_the_field_on_request(bar: QueryBar) -> None:
    bar.set_message("fish")
    bar.focus_message()
    assert edit_of(bar).selectedText() == "fish"
