"""The lexical leg: Okapi BM25 over record text.

The index is made by bm25s (method ``lucene``, k1 1.2, b 0.75): the score of a term in a record is
idf · f / (f + k1 · (1 − b + b · len / avglen)), idf = ln(1 + (N − df + 0.5) / (df + 0.5)), where f
is how often the term occurs in the record, len the record's number of tokens, and df the number of
records with the term. A query's score is the sum over its terms, repeats included.

Source
------
Robertson, Zaragoza: The Probabilistic Relevance Framework: BM25 and Beyond, 2009; Kamphuis et al.:
Which BM25 Do You Mean?, ECIR 2020 (Lucene, accurate); Lù: BM25S, arXiv 2407.03618.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from core.index.candidates import SparseLeg, ranks
from core.index.leg_query import BM25, LegQuery, query_words
from core.index.order import largest_first
from core.index.tokens import query_tokens_with_spans, record_tokens
from core.io.sidecar import SidecarFolder, SidecarKey
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray


K1 = 1.2
B = 0.75
METHOD = "lucene"
SUFFIX = ".bm25"
FORMAT_VERSION = 3

_BLOCK = 4096
_ARRAYS = ("scores", "rows", "starts", "words")
_import_lock = threading.Lock()


class TermIndex(Protocol):
    """What the leg needs of an index of n records.

    count : n.
    vocabulary : its keys are the terms that the records have.
    """

    @property
    def count(self) -> int:
        """Number of records."""

    @property
    def vocabulary(self) -> Mapping[str, object]:
        """The terms that the records have."""

    def score(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """BM25 score of every record: float32 (n,), 0 or more."""


@dataclass(frozen=True, slots=True)
class LexicalIndex:
    """BM25 scores of every term in every record, term by term.

    vocabulary : term → its number t.
    scores, rows : float32 and int32 (m,); term t has the scores ``scores[starts[t]:starts[t + 1]]``
        in the records ``rows[…]``, ascending.
    starts : int64 (number of terms + 1,).
    count : number of records.
    """

    vocabulary: Mapping[str, int]
    scores: NDArray[np.float32]
    rows: NDArray[np.int32]
    starts: NDArray[np.int64]
    count: int

    def score(self, tokens: Sequence[str]) -> NDArray[np.float32]:
        """BM25 score of every record for the query's tokens: float32 (count,), 0 or more."""
        total = np.zeros(self.count, dtype=np.float64)
        known = Counter(self.vocabulary[token] for token in tokens if token in self.vocabulary)
        for term, times in known.items():
            place = slice(self.starts[term], self.starts[term + 1])
            # A term has each row once, so that plain indexing adds every score.
            total[self.rows[place]] += times * self.scores[place]
        return total.astype(np.float32)


def lexical_key(source: str) -> SidecarKey:
    """Return what a ``.bm25`` sidecar must say to serve texts with this hash."""
    return SidecarKey(
        "bm25",
        FORMAT_VERSION,
        source,
        parameters={
            "method": METHOD,
            "k1": K1,
            "b": B,
            "tokens": "NFC casefold runs-and-pairs",
            "unicode": unicodedata.unidata_version,
        },
    )


def sparse_leg(
    index: TermIndex, query: str, matching: NDArray[np.bool_] | None = None
) -> SparseLeg:
    """Rank the records that have a query term, best score first, ties by row.

    Parameters
    ----------
    matching : bool (n,), the filter's mask; scores come from the whole store nevertheless.
    """
    seen = leg_query(BM25, index, query)
    scores = index.score(seen.kept)
    scored = scores > 0
    rows = largest_first(scores, np.flatnonzero(scored if matching is None else scored & matching))
    scores.setflags(write=False)
    return SparseLeg(scores, rows, ranks(rows, index.count), seen.kept, seen)


def leg_query(leg: str, index: TermIndex, query: str) -> LegQuery:
    """Return a query as a leg over an index sees it: its tokens, and what is none."""
    parts = ((token, "", start, end) for token, start, end in query_tokens_with_spans(query))
    return LegQuery(leg, query_words(query, parts, index.vocabulary))


