"""The turns so far survive a restart, each folder's for itself."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.inspector.driver import QUESTION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow  # a window a test

OTHER = "which fish eat algae?"


def messages(user: Driver) -> list[str]:
    return [entry.turn.request.message for entry in user.session.history]


def test_turns_survive_a_restart_and_are_run_again_to_be_looked_at(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.set_spin("topKSpin", "5")
    user.ask(QUESTION)
    rows = user.rows()
    user.set_spin("topKSpin", "2")
    user.ask(OTHER)
    user.session.asking.rename(0, "the fight")
    user.window.close_at_once()

    again = open_window(aquarium / "rag.graph.json")
    again.qtbot.waitUntil(lambda: messages(again) == [QUESTION, OTHER])
    turns = again.window.panels.turns.model
    assert [turns.index(row, 0).data() for row in range(2)] == [OTHER, "the fight"]
    assert turns.rows[1].settings.startswith("Dense · top_k 5")
    assert turns.rows[1].hits == len([row for row in rows if not row.reason])
    in_force = again.params()
    with again.turn_of(QUESTION):
        again.session.pick_turn(0)
    assert again.rows() == rows
    assert again.params() == in_force
    assert messages(again) == [QUESTION, OTHER]


def test_another_folder_has_turns_of_its_own_and_the_first_ones_come_back(
    open_window: OpenWindow, aquarium: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    shutil.copytree(aquarium, other)
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.open(other / "rag.graph.json")
    assert messages(user) == []
    user.ask(OTHER)
    user.open(aquarium / "rag.graph.json")
    user.qtbot.waitUntil(lambda: messages(user) == [QUESTION])


def test_another_graph_of_the_folder_keeps_the_turns(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.open(aquarium / "hybrid.graph.json")
    user.ask(QUESTION)
    assert messages(user) == [QUESTION, QUESTION]
    turns = user.window.panels.turns.model
    assert turns.rows[0].settings.startswith("Hybrid")
