"""The counts of a keyword retrieval as the stages of its funnel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.hits.hit import Reason
from core.hits.stage import Stage, StageKind

if TYPE_CHECKING:
    from core.keyword.select import KeywordCounts

ENTRIES = StageKind(("entries",), "All entries of the corpus.")
MATCHED = StageKind(
    ("matched",),
    "Entries that share a word with the question, in any field.",
    ("without query words", "no words"),
)
AT_OR_ABOVE = StageKind(
    ("at or above min_score", "≥ min_score", "enough"),
    "Of these, the ones whose score reaches min_score.",
    ("by min_score", "min_score"),
    Reason.MIN_SCORE,
)
HITS = StageKind(("hits",), "What goes into the prompt.", ("beyond k", "k"), Reason.K)


def keyword_stages(counts: KeywordCounts) -> tuple[Stage, ...]:
    """Return the stages of a keyword retrieval."""
    return (
        Stage(ENTRIES, counts.entries),
        Stage(MATCHED, counts.matched, counts.entries - counts.matched),
        Stage(AT_OR_ABOVE, counts.at_or_above, counts.matched - counts.at_or_above),
        Stage(HITS, counts.hits, counts.at_or_above - counts.hits),
    )
