"""The turns of this session, newest first; picking one brings it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QSize, Signal
from PySide6.QtWidgets import QAbstractItemView, QVBoxLayout, QWidget

from inspector.models.turns_model import TurnEntry, TurnRole, TurnsModel
from inspector.widgets.item_views import ListView
from inspector.widgets.parts import (
    Surface,
    named,
    packed,
)
from inspector.widgets.turns_delegate import TurnsDelegate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.agent.turn import Turn


class TurnsPanel(Surface):
    """A list of turns. Showing emits nothing.

    Signals
    -------
    turn_picked(int) : bring back the turn at this place of the history (0 = oldest): a click, or
        Enter.
    """

    turn_picked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._known: list[tuple[Turn, float | None, TurnEntry]] = []
        self.model = TurnsModel(self)
        self.view = named(ListView(), "turnsView", "Turns of this session, newest first")
        self.view.setModel(self.model)
        self.view.setItemDelegate(TurnsDelegate(self))
        self.view.setUniformItemSizes(True)
        self.view.setMouseTracking(True)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.set_empty_text("No turns yet", "Each question you ask is kept here")
        self.view.clicked.connect(self._on_picked)
        self.view.row_activated.connect(self._on_picked)
        packed(QVBoxLayout(self), self.view, margins=(4, 4, 4, 4))

    def show_turns(self, turns: Sequence[Turn], current: int, times: Sequence[float] = ()) -> None:
        """Show the history, oldest first, with the turn that is on screen selected.

        Parameters
        ----------
        turns : the history.
        current : place of the turn on screen, −1 for none.
        times : when each was asked, seconds since the epoch; may be left out.
        """
        entries: list[tuple[Turn, float | None, TurnEntry]] = []
        for place, turn in enumerate(turns):
            when = times[place] if place < len(times) else None
            known = self._known[place] if place < len(self._known) else None
            # A moved slider changes one turn of hundreds.
            entry = (
                known[2]
                if known is not None and known[0] is turn and known[1] == when
                else (TurnEntry.of(turn, when))
            )
            entries.append((turn, when, entry))
        self._known = entries
        self.model.show_entries([entry for _, _, entry in entries])
        index = (
            self.model.index(self.model.row_of(current), 0)
            if (0 <= current < len(entries))
            else QModelIndex()
        )
        if index != self.view.currentIndex():
            self.view.setCurrentIndex(index)

    def _on_picked(self, index: QModelIndex) -> None:
        self.turn_picked.emit(index.data(TurnRole))

    def minimumSizeHint(self) -> QSize:
        """Ask for two turns."""
        height = self.fontMetrics().height()
        return QSize(12 * self.fontMetrics().averageCharWidth(), 4 * height + 24)
