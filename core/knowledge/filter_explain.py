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
