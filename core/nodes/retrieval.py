"""What a node that searched hands to prompt, views and diagnostics: one base for all types."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from core.hits.hit import Hit
    from core.hits.listing import Listing
    from core.hits.stage import Stage
    from core.nodes.params import NodeParams
    from core.retrieve.listing import Selection


@dataclass(frozen=True, slots=True)
class RetrievalResult(ABC):
    """Base of the results: what prompt, funnel, tables and diagnostics need. Immutable.

    params : the node's parameters in force.
    source : the name that templates use for its chunks.
    query : the text that was searched with; "" when the input resolved to nothing.
    listing : hits and near-misses; None when there was nothing to search with or in.
    near_miss_fields : what is told of a near-miss, fields of `Hit`.
    """

    params: NodeParams
    source: str
    query: str
    listing: Listing | None

    near_miss_fields: ClassVar[tuple[str, ...]]

    @property
    def selection(self) -> Selection | None:
        """The listing, where it ranks by distance or BM25; None for the other kinds."""
        return None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The chunks attached to the turn, in the engine's order."""
        return self.listing.hits if self.listing is not None else ()

    @property
    @abstractmethod
    def stages(self) -> tuple[Stage, ...]:
        """The counts as the stages of a funnel; all 0 without a listing."""

    @property
    @abstractmethod
    def how(self) -> str:
        """The way of searching in a word or two."""

    @property
    @abstractmethod
    def no_distances(self) -> str:
        """Why there are no distances to plot, "" where there are some."""

    @property
    @abstractmethod
    def nothing_found(self) -> tuple[str, str]:
        """What to say, and what to advise, when nothing at all came back."""

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the first `limit` near-misses as JSON data."""
        if self.listing is None:
            return []
        return [
            self.near_miss(self.listing.story(row)) for row in self.listing.near_miss_rows(limit)
        ]

    def near_miss(self, hit: Hit) -> dict[str, Any]:
        """Return one near-miss as JSON data."""
        return {name: getattr(hit, name) for name in self.near_miss_fields}

    @abstractmethod
    def diagnostics(self) -> dict[str, Any]:
        """Return the sections ``parameters``, ``input`` and ``output``."""

    def sections(self, parameters: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the diagnostics, from the parameters and counts, and the results."""
        return {
            "parameters": parameters,
            "input": {"query": self.query} if self.query else {},
            "output": {"results": results},
        }


def scored(hit: Hit) -> dict[str, Any]:
    """Return a hit that was ranked by one score as JSON data."""
    return {"id": hit.id, "score": hit.score, "match_reason": hit.match_reason, "text": hit.text}
