"""Retrieval quality on labelled collections, beside published figures.

``python tests/benchmarks/bench_quality.py --data DIR`` where DIR holds ``scifact``, ``nfcorpus``
and ``cranfield``, each with ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.tsv``, and
``published.json``. ``--work DIR`` keeps the embeddings, so that a second run takes seconds.
"""

from __future__ import annotations

import argparse
import csv
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import ir_measures
from ir_measures import R, nDCG

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.embedding.embedder import ModelProvider
from core.io.work import Work
from core.knowledge.base import open_knowledge
from core.nodes import RetrievalMode
from core.retrieve.listing import select
from core.retrieve.search import KnowledgeSearch
from core.retrieve.select import Settings
from tests.benchmarks.timing import print_table

if TYPE_CHECKING:
    from collections.abc import Iterator

COLLECTIONS = ("scifact", "nfcorpus", "cranfield")
DEPTH = 100
"""Hits taken of each mode: with fewer than 13 a leg yields 50 candidates, with this 400."""

MEASURES = (nDCG @ 10, R @ 10)
PUBLISHED_MODEL = "all-MiniLM-L6-v2 (MTEB results repo"
PUBLISHED_NAMES = {"scifact": "SciFact", "nfcorpus": "NFCorpus"}
PUBLISHED_BM25 = {"scifact": "SF", "nfcorpus": "NF"}


DIFFERENCES = """
Dense on NFCorpus differs in the order of equal distances only: 40 of its texts occur twice, and
here ties stand in file order. Lexical lies below the published BM25 since its tokens are plain
words: no stop words left out, no stemming. There are no published figures of this Hybrid, nor any
for Cranfield.
"""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--work", type=Path)
    arguments.add_argument("--collection", action="append", choices=COLLECTIONS)
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        work = options.work or Path(scratch)
        models = ModelProvider()
        rows = [
            row
            for name in options.collection or COLLECTIONS
            for row in measured(options.data, name, work, models)
        ]
    print_table(
        rows, ("collection", "mode", "nDCG@10", "published", "difference", "recall@10", "published")
    )
    print(DIFFERENCES)


def measured(data: Path, name: str, work: Path, models: ModelProvider) -> Iterator[tuple[str, ...]]:
    folder = data / name
    copy = work / name / "corpus.jsonl"
    copy.parent.mkdir(parents=True, exist_ok=True)
    # A copy, since embeddings are written beside the file.
    shutil.copyfile(folder / "corpus.jsonl", copy)
    search = KnowledgeSearch(open_knowledge(copy), models)
    search.prepare_dense(Work(progress=shown))
    with (folder / "qrels.tsv").open(encoding="utf-8") as stream:
        judged = [
            ir_measures.Qrel(row["query-id"], row["corpus-id"], int(row["score"]))
            for row in csv.DictReader(stream, delimiter="\t")
        ]
    asked = {judgement.query_id for judgement in judged}
    queries = [
        json.loads(line)
        for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    runs: dict[str, list[ir_measures.ScoredDoc]] = {}
    for query in queries:
        if query["id"] not in asked:
            continue
        found = search.search(query["text"], dense=True)
        for label, settings in modes().items():
            runs.setdefault(label, []).extend(
                # By rank: equal scores would be put in another order by the measure.
                ir_measures.ScoredDoc(query["id"], hit.id, -place)
                for place, hit in enumerate(select(found, settings).hits)
            )
    published = json.loads((data / "published.json").read_bytes())
    for label, run in runs.items():
        scores = ir_measures.calc_aggregate(MEASURES, judged, run)
        ndcg, recall = scores[nDCG @ 10], scores[R @ 10]
        known, known_recall = published_figures(published, name, label)
        yield (
            name,
            label,
            f"{ndcg:.5f}",
            f"{known:.5f}" if known else "",
            f"{ndcg - known:+.5f}" if known else "",
            f"{recall:.5f}",
            f"{known_recall:.5f}" if known_recall else "",
        )


def modes() -> dict[str, Settings]:
    return {
        "Dense": Settings(RetrievalMode.Dense, DEPTH, 0.0),
        "Lexical": Settings(RetrievalMode.Lexical, DEPTH, 0.0),
        "Hybrid, legs of 50": Settings(RetrievalMode.Hybrid, 10, 0.0, 60),
        "Hybrid, legs of 400": Settings(RetrievalMode.Hybrid, DEPTH, 0.0, 60),
    }


def published_figures(published: dict[str, object], name: str, label: str) -> tuple[float, float]:
    """Published nDCG@10 and recall@10, 0 where there is none."""
    if name not in PUBLISHED_NAMES:
        return 0.0, 0.0
    for title, content in published.items():
        if label == "Dense" and title.startswith(PUBLISHED_MODEL):
            figures = content[PUBLISHED_NAMES[name]]  # type: ignore[index]
            return figures["ndcg_at_10"], figures["recall_at_10"]
        if label == "Lexical" and "NDCG@10" in title:
            figures = next(
                row
                for row in content  # type: ignore[attr-defined]
                if (row["k1"], row["method"]) == ("1.2", "Lucene")
            )
            return float(figures[PUBLISHED_BM25[name]]) / 100, 0.0
    return 0.0, 0.0


def shown(what: str, done: int, total: int) -> None:
    print(f"\r{what} {done}/{total}   ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
