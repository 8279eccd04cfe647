"""Messages in place of boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QToolButton

from inspector.panels import message_bar
from inspector.panels.message_bar import MessageBar

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

ERROR = "error 8003 InvalidEmbeddedStringStorageData: a.json: <b>broken</b> (repair it)"


@pytest.fixture
def bar(qtbot: QtBot) -> MessageBar:
    widget = MessageBar()
    qtbot.addWidget(widget)
    widget.resize(700, 44)
    return widget


def test_it_is_hidden_until_there_is_something_to_say(bar: MessageBar) -> None:
    assert bar.isHidden()
    bar.post("error", ERROR)
    assert not bar.isHidden()
    assert bar.findChild(QLabel, "messageText").text() == ERROR


def test_a_text_of_several_lines_becomes_one(bar: MessageBar) -> None:
    bar.post("warning", "one\n  two")
    assert bar.text == "one two"


def test_repeated_messages_are_counted_not_piled_up(bar: MessageBar) -> None:
    for _ in range(3):
        bar.post("error", ERROR)
    assert bar.findChild(QLabel, "messageCount").text() == "×3"
    bar.dismiss()
    assert bar.isHidden()


def test_closing_brings_back_the_message_before(bar: MessageBar, qtbot: QtBot) -> None:
    bar.post("error", "first")
    bar.post("error", "second")
    bar.findChild(QToolButton, "messageClose").click()
    assert bar.text == "first"
    with qtbot.waitSignal(bar.closed):
        QTest.keyClick(bar, Qt.Key.Key_Escape)
    assert bar.isHidden()


def test_details_are_shown_on_demand(bar: MessageBar) -> None:
    bar.post("error", "short", "the whole story")
    bar.show()
    details = bar.findChild(QPlainTextEdit, "messageDetails")
    assert not details.isVisible()
    bar.findChild(QPushButton, "messageDetailsButton").click()
    assert details.isVisible()
    assert details.toPlainText() == "the whole story"


def test_a_long_text_can_be_read_whole_in_the_details(bar: MessageBar) -> None:
    bar.post("error", "long " * 60)
    bar.findChild(QPushButton, "messageDetailsButton").click()
    assert bar.findChild(QPlainTextEdit, "messageDetails").toPlainText() == ("long " * 60).strip()


def test_an_action_closes_the_message_and_is_done(bar: MessageBar) -> None:
    done = []
    bar.post(
        "info",
        "changed on disk",
        actions=[
            ("Reload", lambda: done.append("reload")),
            ("A&lways", lambda: done.append("always")),
        ],
    )
    bar.findChild(QPushButton, "messageAction1").click()
    assert done == ["always"]
    assert bar.isHidden()


def test_an_info_goes_by_itself_and_an_error_under_it_comes_back(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "INFO_MS", 20)
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.post("error", ERROR)
    bar.post("info", "saved")
    qtbot.waitUntil(lambda: bar.text == ERROR)
    qtbot.wait(60)
    assert bar.text == ERROR


def test_an_info_that_stays_and_one_that_is_read_do_not_go(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "INFO_MS", 20)
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.post("info", "read me", "details")
    bar.findChild(QPushButton, "messageDetailsButton").click()
    qtbot.wait(60)
    assert bar.text == "read me"
    bar.post("info", "stays", stays=True)
    qtbot.wait(60)
    assert bar.text == "stays"


def test_the_severity_is_said_in_words_too(bar: MessageBar) -> None:
    bar.post("warning", "no model")
    assert bar.findChild(QLabel, "messageText").accessibleName() == "warning: no model"
    assert bar.severity == "warning"


def test_markup_stays_text(bar: MessageBar) -> None:
    bar.post("error", ERROR)
    text = bar.findChild(QLabel, "messageText")
    assert text.textFormat() is Qt.TextFormat.PlainText
    assert "<b>" not in text.toolTip()


def test_an_unknown_severity_is_a_mistake_of_the_program(bar: MessageBar) -> None:
    with pytest.raises(ValueError, match="fatal"):
        bar.post("fatal", "x")


def test_many_messages_are_not_kept_for_ever(bar: MessageBar) -> None:
    for number in range(100):
        bar.post("error", f"problem {number}")
    closed = 0
    while not bar.isHidden():
        bar.dismiss()
        closed += 1
    assert closed == 20
    bar.post("error", "x")
    bar.clear()
    assert bar.isHidden()


def test_a_message_that_is_not_true_any_more_is_withdrawn_and_the_others_stay(
    bar: MessageBar,
) -> None:
    bar.post("error", "the turn failed", about="turn")
    bar.post("info", "saved", stays=True)
    bar.withdraw("turn")
    assert bar.text == "saved"
    bar.dismiss()
    assert bar.text == ""
