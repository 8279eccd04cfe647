"""The stages of a funnel: what each kept of a search, what it removed, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from core.hits.hit import Reason

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
    reason : whose colour its removals have; NONE for no colour of their own.
    is_listed : whether the rows that it removed can be listed.
    """

    labels: tuple[str, ...]
    help: str = ""
    whys: tuple[str, ...] = ()
    reason: Reason = Reason.NONE
    is_listed: bool = True


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
        """Whose colour its removals have."""
        return self.kind.reason

    @property
    def can_be_listed(self) -> bool:
        """Whether it removed, or added, rows that can be listed."""
        return self.removed != 0 and self.kind.is_listed

    @property
    def why(self) -> str:
        """`removed` in words, e.g. ``by filter``; "" for a first stage."""
        return self.kind.whys[0] if self.kind.whys else ""


@dataclass(frozen=True, slots=True, eq=False)
class StageRows:
    """The rows that a stage removed, or that it added: as many as its number says.

    rows : int64 (n,), the closest to getting in first.
    stayed : bool (n,), those that went on nevertheless.
    how : how they did, e.g. ``came back through BM25``; "" where none can.
    """

    rows: NDArray[np.int64]
    stayed: NDArray[np.bool_]
    how: str = ""

    @classmethod
    def of(
        cls, rows: NDArray[np.int64], others: NDArray[np.int64] | None = None, how: str = ""
    ) -> StageRows:
        """Return the rows; those that are among the `others` went on."""
        stayed = np.zeros(len(rows), dtype=np.bool_) if others is None else np.isin(rows, others)
        return cls(rows, stayed, how)

    def told(self) -> dict[int, str]:
        """Return row → how it went on, of those that did."""
        return dict.fromkeys(self.rows[self.stayed].tolist(), self.how)


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
