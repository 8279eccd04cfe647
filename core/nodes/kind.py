"""A node type is one object: all that the engine must know of it, in one file a type.

A type says every part, or names it among those that it lacks: one that forgets a part is refused
when its file is imported. What is wrong with a node under check goes where a `CheckedNode` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from core.errors import Code, InspectorError, Place
from core.io.findings import FileRefused, Finding, Findings, Severity
from core.io.work import QUIETLY, Work
from core.knowledge.kinds import FileKind
from core.nodes.params import NodeParams
from core.nodes.routes import nodes_before, reached
from core.prompt.lint import Provided

if TYPE_CHECKING:
    from core.hits.hit import Hit
    from core.hits.stage import StageKind
    from core.knowledge.memory import MemoryStore
    from core.nodes.walk import Outcome, Storages, TurnState


P = TypeVar("P", bound=NodeParams)

Opening = Callable[[str], tuple[str, Iterable[Finding]]]
"""Opens a storage by its name → what tells its file from others, and the findings of the file."""


@dataclass(frozen=True, slots=True)
class CheckedGraph:
    """What the check of one node knows of the whole graph.

    params : node name → its parameters, refused values at their defaults.
    unread : names of nodes that could not be read, so that nobody knows where they lead.
    memory : store name → the memory stores that play has changed.
    """

    params: Mapping[str, NodeParams] = field(default_factory=dict)
    start_node: str = ""
    unread: tuple[str, ...] = ()
    memory: Mapping[str, MemoryStore] = field(default_factory=dict)

    @property
    def routes_are_known(self) -> bool:
        """Whether it can be told which nodes come before which."""
        return not self.unread and self.start_node in self.params

    def is_reached(self, name: str) -> bool:
        """Tell whether a turn can come to a node."""
        return name in reached(self.params, [self.start_node])

    def before(self, name: str) -> tuple[str, ...]:
        """Return the nodes that can have run when a node runs."""
        return nodes_before(self.params, self.start_node, name)


@dataclass(frozen=True, slots=True)
class CheckedNode:
    """A node of a graph under check.

    index : its place among the nodes of the graph.
    findings : of the graph's file, where what is found goes.
    """

    name: str
    index: int
    findings: Findings
    graph: CheckedGraph = field(default_factory=CheckedGraph)

    def place(self, param: str = "") -> Place:
        """Return the place of the node, or of one of its parameters, in the graph's file."""
        path = f"nodes[{self.index}]" + (f".params.{param}" if param else "")
        return Place(file=self.findings.file, json_path=path, node=self.name, param=param)

    def error(self, param: str, message: str, *, hint: str = "", code: Code | None = None) -> None:
        """Add an error at a parameter."""
        self.findings.error(message, hint=hint, code=code, place=self.place(param))

    def warning(
        self, param: str, message: str, *, hint: str = "", code: Code | None = None
    ) -> None:
        """Add a warning at a parameter."""
        self.findings.warning(message, hint=hint, code=code, place=self.place(param))

    def needs_file(
        self,
        param: str,
        value: str,
        what: str,
        hint: str = "name one, relative to the storage root",
    ) -> None:
        """Refuse a parameter that names no file."""
        if not value:
            code = Code.InvalidEmbeddedStringStorageName
            self.error(param, f"no {what} to search", code=code, hint=hint)

    def refused(self, error: InspectorError, param: str) -> None:
        """Take over what a storage says of a parameter, placed at it.

        A place in another file stays; a path inside the parameter's value stays too.
        """
        found = (
            error.findings
            if isinstance(error, FileRefused)
            else (Finding(Severity.ERROR, error.code, error.place, error.message, error.hint),)
        )
        self.findings.extend(
            replace(finding, place=self._at(param, finding.place)) for finding in found
        )

    def _at(self, param: str, said: Place) -> Place:
        if said.file:
            return replace(said, node=self.name, param=param)
        if said.json_path.startswith(f"{param}["):
            return replace(
                self.place(param), json_path=f"nodes[{self.index}].params.{said.json_path}"
            )
        place = self.place(param)
        return replace(place, json_path=said.json_path or place.json_path)


@dataclass(frozen=True, slots=True)
class OpenedNode(CheckedNode):
    """A node whose storages are opened for the check.

    work : on behalf of the node.
    seen : the files whose findings have been told already, of all nodes.
    """

    storages: Storages = field(kw_only=True)
    work: Work = field(kw_only=True, default=QUIETLY)
    seen: set[str] = field(kw_only=True, default_factory=set)

    def open(self, param: str, name: str, opening: Opening) -> None:
        """Open the storage that a parameter names, if it names one; say what is wrong with it."""
        if not name:
            return
        try:
            file, found = opening(name)
        except FileRefused as refused:
            file, found = refused.place.file, refused.findings
        except InspectorError as error:
            self.refused(error, param)
            return
        self.tell(file, found)

    def open_strings(self, name: str, kind: FileKind = FileKind.STRINGS) -> None:
        """Open the string storage of the parameter ``string_storage``."""
        self.open(
            "string_storage",
            name,
            lambda name: (name, self.storages.strings(name, kind, self.work).findings),
        )

    def tell(self, file: str, found: Iterable[Finding]) -> None:
        """Take over the findings of a file, once."""
        if file not in self.seen:
            self.seen.add(file)
            self.findings.extend(found)

    def attempt(
        self, check: Callable[[P, str, Storages, Work, CheckedGraph], object], params: P, param: str
    ) -> None:
        """Check a parameter as if it had changed (`NodeKind.check_change`)."""
        try:
            check(params, param, self.storages, self.work, self.graph)
        except InspectorError as error:
            self.refused(error, param)


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
    store : name of the memory store, with references.
    """

    text: str
    storage: str = ""
    schema: str | None = None
    store: str = ""


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

    def check_change(
        self, params: P, param: str, storages: Storages, work: Work, graph: CheckedGraph
    ) -> None:
        """Refuse a changed value that only a storage can judge.

        Parameters
        ----------
        param : the one that changed.
        work : on behalf of the node.
        graph : the node's.

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
        """Return the largest distance that counts, 0 = no limit; None where none is measured."""
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
