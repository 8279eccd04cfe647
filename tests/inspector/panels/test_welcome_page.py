"""The first page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLabel, QPushButton

from inspector.panels.welcome_page import PROGRAM, Sample, WelcomePage

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


SAMPLES = [
    Sample("Aquarium", "120 facts", "samples/aquarium/rag.graph.json"),
    ("Adventure & co", "Quest gates", "samples/adventure/npc.graph.json"),
]


@pytest.fixture
def page(qtbot: QtBot) -> WelcomePage:
    widget = WelcomePage()
    qtbot.addWidget(widget)
    widget.resize(700, 560)
    widget.show_samples(SAMPLES)
    widget.show()
    return widget


def card(page: WelcomePage, name: str) -> QAbstractButton:
    return next(
        button
        for button in page.findChildren(QAbstractButton)
        if button.accessibleName() == name and not button.isHidden()
    )


def test_it_names_the_program(page: WelcomePage) -> None:
    assert PROGRAM in [label.text() for label in page.findChildren(QLabel)]


def test_one_click_asks_for_a_sample(page: WelcomePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.path_requested) as asked:
        QTest.mouseClick(card(page, "Aquarium"), Qt.MouseButton.LeftButton)
    assert asked.args == ["samples/aquarium/rag.graph.json"]


def test_a_sample_is_reached_by_keyboard(page: WelcomePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.path_requested) as asked:
        QTest.keyClick(card(page, "Adventure & co"), Qt.Key.Key_Space)
    assert asked.args == ["samples/adventure/npc.graph.json"]


def test_recent_files_are_named_with_their_folder(page: WelcomePage, qtbot: QtBot) -> None:
    page.show_recent(["/games/pellwater/npc.graph.json", "C:\\kb\\all.json"])
    assert card(page, "npc.graph.json").accessibleDescription() == "/games/pellwater"
    with qtbot.waitSignal(page.path_requested) as asked:
        card(page, "all.json").click()
    assert asked.args == ["C:\\kb\\all.json"]


def test_the_lists_are_replaced_not_added_to(page: WelcomePage) -> None:
    page.show_recent(["/a/one.json"])
    page.show_recent(["/a/two.json"])
    names = [
        button.accessibleName()
        for button in page.findChildren(QAbstractButton)
        if not button.isHidden()
    ]
    assert "two.json" in names
    assert "one.json" not in names


def test_headings_without_anything_below_are_hidden(page: WelcomePage) -> None:
    page.show_samples([])
    shown = [label.accessibleName() for label in page.findChildren(QLabel) if label.isVisible()]
    assert "Samples" not in shown
    assert "Recent" not in shown


def test_opening_a_file_is_asked_for(page: WelcomePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.open_requested):
        page.findChild(QPushButton, "welcomeOpen").click()


def test_recent_files_come_before_the_samples(page: WelcomePage) -> None:
    page.show_recent(["/a/one.json"])
    page.grab()
    assert card(page, "one.json").pos().y() < card(page, "Aquarium").pos().y()


def test_a_question_asks_for_its_sample_and_itself(page: WelcomePage, qtbot: QtBot) -> None:
    path = "samples/aquarium/rag.graph.json"
    page.show_samples(SAMPLES, {path: ("what eats Aiptasia?", "a & b?", "and a " + "long " * 40)})
    page.grab()
    assert page.widget().width() <= page.viewport().width()
    with qtbot.waitSignal(page.question_asked) as asked:
        QTest.mouseClick(card(page, "a & b?"), Qt.MouseButton.LeftButton)
    assert asked.args == [path, "a & b?"]
    with qtbot.waitSignal(page.question_asked) as asked:
        QTest.keyClick(card(page, "what eats Aiptasia?"), Qt.Key.Key_Space)
    assert asked.args == [path, "what eats Aiptasia?"]


def test_questions_go_with_their_samples(page: WelcomePage) -> None:
    page.show_samples(SAMPLES, {"samples/aquarium/rag.graph.json": ("first?",)})
    page.show_samples(SAMPLES)
    names = [
        button.accessibleName()
        for button in page.findChildren(QAbstractButton)
        if button.isVisible()
    ]
    assert "first?" not in names
