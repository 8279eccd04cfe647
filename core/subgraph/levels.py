"""How many first parents stand above a node."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def first_beyond(parents: Sequence[Sequence[int]], most: int) -> int | None:
    """Return the first row with more than `most` levels of first parents; None for none.

    Parameters
    ----------
    parents : rows of each node's parents, without a cycle.
    """
    levels: dict[int, int] = {}
    for start in range(len(parents)):
        walk = [start]
        while walk[-1] not in levels and parents[walk[-1]]:
            walk.append(parents[walk[-1]][0])
        level = levels.setdefault(walk.pop(), 1)
        while walk:
            level += 1
            levels[walk.pop()] = level
        if level > most:
            return start
    return None
