"""Loads a knowledge graph file (``*.kg.json``): every problem is a finding with its place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import Code
from core.io.findings import Findings, Severity
from core.io.json_file import collector_paused, describe, read_bytes, read_json, refuse_errors
from core.io.json_text import child
from core.io.wording import did_you_mean
from core.io.work import QUIETLY, Work
from core.subgraph.file_keys import CONNECTION_KEYS, FILE_KEYS, NODE_KEYS
from core.subgraph.graph_pieces import parse_in_pieces
from core.subgraph.knowledge_graph import (
    DEFAULT_CONNECTION_TYPE,
    GraphConnection,
    GraphNode,
    KnowledgeGraph,
    children_of,
    cycle_of_ids,
    parent_cycles,
)
from core.subgraph.levels import first_beyond
from core.subgraph.near_ids import NearIds

if TYPE_CHECKING:
    from collections.abc import Sequence

VERSION = 1
MAX_LEVELS = 1000
"""Levels of first parents that a graph may have: every node of a response names its ancestry."""

_CODE = Code.InvalidEmbeddedStringStorageData
_MISSPELT = 0.8
_STEP = 4096
_BOM = b"\xef\xbb\xbf"


def load_knowledge_graph(path: Path | str, work: Work = QUIETLY) -> KnowledgeGraph:
    """Read a knowledge graph file.

    ``{"nodes": [{"node_id", "title", "description"?, "parents"?, "tags"?, "directories"?,
    "text_content"?}], "connections"?: [{"connection_id", "from_node_id", "to_node_id",
    "label"?, "connection_type"?}]}``. Optional keys may be null. A tag's value is a text, a
    number, true or false. A faulty connection and an unknown parent are left out, with a warning.
    A node's `children` and a connection's titles may be there, as the response has them; they are
    derived anyhow, and `children` that disagree with the parents are a warning. Other keys are
    ignored.

    Raises
    ------
    FileRefused
        With every finding (100 at most). 3010 when there is no such file, 3011 when it is no
        knowledge graph, 8003 for what is wrong in it: a missing, empty or wrongly typed value, an
        node's id that occurs twice, parents that form a cycle or more
        than `MAX_LEVELS` levels.
    Cancelled
        When `work` is cancelled.
    """
    path = Path(path)
    findings = Findings(_CODE, str(path))
    with collector_paused():
        value = _read(path, findings, work)
        refuse_errors(findings)
        reader = _Reader(findings, work)
        nodes, connections = reader.read(value)
        refuse_errors(findings)
        return KnowledgeGraph(nodes, connections, path.name.partition(".")[0], findings)


def _read(path: Path, findings: Findings, work: Work) -> Any:
    """Parse the file, a long one in pieces, between which other threads can run."""
    data = read_bytes(path, findings)
    if data is None:
        return None
    value = parse_in_pieces(data.removeprefix(_BOM), work)
    if value is None:
        # Parsed whole, by the reader that says line and column of what is wrong.
        value = read_json(path, findings, work=work)
    return value


class _Reader:
    """Checks the parsed file and makes nodes and connections of it."""

    def __init__(self, findings: Findings, work: Work) -> None:
        self.findings = findings
        self.work = work
        self.rows: dict[str, int] = {}
        self.near = NearIds(())
        self.hinted: set[tuple[str, str]] = set()

    def read(self, value: Any) -> tuple[list[GraphNode], list[GraphConnection]]:
        if not isinstance(value, dict) or "nodes" not in value:
            found = describe(value) if not isinstance(value, dict) else 'no key "nodes"'
            self.findings.error(
                f'a knowledge graph is an object with "nodes" and "connections", found {found}',
                code=Code.StorageKindMismatch,
            )
            return [], []
        self._check_version(value)
        self._hint_unknown(value, FILE_KEYS, "")
        items = self._array(value, "nodes")
        if not items and not self.findings.has_errors:
            self.findings.error("there are no nodes", "nodes")
        nodes = self._read_nodes(items)
        self.near = NearIds(nodes)
        self._check_parents(nodes, items)
        connections = self._read_connections(self._array(value, "connections"))
        return nodes, connections

    def _check_version(self, value: dict[str, Any]) -> None:
        version = value.get("version", VERSION)
        if isinstance(version, bool) or not isinstance(version, int):
            self.findings.error(
                f"expected the number {VERSION}, found {describe(version)}", "version"
            )
        elif version > VERSION:
            self.findings.error(
                f"version {version} is newer than this program, which reads version {VERSION}",
                "version",
                hint="update the program",
            )

    def _hint_unknown(self, item: dict[str, Any], known: Sequence[str], path: str) -> None:
        """Warn of a key that looks like a misspelt one, once for each such key."""
        for key in item:
            if key not in known and (key, known[0]) not in self.hinted:
                missing = [name for name in known if name not in item]
                close = did_you_mean(key, missing, _MISSPELT)
                self.hinted.add((key, known[0]))
                if close or not path:
                    self.findings.warning(
                        f'unknown key "{key}"',
                        child(path, key),
                        hint=close,
                    )

    def _array(self, value: dict[str, Any], key: str) -> list[Any]:
        items = value.get(key)
        if items is None and key != "nodes":
            return []
        if not isinstance(items, list):
            self.findings.error(f"expected a list, found {describe(items)}", key)
            return []
        return items

    def _goes_on(self, what: str, done: int, total: int) -> bool:
        """Report now and then; False once no further error would be kept."""
        if done % _STEP:
            return True
        self.work.progress(what, done, total)
        self.work.stop_if_cancelled()
        return not self.findings.full

    def _read_nodes(self, items: list[Any]) -> list[GraphNode]:
        nodes = []
        for index, item in enumerate(items):
            if not self._goes_on("checking nodes", index, len(items)):
                break
            path = f"nodes[{index}]"
            if not isinstance(item, dict):
                self.findings.error(f"expected an object, found {describe(item)}", path)
                continue
            if not item.keys() <= _NODE_KEY_SET:
                self._hint_unknown(item, NODE_KEYS, path)
            node_id = self._id(item, "node_id", path)
            first = self.rows.setdefault(node_id, index) if node_id else index
            if first != index:
                self.findings.error(
                    f'the id "{node_id}" is also the one of nodes[{first}]',
                    f"{path}.node_id",
                    hint="every node needs an id of its own",
                )
            nodes.append(
                GraphNode(
                    node_id,
                    self._text(item, "title", path, required=True),
                    self._text(item, "description", path),
                    self._list(item, "parents", path),
                    self._tags(item, path),
                    self._list(item, "directories", path),
                    self._text(item, "text_content", path)
                    if item.get("text_content") is not None
                    else None,
                )
            )
        return nodes

    def _id(self, item: dict[str, Any], key: str, path: str) -> str:
        value = item.get(key)
        if isinstance(value, str) and value:
            return value
        found = describe(value) if key in item else "none"
        self.findings.error(f"expected a text that is not empty, found {found}", f"{path}.{key}")
        return ""

    def _text(
        self,
        item: dict[str, Any],
        key: str,
        path: str,
        *,
        required: bool = False,
        default: str = "",
    ) -> str:
        value = item.get(key)
        if isinstance(value, str):
            return value
        if value is not None or required:
            found = describe(value) if key in item else "none"
            self.findings.error(f"expected a text, found {found}", f"{path}.{key}")
        return default

    def _list(self, item: dict[str, Any], key: str, path: str) -> tuple[str, ...]:
        value = item.get(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            self.findings.error(
                f"expected a list of texts, found {describe(value)}", f"{path}.{key}"
            )
            return ()
        for index, one in enumerate(value):
            if not isinstance(one, str):
                self.findings.error(
                    f"expected a text, found {describe(one)}", f"{path}.{key}[{index}]"
                )
                return ()
        return tuple(value)

    def _tags(self, item: dict[str, Any], path: str) -> dict[str, Any]:
        value = item.get("tags")
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.findings.error(
                f"expected an object of name: value, found {describe(value)}", f"{path}.tags"
            )
            return {}
        for name, tag in value.items():
            if not isinstance(tag, str | int | float):
                self.findings.error(
                    f"expected a text, a number, true or false, found {describe(tag)}",
                    child(f"{path}.tags", name),
                )
        return value

    def _check_parents(self, nodes: list[GraphNode], items: list[Any]) -> None:
        """Find unknown, repeated and circular parents, and `children` that disagree with them."""
        if len(nodes) < len(items):
            return  # the rows of the nodes that were left out would be wrong
        parents: list[tuple[int, ...]] = []
        for row, node in enumerate(nodes):
            above: list[int] = []
            for index, name in enumerate(node.parents):
                path = f"nodes[{row}].parents[{index}]"
                parent = self.rows.get(name)
                if parent is None:
                    said = f'there is no node "{name}"; the parent is left out'
                    self.findings.warning(said, path, hint=self.near.hint(name))
                    known = tuple(one for one in nodes[row].parents if one != name)
                    nodes[row] = replace(node, parents=known)
                elif parent in above:
                    self.findings.warning(f'the parent "{name}" is there twice', path)
                else:
                    above.append(parent)
            parents.append(tuple(above))
        for cycle in parent_cycles(parents):
            index = items[cycle[0]]["parents"].index(nodes[cycle[1 % len(cycle)]].id)
            names = cycle_of_ids([nodes[row].id for row in cycle])
            self.findings.error(
                f"the parents form a cycle: {names}",
                f"nodes[{cycle[0]}].parents[{index}]",
                hint="take one of these parents away",
            )
        if not self.findings.has_errors:
            self._check_levels(nodes, parents)
            self._check_children(nodes, children_of(parents), items)

    def _check_levels(self, nodes: list[GraphNode], parents: list[tuple[int, ...]]) -> None:
        row = first_beyond(parents, MAX_LEVELS)
        if row is not None:
            self.findings.error(
                f'"{nodes[row].id}" has more than {MAX_LEVELS} levels of parents above it',
                f"nodes[{row}].parents[0]",
            )

    def _check_children(
        self, nodes: list[GraphNode], children: Sequence[tuple[int, ...]], items: list[Any]
    ) -> None:
        for row, item in enumerate(items):
            if item.get("children") is None:
                continue
            path = f"nodes[{row}].children"
            given = set(self._list(item, "children", f"nodes[{row}]"))
            derived = {nodes[below].id for below in children[row]}
            if given == derived:
                continue
            for name in sorted(given - derived):
                self.findings.warning(
                    f'"{name}" does not name this node among its parents',
                    path,
                    hint="parents count; children are derived from them",
                )
            for name in sorted(derived - given):
                self.findings.warning(
                    f'the child "{name}" is missing here',
                    path,
                    hint="parents count; children are derived from them",
                )

    def _read_connections(self, items: list[Any]) -> list[GraphConnection]:
        """Read the connections; a faulty one is a warning and left out, the rest is as it is."""
        connections = []
        told, self.findings = self.findings, Findings(_CODE, self.findings.file)
        ids: dict[str, int] = {}
        alike: dict[tuple[str, str, str, str], int] = {}
        for index, item in enumerate(items):
            if not self._goes_on("checking connections", index, len(items)):
                break
            path = f"connections[{index}]"
            if not isinstance(item, dict):
                self.findings.error(f"expected an object, found {describe(item)}", path)
                self._leave_out(told)
                continue
            if not item.keys() <= _CONNECTION_KEY_SET:
                self._hint_unknown(item, CONNECTION_KEYS, path)
            link = GraphConnection(
                self._id(item, "connection_id", path),
                self._end(item, "from_node_id", path),
                self._end(item, "to_node_id", path),
                self._text(item, "label", path),
                self._text(item, "connection_type", path, default=DEFAULT_CONNECTION_TYPE),
            )
            first = ids.setdefault(link.id, index) if link.id else index
            if first != index:
                self.findings.error(
                    f'the id "{link.id}" is also the one of connections[{first}]',
                    f"{path}.connection_id",
                    hint="every connection needs an id of its own",
                )
            if self.findings.has_errors:
                self._leave_out(told)
                continue
            same = alike.setdefault((link.from_id, link.to_id, link.label, link.type), index)
            if same != index and _others(item) == _others(items[same]):
                self.findings.warning(
                    f"says the same as connections[{same}]", path, hint="take one of them away"
                )
            connections.append(link)
        told.extend(self.findings)
        self.findings = told
        return connections

    def _leave_out(self, told: Findings) -> None:
        """Tell what is wrong with the connection that was read last, and that it is left out."""
        told.extend(
            replace(
                finding,
                severity=Severity.WARNING,
                message=f"{finding.message}; the connection is left out",
            )
            for finding in self.findings
        )
        self.findings = Findings(_CODE, told.file)

    def _end(self, item: dict[str, Any], key: str, path: str) -> str:
        node_id = self._id(item, key, path)
        if node_id and node_id not in self.rows:
            self.findings.error(
                f'leads to no node: there is no "{node_id}"',
                f"{path}.{key}",
                hint=self.near.hint(node_id),
            )
        return node_id


_NODE_KEY_SET = frozenset(NODE_KEYS)
_CONNECTION_KEY_SET = frozenset(CONNECTION_KEYS)


def _others(item: dict[str, Any]) -> dict[str, Any]:
    """Return the unknown keys of a connection that hold no list or object."""
    return {
        key: value
        for key, value in item.items()
        if key not in _CONNECTION_KEY_SET and not isinstance(value, list | dict)
    }
