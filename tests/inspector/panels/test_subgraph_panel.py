"""The drawing of a subgraph: what it shows, picks, says and how it is moved, with fixed results."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.nodes import ExpansionDepth
from core.subgraph.knowledge_graph import GraphNode, KnowledgeGraph
from inspector.panels.subgraph_panel import SubgraphPanel
from inspector.theme import DARK, LIGHT, spread
from tests.inspector.drawn import node_item, node_rows
from tests.inspector.fixed_subgraphs import TOWN, walked, wide

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

LEFT = Qt.MouseButton.LeftButton
MILL, MILLER, KEY, FAR = 1, 3, 4, 5


@pytest.fixture
def panel(qtbot: QtBot) -> SubgraphPanel:
    panel = SubgraphPanel()
    qtbot.addWidget(panel)
    panel.resize(780, 250)
    panel.show()
    return panel


def _place(panel: SubgraphPanel, row: int) -> QPoint:
    return panel.mapFromScene(node_item(panel, row).sceneBoundingRect().center())


def _box(panel: SubgraphPanel, row: int) -> QPoint:
    item = node_item(panel, row)
    return panel.mapFromScene(item.mapToScene(item.shape().boundingRect().center()))


def _wheel(panel: SubgraphPanel, steps: int) -> None:
    place = QPointF(panel.viewport().rect().center())
    QApplication.sendEvent(
        panel.viewport(),
        QWheelEvent(
            place,
            panel.viewport().mapToGlobal(place),
            QPoint(0, 0),
            QPoint(0, 120 * steps),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        ),
    )


def test_it_has_the_name_that_scripts_use_and_says_what_to_do(panel: SubgraphPanel) -> None:
    assert panel.objectName() == "subgraphView"
    assert node_rows(panel) == ()
    assert panel.caption == ""
    assert "No subgraph" in panel.accessibleDescription() or panel.accessibleName() == "Subgraph"


def test_it_draws_the_nodes_of_the_result_with_their_labels(panel: SubgraphPanel) -> None:
    panel.show_result(walked())
    assert [TOWN.nodes[row].id for row in node_rows(panel)] == [
        "mill",
        "town",
        "attic",
        "miller",
        "key",
    ]
    labels = {TOWN.nodes[row].id: node_item(panel, row).label for row in node_rows(panel)}
    assert labels == {
        "mill": "",
        "town": "parent",
        "attic": "child",
        "miller": "owns →",
        "key": "is opened by →",
    }
    assert [row for row in node_rows(panel) if node_item(panel, row).is_match] == [MILL]


def test_the_caption_counts_matches_nodes_and_connections(panel: SubgraphPanel) -> None:
    panel.show_result(walked())
    assert panel.caption == "1 match · 4 around them · 3 connections"
    panel.show_result(walked(depth=ExpansionDepth.NONE))
    assert panel.caption == "1 match"
    panel.show_result(walked(wide(600), "hub", ExpansionDepth.SHALLOW))
    assert "101 of 601 nodes are left out" in panel.caption


def test_a_click_takes_a_node_in_hand_and_a_double_click_opens_it(
    qtbot: QtBot, panel: SubgraphPanel
) -> None:
    panel.show_result(walked())
    with qtbot.waitSignal(panel.node_selected) as selected:
        qtbot.mouseClick(panel.viewport(), LEFT, pos=_box(panel, MILLER))
    assert selected.args == [MILLER]
    assert node_item(panel, MILLER).is_selected
    with qtbot.waitSignal(panel.node_activated) as activated:
        qtbot.mouseDClick(panel.viewport(), LEFT, pos=_box(panel, KEY))
    assert activated.args == [KEY]


def test_the_node_in_hand_lights_what_it_is_connected_with(panel: SubgraphPanel) -> None:
    panel.show_result(walked())
    panel.select_node(MILLER)
    beside = {
        TOWN.nodes[row].id for row in node_rows(panel) if node_item(panel, row).is_beside_selected
    }
    assert beside == {"mill", "key"}
    assert [note.text for note in panel._notes] == ["has lost"]
    panel.select_node(None)
    assert not any(
        node_item(panel, row).is_selected or node_item(panel, row).is_beside_selected
        for row in node_rows(panel)
    )
    assert panel._notes == []


def test_selecting_from_outside_sends_no_signal(qtbot: QtBot, panel: SubgraphPanel) -> None:
    panel.show_result(walked())
    with qtbot.assertNotEmitted(panel.node_selected):
        panel.select_node(MILL)
        panel.select_node(FAR)
    assert node_item(panel, FAR) is None


def test_the_selection_survives_another_depth(panel: SubgraphPanel) -> None:
    panel.show_result(walked())
    panel.select_node(MILLER)
    panel.show_result(walked(depth=ExpansionDepth.DEEP))
    assert node_item(panel, MILLER).is_selected
    panel.show_result(walked(depth=ExpansionDepth.NONE))
    assert node_item(panel, MILLER) is None


def test_arrows_walk_and_enter_opens(qtbot: QtBot, panel: SubgraphPanel) -> None:
    panel.show_result(walked())
    panel.select_node(MILL)
    with qtbot.waitSignal(panel.node_selected) as selected:
        qtbot.keyClick(panel, Qt.Key.Key_Left)
    assert TOWN.nodes[selected.args[0]].id in {"town", "miller"}
    with qtbot.waitSignal(panel.node_activated):
        qtbot.keyClick(panel, Qt.Key.Key_Return)


def test_the_wheel_zooms_within_limits_and_0_shows_all_again(
    qtbot: QtBot, panel: SubgraphPanel
) -> None:
    panel.show_result(walked())
    fitted = panel.transform().m11()
    _wheel(panel, 2)
    assert panel.transform().m11() == pytest.approx(fitted * 1.2**2)
    _wheel(panel, 50)
    assert panel.transform().m11() == pytest.approx(4.0)
    qtbot.keyClick(panel, Qt.Key.Key_0)
    assert panel.transform().m11() == pytest.approx(fitted, rel=0.2)


def test_dragging_pans_and_takes_nothing_in_hand(qtbot: QtBot, panel: SubgraphPanel) -> None:
    panel.show_result(walked(wide(200), "hub", ExpansionDepth.SHALLOW))
    panel.zoom(3.0)
    before = panel.mapToScene(QPoint(0, 0))
    with qtbot.assertNotEmitted(panel.node_selected):
        qtbot.mousePress(panel.viewport(), LEFT, pos=QPoint(400, 120))
        QTest.mouseMove(panel.viewport(), QPoint(330, 90))
        qtbot.mouseRelease(panel.viewport(), LEFT, pos=QPoint(330, 90))
    assert panel.mapToScene(QPoint(0, 0)) != before


def test_a_zoom_of_the_users_own_is_kept_by_the_next_result(panel: SubgraphPanel) -> None:
    panel.show_result(walked())
    panel.zoom(1.5)
    scale = panel.transform().m11()
    panel.show_result(walked(depth=ExpansionDepth.DEEP))
    assert panel.transform().m11() == pytest.approx(scale)


def test_nothing_is_laid_out_while_it_is_hidden(panel: SubgraphPanel) -> None:
    panel.hide()
    panel.show_result(walked())
    assert node_rows(panel) == ()
    panel.show()
    assert len(node_rows(panel)) == 5


def test_a_new_theme_repaints_everything(panel: SubgraphPanel) -> None:
    panel.show_result(walked())
    spread(panel, LIGHT)
    light = panel.grab().toImage()
    spread(panel, DARK)
    dark = panel.grab().toImage()
    corner = QPoint(3, 3)
    assert light.pixelColor(corner) == LIGHT.panel
    assert dark.pixelColor(corner) == DARK.panel


@pytest.mark.slow
@pytest.mark.parametrize("size", [(160, 90), (780, 250), (1600, 900)])
def test_it_is_painted_at_any_size(panel: SubgraphPanel, size: tuple[int, int]) -> None:
    panel.resize(*size)
    for listing in (walked(), walked(wide(490), "hub", ExpansionDepth.SHALLOW), None):
        panel.show_result(listing)
        assert not panel.grab().isNull()


def test_titles_are_never_taken_for_markup_and_long_ones_are_elided(panel: SubgraphPanel) -> None:
    odd = "<b>lamp</b> " + "x" * 5000
    panel.show_result(walked(KnowledgeGraph([GraphNode("a", odd)]), "lamp"))
    item = node_item(panel, 0)
    assert item.title == odd
    assert item.boundingRect().width() < 200


def test_five_hundred_nodes_are_drawn_in_order(panel: SubgraphPanel) -> None:
    listing = walked(wide(499), "hub", ExpansionDepth.SHALLOW)
    panel.show_result(listing)
    assert list(node_rows(panel)) == listing.hit_rows.tolist()
    assert len(node_rows(panel)) == 500
