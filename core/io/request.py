"""The refusal of a retrieval request whose value cannot be used."""

from __future__ import annotations

import math
from typing import Any

from core.errors import Code, InspectorError, Place

MAX_SHOWN_CHARS = 60


class InvalidRequest(InspectorError, ValueError):
    """3007 with the parameter's name; also a `ValueError`, as callers of a retriever expect."""

    def __init__(self, param: str, message: str, hint: str = "") -> None:
        super().__init__(Code.InvalidParamValue, message, place=Place(param=param), hint=hint)


def shown(value: Any) -> str:
    """Return a value as it is named in a message, cut when it is long."""
    text = f'"{value}"' if isinstance(value, str) else repr(value)
    return text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 3] + "..."


def check_number(param: str, value: Any, low: float = 0.0) -> float:
    """Return `value` as a finite float that is `low` or more.

    Raises
    ------
    InvalidRequest
        When it is no number, NaN, an infinity or below `low`.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidRequest(param, f"expected a number, found {shown(value)}")
    if not low <= value < math.inf:
        raise InvalidRequest(param, f"{shown(value)} is out of range: {low:g} or more")
    return float(value)


def check_whole(param: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` as an int within the range, both ends included.

    Raises
    ------
    InvalidRequest
        When it is no whole number or out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidRequest(param, f"expected a whole number, found {shown(value)}")
    if value < low or (high is not None and value > high):
        limits = f"{low} or more" if high is None else f"{low} to {high}"
        raise InvalidRequest(param, f"{shown(value)} is out of range: {limits}")
    return value
