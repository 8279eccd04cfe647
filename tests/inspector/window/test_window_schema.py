"""The schema picker in the window: the catalog's names, what it lacks, and what does not agree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLabel

from core.agent import GraphDescription
from core.nodes import GenerateParams, KnowledgeSourceKind, RetrieveParams, WriteToMemoryParams

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inspector.widgets.fields import Choice
    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

QUESTION = "is the mill haunted"
LEVEL = {"name": "level", "type": "int", "default": 0}
WHO = {"name": "who", "type": "string", "default": ""}
CATALOG = {
    "schemas": [
        {"name": "lore", "fields": [LEVEL]},
        {"name": "memory", "fields": [WHO]},
        {"name": "rumour", "fields": [{**LEVEL, "type": "float"}, WHO]},
    ]
}
LEVEL_FILTER = '{"op": "ge", "lhs": {"knowledge": "level"}, "rhs": {"value": 1}}'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A root with a catalog and a knowledge file whose fields are those of the schema lore."""
    folder = tmp_path / "play"
    folder.mkdir()
    (folder / "schemas.json").write_text(json.dumps(CATALOG))
    (folder / "lore.kb.json").write_text(
        json.dumps(
            [
                {"id": "mill", "text": "the mill is haunted", "metadata": {"level": 1}},
                {"id": "soup", "text": "soup costs two coins", "metadata": {"level": 0}},
            ]
        )
    )
    (folder / "lore.json").write_text(
        json.dumps(
            {
                "version": 1,
                "embedding_model": "All-MiniLM-L6-v2 (Q4_K_M)",
                "records_file": "lore.kb.json",
                "fields": [LEVEL],
            }
        )
    )
    return folder


def graph_of(schema: str = "", write_schema: str = "memory") -> GraphDescription:
    return (
        GraphDescription()
        .add_node(
            "lore",
            RetrieveParams(
                embedded_string_storage="lore.json",
                storage_name="diary",
                schema=schema,
                threshold=0.8,
                found_exit="answer",
                not_found_exit="answer",
            ),
        )
        .add_node(
            "answer",
            GenerateParams(
                template="{{#knowledge_lore}}{{text}}{{/knowledge_lore}}", default_exit="write"
            ),
        )
        .add_node("write", WriteToMemoryParams(storage_name="diary", schema=write_schema))
        .set_start_node("lore")
        .set_default_model_name("any")
    )


@pytest.fixture
def opened(open_window: OpenWindow, folder: Path) -> Callable[..., Any]:
    """Return what saves a graph in the folder and opens it in a window."""

    def make(graph: GraphDescription) -> Driver:
        path = folder / "play.graph.json"
        graph.save(path)
        return open_window(path)

    return make


def row_of(user: Driver, param: str = "schema") -> Any:
    return user.window.panels.parameters.form.rows[param]


def open_picker(user: Driver, param: str = "schema") -> Choice:
    """Press the lock beside a parameter, by the keyboard; return the combo box."""
    button = row_of(user, param).button
    button.setFocus()
    user.qtbot.keyClick(button, Qt.Key.Key_Space)
    return row_of(user, param).combo


def offered(combo: Choice) -> list[str]:
    return [combo.itemText(i) for i in range(combo.count())]


def pick(user: Driver, schema: str) -> None:
    """Pick a schema, and wait until the edited graph has its new agent."""
    with user.qtbot.waitSignal(
        user.session.noted, check_params_cb=lambda text: text.startswith("New agent")
    ):
        user.choose(open_picker(user), schema)


def problems(user: Driver) -> list[str]:
    """Return what the Problems tab lists, a line a finding."""
    return [finding.line() for finding in user.session.findings]


def test_nodes_that_come_before_are_on_offer_as_input_and_stores_as_names(
    opened: Callable[..., Any], folder: Path
) -> None:
    (folder / "d.json").write_text(json.dumps({"name": "diary", "records": []}))
    user = opened(graph_of())
    user.qtbot.waitUntil(lambda: user.session.current.workspace.memories.is_scanned)
    user.pick_node("write")
    assert offered(open_picker(user, "input")) == ["player's message", "lore", "answer"]
    assert offered(open_picker(user, "storage_name")) == ["(none)", "diary"]
    user.pick_node("lore")
    assert offered(open_picker(user, "input")) == ["player's message"]


@pytest.mark.parametrize("node", ["lore", "write"])
def test_none_and_the_names_of_the_catalog_are_on_offer(
    opened: Callable[..., Any], node: str
) -> None:
    user = opened(graph_of())
    user.pick_node(node)
    combo = open_picker(user)
    assert offered(combo) == ["(none)", "lore", "memory", "rumour"]
    assert combo.currentText() == ("(none)" if node == "lore" else "memory")