def build_lexical_index(texts: Sequence[str], work: Work = QUIETLY) -> LexicalIndex:
    """Index the texts of all records.

    Raises
    ------
    Cancelled
        When `work` is cancelled.
    """
    # Terms are numbered as they are first met, so the result does not depend on the hash seed.
    vocabulary: defaultdict[str, int] = defaultdict()
    vocabulary.default_factory = vocabulary.__len__
    documents = _Documents(work)
    for start in range(0, len(texts), _BLOCK):
        work.stop_if_cancelled()
        work.progress("reading words", start, len(texts))
        documents.extend(
            [vocabulary[token] for token in record_tokens(text)]
            for text in texts[start : start + _BLOCK]
        )
    vocabulary.default_factory = None
    if not vocabulary:
        return LexicalIndex(
            {}, np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(1, np.int64), len(texts)
        )
    index = _import_bm25s().BM25(k1=K1, b=B, method=METHOD, backend="numpy")
    index.index((documents, vocabulary), create_empty_token=False, show_progress=False)
    made = index.scores
    return LexicalIndex(
        dict(vocabulary),
        made["data"].astype(np.float32, copy=False),
        made["indices"].astype(np.int32, copy=False),
        made["indptr"].astype(np.int64, copy=False),
        len(texts),
    )


def prepare_lexical(
    texts: Sequence[str], source: str, sidecars: SidecarFolder, work: Work = QUIETLY
) -> LexicalIndex:
    """Load the index of all texts from its sidecar, or build it and keep it there.

    Parameters
    ----------
    source : hash of the texts (`core.knowledge.base.texts_digest`).

    Raises
    ------
    Cancelled
        When `work` is cancelled.
    """
    key = lexical_key(source)
    found = sidecars.load(SUFFIX, key)
    if found is not None:
        try:
            return from_arrays(found.arrays, len(texts))
        except ValueError as error:
            sidecars.note(f"the {SUFFIX} file is made again: {error}")
    index = build_lexical_index(texts, work)
    sidecars.store(SUFFIX, key, to_arrays(index))
    return index


def to_arrays(index: LexicalIndex) -> dict[str, NDArray[Any]]:
    """Return the index as arrays for a sidecar; no token has a line break, which parts them."""
    words = "\n".join(index.vocabulary).encode("utf-8")
    return {
        "scores": index.scores,
        "rows": index.rows,
        "starts": index.starts,
        "words": np.frombuffer(words, dtype=np.uint8),
    }


def from_arrays(arrays: Mapping[str, NDArray[Any]], count: int) -> LexicalIndex:
    """Make an index of a sidecar's arrays.

    Raises
    ------
    ValueError
        They are no index of `count` records: nothing that is used unchecked could be out of range.
    """
    try:
        scores, rows, starts, words = (arrays[name] for name in _ARRAYS)
    except KeyError as error:
        raise ValueError(f"{error} is missing") from error
    kinds = [array.dtype.str for array in (scores, rows, starts, words)]
    if kinds != ["<f4", "<i4", "<i8", "|u1"] or any(array.ndim != 1 for array in arrays.values()):
        raise ValueError("the arrays have other types")
    terms = bytes(words).decode("utf-8").split("\n") if len(words) else []
    vocabulary = dict(zip(terms, range(len(terms)), strict=True))
    if not (
        len(vocabulary) == len(terms) == len(starts) - 1
        and len(rows) == len(scores)
        and starts[0] == 0
        and starts[-1] == len(rows)
        and (np.diff(starts) > 0).all()
    ):
        raise ValueError("the arrays have lengths that do not fit")
    if len(rows):
        ascending = np.diff(rows) > 0
        ascending[starts[1:-1] - 1] = True
        if not (
            ascending.all()
            and rows.min() >= 0
            and rows.max() < count
            and scores.min() > 0
            and np.isfinite(scores.max())
        ):
            raise ValueError("a row or a score is out of range")
    return LexicalIndex(vocabulary, scores, rows, starts, count)


class _Documents(list[list[int]]):
    """Term numbers of every record; whoever walks over them reports, and stops when asked to."""

    def __init__(self, work: Work) -> None:
        super().__init__()
        self._work = work

    def __iter__(self) -> Iterator[list[int]]:
        for place, document in enumerate(super().__iter__()):
            if place % _BLOCK == 0:
                self._work.stop_if_cancelled()
                self._work.progress("indexing words", place, len(self))
            yield document


class _NoNumba(MetaPathFinder):
    """Keeps one thread from importing numba, which bm25s would for a backend we do not use."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, fullname: str, *_unused: object) -> None:
        if fullname == "numba" and threading.get_ident() == self._thread:
            raise ImportError("the numpy backend is used")


def _import_bm25s() -> Any:
    """Import bm25s without numba, without what it does to its logger's level, and without tqdm.

    Even a progress bar that is switched off starts a thread which never ends.
    """
    with _import_lock:
        known = sys.modules.get("bm25s")
        if known is not None:
            return known
        os.environ.setdefault("DISABLE_TQDM", "1")
        logger = logging.getLogger("bm25s")
        level = logger.level
        finder = _NoNumba()
        sys.meta_path.insert(0, finder)
        try:
            import bm25s
        finally:
            sys.meta_path.remove(finder)
            logger.setLevel(level)
        return bm25s
