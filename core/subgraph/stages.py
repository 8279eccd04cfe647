"""The counts of a subgraph retrieval as the stages of its funnel."""

from __future__ import annotations

from dataclasses import dataclass

from core.hits.hit import Reason
from core.hits.stage import Stage, StageKind

_IN_PROMPT = ("in the prompt", "in prompt", "prompt")
_IN_PROMPT_HELP = "The matches and what is around them: these nodes go into the prompt."
_BY_THE_WALK = ("by the walk", "walk")

NODES = StageKind(("nodes",), "All nodes of the knowledge graph.")
IN_SCOPE = StageKind(
    ("in scope", "in scope", "scope"),
    "Nodes that root_node_id, tag_filters and directory_prefix let through.",
    ("by scope", "scope"),
    Reason.SCOPE,
)
FOUND = StageKind(
    ("found",),
    "Of these, the ones that share a word with the question, or with embeddings the best "
    "of each leg.",
    ("not found",),
)
MATCHES = StageKind(
    ("matches",),
    "The best of them: top_k, where the walk starts.",
    ("beyond top_k", "top_k"),
    Reason.TOP_K,
)
REACHED = StageKind(
    ("reached",), "Matches and the nodes that the walk comes to from them.", _BY_THE_WALK
)
WALKED = StageKind(_IN_PROMPT, _IN_PROMPT_HELP, _BY_THE_WALK)
CAPPED = StageKind(_IN_PROMPT, _IN_PROMPT_HELP, ("beyond 500 nodes", "over 500"))


@dataclass(frozen=True, slots=True)
class SubgraphCounts:
    """How many nodes each stage lets through, and how many the walk adds.

    nodes, in_scope, found, matches : as in `core.subgraph.entry_points.MatchCounts`.
    reached : the matches and all nodes that the walk comes to.
    nodes_in_result : of those, the ones that the cap leaves: what goes into the prompt.
    connections : between the nodes in the result.
    """

    nodes: int
    in_scope: int
    found: int
    matches: int
    reached: int
    nodes_in_result: int
    connections: int


def subgraph_stages(counts: SubgraphCounts) -> tuple[Stage, ...]:
    """Return the stages of a subgraph retrieval; the walk adds nodes, the cap removes some."""
    in_prompt, cut = counts.nodes_in_result, counts.reached - counts.nodes_in_result
    walked = (
        (
            Stage(REACHED, counts.reached, counts.matches - counts.reached),
            Stage(CAPPED, in_prompt, cut),
        )
        if cut
        else (Stage(WALKED, in_prompt, counts.matches - in_prompt),)
    )
    return (
        Stage(NODES, counts.nodes),
        Stage(IN_SCOPE, counts.in_scope, counts.nodes - counts.in_scope),
        Stage(FOUND, counts.found, counts.in_scope - counts.found),
        Stage(MATCHES, counts.matches, counts.found - counts.matches),
        *walked,
    )
