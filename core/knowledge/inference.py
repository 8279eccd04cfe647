"""Makes up a schema for records that come without one."""

from __future__ import annotations

import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from core.knowledge.columns import Metadata, PlaceOf, place_of_value
from core.knowledge.schema import (
    INT64,
    JSON_KINDS,
    MAX_FIELDS,
    Field,
    FieldType,
    Scalar,
    check_value,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.io.findings import Findings

_INT_TEXT = re.compile(r"-?(?:0|[1-9]\d{0,17})")
_FLOAT_TEXT = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d{1,3})?")
_NOTHING: Mapping[str, Any] = {}
_UNUSED_DEFAULT: dict[FieldType, Scalar] = {
    FieldType.INT: 0,
    FieldType.FLOAT: 0.0,
    FieldType.STRING: "",
    FieldType.BOOL: False,
    FieldType.SET: (),
}


def infer_fields(
    metadata: Sequence[Metadata], findings: Findings, places: PlaceOf | None = None
) -> tuple[Field, ...]:
    """Make up a schema from the metadata: what has one type everywhere gets that type.

    A field that some record lacks, or has null for, is optional; the others get a default that
    is never used. Ints and floats together are float, and so are ints beyond 64 bits. Any other
    mix is not filterable, with a warning; it is declared as an optional string, and its column
    is to be `columns.absent_column`. Strings that are all numbers stay strings, with a hint.

    Parameters
    ----------
    metadata : of the records, in file order; None for a record without any.
    findings : gets the warnings.
    places : where records are; as in `columns.build_columns`.
    """
    rows = [_NOTHING if record is None else record for record in metadata]
    names = list(dict.fromkeys(chain.from_iterable(rows)))
    if len(names) > MAX_FIELDS:
        findings.warning(
            f"the records have {len(names)} different metadata fields: filters can "
            f"use the first {MAX_FIELDS} of them",
            hint="declare in fields those that matter",
        )
    return tuple(
        _infer(name, [record.get(name) for record in rows], findings, places)
        for name in names[:MAX_FIELDS]
    )


def _infer(name: str, values: list[Any], findings: Findings, places: PlaceOf | None) -> Field:
    kinds = set(map(type, values))
    optional = type(None) in kinds
    kinds.discard(type(None))
    given = [value for value in values if value is not None] if optional else values
    kind = _common_type(kinds, given)
    if kind is None:
        mixed = _warn_mixed(name, values, findings, places)
        return Field(name, FieldType.STRING, None, True, False, mixed)
    if kind is FieldType.STRING:
        _hint_numbers(name, given, optional, findings, places, values)
    return Field(name, kind, None if optional else _UNUSED_DEFAULT[kind], optional)


def _common_type(kinds: set[type], given: list[Any]) -> FieldType | None:
    kind = next((kind for kind, fitting in JSON_KINDS.items() if kinds and kinds <= fitting), None)
    if kind is FieldType.INT and not (min(given) in INT64 and max(given) in INT64):
        return FieldType.FLOAT
    if kind is FieldType.SET and not set(map(type, chain.from_iterable(given))) <= {str}:
        return None
    return kind


def _warn_mixed(name: str, values: list[Any], findings: Findings, places: PlaceOf | None) -> str:
    """Warn of a field of several types, and return these in words."""
    found: dict[str, int] = {}
    for row, value in enumerate(values):
        if value is not None:
            found.setdefault(_kind_name(value), row)
    what = " and ".join(sorted(found)) or "null only"
    row = max(found.values(), default=0)
    findings.warning(
        f'metadata field "{name}" holds {what}: no filter can use it',
        hint="give it one type in all records",
        place=place_of_value(row, name, "", findings, places),
    )
    return what


def _kind_name(value: object) -> str:
    if isinstance(value, dict):
        return "objects"
    for kind in (FieldType.BOOL, FieldType.INT, FieldType.FLOAT, FieldType.STRING, FieldType.SET):
        if not check_value(kind, value)[0]:
            return f"{kind} values"
    return "lists of other things than strings" if isinstance(value, list) else "other values"


def _hint_numbers(
    name: str,
    given: list[Any],
    optional: bool,
    findings: Findings,
    places: PlaceOf | None,
    values: list[Any],
) -> None:
    if all(map(_INT_TEXT.fullmatch, given)):
        kind = FieldType.INT
    elif all(map(_FLOAT_TEXT.fullmatch, given)):
        kind = FieldType.FLOAT
    else:
        return
    missing = {"optional": True} if optional else {"default": _UNUSED_DEFAULT[kind]}
    entry = json.dumps({"name": name, "type": str(kind), **missing}, ensure_ascii=False)
    row = next(row for row, value in enumerate(values) if value is not None)
    findings.warning(
        f'metadata field "{name}" holds numbers as text: filters compare it as text',
        hint=f"to make them numbers, write them without quotes and declare {entry} in fields",
        place=place_of_value(row, name, "", findings, places),
    )
