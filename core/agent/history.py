"""The turns that were asked: one a question, or a setting, that was meant; kept as they were."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.agent.changes import changes, value_words
from core.nodes.kind import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.agent.turn import NodeRun, Turn

MOST_TURNS = 200
"""Beyond these the oldest go that are not pinned, then the oldest."""


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """What came of a turn, and how it searched.

    hits : chunks attached by all the nodes that searched.
    settings : mode, top_k and threshold of those nodes; several that differ joined by " + ".
    error : code and name of what ended the turn, "" for none.
    """

    hits: int
    settings: str
    error: str = ""

    @classmethod
    def of(cls, turn: Turn) -> TurnSummary:
        """Sum a turn up."""
        searched = [run for run in turn.runs if run.retrieval is not None]
        return cls(
            sum(hits_of(run) for run in searched),
            " + ".join(dict.fromkeys(_settings(run) for run in searched)),
            f"{int(turn.error.code)} {turn.error.name}" if turn.error else "",
        )


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One turn that was asked.

    live : it was typed or moved, not run for good: it leaves nothing to the next one.
    is_open : it is not meant yet: what is typed or moved further takes its place.
    when : seconds since the epoch.
    name : what the user calls it, "" for its message.
    told : what came of it, where it was asked before the program was started: it is run again to
        be looked at, and `turn` has only its request. None for a turn with its results.
    """

    turn: Turn
    live: bool
    is_open: bool = False
    when: float = field(default_factory=time.time)
    name: str = ""
    is_pinned: bool = False
    told: TurnSummary | None = None

    @property
    def summary(self) -> TurnSummary:
        """What came of it."""
        return self.told if self.told is not None else TurnSummary.of(self.turn)


