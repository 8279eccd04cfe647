"""A compiled filter's tree: its value over all records at once, and why one record is out."""

from __future__ import annotations

import json
import math
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.io.wording import cut
from core.knowledge.schema import Column, FieldType

Mask = NDArray[np.bool_]
Columns = Mapping[str, Column]

ORDERINGS = ("lt", "le", "gt", "ge")
COMPARISONS = ("eq", "ne", *ORDERINGS)

_ON_VALUES: dict[str, Callable[[Any, Any], bool]] = {
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
_SYMBOLS = {"eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥", "in": "in"}

_INT64 = np.iinfo(np.int64)
_VALUE_LENGTH = 28
_STATEMENT_LENGTH = 80
_CULPRITS_NAMED = 3


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


class Clause(NamedTuple):
    """One condition's value for one record.

    json_path : its place in the filter, "" for the whole.
    text : the condition in words, e.g. ``level ≥ 5``.
    truth : its value.
    actual : the record's values of the fields that it names, e.g. ``level is 3``; else "".
    """

    json_path: str
    text: str
    truth: bool
    actual: str


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
            mask = np.full(count, _ON_VALUES[op](left, right))
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
        return np.full(len(ints), _ON_VALUES[op](0, floor))
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


def value_at(column: Column, row: int) -> Any:
    """One record's value as a Python object (a set as a tuple of strings); None where absent."""
    if not column.present[row]:
        return None
    if column.offsets is not None:
        codes = column.values[column.offsets[row] : column.offsets[row + 1]]
        return tuple(column.vocabulary[code] for code in codes.tolist())
    value = column.values[row].item()
    return column.vocabulary[value] if column.field.type is FieldType.STRING else value


def truths(condition: Condition, columns: Columns, row: int) -> dict[str, bool]:
    """Return the value of the condition and of each within it for one record, by JSON path."""
    found: dict[str, bool] = {}

    def visit(item: Condition) -> bool:
        if isinstance(item, Comparison):
            lhs, rhs = (_operand_at(side, columns, row) for side in (item.lhs, item.rhs))
            truth = lhs is not None and rhs is not None and _ON_VALUES[item.op](lhs, rhs)
        elif isinstance(item, Negation):
            truth = not visit(item.arg)
        else:
            values = [visit(arg) for arg in item.args]
            truth = all(values) if item.op == "and" else any(values)
        found[item.path] = truth
        return truth

    visit(condition)
    return found


def _operand_at(operand: Operand, columns: Columns, row: int) -> Any:
    if isinstance(operand, ValueOperand):
        return operand.value
    return value_at(columns[operand.name], row)


def walk(condition: Condition) -> Iterator[Condition]:
    """Yield the condition and all within it, in the order in which they are written."""
    yield condition
    inner = (
        condition.args
        if isinstance(condition, Junction)
        else (condition.arg,)
        if isinstance(condition, Negation)
        else ()
    )
    for arg in inner:
        yield from walk(arg)


def clauses(condition: Condition, columns: Columns, row: int) -> tuple[Clause, ...]:
    """Each condition's value for one record, in the order in which they are written."""
    found = truths(condition, columns, row)
    return tuple(
        Clause(item.path, _text(item), found[item.path], _actual(item, columns, row))
        for item in walk(condition)
    )


def falsified(condition: Condition, columns: Columns, row: int) -> str:
    """Name the smallest part of the filter that keeps the record out, and why; "" if none does.

    ``args[1] is false: wanted level ≥ 5, level is 3``, ``args[0], args[2] are false``,
    ``arg is true: unwanted water = "salt", water is "salt"``; 80 characters at most.
    """
    found = truths(condition, columns, row)
    if found[condition.path]:
        return ""
    culprits = _culprits(condition, found)
    truth = "true" if found[culprits[0].path] else "false"
    if len(culprits) == 1:
        name, reason = _name_and_reason(culprits[0], found, columns, row)
        statement = f"{name} is {truth}: {reason}" if reason else f"{name} is {truth}"
    else:
        names = ", ".join(item.path for item in culprits[:_CULPRITS_NAMED])
        more = len(culprits) - _CULPRITS_NAMED
        statement = f"{names} and {more} more are {truth}" if more > 0 else f"{names} are {truth}"
    return cut(statement, _STATEMENT_LENGTH)


def _culprits(condition: Condition, found: Mapping[str, bool]) -> list[Condition]:
    """Find the conditions, all of one truth, that the condition has its own truth from.

    Stops at the first that has several and a path to be named by: one name says enough.
    """
    if isinstance(condition, Comparison):
        return [condition]
    if isinstance(condition, Negation):
        return _culprits(condition.arg, found)
    truth = found[condition.path]
    guilty = [arg for arg in condition.args if found[arg.path] == truth]
    if len(guilty) == 1:
        return _culprits(guilty[0], found)
    each_decides = (condition.op == "or") == truth
    return guilty if each_decides or not condition.path else [condition]


def _name_and_reason(
    culprit: Condition, found: Mapping[str, bool], columns: Columns, row: int
) -> tuple[str, str]:
    if isinstance(culprit, Junction):
        count = len(culprit.args)
        return culprit.path, (
            f"all of its {count} args are true"
            if found[culprit.path]
            else f"none of its {count} args is true"
        )
    text, actual = _text(culprit), _actual(culprit, columns, row)
    if not culprit.path:
        return text, actual
    wish = "unwanted" if found[culprit.path] else "wanted"
    return culprit.path, ", ".join(filter(None, [f"{wish} {text}", actual]))


def _text(condition: Condition) -> str:
    if isinstance(condition, Negation):
        return "not"
    if isinstance(condition, Junction):
        return f"{'all' if condition.op == 'and' else 'any'} of {len(condition.args)}"
    sides = [
        side.name if isinstance(side, FieldOperand) else _shown(side.value)
        for side in (condition.lhs, condition.rhs)
    ]
    return f" {_SYMBOLS[condition.op]} ".join(sides)


def _actual(condition: Condition, columns: Columns, row: int) -> str:
    if not isinstance(condition, Comparison):
        return ""
    names = dict.fromkeys(
        side.name for side in (condition.lhs, condition.rhs) if isinstance(side, FieldOperand)
    )
    return ", ".join(f"{name} is {_shown(value_at(columns[name], row))}" for name in names)


def _shown(value: Any) -> str:
    if value is None:
        return "absent"
    return cut(json.dumps(value, ensure_ascii=False), _VALUE_LENGTH)
