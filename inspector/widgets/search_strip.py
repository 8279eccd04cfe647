"""The searches of a turn with what each found; one of them is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QTabBar, QWidget

from inspector.widgets.parts import named

if TYPE_CHECKING:
    from collections.abc import Sequence


class SearchStrip(QTabBar):
    """One tab a search, hidden while there is only one. Showing emits nothing.

    Signals
    -------
    step_picked(int) : look at the search that was this step of the turn.
    """

    step_picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "searchStrip", "Searches of this turn")
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self._searches: Sequence[tuple[int, str]] = ()
        self.currentChanged.connect(self._on_picked)
        self.hide()

    def show_searches(self, searches: Sequence[tuple[int, str]], step: int) -> None:
        """Show the searches, each as (step of the turn, what it found), and which is in hand."""
        with QSignalBlocker(self):
            for index in range(self.count() - 1, len(searches) - 1, -1):
                self.removeTab(index)
            for index, (_, text) in enumerate(searches):
                if index == self.count():
                    self.addTab("")
                self.setTabText(index, text.replace("&", "&&"))
            steps = [number for number, _ in searches]
            self.setCurrentIndex(steps.index(step) if step in steps else -1)
        self._searches = searches
        self.setVisible(len(searches) > 1)

    def _on_picked(self, index: int) -> None:
        if 0 <= index < len(self._searches):
            self.step_picked.emit(self._searches[index][0])
