"""What a turn starts from besides its message and the graph, as the window lets it be set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.nodes.kind import Answer, kind_of
from core.nodes.walk import Play, TurnRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from core.agent.description import GraphDescription
    from core.agent.turn import Turn
    from core.knowledge.memory import MemoryStore
    from core.prompt.messages import DialogLine


class PlayInputs(QObject):
    """Variables, simulated exits, typed replies, the dialog and the memory stores.

    Attributes
    ----------
    shown : what the turn on screen started from; moving a slider runs it again from there.
    upcoming : what the next question starts from.

    Signals
    -------
    changed()
        The turn on screen would come out differently now.
    upcoming_changed()
        Only the next one would.
    """

    changed = Signal()
    upcoming_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.variables: dict[str, str] = {}
        self.exits: dict[str, str] = {}
        self.replies: dict[str, str] = {}
        self.keeps_dialog = False
        self.shown = self.upcoming = Play()
        self._written: frozenset[str] = frozenset()
        self._settled: Turn | None = None

    def request(self, message: str, graph: GraphDescription, play: Play) -> TurnRequest:
        """Capture all that a turn needs."""
        return TurnRequest(
            message=message,
            params={node.name: node.params for node in graph.nodes},
            start_node=graph.start_node,
            default_model_name=graph.default_model_name,
            exits=dict(self.exits),
            variables=dict(self.variables),
            replies=dict(self.replies),
            play=play,
        )

    def begin(
        self,
        play: Play,
        variables: Mapping[str, str],
        exits: Mapping[str, str],
        replies: Mapping[str, str],
        *,
        keeps_dialog: bool,
    ) -> None:
        """Begin play with all of this in force."""
        self.variables.update(variables)
        self.exits.update(exits)
        self.replies.update(replies)
        self.keeps_dialog = keeps_dialog
        self.shown = self.upcoming = play

    def restart(self) -> None:
        """Begin play anew, as a new agent does; variables and picked exits stay."""
        self.replies = {}
        self.shown = self.upcoming = Play()
        self._written = frozenset()
        self._settled = None

    def renew_agent(self) -> None:
        """Count ready lines from the first again, as a new agent does; nothing else is lost."""
        self.shown = replace(self.shown, canned_counts={})
        self.upcoming = replace(self.upcoming, canned_counts={})

    def show(self, turn: Turn) -> None:
        """Take over what the turn on screen started from."""
        self.shown = turn.request.play
        self._written = written_stores(turn)

    def look_at(self, turn: Turn) -> None:
        """Show what a turn of the history started from, and what was replied in it."""
        self.show(turn)
        replies = turn.request.replies
        for name, params in turn.request.params.items():
            if kind_of(params).answer is Answer.REPLY and name in replies:
                self.replies[name] = replies[name]
            elif kind_of(params).answer is Answer.REPLY:
                self.replies.pop(name, None)

    def settle(self, turn: Turn) -> None:
        """Let the next question start from what this turn leaves.

        When it is the turn before, run again, what the user has edited since stays. So does what
        was written under other variables: another player's memory is no other version of it.
        """
        left, before = turn.next_play(keeps_dialog=self.keeps_dialog), self._settled
        if before is not None and turn.request.play != self.upcoming:
            memory = self.upcoming.memory
            if written_stores(before) and before.request.variables != turn.request.variables:
                self.upcoming = replace(left, memory=memory)
                return
            edited = {
                name: store
                for name, store in memory.items()
                if store != before.play.memory.get(name)
            }
            left = replace(left, memory={**left.memory, **edited})
        self.upcoming, self._settled = left, turn

    def bring_back(
        self, variables: Mapping[str, str], exits: Mapping[str, str], replies: Mapping[str, str]
    ) -> None:
        """Take over the variables, exits and replies of an earlier turn."""
        self.variables = dict(variables)
        self.exits = dict(exits)
        self.replies = dict(replies)

    def set_variable(self, name: str, value: str | None) -> None:
        """Give an agent variable its value, or take it away with None."""
        if value is None:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value
        self.changed.emit()

    def set_exit(self, node: str, route: str) -> None:
        """Pick the exit of a node whose exit only a language model could decide."""
        self.exits[node] = route
        self.changed.emit()

    def set_reply(self, node: str, text: str) -> None:
        """Type what a node with a language model answers in the turn on screen."""
        if text:
            self.replies[node] = text
        else:
            self.replies.pop(node, None)
        self.changed.emit()

    def forget_replies(self, graph: GraphDescription) -> None:
        """Forget what Generate nodes answered: another question has another answer."""
        for node in graph.nodes:
            if kind_of(node.params).answer is Answer.REPLY:
                self.replies.pop(node.name, None)

    def keep_dialog(self, kept: bool) -> None:
        """Let the prompt hold the messages of earlier turns, or not."""
        self.keeps_dialog = kept
        if not kept:
            self.shown = replace(self.shown, dialog=())
            self.upcoming = replace(self.upcoming, dialog=())
        self.changed.emit()

    def set_dialog(self, lines: Iterable[DialogLine]) -> None:
        """Set the earlier turns' messages that the turn on screen starts from."""
        dialog = tuple(lines)
        added = self.upcoming.dialog[len(self.shown.dialog) :]
        self.shown = replace(self.shown, dialog=dialog)
        self.upcoming = replace(self.upcoming, dialog=(*dialog, *added))
        self.changed.emit()

    def put_store(self, store: MemoryStore) -> bool:
        """Use an opened or edited memory store from now on.

        Returns
        -------
        bool
            Whether the turn on screen follows. One that writes to the store itself does not: run
            again, it would write once more.
        """
        self.upcoming = _with_store(self.upcoming, store)
        if store.name in self._written:
            self.upcoming_changed.emit()
            return False
        self.shown = _with_store(self.shown, store)
        self.changed.emit()
        return True

    def forget_store(self, name: str) -> None:
        """Use a memory store as it lies on the disk from now on."""
        self.shown, self.upcoming = (
            replace(
                play, memory={known: store for known, store in play.memory.items() if known != name}
            )
            for play in (self.shown, self.upcoming)
        )


def written_stores(turn: Turn) -> frozenset[str]:
    """Return the names of the memory stores that a turn has written to."""
    before = turn.request.play.memory
    return frozenset(name for name, store in turn.play.memory.items() if before.get(name) != store)


def _with_store(play: Play, store: MemoryStore) -> Play:
    return replace(play, memory={**play.memory, store.name: store})
