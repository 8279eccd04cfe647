"""Reads JSON and JSON Lines files: every failure becomes a finding with line and column."""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import re
import stat
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from core.errors import Code, Place
from core.io.exact_json import loads
from core.io.findings import FileRefused, Finding, Findings
from core.io.foreign import Foreign, foreign_data, foreign_text, is_conflict_line
from core.io.json_text import JsonProblem, explain, line_and_column, locate_all
from core.io.repeated_keys import may_repeat, warn_of_repeated_keys
from core.io.wording import cut
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


MAX_FILE_BYTES = 1 << 30
"""Larger files are refused: parsed, they would take several times as much memory."""

MAX_NESTING = 250
"""Levels of brackets that a document may have; `too_deep` tells."""

MAX_LOCATED_BYTES = 128 << 20
"""In larger files no line and column is looked up: that would take many seconds."""

_BOM = b"\xef\xbb\xbf"
_PIECE_BYTES = 4 << 20
_HEAD_BYTES = 1 << 16
_HAS_OBJECT = re.compile(rb"^\s*+\{", re.MULTILINE)
_BETWEEN_OBJECTS = re.compile(rb"\}[ \t\r\n]*+,[ \t\r\n]*+(?=\{)")


@dataclass(frozen=True, slots=True)
class JsonLines:
    """The values of a JSON Lines file. A line that is no JSON is left out, and is a finding.

    values : the parsed lines.
    numbers : 0-based number of each value among the lines that are not blank.
    lines : 1-based line of each value.
    """

    values: list[Any]
    numbers: Sequence[int]
    lines: Sequence[int]


@contextlib.contextmanager
def collector_paused() -> Iterator[None]:
    """Keep the garbage collector from looking at a million new objects again and again.

    Reading a file makes no reference cycles. Afterwards what it made counts as long-lived at
    once: freezing and unfreezing moves everything to the oldest generation, without the look at
    each that the collector would take first, a quarter of a second in which no other thread runs.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            if gc.get_freeze_count() == 0:
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def read_bytes(path: Path, findings: Findings) -> bytes | None:
    """Read a whole file; None, and an error among the findings, when that is not possible.

    A missing or unreadable file is 3010, a folder or device 3011. Only regular files are read,
    `MAX_FILE_BYTES` at most, and no archive, picture or Git LFS pointer.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            what = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
            findings.error(f"expected a file, found {what}", code=Code.StorageKindMismatch)
            return None
        if status.st_size > MAX_FILE_BYTES:
            findings.error(
                f"the file is too large: {status.st_size / 2**30:.1f} GiB, at most "
                f"{MAX_FILE_BYTES / 2**30:.0f} GiB can be read",
                hint="split it",
            )
            return None
        with path.open("rb") as file:
            data = file.read(status.st_size + 1)
    except FileNotFoundError:
        findings.error("there is no such file", code=Code.StorageFileNotFound)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        findings.error(
            f"the file cannot be read: {reason}",
            code=Code.StorageFileNotFound,
            hint="check its permissions",
        )
    except MemoryError:
        findings.error("there is not enough memory to read the file", hint="split it")
    else:
        if len(data) != status.st_size:
            findings.error("the file changed while it was read", hint="open it again")
        elif found := foreign_data(data):
            add_foreign(findings, found)
        else:
            return data
    return None


def add_foreign(findings: Findings, found: Foreign) -> None:
    """Add an error that says what a file is instead of what it should be."""
    findings.error(
        f"this is {found.what}", hint=found.hint, place=Place(file=findings.file, line=found.line)
    )


def read_text(path: Path, findings: Findings) -> str | None:
    """Read a UTF-8 file, with or without a byte-order mark; None and an error if it is not."""
    data = read_bytes(path, findings)
    if data is None:
        return None
    body = data.removeprefix(_BOM)
    return _decode(body, findings)


