"""What searches one store of records: the seam between those who ask and where the records lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider
    from core.index.candidates import Candidates
    from core.io.findings import Finding
    from core.knowledge.filter import CompiledFilter
    from core.knowledge.schema import Field


class Store(Protocol):
    """What is known of an open store without any search; `core.knowledge.base` has the local one.

    path : the file that names or holds it; files : those to be watched.
    fields : the metadata fields that its schema declares.
    findings : what opening it found.
    """

    @property
    def path(self) -> Path: ...  # noqa: D102
    @property
    def files(self) -> tuple[Path, ...]: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def fields(self) -> tuple[Field, ...]: ...  # noqa: D102
    @property
    def findings(self) -> tuple[Finding, ...]: ...  # noqa: D102

    def __len__(self) -> int:
        """Return the number of records."""

    def match_count(self, compiled: CompiledFilter) -> int:
        """Return how many records a filter lets through."""


class Searcher(Protocol):
    """Searches one store. Every method may be called from any thread."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was made anew and why, and what could not be kept."""

    def prepare(self, *, dense: bool, work: Work = QUIETLY) -> None:
        """Load or build what searches by words need or, with `dense`, those by meaning.

        Raises
        ------
        InspectorError
            For the store's content; 8003 or 4001 for the model, with `dense`.
        Cancelled
            When `work` is cancelled; what was made until then is kept.
        """

    def search(
        self, query: str, filter_text: str = "", *, dense: bool, work: Work = QUIETLY
    ) -> Candidates:
        """Rank the records for a query; prepares what that takes. The result is immutable.

        A store that cannot tell of all its records tells of the first `MAX_DEPTH` of each leg at
        least, so that no setting needs another search, and states what it leaves out.

        Parameters
        ----------
        query : the resolved text.
        filter_text : only records that match it are ranked; "" for all.
        dense : whether the dense leg is wanted; without it no model is loaded.

        Raises
        ------
        InspectorError
            3007 for the filter; otherwise as `prepare`.
        """


@dataclass(frozen=True, slots=True)
class OpenStore:
    """A store that has been opened, and what searches it."""

    store: Store
    searcher: Searcher


Opener = Callable[["Path", "Path", "ModelProvider", "Work"], OpenStore]
"""Opens the store of a file: path, storage root, embedding models, work."""
