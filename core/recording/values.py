"""Reads single values of a recording, in which a number may be written as text."""

from __future__ import annotations

import json
import math
from typing import Any

_LARGEST_WHOLE = 2**53
_NUMBER_CHARS = 40


def number(value: object) -> float | None:
    """Return a finite number, also from its text; None for anything else."""
    if isinstance(value, str) and len(value) <= _NUMBER_CHARS:
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def whole(value: object) -> int | None:
    """Return a whole number of 0 or more, also from its text; None for anything else."""
    found = number(value)
    if found is None or not 0 <= found <= _LARGEST_WHOLE or found != int(found):
        return None
    return int(found)


def text(value: object) -> str | None:
    """Return a text, or a number as text; None for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def plain(value: object, kind: type[Any]) -> object:
    """Return a parameter's value as a graph file would hold it.

    Parameters
    ----------
    kind : the parameter's type. A text is read as such a value, a whole number may be written as
        3.0, a list of texts becomes a text that is separated by commas, an object one of JSON.
    """
    if kind is str and isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if kind is str and isinstance(value, list) and all(isinstance(part, str) for part in value):
        return ",".join(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, str) or kind is str:
        return value
    if kind is bool:
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    if kind is float:
        found = number(value)
        return value if found is None else found
    found_whole = whole(value)
    return value if found_whole is None else found_whole
