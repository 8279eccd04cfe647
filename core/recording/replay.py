"""Replay: what a recorded turn searched is searched again here, and both results are compared."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from core.agent.agent import run_turn
from core.errors import Code, InspectorError, Place
from core.hits.comparison import TOLERANCE, Comparison, compare_hits
from core.hits.numbers import in_full
from core.io.wording import cut
from core.io.work import QUIETLY, Work
from core.nodes.kind import SearchKind, kind_of
from core.nodes.params import NodeParams, ParamSpec, Reads
from core.nodes.walk import Play, RetrievalResult, TurnRequest
from core.recording.listing import RecordedRetrieval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.agent.description import GraphDescription
    from core.agent.turn import NodeRun, Turn
    from core.agent.workspace import Workspace
    from core.knowledge.kinds import FileKind

_SHOWN_CHARACTERS = 60


class ReplayTarget(Protocol):
    """Where a turn is replayed: a graph, or knowledge alone, and its storages."""

    @property
    def graph(self) -> GraphDescription:
        """The graph, whose nodes say what a recording does not."""

    @property
    def workspace(self) -> Workspace:
        """The storages."""


@dataclass(frozen=True, slots=True)
class NodeReplay:
    """One recorded node that searched, and the same search here.

    query : what was searched with; "" when nothing was, which finds nothing.
    here : None when the search was refused, and `error` says why.
    changed : what is not as in the recording, and why, in sentences; and what the search did not
        see of the query.
    """

    node: str
    type: str
    query: str
    recorded: RetrievalResult
    here: RetrievalResult | None
    comparison: Comparison
    error: InspectorError | None = None
    changed: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether the hits differ, or could not be had here."""
        return self.error is not None or self.comparison.differs


