"""What opening a file and making a new agent take, as work for another thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.agent.compile import check_storages
from core.embedding.models import catalog_findings
from core.errors import Code
from core.io.findings import Finding, Findings
from core.opening.opening import Opened, neighbours_of, open_path

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.description import GraphDescription
    from core.embedding.embedder import ModelProvider
    from core.io.work import Work


@dataclass(frozen=True, slots=True)
class OpenResult:
    """What was opened, its warnings, and the files beside it that could be opened too."""

    opened: Opened
    findings: tuple[Finding, ...]
    neighbours: tuple[Path, ...]


def open_and_check(path: Path, root: Path | None, models: ModelProvider, work: Work) -> OpenResult:
    """Open a path and all storages of its graph.

    Raises
    ------
    InspectorError
        What `open_path` refuses; FileRefused with all findings when the graph does not compile.
    """
    models.forget_changed()
    opened = open_path(path, root=root, models=models)
    graph = opened.graph
    findings = Findings(Code.GraphCompilationFailed, str(graph.path or ""))
    if opened.turn is None:
        findings.extend(graph.warnings if graph.path is not None else graph.check())
        check_storages(graph, opened.workspace, findings, work)
        findings.raise_errors()
    findings.extend(opened.findings)
    return OpenResult(opened, tuple(findings), neighbours_of(opened.path))


def check_edited(graph: GraphDescription, opened: Opened, work: Work) -> tuple[Finding, ...]:
    """Check an edited graph; what only its file could tell is kept from when it was opened."""
    findings = Findings(Code.GraphCompilationFailed, str(graph.path or ""))
    known = {finding.message for finding in opened.graph.check()}
    findings.extend(f for f in opened.graph.warnings if f.message not in known)
    findings.extend(graph.check())
    check_storages(graph, opened.workspace, findings, work)
    findings.extend(catalog_findings())
    return tuple(findings)
