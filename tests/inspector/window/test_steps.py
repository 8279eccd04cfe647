"""One show a step: a part of the window is told once, and only of what it reads."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QTreeView

from inspector.models.json_tree_model import JsonTreeModel
from tests.inspector.driver import QUESTION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

SHOWS = {
    "funnel": ("show_counts",),
    "hits": ("show_selection",),
    "distances": ("show_selection", "set_threshold"),
    "subgraph": ("show_result",),
    "prompt": ("show_projection",),
    "graph": ("show_graph", "show_turn", "set_current_node"),
    "diagnostics": ("show_turn",),
    "turns": ("show_turns",),
    "parameters": ("show_graph", "show_node", "set_filter_status", "set_marks"),
    "inputs": ("show_variables", "show_exits", "show_dialog"),
    "memory": ("show_stores",),
    "replay": ("show_replay",),
    "problems": ("show_findings",),
    "workspace": ("show_opened",),
}
ONCE = {
    "funnel.show_counts",
    "hits.show_selection",
    "distances.show_selection",
    "distances.set_threshold",
    "prompt.show_projection",
    "diagnostics.show_turn",
    "turns.show_turns",
    "parameters.show_node",
}


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    driver = open_window(aquarium / "rag.graph.json")
    driver.ask(QUESTION)
    return driver


@pytest.fixture
def told(user: Driver, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Which panels are told what, how often."""
    calls: Counter[str] = Counter()

    def count(name: str, show: Any) -> Any:
        def counted(*args: Any, **options: Any) -> Any:
            calls[name] += 1
            return show(*args, **options)

        return counted

    for panel, shows in SHOWS.items():
        widget = getattr(user.window.panels, panel)
        for show in shows:
            monkeypatch.setattr(widget, show, count(f"{panel}.{show}", getattr(widget, show)))
    return calls


def test_a_step_of_the_threshold_tells_each_panel_once_of_what_it_reads(
    user: Driver, told: Counter[str]
) -> None:
    user.find("thresholdSlider").setValue(700)
    assert set(told) == ONCE
    assert set(told.values()) == {1}


def test_another_node_in_hand_is_shown_once_and_no_turn_again(
    user: Driver, told: Counter[str]
) -> None:
    user.session.pick_node("answer")
    assert told["graph.set_current_node"] == told["parameters.show_node"] == 1
    assert told["hits.show_selection"] == told["funnel.show_counts"] == 1
    for untouched in ("diagnostics.show_turn", "graph.show_turn", "turns.show_turns"):
        assert not told[untouched]


def test_the_same_value_again_is_shown_to_nobody(user: Driver, told: Counter[str]) -> None:
    user.session.edit_param("threshold", user.params().threshold)
    assert not told


def _tree_model(user: Driver) -> JsonTreeModel:
    model = user.find("diagnosticsView", QTreeView).model()
    assert isinstance(model, JsonTreeModel)
    return model


def test_hidden_diagnostics_say_what_the_turn_says_without_being_looked_at(user: Driver) -> None:
    user.window.raise_dock("prompt")
    user.set_spin("topKSpin", "2")
    path = ("nodes", 0, "diagnostics", "parameters", "top_k")
    index = _tree_model(user).index_of(path)
    assert index.siblingAtColumn(1).data() == "2"


def test_diagnostics_make_nothing_while_they_are_hidden(user: Driver) -> None:
    user.window.raise_dock("prompt")
    with user.qtbot.waitSignal(user.window.turnShown):
        user.find("thresholdSlider").setValue(650)
    assert "debug_info" not in vars(user.turn)


def test_diagnostics_are_unfolded_as_before_when_they_come_to_the_front(user: Driver) -> None:
    user.window.raise_dock("diagnostics")
    tree = user.find("diagnosticsView", QTreeView)
    output = ("nodes", 0, "diagnostics", "output")
    tree.collapse(_tree_model(user).index_of(output))
    user.window.raise_dock("prompt")
    with user.qtbot.waitSignal(user.window.turnShown):
        user.find("thresholdSlider").setValue(650)
    user.window.raise_dock("diagnostics")
    assert tree.isVisible()
    assert tree.isExpanded(_tree_model(user).index_of(("nodes", 0, "diagnostics", "parameters")))
    assert not tree.isExpanded(_tree_model(user).index_of(output))