@dataclass(frozen=True, slots=True)
class TurnReplay:
    """A recorded turn and the replay of its searches, in the order in which they ran.

    notes : nodes that may have searched and cannot be replayed.
    """

    turn: Turn
    nodes: tuple[NodeReplay, ...]
    notes: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether any node's hits differ, or could not be had here."""
        return any(node.differs for node in self.nodes)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the searches run, and what they depend on besides their parameters."""

    target: ReplayTarget
    variables: Mapping[str, str]
    play: Play
    tolerance: float
    work: Work


def replay_turn(
    turn: Turn,
    target: ReplayTarget,
    *,
    tolerance: float = TOLERANCE,
    variables: Mapping[str, str] | None = None,
    play: Play | None = None,
    work: Work = QUIETLY,
) -> TurnReplay:
    """Search again, with the recorded queries and parameters, in the storages of `target`.

    Each node runs on its own, so that what other nodes said does not matter. A parameter that is
    not recorded is that of the target's node with the same name and type, else the default. A
    storage that is not here is replaced by that node's, else by the only one that the target has.

    Parameters
    ----------
    turn : as it was recorded.
    target : a graph, or knowledge alone.
    tolerance : distances that differ by no more agree.
    variables : the agent's variables, for the names of memory stores.
    play : what earlier turns have left, for memory stores that are not as in their files.

    Raises
    ------
    Cancelled
        When `work` is cancelled.
    """
    place = _Place(target, variables or {}, play or Play(), tolerance, work)
    nodes = tuple(
        _replay(run, run.params, run.retrieval, turn, place)
        for run in turn.runs
        if run.params is not None and run.retrieval is not None
    )
    notes = tuple(
        f'node "{run.name}" is not replayed: its type "{run.type}" is not known here'
        for run in turn.runs
        if run.params is None
    )
    return TurnReplay(turn, nodes, notes)


@dataclass(slots=True)
class _Plan:
    """The node that is going to run here; `changed` grows while it is made."""

    params: NodeParams
    changed: list[str] = field(default_factory=list)


def _replay(
    run: NodeRun, params: NodeParams, recorded: RetrievalResult, turn: Turn, place: _Place
) -> NodeReplay:
    plan = _plan(run.name, params, recorded, place.target)
    query = recorded.query.strip()
    if not query and recorded.hits:
        query = turn.request.message.strip()
        if not query:
            error = InspectorError(
                Code.InvalidParamValue,
                "the recording has hits, but neither query nor message",
                place=Place(node=run.name),
                hint='add "message" to it',
            )
            return NodeReplay(
                run.name, run.type, "", recorded, None, Comparison(), error, tuple(plan.changed)
            )
        plan.changed.append("the query is not recorded; the player's message is searched with")
    request = TurnRequest(
        query, {run.name: plan.params}, run.name, variables=place.variables, play=place.play
    )
    again = run_turn(
        request,
        place.target.workspace,
        work=place.work,
    )
    ran = again.run_of(run.name)
    here = ran.retrieval if ran is not None else None
    comparison = (
        compare_hits(recorded.hits, here.hits, place.tolerance)
        if here is not None
        else Comparison()
    )
    plan.changed += here.warnings if here is not None else ()
    # Nothing is searched with nothing, so that no storage can be in the way.
    return NodeReplay(
        run.name,
        run.type,
        query,
        recorded,
        here,
        comparison,
        again.error if query else None,
        tuple(plan.changed),
    )


def _plan(
    name: str, recorded: NodeParams, retrieval: RetrievalResult, target: ReplayTarget
) -> _Plan:
    specs = recorded.specs()
    taken, notes = frozenset(specs), list[str]()
    if isinstance(retrieval, RecordedRetrieval):
        taken, notes = retrieval.taken, list(retrieval.notes)
    base = next(
        (
            node.params
            for node in target.graph.nodes
            if node.name == name and type(node.params) is type(recorded)
        ),
        type(recorded)(),
    )
    kind = kind_of(recorded)
    values = {param: getattr(recorded, param) for param in taken if not specs[param].is_exit}
    if isinstance(kind, SearchKind):
        values = dict(kind.implied(values)) | values
    ends = {param: "" for param, spec in specs.items() if spec.is_exit or param == "input"}
    plan = _Plan(replace(base, **(values | ends)), notes)
    unknown = [
        f"{param} ({_shown(plan.params, param)} here)"
        for param in _selecting(specs)
        if param not in taken and plan.params.in_force(param)
    ]
    if unknown:
        plan.changed.append(f"not recorded: {', '.join(unknown)}")
    _choose_storage(plan, base, target)
    return plan


def _selecting(specs: Mapping[str, ParamSpec]) -> list[str]:
    """Return the mutable parameters on which the hits depend, those of the selection first."""
    found = [
        spec
        for spec in specs.values()
        if not spec.structural and spec.reads & (Reads.SEARCH | Reads.SELECTION)
    ]
    return [spec.name for spec in sorted(found, key=lambda spec: not spec.reads & Reads.SELECTION)]


def _choose_storage(plan: _Plan, base: NodeParams, target: ReplayTarget) -> None:
    """Keep the recorded storage when it is here, else take the target's."""
    spec = plan.params.storage_spec()
    if spec is None or kind_of(plan.params).memory(plan.params) is not None:
        return
    recorded = _value(plan.params, spec.name)
    why = "no storage is recorded"
    if recorded:
        try:
            target.workspace.root.resolve(recorded, spec.file_kind)
        except InspectorError as error:
            why = f"the recorded storage cannot be used here: {error.message}"
        else:
            return
    store = kind_of(base).memory(base)
    if store is not None:
        searched = {
            name: getattr(base, name)
            for name, other in base.specs().items()
            if other.structural and not other.is_exit and name != "input"
        }
        plan.params = replace(plan.params, **searched)
        plan.changed.append(f'{why}; the memory store "{store.name}" is searched')
        return
    storage = _value(base, spec.name) or _only_storage(spec.file_kind, target)
    if storage and storage != recorded:
        plan.params = replace(plan.params, **{spec.name: storage})
        plan.changed.append(f'{why}; "{storage}" is searched')


def _only_storage(kind: FileKind | None, target: ReplayTarget) -> str:
    """Return the one file of a kind that the nodes of the target search, "" for none or several."""
    specs = [(node.params, node.params.storage_spec()) for node in target.graph.nodes]
    named = {
        _value(params, spec.name) for params, spec in specs if spec and spec.file_kind is kind
    } - {""}
    return named.pop() if len(named) == 1 else ""


def _value(params: NodeParams, param: str) -> str:
    return str(getattr(params, param, ""))


def _shown(params: NodeParams, param: str) -> str:
    value = params.specs()[param].to_json(getattr(params, param))
    text = in_full(value, 0) if isinstance(value, float) else str(value) or "none"
    return cut(text, _SHOWN_CHARACTERS)
