"""Reading files again, and keys that the window must leave to a field, in a window that plays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit

from core.agent import GraphDescription
from core.nodes import (
    GenerateParams,
    HumanMessageGuardrailParams,
    KnowledgeSourceKind,
    RetrieveParams,
    WriteToMemoryParams,
)
from inspector.session.watching import SETTLE_MS
from tests.inspector.driver import LEFT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

FACT, ASKED = "Remember that the mill is haunted", "is the mill haunted"
NO_KEY = Qt.KeyboardModifier.NoModifier


def remembering() -> GraphDescription:
    return (
        GraphDescription()
        .add_node(
            "recall",
            RetrieveParams(
                source_kind=KnowledgeSourceKind.FromName,
                storage_name="memories_{{var.player}}",
                schema="tales",
                threshold=0.8,
                found_exit="answer",
                not_found_exit="answer",
            ),
        )
        .add_node("answer", GenerateParams(template="Be kind.", default_exit="remember"))
        .add_node(
            "remember", WriteToMemoryParams(storage_name="memories_{{var.player}}", schema="tales")
        )
        .set_start_node("recall")
        .set_default_model_name("any")
    )


def store_of(*texts: str) -> dict[str, Any]:
    return {
        "name": "memories_ada",
        "schema": "tales",
        "embedding_model": "All-MiniLM-L6-v2 (Q4_K_M)",
        "records": [{"id": f"m{number}", "text": text} for number, text in enumerate(texts)],
    }


@pytest.fixture
def user(open_window: OpenWindow, tmp_path: Path) -> Driver:
    """A window in which ada plays; her store lies on the disk."""
    folder = tmp_path / "play"
    folder.mkdir()
    (folder / "memories_ada.json").write_text(json.dumps(store_of("soup costs two coins")))
    remembering().save(folder / "play.graph.json")
    driver = open_window(folder / "play.graph.json")
    driver.set_variable("player", "ada")
    driver.ask(FACT)
    return driver


@pytest.fixture
def store_path(user: Driver) -> Path:
    return user.session.current.path.parent / "memories_ada.json"


def remembered(user: Driver) -> list[str]:
    store = user.session.inputs.upcoming.memory["memories_ada"]
    return [record["text"] for record in store.records]


def test_reading_the_files_again_writes_nothing_again(user: Driver) -> None:
    with user.qtbot.waitSignal(user.session.opened):
        user.shortcut(Qt.Key.Key_F5, NO_KEY)
    user.settle()
    assert remembered(user) == ["soup costs two coins", FACT]
    assert len(user.session.history) == 1


def test_a_store_that_the_window_saves_is_not_told_to_have_changed(
    user: Driver, store_path: Path
) -> None:
    told: list[Any] = []
    user.watch.changed.connect(told.append)
    user.window.raise_dock("memory")
    user.click("memorySave")
    user.qtbot.waitUntil(lambda: user.bar_text == f"Saved {store_path}")
    user.qtbot.wait(2 * SETTLE_MS)
    assert told == []
    assert user.bar_text == f"Saved {store_path}"


def test_a_store_that_a_variable_names_is_offered_for_reading_when_it_changes(
    user: Driver, store_path: Path
) -> None:
    store_path.write_text(json.dumps(store_of("soup costs three coins")))
    user.qtbot.waitUntil(lambda: "memories_ada.json changed on disk" in user.bar_text)


def test_a_store_that_is_not_there_says_so(user: Driver) -> None:
    user.set_variable("player", "bram")
    said = user.find("hitsTable").accessibleDescription()
    assert 'There is no memory store "memories_bram"' in said


def test_a_node_that_could_not_run_says_why_where_its_hits_would_be(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    path = tmp_path / "loop.graph.json"
    (
        GraphDescription()
        .add_node("guard", HumanMessageGuardrailParams(inline_strings=("(.*)*[xy]$",)))
        .set_start_node("guard")
        .set_default_model_name("any")
    ).save(path)
    user = open_window(path)
    user.message.setText("b" * 3000)
    with user.turn_of("b" * 3000):
        user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    said = user.find("hitsTable").accessibleDescription()
    assert "could not run" in said
    assert "took longer" in said


def test_a_schema_that_the_catalog_lacks_is_no_error_beside_its_field(user: Driver) -> None:
    row: Any = user.window.panels.parameters.form.rows["schema"]
    assert "Unregistered" in row.value_label.text()
    assert row.problem.text() == ""


# Keys


def _escape(user: Driver, name: str) -> None:
    field = user.find(name)
    field.setFocus()
    user.qtbot.keyClick(field, Qt.Key.Key_Escape)


@pytest.mark.parametrize("param", ["schema", "storage_name", "found_exit", "source_kind"])
def test_escape_leaves_a_fixed_parameter_as_it_is(user: Driver, param: str) -> None:
    row: Any = user.window.panels.parameters.form.rows[param]
    user.qtbot.mouseClick(row.button, LEFT)
    assert row.is_editing
    user.qtbot.keyClick(user.window.focusWidget(), Qt.Key.Key_Escape)
    assert not row.is_editing


def test_escape_makes_no_new_store(user: Driver) -> None:
    user.window.raise_dock("memory")
    user.click("memoryNew")
    _escape(user, "memoryNewName")
    assert not user.find("memoryNewName").isVisible()


def test_escape_ends_the_search_in_a_store(user: Driver) -> None:
    user.window.raise_dock("memory")
    search = user.find("memorySearch", QLineEdit)
    user.qtbot.keyClicks(search, "mill")
    _escape(user, "memorySearch")
    assert search.text() == ""


def test_escape_elsewhere_cancels_what_runs(user: Driver) -> None:
    cancelled = []
    for action in user.window.findChildren(QAction):
        if action.text() == "&Cancel":
            action.triggered.connect(lambda: cancelled.append(True))
    _escape(user, "messageEdit")
    user.window.raise_dock("prompt")
    _escape(user, "templateEdit")
    assert len(cancelled) == 2
    assert user.message.text() == FACT
