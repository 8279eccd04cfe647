"""Opening, dropping, reloading and remembering files."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QPlainTextEdit

from inspector.models.hits_model import Column
from inspector.panels.welcome_page import WelcomePage
from inspector.window.samples import SAMPLES, sample_cards, sample_questions
from tests.inspector.driver import LEFT, QUESTION
from tests.inspector.light_embedder import WAIT_S, HeldEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow


def _records(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))


def _drop(user: Driver, *urls: QUrl) -> bool:
    """Drag onto the window and let go; tell whether the window takes it."""
    data = QMimeData()
    data.setUrls(list(urls))
    enter = QDragEnterEvent(
        QPoint(50, 50), Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier
    )
    QApplication.sendEvent(user.window, enter)
    if not enter.isAccepted():
        return False
    drop = QDropEvent(
        QPointF(50, 50),
        Qt.DropAction.CopyAction,
        data,
        LEFT,
        Qt.KeyboardModifier.NoModifier,
        QEvent.Type.Drop,
    )
    QApplication.sendEvent(user.window, drop)
    return drop.isAccepted()


# What opens


def test_graphs_configs_records_and_folders_open(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window()
    for name in ("rag.graph.json", "aquarium_all_mini.json", "aquarium_all_mini.kb.json", "."):
        user.open(aquarium / name)
        turn = user.ask(QUESTION)
        assert turn.status == "Success", name
        assert user.retrieval.counts.records == 192
        assert user.rows()


def test_knowledge_alone_gets_a_graph_of_two_nodes_and_a_sensible_template(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "aquarium_all_mini.json")
    user.ask(QUESTION)
    user.set_spin("thresholdSpin", "0")
    assert [node.type for node in user.session.graph.nodes] == ["Retrieve", "Generate"]
    prompt = user.window.panels.prompt.view.toPlainText()
    assert all(hit.text in prompt for hit in user.retrieval.hits)


def test_another_file_starts_with_a_clean_slate(
    open_window: OpenWindow, aquarium: Path, samples: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.set_spin("topKSpin", "9")
    user.open(samples / "adventure" / "npc.graph.json")
    assert user.message.text() == ""
    assert user.rows() == []
    assert user.session.history == []
    assert not user.session.editor.undo_stack.canUndo()
    assert "npc.graph.json" in user.window.windowTitle()
    assert user.window.panels.funnel.stages() == []


def test_a_file_that_cannot_be_opened_leaves_what_is_open(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    before = user.rows()
    bad = aquarium / "bad.graph.json"
    for content, said in (
        (None, "3010"),
        ("{", "line 1"),
        ("[1, 2]", "record"),
        ('{"nodes": []}', "at least one node"),
        ('{"start_node": "a", "nodes": [{"name": "a", "type": "Retriev"}]}', "Retrieve"),
    ):
        if content is not None:
            bad.write_text(content)
        with user.qtbot.waitSignal(user.session.failed):
            user.window.open_path(bad)
        assert user.bar_severity == "error"
        words = user.bar_text + user.find("messageDetails", QPlainTextEdit).toPlainText()
        assert said in words
        assert "bad.graph.json" in words
        assert user.rows() == before
        assert content is None or user.find("problemsView").model().rowCount() >= 1
    user.set_spin("topKSpin", "9")
    assert user.retrieval.params.top_k == 9


def test_a_finding_leads_to_its_place(open_window: OpenWindow, aquarium: Path) -> None:
    graph = json.loads((aquarium / "rag.graph.json").read_text())
    graph["nodes"][0]["params"]["treshold"] = 0.4
    (aquarium / "odd.graph.json").write_text(json.dumps(graph, indent=1))
    user = open_window(aquarium / "odd.graph.json")
    view = user.find("problemsView")
    rows = [view.model().index(row, 3).data() for row in range(view.model().rowCount())]
    assert any("treshold" in row for row in rows)
    user.shortcut(Qt.Key.Key_6)
    place = view.visualRect(view.model().index(0, 3)).center()
    user.qtbot.mouseClick(view.viewport(), LEFT, pos=place)
    user.qtbot.mouseDClick(view.viewport(), LEFT, pos=place)
    shown: list[Any] = user.window.findChildren(type(user.window)) or [
        w for w in QApplication.topLevelWidgets() if w.windowTitle() == "odd.graph.json"
    ]
    assert len(shown) == 1
    assert "treshold" in shown[0].text.textCursor().selectedText()
    shown[0].close()


# Dropped, picked, remembered


def test_a_dropped_graph_opens(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window()
    with user.qtbot.waitSignal(user.session.opened):
        assert _drop(user, QUrl.fromLocalFile(str(aquarium / "rag.graph.json")))
    user.ask(QUESTION)
    assert user.rows()


def test_a_dropped_folder_opens(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window()
    with user.qtbot.waitSignal(user.session.opened):
        assert _drop(user, QUrl.fromLocalFile(str(aquarium)))


def test_what_is_no_file_is_not_taken(open_window: OpenWindow) -> None:
    user = open_window()
    assert not _drop(user, QUrl("https://example.org/rag.graph.json"))
    assert not _drop(user)


def test_a_file_dropped_while_a_turn_runs_opens_and_the_late_answer_is_dropped(
    open_window: OpenWindow, aquarium: Path, samples: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.type_message(QUESTION)
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert embedder.asked.wait(WAIT_S)
    with user.qtbot.waitSignal(user.session.opened):
        _drop(user, QUrl.fromLocalFile(str(samples / "adventure" / "npc.graph.json")))
    embedder.let_query(QUESTION)
    user.settle()
    assert user.session.turn is None
    user.ask("who rings the bell?")
    assert [entry.turn.request.message for entry in user.session.history] == ["who rings the bell?"]


def test_a_broken_file_dropped_while_a_turn_runs_does_not_stop_it(
    open_window: OpenWindow, aquarium: Path
) -> None:
    embedder = HeldEmbedder(held=[QUESTION])
    user = open_window(aquarium / "rag.graph.json", embedder)
    user.type_message(QUESTION)
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert embedder.asked.wait(WAIT_S)
    (aquarium / "bad.json").write_text("{")
    with user.qtbot.waitSignal(user.session.failed):
        _drop(user, QUrl.fromLocalFile(str(aquarium / "bad.json")))
    with user.turn_of(QUESTION):
        embedder.let_query(QUESTION)
    assert user.rows()


def test_the_welcome_page_opens_a_sample_with_one_click(
    open_window: OpenWindow, aquarium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.window.samples.SAMPLES", aquarium.parent)
    user = open_window()
    page = user.window.findChild(WelcomePage)
    assert page.isVisible()
    card = next(card for card in page.cards if card.text() == "Aquarium")
    with user.qtbot.waitSignal(user.session.opened):
        user.qtbot.mouseClick(card, LEFT)
    user.settle()
    assert not page.isVisible()
    user.ask(QUESTION)
    assert user.rows()


def test_every_sample_card_is_there_in_the_program() -> None:
    assert len(sample_cards()) >= 5
    assert all(path.startswith(str(SAMPLES)) for _, _, path in sample_cards())


def test_every_sample_card_has_three_questions() -> None:
    questions = sample_questions()
    assert {path for _, _, path in sample_cards()} == questions.keys()
    assert {len(set(asked)) for asked in questions.values()} == {3}


def test_a_question_of_the_welcome_page_opens_its_sample_and_is_asked(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window()
    with user.turn_of(QUESTION):
        user.window.panels.welcome.question_asked.emit(str(aquarium / "rag.graph.json"), QUESTION)
    assert user.message.text() == QUESTION
    assert user.rows()


def test_of_two_dropped_files_the_graph_opens_and_the_other_is_said_not_to(
    open_window: OpenWindow, aquarium: Path, samples: Path
) -> None:
    user = open_window()
    other = samples / "adventure" / "lore.json"
    with user.qtbot.waitSignal(user.session.opened):
        assert _drop(
            user, *(QUrl.fromLocalFile(str(p)) for p in (other, aquarium / "rag.graph.json"))
        )
    user.qtbot.waitUntil(lambda: "lore.json" in user.bar_text)
    assert user.bar_text.startswith("rag.graph.json is open, but not lore.json")
    with user.qtbot.waitSignal(user.session.opened):
        user.click_text("Open lore.json")
    assert user.session.current is not None
    assert user.session.current.path == other


def test_a_graph_dropped_with_its_own_knowledge_leaves_nothing_to_say(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window()
    names = ("aquarium_all_mini.json", "rag.graph.json")
    with user.qtbot.waitSignal(user.session.opened):
        _drop(user, *(QUrl.fromLocalFile(str(aquarium / name)) for name in names))
    user.settle()
    user.qtbot.wait(0)
    assert "aquarium_all_mini.json" not in user.bar_text


def test_file_dialogs_start_where_the_last_file_was(
    open_window: OpenWindow, aquarium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began: list[str] = []

    def pick(_parent: object, _title: str, folder: str = "", *_: object) -> Any:
        began.append(folder)
        return "", ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", pick)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *a: pick(*a)[0])
    user = open_window()
    user.files.choose_file()
    user.open(aquarium / "rag.graph.json")
    user.files.choose_file()
    user.files.choose_folder()
    assert began == ["", str(aquarium), str(aquarium)]


def test_recent_files_are_offered_by_the_next_start(
    open_window: OpenWindow, aquarium: Path
) -> None:
    first = open_window(aquarium / "rag.graph.json")
    first.open(aquarium / "hybrid.graph.json")
    first.window.close()
    second = open_window()
    names = [path.name for path in second.window.preferences.recent]
    assert names == ["hybrid.graph.json", "rag.graph.json"]
    page = second.window.findChild(WelcomePage)
    assert [card.text() for card in page.cards if card.text().endswith(".json")] == names
    recent: Any = next(
        action.menu()
        for action in _menu(second, "File").actions()
        if "Recent" in action.text().replace("&", "")
    )
    recent.aboutToShow.emit()
    with second.qtbot.waitSignal(second.session.opened):
        recent.actions()[1].trigger()
    second.settle()
    assert "rag.graph.json" in second.window.windowTitle()


def _menu(user: Driver, title: str) -> Any:
    return next(
        action.menu()
        for action in user.window.menuBar().actions()
        if action.text().replace("&", "") == title
    )


def test_a_recent_file_that_is_gone_is_not_offered(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.open(aquarium / "hybrid.graph.json")
    (aquarium / "rag.graph.json").unlink()
    assert [path.name for path in user.window.preferences.recent] == ["hybrid.graph.json"]


def test_the_open_dialog_opens_what_is_picked(
    open_window: OpenWindow, aquarium: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    picked = str(aquarium / "rag.graph.json")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: (picked, ""))
    user = open_window()
    with user.qtbot.waitSignal(user.session.opened):
        user.shortcut(Qt.Key.Key_O)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_a, **_k: ("", ""))
    with user.qtbot.assertNotEmitted(user.session.opened, wait=50):
        user.shortcut(Qt.Key.Key_O)


def test_options_and_layout_are_remembered(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.window.resize(790, 640)
    user.window.apply_theme("dark")
    user.window.panels.query.live.setChecked(False)
    user.window.layout_of_docks.docks["turns"].hide()
    user.find("hitsTable").pick_column(Column.DISTANCE, False)
    user.window.close()
    again = open_window(aquarium / "rag.graph.json")
    assert (again.window.width(), again.window.height()) == (790, 640)
    assert again.window.preferences.theme == "dark"
    assert not again.window.panels.query.live.isChecked()
    assert again.window.layout_of_docks.docks["turns"].isHidden()
    assert again.find("hitsTable").isColumnHidden(Column.DISTANCE)
    again.window.layout_of_docks.restore_default()
    assert not again.window.layout_of_docks.docks["turns"].isHidden()


@pytest.mark.parametrize(
    "content",
    [
        b"\xff\xfe\x00[[[",
        b"[state]\ndocks=@ByteArray(nonsense)\n"
        b"geometry=7\nhits=x\n[General]\ntheme=pink\nrecent=3\n"
        b"live=perhaps\n",
    ],
)
def test_a_broken_settings_file_is_ignored(
    open_window: OpenWindow, own_settings: Path, aquarium: Path, content: bytes
) -> None:
    own_settings.mkdir(parents=True)
    (own_settings / "inspector.ini").write_bytes(content)
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    assert user.rows()
    assert user.window.preferences.theme == "system"


# Changed on disk


def _edit_records(folder: Path, change: Callable[..., Any]) -> None:
    path = folder / "aquarium_all_mini.kb.json"
    records = _records(path)
    change(records)
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")


def _replace_by_rename(path: Path, text: str) -> None:
    fresh = path.with_name("fresh.tmp")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)


def test_a_changed_file_is_offered_for_reload(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.set_spin("topKSpin", "5")
    with user.qtbot.waitSignal(user.watch.changed):
        _edit_records(
            aquarium,
            lambda records: records.insert(
                0, {"id": "fresh_fact", "text": QUESTION, "metadata": {}}
            ),
        )
    assert "changed on disk" in user.bar_text
    assert user.retrieval.counts.records == 192
    with user.qtbot.waitSignal(user.session.opened):
        user.click_text("Reload")
    user.settle()
    assert user.retrieval.counts.records == 193
    assert user.hits()[0] == "fresh_fact"
    # What was edited and asked is kept.
    assert user.params().top_k == 5
    assert user.turn.request.message == QUESTION
    assert user.message.text() == QUESTION


def test_a_broken_file_is_told_and_the_old_content_stays_until_it_is_mended(
    open_window: OpenWindow, aquarium: Path
) -> None:
    records = aquarium / "aquarium_all_mini.kb.json"
    good = records.read_text(encoding="utf-8")
    user = open_window(aquarium / "rag.graph.json")
    user.window.preferences.set_flag("reload", True)
    user.ask(QUESTION)
    before = user.rows()
    with user.qtbot.waitSignal(user.session.failed):
        records.write_text(good[:5000], encoding="utf-8")
    assert user.bar_severity == "error"
    assert "aquarium_all_mini.kb.json" in user.bar_text
    assert user.find("problemsView").model().rowCount() >= 1
    assert user.rows() == before
    user.set_spin("topKSpin", "9")
    assert user.retrieval.params.top_k == 9
    with user.qtbot.waitSignal(user.session.opened):
        _replace_by_rename(records, good.replace("clownfish", "clown fish"))
    user.settle()
    knowledge = user.session.current.workspace.knowledge("aquarium_all_mini.json")
    assert "clown fish" in "".join(knowledge.texts)
    assert user.params().top_k == 9
    assert user.find("problemsView").model().rowCount() == 0


def test_a_file_replaced_by_rename_again_and_again_is_noticed(
    open_window: OpenWindow, aquarium: Path
) -> None:
    graph = aquarium / "rag.graph.json"
    user = open_window(graph)
    user.window.preferences.set_flag("reload", True)
    for top_k in (7, 8, 9):
        with user.qtbot.waitSignal(user.session.opened):
            document = json.loads(graph.read_text())
            document["nodes"][0]["params"]["top_k"] = top_k
            _replace_by_rename(graph, json.dumps(document))
        user.settle()
        assert user.params().top_k == top_k


def test_a_file_that_vanishes_and_comes_back_is_noticed(
    open_window: OpenWindow, aquarium: Path
) -> None:
    graph = aquarium / "rag.graph.json"
    user = open_window(graph)
    user.ask(QUESTION)
    before = user.rows()
    content = graph.read_text()
    with user.qtbot.waitSignal(user.watch.changed):
        graph.unlink()
    with user.qtbot.waitSignal(user.session.failed):
        user.shortcut(Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier)
    assert "3010" in user.bar_text
    assert user.rows() == before
    with user.qtbot.waitSignal(user.watch.changed):
        graph.write_text(content)
    with user.qtbot.waitSignal(user.session.opened):
        user.shortcut(Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier)


def test_reloading_after_records_are_gone_shows_none_of_them(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.set_spin("thresholdSpin", "0")
    table = user.find("hitsTable")
    for row in range(3):
        user.qtbot.mouseClick(
            table.viewport(), LEFT, pos=table.visualRect(table.model().index(row, 1)).center()
        )
    gone = user.hits()
    _edit_records(aquarium, lambda records: records.__delitem__(slice(5, None)))
    with user.qtbot.waitSignal(user.session.opened):
        user.shortcut(Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier)
    user.settle()
    assert user.retrieval.counts.records == 5
    ids = [record["id"] for record in _records(aquarium / "aquarium_all_mini.kb.json")]
    assert {row.id for row in user.rows()} <= set(ids)
    assert not set(user.hits()) & (set(gone) - set(ids))


def test_a_node_that_a_reload_takes_away_is_let_go(
    open_window: OpenWindow, samples: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "adventure"
    shutil.copytree(samples / "adventure", folder)
    user = open_window(folder / "oracle.graph.json")
    user.ask("who rings the bell?")
    user.session.pick_node("hidden_lore")
    user.set_spin("topKSpin", "2")
    document = json.loads((folder / "oracle.graph.json").read_text())
    document["nodes"] = [node for node in document["nodes"] if node["name"] != "hidden_lore"]
    document["nodes"][0]["params"] |= {"found_exit": "prophecy", "not_found_exit": "prophecy"}
    (folder / "oracle.graph.json").write_text(json.dumps(document))
    with user.qtbot.waitSignal(user.session.opened):
        user.shortcut(Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier)
    user.settle()
    assert user.session.node == "common_lore"
    assert not user.session.editor.undo_stack.canUndo()
    assert [run.name for run in user.turn.runs] == ["common_lore", "prophecy"]
    assert user.find("nodeCombo").count() == 2


def test_diagnostics_are_saved_where_the_user_says(
    open_window: OpenWindow, aquarium: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "debug_info.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(target), ""))
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.click("saveDiagnostics")
    assert json.loads(target.read_text(encoding="utf-8")) == user.turn.debug_info
