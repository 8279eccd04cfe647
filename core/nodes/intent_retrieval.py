"""What a ClassifyIntent node did: the nearest examples, and the label of the first one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.retrieve.select import Counts, Selection
from core.retrieve.stages import intent_stages

if TYPE_CHECKING:
    from core.hits.hit import Hit
    from core.hits.listing import Listing
    from core.hits.stage import Stage
    from core.nodes.parameters import ClassifyIntentParams


@dataclass(frozen=True, slots=True)
class IntentRetrieval:
    """A `core.nodes.retrievals.RetrievalResult` of labelled examples; it attaches no knowledge.

    selection : the `diagnostic_topk` nearest examples; None for an empty message.
    default_label : of an example that has no value in `metadata_field`; None where there is none.
    """

    params: ClassifyIntentParams
    source: str
    query: str
    selection: Selection | None
    default_label: str | None = None

    how = "Intent"
    no_distances = ""
    nothing_found = ("No example passed the filter", "Loosen the filter")

    @property
    def listing(self) -> Listing | None:
        """The selection."""
        return self.selection

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The examples within the threshold, nearest first; the first one decides."""
        return self.selection.hits if self.selection is not None else ()

    @property
    def label(self) -> str:
        """The label of the message, "" when no intent was found."""
        return (self.label_of(self.hits[0]) or "") if self.hits else ""

    @property
    def note(self) -> str:
        """Why there is no label although an example is near enough, or ""."""
        if not self.hits or self.label:
            return ""
        field, nearest = self.params.metadata_field, self.hits[0]
        value = self._value(nearest)
        said = (
            f'has no "{field}"'
            if value is None
            else f'has an empty "{field}"'
            if value == ""
            else f'has a "{field}" that is no text'
        )
        return f'the nearest record, "{nearest.id}", {said}: no label, so not_found'

    def label_of(self, hit: Hit) -> str | None:
        """Return the label of an example, None where its field holds no text."""
        value = self._value(hit)
        return value if isinstance(value, str) and value else None

    def _value(self, hit: Hit) -> object:
        known = self.selection.metadata(hit.row) if self.selection is not None else {}
        value = known.get(self.params.metadata_field)
        return self.default_label if value is None else value

    @property
    def counts(self) -> Counts:
        """The counts of every stage; all 0 without a selection."""
        return self.selection.counts if self.selection is not None else Counts(0, 0, 0, 0, 0)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The counts as the stages of a funnel."""
        return intent_stages(self.counts)

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the nearest near-misses: id, distance, label, rank, reason, needs."""
        found = self.selection.near_misses(limit) if self.selection is not None else ()
        return [
            {
                "id": hit.id,
                "distance": hit.distance,
                "label": self.label_of(hit),
                "rank": hit.rank,
                "reason": hit.reason.value,
                "needs": hit.needs,
            }
            for hit in found
        ]

    def diagnostics(self) -> dict[str, Any]:
        """Return parameters with counts, the query, the label, and the nearest examples.

        Among ``results`` are those beyond the threshold too. ``label`` is absent where there is
        none, and ``note`` says why when an example was near enough.
        """
        params, counts = self.params, self.counts
        output: dict[str, Any] = {"label": self.label} if self.label else {}
        if self.note:
            output["note"] = self.note
        output["results"] = [self._result(hit) for hit in self._nearest()]
        return {
            "parameters": {
                "embedded_string_storage": params.embedded_string_storage,
                "metadata_field": params.metadata_field,
                "threshold": params.threshold if params.threshold else "inf",
                "diagnostic_topk": params.diagnostic_topk,
                "filter": params.filter,
                "raw_result_count": counts.raw,
                "filtered_count": counts.filtered,
                "result_count": counts.result,
            },
            "input": {"query": self.query} if self.query else {},
            "output": output,
        }

    def _nearest(self) -> tuple[Hit, ...]:
        if self.selection is None:
            return ()
        rows = self.selection.ranking[: self.params.diagnostic_topk]
        return tuple(self.selection.story(row) for row in rows.tolist())

    def _result(self, hit: Hit) -> dict[str, Any]:
        label = self.label_of(hit)
        return {
            "id": hit.id,
            "distance": hit.distance,
            **({} if label is None else {"label": label}),
            "within_threshold": not hit.reason,
            "text": hit.text,
        }
