"""Checks of a graph that open its storages: files, kinds, schemas, filters, memory stores."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError
from core.io.findings import FileRefused, Findings, Severity
from core.io.json_file import with_lines
from core.io.wording import closest
from core.io.work import QUIETLY, Work
from core.nodes.kind import OpenedNode, StoreUse, kind_of
from core.nodes.references import has_references

if TYPE_CHECKING:
    from core.agent.description import GraphDescription
    from core.agent.workspace import Workspace
    from core.nodes.kind import CheckedGraph
    from core.nodes.params import NodeParams


_LIKE = 0.7
"""How alike two stores' names are when one is taken for a slip of the other."""


def check_storages(
    graph: GraphDescription, workspace: Workspace, findings: Findings, work: Work = QUIETLY
) -> None:
    """Open every storage that the graph names and collect what is wrong, node by node.

    The nodes of memory stores come last. What `core.agent.checks` says of a parameter's value is
    not said again.
    """
    if not graph.nodes:
        return
    graph = graph.sound()
    seen: set[str] = set()
    remembering: list[tuple[OpenedNode, NodeParams, StoreUse]] = []
    around = graph.around()
    for index, node in zip(graph.indices, graph.nodes, strict=True):
        kind = kind_of(node.params)
        opened = OpenedNode(
            node.name,
            index,
            findings,
            around,
            storages=workspace,
            work=work.for_node(node.name),
            seen=seen,
        )
        store = kind.memory(node.params)
        if store is None:
            kind.check_storages(node.params, opened)
        else:
            remembering.append((opened, node.params, store))
    _check_catalog(graph, workspace, findings)
    if remembering and workspace.broken_catalog is None:
        _check_memories(remembering, workspace, findings)


def check_change(
    params: NodeParams, param: str, workspace: Workspace, *, node: str, graph: CheckedGraph
) -> None:
    """Refuse a changed value that only its storage can judge: a filter, a field, a scope's root.

    Parameters
    ----------
    params : with the new value.
    param : the one that changed.
    graph : the node's.

    Raises
    ------
    InspectorError
        3007, and 8003 for a value of the wrong type.
    """
    kind_of(params).check_change(params, param, workspace, Work(node=node), graph)


def _check_catalog(graph: GraphDescription, workspace: Workspace, findings: Findings) -> None:
    """Tell what is wrong with the schema catalog; it is needed only where a node names a schema."""
    broken = workspace.broken_catalog
    if broken is None:
        findings.extend(workspace.catalog.findings)
        return
    needed = any(getattr(node.params, "schema", "") for node in graph.nodes)
    findings.extend(
        broken.findings
        if needed
        else [
            dataclasses.replace(finding, severity=Severity.WARNING) for finding in broken.findings
        ]
    )


def _check_memories(
    nodes: list[tuple[OpenedNode, NodeParams, StoreUse]], workspace: Workspace, findings: Findings
) -> None:
    """Check the nodes of memory stores, and the stores.

    A broken store that the graph names is an error; of the others below the root a warning tells.
    """
    seen: set[str] = set()
    for node, params, store in nodes:
        name = store.name.strip()
        is_plain = bool(name) and not has_references(name)
        if is_plain:
            _check_store(name, store.schema, dataclasses.replace(node, seen=seen))
        kind_of(params).check_storages(params, node)
        if is_plain:
            _check_store_name(name, node, nodes)
    findings.extend(
        dataclasses.replace(found, severity=Severity.WARNING)
        for found in workspace.memories.findings
        if found.place.file not in seen
    )


def _check_store(name: str, schema: str, node: OpenedNode) -> None:
    """Open the store that a node names, if one lies below the root, and see that it fits."""
    memories = node.storages.memories
    try:
        store = memories.find(name)
        if store is None:
            return
        memories.check(store, schema, node.name)
        node.tell(str(store.path), store.findings)
    except FileRefused as refused:
        node.tell(refused.place.file, with_lines(refused.findings))
    except InspectorError as error:
        node.refused(error, "schema")


def _check_store_name(
    name: str, node: OpenedNode, nodes: list[tuple[OpenedNode, NodeParams, StoreUse]]
) -> None:
    """Warn of a store that is neither on the disk nor written and searched here, but misspelt."""
    on_disk = node.storages.memories.on_disk()
    others = {store.name.strip() for other, _, store in nodes if other.name != node.name}
    if name in on_disk or name in others:
        return
    # Stores that differ in their numbers are kept apart on purpose.
    close = closest(
        name,
        [one for one in (*on_disk, *others) if _without_digits(one) != _without_digits(name)],
        _LIKE,
    )
    if close:
        node.warning(
            "storage_name",
            f'there is no memory store "{name}" yet',
            code=Code.InvalidParamValue,
            hint=f'did you mean "{close}"?',
        )


def _without_digits(name: str) -> str:
    return "".join(sign for sign in name if not sign.isdigit())
