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
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from core.errors import Code, InspectorError, Place
from core.graph.agent import run_turn
from core.graph.compile import check_change
from core.graph.description import changed_params
from core.graph.workspace import SearchNeeded
from core.knowledge.findings import FileRefused, Finding
from core.play import Play
from core.progress import never_cancelled, no_progress
from core.turn import Turn, TurnRequest
from inspector.compiling import OpenResult, check_edited, open_and_check
from inspector.edits import Edits, with_edits, with_params
from inspector.history import HistoryEntry, TurnHistory

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from core.graph.description import GraphDescription, Node
    from core.opening import Opened
    from core.parameters import NodeParams
    from core.progress import IsCancelled, Progress
    from core.search.embedding import ModelProvider
    from inspector.jobs import Jobs

OPEN_LANE = "open"
TURN_LANE = "turn"
INDEX_LANE = "index"
CHECK_LANE = "check"


@dataclass(frozen=True, slots=True)
class _Pending:
    """A turn that is being searched, and what to do with it when it is there."""

    request: TurnRequest
    done: Callable[[Turn], None]


class Session(QObject):
    """Holds the open graph, its workspace, the parameters in force and the turns so far.

    Signals
    -------
    opened()
        Another graph is open (or the same one again from disk).
    graph_edited()
        A parameter of the graph changed.
    node_changed(name)
        Another node is in hand.
    turn_changed(Turn)
        There is a turn to show: new, re-selected, or picked from the history.
    message_restored(text)
        The message in force is another one than was typed last: a turn was picked.
    outdated_changed(bool)
        The results on screen belong to an older question than the one being worked on.
    param_refused(node, param, InspectorError)
        An edit was refused; the last valid value stays in force.
    findings_changed(), history_changed()
        The lists of problems, and of turns, changed.
    failed(InspectorError or another exception)
        Something asked for did not work; nothing was lost.
    noted(text)
        Something worth a line happened, such as a rebuilt sidecar.
    """

    opened = Signal()
    graph_edited = Signal()
    node_changed = Signal(str)
    turn_changed = Signal(object)
    message_restored = Signal(str)
    outdated_changed = Signal(bool)
    param_refused = Signal(str, str, object)
    findings_changed = Signal()
    history_changed = Signal()
    failed = Signal(object)
    noted = Signal(str)

    def __init__(self, jobs: Jobs, models: ModelProvider, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._models = models
        self.undo_stack = QUndoStack(self)
        self._edits = Edits(self.undo_stack, self.apply_param)
        self.current: Opened | None = None
        self.graph: GraphDescription | None = None
        self.node = ""
        self.message = ""
        self.turn: Turn | None = None
        self.variables: dict[str, str] = {}
        self.exits: dict[str, str] = {}
        self._turns = TurnHistory()
        self.findings: tuple[Finding, ...] = ()
        self.neighbours: tuple[Path, ...] = ()
        self._play = Play()
        self._seen_notes: set[str] = set()
        self._pending: _Pending | None = None
        self._asked_early = ""

    @property
    def history(self) -> list[HistoryEntry]:
        """The turns of this session, the oldest first."""
        return self._turns.entries

    @property
    def history_index(self) -> int:
        """Which of them is shown, −1 for none."""
        return self._turns.index

    # Opening

    def open(self, path: Path, *, root: Path | None = None, keep: bool = False,
             wait: bool = False) -> None:
        """Open a file or folder in a worker; with `keep`, edits, node and message are kept.

        What is open now stays until the new content is known to be good. With `wait` it is open
        when this returns: for composing a window that nobody sees yet.
        """
        models = self._models

        def work(progress: Progress, is_cancelled: IsCancelled) -> OpenResult:
            return open_and_check(path, root, models, progress, is_cancelled)

        if not wait:
            self._jobs.submit(OPEN_LANE, work, partial(self._on_opened, keep),
                              self._on_open_failed)
            return
        try:
            result = work(no_progress, never_cancelled)
        except InspectorError as error:
            self._on_open_failed(error)
        else:
            self._on_opened(keep, result)

    def _on_opened(self, keep: bool, result: OpenResult) -> None:
        opened = result.opened
        self._cancel_turn()
        self._jobs.cancel(INDEX_LANE)
        self._jobs.cancel(CHECK_LANE)
        before, edited = self.current, self.graph
        self.current = opened
        self.graph = opened.graph
        if keep and before is not None and edited is not None:
            self.graph = with_edits(opened.graph, edited, before.graph)
        self.findings = result.findings
        self.neighbours = result.neighbours
        # The collector would look at each of a million records now and then, for a quarter of a
        # second. They are no garbage, and are freed without it.
        gc.freeze()
        self._play = Play()
        names = [node.name for node in opened.graph.nodes]
        if not keep or self.node not in names:
            self.node = next((n.name for n in opened.graph.nodes
                              if n.params.attaches_knowledge), names[0])
        asked, self._asked_early = self._asked_early, ""
        if not keep:
            self.turn = None
            self.message = asked
            self._turns = TurnHistory()
            self.history_changed.emit()
            self.message_restored.emit(asked)
        if not keep or edited is None or _kinds(edited) != _kinds(opened.graph):
            self.forget_edits()
        self.opened.emit()
        self.findings_changed.emit()
        self.node_changed.emit(self.node)
        if opened.turn is not None:
            self._show_recorded(opened.turn)
            return
        if asked or (keep and self.turn is not None):
            self.run(self.message)
        self._prepare_indexes()

    def _show_recorded(self, turn: Turn) -> None:
        """Show a turn that ran elsewhere; only running the question again searches here."""
        self.message = turn.request.message
        self.message_restored.emit(self.message)
        self._show(turn, partial(self._remember, live=False))

    def _on_open_failed(self, error: BaseException) -> None:
        if isinstance(error, FileRefused):
            self.findings = error.findings
            self.findings_changed.emit()
        self.failed.emit(error)

    def cancel(self) -> None:
        """Stop what is being opened, embedded, searched or indexed."""
        for lane in (OPEN_LANE, CHECK_LANE, INDEX_LANE):
            self._jobs.cancel(lane)
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
        self._run(self._request(self._play), lambda turn: self._remember(turn, live=live))

    def _request(self, play: Play) -> TurnRequest:
        graph = self._graph()
        return TurnRequest(
            message=self.message, params={node.name: node.params for node in graph.nodes},
            start_node=graph.start_node, default_model_name=graph.default_model_name,
            exits=dict(self.exits), variables=dict(self.variables),
            play=play)

    def _run(self, request: TurnRequest, done: Callable[[Turn], None]) -> None:
        current = self.current
        if current is None:
            return
        workspace = current.workspace
        try:
            turn = run_turn(request, workspace, cached_only=True)
        except SearchNeeded:
            self._pending = _Pending(request, done)
            self.outdated_changed.emit(True)

            def work(progress: Progress, is_cancelled: IsCancelled) -> Turn:
                return run_turn(request, workspace, progress=progress, is_cancelled=is_cancelled)

            self._jobs.submit(TURN_LANE, work, lambda turn: self._on_turn(turn, done),
                              self._on_turn_failed)
            return
        self._jobs.cancel(TURN_LANE)
        self._show(turn, done)

    def _on_turn(self, turn: Turn, done: Callable[[Turn], None]) -> None:
        latest = self._request(turn.request.play)
        if latest.params != turn.request.params and turn.error is None:
            # A slider moved while the search ran: select again with what is in force now.
            self._run(latest, done)
            return
        self._show(turn, done)
        self._tell_notes()

    def _on_turn_failed(self, error: BaseException) -> None:
        self._pending = None
        self.outdated_changed.emit(False)
        self.failed.emit(error)

    def _show(self, turn: Turn, done: Callable[[Turn], None]) -> None:
        self._pending = None
        self.turn = turn
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
            self._play = turn.next_play(keeps_dialog=False)

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
        self.graph = with_params(self._graph(), entry.turn.request.params)
        self.forget_edits()
        self.graph_edited.emit()
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

    def edit_param(self, param: str, value: Any, *, node: str = "") -> bool:
        """Change a parameter through the undo stack; return False when it was refused."""
        graph = self._graph()
        name = node or self.node
        try:
            before = graph.node(name)
            after = changed_params(before, param, value)
            self._check_edit(before, after, param)
        except InspectorError as error:
            self.param_refused.emit(name, param, error)
            return False
        old, new = getattr(before.params, param), getattr(after, param)
        if old != new:
            self._edits.push(name, param, old, new)
        else:
            # What was refused in between is not true any more.
            self.graph_edited.emit()
        return True

    def _check_edit(self, node: Node, after: NodeParams, param: str) -> None:
        if self.current is not None:
            check_change(after, param, self.current.workspace, node=node.name)
        spec = node.params.specs()[param]
        if spec.is_exit:
            target = getattr(after, param)
            if target and target not in {n.name for n in self._graph().nodes}:
                raise InspectorError(Code.GraphCompilationFailed, f'no node is called "{target}"',
                                     place=Place(node=node.name, param=param))

    def end_edit(self) -> None:
        """Close the running edit: the next one is undone on its own."""
        self._edits.end()

    def forget_edits(self) -> None:
        """Let nothing be undone any more."""
        self._edits.forget()

    def apply_param(self, node: str, param: str, value: Any) -> None:
        """Put a value in force without an undo step (undo and redo call this too)."""
        self.graph = self._graph().with_param(node, param, value)
        self.graph_edited.emit()
        if self.graph.node(node).params.specs()[param].structural:
            self._renew_agent(node, param)
        pending = self._pending
        if pending is None:
            if self.turn is not None and not self.turn.recorded:
                self._run(self._request(self.turn.request.play), self._update_entry)
            return
        request = self._request(pending.request.play)
        if request.search_inputs != pending.request.search_inputs:
            self._run(request, pending.done)

    def _renew_agent(self, node: str, param: str) -> None:
        """Compile the edited graph anew: what a structural parameter asks for."""
        graph, current = self._graph(), self.current
        if current is None:
            return

        def work(progress: Progress, is_cancelled: IsCancelled) -> tuple[Finding, ...]:
            return check_edited(graph, current, progress, is_cancelled)

        def done(findings: tuple[Finding, ...]) -> None:
            self.findings = findings
            self.findings_changed.emit()
            self.noted.emit(f"New agent: {node}.{param} is fixed once an agent exists, so the "
                            "edited graph has a new one")
            self._prepare_indexes()

        self._jobs.submit(CHECK_LANE, work, done, self.failed.emit)

    def baseline(self, node: str = "") -> NodeParams:
        """Return the parameters that the graph file gives the node (default: the one in hand)."""
        if self.current is None:
            raise LookupError("nothing is open")
        return self.current.graph.node(node or self.node).params

    def is_edited(self) -> bool:
        """Tell whether a parameter differs from the graph file."""
        return (self.graph is not None and self.current is not None
                and self.graph.nodes != self.current.graph.nodes)

    def reset_node(self) -> None:
        """Put the node in hand back to the graph's values, as one undo step."""
        node = self._graph().node(self.node)
        baseline = self.baseline()
        with self._edits.as_one_step(f"reset {node.name}"):
            for param in node.params.specs():
                self.edit_param(param, getattr(baseline, param))

    def save(self, path: Path) -> bool:
        """Write the graph as it is now; return False when it could not be written."""
        graph = self._graph().copy()
        try:
            graph.save(path)
        except InspectorError as error:
            self.failed.emit(error)
            return False
        if self.current is not None:
            self.current = dataclasses.replace(self.current, graph=graph, path=path)
        self.graph = graph
        self.undo_stack.setClean()
        self.graph_edited.emit()
        return True

    def _graph(self) -> GraphDescription:
        if self.graph is None:
            raise LookupError("nothing is open")
        return self.graph

    # Indexes and notes

    def _prepare_indexes(self) -> None:
        """Load or build in the background what the graph's searches will need."""
        current = self.current
        if current is None:
            return
        workspace = current.workspace
        tables = [node.params for node in self._graph().nodes]

        def work(progress: Progress, is_cancelled: IsCancelled) -> None:
            workspace.prepare(tables, progress, is_cancelled)

        self._jobs.submit(INDEX_LANE, work, lambda _: self._tell_notes(), self.failed.emit)

    def _tell_notes(self) -> None:
        if self.current is None:
            return
        for note in self.current.workspace.notes:
            if note not in self._seen_notes:
                self._seen_notes.add(note)
                self.noted.emit(note)

    def close(self) -> None:
        """End the embedding process, and let the commands of the undo stack go.

        Left to the garbage collector, the commands could be freed before the stack, which would
        free them once more.
        """
        self._models.close()
        self.forget_edits()
        gc.unfreeze()


def _kinds(graph: GraphDescription) -> dict[str, str]:
    return {node.name: node.type for node in graph.nodes}
