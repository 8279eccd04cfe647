"""Memory stores in the window: what play writes is found, seen, edited, opened and saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPlainTextEdit

from core.agent import GraphDescription
from core.nodes import GenerateParams, KnowledgeSourceKind, RetrieveParams, WriteToMemoryParams
from inspector.models.memory_model import STATE, RecordIdRole, StoreRole
from tests.inspector.driver import CTRL, LEFT
from tests.inspector.light_embedder import WordEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from core.embedding.embedder import Embedder
    from inspector.models.memory_model import StoreEntry
    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

FIELDS = [{"name": "who", "type": "string", "default": ""}]
FACT = "Remember that the mill is haunted"
ASKED = "is the mill haunted"
MODES = ("Dense", "Lexical", "Hybrid")
TEMPLATE = "{{#knowledge}}{{#chunks}}- {{text}}\n{{/chunks}}{{/knowledge}}"


def remembering(
    storage: str = "memories_{{var.player}}", *, writes: bool = True
) -> GraphDescription:
    """Return a graph that recalls, answers, and writes the message down."""
    graph = (
        GraphDescription()
        .add_node(
            "recall",
            RetrieveParams(
                source_kind=KnowledgeSourceKind.FromName,
                storage_name=storage,
                schema="memory",
                threshold=0.8,
                top_k=5,
                found_exit="answer",
                not_found_exit="answer",
            ),
        )
        .add_node(
            "answer", GenerateParams(template=TEMPLATE, default_exit="remember" if writes else "")
        )
        .set_start_node("recall")
        .set_default_model_name("any")
    )
    if writes:
        graph.add_node(
            "remember",
            WriteToMemoryParams(
                storage_name=storage, schema="memory", metadata='{"who": "{{var.player}}"}'
            ),
        )
    return graph


def store_of(name: str, *texts: str) -> dict[str, Any]:
    return {
        "name": name,
        "schema": "memory",
        "embedding_model": "All-MiniLM-L6-v2 (Q4_K_M)",
        "records": [
            {"id": f"{name}-{number}", "text": text, "metadata": {"who": "ada"}}
            for number, text in enumerate(texts)
        ],
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A root with a schema catalog and no store."""
    folder = tmp_path / "play"
    folder.mkdir()
    (folder / "schemas.json").write_text(
        json.dumps({"schemas": [{"name": "memory", "fields": FIELDS}]})
    )
    return folder


@pytest.fixture
def opened(open_window: OpenWindow, folder: Path) -> Callable[..., Any]:
    """Return what saves a graph in the folder and opens it in a window."""

    def make(graph: GraphDescription | None = None, embedder: Embedder | None = None) -> Driver:
        path = folder / "play.graph.json"
        (graph or remembering()).save(path)
        return open_window(path, embedder)

    return make


@pytest.fixture
def ada(opened: Callable[..., Any]) -> Driver:
    """The player is called ada."""
    user = opened()
    user.set_variable("player", "ada")
    return user


@pytest.fixture
def reading(opened: Callable[..., Any], folder: Path) -> Driver:
    """A window on a graph that only reads a store of two records, found by a first question."""
    (folder / "diary.json").write_text(
        json.dumps(store_of("diary", "the mill is haunted", "soup costs two coins"))
    )
    user = opened(remembering("diary", writes=False))
    user.ask(ASKED)
    return user


def found(user: Driver) -> list[str]:
    return [hit.text for hit in user.turn.run_of("recall").retrieval.hits]


def records_on_show(user: Driver) -> list[str]:
    """Return the texts of the records in the Memory panel."""
    model = user.find("memoryRecords").model()
    return [record["text"] for record in model.records]


def click_record(user: Driver, record_id: str) -> None:
    view = user.find("memoryRecords")
    ids = [view.model().index(row, 0).data(RecordIdRole) for row in range(view.model().rowCount())]
    place = view.visualRect(view.model().index(ids.index(record_id), 0)).center()
    user.qtbot.mouseClick(view.viewport(), LEFT, pos=place)


def stores_on_show(user: Driver) -> tuple[StoreEntry, ...]:
    return user.window.panels.memory.bar.model.rows


def problem_of(user: Driver) -> str:
    label = user.find("memoryProblem", QLabel)
    return label.text() if label.isVisible() else ""


