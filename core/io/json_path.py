"""JSON paths such as ``records[17].metadata.min_level``: written, read, and found in a text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_SEGMENTS = 64
"""A path with more segments than this is not looked for."""

Segment = str | int
_Tree = dict[Segment, "_Tree"]

_PLAIN_KEY = re.compile(r"[A-Za-z_][\w-]*\Z", re.ASCII)
_SEGMENT = re.compile(r'\.?([^\W\d][\w-]*)|\[(\d{1,15})\]|\[("(?>[^"\\]++|\\.)*+")\]')

_BLANK = re.compile(r"[ \t\r\n]*+")
_STRING = r'"(?>[^"\\]++|\\.)*+"'
_KEY = re.compile(rf"({_STRING})[ \t\r\n]*+:[ \t\r\n]*+", re.DOTALL)
_ATOM = re.compile(rf"{_STRING}|[^\s\[\]{{}}\",]++", re.DOTALL)
_MARK = re.compile(rf"[^\"\[\]{{}}]++|{_STRING}|[\[{{]|[\]}}]", re.DOTALL)


def _nested(depth: int) -> str:
    """Pattern of an array or object with at most `depth` further levels inside it."""
    inner = rf'[^\[\]{{}}"]++|{_STRING}'
    if depth:
        inner += "|" + _nested(depth - 1)
    return rf"[\[{{](?>{inner})*+[\]}}]"


# One regex call skips a whole record, which is several times faster than going token by token.
_SHALLOW = re.compile(_nested(3), re.DOTALL)


def child(path: str, key: Segment) -> str:
    """Extend a path by an object's key or an array's index."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    if _PLAIN_KEY.match(key):
        return f"{path}.{key}" if path else key
    return f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def segments(path: str) -> tuple[Segment, ...] | None:
    """Split a path into keys and indices; None when it is no path, or an overlong one."""
    found: list[Segment] = []
    position = 0
    while position < len(path):
        match = _SEGMENT.match(path, position)
        if match is None or len(found) == MAX_SEGMENTS:
            return None
        key, index, quoted = match.groups()
        try:
            found.append(key or (json.loads(quoted) if quoted else int(index)))
        except ValueError:
            return None
        position = match.end()
    return tuple(found)


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Return the 1-based line and column (in characters) of a position in the text."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def locate(text: str, json_path: str) -> tuple[int, int] | None:
    """Line and column, 1-based, of the value that a path names, or of its nearest parent.

    ``records[17]`` also names the 18th element of a file that is an array. Runs once over the
    text, recurses by at most the path's `MAX_SEGMENTS`, and never raises for broken JSON.

    Returns
    -------
    tuple[int, int] | None
        None when not even the path's first segment is there.
    """
    return locate_all(text, [json_path]).get(json_path)


def locate_all(text: str, json_paths: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Find many paths as `locate` does, in one run over the text; those not found are left out."""
    start = _BLANK.match(text, 1 if text.startswith("\ufeff") else 0)
    if start is None:
        return {}
    is_array = text.startswith("[", start.end())
    wanted: dict[str, tuple[Segment, ...]] = {}
    tree: _Tree = {}
    for path in json_paths:
        steps = segments(path)
        if steps and is_array and steps[0] == "records":
            steps = steps[1:]
        if steps:
            wanted[path] = steps
            branch = tree
            for step in steps:
                branch = branch.setdefault(step, {})
    places: dict[tuple[Segment, ...], int] = {}
    _descend(text, start.end(), tree, (), places)
    found: dict[str, int] = {}
    for path, steps in wanted.items():
        known = next((steps[:n] for n in range(len(steps), 0, -1) if steps[:n] in places), None)
        if known is not None:
            found[path] = places[known]
    return _lines_and_columns(text, found)


def _lines_and_columns(text: str, positions: dict[str, int]) -> dict[str, tuple[int, int]]:
    # Counted from one place to the next: counting each from the start would be quadratic.
    result: dict[str, tuple[int, int]] = {}
    line, counted = 1, 0
    for path, position in sorted(positions.items(), key=lambda item: item[1]):
        line += text.count("\n", counted, position)
        counted = position
        result[path] = line, position - text.rfind("\n", 0, position)
    return result


def _descend(
    text: str,
    position: int,
    tree: _Tree,
    path: tuple[Segment, ...],
    places: dict[tuple[Segment, ...], int],
) -> int | None:
    """Note where the tree's values start; return the end of the value, None in broken JSON.

    Once everything that was asked for in it is found, the rest of a value is skipped.
    """
    is_object = text.startswith("{", position)
    if not is_object and not text.startswith("[", position):
        return _skip(text, position)
    start, left, index = position, len(tree), 0
    position = _after_blank(text, position + 1)
    while position < len(text) and text[position] not in "]}":
        key: Segment = index
        if is_object:
            match = _KEY.match(text, position)
            if match is None:
                return None
            position = match.end()
            key = _decoded(match[1])
        branch = tree.get(key)
        end: int | None
        if branch is None:
            end = _skip(text, position)
        else:
            left -= (*path, key) not in places
            places[*path, key] = position
            end = (
                _descend(text, position, branch, (*path, key), places)
                if branch
                else _skip(text, position)
            )
        if end is None:
            return None
        if not left:
            return _skip(text, start) if path else end
        position = _after_blank(text, end)
        if text.startswith(",", position):
            position = _after_blank(text, position + 1)
        elif position < len(text) and text[position] not in "]}":
            return None
        index += 1
    return position + 1 if position < len(text) else None


def _skip(text: str, position: int) -> int | None:
    """End of the value that starts at `position`, None when it has none."""
    if not text.startswith(("[", "{"), position):
        match = _ATOM.match(text, position)
        return match.end() if match else None
    match = _SHALLOW.match(text, position)
    if match:
        return match.end()
    depth = 0
    for mark in _MARK.finditer(text, position):
        sign = mark[0]
        if sign in ("[", "{"):
            depth += 1
        elif sign in ("]", "}"):
            depth -= 1
            if depth == 0:
                return mark.end()
    return None


def _after_blank(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _decoded(quoted: str) -> str:
    if "\\" not in quoted:
        return quoted[1:-1]
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:
        return quoted[1:-1]
