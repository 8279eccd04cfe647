"""Reads files of recorded turns: one turn, an array of turns, or a log in JSON Lines.

A parsed document, in any of the forms of a recorded turn → the turn; turns → their graph.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from core.agent.description import GraphDescription
from core.agent.turn import ERROR, NodeRun, Turn
from core.errors import Code, InspectorError, Place
from core.io.exact_json import loads
from core.io.findings import FINDINGS_LIMIT, Finding, Findings, Severity
from core.io.json_file import (
    describe,
    read_bytes,
    read_json,
    refuse_errors,
    too_deep,
    with_lines,
)
from core.io.json_text import child, explain
from core.knowledge.turn_marks import WRAPPED, is_flat
from core.nodes.walk import TurnRequest
from core.recording.forms import flat_nodes, whole
from core.recording.nodes import read_flat_node, read_node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from core.nodes.params import NodeParams


_BOM = b"\xef\xbb\xbf"
_LINES_SUFFIXES = (".jsonl", ".ndjson")

_MESSAGE_KEYS = ("user_message", "player_message", "message", "user", "text")


@dataclass(frozen=True, slots=True)
class Recording:
    """The turns of a file.

    turns : in the order of the file, the oldest first; at least one.
    graph : all nodes of known types that ran, and the exits that they took.
    findings : warnings, such as lines of a log that could not be used.
    """

    path: Path
    turns: tuple[Turn, ...]
    graph: GraphDescription
    findings: tuple[Finding, ...]


def read_recording(path: Path) -> Recording:
    """Read a file of recorded turns.

    What is wrong with one of several turns, or a line that is no JSON, is a warning, and the
    others are used.

    Raises
    ------
    FileRefused
        With every finding, when there is no turn in it that could be used.
    """
    findings = Findings(Code.InvalidParamValue, str(path))
    found = _read(path, findings)
    if not found and not findings.has_errors:
        findings.error(
            "there is no recorded turn in this file",
            hint="save the debug_info of a turn that ran with diagnostics switched on",
        )
    known = any(run.params is not None for turn in found for run in turn.runs)
    if found and not known and not findings.has_errors:
        ended = next(
            (
                f"; a turn ended in {turn.error.code} {turn.error.name}: {turn.error.message}"
                for turn in found
                if turn.error is not None
            ),
            "",
        )
        findings.error(f"no node ran here that is of a known type{ended}")
    refuse_errors(findings)
    graph, turns = graph_and_turns(found)
    return Recording(path, turns, graph, with_lines(findings))


@dataclass(frozen=True, slots=True)
class RecordedRuns:
    """What one document says of a turn.

    document : its whole content, what wraps ``debug_info`` beside what is in it.
    """

    runs: tuple[NodeRun, ...]
    message: str
    document: Mapping[str, Any]
    error: InspectorError | None = None


def read_runs(document: object, path: str, findings: Findings) -> RecordedRuns | None:
    """Read one turn: the envelope, one inside a wrapper, or the flat form.

    Parameters
    ----------
    path : the document's JSON path in its file, "" for the file's only one.

    Returns
    -------
    RecordedRuns | None
        None exactly when an error was added to the findings.
    """
    if not isinstance(document, dict):
        findings.error(f"expected a recorded turn, found {describe(document)}", path)
        return None
    if too_deep(document):
        findings.error("brackets are nested too deep", path)
        return None
    outer, wrapper, path = _wrapper_in(document, path)
    path = _below(path, WRAPPED) if WRAPPED in wrapper else path
    content = _unwrapped(wrapper, path, findings)
    if content is None:
        return None
    if "start_node" in content and "status" not in content:
        findings.error(
            "this is a graph, and no turn that was recorded",
            path,
            hint="save the debug_info of a turn that ran in the game",
        )
        return None
    if "nodes" in content:
        is_error = content.get("status") == ERROR
        runs = _envelope_runs(content["nodes"], _below(path, "nodes"), is_error, findings)
    else:
        runs = [read_flat_node(name, node, findings) for name, node in flat_nodes(content).items()]
        if not runs:
            findings.error(
                'no recorded turn: neither a list of "nodes" nor keys such as '
                '"knowledge.result[000].id"',
                path,
            )
    if findings.has_errors:
        return None
    everything = _joined(outer, _joined(wrapper, content))
    message = next(
        (
            value
            for key in _MESSAGE_KEYS
            if isinstance(value := everything.get(key), str) and value.strip()
        ),
        "",
    )
    if not message:
        message = next((run.retrieval.query for run in runs if run.retrieval is not None), "")
    return RecordedRuns(tuple(runs), message, everything, _error_of(content, findings.file))


def graph_and_turns(recorded: Sequence[RecordedRuns]) -> tuple[GraphDescription, tuple[Turn, ...]]:
    """Return the turns, and a graph of all nodes of known types that ran in any of them.

    A node's parameters are those of its last run, its exits those that were taken in any run.
    """
    tables: dict[str, NodeParams] = {}
    for turn in recorded:
        for run in turn.runs:
            if run.params is not None:
                tables[run.name] = _with_exits_of(tables.get(run.name), run.params, run.exit)
    tables = {name: _without_dangling_exits(params, tables) for name, params in tables.items()}
    graph = GraphDescription()
    for name, params in tables.items():
        graph.add_node(name, params)
    for turn in recorded:
        graph.set_start_node(_start_of(turn) or graph.start_node)
    return graph, tuple(_turn(turn, tables, graph.start_node) for turn in recorded)


def _turn(recorded: RecordedRuns, tables: Mapping[str, NodeParams], start_node: str) -> Turn:
    ran = {
        run.name: _with_exits(run.params, tables[run.name])
        for run in recorded.runs
        if run.params is not None
    }
    request = TurnRequest(recorded.message, {**tables, **ran}, _start_of(recorded) or start_node)
    return Turn(request, recorded.runs, recorded.error, recorded=True, document=recorded.document)


def _start_of(turn: RecordedRuns) -> str:
    return next((run.name for run in turn.runs if run.params is not None), "")


def _with_exits_of(known: NodeParams | None, params: NodeParams, taken: str) -> NodeParams:
    """Return the parameters with the exits of an earlier run, but for the one taken now."""
    if type(known) is not type(params):
        return params
    return replace(
        params,
        **{
            field: getattr(known, field)
            for route, field in params.exits().items()
            if route != taken
        },
    )


def _with_exits(params: NodeParams, other: NodeParams) -> NodeParams:
    """Return the parameters with the exits of the other table, where that has these exits."""
    return replace(
        params, **{field: getattr(other, field, "") for field in params.exits().values()}
    )


def _without_dangling_exits(params: NodeParams, tables: Mapping[str, NodeParams]) -> NodeParams:
    return replace(
        params,
        **{field: "" for field in params.exits().values() if getattr(params, field) not in tables},
    )


def _envelope_runs(nodes: object, path: str, is_error: bool, findings: Findings) -> list[NodeRun]:
    if not isinstance(nodes, list):
        findings.error(f'a recorded turn has a list of "nodes"; found {describe(nodes)}', path)
        return []
    if not nodes and not is_error:
        findings.error("no node ran in this turn", path)
    runs = (
        read_node(entry, index, f"{path}[{index}]", findings) for index, entry in enumerate(nodes)
    )
    return [run for run in runs if run is not None]


def _wrapper_in(
    document: dict[str, Any],
    path: str,
) -> tuple[Mapping[str, Any], dict[str, Any], str]:
    """Return what stands around the object that holds ``debug_info``, that object, its path.

    It is the document itself, or where that is no turn, an object inside it.
    """
    if not (WRAPPED in document or "nodes" in document or is_flat(document)):
        for key, value in document.items():
            if isinstance(value, dict) and WRAPPED in value:
                around = {other: document[other] for other in document if other != key}
                return around, value, child(path, key)
    return {}, document, path


def _unwrapped(wrapper: dict[str, Any], path: str, findings: Findings) -> Mapping[str, Any] | None:
    """Return what ``debug_info`` holds, which may be JSON in a text, or the wrapper itself."""
    content = wrapper.get(WRAPPED, wrapper)
    if isinstance(content, str):
        try:
            content = orjson.loads(content)
        except orjson.JSONDecodeError as error:
            findings.error(f"the text is no JSON: {error.msg}", path)
            return None
    if not isinstance(content, dict):
        findings.error(
            f"expected an object, found {describe(content)}",
            path,
            hint="were the diagnostics switched on?",
        )
        return None
    if content is not wrapper and too_deep(content):
        findings.error("brackets are nested too deep", path)
        return None
    return content


def _joined(wrapper: Mapping[str, Any], content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the content, then what stands beside it in its wrapper."""
    beside = {key: value for key, value in wrapper.items() if key != WRAPPED}
    return {
        **content,
        **{
            f"{key} (beside {WRAPPED})" if key in content else key: value
            for key, value in beside.items()
            if content.get(key) != value
        },
    }


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _error_of(content: Mapping[str, Any], file: str) -> InspectorError | None:
    """Return the recorded error; 4001 InferenceFailed where its code is not one that we know."""
    if content.get("status") != ERROR:
        return None
    error = content.get("error")
    told = error if isinstance(error, dict) else {"message": error}
    code = next((known for known in Code if known == whole(told.get("code"))), Code.InferenceFailed)
    return InspectorError(
        code,
        str(told.get("message") or "the recorded turn ended in an error"),
        place=Place(file=file),
    )


