"""The counts of a turn as the stages of a funnel: what each stage kept, removed, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.nodes.parameters import RetrievalMode
from core.retrieve.select import Reason

if TYPE_CHECKING:
    from core.keyword.select import KeywordCounts
    from core.retrieve.select import Counts
    from core.subgraph.listing import SubgraphCounts

_HELP = {
    "records": "All records of the knowledge.",
    "match filter": "Records that the filter lets through.",
    "raw": "The nearest of them: top_k, before the threshold.",
    "dense raw": "The nearest of them that the dense leg yields: max(4 × top_k, 50).",
    "within threshold": "Of these, the ones whose distance is within the threshold.",
    "with query words": "Records that share a word with the query.",
    "BM25 leg": "The best of them by BM25 score: max(4 × top_k, 50).",
    "fused": "Records of both legs; one that is in both is counted once.",
    "hits": "What goes into the prompt.",
    "entries": "All entries of the corpus.",
    "matched": "Entries that share a word with the question, in any field.",
    "at or above min_score": "Of these, the ones whose score reaches min_score.",
    "nodes": "All nodes of the knowledge graph.",
    "in scope": "Nodes that root_node_id, tag_filters and directory_prefix let through.",
    "found": "Of these, the ones that share a word with the question, or with embeddings the best "
    "of each leg.",
    "nearest": "The nearest of them: diagnostic_topk, before the threshold. The first decides.",
    "matches": "The best of them: top_k, where the walk starts.",
    "reached": "Matches and the nodes that the walk comes to from them.",
    "in the prompt": "The matches and what is around them: these nodes go into the prompt.",
}


class Leg(StrEnum):
    """Which leg of a Hybrid search a stage belongs to; NONE = the common trunk."""

    NONE = ""
    DENSE = "dense"
    SPARSE = "sparse"


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the funnel.

    count : what is left after it, equal to what came in minus `removed`. What came in is
        the stage before in the same leg; for the first stage of a leg the trunk (``match
        filter``), and for the stage that joins the legs (``fused``) the sum of both.
    removed : how many fewer come out than came in; negative where the stage adds some.
    reason : which near-misses the stage removed; NONE where it removed none that can be listed.
    why : `removed` in words, e.g. ``by filter``; "" for the first stage.
    """

    label: str
    count: int
    leg: Leg
    removed: int
    reason: Reason
    why: str

    @property
    def help(self) -> str:
        """What the stage lets through, in a sentence."""
        return _HELP.get(self.label, "")


def funnel_stages(counts: Counts, mode: RetrievalMode) -> tuple[Stage, ...]:
    """Return the stages of a turn in reading order, Hybrid's dense leg before its BM25 leg.

    Parameters
    ----------
    counts : of a selection made in this `mode`; in Lexical and Hybrid mode with the counts per leg.
    """
    trunk = (
        Stage("records", counts.records, Leg.NONE, 0, Reason.NONE, ""),
        Stage(
            "match filter",
            counts.matching,
            Leg.NONE,
            counts.records - counts.matching,
            Reason.FILTER,
            "by filter",
        ),
    )
    if mode is RetrievalMode.Dense:
        return trunk + _dense_stages(counts)
    if mode is RetrievalMode.Lexical:
        sparse_raw = counts.sparse_raw or 0
        return (*trunk, *_sparse_leg(counts, Leg.NONE), _hits(counts, sparse_raw))
    return trunk + _hybrid_stages(counts)


def intent_stages(counts: Counts) -> tuple[Stage, ...]:
    """Return the stages of a ClassifyIntent: of its nearest examples, those near enough."""
    trunk, nearest = funnel_stages(counts, RetrievalMode.Dense)[:2], counts.matching - counts.raw
    return (
        *trunk,
        Stage("nearest", counts.raw, Leg.NONE, nearest, Reason.TOP_K, "beyond diagnostic_topk"),
        Stage(
            "within threshold",
            counts.result,
            Leg.NONE,
            counts.raw - counts.result,
            Reason.THRESHOLD,
            "by threshold",
        ),
    )


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


