"""The older, flat form of diagnostics: dotted keys such as ``knowledge.result[000].id``.

A key is the node's name, or none, then ``knowledge``, or none, then sections such as
``parameters``, or none, then the key itself. A node that is not named is called ``knowledge``.
"""

from __future__ import annotations

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
