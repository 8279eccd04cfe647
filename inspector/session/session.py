"""What is open and what the last turn was: the window's one source of truth.

Data flow: a request captures message and parameters; a turn whose searches are in the cache is
selected at once on the GUI thread (a moved slider), any other runs in a worker, and the answer
is shown only if nothing newer was asked for since.
"""

from __future__ import annotations

import dataclasses
import gc
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.agent.agent import run_turn
from core.errors import InspectorError
from core.io.findings import FileRefused, Finding
from core.io.work import QUIETLY, SearchNeeded, Work
from core.nodes import kind_of
from inspector.session.compiling import OpenResult, check_edited, open_and_check
from inspector.session.edits import with_edits
from inspector.session.graph_editor import GraphEditor
from inspector.session.history import HistoryEntry, TurnHistory
from inspector.session.play_inputs import PlayInputs
from inspector.session.preparing import Preparing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from core.agent.description import GraphDescription
    from core.agent.turn import Turn
    from core.embedding.embedder import ModelProvider
    from core.nodes.turn_request import TurnRequest
    from core.opening.opening import Opened
    from inspector.session.jobs import Jobs

OPEN_LANE = "open"
TURN_LANE = "turn"
CHECK_LANE = "check"


@dataclass(frozen=True, slots=True)
class _Pending:
    """A turn that is being searched, and what to do with it when it is there.

    is_new : it is another question, not the turn on screen with another parameter.
    """

    request: TurnRequest
    done: Callable[[Turn], None]
    is_new: bool