# What play writes


@pytest.mark.parametrize("mode", MODES)
def test_what_a_turn_writes_the_very_next_one_finds(ada: Driver, mode: str) -> None:
    ada.click(f"mode{mode}")
    ada.ask(FACT)
    assert (found(ada), ada.turn.runs[0].exit) == ([], "not_found")
    ada.ask(ASKED)
    assert found(ada) == [FACT]
    assert ada.hits() == [ada.turn.run_of("recall").retrieval.hits[0].id]
    assert f"- {FACT}" in ada.find("promptView", QPlainTextEdit).toPlainText()


def test_another_player_remembers_nothing_and_that_is_no_error(ada: Driver) -> None:
    ada.ask(FACT)
    ada.set_variable("player", "bram")
    assert found(ada) == []
    ada.ask(ASKED)
    assert (found(ada), ada.turn.status, ada.turn.runs[0].exit) == ([], "Success", "not_found")
    assert ada.bar_severity != "error"
    assert ada.rows() == []
    ada.set_variable("player", "ada")
    ada.ask("again: " + ASKED)
    assert FACT in found(ada)


def test_an_undefined_variable_is_named_in_the_message_bar_and_listed_in_the_inputs(
    opened: Callable[..., Any],
) -> None:
    user = opened()
    table = user.find("variablesTable")
    assert table.model().index(0, 0).data() == "player"
    assert table.model().index(0, 1).data() == "undefined: 3007"
    user.ask(FACT)
    assert (user.turn.status, user.bar_severity) == ("Error", "error")
    assert "3007" in user.bar_text
    assert '"player"' in user.bar_text
    user.set_variable("player", "ada")
    assert user.turn.status == "Success"
    user.ask(ASKED)
    assert found(user) == [FACT]


def test_live_typing_and_moved_sliders_write_nothing_twice(ada: Driver) -> None:
    for text in ("the mill", "the mill is", FACT):
        with ada.turn_of(text):
            ada.type_message(text)
    ada.ask(FACT)
    for value in ("2", "4", "7"):
        ada.set_spin("topKSpin", value)
    ada.set_spin("thresholdSpin", "0.9")
    ada.ask(ASKED)
    assert found(ada) == [FACT]
    store = ada.session.inputs.upcoming.memory["memories_ada"]
    assert [record["text"] for record in store.records] == [FACT, ASKED]


def test_only_the_new_text_is_embedded(opened: Callable[..., Any]) -> None:
    embedder = WordEmbedder()
    user = opened(embedder=embedder)
    user.set_variable("player", "ada")
    for text in (FACT, "soup costs two coins", ASKED):
        user.ask(text)
    assert embedder.embedded == [FACT, "soup costs two coins"]


def test_the_memory_panel_shows_the_store_with_the_new_record_marked(ada: Driver) -> None:
    ada.ask(FACT)
    ada.ask(ASKED)
    ada.window.raise_dock("memory")
    assert ada.find("memoryRecords").isVisible()
    assert ada.window.panels.memory.bar.choice.currentData(StoreRole) == "memories_ada"
    assert records_on_show(ada) == [FACT, ASKED]
    model = ada.find("memoryRecords").model()
    assert [model.index(row, STATE).data() or "" for row in range(2)] == ["", "new"]
    click_record(ada, "memory-2")
    assert ada.find("memoryTextEdit", QPlainTextEdit).toPlainText() == ASKED
    assert '"ada"' in ada.find("memoryMetadataEdit", QPlainTextEdit).toPlainText()


def test_the_stores_of_two_players_stand_side_by_side(ada: Driver) -> None:
    ada.ask(FACT)
    ada.set_variable("player", "bram")
    ada.ask("soup costs two coins")
    ada.window.raise_dock("memory")
    assert [entry.name for entry in stores_on_show(ada)] == ["memories_bram", "memories_ada"]
    assert records_on_show(ada) == ["soup costs two coins"]
    box = ada.window.panels.memory.bar.choice
    box.setFocus()
    ada.qtbot.keyClick(box, Qt.Key.Key_Down)
    assert records_on_show(ada) == [FACT]


def test_a_picked_earlier_turn_starts_from_the_memory_of_its_time(ada: Driver) -> None:
    ada.ask(FACT)
    ada.ask(ASKED)
    ada.session.pick_turn(0)
    ada.set_spin("topKSpin", "3")
    assert found(ada) == []
    ada.ask("what of the haunted mill")
    assert FACT in found(ada)


