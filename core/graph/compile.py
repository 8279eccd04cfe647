"""Checks of a graph that open its storages: files, kinds, schemas, filters."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.knowledge.findings import FileRefused, Finding, Severity
from core.parameters import KnowledgeSourceKind, RetrieveParams

if TYPE_CHECKING:
    from core.graph.description import GraphDescription, Node
    from core.graph.workspace import Workspace
    from core.knowledge.findings import Findings
    from core.progress import IsCancelled, Progress


def check_storages(graph: GraphDescription, workspace: Workspace, findings: Findings,
                   progress: Progress, is_cancelled: IsCancelled) -> None:
    """Open every storage that the graph names and collect what is wrong, node by node."""
    seen_files: set[str] = set()
    for node in graph.nodes:
        for param, spec in node.params.specs().items():
            storage = getattr(node.params, param)
            if not spec.file_kind or not storage:
                continue
            if _from_name(node):
                continue
            try:
                if spec.file_kind == "knowledge":
                    knowledge = workspace.knowledge(storage, node=node.name, progress=progress,
                                                    is_cancelled=is_cancelled)
                    if str(knowledge.path) not in seen_files:
                        seen_files.add(str(knowledge.path))
                        findings.extend(knowledge.findings)
                    _check_filter(node, storage, workspace, findings)
                    _check_schema(node, storage, workspace, findings)
                else:
                    workspace.strings(storage, node=node.name)
            except FileRefused as refused:
                findings.extend(refused.findings)
            except InspectorError as error:
                _add(findings, error, node.name, param)


def _from_name(node: Node) -> bool:
    return (isinstance(node.params, RetrieveParams)
            and node.params.source_kind is KnowledgeSourceKind.FromName)


def _check_filter(node: Node, storage: str, workspace: Workspace, findings: Findings) -> None:
    text = getattr(node.params, "filter", "")
    try:
        workspace.compiled_filter(storage, text, node=node.name)
    except InspectorError as error:
        _add(findings, error, node.name, "filter")


def _check_schema(node: Node, storage: str, workspace: Workspace, findings: Findings) -> None:
    schema = getattr(node.params, "schema", "")
    if not schema:
        return
    place = Place(file=findings.file, node=node.name, param="schema")
    fields = workspace.schema_fields(schema)
    if fields is None:
        findings.warning(f'schema "{schema}" is not in the catalog, so it is not checked',
                         code=Code.InvalidEmbeddedStringStorageData, place=place,
                         hint="the game's own server may know it")
        return
    difference = workspace.schema_difference(schema, storage)
    if difference:
        findings.error(f'{storage} does not agree with schema "{schema}": {difference}',
                       code=Code.InvalidEmbeddedStringStorageData, place=place)


def _add(findings: Findings, error: InspectorError, node: str, param: str) -> None:
    place = dataclasses.replace(error.place, file=error.place.file or findings.file, node=node,
                                param=param)
    findings.extend([Finding(Severity.ERROR, error.code, place, error.message, error.hint)])