class TurnHistory:
    """Keeps the turns, the oldest first, and knows which of them is shown.

    The newest may be open: then what is typed or moved next takes its place. One that is not open
    is never changed by what comes after it. `entries` is another list after every change, so that
    who shows it can tell.
    """

    def __init__(self) -> None:
        self.entries: list[HistoryEntry] = []
        self.index = -1

    @property
    def shown(self) -> HistoryEntry | None:
        """The entry whose turn is on screen."""
        return self.entries[self.index] if 0 <= self.index < len(self.entries) else None

    @property
    def is_newest_shown(self) -> bool:
        """Whether there is a turn, and the newest is the one that is shown."""
        return 0 <= self.index == len(self.entries) - 1

    @property
    def _newest(self) -> HistoryEntry | None:
        return self.entries[-1] if self.entries else None

    def add(self, turn: Turn, *, live: bool) -> None:
        """Add a question; one that is typed live stays open."""
        if live:
            self._put_open(turn, live=True)
            return
        newest = self._newest
        kept = self.entries[:-1] if newest is not None and newest.is_open else self.entries
        self._append(kept, HistoryEntry(turn, live=False))

    def vary(self, turn: Turn) -> None:
        """Add what the turn on screen became with other settings.

        With the same ones it is still that turn: its files were read again, or it got a reply.
        """
        newest, is_newest = self._newest, self.is_newest_shown
        if newest is not None and is_newest and not newest.is_open and _is_same(newest, turn):
            self._replace_newest(replace(newest, turn=turn))
            return
        self._put_open(turn, live=newest.live if newest is not None and is_newest else True)

    def _put_open(self, turn: Turn, *, live: bool) -> None:
        """Put an open turn in the place of one that is open, or of itself when it was kept."""
        newest = self._newest
        kept = self.entries[:-1] if newest is not None and newest.is_open else self.entries
        if kept and _asks_same(kept[-1], turn):
            self.entries = [*kept[:-1], replace(kept[-1], turn=turn, told=None)]
            self.index = len(kept) - 1
        else:
            self._append(kept, HistoryEntry(turn, live, is_open=True))

    def _append(self, kept: list[HistoryEntry], entry: HistoryEntry) -> None:
        self.entries = bounded([*kept, entry])
        self.index = len(self.entries) - 1

    def _replace_newest(self, entry: HistoryEntry) -> None:
        self.entries = [*self.entries[:-1], entry]

    def add_recorded(self, turns: Iterable[Turn]) -> None:
        """Add turns of a recording in place of those of another; the last is shown."""
        self.leave()
        for turn in turns:
            self._append(self.entries, HistoryEntry(turn, live=False))

    def keep(self) -> bool:
        """Keep the newest as it is; tell whether it was open before."""
        newest = self._newest
        if newest is None or not newest.is_open:
            return False
        self._replace_newest(replace(newest, is_open=False))
        return True

    def leave(self) -> None:
        """Show none of the turns: they are another graph's. Those of a recording go with it."""
        self.keep()
        self.entries = [entry for entry in self.entries if not entry.turn.recorded]
        self.index = -1

    def pick(self, index: int) -> HistoryEntry | None:
        """Make an entry the one that is shown and return it; None where there is none."""
        if not 0 <= index < len(self.entries):
            return None
        if index < len(self.entries) - 1:
            self.keep()
        self.index = index
        return self.entries[index]

    def fill(self, entry: HistoryEntry, turn: Turn) -> None:
        """Give an entry of an earlier start its results."""
        self.entries = [
            replace(known, turn=turn, told=None) if known is entry else known
            for known in self.entries
        ]

    def change(self, index: int, *, name: str | None = None, is_pinned: bool | None = None) -> None:
        """Rename or pin an entry; either makes it one to be kept."""
        if not 0 <= index < len(self.entries):
            return
        entry = self.entries[index]
        self.entries = list(self.entries)
        self.entries[index] = replace(
            entry,
            name=entry.name if name is None else name.strip(),
            is_pinned=entry.is_pinned if is_pinned is None else is_pinned,
            is_open=False,
        )

    def remove(self, index: int) -> HistoryEntry | None:
        """Take an entry out and return it; of the one that is shown, none is shown then."""
        if not 0 <= index < len(self.entries):
            return None
        entry = self.entries[index]
        self.entries = [*self.entries[:index], *self.entries[index + 1 :]]
        if index == self.index:
            self.index = -1
        elif index < self.index:
            self.index -= 1
        return entry

    def put_back(self, entries: Iterable[HistoryEntry]) -> None:
        """Take entries in at their times: those of earlier starts, or one that was removed."""
        shown = self.shown
        self.entries = bounded(sorted([*self.entries, *entries], key=lambda entry: entry.when))
        self.index = next((n for n, entry in enumerate(self.entries) if entry is shown), -1)


def bounded(entries: list[HistoryEntry]) -> list[HistoryEntry]:
    """Return the entries without the oldest beyond `MOST_TURNS`; pinned ones go last."""
    while len(entries) > MOST_TURNS:
        oldest = next((n for n, entry in enumerate(entries) if not entry.is_pinned), 0)
        entries = [*entries[:oldest], *entries[oldest + 1 :]]
    return entries


def _asks_same(entry: HistoryEntry, turn: Turn) -> bool:
    return not entry.turn.recorded and entry.turn.request == turn.request


def _is_same(entry: HistoryEntry, turn: Turn) -> bool:
    before, after = entry.turn.request, turn.request
    return (
        not entry.turn.recorded and before.message == after.message and not changes(before, after)
    )


def hits_of(run: NodeRun) -> int:
    """Count the chunks that a node has attached to its turn."""
    found = run.retrieval
    if found is None or not kind_of(found.params).attaches_knowledge:
        return 0
    stages = found.stages
    return stages[-1].count if stages else 0


def _settings(run: NodeRun) -> str:
    """Tell mode and limits of a node that searched, as far as it has some."""
    found = run.retrieval
    if found is None:
        return ""
    params = found.params
    limits = {
        name: getattr(params, name)
        for name in ("top_k", "k", "threshold", "min_score")
        if hasattr(params, name) and params.in_force(name)
    }
    if limits.get("threshold") == 0:
        limits["threshold"] = "no limit"
    told = (f"{name} {value_words(value)}" for name, value in limits.items())
    return " · ".join((found.how, *told))
