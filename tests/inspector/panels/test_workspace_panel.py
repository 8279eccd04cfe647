"""What is open."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton, QTreeView

from inspector.models.workspace_model import (
    GRAPHS,
    KNOWLEDGE,
    OTHERS,
    DetailRole,
    WorkspaceEntry,
    WorkspaceModel,
    entries_of,
)
from inspector.panels.workspace_panel import WorkspacePanel

if TYPE_CHECKING:
    from pytestqt.modeltest import ModelTester
    from pytestqt.qtbot import QtBot


FOLDER = Path("game") / "data"
ENTRIES = (
    WorkspaceEntry(KNOWLEDGE, "fish", "fish.json", "120"),
    WorkspaceEntry(GRAPHS, "rag.graph", "rag.graph.json", is_current=True),
    WorkspaceEntry(GRAPHS, "hybrid.graph", "hybrid.graph.json"),
    WorkspaceEntry(OTHERS, "refusals.txt", "refusals.txt"),
)


def workspace() -> Any:
    knowledge = FOLDER / "fish.json"
    return SimpleNamespace(
        root=SimpleNamespace(path=FOLDER),
        sizes=lambda: {knowledge: (1200, "records")},
        files=lambda: {
            knowledge: "fish",
            FOLDER / "fish.kb.json": "fish",
            FOLDER / "refusals.txt": "refusals.txt",
        },
    )


@pytest.fixture
def panel(qtbot: QtBot) -> WorkspacePanel:
    widget = WorkspacePanel()
    qtbot.addWidget(widget)
    widget.resize(200, 300)
    widget.show()
    widget.show_entries(ENTRIES, "/games/pellwater")
    return widget


def tree_of(panel: WorkspacePanel) -> QTreeView:
    return panel.findChild(QTreeView, "workspaceView")


def test_the_model_keeps_the_rules_of_item_models(qtmodeltester: ModelTester) -> None:
    model = WorkspaceModel()
    model.show_entries(ENTRIES)
    qtmodeltester.check(model)
    model.show_entries(())
    qtmodeltester.check(model)


def test_files_stand_in_groups_with_their_record_counts(panel: WorkspacePanel) -> None:
    model = tree_of(panel).model()
    groups = [model.index(row, 0) for row in range(model.rowCount())]
    assert [g.data() for g in groups] == [KNOWLEDGE, GRAPHS, OTHERS]
    fish = model.index(0, 0, groups[0])
    assert (fish.data(), fish.data(DetailRole)) == ("fish", "120")
    assert all(tree_of(panel).isExpanded(g) for g in groups)


def test_a_workspace_is_listed_with_its_files_and_neighbours() -> None:
    graph = FOLDER / "rag.graph.json"
    found = entries_of(graph, workspace(), [FOLDER / "hybrid.graph.json", graph])
    listed = {(e.group, e.label, e.detail, e.is_current) for e in found}
    assert listed == {
        (KNOWLEDGE, "fish", "1,200", False),
        (GRAPHS, "rag.graph", "", True),
        (GRAPHS, "hybrid.graph", "", False),
        (OTHERS, "fish.kb.json", "", False),
        (OTHERS, "refusals.txt", "", False),
    }


def test_a_file_named_relatively_and_absolutely_is_listed_once() -> None:
    found = entries_of(
        FOLDER.absolute() / "rag.graph.json",
        workspace(),
        [FOLDER / "rag.graph.json", FOLDER.absolute() / "fish.json"],
    )
    assert sorted(e.label for e in found) == ["fish", "fish.kb.json", "rag.graph", "refusals.txt"]


def test_opened_knowledge_is_itself_the_current_file() -> None:
    found = entries_of(FOLDER / "fish.json", workspace())
    assert [e.label for e in found if e.is_current] == ["fish"]


def test_a_double_click_asks_to_open_another_file(panel: WorkspacePanel, qtbot: QtBot) -> None:
    tree, model = tree_of(panel), tree_of(panel).model()
    index = model.index(1, 0, model.index(1, 0))
    place = tree.visualRect(index).center()
    QTest.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    with qtbot.waitSignal(panel.open_requested) as asked:
        QTest.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert asked.args == ["hybrid.graph.json"]


def test_enter_on_the_open_file_opens_nothing(panel: WorkspacePanel, qtbot: QtBot) -> None:
    tree = tree_of(panel)
    tree.setCurrentIndex(panel.model.index(0, 0, panel.model.index(1, 0)))
    with qtbot.assertNotEmitted(panel.open_requested):
        QTest.keyClick(tree, Qt.Key.Key_Return)


def test_reload_is_asked_for(panel: WorkspacePanel, qtbot: QtBot) -> None:
    with qtbot.waitSignal(panel.reload_requested):
        panel.findChild(QToolButton, "reloadButton").click()


def test_the_same_files_shown_again_keep_what_is_folded(panel: WorkspacePanel) -> None:
    tree, model = tree_of(panel), tree_of(panel).model()
    tree.collapse(model.index(1, 0))
    panel.show_entries(ENTRIES, "/games/pellwater")
    assert not tree.isExpanded(model.index(1, 0))


def test_nothing_open_is_said_in_words(panel: WorkspacePanel) -> None:
    panel.show_entries(())
    assert not panel.findChild(QToolButton, "reloadButton").isEnabled()
    assert not panel.grab().isNull()
