"""The Copy menu: everything that is on screen as text for elsewhere."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import pytest

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


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    driver = open_window(aquarium / "hybrid.graph.json")
    driver.ask(QUESTION)
    return driver


def test_the_menu_offers_what_the_button_says(user: Driver) -> None:
    actions = [a.text() for a in user.copy_menu.actions() if not a.isSeparator()]
    assert actions == LABELS
    assert user.window.panels.query.copy_button.menu() is user.copy_menu


def test_before_anything_is_open_nothing_is_copied_and_nothing_breaks(
    open_window: OpenWindow,
) -> None:
    user = open_window()
    for label in LABELS[:-1]:
        user.copied(label)


def test_parameters_are_those_in_force(user: Driver) -> None:
    user.set_spin("topKSpin", "7")
    user.click("modeDense")
    copied = json.loads(user.copied("Parameters as JSON"))
    assert (copied["top_k"], copied["retrieval_mode"]) == (7, "Dense")
    assert user.copied("Parameters as Python calls").splitlines() == [
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
    assert line in user.copied(f"Changed parameters as {label}").splitlines()


def test_unchanged_parameters_are_a_comment(user: Driver) -> None:
    assert user.copied("Changed parameters as Python") == (
        "# No parameter differs from the graph file.\n"
    )


def test_the_graph_is_the_file_that_saving_would_write(user: Driver, tmp_path: Path) -> None:
    user.set_spin("topKSpin", "7")
    copied = user.copied("Graph as JSON")
    assert user.session.save(tmp_path / "saved.graph.json")
    assert copied == (tmp_path / "saved.graph.json").read_text(encoding="utf-8")
    nodes = {node["name"]: node["params"] for node in json.loads(copied)["nodes"]}
    assert nodes["knowledge"]["top_k"] == 7


def test_after_saving_nothing_differs_any_more(user: Driver, tmp_path: Path) -> None:
    user.set_spin("topKSpin", "7")
    user.session.save(tmp_path / "saved.graph.json")
    assert "agent" not in user.copied("Changed parameters as C++")


def test_results_are_the_hits_in_their_order(user: Driver) -> None:
    lines = list(csv.DictReader(io.StringIO(user.copied("Results as CSV"), newline="")))
    assert [line["id"] for line in lines] == user.hits()
    assert [line["text"] for line in lines] == [hit.text for hit in user.retrieval.hits]
    markdown = user.copied("Results as Markdown").splitlines()
    assert len(markdown) == 2 + len(user.hits())


def test_the_prompt_is_what_the_model_would_read(user: Driver) -> None:
    messages = json.loads(user.copied("Prompt as JSON messages"))
    assert messages == [{"role": m.role, "content": m.text} for m in user.turn.messages]
    text = user.copied("Prompt as text")
    assert text.startswith("[system]\n")
    assert text.endswith(f"[user]\n{QUESTION}")


def test_diagnostics_are_the_turns(user: Driver) -> None:
    assert json.loads(user.copied("Diagnostics as JSON")) == user.turn.debug_info


def test_a_node_that_searches_nothing_has_no_results(user: Driver) -> None:
    user.session.pick_node("answer")
    assert user.copied("Results as CSV").count("\r\n") == 1
    assert "template" in json.loads(user.copied("Parameters as JSON"))
