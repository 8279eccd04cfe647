"""Undoable edits of parameters."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QUndoCommand

from core.agent.description import Node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from PySide6.QtGui import QUndoStack

    from core.agent.description import GraphDescription
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


class ParamEdit(QUndoCommand):
    """One parameter's change. Later values of the same gesture (a drag) extend it.

    Qt's own merging of commands is of no use here: it would leave the Python half of every merged
    command behind.

    Parameters
    ----------
    apply : puts a value in force: ``apply(node, param, value)``.
    gesture : number of the gesture.
    """

    def __init__(
        self,
        apply: Callable[[str, str, Any], None],
        node: str,
        param: str,
        old: Any,
        new: Any,
        gesture: int,
    ) -> None:
        super().__init__(f"change {node}.{param}")
        self._apply = apply
        self._edited = (node, param, gesture)
        self._old = old
        self._new = new

    @property
    def is_void(self) -> bool:
        """Whether it has come back to where it began."""
        return bool(self._new == self._old)

    def belongs_to(self, node: str, param: str, gesture: int) -> bool:
        """Tell whether an edit is part of the same gesture."""
        return self._edited == (node, param, gesture)

    def extend(self, new: Any) -> None:
        """Take over the value of a later edit of the same gesture and put it in force."""
        self._new = new
        self.redo()

    def undo(self) -> None:
        """Put the old value back."""
        node, param, _ = self._edited
        self._apply(node, param, self._old)

    def redo(self) -> None:
        """Put the new value in force."""
        node, param, _ = self._edited
        self._apply(node, param, self._new)


class Edits:
    """Pushes edits to the undo stack, one step a gesture.

    Parameters
    ----------
    stack : takes the commands.
    apply : puts a value in force: ``apply(node, param, value)``.
    """

    def __init__(self, stack: QUndoStack, apply: Callable[[str, str, Any], None]) -> None:
        self._stack = stack
        self._apply = apply
        self._last: ParamEdit | None = None
        self._gesture = 0

    def push(self, node: str, param: str, old: Any, new: Any) -> None:
        """Put a new value in force, as a step of its own or as more of the running gesture."""
        last = self._last
        if (
            last is not None
            and self._stack.index() == self._stack.count()
            and (last.belongs_to(node, param, self._gesture))
        ):
            last.extend(new)
            return
        self._last = ParamEdit(self._apply, node, param, old, new, self._gesture)
        self._stack.push(self._last)

    def end(self) -> None:
        """Close the running gesture; one that came back to where it began is no step."""
        last, self._last = self._last, None
        if last is not None and last.is_void:
            last.setObsolete(True)
            self._stack.undo()
        self._gesture += 1

    def forget(self) -> None:
        """Let nothing be undone any more."""
        self._last = None
        self._stack.clear()

    @contextmanager
    def as_one_step(self, text: str) -> Iterator[None]:
        """Make all edits inside one step."""
        self.end()
        self._stack.beginMacro(text)
        try:
            yield
        finally:
            self._stack.endMacro()
            self._last = None
