"""A compiled filter's tree, and its value over all records at once."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.knowledge.schema import Column, FieldType

Mask = NDArray[np.bool_]
Columns = Mapping[str, Column]

ORDERINGS = ("lt", "le", "gt", "ge")
COMPARISONS = ("eq", "ne", *ORDERINGS)

ON_VALUES: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "in": lambda needle, haystack: needle in haystack,
}
_ON_ARRAYS: dict[str, Callable[[Any, Any], Mask]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_MIRRORED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}

_INT64 = np.iinfo(np.int64)


@dataclass(frozen=True, slots=True)
class FieldOperand:
    """A record's value of one field."""

    name: str
    type: FieldType


@dataclass(frozen=True, slots=True)
class ValueOperand:
    """A value written in the filter; a tuple of strings (type ``set<string>``) for an array."""

    value: Any
    type: FieldType


Operand = FieldOperand | ValueOperand


@dataclass(frozen=True, slots=True)
class Comparison:
    """``lhs op rhs``; for the op ``in``, `lhs` is the needle and `rhs` the haystack."""

    path: str
    op: str
    lhs: Operand
    rhs: Operand


@dataclass(frozen=True, slots=True)
class Negation:
    """``not arg``."""

    path: str
    arg: Condition


@dataclass(frozen=True, slots=True)
class Junction:
    """``and`` or ``or`` of at least one argument."""

    path: str
    op: str
    args: tuple[Condition, ...]


Condition = Comparison | Negation | Junction


def evaluate(condition: Condition, columns: Columns, count: int) -> Mask:
    """Return the condition's value for each of the `count` records: bool (count,), fresh."""
    if isinstance(condition, Negation):
        inner = evaluate(condition.arg, columns, count)
        return np.logical_not(inner, out=inner)
    if isinstance(condition, Comparison):
        return _compare(condition, columns, count)
    join = np.logical_and if condition.op == "and" else np.logical_or
    mask = evaluate(condition.args[0], columns, count)
    for arg in condition.args[1:]:
        join(mask, evaluate(arg, columns, count), out=mask)
    return mask


def _compare(condition: Comparison, columns: Columns, count: int) -> Mask:
    op = condition.op
    match condition.lhs, condition.rhs:
        case FieldOperand(name), ValueOperand(value):
            column = columns[name]
            mask = _is_among(column, value) if op == "in" else _compare_with(op, column, value)
            mask &= column.present
        case ValueOperand(value), FieldOperand(name):
            column = columns[name]
            mask = (
                _has_member(column, value)
                if op == "in"
                else _compare_with(_MIRRORED[op], column, value)
            )
            mask &= column.present
        case FieldOperand(left), FieldOperand(right):
            column, other = columns[left], columns[right]
            mask = (
                _has_member_of(other, column) if op == "in" else _compare_columns(op, column, other)
            )
            mask &= column.present
            mask &= other.present
        case ValueOperand(left), ValueOperand(right):
            mask = np.full(count, ON_VALUES[op](left, right))
    return mask


def _compare_with(op: str, column: Column, value: Any) -> Mask:
    kind = column.field.type
    if kind is FieldType.STRING:
        return _ON_ARRAYS[op](column.values, _code(column.vocabulary, value))
    if kind is FieldType.INT and isinstance(value, float):
        return _compare_ints_with_float(op, column.values, value)
    if kind is FieldType.FLOAT and isinstance(value, int):
        return _compare_floats_with_int(op, column.values, value)
    return _ON_ARRAYS[op](column.values, column.values.dtype.type(value))


def _code(vocabulary: tuple[str, ...], text: str) -> int:
    """Return the text's place in the vocabulary; if absent its length, which no record has."""
    place = bisect_left(vocabulary, text)
    found = place < len(vocabulary) and vocabulary[place] == text
    return place if found else len(vocabulary)


def _compare_ints_with_float(op: str, ints: NDArray[Any], value: float) -> Mask:
    """Exact, where numpy would first round the integers to float64."""
    floor = math.floor(value)
    if not _INT64.min <= floor <= _INT64.max:
        return np.full(len(ints), ON_VALUES[op](0, floor))
    if floor != value:
        if op in ("eq", "ne"):
            return np.full(len(ints), op == "ne")
        op = "le" if op in ("lt", "le") else "gt"
    return _ON_ARRAYS[op](ints, np.int64(floor))


