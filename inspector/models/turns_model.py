"""The turns of this session, newest first."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt

from core.nodes import kind_of
from inspector.drawing.words import tooltip
from inspector.models.table_model import USER_ROLE, Index, TableModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.agent.turn import Turn

EntryRole = USER_ROLE + 1
TurnRole = USER_ROLE + 2
"""A row's place in the session's history: 0 is the oldest turn."""

_SHOWN_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """What the history tells of a turn.

    hits : chunks attached by all the nodes that searched.
    mode : how they searched, in a word or two.
    """

    message: str
    hits: int
    mode: str
    time: str
    error: str = ""

    @classmethod
    def of(cls, turn: Turn, when: float | None = None) -> TurnEntry:
        """Sum a turn up; `when` in seconds since the epoch."""
        retrievals = [run.retrieval for run in turn.runs if run.retrieval is not None]
        modes = dict.fromkeys(r.how for r in retrievals)
        clock = time.strftime("%H:%M:%S", time.localtime(when)) if when is not None else ""
        return cls(
            turn.request.message[:_SHOWN_CHARACTERS],
            sum(
                stages[-1].count
                for r in retrievals
                if kind_of(r.params).attaches_knowledge and (stages := r.stages)
            ),
            " + ".join(modes),
            clock,
            f"{int(turn.error.code)} {turn.error.name}" if turn.error else "",
        )

    @property
    def summary(self) -> str:
        """The second line: hits or the error, mode, time."""
        found = self.error or f"{self.hits} hit{'' if self.hits == 1 else 's'}"
        return " · ".join(part for part in (found, self.mode, self.time) if part)


class TurnsModel(TableModel[TurnEntry]):
    """One row a turn. Read-only."""

    def show_entries(self, entries: Sequence[TurnEntry]) -> bool:
        """Show the history, oldest first as the session keeps it; tell whether rows moved."""
        new = tuple(reversed(entries))
        if len(new) != len(self._rows):
            self._reset(new)
            return True
        old, self._rows = self._rows, new
        for row, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                self._update(row)
        return False

    def row_of(self, turn: int) -> int:
        """Return the row of a turn, by its place in the history."""
        return len(self._rows) - 1 - turn

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the message, or everything for the delegate."""
        if role == TurnRole and index.isValid():
            return self.row_of(index.row())
        return super().data(index, role)

    def cell(self, entry: TurnEntry, _column: int, role: int) -> Any:
        """Return the message, or everything for the delegate."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return entry.message
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{entry.message}: {entry.summary}"
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(f"{entry.message}\n{entry.summary}")
        return entry if role == EntryRole else None
