"""The strip of a turn's searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inspector.widgets.search_strip import SearchStrip

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def strip(qtbot: QtBot) -> SearchStrip:
    strip = SearchStrip()
    qtbot.addWidget(strip)
    return strip


def test_one_search_needs_no_strip(strip: SearchStrip) -> None:
    strip.show_searches([(0, "knowledge 3")], 0)
    assert strip.isHidden()


def test_several_searches_are_listed_and_showing_them_picks_none(
    strip: SearchStrip, qtbot: QtBot
) -> None:
    with qtbot.assertNotEmitted(strip.step_picked):
        strip.show_searches([(0, "known 0"), (2, "hidden 3")], 2)
    assert not strip.isHidden()
    assert [strip.tabText(index) for index in range(strip.count())] == ["known 0", "hidden 3"]
    assert strip.currentIndex() == 1


def test_picking_one_tells_its_step(strip: SearchStrip, qtbot: QtBot) -> None:
    strip.show_searches([(0, "known 0"), (2, "hidden 3")], 2)
    with qtbot.waitSignal(strip.step_picked) as caught:
        strip.setCurrentIndex(0)
    assert caught.args == [0]


def test_fewer_searches_leave_no_tab_behind(strip: SearchStrip) -> None:
    strip.show_searches([(0, "a"), (1, "b"), (2, "c")], 0)
    strip.show_searches([(0, "a"), (1, "b")], 0)
    assert strip.count() == 2
