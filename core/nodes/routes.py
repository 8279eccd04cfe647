"""Where the exits of a graph lead, and so which nodes can have run before another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from core.nodes.params import NodeParams


def reached(params: Mapping[str, NodeParams], starts: Iterable[str]) -> set[str]:
    """Return the names of the nodes that a walk from one of the `starts` can come to.

    Parameters
    ----------
    params : node name → its parameters.
    """
    found: set[str] = set()
    queue = list(starts)
    while queue:
        name = queue.pop()
        if name in params and name not in found:
            found.add(name)
            queue.extend(params[name].exit_targets().values())
    return found


def nodes_before(params: Mapping[str, NodeParams], start_node: str, name: str) -> tuple[str, ...]:
    """Return the nodes that can have run when `name` runs, in the graph's order; itself in a loop.

    Parameters
    ----------
    params : node name → its parameters.
    """
    into: dict[str, list[str]] = {}
    for node in reached(params, [start_node]):
        for target in params[node].exit_targets().values():
            into.setdefault(target, []).append(node)
    before: set[str] = set()
    queue = list(into.get(name, ()))
    while queue:
        node = queue.pop()
        if node not in before:
            before.add(node)
            queue.extend(into.get(node, ()))
    return tuple(node for node in params if node in before)