def read_json(path: Path, findings: Findings, work: Work = QUIETLY) -> Any | None:
    """Parse a JSON file: UTF-8, byte-order mark accepted, NaN and lone surrogates refused.

    Long arrays of objects are parsed piece by piece, so that other threads are never held up for
    long. Of repeated keys the last counts. A document (but for an array's elements, which the
    reader of that array checks) that is nested deeper than `MAX_NESTING` is refused.

    Returns
    -------
    Any | None
        None exactly when an error was added to the findings: no file of ours is just ``null``.

    Raises
    ------
    Cancelled
        When `work` is cancelled.
    """
    data = read_bytes(path, findings)
    if data is None:
        return None
    try:
        value = _parse(data, work)
    except orjson.JSONDecodeError as error:
        text = _decode(data.removeprefix(_BOM), findings)
        if text is not None:
            _explain(findings, text, error)
        return None
    except MemoryError:
        findings.error("there is not enough memory to read the file", hint="split it")
        return None
    warn_of_repeated_keys(data, value, findings)
    if value is None:
        findings.error("the file holds only null", hint="restore it, or save it again")
    elif not isinstance(value, list) and too_deep(value):
        findings.error(f"brackets are nested more than {MAX_NESTING} deep", hint="flatten the data")
        return None
    return value


def read_json_lines(path: Path, findings: Findings, work: Work = QUIETLY) -> JsonLines | None:
    """Parse a JSON Lines file; each broken line is an error of its own, blank ones are skipped.

    Returns
    -------
    JsonLines | None
        None when the file as a whole cannot be read.
    """
    data = read_bytes(path, findings)
    if data is None:
        return None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        _decode(data, findings)
        return None
    head = data[:_HEAD_BYTES].decode("utf-8", "replace")
    if not _HAS_OBJECT.search(data) and (found := foreign_text(head)):
        add_foreign(findings, found)
        return None
    values: list[Any] = []
    numbers: list[int] = []
    lines: list[int] = []
    number = 0
    for line, content in enumerate(data.removeprefix(_BOM).split(b"\n"), start=1):
        if not content or content.isspace():
            continue
        try:
            values.append(loads(content))
        except orjson.JSONDecodeError as error:
            _add_line(findings, content, line, number, error)
            if findings.full:
                break
        else:
            numbers.append(number)
            lines.append(line)
        number += 1
        if number % 4096 == 0:
            work.stop_if_cancelled()
    read = JsonLines(values, numbers, lines)
    if may_repeat(data, values):
        _warn_of_repeated(data, read, findings)
    return read


def too_deep(value: object) -> bool:
    """Whether parsed JSON is nested deeper than `MAX_NESTING`, in time linear in its size."""
    try:
        # orjson writes 254 levels and no more; asking it is much faster than a walk in Python.
        orjson.dumps(value)
    except orjson.JSONEncodeError:
        # It may have stopped at something else, such as an int of more than 64 bits.
        level = [value]
        for _ in range(MAX_NESTING + 1):
            level = [
                inner
                for outer in level
                if isinstance(outer, dict | list)
                for inner in (outer.values() if isinstance(outer, dict) else outer)
            ]
        return bool(level)
    return False


