"""Whatever takes the place of what is open asks first where something would be lost."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QMessageBox, QPlainTextEdit

from tests.inspector.driver import LEFT, QUESTION, Driver
from tests.inspector.window.test_window_memory import remembering, store_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import OpenWindow

pytestmark = pytest.mark.slow

Button = QMessageBox.StandardButton
REFUSED = '{"op": "eq"}'


def _question(user: Driver) -> QMessageBox | None:
    return user.window.findChild(QMessageBox, "question")


def _answer(user: Driver, button: Button | str) -> None:
    box = _question(user)
    assert box is not None
    found = (
        next(each for each in box.buttons() if each.text() == button)
        if isinstance(button, str)
        else box.button(button)
    )
    user.qtbot.mouseClick(found, LEFT)
    user.qtbot.waitUntil(lambda: _question(user) is None)


def _top_k(path: Path) -> int:
    top_k: int = json.loads(path.read_text())["nodes"][0]["params"]["top_k"]
    return top_k


def _change_top_k(path: Path, top_k: int, **others: Any) -> None:
    document = json.loads(path.read_text())
    document["nodes"][0]["params"] |= {"top_k": top_k, **others}
    path.write_text(json.dumps(document))


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    return open_window(aquarium / "rag.graph.json")


# Ways out


def test_the_window_closes_without_a_word_when_nothing_is_unsaved(user: Driver) -> None:
    user.ask(QUESTION)
    assert user.window.close()
    assert _question(user) is None


def test_closing_with_an_edited_graph_asks_and_cancel_leaves_everything(user: Driver) -> None:
    user.set_spin("topKSpin", "9")
    assert not user.window.close()
    box = _question(user)
    assert box is not None
    assert "knowledge.top_k" in box.informativeText()
    _answer(user, Button.Cancel)
    assert user.window.isVisible()
    assert user.params().top_k == 9


def test_closing_can_save_first(user: Driver, aquarium: Path) -> None:
    user.set_spin("topKSpin", "9")
    user.window.close()
    _answer(user, Button.Save)
    assert not user.window.isVisible()
    assert _top_k(aquarium / "rag.graph.json") == 9


def test_closing_can_discard(user: Driver, aquarium: Path) -> None:
    before = (aquarium / "rag.graph.json").read_bytes()
    user.set_spin("topKSpin", "9")
    user.window.close()
    _answer(user, Button.Discard)
    assert not user.window.isVisible()
    assert (aquarium / "rag.graph.json").read_bytes() == before


def test_opening_another_file_asks_once_and_opens_after_saving(
    user: Driver, aquarium: Path
) -> None:
    user.set_spin("topKSpin", "9")
    user.window.panels.workspace.open_requested.emit(str(aquarium / "hybrid.graph.json"))
    user.window.path_dropped.emit(aquarium / "guarded.graph.json")
    assert len(user.window.findChildren(QMessageBox, "question")) == 1
    with user.qtbot.waitSignal(user.session.opened):
        _answer(user, Button.Save)
    user.settle()
    assert _top_k(aquarium / "rag.graph.json") == 9
    assert "hybrid.graph.json" in user.window.windowTitle()


def test_a_file_that_cannot_be_opened_costs_no_discarded_edit(user: Driver, aquarium: Path) -> None:
    user.set_spin("topKSpin", "9")
    user.files.open(aquarium / "nowhere.graph.json")
    with user.qtbot.waitSignal(user.session.failed):
        _answer(user, Button.Discard)
    assert user.params().top_k == 9


# Drafts


def test_a_refused_draft_is_asked_for_and_saving_leads_to_it(user: Driver, aquarium: Path) -> None:
    user.set_filter(REFUSED)
    assert not user.window.close()
    box = _question(user)
    assert box is not None
    assert "the filter of knowledge" in box.informativeText()
    _answer(user, Button.Save)
    assert user.window.isVisible()
    assert "filter of knowledge" in user.bar_text
    edit = user.find("filterEdit", QPlainTextEdit)
    user.qtbot.waitUntil(lambda: user.window.focusWidget() is edit)
    assert edit.toPlainText() == REFUSED
    assert "filter" not in json.loads((aquarium / "rag.graph.json").read_text())["nodes"][0]


def test_a_text_that_was_just_typed_is_saved_with_the_graph(user: Driver, aquarium: Path) -> None:
    edit = user.find("templateEdit", QPlainTextEdit)
    edit.setPlainText("{{#knowledge}}{{name}}{{/knowledge}}")
    user.window.close()
    _answer(user, Button.Save)
    assert not user.window.isVisible()
    nodes = json.loads((aquarium / "rag.graph.json").read_text())["nodes"]
    assert nodes[1]["params"]["template"] == "{{#knowledge}}{{name}}{{/knowledge}}"


def test_a_discarded_draft_does_not_show_up_in_the_next_graph(user: Driver, aquarium: Path) -> None:
    user.set_filter(REFUSED)
    user.files.open(aquarium / "hybrid.graph.json")
    with user.qtbot.waitSignal(user.session.opened):
        _answer(user, Button.Discard)
    assert user.find("filterEdit", QPlainTextEdit).toPlainText() == user.params().filter
    assert not user.window.panels.parameters.drafts()


# Within one folder


def test_the_question_and_the_turns_survive_another_graph_of_the_folder(
    user: Driver, aquarium: Path
) -> None:
    user.ask(QUESTION)
    with user.turn_of(QUESTION):
        user.files.open(aquarium / "hybrid.graph.json")
    user.settle()
    assert user.message.text() == QUESTION
    assert user.retrieval.params.retrieval_mode.name == "Hybrid"
    assert user.rows()
    with user.turn_of(QUESTION):
        user.files.open(aquarium / "guarded.graph.json")
    user.settle()
    assert [entry.turn.request.message for entry in user.session.history] == [QUESTION] * 3
    modes = [entry.turn.request.params["knowledge"] for entry in user.session.history]
    assert [mode.retrieval_mode.name for mode in modes] == ["Dense", "Hybrid", "Dense"]  # type: ignore[attr-defined]


def test_a_question_that_is_only_typed_stays_in_the_field(user: Driver, aquarium: Path) -> None:
    user.window.panels.query.live.setChecked(False)
    user.type_message("not asked yet")
    user.open(aquarium / "hybrid.graph.json")
    assert user.message.text() == "not asked yet"
    assert user.session.turn is None


# Saving over what changed on disk


def test_saving_over_a_changed_file_can_merge(user: Driver, aquarium: Path) -> None:
    graph = aquarium / "rag.graph.json"
    user.set_spin("topKSpin", "9")
    _change_top_k(graph, 3, threshold=0.123)
    user.saving.save_graph()
    with user.qtbot.waitSignal(user.saving.saved):
        _answer(user, "Merge")
    params = json.loads(graph.read_text())["nodes"][0]["params"]
    assert (params["top_k"], params["threshold"]) == (9, 0.123)
    assert user.params().threshold == 0.123


def test_saving_over_a_changed_file_can_overwrite_or_be_cancelled(
    user: Driver, aquarium: Path
) -> None:
    graph = aquarium / "rag.graph.json"
    user.set_spin("topKSpin", "9")
    _change_top_k(graph, 3, threshold=0.123)
    user.saving.save_graph()
    _answer(user, Button.Cancel)
    assert _top_k(graph) == 3
    user.saving.save_graph()
    _answer(user, "Overwrite")
    params = json.loads(graph.read_text())["nodes"][0]["params"]
    assert params["top_k"] == 9
    assert params["threshold"] != 0.123


def test_an_offer_to_reload_is_not_hidden_and_goes_when_it_is_settled(
    user: Driver, aquarium: Path
) -> None:
    graph = aquarium / "rag.graph.json"
    user.set_spin("topKSpin", "9")
    with user.qtbot.waitSignal(user.watch.changed):
        _change_top_k(graph, 4)
    user.session.noted.emit("something else")
    assert user.bar_text == "something else"
    assert user.find("offerText").text() == "rag.graph.json changed on disk"
    assert user.find("offerAction0").isVisible()
    user.saving.save_graph()
    _answer(user, "Overwrite")
    assert not user.find("offerText").isVisible()


# Memory stores


@pytest.fixture
def reader(open_window: OpenWindow, tmp_path: Path) -> Driver:
    """A window on a graph that reads a store, one record of which has been edited."""
    document = store_of("diary", "the mill is haunted", "soup costs two coins")
    (tmp_path / "diary.json").write_text(json.dumps(document))
    fields = [{"name": "who", "type": "string", "default": ""}]
    schemas = {"schemas": [{"name": "memory", "fields": fields}]}
    (tmp_path / "schemas.json").write_text(json.dumps(schemas))
    remembering("diary", writes=False).save(tmp_path / "play.graph.json")
    user = open_window(tmp_path / "play.graph.json")
    user.ask("is the mill haunted")
    user.window.raise_dock("memory")
    user.type_into("memoryTextEdit", "the mill is empty")
    return user


def _texts(path: Path) -> list[str]:
    return [record["text"] for record in json.loads(path.read_text())["records"]]


def test_an_unsaved_store_is_asked_for_and_saved(reader: Driver, tmp_path: Path) -> None:
    assert not reader.window.close()
    box = _question(reader)
    assert box is not None
    assert "the memory store diary" in box.informativeText()
    _answer(reader, Button.Save)
    reader.qtbot.waitUntil(lambda: not reader.window.isVisible())
    assert _texts(tmp_path / "diary.json") == ["the mill is empty", "soup costs two coins"]


def test_what_play_wrote_is_asked_for_once_the_question_was_asked_for_good(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    fields = [{"name": "who", "type": "string", "default": ""}]
    schemas = {"schemas": [{"name": "memory", "fields": fields}]}
    (tmp_path / "schemas.json").write_text(json.dumps(schemas))
    remembering().save(tmp_path / "play.graph.json")
    user = open_window(tmp_path / "play.graph.json")
    user.set_variable("player", "ada")
    with user.turn_of("the mill"):
        user.type_message("the mill")
    assert user.leaving.unsaved() == []
    user.ask("the mill is haunted")
    assert user.leaving.unsaved() == ["the memory store memories_ada"]


def test_a_record_that_cannot_be_put_in_force_holds_the_window_back(reader: Driver) -> None:
    reader.type_into("memoryMetadataEdit", '{"who": ')
    reader.window.close()
    _answer(reader, Button.Save)
    assert reader.window.isVisible()
    said = [notice.text for notice in reader.window.panels.message_bar._notices]
    assert any("the record diary-0 of diary" in text for text in said)
    reader.qtbot.waitUntil(
        lambda: reader.window.focusWidget() is reader.find("memoryMetadataEdit", QPlainTextEdit)
    )


def test_saving_over_a_changed_store_can_merge(reader: Driver, tmp_path: Path) -> None:
    path = tmp_path / "diary.json"
    document = json.loads(path.read_text())
    document["records"].append({"id": "new", "text": "the well is deep", "metadata": {}})
    path.write_text(json.dumps(document))
    reader.click("memorySave")
    reader.qtbot.waitUntil(lambda: _question(reader) is not None)
    with reader.qtbot.waitSignal(reader.session.noted):
        _answer(reader, "Merge")
    merged = ["the mill is empty", "soup costs two coins", "the well is deep"]
    assert _texts(path) == merged
    assert [record["text"] for record in reader.find("memoryRecords").model().records] == merged


def test_a_store_that_is_broken_on_disk_can_only_be_overwritten(
    reader: Driver, tmp_path: Path
) -> None:
    path = tmp_path / "diary.json"
    path.write_text("{")
    reader.click("memorySave")
    reader.qtbot.waitUntil(lambda: _question(reader) is not None)
    box = _question(reader)
    assert box is not None
    assert "Merge" not in [button.text() for button in box.buttons()]
    with reader.qtbot.waitSignal(reader.session.noted):
        _answer(reader, "Overwrite")
    assert _texts(path) == ["the mill is empty", "soup costs two coins"]


# Messages go when their cause goes


def test_the_error_of_a_refused_file_goes_when_another_opens(user: Driver, aquarium: Path) -> None:
    (aquarium / "bad.graph.json").write_text("{")
    with user.qtbot.waitSignal(user.session.failed):
        user.files.open(aquarium / "bad.graph.json")
    assert user.bar_severity == "error"
    user.open(aquarium / "hybrid.graph.json")
    assert user.bar_text == ""


def test_the_error_of_saving_goes_when_it_works(user: Driver, aquarium: Path) -> None:
    graph = aquarium / "rag.graph.json"
    user.set_spin("topKSpin", "9")
    content = graph.read_bytes()
    graph.unlink()
    graph.mkdir()
    assert not user.session.save(graph)
    assert user.bar_severity == "error"
    graph.rmdir()
    graph.write_bytes(content)
    user.saving.save_graph()
    assert (user.bar_severity, user.bar_text) == ("info", f"Saved {graph}")
    user.window.panels.message_bar.dismiss()
    assert user.bar_text == ""


# What is watched


def test_a_schema_catalog_that_is_made_later_is_noticed(user: Driver, aquarium: Path) -> None:
    with user.qtbot.waitSignal(user.watch.changed):
        (aquarium / "schemas.json").write_text('{"schemas": []}')
    assert user.find("offerText").text() == "schemas.json changed on disk"


def test_a_string_storage_that_goes_before_a_reload_is_noticed_when_it_is_back(
    open_window: OpenWindow, samples: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "tavern"
    shutil.copytree(samples / "tavern", folder)
    user = open_window(folder / "tavern.graph.json")
    lines = next(path for path in user.session.current.workspace.files() if path.suffix == ".txt")
    content = lines.read_text()
    with user.qtbot.waitSignal(user.watch.changed) as told:
        lines.unlink()
    assert told.args == [[lines]]
    with user.qtbot.waitSignal(user.watch.changed) as told:
        lines.write_text(content)
    assert told.args == [[lines]]


def test_of_many_changed_files_the_first_are_named(user: Driver, aquarium: Path) -> None:
    user.files._on_files_changed([aquarium / f"{letter}.md" for letter in "abcde"])
    assert user.find("offerText").text() == "a.md, b.md, c.md and 2 more changed on disk"
