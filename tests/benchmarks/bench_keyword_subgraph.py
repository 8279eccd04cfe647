"""Keyword retrieval against a plain loop, and graph-aware retrieval on WordNet.

Run from the repository's top folder: ``python -m tests.benchmarks.bench_keyword_subgraph
[GRAPH.kg.json]``. Without a graph file only the keyword part runs.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.keyword.index import index_of, tokens
from core.keyword.preview import preview
from core.keyword.retriever import KeywordRetriever
from core.keyword.scoring import KeywordWeights
from core.knowledge.corpus import Corpus, CorpusEntry
from core.subgraph.depths import ExpansionDepth
from core.subgraph.expand import SubgraphResult
from core.subgraph.graph_file import load_knowledge_graph
from core.subgraph.request import Scope, SubgraphRequest
from core.subgraph.search import SubgraphSearch

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRIES = 10_000
ROUNDS = 5
FOLDERS = ("concepts", "tasks", "references", "tips", "faqs", "errors")


def made_up_corpus(count: int) -> Corpus:
    """A corpus whose words are as unevenly frequent as those of a language (Zipf's law)."""
    dice = random.Random(7)
    words = [
        f"{a}{b}{c}"
        for a in ("lan", "fer", "gla", "mar", "tol", "wex", "hol", "bri")
        for b in ("ter", "ry", "ss", "ket", "lo", "na", "mi", "do", "ga", "pe")
        for c in ("n", "ing", "s", "ed", "", "ation", "er", "ly", "mat", "dor")
    ]
    weights = [1 / (rank + 1) for rank in range(len(words))]

    def text(length: int) -> str:
        return " ".join(dice.choices(words, weights, k=length))

    return Corpus(
        CorpusEntry(
            f"{dice.choice(FOLDERS)}/{text(3).replace(' ', '-')}-{number}.md",
            text(150),
            summary=text(12),
            aliases=(text(2), text(2)),
        )
        for number in range(count)
    )


class PlainLoop:
    """The peer: the rule as it is written, entry by entry, each entry's tokens made once."""

    def __init__(self, corpus: Corpus, *, keep_tokens: bool) -> None:
        self.corpus = corpus
        self.kept = [self.fields(entry) for entry in corpus.entries()] if keep_tokens else None

    @staticmethod
    def fields(entry: CorpusEntry) -> tuple[set[str], ...]:
        return (
            tokens(entry.path),
            tokens(entry.summary),
            tokens(" ".join(entry.aliases)),
            tokens(preview(entry.content, 500)),
        )

    def retrieve(self, query: str, k: int) -> list[tuple[float, str]]:
        wanted, weights, scored = tokens(query), KeywordWeights(), []
        for number, entry in enumerate(self.corpus.entries()):
            path, summary, aliases, content = (
                len(wanted & field)
                for field in (self.kept[number] if self.kept else self.fields(entry))
            )
            base = 2 * min(path, 3) + 1.5 * summary + 2 * (aliases if aliases >= 2 else 0) + content
            score = base * weights.category(entry.category)
            if score >= 2:
                scored.append((-score, entry.path))
        return [(-score, path) for score, path in sorted(scored)[:k]]


def milliseconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def bench_keyword() -> None:
    corpus = made_up_corpus(ENTRIES)
    start = time.perf_counter()
    index_of(corpus, 500)
    print(f"keyword: {ENTRIES} entries indexed in {time.perf_counter() - start:.2f} s")
    retriever = KeywordRetriever()
    kept, bare = PlainLoop(corpus, keep_tokens=True), PlainLoop(corpus, keep_tokens=False)
    queries = {
        "rare word": "bridodor",
        "two words": "lanterning of markets",
        "a sentence": "how do I find the glasses and ferries of wexlo in a lantern",
    }
    print(
        f"{'query':<12}{'index ms':>10}{'loop ms':>10}{'ratio':>8}{'loop that tokenises ms':>25}"
        f"{'ratio':>8}"
    )
    for name, query in queries.items():
        hits = [(hit.score, hit.entry.path) for hit in retriever.retrieve(query, corpus)]
        if hits != kept.retrieve(query, 5):
            raise SystemExit(f"the two disagree on {query!r}")
        ours = milliseconds(partial(retriever.retrieve, query, corpus), 20)
        loop = milliseconds(partial(kept.retrieve, query, 5))
        slow = milliseconds(partial(bare.retrieve, query, 5), 1)
        print(
            f"{name:<12}{ours:>10.2f}{loop:>10.1f}{loop / ours:>7.0f}×{slow:>25.0f}"
            f"{slow / ours:>7.0f}×"
        )


def bench_subgraph(path: Path) -> None:
    """Times on a large graph; the goal is a deep search within 200 ms once it is loaded."""
    start = time.perf_counter()
    graph = load_knowledge_graph(path)
    loaded = time.perf_counter()
    search = SubgraphSearch(graph)
    indexed = time.perf_counter()
    print(
        f"graph: {len(graph)} nodes, {len(graph.connections)} connections loaded in "
        f"{loaded - start:.2f} s, indexed in {indexed - loaded:.2f} s"
    )
    first = graph.nodes[0].id
    scopes = {
        "no scope": Scope(),
        "below the root": Scope(root_node_id=first),
        "by tag": Scope(tag_filters={"kind": "class"}),
        "by directory": Scope(directory_prefix="noun/"),
    }
    print(
        f"{'query':<26}{'scope':<16}{'depth':<10}{'nodes':>6}{'links':>7}{'first ms':>10}"
        f"{'median ms':>11}{'expand ms':>11}"
    )
    for query in ("dog", "a large city in europe", "the act of doing something"):
        for name, scope in scopes.items():
            for depth in ExpansionDepth:
                if name != "no scope" and depth is not ExpansionDepth.DEEP:
                    continue
                request = SubgraphRequest(query, 50, depth, scope)
                show_subgraph(search, request, name)


def show_subgraph(search: SubgraphSearch, request: SubgraphRequest, scope: str) -> None:
    def work() -> dict[str, object]:
        return SubgraphResult.of(search.candidates(request.query), request).response()

    first = milliseconds(work, 1)
    result = SubgraphResult.of(search.candidates(request.query), request)
    again = milliseconds(work)
    walk = milliseconds(lambda: SubgraphResult(result.entry_points, request.expansion_depth))
    print(
        f"{request.query:<26}{scope:<16}{request.expansion_depth:<10}"
        f"{len(result.expansion.nodes):>6}{len(result.expansion.lines):>7}{first:>10.1f}"
        f"{again:>11.1f}{walk:>11.1f}"
    )


def main() -> None:
    bench_keyword()
    if len(sys.argv) > 1:
        bench_subgraph(Path(sys.argv[1]))


if __name__ == "__main__":
    main()
