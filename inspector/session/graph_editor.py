"""The graph as it is edited: one parameter at a time, checked, undoable, resettable, saved."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from core.agent.compile import check_change
from core.agent.description import Node, changed_params
from core.agent.drafts import refused
from core.errors import Code, InspectorError, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from core.agent.description import GraphDescription
    from core.agent.drafts import Drafts, RefusedValue
    from core.agent.workspace import Workspace
    from core.knowledge.memory import MemoryStore
    from core.nodes import NodeParams


def with_params(graph: GraphDescription, params: Mapping[str, NodeParams]) -> GraphDescription:
    """Return a copy of the graph with these parameters by node, where the node's type fits."""
    return graph.copy(
        Node(node.name, params[node.name])
        if type(params.get(node.name)) is type(node.params)
        else node
        for node in graph.nodes
    )


def with_edits(
    graph: GraphDescription, edited: GraphDescription, baseline: GraphDescription
) -> GraphDescription:
    """Return a copy of the graph with the edits that made `edited` of `baseline`.

    A node that is not there any more, or is of another type, takes its edits along.
    """
    before = {node.name: node.params for node in baseline.nodes}
    params = {}
    for node in graph.nodes:
        after = next((n.params for n in edited.nodes if n.name == node.name), None)
        old = before.get(node.name)
        if type(after) is type(old) is type(node.params):
            changes = {
                name: getattr(after, name)
                for name in node.params.specs()
                if getattr(after, name) != getattr(old, name)
            }
            params[node.name] = replace(node.params, **changes)
    return with_params(graph, params)


_KEYS_APART_MS = 400


class ParamEdit(QUndoCommand):
    """One parameter's change. `new` follows later values of the same gesture (a drag).

    Qt's own merging of commands is of no use here: it would leave the Python half of every merged
    command behind.

    Parameters
    ----------
    apply : puts a value in force: ``apply(node, param, value, fault)``.
    gesture : number of the gesture.
    fault : what the file gives the parameter and it does not take, where that stood in the field.
    """

    def __init__(
        self,
        apply: Callable[[str, str, Any, RefusedValue | None], None],
        node: str,
        param: str,
        gesture: int,
        old: Any,
        new: Any,
        fault: RefusedValue | None,
    ) -> None:
        super().__init__(f"change {node}.{param}")
        self._apply = apply
        self.edited = (node, param, gesture)
        self.old = old
        self.new = new
        self._fault = fault

    def undo(self) -> None:
        """Put the old value back, and the fault of the file that it stood beside."""
        node, param, _ = self.edited
        self._apply(node, param, self.old, self._fault)

    def redo(self) -> None:
        """Put the new value in force."""
        node, param, _ = self.edited
        self._apply(node, param, self.new, None)


