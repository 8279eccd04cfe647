"""Undoable edits of parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QUndoCommand

if TYPE_CHECKING:
    from collections.abc import Callable

_PARAM_EDIT = 1


class ParamEdit(QUndoCommand):
    """One parameter's change. Edits of the same gesture (a drag) merge into one step.

    Parameters
    ----------
    apply : puts a value in force: ``apply(node, param, value)``.
    gesture : number of the gesture; only edits of the same one merge.
    """

    def __init__(self, apply: Callable[[str, str, Any], None], node: str, param: str, old: Any,
                 new: Any, gesture: int) -> None:
        super().__init__(f"change {node}.{param}")
        self._apply = apply
        self._node = node
        self._param = param
        self._old = old
        self._new = new
        self._gesture = gesture

    def undo(self) -> None:
        """Put the old value back."""
        self._apply(self._node, self._param, self._old)

    def redo(self) -> None:
        """Put the new value in force."""
        self._apply(self._node, self._param, self._new)

    def id(self) -> int:
        """Return the kind of command, so that Qt offers equal kinds for merging."""
        return _PARAM_EDIT

    def mergeWith(self, other: QUndoCommand) -> bool:
        """Take over the value of a later edit of the same gesture."""
        if not isinstance(other, ParamEdit):
            return False
        if (other._node, other._param, other._gesture) != (self._node, self._param,
                                                           self._gesture):
            return False
        self._new = other._new
        self.setObsolete(self._new == self._old)
        return True
