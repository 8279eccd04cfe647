"""Nothing that belongs to another question looks valid: waiting, cancelled, failed."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from core.io.folders import data_folder
from inspector.session.asking import Standing
from tests.inspector.driver import QUESTION
from tests.inspector.light_embedder import WAIT_S, HeldEmbedder, WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow  # a window a test

OTHER = "which fish eat algae?"
ESCAPE = (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)


class BrokenEmbedder(WordEmbedder):
    """Fails at questions as nobody expects."""

    def embed_query(self, _text: str) -> Any:
        raise RuntimeError("the model fell over")


def status(user: Driver) -> str:
    return str(user.window.panels.query.status.text())


def is_faded(user: Driver) -> bool:
    return bool(user.window._is_faded)


def ask_and_hold(user: Driver, embedder: HeldEmbedder) -> None:
    user.type_message(QUESTION)
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert embedder.asked.wait(WAIT_S)


def test_the_first_question_has_no_results_of_another_one(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    ask_and_hold(user, embedder)
    assert status(user) == "Searching…"
    assert "Searching" in user.find("hitsTable").accessibleDescription()
    with user.turn_of(QUESTION):
        embedder.let_query(QUESTION)


def test_while_something_waits_the_old_rows_look_old(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.ask(OTHER)
    assert not is_faded(user)
    ask_and_hold(user, embedder)
    user.qtbot.waitUntil(lambda: is_faded(user))
    with user.turn_of(QUESTION):
        embedder.let_query(QUESTION)
    assert not is_faded(user)


def test_cancelling_a_search_says_whose_results_are_on_screen(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.click("modeLexical")
    user.ask(QUESTION)
    user.click("modeDense")
    assert embedder.asked.wait(WAIT_S)
    user.shortcut(*ESCAPE)
    assert status(user) == "Cancelled: the results are with the settings before"
    strip = user.window.panels.turn_strip
    assert QUESTION in strip.text
    assert "Lexical" in strip.text
    assert is_faded(user)
    with user.qtbot.waitSignal(user.window.turnShown):
        user.click("modeLexical")
    assert not is_faded(user)
    assert strip.text == ""
    embedder.let_query(QUESTION)


def test_a_search_that_fails_unexpectedly_is_told_and_marks_the_turn(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json", BrokenEmbedder())
    user.click("modeLexical")
    user.ask(OTHER)
    with user.qtbot.waitSignal(user.session.failed):
        user.click("modeDense")
    assert user.session.asking.standing is Standing.FAILED
    assert status(user).startswith("Failed")
    assert is_faded(user)
    # The sliders are alive: Lexical answers again.
    with user.qtbot.waitSignal(user.window.turnShown):
        user.click("modeLexical")
    assert not is_faded(user)


@pytest.mark.parametrize("where", ["slot", "thread"])
def test_an_exception_that_nobody_expected_is_told_copied_and_written_down(
    open_window: OpenWindow, aquarium: Path, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "excepthook", lambda *_: None)
    monkeypatch.setattr(threading, "excepthook", lambda *_: None)
    user = open_window(aquarium / "rag.graph.json")
    user.ask(OTHER)

    def fall_over() -> None:
        raise ZeroDivisionError("nobody expected this")

    if where == "slot":
        user.window.turnShown.connect(fall_over)
        user.window.turnShown.emit(user.turn)
    else:
        thread = threading.Thread(target=fall_over)
        thread.start()
        thread.join()
    user.qtbot.waitUntil(lambda: "nobody expected this" in user.bar_text)
    assert is_faded(user)
    user.click_text("Copy details")
    assert "in fall_over" in QGuiApplication.clipboard().text()
    written = (data_folder() / "log" / "inspector.log").read_text(encoding="utf-8")
    assert "ZeroDivisionError: nobody expected this" in written
