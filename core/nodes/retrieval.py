"""What a node that searched hands to prompt, views and diagnostics: one protocol for all types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from core.hits.hit import Hit
    from core.hits.listing import Listing
    from core.hits.stage import Stage
    from core.nodes.params import NodeParams
    from core.retrieve.select import Selection


class RetrievalResult(Protocol):
    """What prompt, funnel, tables and diagnostics need of a node that searched. Immutable."""

    @property
    def params(self) -> NodeParams:
        """The node's parameters in force."""

    @property
    def source(self) -> str:
        """The name that templates use for its chunks."""

    @property
    def query(self) -> str:
        """The text that was searched with; "" when the input resolved to nothing."""

    @property
    def listing(self) -> Listing | None:
        """Hits and near-misses; None when there was nothing to search with or in."""

    @property
    def selection(self) -> Selection | None:
        """The listing, where it ranks by distance or BM25; None for the other kinds."""

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The chunks attached to the turn, in the engine's order."""

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The counts as the stages of a funnel; all 0 without a listing."""

    @property
    def how(self) -> str:
        """The way of searching in a word or two."""

    @property
    def no_distances(self) -> str:
        """Why there are no distances to plot, "" where there are some."""

    @property
    def nothing_found(self) -> tuple[str, str]:
        """What to say, and what to advise, when nothing at all came back."""

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the first `limit` near-misses as JSON data."""

    def diagnostics(self) -> dict[str, Any]:
        """Return the sections ``parameters``, ``input`` and ``output``."""


def sections(
    parameters: dict[str, Any], query: str, results: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the diagnostics of a node that searched."""
    return {
        "parameters": parameters,
        "input": {"query": query} if query else {},
        "output": {"results": results},
    }


def scored(hit: Hit) -> dict[str, Any]:
    """Return a hit that was ranked by one score as JSON data."""
    return {"id": hit.id, "score": hit.score, "match_reason": hit.match_reason, "text": hit.text}
