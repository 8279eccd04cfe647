"""What opening a file and making a new agent take, as work for another thread."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.agent.compile import check_storages
from core.agent.drafts import Drafts, set_aside
from core.errors import Code
from core.io.findings import FileRefused, Finding, Findings, Severity
from core.opening.opening import Opened, graph_findings, neighbours_of, open_path

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.description import GraphDescription
    from core.embedding.embedder import ModelProvider
    from core.io.work import Work


@dataclass(frozen=True, slots=True)
class OpenResult:
    """What was opened, what is wrong with it, and the files beside it that could be opened too.

    opened : with the graph that is in force.
    drafts : what the graph's file gives its parameters and they do not take.
    checked : all that is wrong with the graph and its storages.
    """

    opened: Opened
    drafts: Drafts
    checked: tuple[Finding, ...]
    neighbours: tuple[Path, ...]


def open_and_check(
    path: Path,
    root: Path | None,
    models: ModelProvider,
    known: tuple[Finding, ...] | None,
    work: Work,
) -> OpenResult:
    """Open a path and all storages of its graph.

    Parameters
    ----------
    known : of what is read again, what was wrong with it so far: it is refused with an error that
        is not among these. None for what is opened anew: a graph may be faulty then.

    Raises
    ------
    InspectorError
        What `open_path` refuses; FileRefused with all findings for faulty knowledge.
    """
    models.forget_changed()
    opened = open_path(path, root=root, models=models, faulty=True, work=work)
    if opened.turn is not None:
        return OpenResult(opened, {}, (), neighbours_of(opened.path))
    found = graph_findings(opened, work)
    new = {_said(finding) for finding in found if finding.severity is Severity.ERROR}
    if known is not None:
        new -= {_said(finding) for finding in known}
    if new and (known is not None or opened.graph.path is None):
        raise FileRefused(found)
    graph, drafts = set_aside(opened.graph, found)
    return OpenResult(replace(opened, graph=graph), drafts, found, neighbours_of(opened.path))


def check_edited(
    graph: GraphDescription, opened: Opened, faults: Drafts, work: Work
) -> tuple[Finding, ...]:
    """Check an edited graph; what only its file could tell is kept from when it was opened.

    Parameters
    ----------
    faults : what stands in the place of values that were wrong in the file, and still is.
    """
    findings = Findings(Code.GraphCompilationFailed, str(graph.path or ""))
    standing = {
        finding.message
        for finding in opened.graph.findings
        if not finding.place.node or finding.severity is Severity.WARNING
    }
    known = {finding.message for finding in opened.graph.check()}
    findings.extend(f for f in opened.graph.findings if f.message in standing - known)
    findings.extend(graph.check())
    findings.extend(fault.finding for fault in faults.values())
    check_storages(graph, opened.workspace, findings, work)
    return tuple(findings)


def _said(finding: Finding) -> tuple[object, ...]:
    """Return what tells a finding from others, wherever in its file it may have moved."""
    place = finding.place
    return finding.code, place.file, place.node, place.param, finding.message
