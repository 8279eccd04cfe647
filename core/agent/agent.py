"""An agent: a compiled graph that runs turns and lets mutable parameters change."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.agent.compile import check_change, check_storages
from core.agent.turn import NodeRun, Turn
from core.errors import Code, InspectorError, Place
from core.io.findings import Finding, Findings
from core.io.work import QUIETLY, Work
from core.nodes.kind import kind_of
from core.nodes.walk import Outcome, Play, TurnRequest, TurnState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.agent.description import GraphDescription
    from core.agent.workspace import Workspace

MAX_STEPS = 64


def run_turn(request: TurnRequest, workspace: Workspace, work: Work = QUIETLY) -> Turn:
    """Walk the graph once. The command line, the window and its sliders all call this.

    Parameters
    ----------
    request : message, parameters and choices of the turn.
    workspace : the storages to search.
    work : with `cached_only`, every search must have been made before.

    Raises
    ------
    SearchNeeded
        With `work.cached_only`, when a search has not been made yet.
    Cancelled
        When `work` is cancelled.

    A refusal of a node is no exception: the turn ends with status Error and carries it.
    """
    state = TurnState(
        request,
        workspace,
        canned_counts=dict(request.play.canned_counts),
        memory=dict(request.play.memory),
        work=work,
    )
    runs: list[NodeRun] = []
    name, error = request.start_node, None
    while name and error is None:
        work.stop_if_cancelled()
        if len(runs) == MAX_STEPS:
            path = " → ".join(run.name for run in runs[-4:])
            error = InspectorError(
                Code.MaxStepsExceeded,
                f"the turn did not end within {MAX_STEPS} steps; it went on … {path} → {name}",
                place=Place(node=name),
                hint="break the loop: an empty exit ends the turn",
            )
            break
        params = request.params.get(name)
        if params is None:
            error = _leads_nowhere(name, runs)
            break
        state.work = work.for_node(name)
        try:
            outcome = kind_of(params).run(name, params, state)
        except InspectorError as refused:
            error = refused.at_node(name)
            break
        error = outcome.error
        run = _recorded(name, request, outcome)
        runs.append(run)
        state.outputs[name] = outcome.output
        name = run.next
    play = replace(request.play, canned_counts=state.canned_counts, memory=state.memory)
    return Turn(request, tuple(runs), error, play)


def _leads_nowhere(name: str, runs: Sequence[NodeRun]) -> InspectorError:
    """Return the error of a walk that comes to a node that is not there: a graph being mended."""
    if not runs:
        return InspectorError(
            Code.GraphCompilationFailed,
            f'the start node "{name}" does not exist',
            hint="name a node of the graph",
        )
    last = runs[-1]
    field = last.params.exits()[last.exit] if last.params is not None else ""
    return InspectorError(
        Code.GraphCompilationFailed,
        f'exit {field} of node "{last.name}" leads to "{name}", which is no node of this graph',
        place=Place(node=last.name, param=field),
        hint="pick a node, or END",
    )


def _recorded(name: str, request: TurnRequest, outcome: Outcome) -> NodeRun:
    params = request.params[name]
    target = params.exit_targets()[outcome.exit]
    return NodeRun(
        name=name,
        type=params.node_type,
        exit=outcome.exit,
        next=target,
        output=outcome.output,
        params=params,
        retrieval=outcome.retrieval,
        projection=outcome.projection,
        sections=outcome.sections,
        simulated=outcome.simulated,
    )


class Agent:
    """A graph in use, as the game's client knows it.

    variables : its variables, ``var.NAME``.
    keeps_dialog : whether the prompt holds the messages of earlier turns; off by default.
    play : what the turns so far have left: counts of ready lines, memory stores, the dialog.

    Raises
    ------
    FileRefused
        On construction, with every finding, when the graph does not compile (3003 and others).
    """

    def __init__(self, graph: GraphDescription, workspace: Workspace, work: Work = QUIETLY) -> None:
        findings = Findings(Code.GraphCompilationFailed, str(graph.path or ""))
        findings.extend(graph.check())
        check_storages(graph, workspace, findings, work)
        findings.raise_errors()
        self.warnings: tuple[Finding, ...] = tuple(findings)
        self.variables: dict[str, str] = {}
        self.keeps_dialog = False
        self.graph = graph.copy()
        self._workspace = workspace
        self.play = Play()
        self._busy = threading.Lock()

    def change_param(self, node: str, param: str, value: Any) -> None:
        """Change a mutable parameter of the running agent.

        Raises
        ------
        InspectorError
            3004 while a turn runs, 3005 for an unknown node, 3006 for a structural parameter,
            3007 for an unknown parameter or a refused value; nothing has changed then.
        """
        if not self._busy.acquire(blocking=False):
            raise InspectorError(
                Code.AgentBusy,
                "a turn is running; change it when it is over",
                place=Place(node=node, param=param),
            )
        try:
            self.graph = self._with_param(node, param, value)
        finally:
            self._busy.release()

    def _with_param(self, node_name: str, param: str, value: Any) -> GraphDescription:
        spec = self.graph.node(node_name).params.specs().get(param)
        if spec is not None and spec.structural:
            raise InspectorError(
                Code.ParamNotMutable,
                f"{param} is fixed once the agent exists",
                place=Place(node=node_name, param=param),
                hint="change it in the graph and make a new agent",
            )
        graph = self.graph.with_param(node_name, param, value)
        check_change(
            graph.node(node_name).params,
            param,
            self._workspace,
            node=node_name,
            graph=graph.around(self.play.memory),
        )
        return graph

    def request(
        self,
        message: str,
        *,
        exits: Mapping[str, str] | None = None,
        replies: Mapping[str, str] | None = None,
        seed: int = 0,
    ) -> TurnRequest:
        """Capture all that the next turn needs."""
        return TurnRequest(
            message=message,
            params={node.name: node.params for node in self.graph.nodes},
            start_node=self.graph.start_node,
            default_model_name=self.graph.default_model_name,
            exits=dict(exits or {}),
            variables={name: str(value) for name, value in self.variables.items()},
            replies=dict(replies or {}),
            seed=seed,
            play=self.play if self.keeps_dialog else replace(self.play, dialog=()),
        )

    def turn(
        self,
        message: str,
        *,
        exits: Mapping[str, str] | None = None,
        replies: Mapping[str, str] | None = None,
        seed: int = 0,
        work: Work = QUIETLY,
    ) -> Turn:
        """Run one turn.

        Raises
        ------
        InspectorError
            3004 while another turn of this agent runs.
        """
        if not self._busy.acquire(blocking=False):
            raise InspectorError(Code.AgentBusy, "a turn of this agent is running already")
        try:
            turn = run_turn(
                self.request(message, exits=exits, replies=replies, seed=seed),
                self._workspace,
                work=work,
            )
            self.play = turn.next_play(keeps_dialog=self.keeps_dialog)
            return turn
        finally:
            self._busy.release()
