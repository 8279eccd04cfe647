"""How recordings write things: numbers as text, and in the older, flat form dotted keys.

A flat key is such as ``knowledge.result[000].id``: the node's name, or none, then ``knowledge``, or
none, then sections such as ``parameters``, or none, then the key itself. A node that is not named
is called ``knowledge``.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.knowledge.turn_marks import COUNT, RESULT
from core.nodes import RetrieveParams

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


UNNAMED = "knowledge"
"""Name of the node whose keys have no prefix."""
_SECTIONS = frozenset({"parameters", "params", "input", "output", "diagnostics"})
_PARAMETERS = (frozenset(RetrieveParams.specs()) - {"input"}) | {
    "raw_result_count",
    "filtered_count",
    "result_count",
    "dense_raw_count",
    "dense_filtered_count",
    "sparse_raw_count",
    "fused_candidate_count",
}
_HEAD = frozenset({"type", "exit", "next"})
_MOST_PARTS = 16

_LARGEST_WHOLE = 2**53
_NUMBER_CHARS = 40


def number(value: object) -> float | None:
    """Return a finite number, also from its text; None for anything else."""
    if isinstance(value, str) and len(value) <= _NUMBER_CHARS:
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def whole(value: object) -> int | None:
    """Return a whole number of 0 or more, also from its text; None for anything else."""
    found = number(value)
    if found is None or not 0 <= found <= _LARGEST_WHOLE or found != int(found):
        return None
    return int(found)


def text(value: object) -> str | None:
    """Return a text, or a number as text; None for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def plain(value: object, kind: type[Any]) -> object:
    """Return a parameter's value as a graph file would hold it.

    Parameters
    ----------
    kind : the parameter's type. A text is read as such a value, a whole number may be written as
        3.0, a list of texts becomes a text that is separated by commas, an object one of JSON.
    """
    if kind is str and isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if kind is str and isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str) or kind is str:
        return value
    if kind is bool:
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    if kind is float:
        found = number(value)
        return value if found is None else found
    found_whole = whole(value)
    return value if found_whole is None else found_whole


@dataclass(slots=True)
class FlatNode:
    """What the keys of one node say; values as they are written.

    head : type, exit and next, where there are such keys.
    results : by index.
    is_search : whether a result or a count is among its keys.
    """

    head: dict[str, Any] = field(default_factory=dict)
    parameters: dict[str, Any] = field(default_factory=dict)
    query: dict[str, Any] = field(default_factory=dict)
    results: dict[int, dict[str, Any]] = field(default_factory=dict)
    is_search: bool = False

    @property
    def sections(self) -> dict[str, Any]:
        """The sections of the newer form; results in the order of their indices."""
        return {
            "parameters": self.parameters,
            "input": self.query,
            "output": {"results": [self.results[index] for index in sorted(self.results)]},
        }

    def merge(self, other: FlatNode) -> None:
        """Take over what the other says and this does not."""
        self.head = other.head | self.head
        self.parameters = other.parameters | self.parameters
        self.query = other.query | self.query
        self.results = other.results | self.results


def flat_nodes(document: Mapping[str, Any]) -> dict[str, FlatNode]:
    """Return the nodes that searched by name, in the order in which their keys first appear.

    Keys below a node that are not known join its parameters; the other keys belong to no node.
    """
    found: dict[str, FlatNode] = {}
    others = []
    for path, value in _leaves(document):
        place = _place(path)
        if place is None:
            others.append((path, value))
        else:
            _put(found.setdefault(place[0], FlatNode()), place[1], value)
    found = {name: node for name, node in found.items() if node.is_search}
    for path, value in others:
        owner, rest = _owner(path, found)
        if owner is not None:
            owner.parameters.setdefault(rest, value)
    if "" in found and UNNAMED in found:
        found[UNNAMED].merge(found.pop(""))
    return {name or UNNAMED: node for name, node in found.items()}


def flat_sections(diagnostics: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sections of one node's diagnostics whose keys are dotted, whatever the prefix."""
    node = FlatNode()
    for path, value in _leaves(diagnostics):
        place = _place(path)
        if place is not None:
            _put(node, place[1], value)
    return node.sections


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]")
    else:
        yield path, value


_Key = str | tuple[int, str]


def _place(path: str) -> tuple[str, _Key] | None:
    """Return node and key, a result's as (index, key); None for a key that is not known."""
    match = RESULT.search(path)
    if match is not None:
        return _node_of(path[: match.start()]), (int(match[1]), path[match.end() :])
    prefix, _, name = path.rpartition(".")
    if name in _PARAMETERS or name == "query" or name in _HEAD:
        return _node_of(prefix), name
    return None


def _node_of(prefix: str) -> str:
    parts = prefix.split(".")
    while parts and (parts[-1] in _SECTIONS or (len(parts) > 1 and parts[-1] == UNNAMED)):
        parts.pop()
    return ".".join(parts)


def _put(node: FlatNode, key: _Key, value: Any) -> None:
    if isinstance(key, tuple):
        node.is_search = True
        node.results.setdefault(key[0], {})[key[1]] = value
    elif key in _HEAD:
        node.head[key] = value
    elif key == "query":
        node.query[key] = value
    else:
        node.is_search |= COUNT.search(key) is not None
        node.parameters[key] = value


def _owner(path: str, nodes: Mapping[str, FlatNode]) -> tuple[FlatNode | None, str]:
    prefix = path
    for _ in range(_MOST_PARTS):
        prefix, dot, _ = prefix.rpartition(".")
        if not dot:
            break
        owner = nodes.get(_node_of(prefix))
        if owner is not None:
            return owner, path[len(prefix) + 1 :]
    return None, path
