"""The graph's drawing: nodes, the lit path, keys and clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolButton

from core.agent.description import GraphDescription
from core.agent.turn import NodeRun, Turn
from core.nodes import (
    CannedResponseParams,
    GenerateParams,
    InstructionParams,
    RetrieveParams,
    ToolCallParams,
)
from core.nodes.walk import TurnRequest
from inspector.panels.graph_panel import GraphPanel
from inspector.theme import DARK, spread
from tests.inspector.drawn import lit_path, node_item

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


def graph() -> GraphDescription:
    return (
        GraphDescription()
        .add_node("knowledge", RetrieveParams(found_exit="tool", not_found_exit="refuse"))
        .add_node("tool", ToolCallParams(no_tool_called_exit="answer"))
        .add_node("answer", GenerateParams())
        .add_node("refuse", CannedResponseParams())
        .set_start_node("knowledge")
    )


def turn() -> Turn:
    request = TurnRequest("hello", {}, "knowledge")
    return Turn(
        request,
        (
            NodeRun("knowledge", "Retrieve", "found", "tool"),
            NodeRun("tool", "ToolCall", "no_tool_called", "answer", simulated=True),
            NodeRun("answer", "Generate", "default", ""),
        ),
    )


@pytest.fixture
def panel(qtbot: QtBot) -> GraphPanel:
    widget = GraphPanel()
    qtbot.addWidget(widget)
    widget.resize(760, 220)
    widget.show()
    widget.show_graph(graph())
    widget.set_current_node("knowledge")
    return widget


def place_of(panel: GraphPanel, name: str) -> QPoint:
    return panel.mapFromScene(node_item(panel, name).sceneBoundingRect().center())


def test_every_node_is_in_sight_at_once(panel: GraphPanel) -> None:
    for name in ("knowledge", "tool", "answer", "refuse"):
        assert panel.viewport().rect().contains(place_of(panel, name))


def test_the_path_of_the_turn_is_lit_and_numbered(panel: GraphPanel) -> None:
    panel.show_turn(turn())
    assert set(lit_path(panel)) == {
        ("knowledge", "found"),
        ("tool", "no_tool_called"),
        ("answer", "default"),
    }
    assert node_item(panel, "knowledge").steps == (1,)
    assert node_item(panel, "answer").steps == (3,)
    assert node_item(panel, "refuse").steps == ()


def test_a_simulated_exit_says_so(panel: GraphPanel) -> None:
    panel.show_turn(turn())
    assert node_item(panel, "tool").is_simulated
    assert "simulated" in node_item(panel, "tool").words
    assert "simulated" in node_item(panel, "tool").toolTip()


def test_without_a_turn_nothing_is_lit(panel: GraphPanel) -> None:
    panel.show_turn(turn())
    panel.show_turn(None)
    assert lit_path(panel) == ()


def test_the_path_stays_lit_when_a_parameter_of_the_graph_changes(panel: GraphPanel) -> None:
    panel.show_turn(turn())
    panel.show_graph(graph().with_param("knowledge", "top_k", 9))
    assert ("knowledge", "found") in lit_path(panel)


def test_the_node_in_hand_is_outlined(panel: GraphPanel) -> None:
    panel.set_current_node("answer")
    assert node_item(panel, "answer").is_current
    assert not node_item(panel, "knowledge").is_current


def test_a_double_click_picks_the_node(panel: GraphPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.node_activated) as picked:
        QTest.mouseDClick(
            panel.viewport(), Qt.MouseButton.LeftButton, pos=place_of(panel, "answer")
        )
    assert picked.args == ["answer"]


def test_arrows_move_between_nodes_and_enter_picks_one(panel: GraphPanel, qtbot: QtBot) -> None:
    QTest.keyClick(panel, Qt.Key.Key_Right)
    with qtbot.waitSignal(panel.node_activated) as picked:
        QTest.keyClick(panel, Qt.Key.Key_Return)
    assert picked.args[0] in ("tool", "refuse")
    QTest.keyClick(panel, Qt.Key.Key_Left)
    with qtbot.waitSignal(panel.node_activated) as picked:
        QTest.keyClick(panel, Qt.Key.Key_Return)
    assert picked.args == ["knowledge"]


def test_moving_the_cursor_picks_nothing_and_is_told_to_screen_readers(
    panel: GraphPanel, qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(panel.node_activated):
        QTest.keyClick(panel, Qt.Key.Key_Right)
    assert panel.accessibleDescription().split(",")[0] in ("tool", "refuse")


def wheel(panel: GraphPanel, modifiers: Qt.KeyboardModifier, delta: int) -> None:
    place = QPointF(panel.viewport().rect().center())
    event = QWheelEvent(
        place,
        panel.viewport().mapToGlobal(place),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        modifiers,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(panel.viewport(), event)


def test_ctrl_and_the_wheel_zoom_within_limits_and_fit_goes_back(panel: GraphPanel) -> None:
    before = panel.transform().m11()
    wheel(panel, Qt.KeyboardModifier.ControlModifier, 120)
    assert panel.transform().m11() > before
    for _ in range(60):
        wheel(panel, Qt.KeyboardModifier.ControlModifier, 120)
    assert panel.transform().m11() <= 4.0 + 1e-9
    panel.findChild(QToolButton, "fitButton").click()
    assert panel.transform().m11() == pytest.approx(before, rel=0.05)


def test_the_zoom_is_kept_while_the_shape_of_the_graph_is(panel: GraphPanel) -> None:
    panel.zoom(1.5)
    before = panel.transform().m11()
    panel.show_graph(graph().with_param("knowledge", "top_k", 9))
    assert panel.transform().m11() == before


def test_twelve_nodes_stay_large_enough_to_read(panel: GraphPanel) -> None:
    chain = GraphDescription()
    for number in range(12):
        target = f"step_{number + 1:02d}" if number < 11 else ""
        chain.add_node(f"step_{number:02d}", InstructionParams(default_exit=target))
    panel.show_graph(chain.set_start_node("step_00"))
    assert panel.transform().m11() >= 0.65
    assert panel.viewport().rect().contains(place_of(panel, "step_00"))


def test_markup_in_a_name_stays_text(panel: GraphPanel) -> None:
    odd = GraphDescription().add_node("<b>x</b>", GenerateParams()).set_start_node("<b>x</b>")
    panel.show_graph(odd)
    assert "<b>" not in node_item(panel, "<b>x</b>").toolTip()


def test_no_graph_is_said_in_words_and_painted(panel: GraphPanel) -> None:
    panel.show_graph(None)
    spread(panel, DARK)
    assert not panel.grab().isNull()
    assert node_item(panel, "knowledge") is None
