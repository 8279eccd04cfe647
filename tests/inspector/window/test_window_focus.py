"""The focus is where the next key is meant, and undo means what was edited last."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractSpinBox

from tests.inspector.driver import QUESTION, Driver
from tests.inspector.light_embedder import WAIT_S, HeldEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import OpenWindow

pytestmark = pytest.mark.slow

PLAIN = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    return open_window(aquarium / "rag.graph.json")


def _focus(user: Driver) -> str:
    widget = user.window.focusWidget()
    return widget.objectName() if widget is not None else ""


def test_saving_and_reading_again_leave_the_focus(user: Driver) -> None:
    user.set_spin("topKSpin", "9")
    user.shortcut(Qt.Key.Key_S)
    assert _focus(user) == "topKSpin"
    with user.qtbot.waitSignal(user.session.opened):
        user.shortcut(Qt.Key.Key_F5, PLAIN)
    user.settle()
    assert _focus(user) == "topKSpin"


def test_opening_another_graph_goes_to_the_question(user: Driver, aquarium: Path) -> None:
    user.find("hitsTable").setFocus()
    user.open(aquarium / "hybrid.graph.json")
    assert _focus(user) == "messageEdit"


@pytest.mark.parametrize("by_key", [False, True])
def test_cancelling_leaves_the_focus_where_it_was(
    open_window: OpenWindow, aquarium: Path, by_key: bool
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.find("topKSpin", QAbstractSpinBox).setFocus()
    user.session.run(QUESTION)
    assert embedder.asked.wait(WAIT_S)
    cancel = user.find("cancelButton")
    user.qtbot.waitUntil(cancel.isVisible)
    if by_key:
        cancel.setFocus()
        user.qtbot.keyClick(cancel, Qt.Key.Key_Space)
    else:
        user.click("cancelButton")
    user.qtbot.waitUntil(lambda: not cancel.isVisible())
    assert _focus(user) == "topKSpin"
    embedder.let_query(QUESTION)


def test_inputs_beside_an_error_goes_to_the_value_that_is_missing(
    open_window: OpenWindow, aquarium: Path
) -> None:
    path = aquarium / "rag.graph.json"
    document = json.loads(path.read_text())
    document["nodes"][0]["params"]["input"] = "{{var.place}} {{user_message}}"
    path.write_text(json.dumps(document))
    user = open_window(path)
    user.ask(QUESTION)
    user.click_text("Inputs")
    table = user.find("variablesTable")
    assert _focus(user) == "variablesTable"
    user.qtbot.keyClicks(table, "r")
    editor = user._cell_editor(table)
    user.qtbot.keyClicks(editor, "eef")
    user.qtbot.keyClick(editor, Qt.Key.Key_Return)
    user.qtbot.waitUntil(lambda: user.session.inputs.variables == {"place": "reef"})


def test_a_shortcut_to_a_panel_takes_the_focus_there(user: Driver) -> None:
    user.shortcut(Qt.Key.Key_6)
    assert _focus(user) == "problemsView"
    user.shortcut(Qt.Key.Key_L)
    assert _focus(user) == "messageEdit"


# Undo


@pytest.mark.parametrize("saved", [False, True])
def test_undo_means_the_edit_and_never_the_question(user: Driver, saved: bool) -> None:
    user.ask(QUESTION)
    before = user.params().top_k
    user.set_spin("topKSpin", "9")
    if saved:
        user.shortcut(Qt.Key.Key_S)
    user.message.setFocus()
    for _ in range(2):
        user.shortcut(Qt.Key.Key_Z)
        assert user.params().top_k == before
        assert user.message.text() == QUESTION
    user.shortcut(Qt.Key.Key_Y)
    assert user.params().top_k == 9


def test_undo_means_the_question_while_that_is_what_was_edited_last(user: Driver) -> None:
    user.window.panels.query.live.setChecked(False)
    user.set_spin("topKSpin", "9")
    user.type_message("fish")
    user.shortcut(Qt.Key.Key_Z)
    assert user.message.text() == ""
    assert user.params().top_k == 9


def test_undo_means_the_edit_from_any_panel(user: Driver) -> None:
    before = user.params().top_k
    for name in ("hitsTable", "turnsView", "problemsView", "promptView", "diagnosticsView"):
        user.set_spin("topKSpin", "9")
        user.find(name).setFocus()
        user.shortcut(Qt.Key.Key_Z)
        assert user.params().top_k == before, name
