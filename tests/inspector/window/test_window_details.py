"""What a selected row does: it fills the details, and takes no tab from the front."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QTableView

from inspector.models.hits_model import Column
from tests.inspector.driver import LEFT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    user = open_window(aquarium / "rag.graph.json")
    user.window.resize(1280, 800)
    user.ask()
    return user


def _click(user: Driver, row: int) -> str:
    table = user.find("hitsTable", QTableView)
    index = table.model().index(row, Column.ID)
    place = table.visualRect(index)
    user.qtbot.mouseClick(
        table.viewport(), LEFT, pos=QPoint(place.center().x(), place.bottom() - 4)
    )
    return str(index.data())


def test_a_selected_row_leaves_the_prompt_in_front(user: Driver) -> None:
    panels = user.window.panels
    for row in (0, 1, 4):
        _click(user, row)
        assert panels.prompt.isVisible()
        assert not panels.details.isVisible()
    assert user.window.focusWidget() is panels.hits.table


def test_a_selected_row_is_shown_by_the_details_in_front(user: Driver) -> None:
    user.window.raise_dock("details")
    details = user.window.panels.details
    for row in (0, 4):
        clicked = _click(user, row)
        assert details.id_label.text() == clicked
        assert details.isVisible()


def test_the_metadata_are_seen_without_scrolling(user: Driver) -> None:
    user.window.raise_dock("details")
    _click(user, 0)
    view = user.window.panels.details.facts_view
    names = [fact.name for fact in user.window.panels.details.facts.rows]
    last = names.index("Ranking") - 1
    assert names[0] == "Metadata"
    assert last >= 1
    user.qtbot.waitUntil(lambda: view.viewport().width() > 0)
    rect = view.visualRect(view.model().index(last, 0))
    assert view.viewport().rect().contains(rect.center())
