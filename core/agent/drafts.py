"""Drafts of parameters: what is refused, typed or found in a graph's file, beside what is in force.

The last good value stays in force; a value that was wrong from the start has the default there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.io.findings import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.agent.description import GraphDescription
    from core.errors import InspectorError


@dataclasses.dataclass(frozen=True, slots=True)
class RefusedValue:
    """A value of a parameter that is not in force, and why.

    is_of_file : the graph's file has it; else it was typed.
    """

    value: Any
    finding: Finding
    is_of_file: bool = False


Drafts = Mapping[tuple[str, str], RefusedValue]
"""(node, parameter) → the value that was refused last and has not been replaced."""


def refused(value: Any, error: InspectorError) -> RefusedValue:
    """Return the draft of a value that was asked for."""
    return RefusedValue(
        value, Finding(Severity.ERROR, error.code, error.place, error.message, error.hint)
    )


def set_aside(
    graph: GraphDescription, findings: Iterable[Finding]
) -> tuple[GraphDescription, Drafts]:
    """Return the graph with what can be in force of it, and the values that cannot.

    A structural parameter that leads nowhere, to no node or no file, stays as it is: there is no
    other that the game would take.

    Parameters
    ----------
    findings : all that is wrong with the graph, its storages included.
    """
    nodes = {node.name: node for node in reversed(graph.nodes)}
    drafts: dict[tuple[str, str], RefusedValue] = {}
    for finding in findings:
        key = name, param = finding.place.node, finding.place.param
        if finding.severity is not Severity.ERROR or name not in nodes or key in drafts:
            continue
        if key in graph.refused:
            drafts[key] = RefusedValue(graph.refused[key], finding, is_of_file=True)
            continue
        spec = nodes[name].params.specs().get(param)
        value = getattr(nodes[name].params, param) if spec is not None else None
        if spec is not None and not spec.structural and value != spec.default:
            drafts[key] = RefusedValue(value, finding, is_of_file=True)
            graph = graph.with_param(name, param, spec.default)
    return graph, drafts
