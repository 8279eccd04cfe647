"""Typed metadata: field declarations and the columns that hold the values."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from core.io.json_file import describe
from core.io.json_text import child
from core.io.wording import did_you_mean

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from core.io.findings import Findings

MAX_FIELDS = 256
"""Most fields that a schema may declare, and that are made up from the metadata of a file."""

INT64 = range(-(2**63), 2**63)

_FIELD_KEYS = ("name", "type", "default", "optional", "filterable")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class FieldType(StrEnum):
    """Types of a metadata field, spelled as in the files."""

    INT = "int"
    FLOAT = "float"
    STRING = "string"
    BOOL = "bool"
    SET = "set<string>"


Scalar = int | float | str | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """One declared metadata field; `default` is None exactly when it is optional.

    mixed : of a field that is made up from records: the kinds of its values, where several keep it
        from being filtered.
    """

    name: str
    type: FieldType
    default: Scalar | None = None
    optional: bool = False
    filterable: bool = True
    mixed: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """All values of one field, as arrays over the n records in file order (read-only).

    values : int64, float64 or bool (n,); for strings int32 (n,) codes into `vocabulary`; for
        sets int32 (m,) codes of all members, record by record, ascending and unique in each.
        Where a value is absent: 0, 0.0, False, the code -1, no members.
    present : bool (n,); False only where an optional field is absent.
    vocabulary : the distinct strings, sorted by code point (strings and sets only).
    offsets : int64 (n + 1,), record i has the set members ``values[offsets[i]:offsets[i + 1]]``
        (sets only).
    """

    field: Field
    values: NDArray[np.generic]
    present: NDArray[np.bool_]
    vocabulary: tuple[str, ...] = ()
    offsets: NDArray[np.int64] | None = None


JSON_KINDS: dict[FieldType, frozenset[type]] = {
    FieldType.INT: frozenset({int}),
    FieldType.FLOAT: frozenset({int, float}),
    FieldType.STRING: frozenset({str}),
    FieldType.BOOL: frozenset({bool}),
    FieldType.SET: frozenset({list}),
}
"""Types of parsed JSON that a field's values may have; a bool is no int here."""


def check_value(kind: FieldType, value: object) -> tuple[str, str]:
    """Say what is wrong with a JSON value for a field of that type.

    Returns
    -------
    tuple[str, str]
        The problem, or "", and the path below the value (``[2]`` for a set's member).
    """
    if type(value) not in JSON_KINDS[kind]:
        return f"expected {kind}, found {describe(value)}", ""
    if isinstance(value, list):
        for index, member in enumerate(value):
            if type(member) is not str:
                return f"expected a string as member of {kind}, found {describe(member)}", (
                    f"[{index}]"
                )
    if kind is FieldType.INT and value not in INT64:
        return f"expected a 64-bit int, found {describe(value)}", ""
    if kind is FieldType.FLOAT and not _is_finite(value):
        return f"expected a finite float, found {describe(value)}", ""
    return "", ""


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def parse_fields(raw: object, findings: Findings, path: str = "fields") -> tuple[Field, ...]:
    """Read field declarations; the faulty ones are errors, and left out.

    Parameters
    ----------
    raw : the parsed JSON array.
    findings : gets an error for each fault and a warning for each unknown key.
    path : JSON path of the array.
    """
    if not isinstance(raw, list):
        findings.error(f"expected a list of fields, found {describe(raw)}", path)
        return ()
    if len(raw) > MAX_FIELDS:
        findings.error(f"expected at most {MAX_FIELDS} fields, found {len(raw)}", path)
        return ()
    fields: dict[str, Field] = {}
    first: dict[str, int] = {}
    for index, entry in enumerate(raw):
        where = child(path, index)
        name = _field_name(entry, where, findings)
        if name in first:
            findings.error(
                f'the field "{name}" is declared twice: {child(path, first[name])} and {where}',
                f"{where}.name",
                hint="remove one of them",
            )
        field = _field(entry, name, where, findings) if name is not None else None
        if name is not None:
            first.setdefault(name, index)
        if field is not None:
            fields.setdefault(field.name, field)
    return tuple(fields.values())


def _field_name(entry: object, path: str, findings: Findings) -> str | None:
    if not isinstance(entry, dict):
        findings.error(
            f"expected a field, found {describe(entry)}",
            path,
            hint='such as {"name": "level", "type": "int", "default": 0}',
        )
        return None
    name = entry.get("name")
    if isinstance(name, str) and name and not _CONTROL.search(name):
        return name
    what = describe(name) if "name" in entry else "none"
    findings.error(f"expected a name without control characters, found {what}", f"{path}.name")
    return None


def _field(entry: dict[str, Any], name: str, path: str, findings: Findings) -> Field | None:
    for key in entry:
        if key not in _FIELD_KEYS:
            findings.warning(
                f'unknown key "{key}" in the field "{name}"',
                child(path, key),
                hint=did_you_mean(key, _FIELD_KEYS),
            )
    flags = {"optional": False, "filterable": True}
    for key in flags:
        value = entry.get(key, flags[key])
        if not isinstance(value, bool):
            findings.error(f"expected true or false, found {describe(value)}", f"{path}.{key}")
            return None
        flags[key] = value
    try:
        kind = FieldType(entry.get("type", ""))
    except ValueError:
        known = [str(known) for known in FieldType]
        said = entry.get("type")
        close = did_you_mean(said, known) if isinstance(said, str) else ""
        findings.error(
            f"expected a type, found {describe(said) if said else 'none'}",
            f"{path}.type",
            hint=close or f"one of {', '.join(known)}",
        )
        return None
    if flags["optional"] == ("default" in entry):
        both = flags["optional"]
        findings.error(
            f'the field "{name}" has {"both" if both else "neither"} a default '
            f'{"and" if both else "nor"} "optional": true',
            path,
            hint="remove one of them"
            if both
            else f'add "default": {_json_zero(kind)} or "optional": true',
        )
        return None
    if flags["optional"]:
        return Field(name, kind, None, True, flags["filterable"])
    default = _default(kind, entry["default"], f"{path}.default", findings)
    return None if default is None else Field(name, kind, default, False, flags["filterable"])


def _default(kind: FieldType, value: object, path: str, findings: Findings) -> Scalar | None:
    """Coerce a default: an int is a float, a whole float an int, a list a sorted set."""
    if kind is FieldType.INT and isinstance(value, float) and value.is_integer():
        value = int(value)
    problem, below = check_value(kind, value)
    if problem:
        findings.error(f"{problem}, as the default", path + below)
        return None
    if isinstance(value, list):
        return tuple(sorted(set(value)))
    if kind is FieldType.FLOAT and isinstance(value, int):
        return float(value)
    return value if isinstance(value, int | float | str) else None


def _json_zero(kind: FieldType) -> str:
    return {
        FieldType.INT: "0",
        FieldType.FLOAT: "0.0",
        FieldType.STRING: '""',
        FieldType.BOOL: "false",
        FieldType.SET: "[]",
    }[kind]
