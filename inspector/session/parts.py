"""The parts of the window: each is told only of what it reads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from inspector.session.shown import Shown

    Part = tuple[Callable[[Shown], object], Callable[[Shown], object]]

_NOTHING = object()


@dataclass(slots=True)
class _Bound:
    """A part of the window. `read` is what it depended on when it was told last."""

    reads: Callable[[Shown], object]
    show: Callable[[Shown], object]
    read: object = _NOTHING


class Parts:
    """Tells parts what there is to show, each when what it reads has changed."""

    def __init__(self) -> None:
        self._bound: list[_Bound] = []

    def add(self, parts: Iterable[Part]) -> None:
        """Take parts in.

        Parameters
        ----------
        parts : each (reads, show): `show` is called when `reads` gives something else than before.
            `reads` is cheap, since it is called at every step.
        """
        self._bound += [_Bound(reads, show) for reads, show in parts]

    def show(self, shown: Shown) -> None:
        """Tell each part for which something is new."""
        for part in self._bound:
            read = part.reads(shown)
            if read != part.read:
                part.read = read
                part.show(shown)
