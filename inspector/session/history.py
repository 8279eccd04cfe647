"""The turns of a session, in the order in which they were asked for."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.agent.turn import Turn


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One turn of this session. A live run is still being typed."""

    turn: Turn
    live: bool
    when: float = field(default_factory=time.time)


class TurnHistory:
    """Keeps one entry a question: what is typed further, or asked again, takes its place.

    `entries` is another list after every change, so that who shows it can tell.
    """

    def __init__(self) -> None:
        self.entries: list[HistoryEntry] = []
        self.index = -1

    @property
    def is_newest_shown(self) -> bool:
        """Whether there is a turn, and the newest is the one that is shown."""
        return 0 <= self.index == len(self.entries) - 1

    def add(self, turn: Turn, *, live: bool, merge: bool = True) -> None:
        """Keep a turn as the newest; with `merge`, in place of one that asked the same."""
        newest = self.entries[-1] if self.entries else None
        same = newest is not None and newest.turn.request.message == turn.request.message
        kept = self.entries[:-1] if merge and newest and (newest.live or same) else self.entries
        self.entries = [*kept, HistoryEntry(turn, live)]
        self.index = len(self.entries) - 1

    def forget_recorded(self) -> None:
        """Forget the turns of a recording, which is read again."""
        self.entries = [entry for entry in self.entries if not entry.turn.recorded]
        self.index = len(self.entries) - 1

    def update(self, turn: Turn) -> None:
        """Put another turn in the place of the one that is shown: its parameters moved."""
        if 0 <= self.index < len(self.entries):
            self.entries = list(self.entries)
            self.entries[self.index] = replace(self.entries[self.index], turn=turn)

    def pick(self, index: int) -> HistoryEntry | None:
        """Make an entry the one that is shown and return it; None where there is none."""
        if not 0 <= index < len(self.entries):
            return None
        self.index = index
        return self.entries[index]
