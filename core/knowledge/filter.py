"""The filter parameter: a JSON predicate on metadata, compiled against the schema.

What counts as a node, against the limits of depth and number, is a condition: an object with an
``op``. Operands are no nodes. The whole filter has depth 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import Code, InspectorError, Place
from core.knowledge.filter_eval import (
    COMPARISONS,
    ORDERINGS,
    Columns,
    Comparison,
    Condition,
    FieldOperand,
    Junction,
    Mask,
    Negation,
    Operand,
    ValueOperand,
    evaluate,
)
from core.knowledge.filter_explain import Clause, clauses, falsified, walk
from core.knowledge.filter_text import BadJson, JsonObject, closest, kind_name, listed, parse, shown
from core.knowledge.schema import Field, FieldType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.io.json_typed import Mistake


MAX_DEPTH = 16
MAX_NODES = 256
MAX_CHARACTERS = 1 << 20
"""Longest text that is parsed at all: 256 nodes with long arrays fit, a bomb does not."""

_KEYS = {
    "and": ("args",),
    "or": ("args",),
    "not": ("arg",),
    "in": ("needle", "haystack"),
    **dict.fromkeys(COMPARISONS, ("lhs", "rhs")),
}
_NUMERIC = (FieldType.INT, FieldType.FLOAT)
_INT64 = np.iinfo(np.int64)
_EXAMPLE = (
    'a filter looks like {"op": "eq", "lhs": {"knowledge": "<field>"}, "rhs": {"value": ...}}'
)


@dataclass(frozen=True, slots=True)
class CompiledFilter:
    """A filter that fits the schema.

    text : as the user wrote it.
    condition : the tree.
    fields : the names of the fields that it reads, in the order of their first use.
    node_count : number of conditions in it.
    """

    text: str
    condition: Condition
    fields: tuple[str, ...]
    node_count: int

    def mask(self, columns: Columns, count: int) -> Mask:
        """Which of the `count` records pass: bool (count,), read-only.

        A comparison or ``in`` that names a field which a record lacks is false for it. Integers
        and floats are compared exactly, as Python does, not after rounding.
        """
        mask = evaluate(self.condition, columns, count)
        mask.setflags(write=False)
        return mask

    def falsified(self, columns: Columns, row: int) -> str:
        """Say why the record is out, ``level is 3 (wanted ≥ 5) · args[1]``; "" when it is not."""
        return falsified(self.condition, columns, row)

    def explain(self, columns: Columns, row: int) -> tuple[Clause, ...]:
        """Each condition with its value for one record, in the order in which they are written."""
        return clauses(self.condition, columns, row)


def compile_filter(
    text: str, fields: Mapping[str, Field], *, node: str = ""
) -> CompiledFilter | None:
    """Compile the filter against the schema; None for an empty or blank text.

    Parameters
    ----------
    text : the raw JSON.
    fields : the schema's fields by name.
    node : name of the node whose parameter it is, for the error's place.

    Raises
    ------
    InspectorError
        3007; the message starts with the kind of mistake and says where, e.g.
        ``filter.type_mismatch: at args[1].rhs: cannot compare string with int``. The path is
        relative to the filter. Mistakes of JSON itself give line and column.
    """
    if not text.strip():
        return None
    compiler = _Compiler(fields, node)
    condition = compiler.condition(compiler.parse(text), "", 1)
    names = dict.fromkeys(
        side.name
        for item in walk(condition)
        if isinstance(item, Comparison)
        for side in (item.lhs, item.rhs)
        if isinstance(side, FieldOperand)
    )
    return CompiledFilter(text, condition, tuple(names), compiler.node_count)


class _Compiler:
    """Compiles one filter; stops at the first mistake."""

    def __init__(self, fields: Mapping[str, Field], node: str) -> None:
        self.fields = fields
        self.node = node
        self.node_count = 0

    def parse(self, text: str) -> Any:
        if len(text) > MAX_CHARACTERS:
            raise self.wrong(
                "too_large",
                "",
                f"the filter has {len(text):,} characters, {MAX_CHARACTERS:,} at most",
            )
        try:
            return parse(text)
        except BadJson as error:
            raise self.bad_json(error.mistake) from error
        except RecursionError as exc:
            raise self.wrong("too_deep", "", f"nested far deeper than {MAX_DEPTH} levels") from exc

    def condition(self, item: Any, path: str, depth: int) -> Condition:
        self.node_count += 1
        if self.node_count > MAX_NODES:
            raise self.wrong(
                "too_large",
                path,
                f"more than {MAX_NODES} conditions",
                hint='an "in" with an array replaces many comparisons',
            )
        if depth > MAX_DEPTH:
            raise self.wrong(
                "too_deep",
                path,
                f"nested deeper than {MAX_DEPTH} levels",
                hint='an "and" in an "and" can be one',
            )
        op = self.op(item, path)
        inside = f"{path}." if path else ""
        if op in ("and", "or"):
            args = self.args(item, op, f"{inside}args")
            return Junction(
                path,
                op,
                tuple(
                    self.condition(arg, f"{inside}args[{index}]", depth + 1)
                    for index, arg in enumerate(args)
                ),
            )
        if op == "not":
            return Negation(path, self.condition(item["arg"], f"{inside}arg", depth + 1))
        left, right = _KEYS[op]
        lhs = self.operand(item[left], f"{inside}{left}")
        rhs = self.operand(item[right], f"{inside}{right}", may_be_array=op == "in")
        if op == "in":
            self.check_membership(lhs, rhs, inside)
        else:
            self.check_comparison(op, lhs, rhs, inside)
        return Comparison(path, op, lhs, rhs)

    def op(self, item: Any, path: str) -> str:
        """Return the object's operator, once it has all the keys that this needs and no other."""
        if not isinstance(item, JsonObject):
            raise self.wrong(
                "syntax", path, f'expected an object with "op", found {kind_name(item)}'
            )
        self.check_repeated(item, path)
        op = item.get("op")
        if not isinstance(op, str) or op not in _KEYS:
            found = f"{shown(op)} is no operator" if "op" in item else 'there is no "op"'
            raise self.wrong("unknown_op", path, found, hint=closest(op, _KEYS, "operators"))
        wanted = _KEYS[op]
        inside = f"{path}." if path else ""
        for key in wanted:
            if item.get(key) is None:
                raise self.wrong(
                    "missing_operand",
                    f"{inside}{key}",
                    f'"{op}" needs "{key}"',
                    hint=f'"{op}" takes {listed(wanted)}',
                )
        for key in item:
            if key != "op" and key not in wanted:
                raise self.wrong("syntax", path, f'"{op}" takes {listed(wanted)}, not {shown(key)}')
        return op

    def args(self, item: JsonObject, op: str, path: str) -> list[Any]:
        args = item["args"]
        if not isinstance(args, list):
            raise self.wrong("syntax", path, f"expected an array, found {kind_name(args)}")
        if not args:
            raise self.wrong(
                "empty_args",
                path,
                f'"{op}" needs at least one argument',
                hint="clear the filter to let every record through",
            )
        return args

    def operand(self, item: Any, path: str, *, may_be_array: bool = False) -> Operand:
        if isinstance(item, list):
            if not may_be_array:
                raise self.misplaced(path)
            raise self.wrong(
                "syntax", path, "an array stands in an object", hint='write {"value": [...]}'
            )
        if not isinstance(item, JsonObject):
            raise self.wrong(
                "syntax",
                path,
                f"expected an object, found {kind_name(item)}",
                hint='write {"knowledge": "<field>"} or {"value": ...}',
            )
        self.check_repeated(item, path)
        for key in item:
            if key not in ("knowledge", "value"):
                reserved = " is reserved, and" if key == "agent" else ""
                raise self.wrong(
                    "unknown_namespace",
                    path,
                    f"{shown(key)}{reserved} cannot be read by a filter",
                    hint='an operand is {"knowledge": "<field>"} or {"value": ...}',
                )
        if len(item) != 1:
            problem = 'both "knowledge" and "value"' if item else "an empty object"
            raise self.wrong(
                "syntax" if item else "missing_operand",
                path,
                f"found {problem}",
                hint='an operand is {"knowledge": "<field>"} or {"value": ...}',
            )
        if "knowledge" in item:
            return self.field(item["knowledge"], path)
        return self.value(item["value"], path, may_be_array)

    def field(self, name: Any, path: str) -> FieldOperand:
        if not isinstance(name, str):
            raise self.wrong("syntax", path, f"a field's name is a string, found {kind_name(name)}")
        field = self.fields.get(name)
        if field is None:
            filterable = [known.name for known in self.fields.values() if known.filterable]
            raise self.wrong(
                "unknown_field",
                path,
                f"there is no field {shown(name)}",
                hint=closest(name, filterable, "fields"),
            )
        if not field.filterable:
            raise self.wrong(
                "not_filterable",
                path,
                f"the field {shown(name)} is not filterable",
                hint=f"its records hold {field.mixed}: give it one type in all of them"
                if field.mixed
                else "its declaration in the knowledge config says so",
            )
        return FieldOperand(name, field.type)

    def value(self, value: Any, path: str, may_be_array: bool) -> ValueOperand:
        if isinstance(value, list):
            if not may_be_array:
                raise self.misplaced(path)
            for index, text in enumerate(value):
                if not isinstance(text, str):
                    raise self.wrong(
                        "type_mismatch",
                        f"{path}.value[{index}]",
                        f"an array holds strings only, found {kind_name(text)}",
                    )
                self.check_text(text, f"{path}.value[{index}]")
            return ValueOperand(tuple(value), FieldType.SET)
        if isinstance(value, bool):
            return ValueOperand(value, FieldType.BOOL)
        if isinstance(value, int):
            if not _INT64.min <= value <= _INT64.max:
                raise self.wrong(
                    "type_mismatch",
                    path,
                    "the int does not fit in 64 bits",
                    hint=f"{_INT64.min} to {_INT64.max}",
                )
            return ValueOperand(value, FieldType.INT)
        if isinstance(value, float):
            if not math.isfinite(value):
                raise self.wrong(
                    "type_mismatch", path, "the float is too large", hint="1.8e308 at most"
                )
            return ValueOperand(value, FieldType.FLOAT)
        if isinstance(value, str):
            self.check_text(value, path)
            return ValueOperand(value, FieldType.STRING)
        raise self.wrong(
            "type_mismatch",
            path,
            f"a value is an int, float, string or bool, found {kind_name(value)}",
        )

    def check_comparison(self, op: str, lhs: Operand, rhs: Operand, inside: str) -> None:
        if lhs.type in _NUMERIC and rhs.type in _NUMERIC:
            return
        if lhs.type is not rhs.type:
            raise self.wrong(
                "type_mismatch", f"{inside}rhs", f"cannot compare {lhs.type} with {rhs.type}"
            )
        if lhs.type is FieldType.SET:
            raise self.wrong(
                "type_mismatch",
                f"{inside}lhs",
                f"cannot compare {lhs.type}",
                hint='"in" looks for a string in a set',
            )
        if op in ORDERINGS:
            raise self.wrong(
                "type_mismatch",
                f"{inside}lhs",
                f'"{op}" cannot order {lhs.type}',
                hint="int and float have an order",
            )

    def check_membership(self, needle: Operand, haystack: Operand, inside: str) -> None:
        if haystack.type is not FieldType.SET:
            raise self.wrong(
                "type_mismatch",
                f"{inside}haystack",
                f"cannot look in {haystack.type}",
                hint="the haystack is a set<string> field or an array of strings",
            )
        if needle.type is not FieldType.STRING:
            raise self.wrong(
                "type_mismatch", f"{inside}needle", f"cannot look for {needle.type} among strings"
            )

    def check_repeated(self, item: JsonObject, path: str) -> None:
        if item.repeated is not None:
            raise self.wrong("syntax", path, f"{shown(item.repeated)} is given twice")

    def check_text(self, text: str, path: str) -> None:
        try:
            text.encode()
        except UnicodeEncodeError as exc:
            raise self.wrong(
                "syntax", path, f"{shown(text)} has a lone surrogate, which is no character"
            ) from exc

    def misplaced(self, path: str) -> InspectorError:
        return self.wrong("misplaced_array", path, 'an array can only be the haystack of an "in"')

    def bad_json(self, mistake: Mistake) -> InspectorError:
        return InspectorError(
            Code.InvalidParamValue,
            f"filter.syntax: {mistake}",
            place=Place(line=mistake.line, column=mistake.column, node=self.node, param="filter"),
            hint=mistake.hint or _EXAMPLE,
        )

    def wrong(self, slug: str, path: str, problem: str, *, hint: str = "") -> InspectorError:
        place = Place(json_path=path, node=self.node, param="filter")
        return InspectorError(
            Code.InvalidParamValue,
            f"filter.{slug}: at {path or 'the top'}: {problem}",
            place=place,
            hint=hint,
        )
