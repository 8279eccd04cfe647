"""Two lists of hits of the same question side by side: what is the same, moved, missing or new."""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.hits.numbers import in_detail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.hits.hit import Hit

TOLERANCE = 0.02
"""Distances of one record that are so far apart still agree: another build, another device."""

_NOISE = 1e-6
# Distances are float32 here, and have six decimals in most recordings.
_SCORE_NOISE = 1e-4
_COMPARED = {
    "score": "score",
    "bm25_score": "BM25",
    "rank_dense": "dense rank",
    "rank_sparse": "BM25 rank",
    "match_reason": "reason",
}


class Verdict(StrEnum):
    """How a hit of the recording compares with the same hit here; the first that applies.

    SCORE : a score, a rank within a leg, or the reason of the match is another one.
    """

    SAME = "same"
    MOVED = "moved"
    DISTANCE = "distance"
    SCORE = "score"
    MISSING = "missing"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class HitPair:
    """One hit in both lists, or in one of them.

    recorded, here : None where that list does not have it.
    recorded_rank, here_rank : 1-based places in the lists; None likewise.
    distance_change : here − recorded; None unless both have a distance.
    tolerance : distances that differ by no more agree.
    """

    id: str
    text: str
    recorded: Hit | None
    here: Hit | None
    verdict: Verdict
    distance_change: float | None
    recorded_rank: int | None = None
    here_rank: int | None = None
    tolerance: float = TOLERANCE

    @property
    def is_distant(self) -> bool:
        """Whether both lists have it, but with distances that do not agree."""
        return (
            self.recorded is not None
            and self.here is not None
            and _are_apart(self.recorded, self.here, self.tolerance)
        )

    @property
    def differences(self) -> tuple[str, ...]:
        """What the recording says of the hit besides its distance and is not so here, in words."""
        if self.recorded is None or self.here is None:
            return ()
        return _differences(self.recorded, self.here)


@dataclass(frozen=True, slots=True)
class Comparison:
    """The pairs in the recorded order, then what is new by its rank here."""

    pairs: tuple[HitPair, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether any hit is not the same."""
        return any(pair.verdict is not Verdict.SAME for pair in self.pairs)

    def count(self, verdict: Verdict) -> int:
        """Return how many pairs have this verdict."""
        return sum(pair.verdict is verdict for pair in self.pairs)

    @property
    def summary(self) -> str:
        """The counts in words: ``3 same, 1 moved, 0 distance, 1 missing, 0 new``."""
        return ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items())

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many pairs have each verdict; other scores are only told where there are some."""
        found = Counter(pair.verdict for pair in self.pairs)
        return {
            verdict: found[verdict]
            for verdict in Verdict
            if found[verdict] or verdict is not Verdict.SCORE
        }


def compare_hits(
    recorded: Sequence[Hit], here: Sequence[Hit], tolerance: float = TOLERANCE
) -> Comparison:
    """Pair the hits of two lists by id, an id that is repeated in the order of its places.

    A pair at the same place in both lists is SAME, or DISTANCE when its distances differ by more
    than `tolerance`, or only one of them has one, unless the recording says nothing of it: neither
    distance nor BM25 score; or else SCORE, when another number or the reason that is recorded is
    not so here. At another place it is MOVED, whatever its distances (see
    `HitPair.is_distant`).

    Parameters
    ----------
    recorded, here : the hits, best first.
    tolerance : cosine distance, 0 or more; float32 rounding at its edge does not count.
    """
    places: defaultdict[str, deque[int]] = defaultdict(deque)
    for place, hit in enumerate(here):
        places[hit.id].append(place)
    pairs, paired = [], set()
    for place, hit in enumerate(recorded):
        there = places[hit.id].popleft() if places[hit.id] else None
        if there is None:
            pairs.append(
                HitPair(
                    hit.id, hit.text, hit, None, Verdict.MISSING, None, place + 1, None, tolerance
                )
            )
            continue
        paired.add(there)
        pairs.append(_pair(hit, place, here[there], there, tolerance))
    new = [
        HitPair(hit.id, hit.text, None, hit, Verdict.NEW, None, None, place + 1, tolerance)
        for place, hit in enumerate(here)
        if place not in paired
    ]
    return Comparison((*pairs, *new))


def _pair(
    recorded: Hit, recorded_place: int, here: Hit, here_place: int, tolerance: float
) -> HitPair:
    verdict = Verdict.SAME
    if recorded_place != here_place:
        verdict = Verdict.MOVED
    elif _are_apart(recorded, here, tolerance):
        verdict = Verdict.DISTANCE
    elif _differences(recorded, here):
        verdict = Verdict.SCORE
    return HitPair(
        recorded.id,
        here.text or recorded.text,
        recorded,
        here,
        verdict,
        _change(recorded, here),
        recorded_place + 1,
        here_place + 1,
        tolerance,
    )


def _differences(recorded: Hit, here: Hit) -> tuple[str, ...]:
    found = []
    for field, name in _COMPARED.items():
        before, now = getattr(recorded, field), getattr(here, field)
        if before in (None, "") or before == now:
            continue
        if isinstance(before, float) and isinstance(now, float):
            if math.isclose(before, now, rel_tol=_SCORE_NOISE, abs_tol=_NOISE):
                continue
            said = f"{in_detail(before, 0)} → {in_detail(now, 0)}"
        else:
            said = f"{before} → {now or '–'}"
        found.append(f"{name} {said}")
    return tuple(found)


def _change(recorded: Hit, here: Hit) -> float | None:
    if recorded.distance is None or here.distance is None:
        return None
    return here.distance - recorded.distance


def _are_apart(recorded: Hit, here: Hit, tolerance: float) -> bool:
    change = _change(recorded, here)
    if change is None:
        # Older recordings leave distances out. One that only BM25 has found has really none.
        is_told = recorded.distance is not None or recorded.bm25_score is not None
        return is_told and recorded.distance != here.distance
    return abs(change) > tolerance + _NOISE