def _read(path: Path, findings: Findings) -> list[RecordedRuns]:
    if path.name.casefold().endswith(_LINES_SUFFIXES):
        return _read_log(path, findings)
    own = Findings(findings.code, findings.file)
    document = read_json(path, own)
    if document is None:
        log = Findings(findings.code, findings.file)
        found = _read_log(path, log) if path.is_file() else []
        findings.extend(log if found else own)
        return found
    if isinstance(document, list):
        return [
            turn
            for index, entry in enumerate(document)
            if (turn := _one_of_many(entry, f"[{index}]", None, findings)) is not None
        ]
    turn = read_runs(document, "", findings)
    return [] if turn is None else [turn]


def _read_log(path: Path, findings: Findings) -> list[RecordedRuns]:
    found = []
    for line, value in _lines(path, findings):
        for entry in value if isinstance(value, list) else [value]:
            turn = _one_of_many(entry, "", line, findings)
            if turn is not None:
                found.append(turn)
    return found


def _lines(path: Path, findings: Findings) -> Iterator[tuple[int, Any]]:
    """Yield the parsed lines with their 1-based numbers; a broken one is a warning instead."""
    data = read_bytes(path, findings)
    for line, content in enumerate((data or b"").removeprefix(_BOM).split(b"\n"), start=1):
        if not content or content.isspace():
            continue
        try:
            value = loads(content)
        except orjson.JSONDecodeError as error:
            # Explaining is slow, and no more than these are kept.
            if len(findings) < FINDINGS_LIMIT:
                problem = explain(content.decode(errors="replace"), error.pos, error.msg)
                findings.warning(
                    f"left out: invalid JSON: {problem.message}",
                    hint=problem.hint,
                    place=Place(findings.file, line, problem.position + 1),
                )
        else:
            yield line, value


def _one_of_many(
    entry: object, path: str, line: int | None, findings: Findings
) -> RecordedRuns | None:
    """Read one of several turns; without it the others are still of use, so errors are none."""
    own = Findings(findings.code, findings.file)
    turn = read_runs(entry, path, own)
    findings.extend(
        replace(
            finding,
            severity=Severity.WARNING,
            place=replace(finding.place, line=line),
            message=f"left out: {finding.message}"
            if finding.severity is Severity.ERROR
            else finding.message,
        )
        for finding in own
    )
    return turn
