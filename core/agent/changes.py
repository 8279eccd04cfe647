"""What was set otherwise between two turns, in a few words each."""

from __future__ import annotations

from collections import Counter
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.nodes.walk import TurnRequest

LONGEST_VALUE = 24
"""Characters of a value that is told; of a longer one only that it changed."""


def changes(before: TurnRequest, after: TurnRequest) -> tuple[str, ...]:
    """Return what differs in the settings of two turns, such as ``top_k 3 → 5``.

    A parameter bears its node's name where several nodes have one of that name. Variables and
    simulated exits count, messages and replies do not: those are no settings.
    """
    types = {name: params.node_type for name, params in after.params.items()}
    if types != {name: params.node_type for name, params in before.params.items()}:
        return ("another graph",)
    found: list[str] = []
    for node, params in after.params.items():
        old = before.params[node]
        if old is not params:
            found += [
                _change(_qualified(node, name, after), getattr(old, name), getattr(params, name))
                for name in params.specs()
                if getattr(old, name) != getattr(params, name)
            ]
    if before.start_node != after.start_node:
        found.append(_change("start", before.start_node, after.start_node))
    for told, olds, news in (
        ("", before.variables, after.variables),
        ("exit of ", before.exits, after.exits),
    ):
        found += _changes_of(told, olds, news)
    return tuple(found)


def value_words(value: Any) -> str:
    """Return a parameter's value in a word or two, "" for one that takes more."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, float):
        return f"{value:.12g}"
    text = str(value)
    is_short = not isinstance(value, tuple) and len(text) <= LONGEST_VALUE and "\n" not in text
    return (text or "none") if is_short else ""


def _changes_of(told: str, olds: Mapping[str, str], news: Mapping[str, str]) -> list[str]:
    return [
        _change(f"{told}{name}", olds.get(name, ""), news.get(name, ""))
        for name in dict.fromkeys((*olds, *news))
        if olds.get(name, "") != news.get(name, "")
    ]


def _qualified(node: str, param: str, request: TurnRequest) -> str:
    owners = Counter(param in params.specs() for params in request.params.values())
    return f"{node}.{param}" if owners[True] > 1 else param


def _change(name: str, old: Any, new: Any) -> str:
    was, now = value_words(old), value_words(new)
    return f"{name} {was} → {now}" if was and now else f"{name} changed"
