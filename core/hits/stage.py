"""The stages of a funnel: what each kept of a search, what it removed, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from core.hits.hit import Reason


class Leg(StrEnum):
    """Which leg of a Hybrid search a stage belongs to; NONE = the common trunk."""

    NONE = ""
    DENSE = "dense"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True)
class StageKind:
    """What a stage is, whatever it counts; declared once, by the search that has it.

    labels : its name, and shorter ones for where there is less room.
    help : what it lets through, in a sentence.
    whys : what it removed in words, e.g. ``by filter``, and shorter; () for a first stage.
    reason : which near-misses it removes; NONE where they cannot be listed.
    """

    labels: tuple[str, ...]
    help: str = ""
    whys: tuple[str, ...] = ()
    reason: Reason = Reason.NONE


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the funnel.

    count : what is left after it, equal to what came in minus `removed`. What came in is
        the stage before in the same leg; for the first stage of a leg the trunk, and for the
        stage that joins the legs the sum of both.
    removed : how many fewer come out than came in; negative where the stage adds some, 0 where
        that is not known.
    at_least : whether `count` is a lower bound.
    """

    kind: StageKind
    count: int
    removed: int = 0
    leg: Leg = Leg.NONE
    at_least: bool = False

    @property
    def figure(self) -> str:
        """`count` as it is shown: ``4,000`` or ``≥ 4,000``."""
        return f"{'≥ ' if self.at_least else ''}{self.count:,}"

    @property
    def label(self) -> str:
        """Its name."""
        return self.kind.labels[0]

    @property
    def help(self) -> str:
        """What the stage lets through, in a sentence."""
        return self.kind.help

    @property
    def reason(self) -> Reason:
        """Which near-misses it removed; NONE where they cannot be listed."""
        return self.kind.reason

    @property
    def why(self) -> str:
        """`removed` in words, e.g. ``by filter``; "" for a first stage."""
        return self.kind.whys[0] if self.kind.whys else ""


def sources(stages: tuple[Stage, ...], number: int) -> tuple[int, ...]:
    """Return the places of the stages that flow into the one at place `number`.

    None for the first, both legs' ends where they join, else the stage before in the same leg.
    """
    leg = stages[number].leg
    trunk = [at for at in range(number) if stages[at].leg is Leg.NONE]
    if leg is not Leg.NONE:
        same = [at for at in range(number) if stages[at].leg is leg]
        return tuple(same[-1:] or trunk[-1:])
    ends = [
        [at for at in range(number) if stages[at].leg is side][-1:]
        for side in (Leg.DENSE, Leg.SPARSE)
    ]
    joined = [at for end in ends for at in end if not trunk or at > trunk[-1]]
    return tuple(joined or trunk[-1:])
