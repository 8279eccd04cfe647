"""What is open, edited and asked: the window's one source of truth.

Every step of the user, and every answer of a worker, ends with one `Shown`: all that there is to
show now. A turn whose searches are in the cache is selected at once on the GUI thread (a moved
slider), any other runs in a worker, and the answer is shown only if nothing newer was asked since.
"""

from __future__ import annotations

import gc
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import InspectorError
from core.io.findings import FileRefused, Finding, has_errors
from core.io.work import QUIETLY
from core.nodes import kind_of
from inspector.session.asking import Asking
from inspector.session.checking import Checking
from inspector.session.compiling import OpenResult, open_and_check
from inspector.session.flood import Flood
from inspector.session.graph_editor import GraphEditor, with_edits
from inspector.session.play_inputs import PlayInputs
from inspector.session.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from core.agent.description import GraphDescription
    from core.agent.history import HistoryEntry
    from core.agent.turn import Turn
    from core.embedding.embedder import ModelProvider
    from core.opening.opening import Opened
    from inspector.session.jobs import Jobs

OPEN_LANE = "open"
INDEX_LANE = "index"

_NOTHING = object()


@dataclass(slots=True)
class _Part:
    """A part of the window. `read` is what it depended on when it was told last."""

    reads: Callable[[Shown], object]
    show: Callable[[Shown], object]
    read: object = _NOTHING