class GraphEditor(QObject):
    """Holds the graph in force beside the one of its file.

    `outline` is the graph as of the last change of something else than a number. `drafts` holds
    what was refused and not replaced, of all nodes; it is another mapping after every change.
    `is_mended` tells whether something stands in the place of what its file has and is refused.

    Parameters
    ----------
    memory : returns the memory stores that play has changed, by name.

    Signals
    -------
    edited(node, param)
        A parameter changed; what was refused of it is gone.
    drafts_changed()
        An edit was refused, or asked for what is in force: then what was refused is gone.
    """

    edited = Signal(str, str)
    drafts_changed = Signal()

    def __init__(
        self, memory: Callable[[], Mapping[str, MemoryStore]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._memory = memory
        self.undo_stack = QUndoStack(self)
        self._last: ParamEdit | None = None
        self._gesture = 0
        self._keys_over = QTimer(self, singleShot=True, interval=_KEYS_APART_MS)
        self._keys_over.timeout.connect(self.end_edit)
        self.graph: GraphDescription | None = None
        self.outline: GraphDescription | None = None
        self.drafts: Drafts = {}
        self.is_mended = False
        self._of_file: GraphDescription | None = None
        self._drafts_of_file: Drafts = {}
        self._workspace: Workspace | None = None

    def show(
        self,
        graph: GraphDescription,
        of_file: GraphDescription,
        drafts: Drafts,
        workspace: Workspace,
        *,
        keep: bool,
    ) -> None:
        """Take another graph in hand.

        Parameters
        ----------
        of_file, drafts : what it is reset to: what is in force of its file, and what is not.
        keep : it is the same graph, read again: what is typed and refused stays.
        """
        typed = {
            (node, param): draft
            for (node, param), draft in self.drafts.items()
            if keep and not draft.is_of_file and _has(graph, node, param)
        }
        self.graph = self.outline = graph
        self._of_file, self._drafts_of_file = of_file, drafts
        self._set_drafts({**drafts, **typed})
        self._workspace = workspace

    @property
    def in_hand(self) -> GraphDescription:
        """The graph in force.

        Raises
        ------
        LookupError
            Nothing is open.
        """
        if self.graph is None:
            raise LookupError("nothing is open")
        return self.graph

    def edit(self, node: str, param: str, value: Any) -> bool:
        """Change a parameter through the undo stack; return False when it was refused."""
        try:
            before = self.in_hand.node(node)
            after = changed_params(before, param, value)
            self._check(before, after, param)
        except InspectorError as error:
            self._set_drafts({**self.drafts, (node, param): refused(value, error)})
            self.drafts_changed.emit()
            return False
        old, new = getattr(before.params, param), getattr(after, param)
        if old != new:
            self._push(node, param, old, new)
        elif self._forget_draft(node, param):
            self.drafts_changed.emit()
        return True

    def _forget_draft(self, node: str, param: str) -> bool:
        """Forget what was refused of a parameter; tell whether there was something."""
        if (node, param) not in self.drafts:
            return False
        self._set_drafts({key: kept for key, kept in self.drafts.items() if key != (node, param)})
        return True

    def _set_drafts(self, drafts: Drafts) -> None:
        self.drafts = drafts
        self.is_mended = any(key not in drafts for key in self._drafts_of_file)

    @property
    def faults(self) -> Drafts:
        """What stands in the place of values of the file that it does not take."""
        return {key: kept for key, kept in self.drafts.items() if key in self._drafts_of_file}

    def _push(self, node: str, param: str, old: Any, new: Any) -> None:
        """Put a new value in force, as a step of its own or as more of the running gesture."""
        last, edited = self._last, (node, param, self._gesture)
        is_newest = self.undo_stack.index() == self.undo_stack.count()
        if last is not None and is_newest and last.edited == edited:
            last.new = new
            last.redo()
            return
        draft = self.drafts.get((node, param))
        fault = draft if draft is not None and draft.is_of_file else None
        self._last = ParamEdit(self._apply, *edited, old, new, fault)
        self.undo_stack.push(self._last)

    def _check(self, node: Node, after: NodeParams, param: str) -> None:
        if self._workspace is not None:
            graph = self.in_hand.around(self._memory())
            check_change(after, param, self._workspace, node=node.name, graph=graph)
        if node.params.specs()[param].is_exit:
            target = getattr(after, param)
            if target and target not in {n.name for n in self.in_hand.nodes}:
                raise InspectorError(
                    Code.GraphCompilationFailed,
                    f'no node is called "{target}"',
                    place=Place(node=node.name, param=param),
                )

    def _apply(self, node: str, param: str, value: Any, fault: RefusedValue | None) -> None:
        """Put a value in force without an undo step (undo and redo call this too)."""
        if self.drafts:
            self._forget_draft(node, param)
        if fault is not None:
            self._set_drafts({**self.drafts, (node, param): fault})
        self.graph = self.in_hand.with_param(node, param, value)
        if type(value) not in (int, float):
            self.outline = self.graph
        self.edited.emit(node, param)

    def replace_params(self, params: Mapping[str, NodeParams]) -> bool:
        """Put the parameters of an earlier turn in force; return False when nothing changed."""
        before = self.in_hand
        self.graph = self.outline = with_params(before, params)
        changed = [
            (not spec.structural, node.name, name)
            for node, old in zip(self.graph.nodes, before.nodes, strict=True)
            for name, spec in node.params.specs().items()
            if getattr(node.params, name) != getattr(old.params, name)
        ]
        if changed:
            # A structural parameter, where there is one: it asks for a new agent.
            _, node_name, param = min(changed)
            self.edited.emit(node_name, param)
        return bool(changed)

    def end_step(self) -> None:
        """Close the running gesture unless more keys follow soon: they are one, as a drag is."""
        self._keys_over.start()

    def end_edit(self) -> None:
        """Close the running gesture; one that came back to where it began is no step."""
        self._keys_over.stop()
        last, self._last = self._last, None
        if last is not None and last.new == last.old:
            last.setObsolete(True)
            self.undo_stack.undo()
        self._gesture += 1

    def forget(self) -> None:
        """Let nothing be undone any more."""
        self._last = None
        self.undo_stack.clear()

    def baseline(self, node: str) -> NodeParams:
        """Return the parameters that the graph file gives a node."""
        if self._of_file is None:
            raise LookupError("nothing is open")
        return self._of_file.node(node).params

    def reset(self, name: str) -> None:
        """Put a node back to the graph file's values, as one undo step."""
        node, baseline = self.in_hand.node(name), self.baseline(name)
        self.end_edit()
        self.undo_stack.beginMacro(f"reset {name}")
        try:
            for param in node.params.specs():
                if getattr(node.params, param) != getattr(baseline, param):
                    self.edit(name, param, getattr(baseline, param))
        finally:
            self.undo_stack.endMacro()
            self._last = None
        others = {key: draft for key, draft in self.drafts.items() if key[0] != name}
        of_file = {key: draft for key, draft in self._drafts_of_file.items() if key[0] == name}
        self._set_drafts({**others, **of_file})
        self.drafts_changed.emit()

    def save(self, path: Path) -> GraphDescription:
        """Write the graph as it is now, and make that what it is reset to.

        What was refused is not written, and stays.

        Raises
        ------
        InspectorError
            3010 when it cannot be written.
        """
        graph = self.in_hand.copy()
        graph.save(path)
        self.graph = self.outline = self._of_file = graph
        self._drafts_of_file = {}
        self._set_drafts(
            {key: replace(kept, is_of_file=False) for key, kept in self.drafts.items()}
        )
        self.undo_stack.setClean()
        return graph


def _has(graph: GraphDescription, name: str, param: str) -> bool:
    """Tell whether a graph has a node with such a parameter."""
    return any(node.name == name and param in node.params.specs() for node in graph.nodes)
