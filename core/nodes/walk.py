"""What a walk through a graph is made of: the request, the storages, the state, the outcomes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from core.errors import Code, InspectorError, Place
from core.io.wording import did_you_mean
from core.io.work import QUIETLY, Work
from core.knowledge.kinds import FileKind
from core.prompt.projection import Chunk, InstructionText, KnowledgeBlock, Projection
from core.retrieve.listing import Selection

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.hits.hit import Hit
    from core.hits.listing import Listing
    from core.hits.stage import Stage
    from core.index.candidates import Candidates
    from core.index.leg_query import LegQuery
    from core.index.searcher import OpenStore
    from core.io.findings import FileRefused
    from core.keyword.corpora import Corpora
    from core.knowledge.filter import CompiledFilter
    from core.knowledge.memory import MemoryStore
    from core.knowledge.schema import Field
    from core.knowledge.strings import StringStorage
    from core.nodes.params import NodeParams
    from core.patterns.patterns import PatternSearches
    from core.prompt.messages import DialogLine
    from core.retrieve.memories import Memories
    from core.subgraph.knowledge_graphs import KnowledgeGraphs


class Storages(Protocol):
    """The storages of an agent, as `core.agent.workspace.Workspace` opens them."""

    @property
    def corpora(self) -> Corpora:
        """The corpora of keyword retrieval."""

    @property
    def graphs(self) -> KnowledgeGraphs:
        """The knowledge graphs."""

    @property
    def memories(self) -> Memories:
        """The memory stores."""

    @property
    def patterns(self) -> PatternSearches:
        """The searches for patterns."""

    @property
    def broken_catalog(self) -> FileRefused | None:
        """What is wrong with the schema catalog, where it cannot be used."""

    def opened(self, name: str, work: Work = QUIETLY) -> OpenStore:
        """Open a store of records."""

    def strings(
        self, name: str, kind: FileKind = FileKind.STRINGS, work: Work = QUIETLY
    ) -> StringStorage:
        """Open a string storage."""

    def compiled_filter(self, name: str, text: str, work: Work = QUIETLY) -> CompiledFilter | None:
        """Compile a filter against the fields of a knowledge file."""

    def candidates(
        self, name: str, query: str, filter_text: str, *, dense: bool, work: Work = QUIETLY
    ) -> Candidates:
        """Search a knowledge file."""

    def schema_fields(self, schema: str) -> tuple[Field, ...] | None:
        """Return the fields of a schema; None when the catalog has no such name."""

    def schema_difference(self, schema: str, name: str) -> str:
        """Say where the fields of a knowledge file first differ from a schema, or ""."""


@dataclass(frozen=True, slots=True)
class RetrievalResult(ABC):
    """Base of the results: what prompt, funnel, tables and diagnostics need. Immutable.

    params : the node's parameters in force.
    source : the name that templates use for its chunks.
    query : the text that was searched with; "" when the input resolved to nothing.
    listing : hits and near-misses; None when there was nothing to search with or in.
    near_miss_fields : what is told of a near-miss, fields of `Hit`.
    """

    params: NodeParams
    source: str
    query: str
    listing: Listing | None

    near_miss_fields: ClassVar[tuple[str, ...]]

    @property
    def selection(self) -> Selection | None:
        """The listing, where it ranks by distance or BM25; None for the other kinds."""
        return self.listing if isinstance(self.listing, Selection) else None

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The chunks attached to the turn, in the engine's order."""
        return self.listing.hits if self.listing is not None else ()

    @property
    @abstractmethod
    def stages(self) -> tuple[Stage, ...]:
        """The counts as the stages of a funnel; () where nothing was searched."""

    @property
    @abstractmethod
    def how(self) -> str:
        """The way of searching in a word or two."""

    @property
    @abstractmethod
    def no_distances(self) -> str:
        """Why there are no distances to plot, "" where there are some."""

    @property
    @abstractmethod
    def nothing_found(self) -> tuple[str, str]:
        """What to say, and what to advise, when nothing at all came back."""

    @property
    def leg_queries(self) -> tuple[LegQuery, ...]:
        """The query as each leg sees it; () where nothing was searched, or it is not known."""
        return self.listing.leg_queries if self.listing is not None else ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the search did not see of the query, in sentences."""
        return tuple(query.warning for query in self.leg_queries if query.warning)

    def near_misses(self, limit: int) -> list[dict[str, Any]]:
        """Return the first `limit` near-misses as JSON data."""
        if self.listing is None:
            return []
        return [
            self.near_miss(self.listing.story(row)) for row in self.listing.near_miss_rows(limit)
        ]

    def near_miss(self, hit: Hit) -> dict[str, Any]:
        """Return one near-miss as JSON data."""
        return {name: getattr(hit, name) for name in self.near_miss_fields}

    @abstractmethod
    def diagnostics(self) -> dict[str, Any]:
        """Return the sections ``parameters``, ``input`` and ``output``."""

    def sections(self, parameters: dict[str, Any], results: list[dict[str, Any]]) -> dict[str, Any]:
        """Return the diagnostics, from the parameters and counts, and the results."""
        return {
            "parameters": parameters,
            "input": {"query": self.query} if self.query else {},
            "output": {"results": results},
        }


def scored(hit: Hit) -> dict[str, Any]:
    """Return a hit that was ranked by one score as JSON data."""
    return {"id": hit.id, "score": hit.score, "match_reason": hit.match_reason, "text": hit.text}


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
    canned_counts, memory : as in `core.nodes.walk.Play`, with what this turn has changed.
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

    def picked_exit(self, name: str, params: NodeParams, default: str) -> str:
        """Return the exit that the user picked for a node, else the default.

        Raises
        ------
        InspectorError
            3007 for an exit that the node does not have.
        """
        taken = self.request.exits.get(name, default)
        exits = params.exits()
        if taken not in exits:
            raise InspectorError(
                Code.InvalidParamValue,
                f'node "{name}" has no exit "{taken}"',
                place=Place(node=name),
                hint=did_you_mean(taken, exits) or f"one of {', '.join(exits)}",
            )
        return taken

    def attach(self, found: RetrievalResult) -> Outcome:
        """Attach what a node found to the turn, as a block of knowledge; an empty one too."""
        hits = found.hits
        chunks = tuple(Chunk(hit.id, hit.text, hit.distance) for hit in hits)
        self.knowledge.append(KnowledgeBlock(found.source, chunks))
        output = "\n".join(hit.text for hit in hits)
        return Outcome("found" if hits else "not_found", output, retrieval=found)
