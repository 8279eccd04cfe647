"""The Copy menu: everything that is on screen as text for elsewhere."""

from __future__ import annotations

import csv
import io
import json

import pytest
from driver import QUESTION
from PySide6.QtGui import QGuiApplication

LABELS = ["Parameters as JSON", "Parameters as Python calls", "Results as CSV",
          "Results as Markdown", "Prompt as text", "Prompt as JSON messages",
          "Diagnostics as JSON", "Picture of the window"]


def _copied(user, label: str) -> str:
    action = next(a for a in user.window.copy_menu.menu.actions() if a.text() == label)
    QGuiApplication.clipboard().clear()
    action.trigger()
    return QGuiApplication.clipboard().text()


@pytest.fixture
def user(open_window, aquarium):
    driver = open_window(aquarium / "hybrid.graph.json")
    driver.ask(QUESTION)
    return driver


def test_the_menu_offers_what_the_button_says(user):
    actions = [a.text() for a in user.window.copy_menu.menu.actions() if not a.isSeparator()]
    assert actions == LABELS
    assert user.window.panels.query.copy_button.menu() is user.window.copy_menu.menu


def test_before_anything_is_open_nothing_is_copied_and_nothing_breaks(open_window):
    user = open_window()
    for label in LABELS[:-1]:
        _copied(user, label)


def test_parameters_are_those_in_force(user):
    user.set_spin("topKSpin", "7")
    user.click("modeDense")
    copied = json.loads(_copied(user, "Parameters as JSON"))
    assert (copied["top_k"], copied["retrieval_mode"]) == (7, "Dense")
    assert _copied(user, "Parameters as Python calls").splitlines() == [
        'agent.change_param("knowledge", "retrieval_mode", \'Dense\')',
        'agent.change_param("knowledge", "top_k", 7)']


def test_results_are_the_hits_in_their_order(user):
    lines = list(csv.DictReader(io.StringIO(_copied(user, "Results as CSV"), newline="")))
    assert [line["id"] for line in lines] == user.hits()
    assert [line["text"] for line in lines] == [hit.text for hit in user.retrieval.hits]
    markdown = _copied(user, "Results as Markdown").splitlines()
    assert len(markdown) == 2 + len(user.hits())


def test_the_prompt_is_what_the_model_would_read(user):
    messages = json.loads(_copied(user, "Prompt as JSON messages"))
    assert messages == [{"role": m.role, "content": m.text} for m in user.turn.messages]
    text = _copied(user, "Prompt as text")
    assert text.startswith("[system]\n")
    assert text.endswith(f"[user]\n{QUESTION}")


def test_diagnostics_are_the_turns(user):
    assert json.loads(_copied(user, "Diagnostics as JSON")) == user.turn.debug_info


def test_a_node_that_searches_nothing_has_no_results(user):
    user.session.pick_node("answer")
    assert _copied(user, "Results as CSV").count("\r\n") == 1
    assert "template" in json.loads(_copied(user, "Parameters as JSON"))
