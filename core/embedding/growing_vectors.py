"""Vectors of records that keep coming: each text is embedded once, wherever it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.embedding.vectors import RecordVectors, text_keys
from core.io.cache import BoundedCache
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from core.embedding.embedder import Embedder

REMEMBERED_TEXTS = 100_000
"""Texts whose vectors are remembered: 150 MB for a model of 384 dimensions."""

_FEWEST_ROWS = 256


class TextVectors:
    """Remembers the vectors of texts, by model and the text's hash. Thread-safe.

    Parameters
    ----------
    most : how many are remembered; the one that was not asked for longest goes first.
    """

    def __init__(self, most: int = REMEMBERED_TEXTS) -> None:
        self._known: BoundedCache[tuple[str, bytes], NDArray[np.float32]] = BoundedCache(
            lambda _vector: 1, most
        )

    def remembering(self, embedder: Embedder) -> Embedder:
        """Return the model as an embedder that embeds only what is not known."""
        return _Remembering(embedder, self)

    def get(self, identity: str, key: bytes) -> NDArray[np.float32] | None:
        """Return the vector of a text for a model, or None."""
        return self._known.get((identity, key))

    def put(self, identity: str, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Remember the vectors of texts."""
        for key, vector in zip(keys, vectors, strict=True):
            # A copy, so that one row does not keep the whole block.
            kept = vector.copy()
            kept.setflags(write=False)
            self._known.put((identity, key), kept)


class _Remembering:
    """An `Embedder` that asks another one for new texts only.

    A query is remembered apart from a record of the same text: a model may embed it otherwise.
    """

    def __init__(self, embedder: Embedder, vectors: TextVectors) -> None:
        self.identity = embedder.identity
        self.dimension = embedder.dimension
        self.max_tokens = embedder.max_tokens
        self._embedder = embedder
        self._vectors = vectors

    def embed(self, texts: Sequence[str], work: Work = QUIETLY) -> NDArray[np.float32]:
        found = np.empty((len(texts), self.dimension), dtype=np.float32)
        keys = text_keys(texts)
        missing: dict[bytes, list[int]] = {}
        for row, key in enumerate(keys):
            known = self._vectors.get(self.identity, key)
            if known is None:
                missing.setdefault(key, []).append(row)
            else:
                found[row] = known
        if missing:
            made = self._embedder.embed([texts[rows[0]] for rows in missing.values()], work)
            self._vectors.put(self.identity, list(missing), made)
            for rows, vector in zip(missing.values(), made, strict=True):
                found[rows] = vector
        return found

    def embed_query(self, text: str) -> NDArray[np.float32]:
        identity, (key,) = f"query {self.identity}", text_keys([text])
        known = self._vectors.get(identity, key)
        if known is None:
            known = self._embedder.embed_query(text)
            self._vectors.put(identity, [key], known[np.newaxis])
        return known


class GrowingVectors:
    """The vectors of n records in one array, with room for more. Not thread-safe."""

    def __init__(self, dimension: int) -> None:
        self._rows = np.empty((_FEWEST_ROWS, dimension), dtype=np.float32)
        self._zero: list[int] = []
        self.count = 0

    def extend(self, more: RecordVectors) -> None:
        """Add the vectors of further records."""
        needed = self.count + len(more.vectors)
        if needed > len(self._rows):
            rows = np.empty((max(needed, 2 * len(self._rows)), self._rows.shape[1]), np.float32)
            rows[: self.count] = self._rows[: self.count]
            self._rows = rows
        self._rows[self.count : needed] = more.vectors
        self._zero += (more.zero + self.count).tolist()
        self.count = needed

    def cut(self, count: int) -> None:
        """Keep the first `count` records only."""
        self.count = min(self.count, count)
        self._zero = [row for row in self._zero if row < count]

    @property
    def records(self) -> RecordVectors:
        """The vectors as a search takes them; good until the next change."""
        vectors = self._rows[: self.count]
        vectors.setflags(write=False)
        return RecordVectors(vectors, np.array(self._zero, dtype=np.int64), 0)
