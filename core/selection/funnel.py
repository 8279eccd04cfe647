"""The counts of a turn as the stages of a funnel: what each stage kept, removed, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.parameters import RetrievalMode
from core.selection.select import Reason

if TYPE_CHECKING:
    from core.selection.select import Counts


class Leg(StrEnum):
    """Which leg of a Hybrid search a stage belongs to; NONE = the common trunk."""

    NONE = ""
    DENSE = "dense"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the funnel.

    count : records that are left after it, equal to what came in minus `removed`. What came in is
        the stage before in the same leg; for the first stage of a leg the trunk (``match
        filter``), and for the stage that joins the legs (``fused``) the sum of both.
    reason : which near-misses the stage removed; NONE where it removed none that can be listed.
    why : `removed` in words, e.g. ``by filter``; "" for the first stage.
    """

    label: str
    count: int
    leg: Leg
    removed: int
    reason: Reason
    why: str


def funnel_stages(counts: Counts, mode: RetrievalMode) -> tuple[Stage, ...]:
    """Return the stages of a turn in reading order, Hybrid's dense leg before its BM25 leg.

    Parameters
    ----------
    counts : of a selection made in this `mode`; in Lexical and Hybrid mode with the counts per leg.
    """
    trunk = (Stage("records", counts.records, Leg.NONE, 0, Reason.NONE, ""),
             Stage("match filter", counts.matching, Leg.NONE, counts.records - counts.matching,
                   Reason.FILTER, "by filter"))
    if mode is RetrievalMode.Dense:
        return trunk + _dense_stages(counts)
    if mode is RetrievalMode.Lexical:
        sparse_raw = counts.sparse_raw or 0
        return (*trunk, *_sparse_leg(counts, Leg.NONE),
                _hits(counts, sparse_raw))
    return trunk + _hybrid_stages(counts)


def sources(stages: tuple[Stage, ...], number: int) -> tuple[int, ...]:
    """Return the places of the stages that flow into the one at place `number`.

    None for the first, both legs' ends where they join, else the stage before in the same leg.
    """
    leg = stages[number].leg
    trunk = [at for at in range(number) if stages[at].leg is Leg.NONE]
    if leg is not Leg.NONE:
        same = [at for at in range(number) if stages[at].leg is leg]
        return tuple(same[-1:] or trunk[-1:])
    ends = [[at for at in range(number) if stages[at].leg is side][-1:]
            for side in (Leg.DENSE, Leg.SPARSE)]
    joined = [at for end in ends for at in end if not trunk or at > trunk[-1]]
    return tuple(joined or trunk[-1:])


def _dense_stages(counts: Counts) -> tuple[Stage, ...]:
    kept = counts.raw - counts.filtered
    return (Stage("raw", counts.raw, Leg.NONE, counts.matching - counts.raw, Reason.TOP_K,
                  "beyond top_k"),
            Stage("within threshold", kept, Leg.NONE, counts.filtered, Reason.THRESHOLD,
                  "by threshold"),
            _hits(counts, kept))


def _hybrid_stages(counts: Counts) -> tuple[Stage, ...]:
    dense_raw, removed = counts.dense_raw or 0, counts.dense_filtered or 0
    kept, sparse_raw, fused = dense_raw - removed, counts.sparse_raw or 0, counts.fused or 0
    return (Stage("dense raw", dense_raw, Leg.DENSE, counts.matching - dense_raw,
                  Reason.LEG_DEPTH, "beyond leg depth"),
            Stage("within threshold", kept, Leg.DENSE, removed, Reason.THRESHOLD,
                  "by threshold"),
            *_sparse_leg(counts, Leg.SPARSE),
            Stage("fused", fused, Leg.NONE, kept + sparse_raw - fused, Reason.NONE,
                  "in both legs"),
            _hits(counts, fused))


def _sparse_leg(counts: Counts, leg: Leg) -> tuple[Stage, ...]:
    with_word, sparse_raw = counts.with_query_word or 0, counts.sparse_raw or 0
    return (Stage("with query words", with_word, leg, counts.matching - with_word, Reason.NONE,
                  "without query words"),
            Stage("BM25 leg", sparse_raw, leg, with_word - sparse_raw, Reason.LEG_DEPTH,
                  "beyond leg depth"))


def _hits(counts: Counts, before: int) -> Stage:
    return Stage("hits", counts.result, Leg.NONE, before - counts.result, Reason.TOP_K,
                 "beyond top_k")
