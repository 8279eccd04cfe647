"""Results that are kept while there is room: the oldest used goes first."""

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


class BoundedCache(Generic[K, V]):
    """A thread-safe cache of immutable results.

    Parameters
    ----------
    size_of : what a result takes up: bytes, or 1 where results are counted.
    most : beyond this, results go; the last `FEWEST_KEPT` stay however large they are.
    """

    def __init__(self, size_of: Callable[[V], int], most: int = CACHED_BYTES) -> None:
        self._size_of = size_of
        self._most = most
        self._size = 0
        self._results: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """Return the result that is kept under a key, or None."""
        with self._lock:
            if key in self._results:
                self._results.move_to_end(key)
            return self._results.get(key)

    def clear(self) -> None:
        """Forget all results."""
        with self._lock:
            self._results.clear()
            self._size = 0

    def put(self, key: K, result: V) -> None:
        """Keep a result, in place of one with the same key."""
        with self._lock:
            if key in self._results:
                self._size -= self._size_of(self._results.pop(key))
            self._results[key] = result
            self._size += self._size_of(result)
            while self._size > self._most and len(self._results) > FEWEST_KEPT:
                _, oldest = self._results.popitem(last=False)
                self._size -= self._size_of(oldest)
