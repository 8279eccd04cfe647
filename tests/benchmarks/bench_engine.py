"""The engine's rows of the speed table, as ratios against the bare libraries in the same run.

``python tests/benchmarks/bench_engine.py --wordnet DIR`` where DIR is what ``build_wordnet.py``
wrote. The first run embeds all of it, which takes minutes; ``--limit N`` uses the first N records.
"""

from __future__ import annotations

import argparse
import json
import operator
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.io.work import Work

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.embedding.embedder import ModelProvider, load_embedder
from core.errors import Cancelled
from core.index.candidates import MAX_DEPTH
from core.index.dense import dense_leg, exact_distances, search_ef
from core.index.lexical import sparse_leg
from core.index.tokens import query_tokens, record_tokens
from core.io.findings import Findings
from core.knowledge.base import KnowledgeBase, open_knowledge
from core.knowledge.columns import build_columns
from core.knowledge.filter import compile_filter
from core.knowledge.schema import Field, FieldType
from core.nodes import RetrievalMode
from core.retrieve.listing import select
from core.retrieve.search import KnowledgeSearch
from core.retrieve.select import Settings
from tests.benchmarks.timing import Row, in_turn, print_table, time_ms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

REPO = Path(__file__).resolve().parents[2]
QUESTIONS = (
    "small fish that lives in warm water",
    "a bird of prey",
    "who discovered the electron",
    "tool for cutting wood",
    "feeling of great happiness",
    "disease of the liver",
    "a city in the north of France",
    "to move slowly and quietly",
    "part of a ship",
    "money paid for work",
    "edible fruit of a tropical tree",
    "musical instrument with strings",
    "a person who writes poems",
    "very cold weather",
    "the act of stealing",
    "a large grey animal",
    "red wine from Italy",
    "chemical element used in lamps",
    "game played with a ball",
    "house where monks live",
)
FILTER = {
    "op": "and",
    "args": [
        {
            "op": "or",
            "args": [
                {"op": "in", "needle": {"value": "rare"}, "haystack": {"knowledge": "tags"}},
                {"op": "eq", "lhs": {"knowledge": "zone"}, "rhs": {"value": "harbour"}},
            ],
        },
        {"op": "not", "arg": {"op": "lt", "lhs": {"knowledge": "weight"}, "rhs": {"value": 0.25}}},
    ],
}
FIRST_RESULT = """
import sys, time
from core.knowledge.base import open_knowledge
from core.embedding.embedder import ModelProvider
from core.retrieve.search import KnowledgeSearch
found = KnowledgeSearch(open_knowledge(sys.argv[1]), ModelProvider()).search("fish", dense=False)
print(len(found.sparse.rows))
"""
MEMORY = """
import re, sys
from pathlib import Path
from core.knowledge.base import open_knowledge
from core.embedding.embedder import ModelProvider
from core.retrieve.search import KnowledgeSearch
search = KnowledgeSearch(open_knowledge(sys.argv[1]), ModelProvider())
for query in ("small fish", "a bird of prey"):
    search.search(query, dense=True)
search.prepare_index()
search.search("tool for cutting wood", dense=True)
status = Path("/proc/self/status").read_text()
print(*[int(re.search(name + r":\\s+(\\d+)", status)[1]) // 1024
        for name in ("VmRSS", "RssAnon", "RssFile", "VmHWM")])
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--wordnet", type=Path, required=True)
    arguments.add_argument("--limit", type=int, default=0)
    arguments.add_argument("--embed", type=int, default=800, help="texts of the embedding rows")
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--million", action="store_true", help="also a store of 1M records")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = limited(options.wordnet / "wordnet.json", options.limit, Path(scratch))
        knowledge = open_knowledge(path)
        search = KnowledgeSearch(knowledge, ModelProvider())
        search.prepare_sparse(Work(progress=shown))
        search.prepare_index(Work(progress=shown))
        print(f"\n{len(knowledge)} records; goals are ratios, times are milliseconds (medians)\n")
        rows = [
            *query_rows(search, options.rounds),
            filter_row(),
            first_result_row(path, options.rounds),
            *embedding_rows(knowledge, options.embed, options.rounds),
        ]
        if options.million:
            rows.extend(million_rows(knowledge))
        print_table(
            [row.cells() for row in rows], ("what", "ours", "peer", "peer ms", "ratio", "goal")
        )
        print()
        for line in (
            edit_line(path, Path(scratch)),
            resume_line(knowledge, Path(scratch)),
            memory_line(path),
        ):
            print(line)


def shown(what: str, done: int, total: int) -> None:
    print(f"\r{what} {done}/{total}   ", end="", file=sys.stderr, flush=True)


def limited(path: Path, limit: int, scratch: Path) -> Path:
    """The knowledge itself, or a copy of its first `limit` records."""
    if not limit:
        return path
    config = json.loads(path.read_bytes())
    records = json.loads((path.parent / config["records_file"]).read_bytes())[:limit]
    (scratch / config["records_file"]).write_text(json.dumps(records), encoding="utf-8")
    (scratch / path.name).write_text(json.dumps(config), encoding="utf-8")
    return scratch / path.name


def query_rows(search: KnowledgeSearch, rounds: int) -> Iterator[Row]:
    import bm25s
    from rank_bm25 import BM25Okapi

    records, index, lexical = search._vectors, search._index, search._lexical
    embedder = search._models.get(search._model_name)
    vectors = [embedder.embed_query(question) for question in QUESTIONS]
    texts, count = search.knowledge.texts, len(search.knowledge)
    found = [search.search(question, dense=True) for question in QUESTIONS]

    for mode in RetrievalMode:
        times = [
            time_ms(partial(select, candidates, settings))
            for candidates in found
            for settings in many_settings(mode)
        ]
        yield Row(f"select, {mode.name}, any setting", statistics.median(times), goal="<= 1 ms")

    depth = min(MAX_DEPTH, count)
    native: Any = getattr(index, "_index")  # noqa: B009

    def raw_hnsw(vector: NDArray[np.float32]) -> None:
        native.set_ef(search_ef(depth))
        native.knn_query(vector[np.newaxis], k=depth, num_threads=1)

    ours, peer = in_turn(
        (partial(dense_leg, records, v, None, index), partial(raw_hnsw, v))
        for v in vectors * rounds
    )
    yield Row(f"Dense search, top {depth}", ours, f"hnswlib, ef {search_ef(depth)}", peer, "<= 1.5")
    ours, peer = in_turn(
        (partial(exact_distances, records, v), partial(operator.matmul, records.vectors, v))
        for v in vectors * rounds
    )
    yield Row("exact distances of all records", ours, "vectors @ query", peer, "<= 1.3")

    tokens = [record_tokens(text) for text in texts]
    raw = bm25s.BM25(k1=1.2, b=0.75, method="lucene", backend="numpy")
    raw.index(tokens, show_progress=False)
    asked = [query_tokens(question) for question in QUESTIONS]
    ours, peer = in_turn(
        (
            partial(sparse_leg, lexical, q),
            partial(raw.retrieve, [t], k=depth, show_progress=False),
        )
        for q, t in list(zip(QUESTIONS, asked, strict=True)) * rounds
    )
    yield Row("Lexical search, all hits ranked", ours, f"bm25s, top {depth}", peer, "<= 1.5")
    slow = BM25Okapi(tokens, k1=1.2, b=0.75)

    def ranked(query: list[str]) -> NDArray[np.intp]:
        return np.argsort(-slow.get_scores(query))

    ours, peer = in_turn(
        (partial(sparse_leg, lexical, q), partial(ranked, t))
        for q, t in zip(QUESTIONS[:6], asked, strict=False)
    )
    yield Row("Lexical search, all hits ranked", ours, "rank-bm25", peer, "<= 0.05")


def many_settings(mode: RetrievalMode) -> list[Settings]:
    return [
        Settings(mode, top_k, threshold, rrf_k)
        for top_k in (1, 3, 50, 1000)
        for threshold in (0.0, 0.4, 0.7, 2.0)
        for rrf_k in (1, 60)
    ]


def filter_row() -> Row:
    """A filter of 6 nodes over a million records, against one pass over one column."""
    fields = [
        Field("zone", FieldType.STRING, default=""),
        Field("tags", FieldType.SET, default=()),
        Field("weight", FieldType.FLOAT, default=None, optional=True),
    ]
    draw = random.Random(7)
    zones, tags = ["harbour", "reef", "cave", "town"], ["rare", "small", "old", "new"]
    kinds = [
        {
            "zone": draw.choice(zones),
            "tags": draw.sample(tags, draw.randrange(3)),
            **({"weight": draw.random()} if draw.random() < 0.8 else {}),
        }
        for _ in range(5000)
    ]
    columns = build_columns(fields, kinds * 200, Findings(8003))  # type: ignore[arg-type]
    compiled = compile_filter(json.dumps(FILTER), {field.name: field for field in fields})
    assert compiled is not None
    assert compiled.node_count == 6
    weights: NDArray[Any] = columns["weight"].values
    ours, peer = in_turn(
        (lambda: compiled.mask(columns, 1_000_000), lambda: weights < 0.25) for _ in range(25)
    )
    return Row("filter of 6 nodes, 1M records", ours, "one numpy comparison", peer, "<= 20 ms")


def first_result_row(path: Path, rounds: int) -> Row:
    """A fresh process up to its first Lexical result, against one that only parses the JSON."""
    records = path.parent / json.loads(path.read_bytes())["records_file"]
    parse = "import sys, pathlib, orjson; orjson.loads(pathlib.Path(sys.argv[1]).read_bytes())"
    ours, peer = in_turn(
        (lambda: run_python(FIRST_RESULT, path), lambda: run_python(parse, records))
        for _ in range(rounds)
    )
    return Row(
        "process start to first Lexical result", ours, "python and orjson", peer, "<= 1500 ms"
    )


def run_python(code: str, *arguments: Path) -> str:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        check=True,
        cwd=REPO,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ,
    ).stdout


def embedding_rows(knowledge: KnowledgeBase, count: int, rounds: int) -> Iterator[Row]:
    embedder = load_embedder(knowledge.config.embedding_model)
    library = embedder._model
    texts = list(knowledge.texts[:: max(1, len(knowledge) // count)][:count])

    def in_file_order() -> None:
        for start in range(0, len(texts), 32):
            library.encode(texts[start : start + 32], show_progress_bar=False)

    ours, peer = in_turn((lambda: embedder.embed(texts), in_file_order) for _ in range(rounds))
    yield Row(
        f"embedding {len(texts)} texts", ours, "encode, 32 at a time in file order", peer, "<= 0.83"
    )
    ours, peer = in_turn(
        (lambda: embedder.embed(texts), lambda: library.encode(texts, show_progress_bar=False))
        for _ in range(rounds)
    )
    yield Row(f"embedding {len(texts)} texts", ours, "encode, all at once", peer, "<= 0.83")


def million_rows(knowledge: KnowledgeBase) -> Iterator[Row]:
    """A store of a million records, vectors made up: what a query and a setting cost."""
    from core.embedding.vectors import RecordVectors
    from core.index.lexical import build_lexical_index

    count = 1_000_000
    texts = [
        f"{text} {row}"
        for row, text in zip(
            range(count), (list(knowledge.texts) * (count // len(knowledge) + 1)), strict=False
        )
    ]
    started = time.perf_counter()
    lexical = build_lexical_index(texts)
    yield Row("1M records: BM25 index built", 1000 * (time.perf_counter() - started))
    draw = np.random.default_rng(3)
    vectors = draw.standard_normal((count, 384), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    records = RecordVectors(vectors, np.empty(0, np.int64), 0)
    ours, peer = in_turn(
        (lambda: dense_leg(records, vectors[7]), lambda: vectors @ vectors[7]) for _ in range(7)
    )
    yield Row("1M records: exact Dense search, all ranked", ours, "vectors @ query", peer)
    yield Row(
        "1M records: Lexical search",
        statistics.median(time_ms(partial(sparse_leg, lexical, q)) for q in QUESTIONS),
    )


class Counting:
    """The real embedder, counting the texts that it is given."""

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        self.identity, self.dimension = embedder.identity, embedder.dimension
        self.max_tokens = embedder.max_tokens
        self.count = 0

    def embed(self, texts: Sequence[str], *rest: Any) -> Any:
        self.count += len(texts)
        return self._embedder.embed(texts, *rest)

    def embed_query(self, text: str) -> Any:
        return self._embedder.embed_query(text)


def edit_line(path: Path, scratch: Path) -> str:
    """Edit one record of a copy, and count what is embedded."""
    folder = scratch / "edited"
    folder.mkdir()
    config = json.loads(path.read_bytes())
    records = json.loads((path.parent / config["records_file"]).read_bytes())
    records[len(records) // 2]["text"] += " Edited."
    (folder / config["records_file"]).write_text(json.dumps(records), encoding="utf-8")
    shutil.copy(path, folder / path.name)
    shutil.copy(path.with_name(path.name + ".vectors"), folder)
    counting = Counting(load_embedder(config["embedding_model"]))
    search = KnowledgeSearch(open_knowledge(folder / path.name), ModelProvider(lambda _: counting))
    started = time.perf_counter()
    search.search("fish", dense=True)
    seconds = time.perf_counter() - started
    shutil.rmtree(folder)
    return (
        f"one record of {len(records)} edited: {counting.count} embedded again, first Dense "
        f"result after {seconds:.1f} s (goal: 1)"
    )


def resume_line(knowledge: KnowledgeBase, scratch: Path) -> str:
    """Stop an embedding half-way, start it again, and count."""
    folder = scratch / "stopped"
    folder.mkdir()
    texts = sorted(set(knowledge.texts))[:1200]
    records = [{"id": str(row), "text": text} for row, text in enumerate(texts)]
    (folder / "k.kb.json").write_text(json.dumps(records), encoding="utf-8")
    counting = Counting(load_embedder(knowledge.config.embedding_model))
    opened = open_knowledge(folder / "k.kb.json")
    half = len(texts) // 2
    try:
        KnowledgeSearch(opened, ModelProvider(lambda _: counting)).prepare_dense(
            work=Work(is_cancelled=lambda: counting.count >= half)
        )
    except Cancelled:
        first = counting.count
    KnowledgeSearch(opened, ModelProvider(lambda _: counting)).prepare_dense()
    return (
        f"embedding of {len(texts)} texts stopped after {first}: {counting.count - first} were "
        f"embedded by the second run, {counting.count} in all (goal: {len(texts)})"
    )


def memory_line(path: Path) -> str:
    total, own, mapped, peak = map(int, run_python(MEMORY, path).split())
    return (
        f"memory with the model and all indexes loaded: {total} MB resident, of which {own} MB "
        f"its own and {mapped} MB mapped files; peak {peak} MB (goal: 1300)"
    )


if __name__ == "__main__":
    main()
