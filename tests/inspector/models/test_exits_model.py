"""The simulated exits as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspector.models.exits_model import Column, ExitsModel, SimulatedExit

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.modeltest import ModelTester

EXITS = (
    SimulatedExit("tools", "ToolCall", ("no_tool_called", "tool_called"), "no_tool_called"),
    SimulatedExit("intent", "NewType", ("found", "not_found"), "found"),
)


def test_the_model_keeps_the_rules_of_item_models(
    qapp: QApplication, qtmodeltester: ModelTester
) -> None:
    model = ExitsModel()
    model.show_exits(EXITS)
    qtmodeltester.check(model)


def test_a_row_has_node_type_and_the_exit_in_force(qapp: QApplication) -> None:
    model = ExitsModel()
    model.show_exits(EXITS)
    assert [[model.index(row, column).data() for column in Column] for row in range(2)] == [
        ["tools", "ToolCall", "no_tool_called"],
        ["intent", "NewType", "found"],
    ]


def test_another_pick_is_no_other_table(qapp: QApplication) -> None:
    model = ExitsModel()
    assert model.show_exits(EXITS)
    picked = SimulatedExit("tools", "ToolCall", ("no_tool_called", "tool_called"), "tool_called")
    assert not model.show_exits((picked, EXITS[1]))
    assert model.index(0, Column.EXIT).data() == "tool_called"
    assert model.show_exits(EXITS[:1])
