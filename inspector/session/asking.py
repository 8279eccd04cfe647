"""The turns that are asked for: at once where the searches are known, else in a worker."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.agent.agent import run_turn
from core.agent.history import HistoryEntry, TurnHistory
from core.io.work import SearchNeeded, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from core.agent.turn import Turn
    from core.agent.workspace import Workspace
    from core.nodes.walk import TurnRequest
    from inspector.session.graph_editor import GraphEditor
    from inspector.session.jobs import Jobs
    from inspector.session.play_inputs import PlayInputs

TURN_LANE = "turn"
REST_MS = 2000
"""What is typed, or moved, is a turn of its own once nothing has changed for so long."""


class Standing(Enum):
    """Whether the turn on screen is what is asked now."""

    ANSWERED = "answered"
    WAITING = "waiting"
    CANCELLED = "cancelled"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class _Pending:
    """A turn that is being searched, and what to do with it when it is there.

    renewed : returns what would be asked now in its place: parameters may have moved meanwhile.
    """

    request: TurnRequest
    keep: Callable[[Turn], None]
    renewed: Callable[[], TurnRequest]


class Asking(QObject):
    """Runs turns and keeps them. A newer question wins over an older one still being searched.

    What is typed or moved while `keeps_what_rests` is on is a turn of its own once it has rested
    for `REST_MS`.

    Signals
    -------
    answered()
        A turn that took a search is there, or it failed.
    history_changed()
        The turns so far are others, or called otherwise; the one on screen is the same.
    failed(InspectorError or another exception)
        A turn ended with an error, or could not be run.
    """

    answered = Signal()
    history_changed = Signal()
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
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self.keep_newest)
        self.keeps_what_rests = True
        self.message = ""
        self.turn: Turn | None = None
        self.standing = Standing.ANSWERED
        self.history = TurnHistory()

    @property
    def is_resting(self) -> bool:
        """Whether what was typed or moved last is about to be a turn of its own."""
        return self._rest.isActive()

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
        self.turn, self.standing = None, Standing.ANSWERED
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
        self._run(self._pending_with(partial(self._add, live=live), is_new=True))

    def refresh(self) -> None:
        """Run what is on screen, or being searched, with what is in force now."""
        pending = self._pending
        if pending is not None:
            self._run(replace(pending, request=pending.renewed()))
        elif self.turn is not None and not self.turn.recorded:
            self._run(self._pending_with(self._vary, is_new=False))

    def reread(self) -> None:
        """Run the turn on screen again on files that were read again; an earlier one stays."""
        if self._pending is not None or self.history.is_newest_shown:
            self.refresh()

    def cancel(self) -> None:
        """Give up the turn that is being searched; what is edited now counts for the one shown."""
        self._jobs.cancel(TURN_LANE)
        self._rest.stop()
        if self._pending is not None:
            self.standing = Standing.CANCELLED
        self._pending = None
        if self.turn is not None:
            self.message = self.turn.request.message

    def mark_failed(self) -> bool:
        """Take it that the turn on screen is not what is asked; tell whether that is new."""
        before, self.standing = self.standing, Standing.FAILED
        return before is not Standing.FAILED

    def show_recorded(self, turns: Sequence[Turn]) -> None:
        """Show turns that ran elsewhere."""
        self.history.add_recorded(turns)
        self.message = turns[-1].request.message
        self._show(turns[-1])

    def pick(self, index: int) -> HistoryEntry | None:
        """Show a turn of the history again; None where there is none.

        Neither it nor what is in force changes. One of an earlier start is run again.
        """
        entry = self.history.pick(index)
        if entry is None:
            return None
        self.cancel()
        if entry.told is not None:
            request = entry.turn.request
            self.message = request.message
            self._run(_Pending(request, partial(self.history.fill, entry), lambda: request))
        else:
            self.turn, self.standing = entry.turn, Standing.ANSWERED
            self.message = entry.turn.request.message
            self._inputs.look_at(entry.turn)
        return entry

    def keep_newest(self) -> None:
        """Let what is typed further, or moved, be another turn than the newest."""
        if self.history.keep():
            self.history_changed.emit()

    def rename(self, index: int, name: str) -> None:
        """Call a turn something; "" for its message."""
        self.history.change(index, name=name)
        self.history_changed.emit()

    def pin(self, index: int, is_pinned: bool) -> None:
        """Keep a turn above the others, and longest."""
        self.history.change(index, is_pinned=is_pinned)
        self.history_changed.emit()

    def remove(self, index: int) -> HistoryEntry | None:
        """Take a turn out of the history, and return it; what is on screen stays there."""
        entry = self.history.remove(index)
        self.history_changed.emit()
        return entry

    def put_back(self, entries: Iterable[HistoryEntry]) -> None:
        """Take turns into the history, at their times."""
        self.history.put_back(entries)
        self.history_changed.emit()

    def _pending_with(self, keep: Callable[[Turn], None], *, is_new: bool) -> _Pending:
        inputs, editor = self._inputs, self._editor

        def request() -> TurnRequest:
            play = inputs.upcoming if is_new else inputs.shown
            return inputs.request(self.message, editor.in_hand, play)

        return _Pending(request(), keep, request)

    def _run(self, wanted: _Pending) -> None:
        workspace, request, pending = self._workspace, wanted.request, self._pending
        if workspace is None:
            return
        self._rest.stop()
        try:
            turn = run_turn(request, workspace, work=Work(cached_only=True))
        except SearchNeeded:
            self._pending, self.standing = wanted, Standing.WAITING
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
        except Exception as error:
            self._jobs.cancel(TURN_LANE)
            self._on_failed(error)
            return
        self._jobs.cancel(TURN_LANE)
        self._show(turn)
        wanted.keep(turn)

    def _on_turn(self, turn: Turn) -> None:
        pending = self._pending
        if pending is None:
            return
        latest = pending.renewed()
        if latest != turn.request and turn.error is None:
            # A slider moved while the search ran: select again with what is in force now.
            self._run(replace(pending, request=latest))
        else:
            self._show(turn)
            pending.keep(turn)
        self.answered.emit()

    def _on_failed(self, error: BaseException) -> None:
        self._pending, self.standing = None, Standing.FAILED
        self.answered.emit()
        self.failed.emit(error)

    def _show(self, turn: Turn) -> None:
        self._pending, self.standing = None, Standing.ANSWERED
        self.turn = turn
        self._inputs.show(turn)
        if turn.error is not None:
            self.failed.emit(turn.error)

    def _add(self, turn: Turn, *, live: bool) -> None:
        self.history.add(turn, live=live)
        self._settle(turn)

    def _vary(self, turn: Turn) -> None:
        self.history.vary(turn)
        self._settle(turn)

    def _settle(self, turn: Turn) -> None:
        """Let the next question start from what the newest turn leaves, once it is asked for good.

        What is still being typed leaves nothing, and neither does an older turn that is shown.
        """
        newest = self.history.entries[-1]
        if not newest.live and self.history.is_newest_shown:
            self._inputs.settle(turn)
        if newest.is_open and self.keeps_what_rests:
            self._rest.start()
