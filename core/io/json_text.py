"""JSON as a text: paths such as ``records[17].metadata.min_level``, written, read, and found.

Why a text is no JSON, in a designer's words, where, and what to do about it.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
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
_MARK = re.compile(rf"[^\"\[\]{{}}]++|{_STRING}?|[\[{{]|[\]}}]", re.DOTALL)


_STRING_OR_BRACKET = re.compile(r'"(?>[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_BAD_NUMBER = re.compile(r"[-+]?(?:nan|infinity|inf)\b", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_PYTHON_WORD = re.compile(r"(?:True|False|None)\b")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_WORD = re.compile(r"[^\W\d][\w-]*")
_PYTHON_TO_JSON = {"True": "true", "False": "false", "None": "null"}
_CONTROLS = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}
_LOOK_BACK = 4096


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


@dataclass(frozen=True, slots=True)
class JsonProblem:
    """Why a text is no JSON; `position` counts characters from 0."""

    position: int
    message: str
    hint: str = ""


def explain(text: str, position: int, reason: str) -> JsonProblem:
    """Explain a parser's refusal.

    Parameters
    ----------
    text : the whole text.
    position : where the parser stopped, in characters.
    reason : what the parser said; only used for what the text alone does not tell.
    """
    if "depth" in reason or "ecursion" in reason:
        return JsonProblem(position, "brackets are nested too deep", "flatten the data")
    if position >= len(text.rstrip(" \t\r\n")):
        return _cut_short(text)
    return (
        _inside_a_text(text, position)
        or _wrong_value(text, position)
        or _wrong_order(text, position, reason)
        or _not_expected(text[position], position)
    )


def _not_expected(sign: str, position: int) -> JsonProblem:
    if sign.isprintable():
        return JsonProblem(position, f"{sign} is not expected here")
    return JsonProblem(
        position, f"the invisible character {_shown(sign)} is not expected here", "remove it"
    )


def _cut_short(text: str) -> JsonProblem:
    """Name what is still open at the end: the string that never ends, or the innermost bracket."""
    stack: list[int] = []
    end = len(text.rstrip(" \t\r\n"))
    for match in _STRING_OR_BRACKET.finditer(text):
        token = match[0]
        if token in ("[", "{"):
            stack.append(match.start())
        elif token in ("]", "}"):
            if stack:
                stack.pop()
        elif len(token) == 1 or not token.endswith('"'):
            line, column = line_and_column(text, match.start())
            return JsonProblem(
                end, "the file ends inside a text", f'close the " of line {line}, column {column}'
            )
    if not stack:
        return JsonProblem(end, "the file ends too early", "a value is missing at its end")
    line, column = line_and_column(text, stack[-1])
    bracket = text[stack[-1]]
    closing = "]" if bracket == "[" else "}"
    return JsonProblem(
        end,
        "the file ends too early",
        (
            f"close the {bracket} of line {line}, column {column} with {closing}, "
            "or restore the rest of the file"
        ),
    )


def _inside_a_text(text: str, position: int) -> JsonProblem | None:
    sign = text[position]
    if sign < " " and sign not in "\t\r\n":
        return JsonProblem(
            position, f"the control character U+{ord(sign):04X} is not allowed", "remove it"
        )
    if sign in _CONTROLS:
        return JsonProblem(
            position,
            f"{_CONTROLS[sign]} inside a text",
            (
                'a closing " is missing before it; a line break inside a text is written \\n, '
                "a tab \\t"
            ),
        )
    if sign != "\\":
        return None
    surrogate = _SURROGATE.match(text, position)
    if surrogate:
        return JsonProblem(
            position,
            f"the lone surrogate {surrogate[0]} is half a character",
            "write the character itself, or both halves",
        )
    return JsonProblem(
        position,
        f"{text[position : position + 2]} is no escape sequence",
        "a backslash is written \\\\",
    )


def _wrong_value(text: str, position: int) -> JsonProblem | None:
    bad = _BAD_NUMBER.match(text, position) or (
        _BAD_NUMBER.match(text, position - 1) if position else None
    )
    if bad:
        return JsonProblem(
            bad.start(),
            f"{bad[0]} is no JSON number",
            "write a finite number, or leave the key out",
        )
    number = _NUMBER.match(text, position)
    if number and math.isinf(float(number[0])):
        return JsonProblem(position, f"the number {number[0][:40]} is too large")
    word = _PYTHON_WORD.match(text, position)
    if word:
        return JsonProblem(
            position, f"{word[0]} is no JSON value", f"write {_PYTHON_TO_JSON[word[0]]}"
        )
    if text[position] in "'\u2018\u2019\u201c\u201d":
        return JsonProblem(
            position,
            f"{_shown(text[position])} does not start a text",
            'use straight double quotes: "',
        )
    if text[position] in "/#":
        return JsonProblem(position, "JSON has no comments", "remove the comment")
    return None


def _wrong_order(text: str, position: int, reason: str) -> JsonProblem | None:
    sign = text[position]
    before = text[max(0, position - _LOOK_BACK) : position].rstrip(" \t\r\n")
    if "after doc" in reason or ("trailing" in reason and sign != ","):
        return JsonProblem(
            position,
            "the file goes on after its end",
            "remove what follows, or the bracket that closes too early",
        )
    after = text[position + 1 : position + _LOOK_BACK].lstrip(" \t\r\n")
    if before.endswith(",") if sign in "]}" else sign == "," and after.startswith(("]", "}")):
        return JsonProblem(position, "a comma with nothing after it", "remove the comma")
    if sign == ",":
        return JsonProblem(position, "a comma with nothing before it", "remove the comma")
    if "':'" in reason:
        return JsonProblem(
            position,
            f"expected : after the key, found {_shown(sign)}",
            'a key and its value are written "key": value',
        )
    word = _WORD.match(text, position)
    if not before or before.endswith(("{", ",", "[", ":")):
        if word:
            return JsonProblem(
                position, f"{word[0][:40]} is not in quotes", f'write "{word[0][:40]}"'
            )
        return None
    if sign in '"{[' or word or sign.isdigit() or sign == "-":
        return JsonProblem(
            position,
            f"a comma is missing before {_shown(sign)}",
            "put a comma between the two values",
        )
    if sign in "]}":
        return JsonProblem(
            position,
            f"{sign} closes nothing, or something is missing before it",
            "check the brackets and values before it",
        )
    return None


def _shown(sign: str) -> str:
    return sign if sign.isprintable() else f"U+{ord(sign):04X}"
