"""What a turn starts from: the request, and in it what earlier turns have left."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.knowledge.memory import MemoryStore
    from core.nodes.params import NodeParams
    from core.prompt.messages import DialogLine


@dataclass(frozen=True, slots=True)
class Play:
    """An agent's state between two turns. Immutable: a turn returns another one.

    Running a turn again from the same state gives the same result, so a moved slider neither
    writes a memory twice nor uses up a ready line.

    canned_counts : node name → how often a CannedResponse node has answered.
    memory : store name → the memory stores that play or the user has changed or opened; the
        others are as they lie below the storage root.
    dialog : the messages of earlier turns; () unless a dialog is kept.
    """

    canned_counts: Mapping[str, int] = field(default_factory=dict)
    memory: Mapping[str, MemoryStore] = field(default_factory=dict)
    dialog: tuple[DialogLine, ...] = ()


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

    def model_of(self, model_name: str) -> str:
        """Return the language model of a node: the one that it names, else the graph's default."""
        return model_name or self.default_model_name

    @property
    def search_inputs(self) -> TurnRequest:
        """The request without what only selection and prompt read: equal ones search alike."""
        return replace(
            self, params={name: params.search_key() for name, params in self.params.items()}
        )
