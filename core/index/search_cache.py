"""Results of searches, kept while there is room: the oldest used goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")

CACHED_BYTES = 256 * 1024 * 1024
FEWEST_KEPT = 2


class SearchNeeded(LookupError):
    """Only what is cached was asked for, and this search has not been made yet."""


class SearchCache(Generic[K, V]):
    """A thread-safe cache of immutable results.

    Parameters
    ----------
    size_of : the bytes that a result takes up.
    most_bytes : beyond this, results go; the last `FEWEST_KEPT` stay however large they are.
    """

    def __init__(self, size_of: Callable[[V], int], most_bytes: int = CACHED_BYTES) -> None:
        self._size_of = size_of
        self._most_bytes = most_bytes
        self._results: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the result that is kept under a key, or None."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def put(self, key: K, result: V) -> None:
        """Keep a result, in place of one with the same key."""
        with self._lock:
            self._results[key] = result
            self._results.move_to_end(key)
            size = sum(map(self._size_of, self._results.values()))
            while size > self._most_bytes and len(self._results) > FEWEST_KEPT:
                _, oldest = self._results.popitem(last=False)
                size -= self._size_of(oldest)
