"""Recorded turns in the window: opened, read, and replayed against the knowledge at hand."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton, QTableView

from core.agent.agent import Agent
from core.embedding.embedder import ModelProvider
from core.opening.opening import open_path
from inspector.models.replay_model import ReplayModel
from tests.inspector.driver import QUESTION
from tests.inspector.light_embedder import WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from core.recording.replay import TurnReplay
    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

WAIT_MS = 20_000


@pytest.fixture
def recording(aquarium: Path) -> dict[str, Any]:
    """Three hits as this very knowledge gives them, recorded in a folder of their own."""
    opened = open_path(
        aquarium / "rag.graph.json", models=ModelProvider(lambda _name: WordEmbedder())
    )
    graph = opened.graph.with_param("knowledge", "threshold", 0)
    turn = Agent(graph, opened.workspace).turn(QUESTION)
    return json.loads(json.dumps(turn.debug_info))


def results_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the recorded hits, to be changed."""
    return document["nodes"][0]["diagnostics"]["output"]["results"]


def write(path: Path, document: dict[str, Any]) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def replay(user: Driver) -> TurnReplay:
    """Press Replay and wait for the comparison."""
    user.qtbot.waitUntil(
        lambda: user.find("replayButton", QPushButton).isEnabled(), timeout=WAIT_MS
    )
    user.click("replayButton")
    user.qtbot.waitUntil(lambda: user.replaying.result is not None, timeout=WAIT_MS)
    return user.replaying.result


def verdicts(user: Driver) -> dict[str, str]:
    """Read the replay's table: record id → verdict, by its roles."""
    model = user.find("replayTable", QTableView).model()
    first = [model.index(row, 0) for row in range(model.rowCount())]
    return {
        index.data(ReplayModel.HitIdRole): str(index.data(ReplayModel.VerdictRole))
        for index in first
    }


