"""The turns so far: pinned ones first, then the newest first."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal

from core.agent.changes import changes
from inspector.drawing.words import tooltip
from inspector.models.table_model import USER_ROLE, Index, TableModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.agent.history import HistoryEntry

EntryRole = USER_ROLE + 1
TurnRole = USER_ROLE + 2
"""A row's place in the history: 0 is the oldest turn."""

_SHOWN_CHARACTERS = 400
_EDITABLE = (
    Qt.ItemFlag.ItemIsSelectable
    | Qt.ItemFlag.ItemIsEnabled
    | Qt.ItemFlag.ItemIsEditable
    | Qt.ItemFlag.ItemNeverHasChildren
)
_TODAY, _EARLIER = "%H:%M", "%d %b %H:%M"


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """What the history tells of a turn.

    settings : how it searched: mode, top_k, threshold.
    hits : chunks attached by all the nodes that searched.
    changed : what differs from the turn before.
    """

    message: str
    settings: str
    hits: int
    time: str
    changed: str = ""
    error: str = ""
    name: str = ""
    is_pinned: bool = False

    @classmethod
    def of(cls, entry: HistoryEntry, before: HistoryEntry | None = None) -> TurnEntry:
        """Sum a turn up; `before` is the one that was asked before it."""
        summary, request = entry.summary, entry.turn.request
        changed: tuple[str, ...] = ()
        if before is not None and not entry.turn.recorded and not before.turn.recorded:
            changed = changes(before.turn.request, request)
        when = time.localtime(entry.when)
        is_today = when[:3] == time.localtime()[:3]
        return cls(
            request.message[:_SHOWN_CHARACTERS],
            summary.settings,
            summary.hits,
            time.strftime(_TODAY if is_today else _EARLIER, when),
            ", ".join(changed),
            summary.error,
            entry.name,
            entry.is_pinned,
        )

    @property
    def title(self) -> str:
        """What the user calls it, else its message."""
        return self.name or self.message

    @property
    def outcome(self) -> str:
        """Hits or the error, the time, and what differs from the turn before."""
        found = self.error or f"{self.hits} hit{'' if self.hits == 1 else 's'}"
        return " · ".join(part for part in (found, self.time, self.changed) if part)

    @property
    def summary(self) -> str:
        """All but the title."""
        return " · ".join(part for part in (self.settings, self.outcome) if part)


class TurnsModel(TableModel[TurnEntry]):
    """One row a turn. What it is called can be edited.

    Signals
    -------
    renamed(int, str) : the turn at this place of the history is to be called so.
    """

    renamed = Signal(int, str)

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._places: tuple[int, ...] = ()

    def show_entries(self, entries: Sequence[TurnEntry]) -> bool:
        """Show the history, oldest first as the session keeps it; tell whether rows moved."""
        order = range(len(entries) - 1, -1, -1)
        places = (
            *(place for place in order if entries[place].is_pinned),
            *(place for place in order if not entries[place].is_pinned),
        )
        new = tuple(entries[place] for place in places)
        if places != self._places:
            self._places = places
            self._reset(new)
            return True
        old, self._rows = self._rows, new
        for row, (before, after) in enumerate(zip(old, new, strict=True)):
            if before is not after and before != after:
                self._update(row)
        return False

    def row_of(self, turn: int) -> int:
        """Return the row of a turn, by its place in the history."""
        return self._places.index(turn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title, or everything for the delegate."""
        if role == TurnRole and index.isValid():
            return self._places[index.row()]
        return super().data(index, role)

    def cell(self, entry: TurnEntry, _column: int, role: int) -> Any:
        """Return the title, or everything for the delegate."""
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.EditRole:
                return entry.title
            case Qt.ItemDataRole.AccessibleTextRole:
                pinned = "pinned: " if entry.is_pinned else ""
                return f"{pinned}{entry.title}: {entry.summary}"
            case Qt.ItemDataRole.ToolTipRole:
                lines = (entry.name, entry.message, entry.settings, entry.outcome)
                return tooltip("\n".join(line for line in lines if line))
        return entry if role == EntryRole else None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Ask for another name; the history gives it."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        entry, name = self._rows[index.row()], str(value).strip()
        if name != entry.title:
            self.renamed.emit(self._places[index.row()], name)
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the name be edited."""
        return _EDITABLE if index.isValid() else Qt.ItemFlag.NoItemFlags
