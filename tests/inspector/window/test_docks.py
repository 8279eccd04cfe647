"""One table says of each dock what there is to say; nothing stands beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QDockWidget, QMenu

from inspector import theme as themes
from inspector.window.docks import DOCKS

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QAction

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    return open_window(aquarium / "rag.graph.json")


def _actions(user: Driver, title: str) -> list[QAction]:
    menu = next(m for m in user.window.menuBar().findChildren(QMenu) if m.title() == title)
    return menu.actions()


def test_every_dock_of_the_window_is_in_the_table(user: Driver) -> None:
    docks = user.window.findChildren(QDockWidget)
    assert {dock.objectName() for dock in docks} == {f"{dock.name}Dock" for dock in DOCKS}


def test_every_panel_in_a_dock_stands_in_that_of_its_name(user: Driver) -> None:
    docked = {
        name
        for name, panel in vars(user.window.panels).items()
        if isinstance(panel.parent(), QDockWidget)
    }
    assert docked == {dock.name for dock in DOCKS}
    for dock in DOCKS:
        panel = getattr(user.window.panels, dock.name)
        assert user.window.docks[dock.name].widget() is panel


def test_every_dock_is_in_the_view_menu(user: Driver) -> None:
    listed = _actions(user, "&Panels")
    assert [action.text() for action in listed] == [dock.title for dock in DOCKS]
    for dock in DOCKS:
        assert user.window.docks[dock.name].toggleViewAction() in listed


def test_every_dock_has_an_icon_of_ours() -> None:
    assert {dock.icon for dock in DOCKS} <= set(themes.icon_names())


def test_the_distances_fold_where_there_are_none_and_unfold_as_they_were(user: Driver) -> None:
    dock, plot = user.window.docks["distances"], user.find("distancePlot")
    before = dock.height()
    user.ask()
    user.click("modeLexical")
    user.qtbot.waitUntil(lambda: not plot.isVisible())
    user.qtbot.waitUntil(lambda: dock.height() <= 2 * dock.fontMetrics().height())
    assert "no distances" in user.window.panels.distances.message.text()
    user.window.layout_of_docks.arrange()
    user.click("modeDense")
    user.qtbot.waitUntil(lambda: plot.isVisible() and dock.height() == before)


def test_a_node_that_measures_no_distances_folds_them_before_any_question(
    open_window: OpenWindow, samples: Path
) -> None:
    user = open_window(samples / "town" / "town.graph.json")
    dock = user.window.docks["distances"]
    user.qtbot.waitUntil(lambda: dock.height() <= 2 * dock.fontMetrics().height())
    assert user.window.panels.distances.message.text() == "town measures no distances"
