"""All that the window shows, at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from core.nodes.kind import Answer, kind_of
from inspector.session.asking import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.agent.description import GraphDescription, Node
    from core.agent.drafts import Drafts
    from core.agent.history import HistoryEntry
    from core.agent.turn import NodeRun, Turn
    from core.hits.listing import Listing
    from core.io.findings import Finding
    from core.nodes.walk import Play, RetrievalResult
    from core.opening.opening import Opened


@dataclass(frozen=True)
class Shown:
    """What is open, edited and asked after one step. Immutable; what did not change is the same.

    opened : the file in use; None while nothing is open.
    graph : the graph in force, edits included.
    outline : the graph as of the last edit of something else than a number. Names, exits and
        texts are read from it, so that a moved slider is no news to who shows those.
    node : the name of the node in hand.
    step : which step of the turn was picked, −1 for none: a node may have run several times.
    turn : the turn on screen.
    standing : whether that turn is what is asked now.
    play, upcoming : what the turn on screen started from, and what the next one will.
    drafts : (node, parameter) → what was refused of it, typed or of the file.
    is_mended : something stands in the place of what the file has and is refused.
    findings : all that is wrong with the files in use; `checked` is what is wrong with the graph
        and its storages as they are edited.
    history, place : the turns so far, the oldest first, and which of them is shown, −1 for none.
    """

    opened: Opened | None
    graph: GraphDescription | None
    outline: GraphDescription | None
    node: str
    step: int
    message: str
    turn: Turn | None
    standing: Standing
    history: Sequence[HistoryEntry]
    place: int
    drafts: Drafts
    is_mended: bool
    findings: tuple[Finding, ...]
    checked: tuple[Finding, ...]
    play: Play
    upcoming: Play
    keeps_dialog: bool
    variables: Mapping[str, str]
    exits: Mapping[str, str]
    replies: Mapping[str, str]

    @property
    def is_outdated(self) -> bool:
        """Whether the turn on screen is another one than is asked, with what is in force."""
        return self.standing is not Standing.ANSWERED

    @property
    def looked_at(self) -> HistoryEntry | None:
        """The entry of the history that is on screen, where it is not the newest."""
        is_earlier = 0 <= self.place < len(self.history) - 1
        return self.history[self.place] if is_earlier else None

    @cached_property
    def is_edited(self) -> bool:
        """Whether the graph is another one than that of its file."""
        graph, opened = self.graph, self.opened
        return (
            graph is not None
            and opened is not None
            and opened.turn is None
            and (self.is_mended or graph.nodes != opened.graph.nodes)
        )

    @cached_property
    def node_in_hand(self) -> Node | None:
        """The node in hand with its parameters in force."""
        return self.graph.node(self.node) if self.graph is not None and self.node else None

    @cached_property
    def run(self) -> NodeRun | None:
        """What the node in hand did in the turn on screen; None when it was not reached.

        Of several runs the one that was picked, else the last.
        """
        if self.turn is None:
            return None
        runs = self.turn.runs
        if 0 <= self.step < len(runs) and runs[self.step].name == self.node:
            return runs[self.step]
        return self.turn.run_of(self.node)

    @property
    def retrieval(self) -> RetrievalResult | None:
        """What the node in hand found in the turn on screen."""
        return self.run.retrieval if self.run is not None else None

    @cached_property
    def listing(self) -> Listing | None:
        """The hits and near-misses of the node in hand."""
        return self.retrieval.listing if self.retrieval is not None else None

    @cached_property
    def prompt_node(self) -> Node | None:
        """The node whose prompt is shown: that in hand, else the last that ran, else the first."""
        graph, node = self.graph, self.node_in_hand
        if graph is None or node is None:
            return None
        if kind_of(node.params).answer is Answer.REPLY:
            return node
        ran = [run.name for run in self.turn.runs if run.projection] if self.turn else []
        if ran:
            return graph.node(ran[-1])
        return next((n for n in graph.nodes if kind_of(n.params).answer is Answer.REPLY), None)

    @property
    def replying_node(self) -> str:
        """The node whose reply the user may type: the last that asked a model, or ""."""
        if self.turn is None or self.turn.recorded:
            return ""
        return next(
            (run.name for run in reversed(self.turn.runs) if run.projection is not None), ""
        )
