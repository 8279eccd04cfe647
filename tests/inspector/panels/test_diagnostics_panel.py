"""The diagnostics as tree and text: the turn's own numbers."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QPushButton, QToolButton, QTreeView

from core.agent.turn import NodeRun, Turn
from core.errors import Code, InspectorError
from core.nodes.walk import TurnRequest
from inspector.panels.diagnostics_panel import DiagnosticsPanel
from inspector.theme import DARK, spread

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

REQUEST = TurnRequest("hello", {}, "knowledge")
TURN = Turn(REQUEST, (NodeRun("knowledge", "CannedResponse", "default", "", output="No."),))


def _turn_with(info: dict[str, Any]) -> Any:
    return SimpleNamespace(debug_info=info, runs=())


@pytest.fixture
def panel(qtbot: QtBot) -> DiagnosticsPanel:
    widget = DiagnosticsPanel()
    qtbot.addWidget(widget)
    widget.resize(600, 260)
    widget.show_turn(TURN)
    widget.show()
    return widget


def test_the_tree_holds_the_turns_debug_info(panel: DiagnosticsPanel) -> None:
    model: Any = panel.findChild(QTreeView, "diagnosticsView").model()
    index = model.index_of(("nodes", 0, "diagnostics", "output", "text"))
    assert model.index(index.row(), 1, index.parent()).data() == '"No."'


def test_the_text_is_the_turns_debug_info(panel: DiagnosticsPanel) -> None:
    panel.findChild(QPushButton, "diagnosticsTextButton").click()
    view = panel.findChild(QPlainTextEdit, "diagnosticsText")
    assert view.isVisible()
    assert json.loads(view.toPlainText()) == TURN.debug_info
    assert json.loads(panel.text()) == TURN.debug_info


def test_the_text_follows_the_next_turn(panel: DiagnosticsPanel) -> None:
    panel.findChild(QPushButton, "diagnosticsTextButton").click()
    panel.show_turn(_turn_with({"status": "Success", "nodes": []}))
    view = panel.findChild(QPlainTextEdit, "diagnosticsText")
    assert json.loads(view.toPlainText()) == {"status": "Success", "nodes": []}


def test_what_was_unfolded_stays_unfolded_with_the_next_turn(panel: DiagnosticsPanel) -> None:
    tree = panel.findChild(QTreeView, "diagnosticsView")
    path = ("nodes", 0, "diagnostics", "input")
    tree.expand(panel.model.index_of(path))
    folded = ("nodes", 0, "diagnostics", "output")
    tree.collapse(panel.model.index_of(folded))
    panel.show_turn(TURN)
    assert not tree.isExpanded(panel.model.index_of(folded))
    assert tree.isExpanded(panel.model.index_of(("nodes", 0)))


def test_a_failed_turn_says_so_with_its_code(panel: DiagnosticsPanel) -> None:
    error = InspectorError(Code.InferenceFailed, "no model")
    panel.show_turn(Turn(REQUEST, (), error))
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert "4001 InferenceFailed · 0 nodes ran" in texts


def test_copy_and_save_are_asked_for(panel: DiagnosticsPanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.copy_requested):
        panel.findChild(QToolButton, "copyDiagnostics").click()
    with qtbot.waitSignal(panel.save_requested):
        panel.findChild(QToolButton, "saveDiagnostics").click()


def test_without_a_turn_there_is_nothing_to_copy(panel: DiagnosticsPanel) -> None:
    panel.show_turn(None)
    assert panel.text() == ""
    assert not panel.findChild(QToolButton, "copyDiagnostics").isEnabled()


def test_a_saved_file_of_another_shape_is_shown_as_it_is(panel: DiagnosticsPanel) -> None:
    panel.show_turn(_turn_with({"nodes": "x", "error": 3}))
    spread(panel, DARK)
    assert not panel.grab().isNull()
