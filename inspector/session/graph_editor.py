"""The graph as it is edited: one parameter at a time, checked, undoable, resettable, saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoStack

from core.agent.compile import check_change
from core.agent.description import changed_params
from core.errors import Code, InspectorError, Place
from inspector.session.edits import Edits, with_params

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from core.agent.description import GraphDescription, Node
    from core.agent.workspace import Workspace
    from core.nodes import NodeParams


class GraphEditor(QObject):
    """Holds the graph in force beside the one of its file.

    `outline` is the graph as of the last change of something else than a number.

    Signals
    -------
    edited(node, param)
        A parameter changed.
    confirmed()
        The value in force was asked for: what was refused in between is not true any more.
    refused(node, param, InspectorError)
        An edit was refused; the last valid value stays in force.
    """

    edited = Signal(str, str)
    confirmed = Signal()
    refused = Signal(str, str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.undo_stack = QUndoStack(self)
        self._edits = Edits(self.undo_stack, self.apply)
        self.graph: GraphDescription | None = None
        self.outline: GraphDescription | None = None
        self._of_file: GraphDescription | None = None
        self._workspace: Workspace | None = None

    def show(
        self, graph: GraphDescription, of_file: GraphDescription, workspace: Workspace
    ) -> None:
        """Take another graph in hand; `of_file` is what it is reset to."""
        self.graph = self.outline = graph
        self._of_file = of_file
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
            self.refused.emit(node, param, error)
            return False
        old, new = getattr(before.params, param), getattr(after, param)
        if old != new:
            self._edits.push(node, param, old, new)
        else:
            self.confirmed.emit()
        return True

    def _check(self, node: Node, after: NodeParams, param: str) -> None:
        if self._workspace is not None:
            check_change(after, param, self._workspace, node=node.name)
        if node.params.specs()[param].is_exit:
            target = getattr(after, param)
            if target and target not in {n.name for n in self.in_hand.nodes}:
                raise InspectorError(
                    Code.GraphCompilationFailed,
                    f'no node is called "{target}"',
                    place=Place(node=node.name, param=param),
                )

    def apply(self, node: str, param: str, value: Any) -> None:
        """Put a value in force without an undo step (undo and redo call this too)."""
        self.graph = self.in_hand.with_param(node, param, value)
        if type(value) not in (int, float):
            self.outline = self.graph
        self.edited.emit(node, param)

    def replace_params(self, params: Mapping[str, NodeParams]) -> None:
        """Put the parameters of an earlier turn in force; nothing can be undone then."""
        self.graph = self.outline = with_params(self.in_hand, params)
        self.forget()

    def end_edit(self) -> None:
        """Close the running edit: the next one is undone on its own."""
        self._edits.end()

    def forget(self) -> None:
        """Let nothing be undone any more."""
        self._edits.forget()

    def baseline(self, node: str) -> NodeParams:
        """Return the parameters that the graph file gives a node."""
        if self._of_file is None:
            raise LookupError("nothing is open")
        return self._of_file.node(node).params

    def reset(self, name: str) -> None:
        """Put a node back to the graph file's values, as one undo step."""
        node, baseline = self.in_hand.node(name), self.baseline(name)
        with self._edits.as_one_step(f"reset {name}"):
            for param in node.params.specs():
                if getattr(node.params, param) != getattr(baseline, param):
                    self.edit(name, param, getattr(baseline, param))
        self.confirmed.emit()

    def save(self, path: Path) -> GraphDescription:
        """Write the graph as it is now, and make that what it is reset to.

        Raises
        ------
        InspectorError
            3010 when it cannot be written.
        """
        graph = self.in_hand.copy()
        graph.save(path)
        self.graph = self.outline = self._of_file = graph
        self.undo_stack.setClean()
        return graph
