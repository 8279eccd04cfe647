"""Embedders without a model for tests of the window: quick, the same every time, and holdable."""

from __future__ import annotations

import hashlib
import re
import threading
from typing import TYPE_CHECKING

import numpy as np

from core.errors import Cancelled
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

WAIT_S = 20.0
_WORD = re.compile(r"\w+")


class WordEmbedder:
    """Sums up a vector for each word, so that texts which share words are close."""

    identity = "words"
    dimension = 48
    max_tokens = 256

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.queries: list[str] = []
        self.closed = False
        self._words: dict[str, NDArray[np.float32]] = {}

    def embed(self, texts: Sequence[str], work: Work = QUIETLY) -> NDArray[np.float32]:
        self.embedded.extend(texts)
        return np.stack([self.vector(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        self.queries.append(text)
        return self.vector(text)

    def close(self) -> None:
        self.closed = True

    def vector(self, text: str) -> NDArray[np.float32]:
        words = _WORD.findall(text.casefold()) or [text]
        total = np.sum([self._word(word) for word in words], axis=0)
        return (total / np.linalg.norm(total)).astype(np.float32)

    def _word(self, word: str) -> NDArray[np.float32]:
        known = self._words.get(word)
        if known is None:
            seed = hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest()[:8]
            random = np.random.default_rng(list(seed))
            known = self._words[word] = random.standard_normal(self.dimension).astype(np.float32)
        return known


class HeldEmbedder(WordEmbedder):
    """Stops before each block of records, and before the queries in `held`, until it is let on.

    Like the embedding process, it gives up what it does when it is closed.
    """

    def __init__(self, held: Sequence[str] = (), *, hold_records: bool = False) -> None:
        super().__init__()
        self.asked = threading.Event()
        self.block_begun = threading.Event()
        self._queries = {text: threading.Event() for text in held}
        self._blocks = threading.Semaphore(0 if hold_records else 1_000_000)

    def embed(self, texts: Sequence[str], work: Work = QUIETLY) -> NDArray[np.float32]:
        self.block_begun.set()
        if not self._blocks.acquire(timeout=WAIT_S):
            raise TimeoutError("nobody let the block on")
        if self.closed:
            raise Cancelled
        return super().embed(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        gate = self._queries.get(text)
        self.asked.set()
        if gate is not None and not gate.wait(WAIT_S):
            raise TimeoutError("nobody let the query on")
        return super().embed_query(text)

    def let_query(self, text: str) -> None:
        """Let a held query on."""
        self._queries[text].set()

    def let_blocks(self, count: int = 1000) -> None:
        """Let so many blocks of records on."""
        self._blocks.release(count)

    def close(self) -> None:
        super().close()
        self.let_blocks()
        for gate in self._queries.values():
            gate.set()
