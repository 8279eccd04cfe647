"""The dialog in the window: kept on request, typed, pasted, edited, and shown in the prompt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QLabel, QPlainTextEdit, QTableView

from core.agent import GraphDescription
from core.nodes import CannedResponseParams, GenerateParams, HumanMessageGuardrailParams
from core.prompt.messages import DialogLine
from tests.inspector.driver import CTRL, LEFT

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn
    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

FIRST, SECOND, THIRD = "do clownfish sting?", "which fish eat algae?", "how warm is the water?"
REPLY = "No, they do not."
TEXT = 1


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    """A window in which one question has been asked, with the Inputs in front."""
    driver = open_window(aquarium / "rag.graph.json")
    driver.ask(FIRST)
    driver.window.raise_dock("inputs")
    return driver


def switch(user: Driver) -> None:
    box = user.find("dialogCheck", QCheckBox)
    box.setFocus()
    user.qtbot.keyClick(box, Qt.Key.Key_Space)


def type_reply(user: Driver, text: str = REPLY) -> None:
    user.type_into("replyEdit", text, Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier)
    user.qtbot.waitUntil(lambda: user.turn.reply == text)


def dialog_of(user: Driver) -> list[tuple[str, str]]:
    """Return the earlier messages of the turn on screen, as (role, text)."""
    return [
        (message.role, message.text) for message in user.turn.messages if message.origin == "dialog"
    ]


def rows_of(user: Driver) -> list[tuple[str, str]]:
    """Return what the table of earlier messages shows."""
    model = user.find("dialogView", QTableView).model()
    return [
        (model.index(row, 0).data(), model.index(row, TEXT).data())
        for row in range(model.rowCount())
    ]


def prompt_of(user: Driver) -> str:
    return user.find("promptView", QPlainTextEdit).toPlainText()


def chunks_of(turn: Turn) -> list[str]:
    return [hit.text for hit in turn.run_of("knowledge").retrieval.hits]


def click_row(user: Driver, row: int, *, double: bool = False) -> QTableView:
    table = user.find("dialogView", QTableView)
    index = table.model().index(row, TEXT)
    table.scrollTo(index)
    place = table.visualRect(index).center()
    user.qtbot.mouseClick(table.viewport(), LEFT, pos=place)
    if double:
        user.qtbot.mouseDClick(table.viewport(), LEFT, pos=place)
    return table


@pytest.fixture
def talking(user: Driver) -> tuple[Driver, Turn]:
    """The second question of a kept dialog, after a first one with a typed reply."""
    switch(user)
    type_reply(user)
    first = user.turn
    user.ask(SECOND)
    user.window.raise_dock("inputs")
    return user, first


def test_a_dialog_is_kept_only_when_it_is_switched_on(user: Driver) -> None:
    assert not user.find("dialogCheck", QCheckBox).isChecked()
    type_reply(user)
    user.ask(SECOND)
    assert dialog_of(user) == []
    assert FIRST not in prompt_of(user)
    assert user.turn.reply == ""


def test_the_prompt_shows_the_earlier_messages_before_the_new_one(
    talking: tuple[Driver, Turn],
) -> None:
    user, first = talking
    assert dialog_of(user) == [("user", FIRST), ("assistant", REPLY)]
    shown = prompt_of(user)
    assert shown.index(FIRST) < shown.index(REPLY) < shown.index(SECOND)
    assert rows_of(user) == [("user", FIRST), ("assistant", REPLY)]
    texts = [message.text for message in user.turn.messages if message.origin == "dialog"]
    assert not any(chunk in text for chunk in chunks_of(first) for text in texts)
    only_before = set(chunks_of(first)) - set(chunks_of(user.turn))
    assert only_before
    assert not any(chunk in shown for chunk in only_before)


def test_the_diagnostics_and_the_copied_messages_hold_the_dialog_too(
    talking: tuple[Driver, Turn],
) -> None:
    user, _ = talking
    said = json.loads(user.window.panels.diagnostics.text())
    sent = said["nodes"][-1]["diagnostics"]["output"]["messages"]
    wanted = [{"role": "user", "content": FIRST}, {"role": "assistant", "content": REPLY}]
    assert [message for message in sent if message in wanted] == wanted
    copied = json.loads(user.copied("Prompt as JSON messages"))
    assert copied == sent


def test_the_reply_belongs_to_the_question_on_screen(talking: tuple[Driver, Turn]) -> None:
    user, _ = talking
    reply = user.find("replyEdit", QPlainTextEdit)
    assert reply.toPlainText() == ""
    assert SECOND in user.find("replyLabel", QLabel).text()
    type_reply(user, "Snails do.")
    user.ask(THIRD)
    assert dialog_of(user) == [
        ("user", FIRST),
        ("assistant", REPLY),
        ("user", SECOND),
        ("assistant", "Snails do."),
    ]


def test_control_return_ends_the_reply_without_asking_again(talking: tuple[Driver, Turn]) -> None:
    user, _ = talking
    turns = len(user.session.history)
    user.type_into("replyEdit", "Snails do.", Qt.Key.Key_Return, CTRL)
    user.qtbot.waitUntil(lambda: user.turn.reply == "Snails do.")
    assert dialog_of(user) == [("user", FIRST), ("assistant", REPLY)]
    assert len(user.session.history) == turns
    user.ask(THIRD)
    assert dialog_of(user)[2:] == [("user", SECOND), ("assistant", "Snails do.")]


def test_an_edited_message_changes_the_prompt_at_once(talking: tuple[Driver, Turn]) -> None:
    user, _ = talking
    table = click_row(user, 1, double=True)
    editor = table.viewport().findChild(QPlainTextEdit)
    editor.selectAll()
    user.qtbot.keyClicks(editor, "They sting a little.")
    user.qtbot.keyClick(editor, Qt.Key.Key_Return)
    user.qtbot.waitUntil(lambda: dialog_of(user)[1] == ("assistant", "They sting a little."))
    assert "They sting a little." in prompt_of(user)
    assert REPLY not in prompt_of(user)
    user.ask(THIRD)
    assert dialog_of(user) == [
        ("user", FIRST),
        ("assistant", "They sting a little."),
        ("user", SECOND),
    ]


def test_a_removed_message_is_gone_from_this_prompt_and_the_next(
    talking: tuple[Driver, Turn],
) -> None:
    user, _ = talking
    table = click_row(user, 0)
    user.qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert dialog_of(user) == [("assistant", REPLY)]
    assert FIRST not in prompt_of(user)
    user.ask(THIRD)
    assert dialog_of(user) == [("assistant", REPLY), ("user", SECOND)]


def test_pasted_messages_join_the_prompt(talking: tuple[Driver, Turn]) -> None:
    user, _ = talking
    QGuiApplication.clipboard().setText("User: Hello!\nAssistant: Good evening.\nSit down.")
    user.click("dialogPaste")
    assert dialog_of(user)[2:] == [("user", "Hello!"), ("assistant", "Good evening.\nSit down.")]
    assert "Sit down." in prompt_of(user)


def test_a_paste_that_cannot_be_read_says_why_and_changes_nothing(
    talking: tuple[Driver, Turn],
) -> None:
    user, _ = talking
    QGuiApplication.clipboard().setText('[{"role": "user", "content": 3}]')
    user.click("dialogPaste")
    status = user.find("dialogStatus", QLabel)
    assert status.isVisible()
    assert "3007" in status.text()
    assert dialog_of(user) == [("user", FIRST), ("assistant", REPLY)]


def test_switched_off_the_earlier_messages_are_gone(talking: tuple[Driver, Turn]) -> None:
    user, _ = talking
    switch(user)
    assert dialog_of(user) == []
    assert FIRST not in prompt_of(user)
    user.ask(THIRD)
    assert dialog_of(user) == []
    switch(user)
    user.ask(FIRST)
    assert dialog_of(user) == [("user", THIRD)], "of the turn that was on screen"


def test_switched_on_after_a_question_its_turn_is_remembered(user: Driver) -> None:
    switch(user)
    user.ask(SECOND)
    assert dialog_of(user) == [("user", FIRST)]


def test_a_picked_earlier_turn_shows_its_own_dialog(talking: tuple[Driver, Turn]) -> None:
    user, _ = talking
    user.ask(THIRD)
    user.session.pick_turn(1)
    assert dialog_of(user) == [("user", FIRST), ("assistant", REPLY)]
    assert rows_of(user) == [("user", FIRST), ("assistant", REPLY)]
    user.session.pick_turn(0)
    assert rows_of(user) == []
    assert user.find("replyEdit", QPlainTextEdit).toPlainText() == REPLY
    user.session.pick_turn(2)
    assert rows_of(user) == [("user", FIRST), ("assistant", REPLY), ("user", SECOND)]


def test_a_picked_turn_shows_whether_it_kept_a_dialog(talking: tuple[Driver, Turn]) -> None:
    user, _ = talking
    assert user.session.inputs.upcoming.dialog[-1] == DialogLine("user", SECOND)
    user.session.pick_turn(0)
    user.set_spin("topKSpin", "4")
    assert dialog_of(user) == []
    user.ask(THIRD)
    assert dialog_of(user) == [("user", FIRST), ("assistant", REPLY), ("user", SECOND)]


def test_a_moved_slider_keeps_the_dialog_and_adds_nothing_to_it(
    talking: tuple[Driver, Turn],
) -> None:
    user, _ = talking
    for value in ("2", "6", "9"):
        user.set_spin("topKSpin", value)
        assert dialog_of(user) == [("user", FIRST), ("assistant", REPLY)]
    user.ask(THIRD)
    assert dialog_of(user) == [("user", FIRST), ("assistant", REPLY), ("user", SECOND)]


def test_a_ready_line_is_the_reply_of_its_turn(open_window: OpenWindow, tmp_path: Path) -> None:
    path = tmp_path / "guard.graph.json"
    (
        GraphDescription()
        .add_node(
            "guard",
            HumanMessageGuardrailParams(
                inline_strings=("dragon",), triggered_exit="refuse", not_triggered_exit="answer"
            ),
        )
        .add_node("refuse", CannedResponseParams(inline_strings=("Not here.",)))
        .add_node("answer", GenerateParams(template="Be kind."))
        .set_start_node("guard")
        .set_default_model_name("any")
    ).save(path)
    user = open_window(path)
    user.window.raise_dock("inputs")
    switch(user)
    user.ask("tell me of the dragon")
    assert not user.find("replyEdit", QPlainTextEdit).isEnabled()
    user.ask(SECOND)
    assert dialog_of(user) == [("user", "tell me of the dragon"), ("assistant", "Not here.")]
