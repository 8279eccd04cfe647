"""One node of a recorded turn: its parameters, its exit, and what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.agent.turn import NodeRun
from core.errors import InspectorError
from core.hits.hit import Hit, Reason
from core.io.json_file import describe
from core.io.wording import did_you_mean
from core.knowledge.turn_marks import is_flat
from core.nodes import NODE_TYPES, RetrieveParams, node_table
from core.nodes.kind import SearchKind, kind_of
from core.prompt.projection import Projection, recorded_messages
from core.recording.forms import FlatNode, flat_sections, number, plain, text, whole
from core.recording.listing import RecordedListing, RecordedRetrieval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.io.findings import Findings
    from core.nodes.params import NodeParams

_SECTIONS = ("parameters", "input", "output")
_NO_LIMIT = frozenset({"inf", "+inf", "infinity"})


def read_node(entry: object, index: int, path: str, findings: Findings) -> NodeRun | None:
    """Read an element of the list ``nodes``; None, and an error, for what is no node.

    A node of an unknown type has no parameters and no retrieval. One without a type is a Retrieve
    when it has results or their counts.
    """
    if not isinstance(entry, dict):
        findings.error(f"expected an object, found {describe(entry)}", path)
        return None
    texts = {key: _text_at(entry, key, path, findings) for key in ("name", "type", "exit", "next")}
    diagnostics = entry.get("diagnostics")
    if not isinstance(diagnostics, dict | None):
        findings.error(f"expected an object, found {describe(diagnostics)}", f"{path}.diagnostics")
    recorded = diagnostics if isinstance(diagnostics, dict) else {}
    sections = _sections(recorded)
    table = node_table(texts["type"])
    if not texts["type"] and _is_search(sections):
        table = RetrieveParams
    name = texts["name"] or texts["type"] or f"node {index + 1}"
    if table is None:
        findings.warning(
            f'unknown node type "{texts["type"]}": what node "{name}" did is shown '
            "as it is recorded",
            path,
            hint=did_you_mean(texts["type"], NODE_TYPES),
        )
        return NodeRun(name, texts["type"], texts["exit"], texts["next"], sections=recorded)
    return _run(
        name,
        table,
        texts["exit"],
        texts["next"],
        sections,
        recorded,
        f"{path}.diagnostics",
        findings,
    )


def read_flat_node(name: str, node: FlatNode, findings: Findings) -> NodeRun:
    """Read what the flat form says of a node: a Retrieve, unless it names another type."""
    head = {key: text(value) or "" for key, value in node.head.items()}
    table = node_table(head.get("type", "")) or RetrieveParams
    taken = head.get("exit") or ("found" if node.results else "not_found")
    return _run(
        name, table, taken, head.get("next", ""), node.sections, node.sections, name, findings
    )


def _run(
    name: str,
    table: type[NodeParams],
    taken_exit: str,
    target: str,
    sections: Mapping[str, Any],
    recorded: Mapping[str, Any],
    path: str,
    findings: Findings,
) -> NodeRun:
    values, notes = _values(table, sections["parameters"])
    for note in notes:
        findings.warning(f'node "{name}": {note}', f"{path}.parameters")
    exit_field = table.exits().get(taken_exit)
    params = table(**values, **({exit_field: target} if exit_field is not None else {}))
    output = text(sections["output"].get("text")) or ""
    kind = kind_of(table)
    if not isinstance(kind, SearchKind):
        return NodeRun(
            name,
            table.node_type,
            taken_exit,
            target,
            output=output,
            params=params,
            projection=_projection(sections),
            sections=recorded,
        )
    query = text(sections["input"].get("query")) or ""
    taken = frozenset(values)
    rows = kind.recorded_hits(params, taken, _hits(sections, path, findings))
    _check_count(sections, rows, path, findings)
    listing = RecordedListing(rows, query, kind.distance_threshold(params) or 0.0)
    source = next(iter(kind.provides(name, params).sources), name)
    retrieval = RecordedRetrieval(
        params, source, query, listing, kind, taken, sections["parameters"], recorded, notes
    )
    return NodeRun(
        name,
        table.node_type,
        taken_exit,
        target,
        output=output or "\n".join(hit.text for hit in listing.hits),
        params=params,
        retrieval=retrieval,
    )


def _projection(sections: Mapping[str, Mapping[str, Any]]) -> Projection | None:
    """Return what a Generate node sent, where its messages are recorded."""
    messages = recorded_messages(sections["output"].get("messages"))
    model = text(sections["parameters"].get("model_name")) or ""
    return Projection(messages, (), model) if messages else None


def _text_at(entry: Mapping[str, Any], key: str, path: str, findings: Findings) -> str:
    value = entry.get(key)
    if isinstance(value, str | None):
        return value or ""
    findings.error(f"expected text, found {describe(value)}", f"{path}.{key}")
    return ""


def _sections(diagnostics: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return parameters, input and output, of dotted keys too; {} for one that is not there."""
    dotted: Mapping[str, Any] = {}
    if is_flat(diagnostics) or not any(name in diagnostics for name in _SECTIONS):
        dotted = flat_sections(
            {key: value for key, value in diagnostics.items() if key not in _SECTIONS}
        )
    sections = {}
    for name in _SECTIONS:
        section = diagnostics.get(name)
        sections[name] = dotted.get(name, {}) | (section if isinstance(section, dict) else {})
    return sections


