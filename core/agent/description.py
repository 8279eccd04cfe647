"""Agent graphs: build, load, check, save. A file keeps its key order and what we do not know."""

from __future__ import annotations

import copy
import dataclasses
import json
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.agent.checks import check_graph
from core.errors import Code, InspectorError, Place
from core.io.atomic import write_atomically
from core.io.findings import Finding, Findings, Severity
from core.io.json_file import read_json, refuse_errors, with_lines
from core.io.wording import did_you_mean
from core.nodes import NODE_TYPES, NodeParams, node_table
from core.nodes.kind import CheckedGraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from core.knowledge.memory import MemoryStore

GRAPH_VERSION = 1


@dataclass(frozen=True, slots=True)
class Node:
    """A named node and its parameters."""

    name: str
    params: NodeParams

    @property
    def type(self) -> str:
        """The node type's public name, such as ``Retrieve``."""
        return self.params.node_type


class GraphDescription:
    """An agent graph, built call by call or loaded from a file.

    ``GraphDescription().add_node("knowledge", RetrieveParams(…)).set_start_node("knowledge")``
    reads like the game's own client; each call changes this graph and returns it.

    refused : (node, parameter) → what the file gives it and it does not take; its value in force
        is the default.
    unread : index → name ("" for none) of the file's nodes that could not be read: saving keeps
        them as they are.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.start_node = ""
        self.default_model_name = ""
        self.storage_root = ""
        self.path: Path | None = None
        self.findings: tuple[Finding, ...] = ()
        self.refused: Mapping[tuple[str, str], Any] = {}
        self.unread: Mapping[int, str] = {}
        self._document: dict[str, Any] = {}

    def add_node(self, name: str, params: NodeParams) -> GraphDescription:
        """Append a node; names and values are checked when the graph is compiled or loaded."""
        self.nodes.append(Node(name, params))
        return self

    def set_start_node(self, name: str) -> GraphDescription:
        """Name the node at which every turn starts."""
        self.start_node = name
        return self

    def set_default_model_name(self, name: str) -> GraphDescription:
        """Name the language model of the Generate nodes that name none."""
        self.default_model_name = name
        return self

    def node(self, name: str) -> Node:
        """Return the node of that name.

        Raises
        ------
        InspectorError
            3005 with the names that there are.
        """
        for node in self.nodes:
            if node.name == name:
                return node
        names = [node.name for node in self.nodes]
        raise InspectorError(
            Code.UnknownNode,
            f'the graph has no node "{name}"',
            hint=(did_you_mean(name, names) or f"its nodes: {', '.join(names)}"),
        )

    def with_param(self, node_name: str, param: str, value: Any) -> GraphDescription:
        """Return a copy in which one parameter has another value.

        Raises
        ------
        InspectorError
            3005 for an unknown node, 3007 for an unknown parameter or a refused value.
        """
        changing = self.node(node_name)
        changed = changed_params(changing, param, value)
        return self.copy(
            Node(node.name, changed) if node is changing else node for node in self.nodes
        )

    @property
    def indices(self) -> list[int]:
        """The places of the nodes in the list of their file."""
        return list(islice((i for i in count() if i not in self.unread), len(self.nodes)))

    def copy(self, nodes: Iterable[Node] | None = None) -> GraphDescription:
        """Return an independent copy, with its own nodes (immutable and shared) or with these."""
        graph = copy.copy(self)
        graph.nodes = list(self.nodes if nodes is None else nodes)
        return graph

    def sound(self) -> GraphDescription:
        """Return a copy with the refused values of its nodes at their defaults."""
        return self.copy(Node(node.name, node.params.sound()) for node in self.nodes)

    def around(self, memory: Mapping[str, MemoryStore] | None = None) -> CheckedGraph:
        """Return what the check of one of its nodes knows of it and of the stores in `memory`."""
        params = {node.name: node.params for node in self.nodes}
        return CheckedGraph(params, self.start_node, tuple(self.unread.values()), memory or {})

    def check(self) -> tuple[Finding, ...]:
        """Return all structural findings: names, exits, ranges, types, reachability."""
        findings = Findings(Code.GraphCompilationFailed, str(self.path or ""))
        check_graph(
            [(node.name, node.params) for node in self.nodes],
            findings,
            indices=self.indices,
            start_node=self.start_node,
            default_model_name=self.default_model_name,
            unread=self.unread.values(),
        )
        return tuple(findings)

    @classmethod
    def load(cls, path: Path | str) -> GraphDescription:
        """Read a graph file; its warnings are kept in `findings`.

        Raises
        ------
        FileRefused
            With every finding of the file, when one of them is an error.
        """
        findings = Findings(Code.GraphCompilationFailed, str(path))
        graph = cls.read(path, findings)
        refuse_errors(findings)
        graph.findings = with_lines(findings)
        return graph

    @classmethod
    def load_faulty(cls, path: Path | str) -> GraphDescription:
        """Read a graph file that may be full of mistakes, to mend it; `findings` has them all.

        Raises
        ------
        FileRefused
            With every finding, for what is no JSON object with a node that can be read.
        """
        findings = Findings(Code.GraphCompilationFailed, str(path))
        graph = cls.read(path, findings)
        if not graph.nodes:
            refuse_errors(findings)
        graph.findings = with_lines(findings)
        return graph

    @classmethod
    def read(cls, path: Path | str, findings: Findings) -> GraphDescription:
        """Read and check a graph file, collecting findings; of a faulty one, what can be used.

        Unusable nodes are left out, and refused values are at their defaults.
        """
        path = Path(path)
        document = read_json(path, findings)
        graph = cls.from_document(document, findings)
        graph.path = path
        if isinstance(document, dict) and isinstance(document.get("nodes"), list):
            said = {finding.message for finding in findings}
            refused = {
                (finding.place.node, finding.place.param)
                for finding in findings
                if finding.severity is Severity.ERROR and finding.place.param
            }
            findings.extend(
                finding
                for finding in graph.check()
                if finding.message not in said
                and (finding.place.node, finding.place.param) not in refused
            )
        return graph

    @classmethod
    def from_document(cls, document: object, findings: Findings) -> GraphDescription:
        """Build a graph from parsed JSON, collecting findings; unusable nodes are left out."""
        graph = cls()
        if not isinstance(document, dict):
            if not findings.has_errors:
                findings.error('a graph file is a JSON object with "nodes"')
            return graph
        graph._document = document
        version = document.get("version", GRAPH_VERSION)
        if isinstance(version, bool) or not isinstance(version, int):
            findings.error("version must be a whole number", "version")
        elif version > GRAPH_VERSION:
            findings.error(
                f"version {version} is newer than this program reads ({GRAPH_VERSION})",
                "version",
                hint="update the inspector",
            )
        for key in ("storage_root", "start_node", "default_model_name"):
            value = document.get(key, "")
            if isinstance(value, str):
                setattr(graph, key, value)
            else:
                findings.error(f"{key} must be text", key)
        nodes = document.get("nodes")
        if not isinstance(nodes, list):
            findings.error('"nodes" must be a list of nodes', "nodes")
            return graph
        refused: dict[tuple[str, str], Any] = {}
        unread: dict[int, str] = {}
        for index, entry in enumerate(nodes):
            node = _read_node(entry, f"nodes[{index}]", findings, refused)
            if node is not None:
                graph.nodes.append(node)
            else:
                unread[index] = _name_of(entry)
        graph.refused, graph.unread = refused, unread
        return graph

    def to_document(self) -> dict[str, Any]:
        """Return the graph as JSON data: known order and unknown keys kept.

        A parameter is written when it differs from its default or was written before.
        """
        document = copy.deepcopy(self._document) or {"version": GRAPH_VERSION}
        for key in ("storage_root", "start_node", "default_model_name"):
            value = getattr(self, key)
            if value or key in document:
                document[key] = value
        old = document.get("nodes", [])
        by_name: dict[str, list[dict[str, Any]]] = {}
        for index, entry in enumerate(old):
            if index not in self.unread:
                by_name.setdefault(_name_of(entry), []).append(entry)
        written = [
            _write_node(node, entries.pop(0) if (entries := by_name.get(node.name)) else None)
            for node in self.nodes
        ]
        for index in sorted(self.unread):
            written.insert(index, old[index])
        document["nodes"] = written
        return document

    def to_json(self) -> str:
        """Return the text of the graph file that saving the graph would write."""
        return json.dumps(self.to_document(), ensure_ascii=False, indent=2) + "\n"

    def is_overtaken(self) -> bool:
        """Tell whether its file says something else now than when it was read or written last."""
        if self.path is None or not self.path.exists():
            return False
        findings = Findings(Code.GraphCompilationFailed, str(self.path))
        return bool(read_json(self.path, findings) != self._document)

    def save(self, path: Path | str) -> None:
        """Write the graph file atomically; the file that was there survives any failure.

        Raises
        ------
        InspectorError
            3010 when the folder cannot be written to.
        """
        path = Path(path)
        text = self.to_json()
        write_atomically(path, [text.encode()])
        self.path = path
        self._document = json.loads(text)


def changed_params(node: Node, param: str, value: Any) -> NodeParams:
    """Return the node's parameters with one value changed and checked.

    Raises
    ------
    InspectorError
        3007 for an unknown parameter or a refused value, with the node's name.
    """
    specs = node.params.specs()
    if param not in specs:
        raise InspectorError(
            Code.InvalidParamValue,
            f'{node.type} has no parameter "{param}"',
            place=Place(node=node.name, param=param),
            hint=did_you_mean(param, specs),
        )
    try:
        checked = specs[param].check(value)
    except InspectorError as error:
        raise InspectorError(
            error.code, error.message, hint=error.hint, place=Place(node=node.name, param=param)
        ) from None
    return dataclasses.replace(node.params, **{param: checked})


def _name_of(entry: object) -> str:
    name = entry.get("name") if isinstance(entry, dict) else None
    return name if isinstance(name, str) and name.strip() else ""


def _read_node(
    entry: object, path: str, findings: Findings, refused: dict[tuple[str, str], Any]
) -> Node | None:
    if not isinstance(entry, dict):
        findings.error("a node must be a JSON object", path)
        return None
    name = _name_of(entry)
    if not name:
        findings.error("a node needs a non-empty name", f"{path}.name")
    type_name = entry.get("type", entry.get("params_type"))
    table = node_table(type_name) if isinstance(type_name, str) else None
    if table is None:
        findings.error(
            f"unknown node type {json.dumps(type_name)}",
            f"{path}.type",
            hint=(
                did_you_mean(type_name, NODE_TYPES)
                if isinstance(type_name, str)
                else f"one of {', '.join(NODE_TYPES)}"
            ),
        )
        return None
    given = entry.get("params", {})
    if not isinstance(given, dict):
        findings.error("params must be a JSON object", f"{path}.params")
        given = {}
    return Node(name, _read_params(table, given, name, f"{path}.params", findings, refused))


def _read_params(
    table: type[NodeParams],
    given: Mapping[str, Any],
    node: str,
    path: str,
    findings: Findings,
    refused: dict[tuple[str, str], Any],
) -> NodeParams:
    specs = table.specs()
    values: dict[str, Any] = {}
    for key, value in given.items():
        place = Place(file=findings.file, json_path=f"{path}.{key}", node=node, param=key)
        if key not in specs:
            findings.warning(
                f"{table.node_type} has no parameter {json.dumps(key)}; it is kept and ignored",
                hint=did_you_mean(key, specs),
                place=place,
            )
            continue
        try:
            values[key] = specs[key].check(value)
        except InspectorError as error:
            refused[node, key] = value
            findings.error(error.message, hint=error.hint, code=error.code, place=place)
    return table(**values)


def _write_node(node: Node, old: dict[str, Any] | None) -> dict[str, Any]:
    entry: dict[str, Any] = old if old is not None else {"name": node.name, "type": node.type}
    if node_table(str(entry.get("type", entry.get("params_type")))) is not type(node.params):
        entry["type"] = node.type
    bare = "params" not in entry
    params = entry.setdefault("params", {})
    for name, spec in node.params.specs().items():
        value = getattr(node.params, name)
        if name in params:
            if not _same(spec.check, params[name], value):
                params[name] = spec.to_json(value)
        elif value != spec.default:
            params[name] = spec.to_json(value)
    if bare and not params:
        del entry["params"]
    return entry


def _same(check: Any, written: object, value: object) -> bool:
    """Tell whether what the file says already means `value`, so that it can stay as it is."""
    try:
        return bool(check(written) == value)
    except InspectorError:
        return False