class Session(QObject):
    """Holds the open graph, its workspace, the parameters in force and the turns so far.

    `editor` holds the graph as it is edited, `checking` what is wrong with it, `asking` the turns,
    `inputs` what else they start from.

    Signals
    -------
    changed(Shown)
        A step is over: this is what there is to show now.
    leaving()
        Another file takes the place of what is open: what is typed and not in force goes with that.
    opened()
        Another graph is open (or the same one again from disk); comes before `changed`.
    message_restored(text)
        The message in force is another one than was typed last: a turn was picked.
    failed(InspectorError or another exception)
        Something asked for did not work; nothing was lost.
    noted(text)
        Something worth a line happened, such as a rebuilt sidecar.
    """

    changed = Signal(object)
    leaving = Signal()
    opened = Signal()
    message_restored = Signal(str)
    failed = Signal(object)
    noted = Signal(str)

    def __init__(self, jobs: Jobs, models: ModelProvider, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._models = models
        self.editor = GraphEditor(lambda: self.inputs.shown.memory, self)
        self.checking = Checking(jobs, self.editor, self)
        self.inputs = PlayInputs(self)
        self.asking = Asking(jobs, self.editor, self.inputs, self)
        self.editor.edited.connect(self._on_edited)
        self.editor.drafts_changed.connect(self._tell)
        self.checking.checked.connect(self._on_checked)
        self.checking.failed.connect(self.failed)
        self._changes = Flood(self._step, self)
        self.inputs.changed.connect(self._changes.rise)
        self.inputs.upcoming_changed.connect(self._tell)
        self.asking.answered.connect(self._on_answered)
        self.asking.history_changed.connect(self._tell)
        self.asking.failed.connect(self.failed)
        self.changed.connect(self._show_changes)
        self.current: Opened | None = None
        self.node = ""
        self.step = -1
        self.findings: tuple[Finding, ...] = ()
        self.neighbours: tuple[Path, ...] = ()
        self._asked_early = ""
        self._parts: list[_Part] = []
        self._told_notes: set[str] = set()

    @property
    def graph(self) -> GraphDescription | None:
        """The graph in force, edits included; None while nothing is open."""
        return self.editor.graph

    @property
    def turn(self) -> Turn | None:
        """The turn on screen."""
        return self.asking.turn

    @property
    def history(self) -> list[HistoryEntry]:
        """The turns asked in this folder, the oldest first."""
        return self.asking.history.entries

    @property
    def folder(self) -> str:
        """The folder that what is open lies in, "" while nothing is."""
        return str(self.current.workspace.root.path) if self.current is not None else ""

    def shown(self) -> Shown:
        """Return all that there is to show now."""
        asking, editor, inputs = self.asking, self.editor, self.inputs
        return Shown(
            opened=self.current,
            graph=editor.graph,
            outline=editor.outline,
            node=self.node,
            step=self.step,
            message=asking.message,
            turn=asking.turn,
            standing=asking.standing,
            history=asking.history.entries,
            place=asking.history.index,
            drafts=editor.drafts,
            is_mended=editor.is_mended,
            findings=self.findings,
            checked=self.checking.findings,
            play=inputs.shown,
            upcoming=inputs.upcoming,
            keeps_dialog=inputs.keeps_dialog,
            variables=dict(inputs.variables),
            exits=dict(inputs.exits),
            replies=dict(inputs.replies),
        )

    def bind(self, *parts: tuple[Callable[[Shown], object], Callable[[Shown], object]]) -> None:
        """Tell parts of the window what there is to show, each when what it reads has changed.

        Parameters
        ----------
        parts : each (reads, show): `show` is called when `reads` gives something else than before.
            `reads` is cheap, since it is called at every step.
        """
        self._parts += [_Part(reads, show) for reads, show in parts]

    def _show_changes(self, shown: Shown) -> None:
        for part in self._parts:
            read = part.reads(shown)
            if read != part.read:
                part.read = read
                part.show(shown)

    def _tell(self) -> None:
        self.changed.emit(self.shown())

    # Opening

    def open(self, path: Path, *, root: Path | None = None, wait: bool = False) -> None:
        """Open a file or folder in a worker.

        Another graph of the same folder is asked the same question, and the turns so far stay.
        What is open now stays until the new content is known to be good. With `wait` it is open
        when this returns: for composing a window that nobody sees yet.
        """
        job = partial(open_and_check, path, root, self._models, None)
        if not wait:
            self._jobs.submit(OPEN_LANE, job, self._on_opened, self._on_open_failed)
            return
        try:
            result = job(QUIETLY)
        except InspectorError as error:
            self._on_open_failed(error)
        else:
            self._on_opened(result)

    def reload(self, then: Callable[[], object] | None = None) -> None:
        """Read the open files again; if they are broken now, the old content stays in use.

        Edits, node, message and turn are kept.

        Parameters
        ----------
        then : called once they are read.
        """
        if self.current is None:
            return

        def on_opened(result: OpenResult) -> None:
            self._on_opened(result, keep=True)
            if then is not None:
                then()

        root = self.current.workspace.root.path
        job = partial(open_and_check, self.current.path, root, self._models, self.checking.findings)
        self._jobs.submit(OPEN_LANE, job, on_opened, self._on_open_failed)

    def _on_opened(self, result: OpenResult, *, keep: bool = False) -> None:
        self._jobs.cancel(INDEX_LANE)
        same_folder = self.folder == str(result.opened.workspace.root.path)
        self._take(keep, result, same_folder=same_folder)
        # The collector would look at each of a million records now and then, for a quarter of a
        # second. They are no garbage, and are freed without it.
        gc.freeze()
        asked, self._asked_early = self._asked_early, ""
        if not keep and not same_folder:
            self.asking.message = asked
            self.message_restored.emit(asked)
        self.opened.emit()
        if result.opened.turns:
            # Only running a question again searches here.
            self.asking.show_recorded(result.opened.turns)
            self.message_restored.emit(self.asking.message)
        else:
            if asked:
                self.run(asked)
            elif keep:
                # The same turn, run again: asked anew it would write to memory once more.
                self.asking.reread()
            elif self.asking.message:
                self.run(self.asking.message, live=True)
            self._prepare()
        self._tell()

    def _take(self, keep: bool, result: OpenResult, *, same_folder: bool) -> None:
        """Put what was opened in the place of what was open."""
        before, edited, opened = self.current, self.graph, result.opened
        if not keep:
            self.leaving.emit()
        self.asking.begin(opened.workspace, keep=keep, keep_history=same_folder)
        self.current = opened
        graph = opened.graph
        if keep and before is not None and edited is not None:
            graph = with_edits(graph, edited, before.graph)
        self.editor.show(graph, opened.graph, result.drafts, opened.workspace, keep=keep)
        self.checking.begin(opened, result.checked)
        self.findings = (*result.checked, *opened.findings)
        self.neighbours = result.neighbours
        names = [node.name for node in opened.graph.nodes]
        if not keep or self.node not in names:
            self.node = next(
                (n.name for n in opened.graph.nodes if kind_of(n.params).attaches_knowledge),
                next(iter(names), ""),
            )
        if not keep:
            self.inputs.restart()
        if not keep or edited is None or _kinds(edited) != _kinds(opened.graph):
            self.editor.forget()

    def _on_open_failed(self, error: BaseException) -> None:
        if isinstance(error, FileRefused):
            self.findings = error.findings
            self._tell()
        self.failed.emit(error)

    def cancel(self) -> None:
        """Stop what is being opened, embedded, searched or indexed."""
        for lane in (OPEN_LANE, INDEX_LANE):
            self._jobs.cancel(lane)
        self.checking.cancel()
        self.asking.cancel()
        self._tell()

    # Turns

    def run(self, message: str, *, live: bool = False) -> None:
        """Run a turn with this message; a newer one wins over an older one still running."""
        if self.graph is None:
            self._asked_early = message
            return
        self.asking.ask(message, live=live)
        self._tell()

    def _on_answered(self) -> None:
        self._tell()
        if self.current is not None:
            self._tell_notes(self.current)

    def take_unexpected(self, error: BaseException) -> None:
        """Tell of an exception that nobody expected: what is on screen may not be what is asked."""
        if self.asking.mark_failed():
            self._tell()
        self.failed.emit(error)

    def pick_turn(self, index: int) -> None:
        """Look at a turn of the history: its message and results. What is in force stays."""
        if self.asking.pick(index) is not None:
            self.message_restored.emit(self.asking.message)
            self._tell()

    def step_history(self, step: int) -> None:
        """Pick the turn `step` places later (negative: earlier) than the one shown."""
        self.pick_turn(self.asking.history.index + step)

    # Parameters

    def pick_node(self, name: str) -> None:
        """Take another node in hand."""
        if self.graph is not None and name != self.node:
            self.node, self.step = self.graph.node(name).name, -1
            self._tell()

    def pick_step(self, step: int) -> None:
        """Take the node of one step of the turn on screen in hand, and look at that step."""
        if self.graph is not None and self.turn is not None and step < len(self.turn.runs):
            self.node, self.step = self.graph.node(self.turn.runs[step].name).name, step
            self._tell()

    def edit_param(self, param: str, value: object) -> bool:
        """Change a parameter of the node in hand; return False when it was refused."""
        return self.editor.edit(self.node, param, value)

    def reset_node(self) -> None:
        """Put the node in hand back to the graph file's values."""
        if self.graph is not None:
            self.editor.reset(self.node)

    def _on_edited(self, node: str, param: str) -> None:
        spec = self.editor.in_hand.node(node).params.specs()[param]
        if spec.structural:
            self.inputs.renew_agent()
        if spec.structural or self.checking.findings:
            self.checking.after_edit(node, spec)
        self._changes.rise()

    def _step(self) -> None:
        self.asking.refresh()
        self._tell()

    def _on_checked(self, renewed: str) -> None:
        """Tell what is wrong with the edited graph, and of its new agent where it makes one."""
        if self.current is None:
            return
        self.findings = (*self.checking.findings, *self.current.findings)
        self._tell()
        if renewed and not has_errors(self.checking.findings):
            self.noted.emit(
                f"New agent: {renewed} is fixed once an agent exists, so the "
                "edited graph has a new one"
            )
        if renewed:
            self._prepare()

    def save(self, path: Path) -> bool:
        """Write the graph as it is now; return False when it could not be written."""
        try:
            graph = self.editor.save(path)
        except InspectorError as error:
            self.failed.emit(error)
            return False
        if self.current is not None:
            self.current = replace(self.current, graph=graph, path=path)
            self.checking.take_saved(self.current)
        self._tell()
        return True

    def _prepare(self) -> None:
        """Let what the graph's searches will need be made in the background."""
        opened = self.current
        if opened is not None:
            tables = [node.params for node in self.editor.in_hand.nodes]
            job = partial(opened.workspace.prepare, tables)
            self._jobs.submit(INDEX_LANE, job, lambda _: self._tell_notes(opened), self.failed.emit)

    def _tell_notes(self, opened: Opened) -> None:
        """Tell what was rebuilt and why, or could not be written; each note once."""
        for note in opened.workspace.notes:
            if note not in self._told_notes:
                self._told_notes.add(note)
                self.noted.emit(note)

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
