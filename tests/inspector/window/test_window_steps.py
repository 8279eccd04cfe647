"""A turn of several searches: each can be looked at, and the node list tells what ran."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from core.agent.description import GraphDescription
from core.nodes import RetrieveParams
from tests.inspector.drawn import node_item
from tests.inspector.driver import LEFT, QUESTION

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtWidgets import QComboBox

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow  # a window a test

STORE = "aquarium_all_mini.json"


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    """`first` finds three and goes to `second`, which finds none and goes back until no step is."""
    path = aquarium / "loop.graph.json"
    (
        GraphDescription()
        .add_node(
            "first",
            RetrieveParams(
                embedded_string_storage=STORE, top_k=3, threshold=0, found_exit="second"
            ),
        )
        .add_node(
            "second",
            RetrieveParams(
                embedded_string_storage=STORE,
                top_k=2,
                threshold=1e-6,
                found_exit="",
                not_found_exit="third",
            ),
        )
        .add_node("third", RetrieveParams(embedded_string_storage=STORE, top_k=1, threshold=0))
        .add_node("never", RetrieveParams(embedded_string_storage=STORE))
        .set_start_node("first")
        .set_default_model_name("any")
    ).save(path)
    user = open_window(path)
    user.ask(QUESTION)
    return user


def test_the_strip_lists_every_search_and_picks_one(user: Driver) -> None:
    strip = user.window.panels.searches
    assert [strip.tabText(index) for index in range(strip.count())] == [
        "first 3",
        "second 0",
        "third 1",
    ]
    strip.setCurrentIndex(1)
    assert user.session.node == "second"
    assert user.hits() == []
    strip.setCurrentIndex(2)
    assert len(user.hits()) == 1
    assert user.find("topKSpin").value() == 1


def test_the_node_list_marks_what_ran_and_how_much_it_found(user: Driver) -> None:
    combo: QComboBox = user.find("nodeCombo")
    assert [combo.itemText(index) for index in range(combo.count())] == [
        "first · Retrieve · 3 hits",
        "second · Retrieve · 0 hits",
        "third · Retrieve · 1 hit",
        "never · Retrieve",
    ]


def test_one_click_in_the_graph_picks_a_node(user: Driver) -> None:
    graph = user.window.panels.graph
    user.window.raise_dock("graph")
    item = node_item(graph, "third")
    assert item is not None
    graph.ensureVisible(item)
    place = graph.mapFromScene(item.sceneBoundingRect().center())
    user.qtbot.mouseClick(graph.viewport(), LEFT, pos=place)
    assert user.session.node == "third"


def test_a_node_that_ran_twice_is_looked_at_run_by_run(
    open_window: OpenWindow, aquarium: Path
) -> None:
    path = aquarium / "again.graph.json"
    (
        GraphDescription()
        .add_node(
            "r",
            RetrieveParams(
                embedded_string_storage=STORE,
                input="node.r.output",
                top_k=3,
                threshold=0,
                not_found_exit="r",
            ),
        )
        .set_start_node("r")
    ).save(path)
    user = open_window(path)
    user.ask(QUESTION)
    assert user.session.shown().run is user.turn.runs[-1]
    runs: Any = user.turn.runs
    for step in range(len(runs)):
        user.session.pick_step(step)
        assert user.session.shown().run is runs[step]
