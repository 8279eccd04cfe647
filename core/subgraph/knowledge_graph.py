"""A knowledge graph: nodes below their parents, and labelled connections between any of them."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from core.errors import Code, InspectorError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from core.io.findings import Finding

TagValue = str | int | float | bool
DEFAULT_CONNECTION_TYPE = "default"
_CODE = Code.InvalidEmbeddedStringStorageData
_EXACT_FLOATS = 2.0**53
_NO_ROWS = np.empty(0, dtype=np.int64)
_Key = TypeVar("_Key")


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One node of a knowledge graph.

    parents : ids of its parents; the first one gives its ancestry.
    text : its long text, None where it has none.
    """

    id: str
    title: str
    description: str = ""
    parents: tuple[str, ...] = ()
    tags: Mapping[str, TagValue] = field(default_factory=dict, hash=False)
    directories: tuple[str, ...] = ()
    text: str | None = None


@dataclass(frozen=True, slots=True)
class GraphConnection:
    """One labelled connection, from one node to another or to itself."""

    id: str
    from_id: str
    to_id: str
    label: str = ""
    type: str = DEFAULT_CONNECTION_TYPE


class KnowledgeGraph:
    """Nodes and connections with everything that follows from them. Immutable.

    Rows number the nodes, and lines the connections, in file order.

    Parameters
    ----------
    nodes : each id once.
    connections : each id once; both ends are nodes.
    name : what the graph is called on screen.
    findings : the warnings of its file.

    Attributes
    ----------
    parents, children : rows of each node's parents (in its own order) and children (in file
        order).
    from_rows, to_rows : int64 (connections,), the rows of both ends.

    Raises
    ------
    InspectorError
        8003 for an id that occurs twice or that no node has, and for parents that form a cycle.
    """

    def __init__(
        self,
        nodes: Iterable[GraphNode],
        connections: Iterable[GraphConnection] = (),
        name: str = "",
        findings: Iterable[Finding] = (),
    ) -> None:
        self.nodes = tuple(nodes)
        self.connections = tuple(connections)
        self.name = name
        self.findings = tuple(findings)
        self._rows: dict[str, int] = {node.id: row for row, node in enumerate(self.nodes)}
        if len(self._rows) < len(self.nodes):
            raise InspectorError(_CODE, "two nodes of the knowledge graph have the same id")
        self.parents = tuple(
            tuple(dict.fromkeys(map(self.row, node.parents))) for node in self.nodes
        )
        self.children = children_of(self.parents)
        self.from_rows = self._ends(link.from_id for link in self.connections)
        self.to_rows = self._ends(link.to_id for link in self.connections)
        for cycle in parent_cycles(self.parents):
            raise InspectorError(_CODE, f"the parents form a cycle: {cycle_text(self, cycle)}")

    def __len__(self) -> int:
        """Return the number of nodes."""
        return len(self.nodes)

    def row(self, node_id: str) -> int:
        """Return the row of a node.

        Raises
        ------
        InspectorError
            8003 when no node has this id.
        """
        row = self._rows.get(node_id)
        if row is None:
            raise InspectorError(_CODE, f'there is no node "{node_id}" in the knowledge graph')
        return row

    def __contains__(self, node_id: object) -> bool:
        """Whether a node has this id."""
        return node_id in self._rows

    def _ends(self, ids: Iterator[str]) -> NDArray[np.int64]:
        rows = np.fromiter(map(self.row, ids), dtype=np.int64, count=len(self.connections))
        rows.setflags(write=False)
        return rows

    def ancestry(self, row: int) -> tuple[int, ...]:
        """Return the rows from the root down to the node itself, always by the first parent."""
        rows = [row]
        while self.parents[rows[-1]]:
            rows.append(self.parents[rows[-1]][0])
        return tuple(reversed(rows))

    def path(self, row: int) -> tuple[str, ...]:
        """Return the titles from the root down to the node itself, always by the first parent."""
        return tuple(self.nodes[step].title for step in self.ancestry(row))

    def descendants(self, row: int) -> NDArray[np.int64]:
        """Return the rows of the node and of everything below it, ascending: int64 (m,)."""
        from scipy.sparse.csgraph import breadth_first_order

        found = breadth_first_order(self._tree, row, return_predecessors=False)
        return np.sort(found).astype(np.int64)

    @cached_property
    def _tree(self) -> Any:
        """Parent → child as a sparse matrix (nodes, nodes)."""
        return _matrix(self.children)

    def rows_with_tag(self, name: str, value: TagValue) -> NDArray[np.int64]:
        """Return the rows of the nodes whose tag `name` has this value, ascending: int64 (m,).

        Values are the same when they share one of their `tag_texts`.
        """
        return _union(self._tagged.get((name, text), _NO_ROWS) for text in tag_texts(value))

    def rows_in_directory(self, prefix: str) -> NDArray[np.int64]:
        """Return the rows of the nodes with a directory that starts with `prefix`, ascending.

        A prefix that ends with ``/`` also finds the directory without it.
        """
        names = self._directories
        first = bisect_left(self._directory_names, prefix)
        last = first
        while last < len(names) and self._directory_names[last].startswith(prefix):
            last += 1
        found = [names[name] for name in self._directory_names[first:last]]
        if prefix.endswith("/"):
            found.append(names.get(prefix[:-1], _NO_ROWS))
        return _union(found)

    def prepare(self) -> None:
        """Make the lookups now that are otherwise made when they are first needed."""
        for lookup in ("_tree", "_links", "_tagged", "_directory_names"):
            getattr(self, lookup)

    @cached_property
    def _tagged(self) -> dict[tuple[str, str], NDArray[np.int64]]:
        return _rows_by(
            (
                ((name, text), row)
                for row, node in enumerate(self.nodes)
                for name, value in node.tags.items()
                for text in tag_texts(value)
            )
        )

    @cached_property
    def _directories(self) -> dict[str, NDArray[np.int64]]:
        return _rows_by(
            (name, row) for row, node in enumerate(self.nodes) for name in node.directories
        )

    @cached_property
    def _directory_names(self) -> list[str]:
        return sorted(self._directories)

    @cached_property
    def _links(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Offsets (nodes + 1,) and the lines that touch each node, ascending."""
        count = len(self.connections)
        lines = np.arange(count, dtype=np.int64)
        loops = self.from_rows == self.to_rows
        ends = np.concatenate([self.from_rows, self.to_rows[~loops]])
        touching = np.concatenate([lines, lines[~loops]])
        order = np.lexsort((touching, ends))
        offsets = np.zeros(len(self.nodes) + 1, dtype=np.int64)
        np.cumsum(np.bincount(ends, minlength=len(self.nodes)), out=offsets[1:])
        return offsets, touching[order]

    def links(self, row: int) -> NDArray[np.int64]:
        """Return the lines of the connections that start or end at a node, in file order."""
        offsets, touching = self._links
        return touching[offsets[row] : offsets[row + 1]]

    def other_end(self, line: int, row: int) -> int:
        """Return the end of a connection that is not `row` (itself where it leads back)."""
        start, end = int(self.from_rows[line]), int(self.to_rows[line])
        return end if start == row else start


def tag_texts(value: TagValue) -> frozenset[str]:
    """Return the JSON texts of a tag's value: a text itself, ``true``, ``3`` and ``3.0``."""
    if isinstance(value, bool):
        return frozenset({"true" if value else "false"})
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT_FLOATS:
        return frozenset({str(value), str(int(value))})
    return frozenset({str(value)})


def _rows_by(pairs: Iterable[tuple[_Key, int]]) -> dict[_Key, NDArray[np.int64]]:
    """Return key → its rows, in the order in which they come."""
    lists: dict[_Key, list[int]] = {}
    for key, row in pairs:
        lists.setdefault(key, []).append(row)
    return {key: np.array(rows, dtype=np.int64) for key, rows in lists.items()}


def _union(parts: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the rows that are in any of the ascending parts, ascending, each once."""
    found = [part for part in parts if len(part)]
    if len(found) <= 1:
        return found[0] if found else _NO_ROWS
    return np.unique(np.concatenate(found))


def children_of(parents: Sequence[tuple[int, ...]]) -> tuple[tuple[int, ...], ...]:
    """Return the rows of each row's children, ascending."""
    children: list[list[int]] = [[] for _ in parents]
    for row, above in enumerate(parents):
        for parent in above:
            if not children[parent] or children[parent][-1] != row:
                children[parent].append(row)
    return tuple(map(tuple, children))


def parent_cycles(parents: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return one cycle of every group of rows that are their own ancestors, by first row.

    Each cycle starts with its lowest row, and every row is followed by one of its parents.
    """
    from scipy.sparse.csgraph import connected_components

    _, component = connected_components(_matrix(parents), directed=True, connection="strong")
    members = np.bincount(component)[component] > 1
    for row, above in enumerate(parents):
        if row in above:
            members[row] = True
    cycles = []
    seen: set[int] = set()
    for row in np.flatnonzero(members).tolist():
        group = int(component[row])
        if group not in seen:
            seen.add(group)
            cycles.append(_cycle_from(row, parents, component))
    return sorted(cycles)


def _cycle_from(
    row: int, parents: Sequence[tuple[int, ...]], component: NDArray[Any]
) -> tuple[int, ...]:
    """Walk up inside one strong component until a row comes again."""
    places: dict[int, int] = {}
    walk: list[int] = []
    while row not in places:
        places[row] = len(walk)
        walk.append(row)
        row = next(up for up in parents[row] if component[up] == component[row])
    cycle = walk[places[row] :]
    start = cycle.index(min(cycle))
    return tuple(cycle[start:] + cycle[:start])


def cycle_text(graph: KnowledgeGraph, cycle: Sequence[int]) -> str:
    """Write a cycle as ``"a" → "b" → "a"``, shortened when it is long."""
    return cycle_of_ids([graph.nodes[row].id for row in cycle])


def cycle_of_ids(ids: Sequence[str], shown: int = 6) -> str:
    """Write ids that form a cycle as ``"a" → "b" → "a"``, at most `shown` different ones."""
    names = [f'"{name}"' for name in ids[:shown]]
    if len(ids) > shown:
        names.append("…")
    return " → ".join([*names, f'"{ids[0]}"'])


def _matrix(targets: Sequence[tuple[int, ...]]) -> Any:
    """Row → targets as a sparse matrix (n, n) of ones."""
    from scipy.sparse import csr_array

    count = len(targets)
    offsets = np.zeros(count + 1, dtype=np.int32)
    np.cumsum(np.fromiter(map(len, targets), dtype=np.int32, count=count), out=offsets[1:])
    columns = np.fromiter(chain.from_iterable(targets), dtype=np.int32, count=int(offsets[-1]))
    return csr_array((np.ones(len(columns), dtype=np.int8), columns, offsets), shape=(count, count))
