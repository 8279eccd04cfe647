"""What one more record costs: a memory store is appended to and searched, against a rebuild.

``python tests/benchmarks/bench_memory.py [--records N] [--turns N]``. Embeddings are made up, since
embedding a text takes what the model takes: the rows are append → candidates without it.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.embedding.embedder import ModelProvider
from core.embedding.growing_vectors import TextVectors
from core.io.work import QUIETLY, Work
from core.knowledge.memory import MemoryStore
from core.knowledge.schema import Field, FieldType
from core.retrieve.memory_search import MemorySearch
from tests.benchmarks.timing import Row, in_turn, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

FIELDS = (
    Field("day", FieldType.INT, 0),
    Field("who", FieldType.STRING, None, True),
    Field("tags", FieldType.SET, ()),
)
FILTER = (
    '{"op": "and", "args": [{"op": "ge", "lhs": {"knowledge": "day"}, "rhs": {"value": 50}},'
    ' {"op": "in", "needle": {"value": "quest"}, "haystack": {"knowledge": "tags"}}]}'
)
GOAL = "< 50 ms"


class MadeUpEmbedder:
    """Makes a unit vector of a text's hash."""

    identity, dimension, max_tokens = "made up", 384, 0

    def embed(self, texts: Sequence[str], work: Work = QUIETLY) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        vector = np.random.default_rng(seed).standard_normal(self.dimension).astype(np.float32)
        return vector / np.float32(np.linalg.norm(vector))


def record(number: int, random_words: random.Random) -> dict[str, Any]:
    words = [f"word{int(random_words.paretovariate(0.7)) % 5000}" for _ in range(20)]
    tags = random_words.sample(["quest", "gift", "threat", "rumour"], 2)
    return {
        "id": f"memory-{number}",
        "text": " ".join(words),
        "metadata": {"day": number % 100, "who": f"npc {number % 300}", "tags": tags},
    }


def measure(
    records: int, turns: int, *, dense: bool = False, filter_text: str = "", schema: str = "note"
) -> tuple[float, float]:
    """Median ms of append → next candidates, and of reading and indexing all records anew.

    What the rebuild embeds is remembered, so that neither side waits for the model.
    """
    random_words = random.Random(1)
    store = MemoryStore(
        "diary",
        schema,
        records=tuple(record(number + 1, random_words) for number in range(records)),
    )
    models, vectors = ModelProvider(lambda _: MadeUpEmbedder()), TextVectors()
    fields = FIELDS if schema == "note" else None
    growing = MemorySearch(models, vectors, Path())
    growing.search(store, fields, "word1", filter_text, dense=dense)

    def grow() -> None:
        nonlocal store
        number = len(store.records) + 1
        store = store.append(record(number, random_words))
        growing.search(store, fields, f"word1 word2 word{number}", filter_text, dense=dense)

    def rebuild() -> None:
        fresh = MemorySearch(models, vectors, Path())
        fresh.search(store, fields, "word1 word2 word3", filter_text, dense=dense)

    return in_turn([(grow, rebuild)] * turns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=20)
    arguments = parser.parse_args()
    cases: dict[str, dict[str, Any]] = {
        "Lexical": {},
        "Lexical, filter": {"filter_text": FILTER},
        "Lexical, filter, Unregistered": {"filter_text": FILTER, "schema": ""},
        "Dense and Lexical": {"dense": True},
        "Dense and Lexical, filter": {"dense": True, "filter_text": FILTER},
    }
    rows = []
    for what, options in cases.items():
        ours, peer = measure(arguments.records, arguments.turns, **options)
        rows.append(Row(what, ours, "rebuild", peer, GOAL).cells())
    print_table(rows, ("append → candidates", "ms", "peer", "ms", "ratio", "goal"))


if __name__ == "__main__":
    main()