@pytest.mark.parametrize("node", ["lore", "write"])
def test_a_schema_that_the_catalog_lacks_is_kept_and_marked(
    opened: Callable[..., Any], folder: Path, node: str
) -> None:
    user = opened(graph_of("tales", "tales"))
    user.pick_node(node)
    assert row_of(user).value_label.text() == "tales · Unregistered"
    assert "tales · Unregistered" in offered(open_picker(user))
    user.ask(QUESTION)
    assert user.turn.status == "Success"
    user.saving.save_graph()
    saved = json.loads((folder / "play.graph.json").read_text())
    assert [n["params"]["schema"] for n in saved["nodes"] if "schema" in n["params"]] == [
        "tales",
        "tales",
    ]


def test_picking_a_schema_makes_a_new_agent(opened: Callable[..., Any]) -> None:
    user = opened(graph_of())
    user.ask(QUESTION)
    pick(user, "lore")
    assert user.params("lore").schema == "lore"
    assert "New agent: lore.schema" in user.bar_text
    assert problems(user) == []
    assert user.turn.request.params["lore"].schema == "lore"
    user.shortcut(Qt.Key.Key_Z)
    assert user.params("lore").schema == ""


def test_a_schema_that_the_file_does_not_agree_with_is_told_with_the_first_difference(
    opened: Callable[..., Any],
) -> None:
    user = opened(graph_of())
    user.choose(open_picker(user), "rumour")
    user.qtbot.waitUntil(lambda: bool(problems(user)))
    (found,) = problems(user)
    assert "8003" in found
    assert '"rumour"' in found
    assert "level" in found
    assert "float" in found
    assert "who" not in found
    beside = row_of(user).problem.text()
    assert "8003" in beside
    assert "level" in beside
    assert "Problems (1)" in user.window.docks["problems"].windowTitle()
    assert user.bar_severity == "error"
    assert "8003" in user.bar_text
    assert "New agent" not in user.bar_text
    pick(user, "lore")
    assert problems(user) == []
    assert row_of(user).problem.text() == ""


def test_opening_a_graph_whose_schema_does_not_agree_is_told(
    opened: Callable[..., Any], folder: Path
) -> None:
    user = opened(graph_of())
    path = folder / "other.graph.json"
    graph_of("rumour").save(path)
    user.window.open_path(path)
    user.qtbot.waitUntil(lambda: user.bar_severity == "error")
    assert "8003" in user.bar_text
    assert "level" in user.bar_text
    assert any("8003" in line and "level" in line for line in problems(user))
    user.ask(QUESTION)
    assert user.hits() == ["mill"]


def test_a_memory_store_of_another_schema_is_told(opened: Callable[..., Any], folder: Path) -> None:
    (folder / "diary.json").write_text(
        json.dumps(
            {
                "name": "diary",
                "schema": "lore",
                "embedding_model": "All-MiniLM-L6-v2 (Q4_K_M)",
                "records": [],
            }
        )
    )
    user = opened(graph_of(write_schema="lore"))
    user.pick_node("write")
    user.choose(open_picker(user), "memory")
    user.qtbot.waitUntil(lambda: user.bar_severity == "error")
    found = [line for line in problems(user) if "8003" in line]
    assert any('"diary"' in line and '"who"' in line for line in found)
    user.ask(QUESTION)
    assert user.turn.status == "Error"
    assert "8003" in user.bar_text


def test_both_addresses_stay_visible_in_both_kinds(opened: Callable[..., Any]) -> None:
    user = opened(graph_of("lore"))
    shown = {}
    for kind in KnowledgeSourceKind:
        if user.params("lore").source_kind is not kind:
            button = row_of(user, "source_kind").button
            button.setFocus()
            user.qtbot.keyClick(button, Qt.Key.Key_Space)
            user.choose(row_of(user, "source_kind").combo, kind.name)
            user.settle()
        assert user.params("lore").source_kind is kind
        labels = [
            row_of(user, param).value_label
            for param in ("embedded_string_storage", "storage_name", "schema")
        ]
        assert all(label.isVisible() for label in labels)
        shown[kind] = [label.text() for label in labels]
    assert shown[KnowledgeSourceKind.FromFile] == ["lore.json", "diary · unused", "lore"]
    assert shown[KnowledgeSourceKind.FromName] == ["lore.json · unused", "diary", "lore"]


def test_from_name_without_a_schema_is_told(opened: Callable[..., Any]) -> None:
    user = opened(graph_of())
    button = row_of(user, "source_kind").button
    button.setFocus()
    user.qtbot.keyClick(button, Qt.Key.Key_Space)
    with user.qtbot.waitSignal(
        user.session.changed, check_params_cb=lambda shown: bool(shown.findings)
    ):
        user.choose(row_of(user, "source_kind").combo, "FromName")
    assert any("schema" in line and "error" in line for line in problems(user))


def test_the_filter_of_a_store_by_name_follows_its_schema(opened: Callable[..., Any]) -> None:
    graph = graph_of("lore")
    user = opened(graph)
    user.set_filter(LEVEL_FILTER)
    assert user.find("filterStatus", QLabel).text().startswith("compiled")
    assert user.find("nodeCombo", QComboBox).currentText().startswith("lore")
