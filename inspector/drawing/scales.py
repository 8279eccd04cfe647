"""How a slider's values lie along its groove. Each scale is monotonic and gives back its values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol


class Scale(Protocol):
    """Maps a slider's whole numbers to places along the groove and back."""

    @property
    def low(self) -> int:
        """The value at the left end."""

    @property
    def high(self) -> int:
        """The value at the right end."""

    def fraction(self, value: int) -> float:
        """Return the place of `value`, 0 (left end) to 1 (right end)."""

    def value(self, fraction: float) -> int:
        """Return the value nearest to a place; ``value(fraction(v)) == v``."""


@dataclass(frozen=True)
class LinearScale:
    """Equal steps, from `low` to `high`."""

    low: int
    high: int

    def fraction(self, value: int) -> float:
        """Return the place of `value`."""
        return (value - self.low) / (self.high - self.low)

    def value(self, fraction: float) -> int:
        """Return the value nearest to a place."""
        fraction = min(max(fraction, 0.0), 1.0)
        return self.low + round(fraction * (self.high - self.low))


@dataclass(frozen=True)
class KneeScale:
    """Equal steps from `low` to `knee`, which take up `share` of the groove, then equal ratios.

    Small values, which matter most, are each some pixels wide, and the large ones are in reach.
    """

    low: int
    high: int
    knee: int
    share: float

    def fraction(self, value: int) -> float:
        """Return the place of `value`."""
        if value <= self.knee:
            return self.share * (value - self.low) / (self.knee - self.low)
        beyond = math.log(value / self.knee) / math.log(self.high / self.knee)
        return self.share + (1.0 - self.share) * beyond

    def value(self, fraction: float) -> int:
        """Return the value nearest to a place."""
        fraction = min(max(fraction, 0.0), 1.0)
        if fraction <= self.share:
            return self.low + round(fraction / self.share * (self.knee - self.low))
        beyond = (fraction - self.share) / (1.0 - self.share)
        return round(self.knee * math.pow(self.high / self.knee, beyond))