def _dense_stages(counts: Counts) -> tuple[Stage, ...]:
    kept = counts.raw - counts.filtered
    return (
        Stage(
            "raw", counts.raw, Leg.NONE, counts.matching - counts.raw, Reason.TOP_K, "beyond top_k"
        ),
        Stage(
            "within threshold", kept, Leg.NONE, counts.filtered, Reason.THRESHOLD, "by threshold"
        ),
        _hits(counts, kept),
    )


def _hybrid_stages(counts: Counts) -> tuple[Stage, ...]:
    dense_raw, removed = counts.dense_raw or 0, counts.dense_filtered or 0
    kept, sparse_raw, fused = dense_raw - removed, counts.sparse_raw or 0, counts.fused or 0
    return (
        Stage(
            "dense raw",
            dense_raw,
            Leg.DENSE,
            counts.matching - dense_raw,
            Reason.LEG_DEPTH,
            "beyond leg depth",
        ),
        Stage("within threshold", kept, Leg.DENSE, removed, Reason.THRESHOLD, "by threshold"),
        *_sparse_leg(counts, Leg.SPARSE),
        Stage("fused", fused, Leg.NONE, kept + sparse_raw - fused, Reason.NONE, "in both legs"),
        _hits(counts, fused),
    )


def _sparse_leg(counts: Counts, leg: Leg) -> tuple[Stage, ...]:
    with_word, sparse_raw = counts.with_query_word or 0, counts.sparse_raw or 0
    return (
        Stage(
            "with query words",
            with_word,
            leg,
            counts.matching - with_word,
            Reason.NONE,
            "without query words",
        ),
        Stage(
            "BM25 leg",
            sparse_raw,
            leg,
            with_word - sparse_raw,
            Reason.LEG_DEPTH,
            "beyond leg depth",
        ),
    )


def _hits(counts: Counts, before: int) -> Stage:
    return Stage(
        "hits", counts.result, Leg.NONE, before - counts.result, Reason.TOP_K, "beyond top_k"
    )


def keyword_stages(counts: KeywordCounts) -> tuple[Stage, ...]:
    """Return the stages of a keyword retrieval."""
    return (
        Stage("entries", counts.entries, Leg.NONE, 0, Reason.NONE, ""),
        Stage(
            "matched",
            counts.matched,
            Leg.NONE,
            counts.entries - counts.matched,
            Reason.NONE,
            "without query words",
        ),
        Stage(
            "at or above min_score",
            counts.at_or_above,
            Leg.NONE,
            counts.matched - counts.at_or_above,
            Reason.MIN_SCORE,
            "by min_score",
        ),
        Stage(
            "hits", counts.hits, Leg.NONE, counts.at_or_above - counts.hits, Reason.K, "beyond k"
        ),
    )


def subgraph_stages(counts: SubgraphCounts) -> tuple[Stage, ...]:
    """Return the stages of a subgraph retrieval; the walk adds nodes, the cap removes some."""
    cut = counts.reached - counts.nodes_in_result
    reached = Stage(
        "reached",
        counts.reached,
        Leg.NONE,
        counts.matches - counts.reached,
        Reason.NONE,
        "by the walk",
    )
    result = Stage(
        "in the prompt",
        counts.nodes_in_result,
        Leg.NONE,
        cut or counts.matches - counts.nodes_in_result,
        Reason.NONE,
        "beyond 500 nodes" if cut else "by the walk",
    )
    return (
        Stage("nodes", counts.nodes, Leg.NONE, 0, Reason.NONE, ""),
        Stage(
            "in scope",
            counts.in_scope,
            Leg.NONE,
            counts.nodes - counts.in_scope,
            Reason.SCOPE,
            "by scope",
        ),
        Stage(
            "found",
            counts.found,
            Leg.NONE,
            counts.in_scope - counts.found,
            Reason.NONE,
            "not found",
        ),
        Stage(
            "matches",
            counts.matches,
            Leg.NONE,
            counts.found - counts.matches,
            Reason.TOP_K,
            "beyond top_k",
        ),
        *((reached, result) if cut else (result,)),
    )
