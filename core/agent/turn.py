"""A turn: what ran, what each node did, and its ``debug_info``. Views and files read only this."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.agent.play import DialogLine, Play
from core.nodes import (
    CannedResponseParams,
    ClassifyIntentParams,
    GenerateParams,
    KeywordRetrieveParams,
    RetrievalMode,
    RetrieveParams,
    RetrieveSubgraphParams,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.errors import InspectorError
    from core.nodes import NodeParams
    from core.nodes.retrievals import RetrievalResult
    from core.prompt.lint import LintProblem
    from core.prompt.projection import Message

SUCCESS = "Success"
ERROR = "Error"


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """All that a turn depends on besides the files: immutable, so a worker never reads a widget.

    params : node name → its parameters in force.
    exits : node name → exit picked for a node that only a language model could decide.
    variables : the agent's variables, ``var.NAME``.
    replies : node name → reply that the user typed in for a Generate node.
    play : what earlier turns have left.
    seed : of CannedResponse's Random choice.
    """

    message: str
    params: Mapping[str, NodeParams]
    start_node: str
    default_model_name: str = ""
    exits: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    replies: Mapping[str, str] = field(default_factory=dict)
    play: Play = field(default_factory=Play)
    seed: int = 0

    @property
    def search_inputs(self) -> TurnRequest:
        """The request without what only selection and prompt read: equal ones search alike."""
        return replace(
            self, params={name: _searched(params) for name, params in self.params.items()}
        )


def _searched(params: NodeParams) -> NodeParams:
    if isinstance(params, GenerateParams):
        return GenerateParams()
    if isinstance(params, RetrieveParams):
        lexical = params.retrieval_mode is RetrievalMode.Lexical
        return replace(
            params,
            top_k=1,
            threshold=0.0,
            rrf_k=1,
            retrieval_mode=(RetrievalMode.Lexical if lexical else RetrievalMode.Dense),
        )
    if isinstance(params, ClassifyIntentParams):
        return _at_defaults(params, but="filter")
    if isinstance(params, KeywordRetrieveParams):
        return _at_defaults(params)
    if isinstance(params, RetrieveSubgraphParams):
        return _at_defaults(params, but="use_embeddings")
    return params


def _at_defaults(params: NodeParams, *, but: str = "") -> NodeParams:
    """Return the parameters with every mutable one at its default, but one."""
    return replace(
        params,
        **{
            name: spec.default
            for name, spec in params.specs().items()
            if not spec.structural and name != but
        },
    )


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
    """One step of the walk: the exit taken, its target ("" = END), and what the node produced.

    sections : the diagnostics of a node that has neither a retrieval nor a projection.
    simulated : a language model would decide the exit; here the user has picked it.
    """

    name: str
    type: str
    exit: str
    next: str
    output: str = ""
    params: NodeParams | None = None
    retrieval: RetrievalResult | None = None
    projection: Projection | None = None
    sections: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False

    def diagnostics(self) -> dict[str, Any]:
        """Return the sections ``parameters``, ``input`` and ``output`` of this step."""
        if self.retrieval is not None:
            return self.retrieval.diagnostics()
        if self.projection is not None:
            messages = [{"role": m.role, "content": m.text} for m in self.projection.messages]
            return {
                "parameters": {"model_name": self.projection.model_name},
                "input": {},
                "output": {"messages": messages},
            }
        return dict(self.sections) or {
            "parameters": {},
            "input": {},
            "output": {"text": self.output},
        }


@dataclass(frozen=True, eq=False)
class Turn:
    """The result of walking the graph once.

    play : what the turn leaves; its own messages join the dialog in `next_play`.
    recorded : whether it was run elsewhere and read from a file.
    document : what that file says of it, keys that we do not know included; None otherwise.
    """

    request: TurnRequest
    runs: tuple[NodeRun, ...]
    error: InspectorError | None = None
    play: Play = field(default_factory=Play)
    recorded: bool = False
    document: Mapping[str, Any] | None = None

    @property
    def status(self) -> str:
        """``Success``, or ``Error`` with `error` saying why."""
        return ERROR if self.error is not None else SUCCESS

    @cached_property
    def debug_info(self) -> dict[str, Any]:
        """The diagnostics envelope, ready for JSON. An error adds the key ``error``.

        Of a recorded turn it is its document, in the form that it was recorded in.
        """
        if self.document is not None:
            return dict(self.document)
        info: dict[str, Any] = {
            "status": self.status,
            "nodes": [
                {
                    "name": run.name,
                    "type": run.type,
                    "exit": run.exit,
                    "next": run.next,
                    "diagnostics": run.diagnostics(),
                }
                for run in self.runs
            ],
        }
        if self.error is not None:
            info["error"] = {
                "code": int(self.error.code),
                "name": self.error.name,
                "message": self.error.message,
            }
        return info

    def run_of(self, node: str) -> NodeRun | None:
        """Return the last run of the node in this turn, or None when it was not reached."""
        return next((run for run in reversed(self.runs) if run.name == node), None)

    @property
    def reply(self) -> str:
        """What the player is answered: the last ready line, or reply that the user typed in."""
        return next(
            (
                run.output
                for run in reversed(self.runs)
                if run.output and isinstance(run.params, CannedResponseParams | GenerateParams)
            ),
            "",
        )

    def next_play(self, *, keeps_dialog: bool) -> Play:
        """Return what the next turn starts from.

        Parameters
        ----------
        keeps_dialog : whether the player's message and the reply, where there is one, join the
            dialog. Knowledge that was attached to this turn never does.
        """
        if not keeps_dialog:
            return replace(self.play, dialog=())
        said = [DialogLine("user", self.request.message)]
        if self.reply:
            said.append(DialogLine("assistant", self.reply))
        return replace(self.play, dialog=(*self.play.dialog, *said))

    @property
    def canned_line(self) -> str | None:
        """The ready line that answered the player last; None when none did."""
        return next(
            (
                run.output
                for run in reversed(self.runs)
                if isinstance(run.params, CannedResponseParams)
            ),
            None,
        )

    @property
    def messages(self) -> tuple[Message, ...]:
        """The chat messages of the last Generate node that ran; () when none did."""
        return next(
            (run.projection.messages for run in reversed(self.runs) if run.projection is not None),
            (),
        )
