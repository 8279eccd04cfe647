"""What nodes need of a workspace: the storages below its root, opened once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from core.io.work import QUIETLY, Work
from core.knowledge.kinds import FileKind

if TYPE_CHECKING:
    from core.index.candidates import Candidates
    from core.index.searcher import OpenStore
    from core.io.findings import FileRefused
    from core.keyword.corpora import Corpora
    from core.knowledge.filter import CompiledFilter
    from core.knowledge.schema import Field
    from core.knowledge.strings import StringStorage
    from core.patterns.patterns import PatternSearches
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
