"""Checks of a graph that open its storages: files, kinds, schemas, filters."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.agent.checks import at_param, place_in_graph, with_sound_params
from core.agent.memory_checks import check_memories, check_memory_change, uses_memory
from core.errors import Code, InspectorError, Place
from core.io.findings import FileRefused, Finding, Severity
from core.io.work import Work
from core.knowledge.root import FileKind
from core.nodes import ClassifyIntentParams, HumanMessageGuardrailParams
from core.nodes.guarding import foreign_construct, pattern_problems
from core.nodes.intents import label_field

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.agent.description import GraphDescription, Node
    from core.agent.workspace import Workspace
    from core.io.findings import Findings
    from core.nodes import NodeParams


def check_storages(
    graph: GraphDescription, workspace: Workspace, findings: Findings, work: Work
) -> None:
    """Open every storage that the graph names and collect what is wrong, node by node.

    What `core.agent.checks` says of a parameter's value is not said again.
    """
    if not graph.nodes:
        return
    graph = with_sound_params(graph)
    seen_files: set[str] = set()
    for index, node in enumerate(graph.nodes):
        for param, spec in node.params.specs().items():
            storage = getattr(node.params, param)
            if not spec.file_kind or not storage:
                continue
            if uses_memory(node.params):
                continue
            opener = _CHECKS.get(spec.file_kind, _check_strings)
            check = _Check(node, index, storage, workspace, findings, work.for_node(node.name))
            try:
                file, found = opener(check)
                if file not in seen_files:
                    seen_files.add(file)
                    findings.extend(found)
            except FileRefused as refused:
                if refused.place.file not in seen_files:
                    seen_files.add(refused.place.file)
                    findings.extend(refused.findings)
            except InspectorError as error:
                _add(findings, error, node.name, index, param)
        if isinstance(node.params, HumanMessageGuardrailParams):
            _check_patterns(node.name, index, node.params, workspace, findings)
    _check_catalog(graph, workspace, findings)
    check_memories(graph, workspace, findings)


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


@dataclass(frozen=True, slots=True)
class _Check:
    """One storage of one node, to be opened and checked."""

    node: Node
    index: int
    storage: str
    workspace: Workspace
    findings: Findings
    work: Work

    def add(self, error: InspectorError, param: str) -> None:
        """Take over a refusal, placed at a parameter of the node."""
        _add(self.findings, error, self.node.name, self.index, param)


_Checked = tuple[str, "tuple[Finding, ...]"]
"""The file that was opened, and its own findings."""


def _check_knowledge(check: _Check) -> _Checked:
    knowledge = check.workspace.knowledge(
        check.storage,
        check.work,
    )
    _check_filter(check)
    _check_label_field(check)
    _check_schema(check)
    return str(knowledge.path), knowledge.findings


def _check_corpus(check: _Check) -> _Checked:
    field = getattr(check.node.params, "summary_field", "")
    corpus = check.workspace.corpora.corpus(
        check.storage,
        field,
        check.work,
    )
    return f"{check.storage} {field}", corpus.findings


def _check_knowledge_graph(check: _Check) -> _Checked:
    graph = check.workspace.graphs.searcher(
        check.storage,
        check.work,
    ).graph
    try:
        check_change(check.node.params, "root_node_id", check.workspace, node=check.node.name)
    except InspectorError as error:
        check.add(error, "root_node_id")
    return check.storage, graph.findings


def _check_strings(check: _Check) -> _Checked:
    found = check.workspace.strings(check.storage, work=check.work)
    return check.storage, found.findings


def _check_map(check: _Check) -> _Checked:
    found = check.workspace.strings(check.storage, FileKind.MAP, check.work)
    return check.storage, found.findings


_CHECKS: dict[str, Callable[[_Check], _Checked]] = {
    "knowledge": _check_knowledge,
    "corpus": _check_corpus,
    "knowledge_graph": _check_knowledge_graph,
    "map": _check_map,
}


def check_change(params: NodeParams, param: str, workspace: Workspace, *, node: str) -> None:
    """Refuse a changed value that only its storage can judge: a filter, a field, a scope's root.

    Parameters
    ----------
    params : with the new value.
    param : the one that changed.

    Raises
    ------
    InspectorError
        3007.
    """
    check_memory_change(params, param, workspace, node)
    storage = "" if uses_memory(params) else getattr(params, "embedded_string_storage", "")
    if param == "filter" and storage:
        workspace.compiled_filter(storage, getattr(params, param), work=Work(node=node))
    if param == "metadata_field" and isinstance(params, ClassifyIntentParams):
        label_field(node, params, workspace)
    name = getattr(params, "knowledge_graph", "")
    if param == "root_node_id" and name and getattr(params, param):
        graph = workspace.graphs.searcher(name, work=Work(node=node)).graph
        if getattr(params, param) not in graph:
            raise InspectorError(
                Code.InvalidParamValue,
                f'there is no node "{getattr(params, param)}" in {name}',
                place=Place(node=node, param=param),
                hint="name a node_id of the knowledge graph",
            )


def _check_filter(check: _Check) -> None:
    text = getattr(check.node.params, "filter", "")
    try:
        check.workspace.compiled_filter(check.storage, text, check.work)
    except InspectorError as error:
        check.add(error, "filter")


def _check_label_field(check: _Check) -> None:
    if isinstance(check.node.params, ClassifyIntentParams) and check.node.params.metadata_field:
        try:
            label_field(check.node.name, check.node.params, check.workspace)
        except InspectorError as error:
            check.add(error, "metadata_field")


def _check_patterns(
    name: str,
    index: int,
    params: HumanMessageGuardrailParams,
    workspace: Workspace,
    findings: Findings,
) -> None:
    param = "string_storage" if params.string_storage else "inline_strings"
    try:
        problems = pattern_problems(name, params, workspace)
        foreign = "" if problems else foreign_construct(name, params, workspace)
    except (FileRefused, InspectorError):
        return  # The check of the storage has said so.
    for problem in problems:
        _add(findings, problem, name, index, param)
    if foreign:
        findings.warning(
            foreign,
            place=place_in_graph(findings.file, index, name, param),
            hint="write it in the patterns of ECMAScript",
        )


def _check_schema(check: _Check) -> None:
    schema, workspace = getattr(check.node.params, "schema", ""), check.workspace
    if not schema or workspace.broken_catalog is not None:
        return
    place = place_in_graph(check.findings.file, check.index, check.node.name, "schema")
    if workspace.schema_fields(schema) is None:
        check.findings.warning(
            f'schema "{schema}" is not in the catalog, so it is not checked',
            code=Code.InvalidEmbeddedStringStorageData,
            place=place,
            hint="the game's own server may know it",
        )
        return
    difference = workspace.schema_difference(schema, check.storage)
    if difference:
        check.findings.error(
            f'{check.storage} does not agree with schema "{schema}": {difference}',
            code=Code.InvalidEmbeddedStringStorageData,
            place=place,
        )


def _add(findings: Findings, error: InspectorError, node: str, index: int, param: str) -> None:
    found = Finding(Severity.ERROR, error.code, error.place, error.message, error.hint)
    findings.extend([at_param(found, findings.file, index, node, param)])
