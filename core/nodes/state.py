"""What has been attached to a turn so far, and what a node hands back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.io.work import QUIETLY, Work
from core.prompt.projection import Chunk, KnowledgeBlock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.errors import InspectorError
    from core.knowledge.memory import MemoryStore
    from core.nodes.retrieval import RetrievalResult
    from core.nodes.storages import Storages
    from core.nodes.turn_request import TurnRequest
    from core.prompt.projection import InstructionText, Projection


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a node hands back to the walk.

    sections : its diagnostics (``parameters``, ``input``, ``output``) where neither a retrieval nor
        a projection tells them.
    simulated : the exit is not the node's own decision, which takes a language model.
    """

    exit: str
    output: str = ""
    retrieval: RetrievalResult | None = None
    projection: Projection | None = None
    error: InspectorError | None = None
    sections: Mapping[str, Any] = field(default_factory=dict)
    simulated: bool = False


@dataclass(slots=True)
class TurnState:
    """What has been attached to the turn so far; one per walk, passed from node to node.

    work : on behalf of the node that runs.
    label : of the intent that was classified last, "" for none.
    canned_counts, memory : as in `core.nodes.turn_request.Play`, with what this turn has changed.
    """

    request: TurnRequest
    storages: Storages
    work: Work = QUIETLY
    outputs: dict[str, str] = field(default_factory=dict)
    instructions: list[InstructionText] = field(default_factory=list)
    knowledge: list[KnowledgeBlock] = field(default_factory=list)
    label: str = ""
    canned_counts: dict[str, int] = field(default_factory=dict)
    memory: dict[str, MemoryStore] = field(default_factory=dict)

    def attach(self, found: RetrievalResult) -> Outcome:
        """Attach what a node found to the turn, as a block of knowledge; an empty one too."""
        hits = found.hits
        chunks = tuple(Chunk(hit.id, hit.text, hit.distance) for hit in hits)
        self.knowledge.append(KnowledgeBlock(found.source, chunks))
        output = "\n".join(hit.text for hit in hits)
        return Outcome("found" if hits else "not_found", output, retrieval=found)