def _compare_floats_with_int(op: str, floats: NDArray[Any], value: int) -> Mask:
    """Exact, where numpy would first round the integer to float64.

    No float64 lies between the integer and its rounding, so the rounding stands for it, on the
    right side of it.
    """
    rounded = float(value)
    if int(rounded) != value:
        if op in ("eq", "ne"):
            return np.full(len(floats), op == "ne")
        if op in ("lt", "le"):
            op = "lt" if rounded > value else "le"
        else:
            op = "gt" if rounded < value else "ge"
    return _ON_ARRAYS[op](floats, np.float64(rounded))


def _compare_columns(op: str, lhs: Column, rhs: Column) -> Mask:
    if lhs.field.type is FieldType.STRING:
        return _ON_ARRAYS[op](_translated(lhs, rhs), rhs.values)
    if lhs.field.type is rhs.field.type:
        return _ON_ARRAYS[op](lhs.values, rhs.values)
    if lhs.field.type is FieldType.INT:
        return _ON_ARRAYS[op](_exact_order(lhs.values, rhs.values), 0)
    return _ON_ARRAYS[_MIRRORED[op]](_exact_order(rhs.values, lhs.values), 0)


def _exact_order(ints: NDArray[Any], floats: NDArray[Any]) -> NDArray[np.int8]:
    """-1, 0 or 1 where the integer is below, at or above the float: int8 (n,), exact.

    Rounding to float64 keeps the order, so what differs after it is decided. A float that equals
    a rounded integer is a whole number, and is compared as one.
    """
    rounded = ints.astype(np.float64)
    order = _sign(rounded, floats)
    tied = np.flatnonzero(order == 0)
    past_int64 = floats[tied] >= 2.0**63
    whole = np.where(past_int64, 0.0, floats[tied]).astype(np.int64)
    order[tied] = np.where(past_int64, -1, _sign(ints[tied], whole))
    return order


def _sign(left: NDArray[Any], right: NDArray[Any]) -> NDArray[np.int8]:
    sign: NDArray[np.int8] = np.greater(left, right).view(np.int8) - np.less(left, right)
    return sign


def _translated(column: Column, other: Column) -> NDArray[np.int32]:
    """Return the column's codes in the other's vocabulary: int32 (n,), -1 where it lacks them."""
    places = {text: code for code, text in enumerate(other.vocabulary)}
    codes = [places.get(text, -1) for text in column.vocabulary]
    table = np.array([*codes, -1], dtype=np.int32)
    translated: NDArray[np.int32] = table[column.values]
    return translated


def _is_among(column: Column, texts: tuple[str, ...]) -> Mask:
    wanted = np.zeros(len(column.vocabulary) + 1, dtype=np.bool_)
    wanted[[_code(column.vocabulary, text) for text in texts]] = True
    mask: Mask = wanted[column.values]
    return mask


def _has_member(sets: Column, text: str) -> Mask:
    return _any_member(sets, sets.values == _code(sets.vocabulary, text))


def _has_member_of(sets: Column, needles: Column) -> Mask:
    wanted = np.repeat(_translated(needles, sets), np.diff(_offsets(sets)))
    return _any_member(sets, sets.values == wanted)


def _any_member(sets: Column, is_wanted: Mask) -> Mask:
    """Whether any member of each record's set is wanted: bool (n,)."""
    # Four times as fast as logical_or.reduceat, which also mistakes empty sets.
    wanted_before = np.zeros(len(is_wanted) + 1, dtype=np.int32)
    np.cumsum(is_wanted, out=wanted_before[1:], dtype=np.int32)
    at = wanted_before[_offsets(sets)]
    return np.not_equal(at[1:], at[:-1])


def _offsets(sets: Column) -> NDArray[np.int64]:
    if sets.offsets is None:
        raise LookupError(f"the column {sets.field.name} has no offsets")
    return sets.offsets
