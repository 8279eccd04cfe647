"""Where Tab goes: as the eye does, from part to part of the window, and nowhere that is hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QScrollArea, QWidget

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def focus_stops(window: QMainWindow) -> list[QWidget]:
    """Return what Tab stops at: bars first, then the columns of parts from left to right.

    It is read off the places of things, which the user moves and which come and go.
    """
    inside = window.rect()
    # What is behind another tab stands outside.
    parts = [part for part in _shown(window) if inside.intersects(part.geometry())]
    columns = sorted(parts, key=lambda part: (part.x(), part.y()))
    return [stop for part in columns for stop in _stops(part)]


def next_stop(stops: Sequence[QWidget], here: QWidget | None, *, forward: bool) -> QWidget:
    """Return the stop after or before the one that has the focus, or that holds what has it."""
    while here is not None and here not in stops:
        here = here.parentWidget()
    if here is None:
        return stops[0 if forward else -1]
    return stops[(stops.index(here) + (1 if forward else -1)) % len(stops)]


def move_focus(stop: QWidget, reason: Qt.FocusReason) -> None:
    """Give the focus to a stop, and scroll it into sight."""
    stop.setFocus(reason)
    part = stop.parentWidget()
    while part is not None:
        if isinstance(part, QScrollArea):
            part.ensureWidgetVisible(stop)
        part = part.parentWidget()


def _shown(parent: QWidget) -> list[QWidget]:
    return [
        child
        for child in parent.children()
        if isinstance(child, QWidget) and child.isVisible() and not child.isWindow()
    ]


def _stops(part: QWidget) -> Iterator[QWidget]:
    """Yield what Tab stops at in one part of a window."""
    if part.isEnabled() and part.focusPolicy() & Qt.FocusPolicy.TabFocus and not part.focusProxy():
        yield part
    for child in _in_reading_order(_shown(part)):
        yield from _stops(child)


def _in_reading_order(parts: Sequence[QWidget]) -> list[QWidget]:
    """Order by rows from top to bottom, each from left to right."""
    rest = sorted(parts, key=lambda part: (part.y(), part.x()))
    ordered: list[QWidget] = []
    while rest:
        bottom = rest[0].y() + rest[0].height()
        row = [part for part in rest if part.y() + part.height() // 2 <= bottom]
        ordered += sorted(row, key=lambda part: part.x())
        rest = [part for part in rest if part not in row]
    return ordered
