"""The numbers of a table of hits as its cells write them: told from their neighbours and limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.hits.numbers import NumbersBeside

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.hits.listing import Bar, Listing

_LEAST = {"distance": 3, "bm25_score": 2, "fused_score": 4, "score": 3}
_OF_THE_SETTINGS = ("fused_score", "score")


class NumberCells:
    """What the number cells of the rows on show say.

    Which decimals tell them apart is found once for the rows of a search, not for each cell.
    """

    def __init__(self) -> None:
        self._listing: Listing | None = None
        self._rows: Sequence[int] = ()
        self._limited = ""
        self._limit: float | None = None
        self._at_limit = np.nan
        self._beside: dict[str, NumbersBeside] = {}

    def show(
        self, listing: Listing | None, rows: Sequence[int], bar: Bar | None, *, is_other: bool
    ) -> None:
        """Take over a listing and the rows of it that are shown; `is_other` than before."""
        self._listing, self._rows = listing, rows
        if is_other:
            self._beside.clear()
        else:
            for field in _OF_THE_SETTINGS:
                self._beside.pop(field, None)
        self._limited = "" if bar is None else bar.field
        self._limit = None if bar is None else bar.limit
        # A distance is compared with the threshold in float32.
        is_distance = self._limited == "distance" and self._limit is not None
        self._at_limit = float(np.float32(self._limit)) if is_distance else np.nan

    def text(self, field: str, value: float) -> str:
        """Return what a cell says: a score without zeros at its end."""
        is_limited = field == self._limited and value != self._at_limit
        text = self._of(field).text(value, self._limit if is_limited else None)
        return text.rstrip("0").rstrip(".") if field == "score" else text

    def longest(self) -> dict[str, int]:
        """Return field → characters of its longest text, of the fields with decimals."""
        fields = () if self._listing is None else self._listing.fields
        return {field: self._of(field).longest for field in fields if field in _LEAST}

    def _of(self, field: str) -> NumbersBeside:
        beside = self._beside.get(field)
        if beside is None:
            beside = self._beside[field] = self._made(field)
        return beside

    def _made(self, field: str) -> NumbersBeside:
        keys = [] if self._listing is None else self._listing.near_miss_keys(field, self._rows)
        values = [float(key) for key in keys]
        if field != "distance":
            # No score is 0: that would be no match.
            values.append(0.0)
        return NumbersBeside(values, _LEAST[field])
