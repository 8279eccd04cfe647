"""BM25 over records that keep coming: an index that one more record costs next to nothing.

Scores depend on the number of records and on their average length, so they are worked out when a
query asks; what is kept are the counts. The formula, and every rounding in it, is that of
`core.index.lexical`, so that a store ranks alike while it grows and when it is opened from a file.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from core.index.lexical import K1, B
from core.index.tokens import record_tokens
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class _Postings:
    """The records that have a term, ascending, and how often each has it; int32."""

    rows: array[int] = field(default_factory=lambda: array("i"))
    counts: array[int] = field(default_factory=lambda: array("i"))


class GrowingLexicalIndex:
    """What BM25 has to know of n records. Not thread-safe: its owner lets in one at a time.

    vocabulary : the terms that the records have.
    """

    def __init__(self) -> None:
        self._postings: dict[str, _Postings] = {}
        self._lengths = array("i")
        self._tokens = 0

    @property
    def count(self) -> int:
        """Number of records."""
        return len(self._lengths)

    @property
    def vocabulary(self) -> Mapping[str, object]:
        """The terms that the records have."""
        return self._postings

    def extend(self, texts: Sequence[str], work: Work = QUIETLY) -> None:
        """Add the texts of further records.

        Raises
        ------
        Cancelled
            When `work` is cancelled; `count` tells how many were added until then.
        """
        for place, text in enumerate(texts):
            if place % _BLOCK == 0:
                work.stop_if_cancelled()
                if len(texts) > _BLOCK:
                    work.progress("reading words", place, len(texts))
            self._add(text)

    def cut(self, count: int, texts: Sequence[str]) -> None:
        """Keep the first `count` records only.

        Parameters
        ----------
        texts : of all records that are there, in order.
        """
        for row in range(self.count - 1, count - 1, -1):
            for term in Counter(record_tokens(texts[row])):
                postings = self._postings[term]
                postings.rows.pop()
                postings.counts.pop()
                if not postings.rows:
                    del self._postings[term]
            self._tokens -= self._lengths.pop()

    def score(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """BM25 score of every record for the query's tokens: float32 (count,), 0 or more."""
        total = np.zeros(self.count, dtype=np.float64)
        lengths = np.array(self._lengths, dtype=np.float64)
        known = Counter(token for token in tokens if token in self._postings)
        for term, times in known.items():
            postings = self._postings[term]
            rows = np.array(postings.rows, dtype=np.int64)
            total[rows] += times * self._term_scores(
                np.array(postings.counts, dtype=np.float64), lengths[rows]
            )
        return total.astype(np.float32)

    def _term_scores(
        self, counts: NDArray[np.float64], lengths: NDArray[np.float64]
    ) -> NDArray[np.float32]:
        # bm25s keeps idf and scores as float32, and so two records tie here where they do there.
        frequency = len(counts)
        idf = np.float32(math.log(1 + (self.count - frequency + 0.5) / (frequency + 0.5)))
        average = self._tokens / self.count
        scores = idf * (counts / (K1 * ((1 - B) + B * lengths / average) + counts))
        return scores.astype(np.float32)

    def _add(self, text: str) -> None:
        tokens = record_tokens(text)
        row = self.count
        for term, times in Counter(tokens).items():
            postings = self._postings.get(term)
            if postings is None:
                postings = self._postings[term] = _Postings()
            postings.rows.append(row)
            postings.counts.append(times)
        self._lengths.append(len(tokens))
        self._tokens += len(tokens)
