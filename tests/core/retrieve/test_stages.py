"""The funnel always adds up and always equals the counts of the turn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.hits.stage import Leg, sources
from core.index.candidates import Candidates, DenseLeg, SparseLeg, ranks
from core.nodes import RetrievalMode
from core.retrieve.listing import select
from core.retrieve.select import Counts, Settings
from core.retrieve.stages import retrieve_stages

DENSE = Counts(records=120, matching=84, raw=8, filtered=5, result=3)
HYBRID = Counts(
    records=120,
    matching=84,
    raw=70,
    filtered=12,
    result=8,
    with_query_word=30,
    dense_raw=50,
    dense_filtered=12,
    sparse_raw=20,
    fused=45,
)
LEXICAL = Counts(
    records=120,
    matching=84,
    raw=60,
    filtered=0,
    result=8,
    with_query_word=70,
    dense_raw=0,
    dense_filtered=0,
    sparse_raw=60,
    fused=0,
)


def _candidates(rows: list[tuple[float, float, bool]]) -> Candidates:
    count = len(rows)
    distances = np.array([row[0] for row in rows], dtype=np.float32)
    scores = np.array([row[1] for row in rows], dtype=np.float32)
    matching = np.array([row[2] for row in rows], dtype=np.bool_)
    order = np.lexsort((np.arange(count), distances)).astype(np.int64)
    by_score = np.lexsort((np.arange(count), -scores)).astype(np.int64)
    dense_rows = order[matching[order]]
    sparse_rows = by_score[(scores[by_score] > 0) & matching[by_score]]
    return Candidates(
        query="q",
        ids=[str(n) for n in range(count)],
        texts=[""] * count,
        matching=matching,
        matching_count=int(matching.sum()),
        dense=DenseLeg(distances, order, dense_rows, ranks(dense_rows, count), from_index=False),
        sparse=SparseLeg(scores, sparse_rows, ranks(sparse_rows, count), ()),
        why_filtered=lambda row: "",
    )


ROWS = st.lists(
    st.tuples(st.floats(0, 2, width=32), st.sampled_from([0.0, 0.0, 1.0, 2.5]), st.booleans()),
    min_size=1,
    max_size=150,
)


@settings(max_examples=150, deadline=None)
@given(
    rows=ROWS,
    mode=st.sampled_from(RetrievalMode),
    top_k=st.integers(1, 40),
    threshold=st.sampled_from([0.0, 0.3, 0.9, 2.0]),
)
def test_every_stage_is_what_came_in_minus_what_it_removed(
    rows: list[tuple[float, float, bool]], mode: RetrievalMode, top_k: int, threshold: float
) -> None:
    counts = select(_candidates(rows), Settings(mode, top_k, threshold)).counts
    stages = retrieve_stages(counts, mode)
    for number, stage in enumerate(stages):
        before = sources(stages, number)
        came_in = sum(stages[at].count for at in before) if before else stage.count
        assert stage.removed >= 0
        assert stage.count == came_in - stage.removed
    assert stages[0].count == len(rows)
    assert stages[-1].count == counts.result


def test_dense_stages_read_like_the_diagnostics() -> None:
    assert [(s.label, s.count, s.removed) for s in retrieve_stages(DENSE, RetrievalMode.Dense)] == [
        ("records", 120, 0),
        ("match filter", 84, 120 - 84),
        ("raw", 8, 84 - 8),
        ("within threshold", 8 - 5, 5),
        ("hits", 3, 0),
    ]


def test_hybrid_draws_two_legs_that_join() -> None:
    stages = retrieve_stages(HYBRID, RetrievalMode.Hybrid)
    assert [(s.label, s.leg, s.count, s.removed) for s in stages] == [
        ("records", Leg.NONE, 120, 0),
        ("match filter", Leg.NONE, 84, 36),
        ("dense raw", Leg.DENSE, 50, 34),
        ("within threshold", Leg.DENSE, 38, 12),
        ("with query words", Leg.SPARSE, 30, 54),
        ("BM25 leg", Leg.SPARSE, 20, 10),
        ("fused", Leg.NONE, 45, 38 + 20 - 45),
        ("hits", Leg.NONE, 8, 37),
    ]
    assert sources(stages, 6) == (3, 5)


def test_lexical_has_one_trunk_without_a_threshold() -> None:
    stages = retrieve_stages(LEXICAL, RetrievalMode.Lexical)
    assert [(s.label, s.count) for s in stages] == [
        ("records", 120),
        ("match filter", 84),
        ("with query words", 70),
        ("BM25 leg", 60),
        ("hits", 8),
    ]
    assert all(stage.leg is Leg.NONE for stage in stages)


@pytest.mark.parametrize(
    ("counts", "mode"),
    [
        (DENSE, RetrievalMode.Dense),
        (HYBRID, RetrievalMode.Hybrid),
        (LEXICAL, RetrievalMode.Lexical),
    ],
)
def test_each_label_occurs_once_and_each_removal_says_why(
    counts: Counts, mode: RetrievalMode
) -> None:
    stages = retrieve_stages(counts, mode)
    assert len({stage.label for stage in stages}) == len(stages)
    assert all(stage.why for stage in stages if stage.removed)
