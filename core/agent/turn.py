"""A turn: what ran, what each node did, and its ``debug_info``. Views and files read only this."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from core.nodes.kind import Answer, kind_of
from core.nodes.walk import Play, RetrievalResult, TurnRequest
from core.prompt.messages import DialogLine

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.errors import InspectorError
    from core.nodes.params import NodeParams
    from core.prompt.projection import Message, Projection

SUCCESS = "Success"
ERROR = "Error"


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

    @property
    def answer(self) -> Answer:
        """How the output answers the player."""
        return Answer.NONE if self.params is None else kind_of(self.params).answer

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
                if run.output and run.answer is not Answer.NONE
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
            (run.output for run in reversed(self.runs) if run.answer is Answer.READY_LINE), None
        )

    @property
    def messages(self) -> tuple[Message, ...]:
        """The chat messages of the last Generate node that ran; () when none did."""
        return next(
            (run.projection.messages for run in reversed(self.runs) if run.projection is not None),
            (),
        )
