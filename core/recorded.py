"""Turns that were recorded elsewhere: a saved ``debug_info`` becomes a turn that views can show.

Nothing is searched. Numbers are those of the file, and keys that we do not know are kept.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import Code, InspectorError, Place
from core.graph.description import GraphDescription
from core.knowledge.findings import Findings
from core.knowledge.jsonfile import describe, read_json, refuse_errors
from core.parameters import NODE_TYPES, NodeParams, RetrievalMode, RetrieveParams, node_table
from core.search.tokens import query_tokens
from core.search.words import QueryWords
from core.selection.funnel import Leg, Stage
from core.selection.listing import Bar, ScoreLine, Timing, sort_keys
from core.selection.select import Hit, Reason
from core.turn import ERROR, NodeRun, Turn, TurnRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from core.selection.listing import SortKeys
    from core.selection.select import Selection

_PARAMETERS = ("source", "embedded_string_storage", "top_k", "threshold", "retrieval_mode",
               "rrf_k", "filter")
_FIELDS = ("rank", "distance", "rank_dense", "bm25_score", "rank_sparse")


@dataclass(frozen=True)
class RecordedListing:
    """The hits of a recorded Retrieve; a recording knows nothing of near-misses."""

    hits: tuple[Hit, ...]
    query: str
    threshold: float

    record_count = property(lambda self: len(self.hits))
    near_miss_count = 0
    known_reasons: frozenset[Reason] = frozenset()
    marks: Mapping[str, Sequence[float]] = field(default_factory=dict)
    timing = Timing(0.0)
    known_fields: tuple[str, ...] | None = None

    @property
    def search(self) -> object:
        """The recording itself."""
        return self

    @cached_property
    def hit_rows(self) -> NDArray[np.int64]:
        """All rows, in the recorded order: int64 (hits,)."""
        return np.arange(len(self.hits), dtype=np.int64)

    @property
    def fields(self) -> tuple[str, ...]:
        """The number fields that at least one hit has."""
        return tuple(name for name in _FIELDS
                     if any(getattr(hit, name) is not None for hit in self.hits))

    @property
    def bar(self) -> Bar | None:
        """The distance, where the recording has some."""
        known = [hit.distance for hit in self.hits if hit.distance is not None]
        return Bar("distance", max([0.1, *known]), self.threshold or None) if known else None

    @cached_property
    def words(self) -> QueryWords:
        """The words of the query."""
        return QueryWords(frozenset(query_tokens(self.query)))

    def story(self, row: int) -> Hit:
        """Return one recorded hit."""
        return self.hits[row]

    def near_miss_rows(self, limit: int, reason: Reason | None = None) -> list[int]:
        """Return nothing: near-misses are not recorded."""
        del limit, reason
        return []

    def near_miss_keys(self, field: str, rows: Sequence[int]) -> SortKeys:
        """Return what rows are sorted by."""
        return sort_keys([self.hits[row] for row in rows], field)

    def row_of(self, hit_id: str) -> int:
        """Return the row with this id, or −1."""
        return next((hit.row for hit in self.hits if hit.id == hit_id), -1)

    def score_lines(self, row: int) -> tuple[ScoreLine, ...]:
        """Return the numbers that were recorded."""
        hit = self.hits[row]
        return tuple(ScoreLine(name, f"{getattr(hit, name):g}", "as recorded")
                     for name in self.fields if getattr(hit, name) is not None)

    def metadata(self, row: int) -> Mapping[str, Any]:
        """Return nothing: metadata is not recorded."""
        del row
        return {}


@dataclass(frozen=True, slots=True)
class RecordedRetrieval:
    """What a recording says of a Retrieve node; a `core.retrievals.RetrievalResult`."""

    params: RetrieveParams
    source: str
    query: str
    listing: RecordedListing
    recorded: Mapping[str, Any]
    selection: Selection | None = None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The recorded results, in their order."""
        return self.listing.hits

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The recorded counts; a recording does not know how many records there were."""
        counts = _section(self.recorded, "parameters")
        raw = _whole(counts.get("raw_result_count"))
        kept = raw - _whole(counts.get("filtered_count"))
        result = _whole(counts.get("result_count"))
        stages = [Stage("raw", raw, Leg.NONE, 0, Reason.NONE, ""),
                  Stage("within threshold", kept, Leg.NONE, raw - kept, Reason.NONE,
                        "by threshold")]
        if self.params.retrieval_mode is RetrievalMode.Hybrid:
            fused = _whole(counts.get("fused_candidate_count"))
            stages.append(Stage("fused", fused, Leg.NONE, kept - fused, Reason.NONE,
                                "in both legs"))
            kept = fused
        stages.append(Stage("hits", result, Leg.NONE, kept - result, Reason.NONE, "beyond top_k"))
        return tuple(stages)

    @property
    def how(self) -> str:
        """The mode, and that it was recorded."""
        return f"{self.params.retrieval_mode.name}, recorded"

    @property
    def no_distances(self) -> str:
        """Why the plot is empty."""
        return ("A recorded turn has the distances of its hits only. Open its graph and run the "
                "question to see those of all records.")

    @property
    def nothing_found(self) -> tuple[str, str]:
        """What to say when nothing came back."""
        return "The recorded turn found nothing", "Run it here to see what almost came"

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return nothing: near-misses are not recorded."""
        del limit
        return []

    def diagnostics(self) -> dict[str, Any]:
        """Return the recorded sections, unknown keys included."""
        return dict(self.recorded)


