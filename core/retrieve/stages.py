"""The counts of a search in records as the stages of its funnel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.hits.hit import Reason
from core.hits.stage import Leg, Stage, StageKind
from core.retrieve.modes import RetrievalMode

if TYPE_CHECKING:
    from core.retrieve.select import Counts

_BEYOND_DEPTH = ("beyond leg depth", "leg depth")

RECORDS = StageKind(("records",), "All records of the knowledge.")
MATCHING = StageKind(
    ("match filter", "matching", "match"),
    "Records that the filter lets through.",
    ("by filter", "filter"),
    Reason.FILTER,
)
RAW = StageKind(
    ("raw",),
    "The nearest of them: top_k, before the threshold.",
    ("beyond top_k", "top_k"),
    Reason.TOP_K,
)
DENSE_RAW = StageKind(
    ("dense raw", "dense"),
    "The nearest of them that the dense leg yields: max(4 × top_k, 50).",
    _BEYOND_DEPTH,
    Reason.LEG_DEPTH,
)
BOTH_RAW = StageKind(("both legs",))
WITHIN_THRESHOLD = StageKind(
    ("within threshold", "≤ threshold", "within"),
    "Of these, the ones whose distance is within the threshold.",
    ("by threshold", "threshold"),
    Reason.THRESHOLD,
)
WITH_WORDS = StageKind(
    ("with query words", "with words", "words"),
    "Records that share a word with the query.",
    ("without query words", "no words"),
)
SPARSE_RAW = StageKind(
    ("BM25 leg", "BM25"),
    "The best of them by BM25 score: max(4 × top_k, 50).",
    _BEYOND_DEPTH,
    Reason.LEG_DEPTH,
)
FUSED = StageKind(
    ("fused",),
    "Records of both legs; one that is in both is counted once.",
    ("in both legs", "in both"),
)
HITS = StageKind(("hits",), "What goes into the prompt.", ("beyond top_k", "top_k"), Reason.TOP_K)
NEAREST = StageKind(
    ("nearest",),
    "The nearest of them: diagnostic_topk, before the threshold. The first decides.",
    ("beyond diagnostic_topk",),
    Reason.TOP_K,
)


def retrieve_stages(counts: Counts, mode: RetrievalMode) -> tuple[Stage, ...]:
    """Return the stages of a turn in reading order, Hybrid's dense leg before its BM25 leg.

    Parameters
    ----------
    counts : of a selection made in this `mode`; in Lexical and Hybrid mode with the counts per leg.
    """
    records, matching = _trunk(counts)
    if mode is RetrievalMode.Dense:
        raw = _stage(counts, RAW, "raw", matching)
        kept = _stage(counts, WITHIN_THRESHOLD, "kept", raw)
        return records, matching, raw, kept, _stage(counts, HITS, "result", kept)
    leg = Leg.NONE if mode is RetrievalMode.Lexical else Leg.SPARSE
    with_words = _stage(counts, WITH_WORDS, "with_query_word", matching, leg=leg)
    sparse = _stage(counts, SPARSE_RAW, "sparse_raw", with_words, leg=leg)
    if mode is RetrievalMode.Lexical:
        return records, matching, with_words, sparse, _stage(counts, HITS, "result", sparse)
    dense = _stage(counts, DENSE_RAW, "dense_raw", matching, leg=Leg.DENSE)
    kept = _stage(counts, WITHIN_THRESHOLD, "kept", dense, leg=Leg.DENSE)
    fused = _stage(counts, FUSED, "fused", kept, sparse)
    hits = _stage(counts, HITS, "result", fused)
    return records, matching, dense, kept, with_words, sparse, fused, hits


def intent_stages(counts: Counts) -> tuple[Stage, ...]:
    """Return the stages of a ClassifyIntent: of its nearest examples, those near enough."""
    records, matching = _trunk(counts)
    nearest = _stage(counts, NEAREST, "raw", matching)
    return records, matching, nearest, _stage(counts, WITHIN_THRESHOLD, "result", nearest)


def _trunk(counts: Counts) -> tuple[Stage, Stage]:
    records = _stage(counts, RECORDS, "records")
    return records, _stage(counts, MATCHING, "matching", records)


def _stage(
    counts: Counts, kind: StageKind, name: str, *before: Stage, leg: Leg = Leg.NONE
) -> Stage:
    """Return a stage after those that flow into it.

    Parameters
    ----------
    name : of what it counts, in `counts`.
    """
    count: int = getattr(counts, name) or 0
    at_least = name in counts.at_least
    is_known = not (at_least or any(stage.at_least for stage in before))
    removed = sum(stage.count for stage in before) - count if before and is_known else 0
    return Stage(kind, count, removed, leg, at_least)
