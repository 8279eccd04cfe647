"""The refusal of a retrieval request whose value cannot be used."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.io.wording import cut, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_SHOWN_CHARS = 60


class InvalidRequest(InspectorError, ValueError):
    """3007 with the parameter's name; also a `ValueError`, as callers of a retriever expect."""

    def __init__(self, param: str, message: str, hint: str = "") -> None:
        super().__init__(Code.InvalidParamValue, message, place=Place(param=param), hint=hint)


def shown(value: Any) -> str:
    """Return a value as it is named in a message, cut when it is long."""
    text = f'the text "{value}"' if isinstance(value, str) else repr(value)
    return cut(text, MAX_SHOWN_CHARS, "...")


def range_text(low: float | None, high: float | None) -> str:
    """Return a range in words (``1 to 1000``), "" for one without a lower end."""
    if low is None:
        return ""
    return f"{low:g} or more" if high is None else f"{low:g} to {high:g}"


def check_number(
    param: str, value: Any, low: float | None = 0.0, high: float | None = None
) -> float:
    """Return `value` as a finite float within the range, both ends included.

    Raises
    ------
    InvalidRequest
        When it is no number, NaN, an infinity or out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidRequest(param, f"expected a number, found {shown(value)}")
    _check_range(param, value, low, high)
    return float(value)


def check_whole(param: str, value: Any, low: float | None, high: float | None = None) -> int:
    """Return `value` as an int within the range, both ends included.

    Raises
    ------
    InvalidRequest
        When it is no whole number or out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidRequest(param, f"expected a whole number, found {shown(value)}")
    _check_range(param, value, low, high)
    return value


def _check_range(param: str, value: float, low: float | None, high: float | None) -> None:
    least = -math.inf if low is None else low
    most = math.inf if high is None else high
    # `not (a <= v <= b)` also refuses NaN.
    if not (least <= value <= most) or abs(value) == math.inf:
        raise InvalidRequest(param, f"{shown(value)} is out of range: {range_text(low, high)}")


def refuse_unknown(
    given: Iterable[str], known: Sequence[str], *, what: str = "parameter", path: str = ""
) -> None:
    """Refuse a name that is none of the known ones.

    Parameters
    ----------
    what : what the names are names of; path : what stands before them in the refusal.

    Raises
    ------
    InvalidRequest
        3007 with the first such name, and what it may have meant.
    """
    for key in given:
        if key not in known:
            raise InvalidRequest(
                f"{path}{key}",
                f"there is no such {what}",
                did_you_mean(str(key), known) or f"the {what}s are {', '.join(known)}",
            )
