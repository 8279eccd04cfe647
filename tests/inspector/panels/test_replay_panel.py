"""The replay panel: what can be asked for, what is said, and the table, used as a user does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QTableView

from core.errors import Code, InspectorError
from inspector.models.replay_model import Column
from inspector.panels.replay_panel import ReplayPanel
from inspector.widgets.labels import StatusLabel
from tests.inspector.fixed_replays import RECORDED, node_replay, replay_of

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


REFUSED = InspectorError(Code.StorageFileNotFound, "there is no such file", hint="add it")


@pytest.fixture
def panel(qtbot: QtBot) -> ReplayPanel:
    widget = ReplayPanel()
    qtbot.addWidget(widget)
    widget.resize(1000, 300)
    widget.show_recorded(True, "aquarium.graph.json")
    widget.show_replay(replay_of())
    with qtbot.waitActive(widget):
        widget.show()
    return widget


def button(panel: ReplayPanel, name: str) -> QPushButton:
    return panel.findChild(QPushButton, name)


def table(panel: ReplayPanel) -> QTableView:
    return panel.findChild(QTableView, "replayTable")


def summary(panel: ReplayPanel) -> StatusLabel:
    return panel.findChild(StatusLabel, "replaySummary")


def notes(panel: ReplayPanel) -> StatusLabel:
    return panel.findChild(StatusLabel, "replayNotes")


def ids(panel: ReplayPanel) -> list[str]:
    model = table(panel).model()
    return [model.index(row, Column.ID).data() for row in range(model.rowCount())]


def click_row(panel: ReplayPanel, row: int) -> None:
    place = table(panel).visualRect(table(panel).model().index(row, Column.ID)).center()
    QTest.mouseClick(table(panel).viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_replay_and_another_target_are_asked_for(panel: ReplayPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.replay_requested):
        button(panel, "replayButton").click()
    with qtbot.waitSignal(panel.target_requested):
        button(panel, "replayTarget").click()


def test_a_turn_that_was_run_here_cannot_be_replayed(panel: ReplayPanel) -> None:
    panel.show_replay(None)
    panel.show_recorded(False, "aquarium.graph.json")
    assert not button(panel, "replayButton").isEnabled()
    assert not button(panel, "replayTarget").isEnabled()


def test_without_a_target_one_must_be_chosen_first(panel: ReplayPanel) -> None:
    panel.show_recorded(True, "")
    assert not button(panel, "replayButton").isEnabled()
    assert button(panel, "replayTarget").isEnabled()


def test_the_button_says_against_what(panel: ReplayPanel) -> None:
    assert "aquarium.graph.json" in button(panel, "replayButton").toolTip()


def test_the_summary_counts_every_verdict_and_says_that_hits_differ(panel: ReplayPanel) -> None:
    assert summary(panel).text() == (
        "Hits differ · 1 same · 2 moved · 1 distance · 1 missing · 1 new"
    )
    assert summary(panel).kind == "warning"


def test_the_summary_says_that_hits_agree(panel: ReplayPanel) -> None:
    panel.show_replay(replay_of(node_replay(here=RECORDED)))
    assert (summary(panel).kind, summary(panel).text()) == ("ok", "Hits agree · 5 same")


def test_counts_of_several_nodes_are_added(panel: ReplayPanel) -> None:
    panel.show_replay(replay_of(node_replay(), node_replay(node="rules", here=RECORDED)))
    assert summary(panel).text().startswith("Hits differ · 6 same · 2 moved")


def test_nothing_there_and_here_agrees(panel: ReplayPanel) -> None:
    panel.show_replay(replay_of(node_replay((), ())))
    assert (summary(panel).kind, summary(panel).text()) == (
        "ok",
        "Hits agree · none, there and here",
    )


def test_what_was_not_as_recorded_is_said_above_the_table(panel: ReplayPanel) -> None:
    panel.show_replay(
        replay_of(
            node_replay(changed=("not recorded: top_k (2 here)",)),
            notes=('node "magic" is not replayed',),
        )
    )
    assert notes(panel).isVisible()
    assert notes(panel).text() == 'not recorded: top_k (2 here)\nnode "magic" is not replayed'
    assert notes(panel).kind == "info"


def test_a_refused_search_is_said_with_its_code_and_node(panel: ReplayPanel) -> None:
    panel.show_replay(replay_of(node_replay(), node_replay(node="rules", error=REFUSED)))
    assert notes(panel).kind == "error"
    assert notes(panel).text() == (
        "rules: 3010 StorageFileNotFound: there is no such file (add it)"
    )
    assert summary(panel).text().startswith("Not replayed in full · 1 same")


def test_without_notes_their_line_takes_no_room(panel: ReplayPanel) -> None:
    assert not notes(panel).isVisible()


def test_a_problem_is_said_until_there_is_a_replay(panel: ReplayPanel) -> None:
    panel.show_problem("4001 InferenceFailed: <b>no</b> model")
    assert (notes(panel).isVisible(), notes(panel).kind) == (True, "error")
    assert "<b>" not in notes(panel).toolTip()
    panel.show_replay(replay_of())
    assert not notes(panel).isVisible()


def test_while_it_runs_the_old_result_stays_and_nothing_can_be_asked_for(
    panel: ReplayPanel, qtbot: QtBot
) -> None:
    panel.show_busy(True)
    assert not button(panel, "replayButton").isEnabled()
    assert not button(panel, "replayTarget").isEnabled()
    assert summary(panel).text().startswith("Hits differ")
    qtbot.waitUntil(lambda: summary(panel).text() == "Replaying…")
    assert len(ids(panel)) == 6
    panel.show_busy(False)
    assert button(panel, "replayButton").isEnabled()
    assert summary(panel).text().startswith("Hits differ")


def test_the_node_is_told_only_where_several_searched(panel: ReplayPanel) -> None:
    assert table(panel).isColumnHidden(Column.NODE)
    panel.show_replay(replay_of(node_replay(), node_replay(node="rules")))
    assert not table(panel).isColumnHidden(Column.NODE)


def test_a_search_without_distances_has_no_columns_for_them(panel: ReplayPanel) -> None:
    panel.show_replay(replay_of(node_replay([("a", None)], [("a", None)])))
    assert [
        table(panel).isColumnHidden(column)
        for column in (
            Column.RECORDED_DISTANCE,
            Column.HERE_DISTANCE,
            Column.CHANGE,
            Column.VERDICT,
        )
    ] == [True, True, True, False]


def test_a_click_and_the_arrow_keys_select_a_record(panel: ReplayPanel) -> None:
    found = []
    panel.record_selected.connect(lambda *args: found.append(args))
    click_row(panel, 1)
    QTest.keyClick(table(panel), Qt.Key.Key_Down)
    assert found == [("knowledge", "lionfish_diet"), ("knowledge", "clown_tankmates")]


def test_the_selected_record_stays_selected_and_showing_emits_nothing(panel: ReplayPanel) -> None:
    click_row(panel, 3)
    found = []
    for signal in (panel.record_selected, panel.replay_requested, panel.target_requested):
        signal.connect(lambda *args: found.append(args))
    panel.show_replay(replay_of(node_replay([("new_one", 0.1), *RECORDED])))
    assert table(panel).currentIndex().siblingAtColumn(Column.ID).data() == "reef_safe_02"
    panel.show_replay(None)
    panel.show_recorded(False, "")
    panel.show_busy(True)
    panel.show_busy(False)
    panel.show_problem("x")
    assert found == []


def test_a_click_on_a_header_sorts_and_a_third_one_brings_the_order_back(
    panel: ReplayPanel,
) -> None:
    header = table(panel).horizontalHeader()
    place = header.sectionViewportPosition(Column.HERE_DISTANCE) + 10
    orders = []
    for _ in range(3):
        QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place, 8))
        orders.append(ids(panel))
    assert orders[0][:3] == ["clown_lion_01", "lionfish_diet", "reef_safe_02"]
    assert orders[1][1:] == orders[0][:-1][::-1]
    assert orders[2] == [*(name for name, _ in RECORDED), "anemone_host"]


@pytest.mark.parametrize("nodes", [1, 2])
def test_every_column_that_is_left_is_in_sight_at_the_smallest_size(
    panel: ReplayPanel, qtbot: QtBot, nodes: int
) -> None:
    panel.show_replay(replay_of(*(node_replay(node=f"n{i}") for i in range(nodes))))
    panel.resize(460, 150)
    qtbot.waitUntil(lambda: table(panel).horizontalScrollBar().maximum() == 0)
    assert not table(panel).isColumnHidden(Column.VERDICT)
    assert table(panel).rowViewportPosition(1) < table(panel).viewport().height()