def read_turn(path: Path) -> tuple[Turn, GraphDescription]:
    """Read a saved ``debug_info`` and make a turn of it, and a graph of the nodes that ran.

    Raises
    ------
    FileRefused
        With every finding, when it is no recorded turn.
    """
    findings = Findings(Code.InvalidParamValue, str(path))
    document = read_json(path, findings)
    nodes = document.get("nodes") if isinstance(document, dict) else None
    if document is not None and not isinstance(nodes, list):
        findings.error(f'a recorded turn has a list of "nodes"; found {describe(nodes)}', "nodes")
    graph = GraphDescription()
    runs = [run for index, entry in enumerate(nodes if isinstance(nodes, list) else [])
            if (run := _read_run(entry, f"nodes[{index}]", findings)) is not None]
    if not runs and not findings.has_errors:
        findings.error("no node ran in this turn", "nodes")
    refuse_errors(findings)
    for run in runs:
        if run.params is not None and run.name not in {node.name for node in graph.nodes}:
            graph.add_node(run.name, run.params)
    graph.set_start_node(runs[0].name)
    query = next((run.retrieval.query for run in runs if run.retrieval is not None), "")
    request = TurnRequest(query, {node.name: node.params for node in graph.nodes},
                          graph.start_node)
    return Turn(request, tuple(runs), _error_of(document, path), recorded=True), graph


def _error_of(document: Any, path: Path) -> InspectorError | None:
    if document.get("status") != ERROR:
        return None
    error = document.get("error")
    said = error.get("message") if isinstance(error, dict) else None
    return InspectorError(Code.InferenceFailed, str(said or "the recorded turn ended in an error"),
                          place=Place(file=str(path)))


def _read_run(entry: object, path: str, findings: Findings) -> NodeRun | None:
    if not isinstance(entry, dict):
        findings.error(f"expected an object, found {describe(entry)}", path)
        return None
    texts = {}
    for key in ("name", "type", "exit", "next"):
        value = entry.get(key, "")
        if not isinstance(value, str):
            findings.error(f"expected text, found {describe(value)}", f"{path}.{key}")
            value = ""
        texts[key] = value
    table = node_table(texts["type"])
    if table is None or not texts["name"]:
        findings.error(f'no node with name and a known type: "{texts["type"]}"', path,
                       hint=f"types: {', '.join(NODE_TYPES)}")
        return None
    diagnostics = entry.get("diagnostics", {})
    if not isinstance(diagnostics, dict):
        findings.error(f"expected an object, found {describe(diagnostics)}",
                       f"{path}.diagnostics")
        diagnostics = {}
    params = _params(table, texts, diagnostics)
    retrieval = None
    if isinstance(params, RetrieveParams):
        retrieval = _retrieval(texts["name"], params, diagnostics, f"{path}.diagnostics", findings)
    return NodeRun(texts["name"], texts["type"], texts["exit"], texts["next"],
                   output=_section(diagnostics, "output").get("text", ""), params=params,
                   retrieval=retrieval)


def _params(table: type[NodeParams], texts: Mapping[str, str],
            diagnostics: Mapping[str, Any]) -> NodeParams:
    """Return the recorded parameters, as far as they are values that the node could have."""
    specs = table.specs()
    recorded = _section(diagnostics, "parameters")
    values: dict[str, Any] = {}
    for name in _PARAMETERS:
        value = 0.0 if (name, recorded.get(name)) == ("threshold", "inf") else recorded.get(name)
        if name in specs and value is not None:
            try:
                values[name] = specs[name].check(value)
            except InspectorError:
                continue
    exit_field = table.exits().get(texts["exit"])
    if exit_field is not None:
        values[exit_field] = texts["next"]
    return table(**values)


def _retrieval(name: str, params: RetrieveParams, diagnostics: Mapping[str, Any], path: str,
               findings: Findings) -> RecordedRetrieval:
    results = _section(diagnostics, "output").get("results", [])
    if not isinstance(results, list):
        findings.error(f"expected a list, found {describe(results)}", f"{path}.output.results")
        results = []
    hits: list[Hit] = []
    for index, result in enumerate(results):
        if not isinstance(result, dict) or not isinstance(result.get("id"), str):
            findings.error("a result needs an id", f"{path}.output.results[{index}]")
            continue
        hits.append(_hit(len(hits), result))
    query = _section(diagnostics, "input").get("query", "")
    query = query if isinstance(query, str) else ""
    return RecordedRetrieval(params, params.source or name, query,
                             RecordedListing(tuple(hits), query, params.threshold), diagnostics)


def _hit(row: int, result: Mapping[str, Any]) -> Hit:
    distance = _number(result.get("distance"))
    text = result.get("text")
    return Hit(row=row, id=result["id"], text=text if isinstance(text, str) else "",
               reason=Reason.NONE, rank=row + 1, distance=distance, exact_distance=distance,
               bm25_score=_number(result.get("bm25_score")),
               rank_dense=_whole(result.get("rank_dense")) or None,
               rank_sparse=_whole(result.get("rank_sparse")) or None, fused_score=None)


def _section(diagnostics: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    section = diagnostics.get(name)
    return section if isinstance(section, dict) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
