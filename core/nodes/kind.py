"""A node type is one object: all that the engine must know of it, in one file a type.

A type says every part, or names it among those that it lacks: one that forgets a part is refused
when its file is imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from core.errors import Code, InspectorError
from core.nodes.params import NodeParams
from core.prompt.lint import Provided

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from core.hits.hit import Hit
    from core.hits.stage import StageKind
    from core.io.work import Work
    from core.knowledge.kinds import FileKind
    from core.nodes.checking import CheckedNode, OpenedNode
    from core.nodes.state import Outcome, TurnState
    from core.nodes.storages import Storages

P = TypeVar("P", bound=NodeParams)


class Answer(Enum):
    """How a node's output answers the player."""

    NONE = auto()
    READY_LINE = auto()
    REPLY = auto()


@dataclass(frozen=True, slots=True)
class Simulated(Generic[P]):
    """Of a node whose exit only a language model could decide.

    exit : the one that a turn takes unless the user picks another.
    labels : the labels that the exit ``found`` can have; None where it has none.
    """

    exit: str
    labels: Callable[[P], tuple[str, ...]] | None = None


class StoreUse(NamedTuple):
    """The memory store that a node searches or writes: its name, with references, its schema."""

    name: str
    schema: str


class Filtered(NamedTuple):
    """A filter on metadata, and what it filters.

    storage : the knowledge file, "" for a memory store.
    schema : of the memory store; None for a knowledge file.
    """

    text: str
    storage: str = ""
    schema: str | None = None


RecordedStages = tuple[tuple["StageKind", str], ...]
"""Stages of a recorded search, and what counts each: a recorded number, or ``kept_count``."""


class NodeKind(Generic[P]):
    """Base of the node types; a type is a subclass, and its only object is in `KINDS`.

    A type says each of its `parts`, or names it among those that it `lacks`; then the part is as it
    is here. What is neither fails when the type's file is imported.

    table : the table of its parameters.
    is_in_game : whether the game's clients know the type, by the same name.
    answer : how its output answers the player.
    simulated : what stands in for a language model's decision; None where none decides.
    opened_files : the kinds of files that, opened alone, a node of this type searches.
    draws_subgraph : whether what it finds is part of a knowledge graph.
    """

    parts: ClassVar[tuple[str, ...]] = (
        "table",
        "is_in_game",
        "answer",
        "simulated",
        "provides",
        "memory",
        "check",
        "check_storages",
        "check_change",
        "prepare",
        "run",
    )
    _lacking: ClassVar[tuple[str, ...]] = ()
    table: type[P]
    is_in_game: bool
    answer: Answer = Answer.NONE
    simulated: Simulated[P] | None = None
    opened_files: frozenset[FileKind] = frozenset()
    draws_subgraph: bool = False

    def __init_subclass__(cls, *, lacks: tuple[str, ...] = (), is_base: bool = False) -> None:
        """Refuse a type that neither says a part nor names it as lacking."""
        super().__init_subclass__()
        if is_base:
            return
        said = {
            name
            for base in cls.__mro__
            if "parts" not in vars(base)
            for name in (*vars(base), *vars(base).get("_lacking", ()))
        }
        missing = [part for part in cls.parts if part not in said.union(lacks)]
        if missing or not set(lacks) <= set(cls.parts):
            raise TypeError(
                f"node type {cls.__name__} neither says nor lacks {', '.join(missing)}"
                if missing
                else f"node type {cls.__name__} lacks what is no part: {', '.join(lacks)}"
            )
        cls._lacking = lacks

    def __init__(self) -> None:
        # A parameter without help or reader is refused here.
        defaults = self.table()
        self.attaches_knowledge = bool(self.provides("node", defaults).sources)
        """Whether it attaches what it finds, for prompts."""
        KINDS[self.table] = self

    def provides(self, name: str, params: P) -> Provided:
        """Return the names that it gives to the templates of later nodes."""
        del name, params
        return Provided()

    def memory(self, params: P) -> StoreUse | None:
        """Return the memory store that it searches or writes, or None."""
        del params
        return None

    def check(self, params: P, node: CheckedNode) -> None:
        """Find what is wrong with it, without any file."""

    def check_storages(self, params: P, node: OpenedNode) -> None:
        """Open its storages, and find what is wrong with them or does not fit them."""

    def check_change(self, params: P, param: str, storages: Storages, work: Work) -> None:
        """Refuse a changed value that only a storage can judge.

        Parameters
        ----------
        param : the one that changed.
        work : on behalf of the node.

        Raises
        ------
        InspectorError
            3007, and 8003 for a value of the wrong type.
        """

    def prepare(self, params: P, storages: Storages, embeddings: bool, work: Work) -> None:
        """Load or build what its searches need: first the word indexes, then the embeddings.

        Raises
        ------
        InspectorError
            For a path, a content, or a model.
        Cancelled
            When `work` is cancelled.
        """

    def run(self, name: str, params: P, state: TurnState) -> Outcome:
        """Run a node in a turn.

        Raises
        ------
        SearchNeeded
            With `state.work.cached_only`, when its search has not been made yet.
        InspectorError
            What the node refuses.
        """
        raise NotImplementedError

    def filtered(self, params: P) -> Filtered | None:
        """Return its filter on metadata; None for a type without one."""
        del params
        return None

    def distance_threshold(self, params: P) -> float | None:
        """Return the largest distance that counts, 0 = no limit; None for a type without one."""
        del params
        return None


class SearchKind(NodeKind[P], is_base=True):
    """Base of the node types that search."""

    parts = (
        *NodeKind.parts,
        "opened_files",
        "draws_subgraph",
        "filtered",
        "distance_threshold",
        "recorded_stages",
    )

    def recorded_stages(self, params: P) -> RecordedStages:
        """Return the stages of its funnel, as far as a recording can count them.

        ``kept_count`` is what a threshold let through of what was found.
        """
        raise NotImplementedError

    def recorded_hits(
        self, params: P, taken: frozenset[str], rows: tuple[Hit, ...]
    ) -> tuple[Hit, ...]:
        """Tell the near-misses among recorded results from the hits.

        Parameters
        ----------
        taken : names of the parameters that are recorded.
        """
        del params, taken
        return rows

    def recorded_how(self, params: P) -> str:
        """Return the way of searching in a word."""
        return params.node_type

    def implied(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what recorded parameters say of those that are not recorded."""
        del values
        return {}


KINDS: dict[type[NodeParams], NodeKind[Any]] = {}
"""The table of a node type → the type."""


def kind_of(params: NodeParams | type[NodeParams]) -> NodeKind[Any]:
    """Return the type of a node, by its parameters or their table.

    Raises
    ------
    InspectorError
        3003 for a table that no type has.
    """
    table = params if isinstance(params, type) else type(params)
    found = KINDS.get(table)
    if found is None:
        raise InspectorError(Code.GraphCompilationFailed, f"{table.node_type} does not run here")
    return found
