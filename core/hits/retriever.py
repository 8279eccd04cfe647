"""What every retriever over a corpus takes and gives, whatever it ranks by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from core.io.request import InvalidRequest, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from core.knowledge.corpus import CorpusEntry, CorpusProtocol

DEFAULT_K = 5


@dataclass(frozen=True, slots=True)
class RetrievalHit:
    """One ranked result.

    entry : the corpus entry that was found.
    score : how well it matches; higher is better. Its scale is the retriever's own.
    match_reason : why the entry was selected, in one line.
    """

    entry: CorpusEntry
    score: float
    match_reason: str


@runtime_checkable
class RetrieverProtocol(Protocol):
    """What code that consumes hits relies on; any retriever can stand behind it."""

    def retrieve(
        self, query: str, corpus: CorpusProtocol, k: int = DEFAULT_K
    ) -> Iterable[RetrievalHit]:
        """Return at most `k` hits, best first."""


def check_request(query: Any, corpus: Any, k: Any = 1) -> None:
    """Refuse a request that no retriever can answer.

    Raises
    ------
    InvalidRequest
        3007 (also a ValueError) for an empty, blank or non-text query, `k` that is no whole
        number of 1 or more, or no corpus.
    """
    if not isinstance(query, str) or not query.strip():
        raise InvalidRequest("query", "query must be a non-empty string")
    if isinstance(k, bool) or not isinstance(k, int):
        raise InvalidRequest("k", f"k must be a whole number, found {shown(k)}")
    if k < 1:
        raise InvalidRequest("k", "k must be >= 1")
    if corpus is None:
        raise InvalidRequest("corpus", "corpus must not be None")