def _is_search(sections: Mapping[str, Mapping[str, Any]]) -> bool:
    return bool(sections["output"].get("results")) or "raw_result_count" in sections["parameters"]


def _values(
    table: type[NodeParams], recorded: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the recorded parameters that the node can have, and what is wrong with the others."""
    values: dict[str, Any] = {}
    notes = []
    for name, spec in table.specs().items():
        value = plain(recorded.get(name), spec.kind)
        if spec.is_exit or value is None or value == "null":
            continue
        if name == "threshold" and isinstance(value, str) and value.strip().lower() in _NO_LIMIT:
            value = 0.0
        try:
            values[name] = spec.check(value)
        except InspectorError as error:
            notes.append(f"{name} cannot be taken over: {error.message}")
    return values, tuple(notes)


def _hits(
    sections: Mapping[str, Mapping[str, Any]], path: str, findings: Findings
) -> tuple[Hit, ...]:
    results = sections["output"].get("results")
    if results is None:
        return ()
    if not isinstance(results, list):
        findings.error(f"expected a list, found {describe(results)}", f"{path}.output.results")
        return ()
    hits: list[Hit] = []
    for index, result in enumerate(results):
        hit_id = text(result.get("id")) if isinstance(result, dict) else None
        if hit_id is None:
            findings.error("a result needs an id", f"{path}.output.results[{index}]")
        else:
            hits.append(_hit(len(hits), hit_id, result))
    return tuple(hits)


def _check_count(
    sections: Mapping[str, Mapping[str, Any]], rows: Sequence[Hit], path: str, findings: Findings
) -> None:
    counted = whole(sections["parameters"].get("result_count"))
    listed = sum(not row.reason for row in rows)
    if counted is not None and counted != listed:
        findings.warning(
            f"result_count is {counted}, and {listed} are listed", f"{path}.parameters.result_count"
        )


def _hit(row: int, hit_id: str, result: Mapping[str, Any]) -> Hit:
    distance = number(result.get("distance"))
    return Hit(
        row=row,
        id=hit_id,
        text=text(result.get("text")) or "",
        reason=Reason.NONE,
        rank=row + 1,
        distance=distance,
        exact_distance=distance,
        bm25_score=number(result.get("bm25_score")),
        rank_dense=whole(result.get("rank_dense")) or None,
        rank_sparse=whole(result.get("rank_sparse")) or None,
        score=number(result.get("score")),
        match_reason=text(result.get("match_reason")) or "",
    )