def test_what_was_written_stays_when_a_slider_moves_after_the_player_changed(ada: Driver) -> None:
    ada.ask(FACT)
    ada.set_variable("player", "bram")
    ada.set_spin("topKSpin", "3")
    memory = ada.session.inputs.upcoming.memory
    assert {
        name: [record["text"] for record in store.records] for name, store in memory.items()
    } == {"memories_ada": [FACT]}
    ada.ask("soup costs two coins")
    assert set(ada.session.inputs.upcoming.memory) == {"memories_ada", "memories_bram"}


# Edits


def test_an_edited_text_changes_the_turn_on_screen(reading: Driver) -> None:
    user = reading
    assert found(user) == ["the mill is haunted"]
    user.window.raise_dock("memory")
    click_record(user, "diary-0")
    with user.qtbot.waitSignal(user.window.turnShown):
        user.type_into("memoryTextEdit", "is the mill haunted or empty")
    assert found(user) == ["is the mill haunted or empty"]
    assert user.rows()[0].distance < 0.3


def test_an_edit_of_a_store_that_the_turn_writes_counts_from_the_next_question(ada: Driver) -> None:
    ada.ask(FACT)
    ada.window.raise_dock("memory")
    ada.type_into("memoryTextEdit", "the well is haunted")
    assert "next question" in problem_of(ada)
    assert records_on_show(ada) == ["the well is haunted"]
    ada.set_spin("topKSpin", "3")
    assert records_on_show(ada) == ["the well is haunted"]
    ada.ask("is the well haunted")
    assert found(ada) == ["the well is haunted"]


