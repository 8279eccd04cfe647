"""Reads files of recorded turns: one turn, an array of turns, or a log in JSON Lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from core.errors import Code, Place
from core.io.findings import FINDINGS_LIMIT, Finding, Findings, Severity
from core.io.json_error import explain
from core.io.json_file import read_bytes, read_json, refuse_errors, with_lines
from core.recording.turns import RecordedRuns, graph_and_turns, read_runs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from core.agent.description import GraphDescription
    from core.agent.turn import Turn

_BOM = b"\xef\xbb\xbf"
_LINES_SUFFIXES = (".jsonl", ".ndjson")


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
            value = orjson.loads(content)
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
