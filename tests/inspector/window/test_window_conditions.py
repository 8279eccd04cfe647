"""Long work, hard files, missing things: nothing freezes, nothing is lost, each says so."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QProgressBar

from core.errors import Code, InspectorError
from tests.inspector.drawn import lit_path, node_item
from tests.inspector.driver import QUESTION
from tests.inspector.light_embedder import WAIT_S, HeldEmbedder, WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import Embedder
    from core.io.work import Work
    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

NO_MODIFIER = Qt.KeyboardModifier.NoModifier
LONG_WORD = "coral "


@pytest.fixture
def many_blocks(tmp_path: Path) -> Path:
    """A store that is embedded in ten blocks of one record, and a Dense graph over it."""
    folder = tmp_path / "long"
    folder.mkdir()
    records = [{"id": f"r{i}", "text": f"fact {i} " + LONG_WORD * 2900} for i in range(10)]
    return _store(folder, records)


def _store(folder: Path, records: list[dict[str, Any]], **params: str) -> Path:
    (folder / "facts.kb.json").write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    (folder / "facts.json").write_text(
        json.dumps(
            {"version": 1, "embedding_model": "all-MiniLM-L6-v2", "records_file": "facts.kb.json"}
        )
    )
    graph = {
        "version": 1,
        "start_node": "knowledge",
        "default_model_name": "any",
        "nodes": [
            {
                "name": "knowledge",
                "type": "Retrieve",
                "params": {
                    "embedded_string_storage": "facts.json",
                    "top_k": 3,
                    "threshold": 0.0,
                    "found_exit": "answer",
                    "not_found_exit": "answer",
                    **params,
                },
            },
            {
                "name": "answer",
                "type": "Generate",
                "params": {
                    "template": "{{#knowledge}}{{#chunks}}- {{text}}\n{{/chunks}}{{/knowledge}}"
                },
            },
        ],
    }
    path = folder / "facts.graph.json"
    path.write_text(json.dumps(graph))
    return path


def _start(user: Driver, path: Path) -> None:
    """Open, without waiting for the indexes."""
    with user.qtbot.waitSignal(user.session.opened):
        user.window.open_path(path)


# The first embedding


def test_a_first_embedding_shows_progress_is_cancelled_and_goes_on_later(
    open_window: OpenWindow, many_blocks: Path
) -> None:
    embedder = HeldEmbedder(hold_records=True)
    user = open_window(None, embedder)
    _start(user, many_blocks)
    bar, label = user.find("progressBar", QProgressBar), user.find("progressLabel", QLabel)
    embedder.let_blocks(4)
    user.qtbot.waitUntil(lambda: "4 of 10" in label.text())
    assert bar.isVisible()
    assert bar.value() == bar.maximum() * 4 // 10
    assert "embedding records" in label.text()
    user.click("cancelButton")
    assert not user.jobs.is_busy("index")
    assert not bar.isVisible()
    embedder.let_blocks(1)
    user.qtbot.waitUntil(lambda: len(embedder.embedded) == 5)
    # The block that was under way is kept too: only the rest is embedded.
    embedder.let_blocks()
    user.ask("coral")
    assert len(user.hits()) == 3
    assert len(embedder.embedded) == 10
    assert len(set(embedder.embedded)) == 10


def test_what_was_embedded_before_the_program_ended_is_not_embedded_again(
    open_window: OpenWindow, many_blocks: Path
) -> None:
    first = HeldEmbedder(hold_records=True)
    user = open_window(None, first)
    _start(user, many_blocks)
    first.let_blocks(3)
    user.qtbot.waitUntil(lambda: len(first.embedded) == 3)
    user.window.close()
    second = WordEmbedder()
    again = open_window(many_blocks, second)
    again.ask("coral")
    assert set(first.embedded) | set(second.embedded) == {
        record["text"] for record in json.loads(many_blocks.with_name("facts.kb.json").read_text())
    }
    assert not set(first.embedded) & set(second.embedded)


def test_lexical_works_while_vectors_are_being_made(
    open_window: OpenWindow, many_blocks: Path
) -> None:
    embedder = HeldEmbedder(hold_records=True)
    user = open_window(None, embedder)
    _start(user, many_blocks)
    assert embedder.block_begun.wait(WAIT_S)
    user.click("modeLexical")
    user.ask("fact 7")
    assert user.hits()[0] == "r7"
    assert user.jobs.is_busy("index")
    embedder.let_blocks()
    user.settle()
    with user.qtbot.waitSignal(user.window.turnShown):
        user.click("modeDense")
    user.settle()
    assert len(user.hits()) == 3
    assert len(embedder.embedded) == 10


def test_parameters_stay_usable_while_vectors_are_being_made(
    open_window: OpenWindow, many_blocks: Path
) -> None:
    embedder = HeldEmbedder(hold_records=True)
    user = open_window(None, embedder)
    _start(user, many_blocks)
    user.type_message("coral")
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    user.set_spin("topKSpin", "2")
    user.set_spin("thresholdSpin", "1.5")
    user.set_template("{{#knowledge}}{{#chunks}}*{{id}}{{/chunks}}{{/knowledge}}")
    with user.turn_of("coral"):
        embedder.let_blocks()
    assert len(user.hits()) == 2
    assert user.find("promptView", QPlainTextEdit).toPlainText().count("*") == 2
    assert len(user.session.history) == 1


def test_closing_while_embedding_ends_the_work_and_keeps_what_is_made(
    open_window: OpenWindow, many_blocks: Path
) -> None:
    embedder = HeldEmbedder(hold_records=True)
    user = open_window(None, embedder)
    _start(user, many_blocks)
    embedder.let_blocks(2)
    user.qtbot.waitUntil(lambda: len(embedder.embedded) == 2)
    user.window.close()
    assert embedder.closed
    assert not [t for t in threading.enumerate() if t.name.startswith("inspector")]
    assert many_blocks.with_name("facts.json.vectors.part").stat().st_size > 2 * 4 * 48


def test_closing_while_the_model_is_loading_does_not_wait_for_it(
    open_window: OpenWindow, aquarium: Path
) -> None:
    begun, gate = threading.Event(), threading.Event()

    def load(_name: str, work: Work) -> WordEmbedder:
        begun.set()
        while not gate.wait(0.02):
            work.stop_if_cancelled()
        return WordEmbedder()

    user = open_window(None, loader=load)
    _start(user, aquarium / "rag.graph.json")
    assert begun.wait(WAIT_S)
    user.window.close()
    assert not gate.is_set()
    assert not [t for t in threading.enumerate() if t.name.startswith("inspector")]


def test_loading_the_model_is_told_and_can_be_cancelled(
    open_window: OpenWindow, aquarium: Path
) -> None:
    begun, gate = threading.Event(), threading.Event()

    def load(_name: str, _work: Work) -> WordEmbedder:
        begun.set()
        assert gate.wait(WAIT_S)
        return WordEmbedder()

    user = open_window(None, loader=load)
    _start(user, aquarium / "rag.graph.json")
    label = user.find("progressLabel", QLabel)
    user.qtbot.waitUntil(lambda: "loading the embedding model" in label.text())
    assert label.isVisible()
    user.shortcut(Qt.Key.Key_Escape, NO_MODIFIER)
    assert not label.isVisible()
    assert not user.jobs.is_busy("index")
    gate.set()
    user.ask()
    assert user.rows()


# Missing and failing things


def test_without_the_model_the_window_says_so_and_lexical_works(
    open_window: OpenWindow, aquarium: Path
) -> None:
    def missing(name: str, _work: Work) -> Embedder:
        raise InspectorError(
            Code.InferenceFailed,
            f'the embedding model "{name}" is not on this machine',
            hint="install it: pip install x. Lexical works without it",
        )

    user = open_window(aquarium / "rag.graph.json", loader=missing)
    assert user.bar_severity == "error"
    assert "4001" in user.bar_text
    assert "Lexical works without it" in user.bar_text
    user.ask(QUESTION)
    assert user.turn.status == "Error"
    assert user.turn.debug_info["error"]["code"] == 4001
    assert user.rows() == []
    with user.qtbot.waitSignal(user.window.turnShown):
        user.click("modeLexical")
    assert user.turn.status == "Success"
    assert user.hits()


def test_a_model_that_comes_back_is_used_by_the_next_question(
    open_window: OpenWindow, aquarium: Path
) -> None:
    calls = []

    def flaky(name: str, _work: Work) -> WordEmbedder:
        calls.append(name)
        if len(calls) < 3:
            raise InspectorError(
                Code.InferenceFailed, "the embedding process died", hint="try again"
            )
        return WordEmbedder()

    user = open_window(aquarium / "rag.graph.json", loader=flaky)
    user.ask(QUESTION)
    assert user.turn.status == "Error"
    assert user.message.text() == QUESTION
    user.ask(QUESTION)
    assert user.turn.status == "Success"
    assert user.rows()


def test_a_bug_is_told_in_the_message_bar_and_the_window_goes_on(
    open_window: OpenWindow,
    aquarium: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    before = user.rows()
    monkeypatch.setattr("core.retrieve.search.sparse_leg", lambda *_args: 1 / 0)
    with user.qtbot.waitSignal(user.session.failed):
        user.type_message("a new question")
        user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert user.bar_severity == "error"
    assert "unexpected" in user.bar_text
    assert "Traceback" not in user.bar_text
    assert user.rows() == before
    assert "ZeroDivisionError" in caplog.text
    user.click("messageDetailsButton")
    assert "ZeroDivisionError" in user.find("messageDetails", QPlainTextEdit).toPlainText()
    monkeypatch.undo()


def test_a_folder_that_cannot_be_written_to_is_noted_and_works(
    open_window: OpenWindow, fresh_aquarium: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open = os.open

    def read_only(path: Any, flags: int, *rest: Any, **named: Any) -> int:
        if flags & os.O_CREAT and str(path).startswith(str(fresh_aquarium)):
            raise PermissionError(13, "Permission denied", str(path))
        return real_open(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", read_only)
    user = open_window(fresh_aquarium / "rag.graph.json")
    user.ask(QUESTION)
    assert user.rows()
    assert not list(fresh_aquarium.glob("*.vectors*"))
    assert list((tmp_path / "cache").rglob("*.vectors"))
    assert "cannot be written" in " ".join(n.text for n in user.window.panels.message_bar._notices)


# Hard files


def test_a_graph_of_twelve_nodes_is_drawn_walked_and_edited(
    open_window: OpenWindow, aquarium: Path
) -> None:
    nodes: list[dict[str, Any]] = [
        {
            "name": f"say {i}",
            "type": "Instruction",
            "params": {
                "instruction": f"Rule {i}.",
                "default_exit": f"say {i + 1}" if i < 9 else "search",
            },
        }
        for i in range(10)
    ]
    nodes += [
        {
            "name": "search",
            "type": "Retrieve",
            "params": {
                "embedded_string_storage": "aquarium_all_mini.json",
                "threshold": 0.0,
                "found_exit": "answer",
                "not_found_exit": "answer",
            },
        },
        {
            "name": "answer",
            "type": "Generate",
            "params": {
                "template": "{{instruction_all}}{{#knowledge}}{{#chunks}}{{text}}\n{{/chunks}}"
                "{{/knowledge}}"
            },
        },
    ]
    path = aquarium / "twelve.graph.json"
    path.write_text(json.dumps({"version": 1, "start_node": "say 0", "nodes": nodes}))
    user = open_window(path)
    user.ask(QUESTION)
    view = user.window.panels.graph
    assert len(user.turn.runs) == 12
    assert [node for node, _exit in lit_path(view)] == [node["name"] for node in nodes[:12]]
    assert all(node_item(view, node["name"]) is not None for node in nodes)
    assert user.session.node == "search"
    assert user.find("nodeCombo").count() == 12
    user.set_spin("topKSpin", "1")
    assert len(user.hits()) == 1


def test_a_turn_that_walks_in_a_circle_is_told(open_window: OpenWindow, tmp_path: Path) -> None:
    nodes = [
        {
            "name": name,
            "type": "Instruction",
            "params": {"instruction": "again", "default_exit": other},
        }
        for name, other in (("a", "b"), ("b", "a"))
    ]
    path = tmp_path / "circle.graph.json"
    path.write_text(json.dumps({"version": 1, "start_node": "a", "nodes": nodes}))
    user = open_window(path)
    user.ask("hello")
    assert user.turn.status == "Error"
    assert "3008" in user.bar_text or "MaxSteps" in user.bar_text


def test_a_chunk_of_twenty_thousand_characters_is_shown_whole(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    text = "anemone " + "x" * 6000 + "\n" + "reef and coral\n" * 940
    records = [{"id": "long", "text": text}, {"id": "short", "text": "a short one"}]
    user = open_window(_store(tmp_path, records))
    user.ask("anemone")
    table = user.find("hitsTable")
    user.window.panels.hits.select_id("long")
    assert user.window.panels.details.text_view.toPlainText() == text
    assert len(text) > 20_000
    assert text in user.turn.messages[0].text
    assert user.find("promptView", QPlainTextEdit).toPlainText().count("reef and coral") == 940
    assert table.rowHeight(0) < 120
    user.window.grab()


def test_every_script_and_sign_is_shown_as_it_is(open_window: OpenWindow, tmp_path: Path) -> None:
    texts = (
        "السمكة المهرج تعيش مع شقائق النعمان",
        "דג הליצן חי עם שושנות ים",
        "クマノミはイソギンチャクと暮らす。",
        "小丑鱼与海葵共生",
        "흰동가리는 말미잘과 함께 산다",
        "👨‍👩‍👧 fish \N{ZERO WIDTH JOINER} 🐠",
        "a <b>bold</b> & <img src=x> claim",
        "one\u2028two\u00a0three\r\nfour\ttab",
    )
    records: list[dict[str, Any]] = [
        {"id": f"<i>{number}</i>", "text": text, "metadata": {"note": text}}
        for number, text in enumerate(texts)
    ]
    user = open_window(_store(tmp_path, records, retrieval_mode="Hybrid"))
    details = user.window.panels.details
    for record in records:
        text = record["text"]
        user.ask(text.replace("\r\n", " ").replace("\u2028", " "))
        assert user.hits()[0] == record["id"]
        hit = user.retrieval.hits[0]
        assert hit.text == text
        user.window.panels.hits.select_id(hit.id)
        assert details.id_label.text() == hit.id
        assert {fact.name: fact.value for fact in details.facts.rows}["note"] == text
        shown = details.text_view.document().toRawText().replace("\u2029", "\n")
        assert shown == text.replace("\r\n", " \n")  # as long as the text, for its marks
        user.window.grab()


def test_a_store_of_one_record_works_in_every_mode(open_window: OpenWindow, tmp_path: Path) -> None:
    user = open_window(_store(tmp_path, [{"id": "only", "text": "the only fact"}]))
    user.ask("only")
    for mode in ("Lexical", "Hybrid", "Dense"):
        user.click(f"mode{mode}")
        assert user.hits() == ["only"]


def test_a_hundred_questions_are_answered_in_turn(open_window: OpenWindow, aquarium: Path) -> None:
    user = open_window(aquarium / "rag.graph.json")
    for number in range(100):
        user.session.run(f"question {number} about coral")
    with user.turn_of("question 99 about coral"):
        pass
    assert user.turn.request.message == "question 99 about coral"
    assert user.rows()
