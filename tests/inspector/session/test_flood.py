"""Of many changes in a row the first are shown at once, and of the rest the last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inspector.session.flood import AT_ONCE, Flood

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.mark.parametrize(("changes", "shown"), [(1, 1), (AT_ONCE, AT_ONCE), (1001, AT_ONCE + 1)])
def test_a_flood_of_changes_ends_in_one_step(qtbot: QtBot, changes: int, shown: int) -> None:
    told: list[int] = []
    asked: list[int] = []
    flood = Flood(lambda: told.append(len(asked)))
    for number in range(changes):
        asked.append(number)
        flood.rise()
    assert len(told) == min(changes, AT_ONCE)
    qtbot.waitUntil(lambda: len(told) == shown)
    assert told[-1] == changes


def test_after_a_flood_changes_are_shown_at_once_again(qtbot: QtBot) -> None:
    told: list[bool] = []
    flood = Flood(lambda: told.append(True))
    for _ in range(100):
        flood.rise()
    qtbot.waitUntil(lambda: len(told) == AT_ONCE + 1)
    flood.rise()
    assert len(told) == AT_ONCE + 2
