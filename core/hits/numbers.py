"""Numbers as texts: in full, or with as many decimals as tell them from those beside them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_DECIMALS = 17
"""Numbers that agree so far are shown alike."""

_SIGNIFICANT = 12
"""Digits of a number of float64; those behind them are the noise of its calculation."""


def in_full(value: float, least: int = 3) -> str:
    """Write a number that was set with all its decimals, `least` of them at least.

    ``0.5`` as ``0.500`` and ``1e-07`` as ``0.0000001``; what is smaller than that many decimals
    can show keeps its exponent.
    """
    text = repr(value)
    if "e" in text or "n" in text:
        if not math.isfinite(value) or abs(value) < 10.0**-MOST_DECIMALS:
            return text
        text = np.format_float_positional(value)
    whole, _, decimals = text.partition(".")
    decimals = decimals.rstrip("0").ljust(least, "0")
    return f"{whole}.{decimals}" if decimals else whole


def in_detail(value: float, least: int = 6) -> str:
    """Write a number that was calculated: one of float32 so that no other is written alike.

    One of float64 without the noise of its last digits, such as ``0.3`` for 0.1 + 0.2.
    """
    single = np.float32(value)
    digits = str(single) if float(single) == value else f"{value:.{_SIGNIFICANT}g}"
    return in_full(float(digits), least)


def apart(value: float, others: Iterable[float], least: int) -> str:
    """Write a number with the fewest decimals, `least` or more, that tell it from the others."""
    decimals = least
    for other in others:
        if other != value:
            while decimals < MOST_DECIMALS and f"{value:.{decimals}f}" == f"{other:.{decimals}f}":
                decimals += 1
    return f"{value:.{decimals}f}"


class NumbersBeside:
    """Numbers that are shown together.

    Each has the fewest decimals, `least` or more, that tell it from the next smaller and the next
    larger one. Made once for a table; a text then costs one look.

    Parameters
    ----------
    values : the numbers, in any order, repeats included.

    Attributes
    ----------
    longest : characters of the longest text, as far as no limit makes it longer.
    """

    def __init__(self, values: Iterable[float], least: int) -> None:
        self._least = least
        known = sorted({value for value in values if value == value})
        decimals = [least] * len(known)
        alike, places = list(range(len(known) - 1)), least
        while alike and places < MOST_DECIMALS:
            alike = [
                at for at in alike if f"{known[at]:.{places}f}" == f"{known[at + 1]:.{places}f}"
            ]
            places += 1
            for at in alike:
                decimals[at] = decimals[at + 1] = places
        self._decimals = dict(zip(known, decimals, strict=True))
        self.longest = max(map(len, map(self.text, known)), default=0)

    def text(self, value: float, limit: float | None = None) -> str:
        """Write one of the numbers; on the same side of the limit, if any, as it really is."""
        decimals = self._decimals.get(value, self._least)
        text = f"{value:.{decimals}f}"
        if limit is not None and value != limit:
            while decimals < MOST_DECIMALS and (
                (shown := float(text)) == limit or (shown < limit) != (value < limit)
            ):
                decimals += 1
                text = f"{value:.{decimals}f}"
        return text
