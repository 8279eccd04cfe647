"""Fixed results for panel tests: made-up candidates whose every number is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from core.index.candidates import Candidates, DenseLeg, SparseLeg, ranks
from core.index.leg_query import BM25, LegQuery
from core.index.lexical import build_lexical_index, leg_query
from core.nodes import RetrievalMode, RetrieveParams
from core.nodes.retrieve import Retrieval
from core.retrieve.listing import Selection, select
from core.retrieve.select import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

AQUARIUM = (
    ("clown_lion_01", "A lionfish will eat a clownfish that fits its mouth.", 0.312, 4.1),
    ("lionfish_diet", "Lionfish hunt at dusk and take any fish.", 0.408, 2.0),
    ("clown_tankmates", "Clownfish live well with gobies and wrasses.", 0.541, 2.2),
    ("reef_safe_02", "Reef-safe does not mean peaceful.", 0.6125, 0.0),
    ("anemone_host", "An anemone hosts one pair of clownfish.", 0.634, 1.7),
    ("goby_pairs", "Watchman gobies pair for life.", 0.655, 0.0),
    ("predator_list", "Predators of small reef fish: lionfish, groupers.", 0.391, 1.9),
    ("quarantine", "Quarantine every new fish for four weeks.", 0.701, 0.0),
    ("salt_mix", "Mix salt the day before a water change.", 0.95, 0.0),
    ("castle", "A plastic castle costs five coins.", 1.08, 0.0),
)
FILTERED_OUT = 6
QUERY = "do clownfish get along with lionfish?"
TOKENS = ("do", "clownfish", "get", "along", "with", "lionfish")


def bm25_query(texts: Sequence[str], query: str) -> LegQuery:
    """The query as BM25 sees it in a store with these texts."""
    return leg_query(BM25, build_lexical_index(texts), query)


def candidates(
    ids: Sequence[str],
    texts: Sequence[str],
    distances: NDArray[np.float32],
    scores: NDArray[np.float32],
    *,
    matching: NDArray[np.bool_] | None = None,
    query: str = QUERY,
    tokens: tuple[str, ...] = TOKENS,
) -> Candidates:
    """Rank exactly, as the engine does where an exact scan answers."""
    count = len(ids)
    order = np.argsort(distances, kind="stable").astype(np.int64)
    rows = order if matching is None else order[matching[order]]
    scored = np.argsort(-scores, kind="stable").astype(np.int64)
    scored = scored[scores[scored] > 0]
    if matching is not None:
        scored = scored[matching[scored]]
    return Candidates(
        query=query,
        ids=ids,
        texts=texts,
        matching=matching,
        matching_count=count if matching is None else int(matching.sum()),
        dense=DenseLeg(distances, order, rows, ranks(rows, count), from_index=False),
        sparse=SparseLeg(scores, scored, ranks(scored, count), tokens, bm25_query(texts, query)),
        why_filtered=lambda row: "args[1] is false",
    )


def aquarium(*, filtered: bool = True) -> Candidates:
    """Ten records; `predator_list` fails the filter."""
    matching = np.ones(len(AQUARIUM), dtype=np.bool_)
    matching[FILTERED_OUT] = False
    return candidates(
        [r[0] for r in AQUARIUM],
        [r[1] for r in AQUARIUM],
        np.array([r[2] for r in AQUARIUM], dtype=np.float32),
        np.array([r[3] for r in AQUARIUM], dtype=np.float32),
        matching=matching if filtered else None,
    )


def many(count: int, seed: int = 1) -> Candidates:
    """`count` records with distances around 0.9, a tenth of them with a query word."""
    rng = np.random.default_rng(seed)
    distances = np.clip(rng.normal(0.9, 0.13, count), 0.05, 1.9).astype(np.float32)
    scores = np.where(rng.random(count) < 0.1, rng.gamma(2.0, 1.5, count), 0).astype(np.float32)
    return candidates(
        [f"synset.{i:06d}.n" for i in range(count)],
        [
            f"clownfish {i}, an entry: a gloss of some words with lionfish in it"
            for i in range(count)
        ],
        distances,
        scores,
        matching=rng.random(count) < 0.8,
    )


def chosen(
    found: Candidates,
    mode: RetrievalMode = RetrievalMode.Dense,
    *,
    top_k: int = 8,
    threshold: float = 0.6,
    rrf_k: int = 60,
) -> Selection:
    """Select with these settings."""
    return select(found, Settings(mode, top_k, threshold, rrf_k))


def retrieval(selection: Selection) -> Retrieval:
    """Wrap a selection as a node's result."""
    settings = selection.settings
    params = RetrieveParams(
        retrieval_mode=settings.mode,
        top_k=settings.top_k,
        threshold=settings.threshold,
        rrf_k=settings.rrf_k,
    )
    return Retrieval(params, "knowledge", selection.candidates.query, selection)
