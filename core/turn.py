"""A turn: what ran, what each node did, and its ``debug_info``. Views and files read only this."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.parameters import CannedResponseParams, RetrievalMode
from core.selection.select import Counts, Hit, Selection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.errors import InspectorError
    from core.graph.lint import LintProblem
    from core.graph.prompt import Message
    from core.parameters import NodeParams, RetrieveParams

SUCCESS = "Success"
ERROR = "Error"


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """All that a turn depends on besides the files: immutable, so a worker never reads a widget.

    params : node name → its parameters in force.
    exits : node name → exit picked for a node that only a language model could decide.
    variables : the agent's variables, ``var.NAME``.
    replies : node name → reply that the user typed in for a Generate node.
    canned_counts : node name → how often a CannedResponse node has answered before.
    seed : of CannedResponse's Random choice.
    """

    message: str
    params: Mapping[str, NodeParams]
    start_node: str
    default_model_name: str = ""
    exits: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    replies: Mapping[str, str] = field(default_factory=dict)
    canned_counts: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What a Retrieve node did. `selection` is None when there was nothing to search with or in."""

    params: RetrieveParams
    source: str
    query: str
    selection: Selection | None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The chunks attached to the turn, in the engine's order."""
        return self.selection.hits if self.selection is not None else ()

    @property
    def counts(self) -> Counts:
        """The counts of every stage; all 0 without a selection."""
        if self.selection is not None:
            return self.selection.counts
        if self.params.retrieval_mode is RetrievalMode.Dense:
            return Counts(0, 0, 0, 0, 0)
        return Counts(0, 0, 0, 0, 0, with_query_word=0, dense_raw=0, dense_filtered=0,
                      sparse_raw=0, fused=0)

    def diagnostics(self) -> dict[str, Any]:
        """Return the node's diagnostics with exactly the keys of the reference page."""
        params, counts = self.params, self.counts
        section: dict[str, Any] = {"source": self.source}
        if params.embedded_string_storage:
            section["embedded_string_storage"] = params.embedded_string_storage
        section |= {
            "top_k": params.top_k,
            "threshold": params.threshold if params.threshold else "inf",
            "retrieval_mode": params.retrieval_mode.name,
            "rrf_k": params.rrf_k,
            "filter": params.filter,
            "raw_result_count": counts.raw,
            "filtered_count": counts.filtered,
        }
        if params.retrieval_mode is not RetrievalMode.Dense:
            section |= {"dense_raw_count": counts.dense_raw,
                        "dense_filtered_count": counts.dense_filtered,
                        "sparse_raw_count": counts.sparse_raw,
                        "fused_candidate_count": counts.fused}
        section["result_count"] = counts.result
        return {"parameters": section,
                "input": {"query": self.query} if self.query else {},
                "output": {"results": [_result(hit) for hit in self.hits]}}


def _result(hit: Hit) -> dict[str, Any]:
    result: dict[str, Any] = {"id": hit.id, "distance": hit.distance}
    for key, value in (("bm25_score", hit.bm25_score), ("rank_dense", hit.rank_dense),
                       ("rank_sparse", hit.rank_sparse)):
        if value is not None:
            result[key] = value
    result["text"] = hit.text
    return result


@dataclass(frozen=True, slots=True)
class Projection:
    """What a Generate node would send to its model. `error` when its template cannot be rendered.

    template, placement and the names provided are kept for the lint and the editor.
    """

    messages: tuple[Message, ...]
    problems: tuple[LintProblem, ...]
    model_name: str
    error: InspectorError | None = None


@dataclass(frozen=True, slots=True)
class NodeRun:
    """One step of the walk: the exit taken, its target ("" = END), and what the node produced."""

    name: str
    type: str
    exit: str
    next: str
    output: str = ""
    params: NodeParams | None = None
    retrieval: Retrieval | None = None
    projection: Projection | None = None
    simulated: bool = False

    def diagnostics(self) -> dict[str, Any]:
        """Return the sections ``parameters``, ``input`` and ``output`` of this step."""
        if self.retrieval is not None:
            return self.retrieval.diagnostics()
        if self.projection is not None:
            messages = [{"role": m.role, "content": m.text} for m in self.projection.messages]
            return {"parameters": {"model_name": self.projection.model_name}, "input": {},
                    "output": {"messages": messages}}
        return {"parameters": {}, "input": {}, "output": {"text": self.output}}


@dataclass(frozen=True)
class Turn:
    """The result of walking the graph once.

    canned_counts : how often each CannedResponse node has answered once this turn is over.
    """

    request: TurnRequest
    runs: tuple[NodeRun, ...]
    error: InspectorError | None = None
    canned_counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """``Success``, or ``Error`` with `error` saying why."""
        return ERROR if self.error is not None else SUCCESS

    @cached_property
    def debug_info(self) -> dict[str, Any]:
        """The diagnostics envelope, ready for JSON. An error adds the key ``error``."""
        info: dict[str, Any] = {"status": self.status, "nodes": [
            {"name": run.name, "type": run.type, "exit": run.exit, "next": run.next,
             "diagnostics": run.diagnostics()} for run in self.runs]}
        if self.error is not None:
            info["error"] = {"code": int(self.error.code), "name": self.error.name,
                             "message": self.error.message}
        return info

    def run_of(self, node: str) -> NodeRun | None:
        """Return the last run of the node in this turn, or None when it was not reached."""
        return next((run for run in reversed(self.runs) if run.name == node), None)

    @property
    def canned_line(self) -> str | None:
        """The ready line that answered the player last; None when none did."""
        return next((run.output for run in reversed(self.runs)
                     if isinstance(run.params, CannedResponseParams)), None)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The chat messages of the last Generate node that ran; () when none did."""
        return next((run.projection.messages for run in reversed(self.runs)
                     if run.projection is not None), ())