def test_escape_brings_the_record_back_and_control_return_asks_no_question(reading: Driver) -> None:
    user = reading
    user.window.raise_dock("memory")
    click_record(user, "diary-0")
    user.type_into("memoryTextEdit", "the well", Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    assert user.find("memoryTextEdit", QPlainTextEdit).toPlainText() == "the mill is haunted"
    turn = user.turn
    user.type_into("memoryTextEdit", "the mill is haunted")
    user.qtbot.wait(1)
    assert user.turn is turn


def test_a_record_is_added_and_removed(reading: Driver) -> None:
    user = reading
    user.window.raise_dock("memory")
    user.click("memoryAdd")
    with user.qtbot.waitSignal(user.window.turnShown):
        user.type_into("memoryTextEdit", "is it haunted")
    assert found(user) == ["the mill is haunted", "is it haunted"]
    view = user.find("memoryRecords")
    click_record(user, "diary-0")
    with user.qtbot.waitSignal(user.window.turnShown):
        user.qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert found(user) == ["is it haunted"]
    assert records_on_show(user) == ["soup costs two coins", "is it haunted"]


def test_a_new_store_is_named_filled_and_found(opened: Callable[..., Any]) -> None:
    user = opened(remembering(writes=False))
    user.set_variable("player", "bram")
    user.window.raise_dock("memory")
    user.click("memoryNew")
    name = user.find("memoryNewName", QLineEdit)
    name.selectAll()
    user.qtbot.keyClicks(name, "notes")
    user.qtbot.keyClick(name, Qt.Key.Key_Return)
    assert user.window.panels.memory.bar.choice.currentData(StoreRole) == "notes"
    user.click("memoryAdd")
    user.type_into("memoryTextEdit", FACT)
    assert records_on_show(user) == [FACT]
    assert user.session.inputs.upcoming.memory["notes"].schema == "memory"


# Files


@pytest.fixture
def dialogs(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """Answers file dialogs with the path that is put in."""
    answer: dict[str, Any] = {}
    for name in ("getOpenFileName", "getSaveFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_args, **_options: (str(answer["path"]), ""))
    return answer


def test_a_store_is_saved_and_found_again_by_its_name(
    ada: Driver, dialogs: dict[Any, Any], folder: Path
) -> None:
    ada.ask(FACT)
    ada.window.raise_dock("memory")
    dialogs["path"] = path = folder / "memories_ada.json"
    ada.click("memorySave")
    ada.qtbot.waitUntil(lambda: f"Saved {path}" in ada.bar_text)
    saved = json.loads(path.read_text())
    assert (saved["name"], saved["schema"]) == ("memories_ada", "memory")
    assert saved["records"] == [{"id": "memory-1", "text": FACT, "metadata": {"who": "ada"}}]
    ada.open(folder / "play.graph.json")
    ada.ask(ASKED)
    assert FACT in found(ada)


def test_a_store_is_opened_from_its_file_and_searched(
    opened: Callable[..., Any], dialogs: dict[Any, Any], tmp_path: Path
) -> None:
    user = opened(remembering("diary", writes=False))
    dialogs["path"] = tmp_path / "elsewhere.json"
    dialogs["path"].write_text(json.dumps(store_of("diary", "the mill is haunted")))
    user.ask(ASKED)
    assert found(user) == []
    user.window.raise_dock("memory")
    with user.qtbot.waitSignal(user.window.turnShown):
        user.click("memoryOpen")
    assert found(user) == ["the mill is haunted"]
    assert records_on_show(user) == ["the mill is haunted"]


def test_a_broken_file_is_told_with_code_and_place_and_nothing_is_lost(
    reading: Driver, dialogs: dict[Any, Any], tmp_path: Path
) -> None:
    user = reading
    user.window.raise_dock("memory")
    dialogs["path"] = tmp_path / "broken.json"
    dialogs["path"].write_text('{"name": "diary", "schema": "memory",\n "records": [{"id": 1}]}')
    user.click("memoryOpen")
    user.qtbot.waitUntil(lambda: user.bar_severity == "error")
    assert "8003" in user.bar_text
    assert "broken.json" in user.bar_text
    assert "records[0]" in user.bar_text
    assert found(user) == ["the mill is haunted"]
    assert records_on_show(user) == ["the mill is haunted", "soup costs two coins"]


def test_a_folder_that_cannot_be_written_is_told_and_nothing_is_lost(
    ada: Driver, dialogs: dict[Any, Any], tmp_path: Path
) -> None:
    ada.ask(FACT)
    ada.window.raise_dock("memory")
    dialogs["path"] = tmp_path / "missing" / "store.json"
    (tmp_path / "missing").write_text("a file, not a folder")
    ada.click("memorySave")
    ada.qtbot.waitUntil(lambda: ada.bar_severity == "error")
    assert "3010" in ada.bar_text
    assert records_on_show(ada) == [FACT]
    ada.ask(ASKED)
    assert found(ada) == [FACT]


def test_an_edit_is_marked_until_it_is_saved(reading: Driver) -> None:
    user = reading
    user.window.raise_dock("memory")
    assert not stores_on_show(user)[0].is_changed
    click_record(user, "diary-0")
    user.type_into("memoryTextEdit", "the well is haunted", Qt.Key.Key_Return, CTRL)
    assert stores_on_show(user)[0].is_changed
    user.click("memorySave")
    user.qtbot.waitUntil(lambda: not stores_on_show(user)[0].is_changed)
    path = user.session.current.path.parent / "diary.json"
    assert json.loads(path.read_text())["records"][0]["text"] == "the well is haunted"


def test_a_saved_store_that_changes_on_disk_is_read_anew(reading: Driver) -> None:
    user = reading
    path = user.session.current.path.parent / "diary.json"
    user.window.raise_dock("memory")
    click_record(user, "diary-0")
    user.type_into("memoryTextEdit", "the well is haunted")
    user.click("memorySave")
    user.qtbot.waitUntil(lambda: not stores_on_show(user)[0].is_changed)
    assert "the well" in path.read_text()
    path.write_text(path.read_text().replace("the well", "the mill, the mill"))
    user.shortcut(Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier)
    user.qtbot.waitUntil(lambda: found(user) == ["the mill, the mill is haunted"])
    assert records_on_show(user)[0] == "the mill, the mill is haunted"


def test_an_edit_that_is_not_saved_survives_reading_the_files_again(reading: Driver) -> None:
    user = reading
    user.window.raise_dock("memory")
    click_record(user, "diary-0")
    user.type_into("memoryTextEdit", "the haunted mill")
    with user.qtbot.waitSignal(user.session.opened):
        user.shortcut(Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier)
    user.settle()
    assert found(user) == ["the haunted mill"]
    assert stores_on_show(user)[0].is_changed
