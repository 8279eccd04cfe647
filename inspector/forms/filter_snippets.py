"""Ready clauses for the fields of a storage, put into a filter as JSON text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from core.io.json_text import locate
from core.io.wording import cut
from core.knowledge.schema import FieldType
from inspector.widgets.code_edit import position_of

if TYPE_CHECKING:
    from core.knowledge.schema import Field, Scalar

LONGEST_TEXT = 100_000
"""Filters longer than this are not reshaped."""

_STAND_IN: dict[FieldType, Any] = {
    FieldType.INT: 1,
    FieldType.FLOAT: 1.0,
    FieldType.STRING: "text",
    FieldType.BOOL: True,
    FieldType.SET: "member",
}
_LINE = re.compile(r"\bat line (\d+), column (\d+)")
_PATH = re.compile(r"\bat ((?:args?|lhs|rhs|needle|haystack)\b[^\s:]*)")
_SHORT = 96
_SHOWN_CHARACTERS = 60


class Snippet(NamedTuple):
    """A clause and how a menu names it."""

    label: str
    clause: dict[str, Any]


def snippets(field: Field, sample: Scalar | None = None) -> tuple[Snippet, ...]:
    """Return the clauses that a field can be part of, with a sample value where there is one."""
    value: Any = sample
    if isinstance(value, tuple):
        value = value[0] if value else None
    if value is None:
        value = _STAND_IN[field.type]
    name = {"knowledge": field.name}
    shown = cut(json.dumps(value, ensure_ascii=False), _SHOWN_CHARACTERS)
    if field.type is FieldType.SET:
        return (
            Snippet(
                f"{field.name} contains {shown}",
                {"op": "in", "needle": {"value": value}, "haystack": name},
            ),
        )
    operators = [("eq", "="), ("ne", "≠")]
    if field.type in (FieldType.INT, FieldType.FLOAT):
        operators = [("ge", "≥"), ("le", "≤"), *operators]
    found = [
        Snippet(f"{field.name} {sign} {shown}", {"op": op, "lhs": name, "rhs": {"value": value}})
        for op, sign in operators
    ]
    if field.type is FieldType.STRING:
        found.append(
            Snippet(
                f"{field.name} is one of [{shown}]",
                {"op": "in", "needle": name, "haystack": {"value": [value]}},
            )
        )
    return tuple(found)


def with_clause(text: str, clause: dict[str, Any]) -> str | None:
    """Return the filter `text` with one more condition to meet, or None when it is no filter."""
    if not text.strip():
        return lay_out(clause)
    filter_ = _parse(text)
    if filter_ is None:
        return None
    if filter_.get("op") == "and" and isinstance(filter_.get("args"), list):
        return lay_out({**filter_, "args": [*filter_["args"], clause]})
    return lay_out({"op": "and", "args": [filter_, clause]})


def negated(text: str) -> str | None:
    """Return the filter that lets through what `text` drops, or None when it is no filter."""
    filter_ = _parse(text)
    return None if filter_ is None else lay_out({"op": "not", "arg": filter_})


def tidy(text: str) -> str | None:
    """Return the filter laid out with one comparison a line, or None when it is no filter."""
    filter_ = _parse(text)
    return None if filter_ is None else lay_out(filter_)


def lay_out(value: Any, indent: str = "") -> str:
    """Write JSON: short values on one line, longer ones with a member a line."""
    line = json.dumps(value, ensure_ascii=False)
    nested = isinstance(value, dict) and ("args" in value or "arg" in value)
    if not isinstance(value, dict | list) or (len(line) + len(indent) <= _SHORT and not nested):
        return line
    inner = indent + " "
    if isinstance(value, list):
        rows = [lay_out(item, inner) for item in value]
        return "[\n" + ",\n".join(inner + row for row in rows) + "]" if rows else "[]"
    parts = [
        f"{json.dumps(key, ensure_ascii=False)}: {lay_out(item, inner)}"
        for key, item in value.items()
    ]
    return "{" + (f",\n{inner}" if not nested else ", ").join(parts) + "}"


def place_in(text: str, message: str) -> tuple[int, int] | None:
    """Return start and end of what an error message means in the filter, or None.

    Reads ``at line 2, column 5`` and ``at args[1].rhs`` out of the message.
    """
    where = _LINE.search(message)
    if where is not None:
        start = position_of(text, int(where[1]), int(where[2]))
        return start, min(len(text), start + 1) if start < len(text) else start
    where = _PATH.search(message)
    located = locate(text, where[1]) if where is not None else None
    if located is None:
        return None
    start = position_of(text, *located)
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        newline = text.find("\n", start)
        end = len(text) if newline < 0 else newline
    return start, end


def _parse(text: str) -> dict[str, Any] | None:
    if len(text) > LONGEST_TEXT:
        return None
    try:
        value = json.loads(text)
        # Numbers that JSON cannot write again, and nesting that would not end.
        json.dumps(value, allow_nan=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