def with_lines(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Add line and column to the findings that have a JSON path but none, by a look at the files.

    Files that cannot be read any more, and paths that are not there, are left as they are.
    """
    found = tuple(findings)
    open_places: dict[str, list[str]] = {}
    for finding in found:
        if finding.place.line is None and finding.place.json_path and finding.place.file:
            open_places.setdefault(finding.place.file, []).append(finding.place.json_path)
    located = {file: _locate_in(Path(file), paths) for file, paths in open_places.items()}
    return tuple(_located(finding, located.get(finding.place.file, {})) for finding in found)


def refuse_errors(findings: Findings) -> None:
    """Raise `FileRefused` with lines and columns when there is an error among the findings."""
    if findings.has_errors:
        raise FileRefused(with_lines(findings))


def describe(value: object) -> str:
    """Say what was found, in a designer's words: ``the text "high"``, ``true``, ``a list``."""
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f'the text "{cut(value, 40)}"' if value else "an empty text"
    return "a list" if isinstance(value, list) else "an object"


def _parse(data: bytes, work: Work) -> Any:
    """Parse, a long array of objects in pieces, between which other threads can run.

    A cut that lies inside a string or an inner array leaves that open at the end of its piece,
    which then does not parse. So when all pieces parse, all cuts were between elements.
    """
    total = len(data)
    body = memoryview(data)[len(_BOM) if data.startswith(_BOM) else 0 :]
    if total <= _PIECE_BYTES or bytes(body[:256]).lstrip()[:1] != b"[":
        return loads(body)
    values: list[Any] = []
    start = total - len(body)
    head = b""
    while True:
        end, following = _cut(data, start + _PIECE_BYTES)
        if end == total and not values:
            return loads(body)
        tail = b"]" if end < total else b""
        try:
            values += loads(b"".join((head, memoryview(data)[start:end], tail)))
        except orjson.JSONDecodeError:
            return loads(body)
        if end == total:
            return values
        start, head = following, b"["
        work.progress("reading", start, total)
        work.stop_if_cancelled()


def _cut(data: bytes, position: int) -> tuple[int, int]:
    """Find where, from a position on, an object seems to end and another to begin.

    Returns
    -------
    tuple[int, int]
        The end of the one and the start of the other; the end of the data, twice, for none.
    """
    while (brace := data.find(b"}", position)) >= 0:
        between = _BETWEEN_OBJECTS.match(data, brace)
        if between:
            return brace + 1, between.end()
        position = brace + 1
    return len(data), len(data)


def _decode(body: bytes, findings: Findings) -> str | None:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start].decode("utf-8")
        line, column = line_and_column(before, len(before))
        wrong = body[error.start]
        message, hint = f"not valid UTF-8: byte 0x{wrong:02X}", "save the file as UTF-8"
        if body.startswith((b"\xff\xfe", b"\xfe\xff")):
            message = "the file is UTF-16, not UTF-8"
        elif (
            wrong == 0xED and 0xA0 <= (body[error.start + 1 : error.start + 2] or b"\0")[0] <= 0xBF
        ):
            message, hint = "a lone surrogate, which is half a character", "remove it"
        findings.error(
            message, hint=hint, place=Place(file=findings.file, line=line, column=column)
        )
        return None


def _explain(findings: Findings, text: str, error: orjson.JSONDecodeError) -> None:
    if not text.strip(" \t\r\n"):
        _add(findings, text, JsonProblem(0, "the file is empty", "restore it, or save it again"))
    elif found := foreign_text(text):
        add_foreign(findings, found)
    else:
        _add(findings, text, explain(text, error.pos, error.msg))


def _add(findings: Findings, text: str, problem: JsonProblem) -> None:
    line, column = line_and_column(text, problem.position)
    findings.error(
        f"invalid JSON: {problem.message}",
        hint=problem.hint,
        place=Place(file=findings.file, line=line, column=column),
    )


def _add_line(
    findings: Findings, content: bytes, line: int, number: int, error: orjson.JSONDecodeError
) -> None:
    single = Findings(findings.code, findings.file)
    text = _decode(content, single)
    if text is not None:
        problem = explain(text, error.pos, error.msg)
        if is_conflict_line(text):
            problem = JsonProblem(0, "a conflict mark of a merge", "settle the conflict")
        _add(single, text.replace("\r", " "), problem)
    for finding in single:
        place = dataclasses.replace(finding.place, line=line, json_path=f"records[{number}]")
        findings.extend([dataclasses.replace(finding, place=place)])


def _warn_of_repeated(data: bytes, read: JsonLines, findings: Findings) -> None:
    contents = data.split(b"\n")
    for value, number, line in zip(read.values, read.numbers, read.lines, strict=True):
        record = f"records[{number}]"
        place = partial(Place, findings.file, line, None)
        warn_of_repeated_keys(contents[line - 1], value, findings, place, inside=record)


def _locate_in(path: Path, json_paths: list[str]) -> dict[str, tuple[int, int]]:
    with contextlib.suppress(OSError, ValueError):
        if path.stat().st_size <= MAX_LOCATED_BYTES:
            text = read_text(path, Findings(Code.InvalidEmbeddedStringStorageData))
            return {} if text is None else locate_all(text, json_paths)
    return {}


def _located(finding: Finding, found: dict[str, tuple[int, int]]) -> Finding:
    if finding.place.line is not None or finding.place.json_path not in found:
        return finding
    line, column = found[finding.place.json_path]
    return dataclasses.replace(
        finding, place=dataclasses.replace(finding.place, line=line, column=column)
    )
