"""What tells a recorded turn from other JSON: its wrapper, or keys that only its flat form has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WRAPPED = "debug_info"
"""Key of what wraps a turn: its diagnostics, or their text, are below it."""

RESULT = re.compile(r"(?:^|\.)results?\[(\d{1,9})\]\.")
"""In a dotted key, what a result's keys begin with; the group is its index."""

COUNT = re.compile(r"(?:^|\.)(?:raw_result_count|filtered_count|result_count)\Z")
"""The end of a dotted key that is a count."""


def is_flat(keys: Iterable[str]) -> bool:
    """Tell whether an object with these keys is a turn in the flat form: a result's, or a count."""
    return any(RESULT.search(key) or COUNT.search(key) for key in keys)


def holds_turn(document: Mapping[str, Any]) -> bool:
    """Tell whether one of an object's values is a wrapped turn, or one in the flat form."""
    return any(
        isinstance(value, dict) and (WRAPPED in value or is_flat(value))
        for value in document.values()
    )
