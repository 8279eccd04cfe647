"""The window fits its screen, and the hits stay readable at every size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QRect, QSize

from inspector.models.hits_model import Column
from inspector.window.main_window import DEFAULT_SIZE

if TYPE_CHECKING:
    from pathlib import Path

    from PySide6.QtGui import QScreen

    from tests.inspector.driver import OpenWindow

pytestmark = pytest.mark.slow


class _Screen:
    """A screen of which a panel bar leaves this much."""

    def __init__(self, width: int, height: int) -> None:
        self._room = QRect(0, 0, width, height)

    def availableGeometry(self) -> QRect:
        return self._room


@pytest.mark.parametrize(("width", "height"), [(960, 573), (1280, 772), (853, 515), (1280, 500)])
def test_a_first_window_is_no_larger_than_its_screen_leaves(
    open_window: OpenWindow,
    aquarium: Path,
    monkeypatch: pytest.MonkeyPatch,
    width: int,
    height: int,
) -> None:
    user = open_window(aquarium / "hybrid.graph.json")
    user.ask()
    screen: QScreen | _Screen = _Screen(width, height)
    monkeypatch.setattr(user.window, "screen", lambda: screen)
    user.window.fit_screen()
    assert user.window.isMaximized()
    least = user.window.minimumSizeHint().expandedTo(user.window.minimumSize())
    assert least.boundedTo(QSize(width, height)) == least
    # What it is before the desktop maximises it, and where there is none to do so.
    normal = user.window.normalGeometry()
    assert normal.size().boundedTo(QSize(width, height)) == normal.size()


def test_a_window_that_has_the_room_has_the_size_that_it_likes(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = open_window()
    monkeypatch.setattr(user.window, "screen", lambda: _Screen(1920, 1080))
    user.window.fit_screen()
    assert not user.window.isMaximized()
    assert (user.window.width(), user.window.height()) == DEFAULT_SIZE


def test_a_size_of_the_users_own_is_kept(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_window()
    first.window.resize(1000, 640)
    first.window.close()
    again = open_window()
    monkeypatch.setattr(again.window, "screen", lambda: _Screen(900, 600))
    again.window.fit_screen()
    assert not again.window.isMaximized()


@pytest.mark.parametrize("size", [(720, 520), (853, 520), (960, 600), (1280, 800), (1920, 1080)])
@pytest.mark.parametrize("mode", ["modeDense", "modeLexical", "modeHybrid"])
def test_the_text_has_forty_characters_at_every_size(
    open_window: OpenWindow, aquarium: Path, size: tuple[int, int], mode: str
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.window.resize(*size)
    user.ask()
    user.click(mode)
    user.settle()
    table = user.window.panels.hits.table
    forty = table.fontMetrics().horizontalAdvance("A lionfish swallows any clownfish that f")
    room = table.viewport().width() - table.columnWidth(Column.RANK)
    assert (room if table.two_lines else table.columnWidth(Column.TEXT)) - 16 >= forty
