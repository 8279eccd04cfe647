"""Tells the parts of the window what there is to show, each only when what it reads has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.session.session import Session
    from inspector.session.shown import Shown


_NOTHING = object()


@dataclass(slots=True)
class _Part:
    """A part of the window. `read` is what it depended on when it was told last."""

    reads: Callable[[Shown], object]
    show: Callable[[Shown], object]
    read: object = _NOTHING


class Showing(QObject):
    """Passes every change of a session on to the parts that read what has changed."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._parts: list[_Part] = []
        session.changed.connect(self._on_changed)

    def bind(self, reads: Callable[[Shown], object], show: Callable[[Shown], object]) -> None:
        """Call `show` whenever `reads` gives something else than before.

        Parameters
        ----------
        reads : returns what `show` depends on; cheap, since it is called at every step.
        """
        self._parts.append(_Part(reads, show))

    def _on_changed(self, shown: Shown) -> None:
        for part in self._parts:
            read = part.reads(shown)
            if read != part.read:
                part.read = read
                part.show(shown)
