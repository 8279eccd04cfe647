"""ClassifyIntent: the label of the labelled example that is nearest to the player's message."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import Code, InspectorError, Place
from core.hits.hit import Hit, Reason
from core.io.wording import did_you_mean
from core.knowledge.kinds import FileKind
from core.knowledge.schema import Field, FieldType
from core.nodes.kind import (
    CheckedGraph,
    CheckedNode,
    Filtered,
    OpenedNode,
    RecordedStages,
    SearchKind,
)
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, RetrievalResult, Storages, TurnState
from core.retrieve import stages
from core.retrieve.listing import Selection, select
from core.retrieve.modes import RetrievalMode
from core.retrieve.select import Counts, Settings

if TYPE_CHECKING:
    from core.hits.stage import Stage
    from core.io.findings import Finding
    from core.io.work import Work

_MOST_EXAMPLES = 64


@dataclass(frozen=True, kw_only=True)
class ClassifyIntentParams(NodeParams):
    """Parameters of ClassifyIntent: the nearest record gives the label."""

    embedded_string_storage: str = param(
        "",
        "Knowledge file of labelled examples, relative to the storage root.",
        reads=Reads.SEARCH,
        structural=True,
        file_kind=FileKind.KNOWLEDGE,
    )
    metadata_field: str = param(
        "", "Metadata field whose text becomes the label.", reads=Reads.SELECTION
    )
    threshold: float = param(
        0.25,
        "Largest cosine distance at which the nearest record counts. 0 = no limit.",
        reads=Reads.SELECTION,
        low=0.0,
        high=2.0,
        zero="no limit",
    )
    filter: str = param(
        "", "JSON filter on metadata. Empty = no filter.", reads=Reads.SEARCH, multiline=True
    )
    notify_client: bool = param(
        False, "Whether the game is told. No effect here.", reads=Reads.GAME
    )
    diagnostic_topk: int = param(
        1, "Hits shown in the diagnostics.", reads=Reads.SELECTION, low=1, high=_MOST_EXAMPLES
    )
    found_exit: str = exit_param("when an intent is found")
    not_found_exit: str = exit_param("when none is")


@dataclass(frozen=True, slots=True)
class IntentRetrieval(RetrievalResult):
    """The `diagnostic_topk` nearest labelled examples; the hits are those within the threshold.

    listing : None for an empty message.
    default_label : of an example that has no value in `metadata_field`; None where there is none.
    """

    params: ClassifyIntentParams
    listing: Selection | None
    default_label: str | None = None

    how = "Intent"
    no_distances = ""
    nothing_found = ("No example passed the filter", "Loosen the filter")
    near_miss_fields = ("id", "distance", "label", "rank", "reason", "needs")

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
        known = self.listing.metadata(hit.row) if self.listing is not None else {}
        value = known.get(self.params.metadata_field)
        return self.default_label if value is None else value

    @property
    def counts(self) -> Counts:
        """The counts of every stage; all 0 without a selection."""
        return self.listing.counts if self.listing is not None else Counts(0, 0, 0, 0, 0)

    @property
    def stages(self) -> tuple[Stage, ...]:
        return () if self.listing is None else stages.intent_stages(self.counts)

    def near_miss(self, hit: Hit) -> dict[str, Any]:
        """Return one near-miss with its label."""
        return {
            name: self.label_of(hit) if name == "label" else getattr(hit, name)
            for name in self.near_miss_fields
        }

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
        if self.listing is None:
            return ()
        rows = self.listing.ranking[: self.params.diagnostic_topk]
        return tuple(self.listing.story(row) for row in rows.tolist())

    def _result(self, hit: Hit) -> dict[str, Any]:
        label = self.label_of(hit)
        return {
            "id": hit.id,
            "distance": hit.distance,
            **({} if label is None else {"label": label}),
            "within_threshold": not hit.reason,
            "text": hit.text,
        }


class ClassifyIntent(
    SearchKind[ClassifyIntentParams],
    lacks=("answer", "simulated", "provides", "memory", "draws_subgraph"),
):
    """Takes the label of the nearest example as the intent; attaches no knowledge."""

    table = ClassifyIntentParams
    is_in_game = True
    opened_files = frozenset[FileKind]()

    def filtered(self, params: ClassifyIntentParams) -> Filtered:
        return Filtered(params.filter, params.embedded_string_storage)

    def distance_threshold(self, params: ClassifyIntentParams) -> float:
        return params.threshold

    def check(self, params: ClassifyIntentParams, node: CheckedNode) -> None:
        node.needs_file("embedded_string_storage", params.embedded_string_storage, "knowledge file")
        if not params.metadata_field:
            node.error(
                "metadata_field",
                "metadata_field is empty: no field gives the label",
                code=Code.InvalidParamValue,
                hint="name a metadata field of type string",
            )

    def check_storages(self, params: ClassifyIntentParams, node: OpenedNode) -> None:

        def opened(name: str) -> tuple[str, tuple[Finding, ...]]:
            store = node.storages.opened(name, node.work).store
            for field in ("filter", "metadata_field") if params.metadata_field else ("filter",):
                node.attempt(self.check_change, params, field)
            return str(store.path), store.findings

        node.open("embedded_string_storage", params.embedded_string_storage, opened)

    def check_change(
        self,
        params: ClassifyIntentParams,
        param: str,
        storages: Storages,
        work: Work,
        graph: CheckedGraph,
    ) -> None:
        """Refuse a filter that does not fit the file's fields, and a field that has no labels."""
        del graph
        if param == "filter" and params.embedded_string_storage:
            storages.compiled_filter(params.embedded_string_storage, params.filter, work)
        if param == "metadata_field":
            _label_field(params, storages, work)

    def prepare(
        self, params: ClassifyIntentParams, storages: Storages, embeddings: bool, work: Work
    ) -> None:
        """Prepare the file of examples."""
        if params.embedded_string_storage:
            searcher = storages.opened(params.embedded_string_storage, work).searcher
            searcher.prepare(dense=embeddings, work=work)

    def run(self, name: str, params: ClassifyIntentParams, state: TurnState) -> Outcome:
        query = state.request.message.strip()
        result = IntentRetrieval(params, name, query, None)
        if query:
            candidates = state.storages.candidates(
                params.embedded_string_storage, query, params.filter, dense=True, work=state.work
            )
            settings = Settings(
                RetrievalMode.Dense,
                params.diagnostic_topk,
                params.threshold,
                top_k_name="diagnostic_topk",
                most_top_k=_MOST_EXAMPLES,
            )
            default = _label_field(params, state.storages, state.work).default
            result = IntentRetrieval(
                params,
                name,
                query,
                select(candidates, settings),
                default if isinstance(default, str) else None,
            )
        if not result.label:
            return Outcome("not_found", retrieval=result)
        state.label = result.label
        return Outcome("found", result.label, retrieval=result)

    def recorded_stages(self, params: ClassifyIntentParams) -> RecordedStages:
        del params
        return (stages.NEAREST, "raw_result_count"), (stages.WITHIN_THRESHOLD, "result_count")

    def recorded_hits(
        self, params: ClassifyIntentParams, taken: frozenset[str], rows: tuple[Hit, ...]
    ) -> tuple[Hit, ...]:
        """Tell the examples beyond the threshold, which are recorded too, from the hits."""
        limit = np.float32(params.threshold)
        if "threshold" not in taken or not limit:
            return rows
        return tuple(
            row
            if row.distance is None or np.float32(row.distance) <= limit
            else replace(row, reason=Reason.THRESHOLD)
            for row in rows
        )


def _label_field(params: ClassifyIntentParams, storages: Storages, work: Work) -> Field:
    """Return the metadata field that the labels are in.

    Raises
    ------
    InspectorError
        3007 when the storage declares no such field of type string.
    """
    fields = storages.opened(params.embedded_string_storage, work).store.fields
    texts = [field.name for field in fields if field.type is FieldType.STRING]
    wanted = params.metadata_field
    found = next((field for field in fields if field.name == wanted), None)
    if found is not None and found.type is FieldType.STRING:
        return found
    said = (
        "metadata_field is empty: no field gives the label"
        if not wanted
        else f'{params.embedded_string_storage} declares no field "{wanted}"'
        if found is None
        else f'the field "{wanted}" is of type {found.type}, and a label is a string'
    )
    one_of = (
        f"string fields: {', '.join(texts)}"
        if texts
        else ("declare a field of type string in the knowledge file")
    )
    raise InspectorError(
        Code.InvalidParamValue,
        said,
        place=Place(node=work.node, param="metadata_field"),
        hint=did_you_mean(wanted, texts) or one_of,
    )


CLASSIFY_INTENT = ClassifyIntent()
