"""The Copy menu: everything that is on screen as text for elsewhere."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QGuiApplication

from tests.inspector.driver import QUESTION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

LABELS = [
    "Parameters as JSON",
    "Parameters as Python calls",
    "Results as CSV",
    "Results as Markdown",
    "Prompt as text",
    "Prompt as JSON messages",
    "Diagnostics as JSON",
    "Changed parameters as Python",
    "Changed parameters as C++",
    "Changed parameters as Unity (C#)",
    "Changed parameters as Unreal (C++)",
    "Graph as JSON",
    "Picture of the window",
]


def _copied(user: Driver, label: str) -> str:
    action = next(a for a in user.copy_menu.menu.actions() if a.text() == label)
    QGuiApplication.clipboard().clear()
    action.trigger()
    return QGuiApplication.clipboard().text()


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    driver = open_window(aquarium / "hybrid.graph.json")
    driver.ask(QUESTION)
    return driver


def test_the_menu_offers_what_the_button_says(user: Driver) -> None:
    actions = [a.text() for a in user.copy_menu.menu.actions() if not a.isSeparator()]
    assert actions == LABELS
    assert user.window.panels.query.copy_button.menu() is user.copy_menu.menu


def test_before_anything_is_open_nothing_is_copied_and_nothing_breaks(
    open_window: OpenWindow,
) -> None:
    user = open_window()
    for label in LABELS[:-1]:
        _copied(user, label)


def test_parameters_are_those_in_force(user: Driver) -> None:
    user.set_spin("topKSpin", "7")
    user.click("modeDense")
    copied = json.loads(_copied(user, "Parameters as JSON"))
    assert (copied["top_k"], copied["retrieval_mode"]) == (7, "Dense")
    assert _copied(user, "Parameters as Python calls").splitlines() == [
        "from tryll_client.graph import RetrievalMode",
        "",
        'agent.change_param("knowledge", "retrieval_mode", RetrievalMode.Dense)',
        'agent.change_param("knowledge", "top_k", 7)',
    ]


@pytest.mark.parametrize(
    ("label", "line"),
    [
        ("Python", 'agent.change_param("knowledge", "top_k", 7)'),
        ("C++", "knowledge_params.top_k = 7;  // was 3"),
        ("Unity (C#)", "knowledgeParams.TopK = 7;"),
        ("Unreal (C++)", "KnowledgeParams->TopK = 7;"),
    ],
)
def test_changed_parameters_are_those_of_all_nodes(user: Driver, label: str, line: str) -> None:
    user.set_spin("topKSpin", "7")
    user.session.pick_node("answer")
    assert line in _copied(user, f"Changed parameters as {label}").splitlines()


def test_unchanged_parameters_are_a_comment(user: Driver) -> None:
    assert _copied(user, "Changed parameters as Python") == (
        "# No parameter differs from the graph file.\n"
    )


def test_the_graph_is_the_file_that_saving_would_write(user: Driver, tmp_path: Path) -> None:
    user.set_spin("topKSpin", "7")
    copied = _copied(user, "Graph as JSON")
    assert user.session.save(tmp_path / "saved.graph.json")
    assert copied == (tmp_path / "saved.graph.json").read_text(encoding="utf-8")
    nodes = {node["name"]: node["params"] for node in json.loads(copied)["nodes"]}
    assert nodes["knowledge"]["top_k"] == 7


def test_after_saving_nothing_differs_any_more(user: Driver, tmp_path: Path) -> None:
    user.set_spin("topKSpin", "7")
    user.session.save(tmp_path / "saved.graph.json")
    assert "agent" not in _copied(user, "Changed parameters as C++")


def test_results_are_the_hits_in_their_order(user: Driver) -> None:
    lines = list(csv.DictReader(io.StringIO(_copied(user, "Results as CSV"), newline="")))
    assert [line["id"] for line in lines] == user.hits()
    assert [line["text"] for line in lines] == [hit.text for hit in user.retrieval.hits]
    markdown = _copied(user, "Results as Markdown").splitlines()
    assert len(markdown) == 2 + len(user.hits())


def test_the_prompt_is_what_the_model_would_read(user: Driver) -> None:
    messages = json.loads(_copied(user, "Prompt as JSON messages"))
    assert messages == [{"role": m.role, "content": m.text} for m in user.turn.messages]
    text = _copied(user, "Prompt as text")
    assert text.startswith("[system]\n")
    assert text.endswith(f"[user]\n{QUESTION}")


def test_diagnostics_are_the_turns(user: Driver) -> None:
    assert json.loads(_copied(user, "Diagnostics as JSON")) == user.turn.debug_info


def test_a_node_that_searches_nothing_has_no_results(user: Driver) -> None:
    user.session.pick_node("answer")
    assert _copied(user, "Results as CSV").count("\r\n") == 1
    assert "template" in json.loads(_copied(user, "Parameters as JSON"))
