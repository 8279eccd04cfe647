"""What the turns so far have left with an agent: what each turn starts from, and leaves behind."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.knowledge.memory import MemoryStore

Role = Literal["system", "user", "assistant"]


class DialogLine(NamedTuple):
    """A message of an earlier turn."""

    role: Role
    text: str


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
