"""Parameters whose text is a JSON object of name: value."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def numbers_problem(text: str) -> str:
    """Say what is wrong with the text of an object of numbers of 0 or more, "" when nothing is."""
    return _problem(
        text,
        lambda value: (
            isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
        ),
        "a number of 0 or more",
    )


def scalars_problem(text: str) -> str:
    """Say what is wrong with the text of an object of texts, numbers and truths."""
    return _problem(
        text,
        lambda value: isinstance(value, str | int | float) and value == value,
        "a text, a number, true or false",
    )


def _problem(text: str, fits: Callable[[Any], bool], wanted: str) -> str:
    if not text.strip():
        return ""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"invalid JSON: {error}"
    if not isinstance(values, dict):
        return "expected a JSON object of name: value"
    for name, value in values.items():
        if not fits(value):
            return f"{name}: expected {wanted}, found {json.dumps(value)[:60]}"
    return ""
