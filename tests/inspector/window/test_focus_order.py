"""The order of Tab follows the places of things."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QMainWindow, QPushButton, QWidget

from inspector.window.focus_order import focus_stops, next_stop

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def window(qtbot: QtBot) -> QMainWindow:
    window = QMainWindow()
    qtbot.addWidget(window)
    window.resize(400, 300)
    return window


def _place(parent: QWidget, name: str, *geometry: int) -> QPushButton:
    button = QPushButton(name, parent)
    button.setGeometry(*geometry)
    return button


def test_rows_go_from_top_to_bottom_and_each_from_left_to_right(window: QMainWindow) -> None:
    part = QWidget(window)
    part.setGeometry(0, 0, 400, 300)
    _place(part, "below", 10, 60, 80, 20)
    _place(part, "right", 100, 14, 80, 20)
    _place(part, "left", 10, 10, 80, 40)
    _place(part, "flat", 10, 100, 80, 0)
    window.show()
    names = [stop.text() for stop in focus_stops(window) if isinstance(stop, QPushButton)]
    assert names == ["left", "right", "below", "flat"]


def test_the_parts_of_one_column_come_before_those_of_the_next(window: QMainWindow) -> None:
    for name, x, y in (("d", 200, 150), ("a", 0, 0), ("c", 200, 0), ("b", 0, 150)):
        _place(window, name, x, y, 190, 140)
    window.show()
    assert [stop.property("text") for stop in focus_stops(window)] == ["a", "b", "c", "d"]


def test_what_is_hidden_switched_off_or_outside_is_left_out(window: QMainWindow) -> None:
    _place(window, "here", 0, 0, 90, 20)
    _place(window, "outside", -200, -200, 90, 20)
    _place(window, "off", 0, 30, 90, 20).setEnabled(False)
    window.show()
    _place(window, "hidden", 0, 60, 90, 20)
    assert [stop.property("text") for stop in focus_stops(window)] == ["here"]


def test_after_the_last_comes_the_first_and_a_part_of_a_stop_counts_as_it(
    window: QMainWindow,
) -> None:
    stops = [_place(window, name, 0, 30 * at, 90, 20) for at, name in enumerate("abc")]
    inside = QWidget(stops[1])
    assert next_stop(stops, stops[2], forward=True) is stops[0]
    assert next_stop(stops, inside, forward=False) is stops[0]
    assert next_stop(stops, None, forward=False) is stops[2]
