"""The turns that are asked for: at once where the searches are known, else in a worker."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.agent.agent import run_turn
from core.io.work import SearchNeeded, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from core.agent.turn import Turn
    from core.agent.workspace import Workspace
    from core.nodes.walk import TurnRequest
    from inspector.session.graph_editor import GraphEditor
    from inspector.session.jobs import Jobs
    from inspector.session.play_inputs import PlayInputs

TURN_LANE = "turn"


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
        # With none of them on screen, the newest is of the graph before.
        merge = merge and self.index >= 0
        kept = self.entries[:-1] if merge and newest and (newest.live or same) else self.entries
        self.entries = [*kept, HistoryEntry(turn, live)]
        self.index = len(self.entries) - 1

    def leave(self) -> None:
        """Show none of the turns: they are another graph's. Those of a recording go with it."""
        self.forget_recorded()
        self.index = -1

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


@dataclass(frozen=True, slots=True)
class _Pending:
    """A turn that is being searched, and what to do with it when it is there.

    is_new : it is another question, not the turn on screen with another parameter.
    """

    request: TurnRequest
    keep: Callable[[Turn], None]
    is_new: bool


class Asking(QObject):
    """Runs turns and keeps them. A newer question wins over an older one still being searched.

    Signals
    -------
    answered()
        A turn that took a search is there, or it failed.
    failed(InspectorError or another exception)
        A turn ended with an error, or could not be run.
    """

    answered = Signal()
    failed = Signal(object)

    def __init__(
        self, jobs: Jobs, editor: GraphEditor, inputs: PlayInputs, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._editor = editor
        self._inputs = inputs
        self._workspace: Workspace | None = None
        self._pending: _Pending | None = None
        self.message = ""
        self.turn: Turn | None = None
        self.history = TurnHistory()

    @property
    def is_outdated(self) -> bool:
        """Whether the turn on screen belongs to an older question than the one in work."""
        return self._pending is not None

    def begin(self, workspace: Workspace, *, keep: bool, keep_history: bool) -> None:
        """Ask in another workspace.

        Parameters
        ----------
        keep : message, turn and history stay: the same files, read again.
        keep_history : message and history stay, but no turn is on screen: another graph.
        """
        message = self.message
        self.cancel()
        self._workspace = workspace
        if keep:
            return
        self.turn = None
        self.message = message if keep_history else ""
        if keep_history:
            self.history.leave()
        else:
            self.history = TurnHistory()

    def ask(self, message: str, *, live: bool) -> None:
        """Run a turn with this message; a live one is still being typed."""
        self.message = message
        if self.turn is not None and message != self.turn.request.message:
            self._inputs.forget_replies(self._editor.in_hand)
        self._run(
            _Pending(
                self._request(is_new=True), lambda turn: self._add(turn, live=live), is_new=True
            )
        )

    def refresh(self) -> None:
        """Run what is on screen, or being searched, with what is in force now."""
        pending = self._pending
        if pending is not None:
            self._run(_Pending(self._request(is_new=pending.is_new), pending.keep, pending.is_new))
        elif self.turn is not None and not self.turn.recorded:
            self._run(_Pending(self._request(is_new=False), self._update, is_new=False))

    def cancel(self) -> None:
        """Give up the turn that is being searched; what is edited now counts for the one shown."""
        self._jobs.cancel(TURN_LANE)
        self._pending = None
        if self.turn is not None:
            self.message = self.turn.request.message

    def show_recorded(self, turns: Sequence[Turn]) -> None:
        """Show turns that ran elsewhere; only running a question again searches here."""
        self.history.forget_recorded()
        for turn in turns:
            self.history.add(turn, live=False, merge=False)
        self.message = turns[-1].request.message
        self._show(turns[-1])

    def pick(self, index: int) -> HistoryEntry | None:
        """Show a turn of the history again; None where there is none."""
        entry = self.history.pick(index)
        if entry is not None:
            self.turn = entry.turn
            self.cancel()
            self._inputs.show(entry.turn)
        return entry

    def _request(self, *, is_new: bool) -> TurnRequest:
        inputs = self._inputs
        return inputs.request(
            self.message, self._editor.in_hand, inputs.upcoming if is_new else inputs.shown
        )

    def _run(self, wanted: _Pending) -> None:
        workspace, request, pending = self._workspace, wanted.request, self._pending
        if workspace is None:
            return
        try:
            turn = run_turn(request, workspace, work=Work(cached_only=True))
        except SearchNeeded:
            self._pending = wanted
            if (
                pending is not None
                and pending.request.search_inputs == request.search_inputs
                and self._jobs.is_busy(TURN_LANE)
            ):
                # Its search is under way: Enter after a live run, or a slider meanwhile.
                return
            self._jobs.submit(
                TURN_LANE,
                lambda work: run_turn(request, workspace, work=work),
                self._on_turn,
                self._on_failed,
            )
            return
        self._jobs.cancel(TURN_LANE)
        self._show(turn)
        wanted.keep(turn)

    def _on_turn(self, turn: Turn) -> None:
        pending = self._pending
        if pending is None:
            return
        latest = self._request(is_new=pending.is_new)
        if latest != turn.request and turn.error is None:
            # A slider moved while the search ran: select again with what is in force now.
            self._run(_Pending(latest, pending.keep, pending.is_new))
        else:
            self._show(turn)
            pending.keep(turn)
        self.answered.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._pending = None
        self.answered.emit()
        self.failed.emit(error)

    def _show(self, turn: Turn) -> None:
        self._pending = None
        self.turn = turn
        self._inputs.show(turn)
        if turn.error is not None:
            self.failed.emit(turn.error)

    def _add(self, turn: Turn, *, live: bool) -> None:
        self.history.add(turn, live=live)
        self._settle(turn)

    def _update(self, turn: Turn) -> None:
        self.history.update(turn)
        self._settle(turn)

    def _settle(self, turn: Turn) -> None:
        """Let the next question start from what the newest turn leaves, once it is asked for good.

        What is still being typed leaves nothing, and neither does an older turn that is shown.
        """
        if self.history.is_newest_shown and not self.history.entries[-1].live:
            self._inputs.settle(turn)
