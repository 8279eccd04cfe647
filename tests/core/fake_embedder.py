"""An embedder without a model: vectors made of a text's hash, and a count of what it was asked."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


class FakeEmbedder:
    """Counts the texts that it embeds; a text without letters gets a vector of length 0."""

    def __init__(self, identity: str = "fake", dimension: int = 8) -> None:
        self.identity = identity
        self.dimension = dimension
        self.max_tokens = 0
        self.embedded: list[str] = []
        self.queries: list[str] = []

    def embed(self, texts: Sequence[str], work: Work = QUIETLY) -> NDArray[np.float32]:
        self.embedded.extend(texts)
        return np.array([self.vector(text) for text in texts], dtype=np.float32).reshape(
            len(texts), self.dimension
        )

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.queries.append(text)
        return self.vector(text)

    def vector(self, text: str) -> NDArray[np.float32]:
        if not any(character.isalpha() for character in text):
            return np.zeros(self.dimension, dtype=np.float32)
        seed = hashlib.sha256((self.identity + text).encode("utf-8", "surrogatepass")).digest()
        vector = np.random.default_rng(list(seed)).standard_normal(self.dimension)
        return (vector / np.linalg.norm(vector)).astype(np.float32)
