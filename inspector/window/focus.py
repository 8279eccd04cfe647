"""Keeps the focus where the next key is meant: Qt gives it to whatever stands next instead."""

from __future__ import annotations

from collections import deque

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget
from shiboken6 import isValid

_MOST_KEPT = 4


class FocusKeeper(QObject):
    """Gives the focus back to where it was before when its place is hidden or switched off.

    Parameters
    ----------
    window : the window whose focus is kept.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._before: deque[QWidget] = deque(maxlen=_MOST_KEPT)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus_changed)

    def _on_focus_changed(self, old: QWidget | None, now: QWidget | None) -> None:
        if now is None or not isValid(self._window) or not self._window.isAncestorOf(now):
            return
        jumped = old is not None and isValid(old) and old.window() is self._window
        if old is not None and jumped and not _is_usable(old):
            for place in reversed(self._before):
                if isValid(place) and place is not old and _is_usable(place):
                    place.setFocus()
                    return
        self._before.append(now)


def _is_usable(widget: QWidget) -> bool:
    return widget.isVisible() and widget.isEnabled()


def enter(panel: QWidget) -> None:
    """Put the focus into a panel: where it was in there last, else into its first view or part."""
    last = panel.focusWidget()
    parts = [part for part in panel.findChildren(QWidget) if _is_usable(part) and _takes_keys(part)]
    views = [part for part in parts if isinstance(part, QAbstractScrollArea)]
    if last is not None and _is_usable(last):
        last.setFocus()
    else:
        (*views, *parts, panel)[0].setFocus()


def _takes_keys(widget: QWidget) -> bool:
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)
