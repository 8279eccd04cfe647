"""How the keyword retriever reads text: tokens and stems, and the inverted index over them."""

from __future__ import annotations

import re
import string
import threading
import weakref
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from core.keyword.preview import preview
from core.knowledge.corpus import Corpus, CorpusEntry, CorpusProtocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from core.index.leg_query import WrittenToken


FIELDS = ("path", "summary", "aliases", "content", "related")
"""The fields of an entry that are scored, in the order of `match_reason`."""

STOP_WORDS = frozenset(
    {
        "a",
        "an",
        "the",
        "how",
        "do",
        "does",
        "i",
        "to",
        "with",
        "for",
        "is",
        "are",
        "of",
        "in",
        "on",
        "at",
        "and",
        "or",
        "but",
        "can",
        "should",
        "would",
        "will",
        "be",
        "been",
        "by",
        "my",
        "me",
        "we",
        "it",
        "this",
        "that",
        "these",
        "those",
    }
)

SUFFIXES = (
    "ations",
    "ation",
    "ators",
    "ator",
    "ates",
    "ate",
    "ings",
    "ing",
    "ions",
    "ion",
    "ities",
    "ity",
    "ies",
    "ers",
    "ed",
    "er",
    "es",
    "s",
)
"""Suffixes that a stem loses; the first that fits is cut, so the order is part of the rule."""

MIN_STEM_CHARS = 3

_PUNCTUATION = str.maketrans(dict.fromkeys(string.punctuation, " "))
_WORD = re.compile(rf"[^\s{re.escape(string.punctuation)}]+")


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """Return `word` without its first fitting suffix, when at least 3 characters are left."""
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= MIN_STEM_CHARS:
            return word[: -len(suffix)]
    return word


def tokens(text: str) -> set[str]:
    """Return the stems of a text.

    Lower case; each ASCII punctuation sign is a space; split on white space; stop words are
    dropped; what is left is stemmed.
    """
    words = text.lower().translate(_PUNCTUATION).split()
    return {stem(word) for word in words if word not in STOP_WORDS}


def query_parts(text: str) -> Iterator[WrittenToken]:
    """Return the words of a query with their stems; stop words have none."""
    for found in _WORD.finditer(text):
        word = found.group().lower()
        is_dropped = word in STOP_WORDS
        yield "" if is_dropped else stem(word), "stop word" if is_dropped else "", *found.span()


def matched_spans(text: str, stems: Iterable[str]) -> list[tuple[int, int]]:
    """Return start and end of every word of `text` whose stem is one of `stems`, in order."""
    wanted = frozenset(stems)
    return [found.span() for found in _WORD.finditer(text) if tokens(found.group()) & wanted]


class KeywordIndex:
    """For each field and stem, the entries that have it. Immutable once built.

    Rows number the entries in the order of their paths, which is the order of ties.
    `preview_chars` characters of each content count. `category_codes` int64 (n,) are places in
    `category_names`.

    Parameters
    ----------
    corpus : what is indexed.
    preview_chars : how many characters of the content count.
    """

    def __init__(self, corpus: CorpusProtocol, preview_chars: int) -> None:
        self.entries: tuple[CorpusEntry, ...] = tuple(
            sorted(corpus.entries(), key=lambda entry: entry.path)
        )
        self.preview_chars = preview_chars
        self.category_names = tuple(sorted({entry.category for entry in self.entries}))
        number = {name: code for code, name in enumerate(self.category_names)}
        self.category_codes: NDArray[np.int64] = np.array(
            [number[entry.category] for entry in self.entries], dtype=np.int64
        )
        self._stems: dict[str, int] = {}
        fields = zip(
            *(self._field_tokens(entry, corpus, preview_chars) for entry in self.entries),
            strict=True,
        )
        columns = list(fields) or [()] * len(FIELDS)
        self._postings = [self._invert(column) for column in columns]

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self.entries)

    @property
    def vocabulary(self) -> Mapping[str, int]:
        """The stems that the entries have."""
        return self._stems

    def row_of(self, path: str) -> int:
        """Return the row of the entry with this path, or −1."""
        row = bisect_left(self.entries, path, key=lambda entry: entry.path)
        return row if row < len(self.entries) and self.entries[row].path == path else -1

    @staticmethod
    def _field_tokens(
        entry: CorpusEntry, corpus: CorpusProtocol, preview_chars: int
    ) -> tuple[set[str], ...]:
        related: set[str] = set()
        for path in entry.related:
            other = corpus.get(path)
            if other is not None:
                related |= tokens(other.summary)
        return (
            tokens(entry.path),
            tokens(entry.summary),
            tokens(" ".join(entry.aliases)),
            tokens(preview(entry.content, preview_chars)),
            related,
        )

    def _invert(self, column: Iterable[set[str]]) -> dict[int, NDArray[np.int64]]:
        """Return stem number → rows, ascending, of one field."""
        stems: list[int] = []
        rows: list[int] = []
        for row, found in enumerate(column):
            for word in found:
                stems.append(self._stems.setdefault(word, len(self._stems)))
                rows.append(row)
        stem_array = np.array(stems, dtype=np.int64)
        order = np.argsort(stem_array, kind="stable")
        sorted_rows = np.array(rows, dtype=np.int64)[order]
        known, starts = np.unique(stem_array[order], return_index=True)
        parts = np.split(sorted_rows, starts[1:]) if len(known) else []
        return dict(zip(known.tolist(), parts, strict=True))

    def _known(self, stems: Iterable[str]) -> Iterator[int]:
        for word in stems:
            number = self._stems.get(word)
            if number is not None:
                yield number

    def overlaps(self, stems: Iterable[str]) -> NDArray[np.int32]:
        """Return how many of the distinct `stems` each field of each entry has.

        Returns
        -------
        int32 (entries, fields), the columns in the order of `FIELDS`.
        """
        numbers = list(self._known(stems))
        counts = np.zeros((len(FIELDS), len(self.entries)), dtype=np.int32)
        for column, postings in zip(counts, self._postings, strict=True):
            for number in numbers:
                rows = postings.get(number)
                if rows is not None:
                    column[rows] += 1
        return counts.T

    def matched(self, row: int, stems: Iterable[str]) -> tuple[tuple[str, ...], ...]:
        """Return which of `stems` each field of one entry has, in the order of `FIELDS`."""
        return tuple(
            tuple(word for word in stems if self._has(postings, word, row))
            for postings in self._postings
        )

    def _has(self, postings: dict[int, NDArray[np.int64]], word: str, row: int) -> bool:
        rows = postings.get(self._stems.get(word, -1))
        if rows is None:
            return False
        place = int(np.searchsorted(rows, row))
        return place < len(rows) and int(rows[place]) == row


_kept: weakref.WeakKeyDictionary[Corpus, dict[int, KeywordIndex]] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def index_of(corpus: CorpusProtocol, preview_chars: int) -> KeywordIndex:
    """Return the index of a corpus: made once for a `Corpus`, anew for any other object.

    Only a `Corpus` is known never to change.
    """
    if not isinstance(corpus, Corpus):
        return KeywordIndex(corpus, preview_chars)
    with _lock:
        known = _kept.setdefault(corpus, {})
        index = known.get(preview_chars)
    if index is None:
        index = KeywordIndex(corpus, preview_chars)
        with _lock:
            # Two threads may have built it; all of them go on with the first one kept.
            index = known.setdefault(preview_chars, index)
    return index
