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
    sparse_raw = counts.sparse_raw or 0
    if mode is RetrievalMode.Dense:
        kept = counts.raw - counts.filtered
        return (
            *_trunk(counts),
            Stage(RAW, counts.raw, counts.matching - counts.raw),
            Stage(WITHIN_THRESHOLD, kept, counts.filtered),
            _hits(counts, kept),
        )
    if mode is RetrievalMode.Lexical:
        return (*_trunk(counts), *_sparse_leg(counts, Leg.NONE), _hits(counts, sparse_raw))
    dense_raw, removed = counts.dense_raw or 0, counts.dense_filtered or 0
    kept, fused = dense_raw - removed, counts.fused or 0
    return (
        *_trunk(counts),
        Stage(DENSE_RAW, dense_raw, counts.matching - dense_raw, Leg.DENSE),
        Stage(WITHIN_THRESHOLD, kept, removed, Leg.DENSE),
        *_sparse_leg(counts, Leg.SPARSE),
        Stage(FUSED, fused, kept + sparse_raw - fused),
        _hits(counts, fused),
    )


def intent_stages(counts: Counts) -> tuple[Stage, ...]:
    """Return the stages of a ClassifyIntent: of its nearest examples, those near enough."""
    return (
        *_trunk(counts),
        Stage(NEAREST, counts.raw, counts.matching - counts.raw),
        Stage(WITHIN_THRESHOLD, counts.result, counts.raw - counts.result),
    )


def _trunk(counts: Counts) -> tuple[Stage, ...]:
    return (
        Stage(RECORDS, counts.records),
        Stage(MATCHING, counts.matching, counts.records - counts.matching),
    )


def _sparse_leg(counts: Counts, leg: Leg) -> tuple[Stage, ...]:
    with_word, sparse_raw = counts.with_query_word or 0, counts.sparse_raw or 0
    return (
        Stage(WITH_WORDS, with_word, counts.matching - with_word, leg),
        Stage(SPARSE_RAW, sparse_raw, with_word - sparse_raw, leg),
    )


def _hits(counts: Counts, before: int) -> Stage:
    return Stage(HITS, counts.result, before - counts.result)