def test_a_recorded_turn_opens_without_any_knowledge(
    open_window: OpenWindow, recording: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    user = open_window(write(folder / "debug_info.json", recording))
    assert user.hits() == [result["id"] for result in results_of(recording)]
    assert user.window.panels.query.status.text() == "Recorded elsewhere"
    assert user.params().top_k == recording["nodes"][0]["diagnostics"]["parameters"]["top_k"]


def test_unknown_keys_of_a_recording_are_shown_in_diagnostics(
    open_window: OpenWindow, recording: dict[str, Any], tmp_path: Path
) -> None:
    recording["build"] = "0.9.2-nightly"
    recording["nodes"][0]["diagnostics"]["gpu_ms"] = 12
    user = open_window(write(tmp_path / "debug_info.json", recording))
    shown = user.window.panels.diagnostics.text()
    assert "0.9.2-nightly" in shown
    assert "gpu_ms" in shown


def test_the_older_flat_form_opens_as_a_turn(open_window: OpenWindow, tmp_path: Path) -> None:
    flat = {
        "lore.knowledge.result[000].id": "a",
        "lore.knowledge.result[000].distance": "0.25",
        "lore.knowledge.raw_result_count": "2",
        "lore.knowledge.filtered_count": "1",
        "lore.knowledge.result_count": "1",
        "engine.note": "kept",
    }
    user = open_window(write(tmp_path / "flat.json", flat))
    assert user.session.node == "lore"
    assert user.hits() == ["a"]
    assert [count for _, count in user.find("funnelView").stages()] == [2, 1, 1]
    assert "engine.note" in user.window.panels.diagnostics.text()


def test_a_log_opens_as_a_history_whose_turns_can_be_picked(
    open_window: OpenWindow, recording: dict[str, Any], tmp_path: Path
) -> None:
    lines = []
    for number in range(4):
        turn = json.loads(json.dumps(recording))
        results_of(turn)[0]["id"] = f"hit_{number}"
        lines.append(json.dumps({"message": f"question {number}", "debug_info": turn}))
    log = tmp_path / "session.jsonl"
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    user = open_window(log)
    assert [entry.turn.request.message for entry in user.session.history] == [
        f"question {number}" for number in range(4)
    ]
    assert user.hits()[0] == "hit_3"
    user.shortcut(Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert user.hits()[0] == "hit_2"
    assert user.message.text() == "question 2"


def test_asking_the_same_twice_in_a_log_keeps_both_turns(
    open_window: OpenWindow, recording: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "session.jsonl"
    line = json.dumps({"message": "the same", "debug_info": recording})
    log.write_text(f"{line}\n{line}\n", encoding="utf-8")
    user = open_window(log)
    assert len(user.session.history) == 2


def test_a_replay_beside_its_knowledge_agrees(
    open_window: OpenWindow, recording: dict[str, Any], aquarium: Path
) -> None:
    user = open_window(write(aquarium / "debug_info.json", recording))
    result = replay(user)
    assert not result.differs
    assert user.find("replaySummary", QLabel).text() == "Hits agree · 3 same"


def test_a_replay_shows_what_moved_what_is_missing_and_what_is_too_far(
    open_window: OpenWindow, recording: dict[str, Any], aquarium: Path
) -> None:
    results = results_of(recording)
    results[0], results[1] = results[1], results[0]
    results[2]["id"] = "gone_fish"
    user = open_window(write(aquarium / "debug_info.json", recording))
    result = replay(user)
    assert result.differs
    said = verdicts(user)
    assert said[results[0]["id"]] == "moved"
    assert said[results[1]["id"]] == "moved"
    assert said["gone_fish"] == "missing"
    assert list(said.values()).count("new") == 1


def test_a_recording_is_replayed_against_the_graph_that_was_open_before(
    open_window: OpenWindow, recording: dict[str, Any], aquarium: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "inbox"
    folder.mkdir()
    user = open_window(aquarium / "rag.graph.json")
    user.open(write(folder / "debug_info.json", recording))
    assert user.replaying.target.path.name == "rag.graph.json"
    assert not replay(user).differs


def test_other_knowledge_can_be_chosen_to_replay_against(
    open_window: OpenWindow,
    recording: dict[str, Any],
    aquarium: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "inbox"
    folder.mkdir()
    user = open_window(write(folder / "debug_info.json", recording))
    assert user.replaying.target is None
    assert not user.find("replayButton", QPushButton).isEnabled()
    chosen = aquarium / "aquarium_all_mini.json"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(chosen), ""))
    user.click("replayTarget")
    user.qtbot.waitUntil(lambda: user.replaying.result is not None, timeout=WAIT_MS)
    assert not user.replaying.result.differs


def test_a_recorded_turn_is_no_target_to_replay_against(
    open_window: OpenWindow,
    recording: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "inbox"
    folder.mkdir()
    path = write(folder / "debug_info.json", recording)
    other = shutil.copy(path, folder / "other.json")
    user = open_window(path)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(other), ""))
    user.click("replayTarget")
    user.qtbot.waitUntil(lambda: "3011" in user.bar_text, timeout=WAIT_MS)


def test_a_broken_recording_is_refused_and_what_is_open_stays(
    open_window: OpenWindow, aquarium: Path, tmp_path: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    before = user.rows()
    broken = tmp_path / "debug_info.json"
    broken.write_text('{"status": "Success", "nodes": [', encoding="utf-8")
    with user.qtbot.waitSignal(user.session.failed, timeout=WAIT_MS):
        user.window.open_path(broken)
    assert user.rows() == before
    assert "debug_info.json" in user.bar_text


def test_the_replay_panel_is_offered_only_for_recorded_turns(
    open_window: OpenWindow, recording: dict[str, Any], aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    assert not user.window.layout_of_docks.is_applicable("replay")
    user.open(write(aquarium / "debug_info.json", recording))
    assert user.window.layout_of_docks.is_applicable("replay")
    user.open(aquarium / "rag.graph.json")
    assert not user.window.layout_of_docks.is_applicable("replay")


def test_reading_a_log_again_lists_its_turns_once(
    open_window: OpenWindow, recording: dict[str, Any], tmp_path: Path
) -> None:
    log = tmp_path / "session.jsonl"
    lines = [json.dumps({"message": f"question {n}", "debug_info": recording}) for n in range(3)]
    log.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
    user = open_window(log)
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with user.qtbot.waitSignal(user.session.opened):
        user.shortcut(Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier)
    user.settle()
    assert [entry.turn.request.message for entry in user.session.history] == [
        "question 0",
        "question 1",
        "question 2",
    ]


def test_the_parameters_of_a_recording_are_locked_and_its_graph_is_offered(
    open_window: OpenWindow, recording: dict[str, Any], aquarium: Path
) -> None:
    user = open_window(write(aquarium / "debug_info.json", recording))
    assert not user.find("topKSlider").isEnabled()
    assert "locked" in user.window.panels.turn_strip.text
    user.type_message("which fish eat algae?")
    user.qtbot.keyClick(user.message, Qt.Key.Key_Return)
    assert user.turn.recorded
    assert "Open its graph" in user.bar_text
    user.qtbot.waitUntil(lambda: user.replaying.target is not None, timeout=WAIT_MS)
    with user.turn_of("which fish eat algae?"):
        user.click_text("Open its graph")
    assert user.find("topKSlider").isEnabled()
    assert user.window.panels.turn_strip.text == ""