class Session(QObject):
    """Holds the open graph, its workspace, the parameters in force and the turns so far.

    `editor` holds the graph as it is edited, `inputs` what else a turn starts from.

    Signals
    -------
    opened()
        Another graph is open (or the same one again from disk).
    node_changed(name)
        Another node is in hand.
    turn_changed(Turn)
        There is a turn to show: new, re-selected, or picked from the history.
    message_restored(text)
        The message in force is another one than was typed last: a turn was picked.
    outdated_changed(bool)
        The results on screen belong to an older question than the one being worked on.
    findings_changed(), history_changed()
        The lists of problems, and of turns, changed.
    failed(InspectorError or another exception)
        Something asked for did not work; nothing was lost.
    noted(text)
        Something worth a line happened, such as a rebuilt sidecar.
    """

    opened = Signal()
    node_changed = Signal(str)
    turn_changed = Signal(object)
    message_restored = Signal(str)
    outdated_changed = Signal(bool)
    findings_changed = Signal()
    history_changed = Signal()
    failed = Signal(object)
    noted = Signal(str)

    def __init__(self, jobs: Jobs, models: ModelProvider, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._models = models
        self.editor = GraphEditor(self)
        self.editor.param_changed.connect(self._on_param_changed)
        self.inputs = PlayInputs(self)
        self.inputs.changed.connect(self._refresh)
        self._preparing = Preparing(jobs, self)
        self._preparing.noted.connect(self.noted)
        self._preparing.failed.connect(self.failed)
        self.current: Opened | None = None
        self.node = ""
        self.message = ""
        self.turn: Turn | None = None
        self._turns = TurnHistory()
        self.findings: tuple[Finding, ...] = ()
        self.neighbours: tuple[Path, ...] = ()
        self._pending: _Pending | None = None
        self._asked_early = ""

    @property
    def graph(self) -> GraphDescription | None:
        """The graph in force, edits included; None while nothing is open."""
        return self.editor.graph

    @property
    def history(self) -> list[HistoryEntry]:
        """The turns of this session, the oldest first."""
        return self._turns.entries

    @property
    def history_index(self) -> int:
        """Which of them is shown, −1 for none."""
        return self._turns.index

    # Opening

    def open(
        self, path: Path, *, root: Path | None = None, keep: bool = False, wait: bool = False
    ) -> None:
        """Open a file or folder in a worker; with `keep`, edits, node and message are kept.

        What is open now stays until the new content is known to be good. With `wait` it is open
        when this returns: for composing a window that nobody sees yet.
        """
        models = self._models

        def job(work: Work) -> OpenResult:
            return open_and_check(path, root, models, work)

        if not wait:
            self._jobs.submit(OPEN_LANE, job, partial(self._on_opened, keep), self._on_open_failed)
            return
        try:
            result = job(QUIETLY)
        except InspectorError as error:
            self._on_open_failed(error)
        else:
            self._on_opened(keep, result)

    def _on_opened(self, keep: bool, result: OpenResult) -> None:
        opened = result.opened
        self._cancel_turn()
        self._preparing.cancel()
        self._jobs.cancel(CHECK_LANE)
        before, edited = self.current, self.graph
        self.current = opened
        graph = opened.graph
        if keep and before is not None and edited is not None:
            graph = with_edits(graph, edited, before.graph)
        self.editor.show(graph, opened.graph, opened.workspace)
        self.findings = result.findings
        self.neighbours = result.neighbours
        # The collector would look at each of a million records now and then, for a quarter of a
        # second. They are no garbage, and are freed without it.
        gc.freeze()
        names = [node.name for node in opened.graph.nodes]
        if not keep or self.node not in names:
            self.node = next(
                (n.name for n in opened.graph.nodes if kind_of(n.params).attaches_knowledge),
                names[0],
            )
        asked, self._asked_early = self._asked_early, ""
        if not keep:
            self.turn = None
            self.message = asked
            self._turns = TurnHistory()
            self.inputs.restart()
            self.history_changed.emit()
            self.message_restored.emit(asked)
        if not keep or edited is None or _kinds(edited) != _kinds(opened.graph):
            self.editor.forget()
        self.opened.emit()
        self.findings_changed.emit()
        self.node_changed.emit(self.node)
        if opened.turns:
            self._show_recorded(opened.turns)
            return
        if asked:
            self.run(self.message)
        elif keep:
            # The same turn, run again: asked anew it would write to memory once more.
            self._refresh()
        self._prepare()

    def _show_recorded(self, turns: Sequence[Turn]) -> None:
        """Show turns that ran elsewhere; only running a question again searches here."""
        self._turns.forget_recorded()
        for turn in turns[:-1]:
            self._turns.add(turn, live=False, merge=False)
        newest = turns[-1]
        self.message = newest.request.message
        self.message_restored.emit(self.message)
        self._turns.add(newest, live=False, merge=False)
        self._show(newest, lambda _turn: self.history_changed.emit())

    def _on_open_failed(self, error: BaseException) -> None:
        if isinstance(error, FileRefused):
            self.findings = error.findings
            self.findings_changed.emit()
        self.failed.emit(error)

    def cancel(self) -> None:
        """Stop what is being opened, embedded, searched or indexed."""
        for lane in (OPEN_LANE, CHECK_LANE):
            self._jobs.cancel(lane)
        self._preparing.cancel()
        self._cancel_turn()
        self.outdated_changed.emit(False)

    def _cancel_turn(self) -> None:
        """Give up the turn that is being searched; what is edited now counts for the one shown."""
        self._jobs.cancel(TURN_LANE)
        self._pending = None
        if self.turn is not None:
            self.message = self.turn.request.message

    # Turns

    def run(self, message: str, *, live: bool = False) -> None:
        """Run a turn with this message; a newer one wins over an older one still running."""
        self.message = message
        if self.graph is None:
            self._asked_early = message
            return
        if self.turn is not None and message != self.turn.request.message:
            self.inputs.forget_replies(self.editor.in_hand)
        self._run(
            _Pending(
                self._request(is_new=True),
                lambda turn: self._remember(turn, live=live),
                is_new=True,
            )
        )

    def _request(self, *, is_new: bool) -> TurnRequest:
        inputs = self.inputs
        return inputs.request(
            self.message, self.editor.in_hand, inputs.upcoming if is_new else inputs.shown
        )

    def _run(self, wanted: _Pending) -> None:
        current = self.current
        if current is None:
            return
        workspace, request, pending = current.workspace, wanted.request, self._pending
        try:
            turn = run_turn(request, workspace, work=Work(cached_only=True))
        except SearchNeeded:
            self._pending = wanted
            if (
                pending is not None
                and pending.request.search_inputs == request.search_inputs
                and (self._jobs.is_busy(TURN_LANE))
            ):
                # Its search is under way: Enter after a live run, or a slider meanwhile.
                return
            self.outdated_changed.emit(True)

            def job(work: Work) -> Turn:
                return run_turn(request, workspace, work=work)

            self._jobs.submit(TURN_LANE, job, self._on_turn, self._on_turn_failed)
            return
        self._jobs.cancel(TURN_LANE)
        self._show(turn, wanted.done)

    def _on_turn(self, turn: Turn) -> None:
        pending = self._pending
        if pending is None:
            return
        latest = self._request(is_new=pending.is_new)
        if latest != turn.request and turn.error is None:
            # A slider moved while the search ran: select again with what is in force now.
            self._run(_Pending(latest, pending.done, pending.is_new))
            return
        self._show(turn, pending.done)
        if self.current is not None:
            self._preparing.tell_notes(self.current.workspace)

    def _refresh(self) -> None:
        """Run what is on screen, or being searched, with what is in force now."""
        pending = self._pending
        if pending is not None:
            self._run(_Pending(self._request(is_new=pending.is_new), pending.done, pending.is_new))
        elif self.turn is not None and not self.turn.recorded:
            self._run(_Pending(self._request(is_new=False), self._update_entry, is_new=False))

    def _on_turn_failed(self, error: BaseException) -> None:
        self._pending = None
        self.outdated_changed.emit(False)
        self.failed.emit(error)

    def _show(self, turn: Turn, done: Callable[[Turn], None]) -> None:
        self._pending = None
        self.turn = turn
        self.inputs.show(turn)
        done(turn)
        self.outdated_changed.emit(False)
        self.turn_changed.emit(turn)
        if turn.error is not None:
            self.failed.emit(turn.error)

    def _remember(self, turn: Turn, *, live: bool) -> None:
        self._turns.add(turn, live=live)
        self._settle(turn)
        self.history_changed.emit()

    def _settle(self, turn: Turn) -> None:
        """Let the next question start from what the newest turn leaves, once it is asked for good.

        What is still being typed leaves nothing, and neither does an older turn that is shown.
        """
        if self._turns.is_newest_shown and not self._turns.entries[-1].live:
            self.inputs.settle(turn)

    def _update_entry(self, turn: Turn) -> None:
        self._turns.update(turn)
        self._settle(turn)
        self.history_changed.emit()

    def pick_turn(self, index: int) -> None:
        """Bring back a turn of the history: its message, parameters and results."""
        entry = self._turns.pick(index)
        if entry is None:
            return
        self.turn = entry.turn
        self._cancel_turn()
        self.inputs.show(entry.turn)
        if not entry.turn.recorded:
            self.inputs.bring_back(entry.turn.request)
        self.editor.replace_params(entry.turn.request.params)
        self.outdated_changed.emit(False)
        self.message_restored.emit(self.message)
        self.turn_changed.emit(entry.turn)
        self.history_changed.emit()

    def step_history(self, step: int) -> None:
        """Pick the turn `step` places later (negative: earlier) than the one shown."""
        self.pick_turn(self.history_index + step)

    # Parameters

    def pick_node(self, name: str) -> None:
        """Take another node in hand."""
        if self.graph is not None and name != self.node:
            self.node = self.graph.node(name).name
            self.node_changed.emit(name)

    def edit_param(self, param: str, value: object) -> bool:
        """Change a parameter of the node in hand; return False when it was refused."""
        return self.editor.edit(self.node, param, value)

    def _on_param_changed(self, node: str, param: str) -> None:
        if self.editor.in_hand.node(node).params.specs()[param].structural:
            self.inputs.renew_agent()
            self._renew_agent(node, param)
        self._refresh()

    def _renew_agent(self, node: str, param: str) -> None:
        """Compile the edited graph anew: what a structural parameter asks for."""
        graph, current = self.editor.in_hand, self.current
        if current is None:
            return

        def job(work: Work) -> tuple[Finding, ...]:
            return check_edited(graph, current, work)

        def done(findings: tuple[Finding, ...]) -> None:
            self.findings = findings
            self.findings_changed.emit()
            self.noted.emit(
                f"New agent: {node}.{param} is fixed once an agent exists, so the "
                "edited graph has a new one"
            )
            self._prepare()

        self._jobs.submit(CHECK_LANE, job, done, self.failed.emit)

    def save(self, path: Path) -> bool:
        """Write the graph as it is now; return False when it could not be written."""
        try:
            graph = self.editor.save(path)
        except InspectorError as error:
            self.failed.emit(error)
            return False
        if self.current is not None:
            self.current = dataclasses.replace(self.current, graph=graph, path=path)
        return True

    def _prepare(self) -> None:
        """Let what the graph's searches will need be made in the background."""
        if self.current is not None:
            self._preparing.prepare(
                self.current.workspace, [node.params for node in self.editor.in_hand.nodes]
            )

    def close(self) -> None:
        """End the embedding process, and let the commands of the undo stack go.

        Left to the garbage collector, the commands could be freed before the stack, which would
        free them once more.
        """
        self._models.close()
        self.editor.forget()
        gc.unfreeze()


def _kinds(graph: GraphDescription) -> dict[str, str]:
    return {node.name: node.type for node in graph.nodes}
