"""How a slider's values lie along its groove: monotonic, and each place gives its value back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

SMALLEST_LIMIT = 0.001
"""Where a drag to the left ends, of a number whose 0 is no limit: that is a choice of its own."""


@dataclass(frozen=True)
class Scale:
    """Maps a slider's whole numbers to places along the groove and back.

    Equal steps from `low` to `knee`, which take up `share` of the groove, then equal ratios up to
    `high`: small values, which matter most, are each some pixels wide, and the large ones are in
    reach.
    """

    low: int
    high: int
    knee: int
    share: float

    @classmethod
    def linear(cls, low: int, high: int) -> Self:
        """Return the scale of equal steps all the way."""
        return cls(low, high, high, 1.0)

    def fraction(self, value: int) -> float:
        """Return the place of `value`, 0 (left end) to 1 (right end)."""
        if value <= self.knee:
            return self.share * (value - self.low) / (self.knee - self.low)
        beyond = math.log(value / self.knee) / math.log(self.high / self.knee)
        return self.share + (1.0 - self.share) * beyond

    def value(self, fraction: float) -> int:
        """Return the value nearest to a place; ``value(fraction(v)) == v``."""
        fraction = min(max(fraction, 0.0), 1.0)
        if fraction <= self.share:
            return self.low + round(fraction / self.share * (self.knee - self.low))
        beyond = (fraction - self.share) / (1.0 - self.share)
        return round(self.knee * math.pow(self.high / self.knee, beyond))
