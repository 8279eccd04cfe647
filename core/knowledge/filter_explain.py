"""Why a compiled filter leaves one record out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from core.io.wording import cut
from core.knowledge.filter_eval import (
    ON_VALUES,
    Columns,
    Comparison,
    Condition,
    FieldOperand,
    Junction,
    Negation,
    Operand,
    ValueOperand,
)
from core.knowledge.schema import Column, FieldType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SYMBOLS = {"eq": "=", "ne": "≠", "lt": "<", "le": "≤", "gt": ">", "ge": "≥", "in": "in"}

_VALUE_LENGTH = 28
_STATEMENT_LENGTH = 80
_PLACE_LENGTH = 40
_CULPRITS_NAMED = 3


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
            truth = lhs is not None and rhs is not None and ON_VALUES[item.op](lhs, rhs)
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
    """Say which values of the record the filter leaves it out for, and where; "" if it does not.

    ``beginner is false (wanted true) · args[1]``, with several of them ``water is "fresh" (wanted
    "salt"), level is 3 (wanted ≥ 5) · args[0], args[2]``; 80 characters at most, or with several
    of them 160.
    """
    found = truths(condition, columns, row)
    if found[condition.path]:
        return ""
    culprits = _culprits(condition, found)
    named, more = culprits[:_CULPRITS_NAMED], len(culprits) - _CULPRITS_NAMED
    said = ", ".join(_said(item, columns, row, truth=found[item.path]) for item in named)
    said += f" and {more} more" if more > 0 else ""
    paths = ", ".join(item.path for item in named if item.path)
    place = cut(f" · {paths}" if paths else "", _PLACE_LENGTH)
    return cut(said, min(len(named), 2) * _STATEMENT_LENGTH - len(place)) + place


def _culprits(condition: Condition, found: Mapping[str, bool]) -> list[Comparison]:
    """Find the comparisons that the condition has its truth from."""
    if isinstance(condition, Comparison):
        return [condition]
    if isinstance(condition, Negation):
        return _culprits(condition.arg, found)
    truth = found[condition.path]
    guilty = [_culprits(arg, found) for arg in condition.args if found[arg.path] == truth]
    return [culprit for culprits in guilty for culprit in culprits]


def _said(culprit: Comparison, columns: Columns, row: int, *, truth: bool) -> str:
    """Say what a comparison found, and what was wanted of it, or unwanted where it is true."""
    actual, wish = _actual(culprit, columns, row), "unwanted" if truth else "wanted"
    match culprit.lhs, culprit.rhs:
        case FieldOperand(_), ValueOperand(value) if culprit.op == "eq" and truth:
            return f"{actual} (unwanted)"
        case FieldOperand(_), ValueOperand(value):
            sign = "" if culprit.op == "eq" else f"{_SYMBOLS[culprit.op]} "
            return f"{actual} ({wish} {sign}{_shown(value)})"
        case ValueOperand(value), FieldOperand(_) if culprit.op == "in":
            return f"{actual} ({wish} with {_shown(value)})"
    return (
        f"{actual} ({wish} {_text(culprit)})" if actual else f"{_text(culprit)} is {_word(truth)}"
    )


def _word(truth: bool) -> str:
    return "true" if truth else "false"


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
