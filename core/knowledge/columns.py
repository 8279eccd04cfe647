"""The records' metadata as typed columns, built column by column; naming the values that misfit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import Place
from core.io.json_file import MAX_NESTING, too_deep
from core.io.json_text import child
from core.knowledge.schema import JSON_KINDS, Column, Field, FieldType, Scalar, check_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.io.findings import Findings

Metadata = dict[str, Any] | None
PlaceOf = Callable[[int, str], Place]
"""Row of a record and a path below it (``metadata.min_level``) → where that is."""

_ABSENT = object()
_BLOCK = 4096
_ZERO: dict[FieldType, Scalar] = {
    FieldType.INT: 0,
    FieldType.FLOAT: 0.0,
    FieldType.STRING: "",
    FieldType.BOOL: False,
    FieldType.SET: (),
}


def build_columns(
    fields: Iterable[Field],
    metadata: Sequence[Metadata],
    findings: Findings,
    places: PlaceOf | None = None,
    *,
    null_is_absent: bool = False,
) -> dict[str, Column]:
    """Turn the records' metadata into one typed column a field.

    Parameters
    ----------
    fields : the schema.
    metadata : of the n records, in file order; None for a record without any.
    findings : gets an error, with its place, for each value that does not fit its field, and for
        each value of no field that is nested deeper than `jsonfile.MAX_NESTING`.
    places : where records are; ``records[17].metadata.min_level`` of the findings' file if None.
    null_is_absent : take a JSON null for a missing key, instead of a value of the wrong type.

    Returns
    -------
    dict[str, Column]
        A field with a wrong value has no column.
    """
    wanted = tuple(fields)
    gathered, rows_with_more = _gather(wanted, metadata)
    columns: dict[str, Column] = {}
    for field, values in zip(wanted, gathered, strict=True):
        if null_is_absent and None in values:
            missing = _missing(field)
            values = [missing if value is None else value for value in values]
        column = _fast_column(field, values)
        if column is None:
            _report(field, values, findings, places)
        else:
            columns[field.name] = column
        if findings.full:
            return columns
    _check_nesting(
        frozenset(field.name for field in wanted), metadata, rows_with_more, findings, places
    )
    return columns


def typed_columns(
    fields: Sequence[Field],
    metadata: Sequence[Metadata],
    findings: Findings,
    places: PlaceOf | None = None,
    *,
    made_up: bool,
) -> dict[str, Column]:
    """Turn metadata into columns, by a schema that is declared or that was made up from it.

    Parameters
    ----------
    made_up : the fields are `inference.infer_fields` of this metadata.
    """
    # In a made-up schema, a field that is not filterable has no common type to be read as.
    typed = [field for field in fields if field.filterable or not made_up]
    columns = build_columns(typed, metadata, findings, places, null_is_absent=made_up)
    for field in fields:
        if made_up and not field.filterable:
            columns[field.name] = absent_column(field, len(metadata))
    return columns


def absent_column(field: Field, count: int) -> Column:
    """Make the column of a field that no record has."""
    column = _fast_column(field, [_ABSENT] * count)
    if column is None:
        raise ValueError(f"the field {field.name} is not optional")
    return column


def _gather(
    fields: Sequence[Field], metadata: Sequence[Metadata]
) -> tuple[list[list[Any]], list[int]]:
    """Return each field's values of all records, and the rows that have further keys.

    Where a key is missing, its value is the default or `_ABSENT`.
    """
    columns: list[list[Any]] = [[] for _ in fields]
    if not fields:
        return columns, [row for row, record in enumerate(metadata) if record]
    missing = {field.name: _missing(field) for field in fields}
    rows_with_more: list[int] = []
    # Picking all values of a record at once, block by block, keeps to the processor's cache: it
    # is twice as fast as going over all records once for each field. The name twice: with a
    # single one, itemgetter would not yield tuples.
    pick = itemgetter(*missing, fields[0].name)
    for start in range(0, len(metadata), _BLOCK):
        block = [
            missing | record if record else missing for record in metadata[start : start + _BLOCK]
        ]
        for column, values in zip(columns, zip(*map(pick, block), strict=True), strict=False):
            column.extend(values)
        if max(map(len, block)) > len(missing):
            rows_with_more += [
                start + row for row, merged in enumerate(block) if len(merged) > len(missing)
            ]
    return columns, rows_with_more


def _check_nesting(
    declared: frozenset[str],
    metadata: Sequence[Metadata],
    rows: Sequence[int],
    findings: Findings,
    places: PlaceOf | None,
) -> None:
    """Refuse what is nested too deep: whatever shows or writes metadata does so by recursion."""
    for row in rows:
        for key, value in (metadata[row] or {}).items():
            if key not in declared and isinstance(value, list | dict) and too_deep(value):
                findings.error(
                    f"brackets are nested more than {MAX_NESTING} deep",
                    place=place_of_value(row, key, "", findings, places),
                    hint="flatten the data",
                )
                if findings.full:
                    return


def _missing(field: Field) -> Any:
    if field.default is None:
        return _ABSENT
    return list(field.default) if isinstance(field.default, tuple) else field.default


def _fast_column(field: Field, values: list[Any]) -> Column | None:
    """Build a column with whole-column operations; None when any value is wrong."""
    kinds = set(map(type, values))
    some_absent = object in kinds
    if kinds - {object} - JSON_KINDS[field.type]:
        return None
    if some_absent:
        present = np.array([value is not _ABSENT for value in values], dtype=np.bool_)
    else:
        present = np.ones(len(values), dtype=np.bool_)
    present.setflags(write=False)
    if field.type is FieldType.SET:
        return _set_column(field, values, present)
    if field.type is FieldType.STRING:
        texts = [text for text in values if text is not _ABSENT] if some_absent else values
        codes, vocabulary = _encode(texts)
        array: NDArray[Any] = np.full(len(values), -1, dtype=np.int32)
        array[present] = codes
        array.setflags(write=False)
        return Column(field, array, present, vocabulary)
    if some_absent:
        zero = _ZERO[field.type]
        values = [zero if value is _ABSENT else value for value in values]
    dtype = {FieldType.INT: np.int64, FieldType.FLOAT: np.float64}.get(field.type, np.bool_)
    try:
        array = np.array(values, dtype=dtype)
    except OverflowError:
        return None
    if field.type is FieldType.FLOAT and not np.isfinite(array).all():
        return None
    array.setflags(write=False)
    return Column(field, array, present)


def _set_column(field: Field, values: list[Any], present: NDArray[np.bool_]) -> Column | None:
    lists = values if present.all() else [() if v is _ABSENT else v for v in values]
    members = list(chain.from_iterable(lists))
    if not set(map(type, members)) <= {str}:
        return None
    codes, vocabulary = _encode(members)
    lengths = np.fromiter(map(len, lists), np.int64, len(lists))
    rows = np.repeat(np.arange(len(lists), dtype=np.int64), lengths)
    # Sorting by (row, code) and dropping repeats makes every record's members sorted and unique.
    width = max(len(vocabulary), 1)
    keys = rows * width + codes
    if not (np.diff(keys) > 0).all():
        keys = np.unique(keys)
        lengths = np.bincount(keys // width, minlength=len(lists))
    array = (keys % width).astype(np.int32)
    offsets = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    array.setflags(write=False)
    offsets.setflags(write=False)
    return Column(field, array, present, vocabulary, offsets)


def _encode(texts: list[str]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return each text's place among the distinct texts, and these, sorted by code point."""
    # Numbered as they come, then renumbered: looking a sorted vocabulary up text by text jumps
    # about in memory and takes longer.
    first_codes: defaultdict[str, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(first_codes.__getitem__, texts), np.int64, len(texts))
    distinct = list(first_codes)
    order = sorted(range(len(distinct)), key=distinct.__getitem__)
    rank = np.empty(len(distinct), dtype=np.int64)
    rank[order] = np.arange(len(distinct), dtype=np.int64)
    return rank[codes], tuple(map(distinct.__getitem__, order))


def _report(field: Field, values: list[Any], findings: Findings, places: PlaceOf | None) -> None:
    for row, value in enumerate(values):
        if value is _ABSENT:
            continue
        problem, below = check_value(field.type, value)
        if problem:
            hint = ""
            if value is None:
                hint = "leave the key out where there is no value"
            elif isinstance(value, str) and field.type in (FieldType.INT, FieldType.FLOAT):
                hint = "write numbers without quotes"
            findings.error(
                f'field "{field.name}": {problem}',
                hint=hint,
                place=place_of_value(row, field.name, below, findings, places),
            )
            if findings.full:
                return


def place_of_value(
    row: int, name: str, below: str, findings: Findings, places: PlaceOf | None
) -> Place:
    """Return where the metadata value of a record is; ``records[row]`` without `places`."""
    tail = child("metadata", name) + below
    if places is not None:
        return places(row, tail)
    return Place(file=findings.file, json_path=f"records[{row}].{tail}")
