"""Compile-time checks of the nodes that search or write a memory store."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from core.agent.checks import at_param, place_in_graph
from core.errors import Code, InspectorError
from core.io.findings import FileRefused, Finding, Severity
from core.io.json_file import with_lines
from core.knowledge.filter import compile_filter
from core.nodes import KnowledgeSourceKind, RetrieveParams, WriteToMemoryParams
from core.nodes.memorizing import check_metadata, parse_metadata, waits_for_turn
from core.nodes.state import has_references

if TYPE_CHECKING:
    from core.agent.description import GraphDescription
    from core.agent.workspace import Workspace
    from core.errors import Place
    from core.io.findings import Findings
    from core.knowledge.schema import Field
    from core.nodes import NodeParams

_UNKNOWN_FIELD = "filter.unknown_field"


def check_memories(graph: GraphDescription, workspace: Workspace, findings: Findings) -> None:
    """Check schemas, filters and metadata of the nodes that name a memory store, and the stores.

    A broken store that the graph names is an error; of the others below the root a warning tells.
    """
    nodes = [
        _Node(index, node.name, node.params, findings)
        for index, node in enumerate(graph.nodes)
        if uses_memory(node.params)
    ]
    if not nodes:
        return
    if workspace.broken_catalog is not None:
        # That has been said, and no schema can be looked up.
        return
    seen: set[str] = set()
    for node in nodes:
        _check_node(node, workspace)
        name = getattr(node.params, "storage_name", "").strip()
        if name and not has_references(name):
            _check_store(name, node, workspace, seen)
    findings.extend(
        dataclasses.replace(found, severity=Severity.WARNING)
        for found in workspace.memories.findings
        if found.place.file not in seen
    )


@dataclasses.dataclass(frozen=True, slots=True)
class _Node:
    """A node to be checked, and where what is found goes."""

    index: int
    name: str
    params: NodeParams
    findings: Findings

    def place(self, param: str) -> Place:
        return place_in_graph(self.findings.file, self.index, self.name, param)

    def add(self, error: InspectorError, param: str) -> None:
        """Take over all the findings of a refusal, placed at a parameter of the node."""
        found = (
            error.findings
            if isinstance(error, FileRefused)
            else (Finding(Severity.ERROR, error.code, error.place, error.message, error.hint),)
        )
        self.findings.extend(
            at_param(item, self.findings.file, self.index, self.name, param) for item in found
        )


def check_memory_change(params: NodeParams, param: str, workspace: Workspace, node: str) -> None:
    """Refuse a changed filter or metadata that does not fit the schema of a memory store.

    Does nothing for a node that names no store, and for other parameters.

    Raises
    ------
    InspectorError
        3007, and 8003 for a value of the wrong type.
    """
    if not uses_memory(params):
        return
    fields = workspace.schema_fields(getattr(params, "schema", ""))
    if param == "filter" and isinstance(params, RetrieveParams):
        _check_filter(params.filter, fields, node)
    if param == "metadata" and isinstance(params, WriteToMemoryParams):
        known = {field.name: field for field in fields or ()}
        metadata = parse_metadata(params.metadata, node)
        check_metadata(
            {
                key: value
                for key, value in metadata.items()
                if not waits_for_turn(value, known.get(key))
            },
            fields,
            node,
        )


def uses_memory(params: NodeParams) -> bool:
    """Tell whether a node searches or writes a memory store."""
    return isinstance(params, WriteToMemoryParams) or (
        isinstance(params, RetrieveParams) and params.source_kind is KnowledgeSourceKind.FromName
    )


def _check_filter(text: str, fields: tuple[Field, ...] | None, node: str) -> None:
    try:
        compile_filter(text, {field.name: field for field in fields or ()}, node=node)
    except InspectorError as error:
        # Which fields there are, the records of a store without a known schema will tell.
        if fields is None and error.message.startswith(_UNKNOWN_FIELD):
            return
        raise


def _check_node(node: _Node, workspace: Workspace) -> None:
    findings, params = node.findings, node.params
    if isinstance(params, WriteToMemoryParams):
        if not params.storage_name.strip():
            findings.error(
                "WriteToMemory needs a storage_name",
                code=Code.InvalidParamValue,
                place=node.place("storage_name"),
            )
        if not params.schema.strip():
            findings.warning(
                "no schema: what is written is checked only where the store names one",
                code=Code.InvalidEmbeddedStringStorageData,
                place=node.place("schema"),
                hint="name the schema of the nodes that search the store",
            )
    schema = getattr(params, "schema", "")
    if schema and workspace.schema_fields(schema) is None:
        findings.warning(
            f'schema "{schema}" is not in the catalog: Unregistered, so it is not checked',
            code=Code.InvalidEmbeddedStringStorageData,
            place=node.place("schema"),
            hint="the game's own server may know it",
        )
    for param in ("filter", "metadata"):
        try:
            check_memory_change(params, param, workspace, node.name)
        except InspectorError as error:
            node.add(error, param)


def _check_store(name: str, node: _Node, workspace: Workspace, seen: set[str]) -> None:
    """Open the store that a node names, if one lies below the root, and see that it fits."""
    memories = workspace.memories
    try:
        store = memories.find(name)
        if store is None:
            return
        memories.check(store, getattr(node.params, "schema", ""), node.name)
        found: tuple[Finding, ...] = store.findings
        file = str(store.path)
    except FileRefused as refused:
        found, file = with_lines(refused.findings), refused.place.file
    except InspectorError as error:
        node.add(error, "schema")
        return
    if file not in seen:
        seen.add(file)
        node.findings.extend(found)
