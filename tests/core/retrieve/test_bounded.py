"""A store that tells only of what it ranks first: what it says exactly is so, the rest at least."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.index.candidates import MAX_TOP_K, Candidates, DenseLeg, SparseLeg, ranks
from core.index.searcher import OpenStore
from core.io.work import QUIETLY, Work
from core.knowledge.kinds import FileKind
from core.retrieve import openers
from core.retrieve.listing import Selection, select
from core.retrieve.modes import RetrievalMode
from core.retrieve.select import Counts, Settings
from core.retrieve.stages import RAW, retrieve_stages
from tests.core.random_candidates import Store, large_store, small_stores

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider
    from core.io.findings import Finding
    from core.knowledge.filter import CompiledFilter
    from core.knowledge.schema import Field

pytestmark = pytest.mark.slow  # long searches for counterexamples

NAMES = [field.name for field in fields(Counts) if field.name != "at_least"]


def bounded(
    whole: Candidates, each: int, *, counts_matches: bool = True, scores_all: bool = True
) -> Candidates:
    """Keep what a search knows whose legs tell of their first `each` records only."""
    assert whole.dense is not None
    assert whole.sparse is not None
    dense_rows, sparse_rows = whole.dense.rows[:each], whole.sparse.rows[:each]
    known = np.union1d(dense_rows, sparse_rows)
    place = {row: at for at, row in enumerate(known.tolist())}

    def moved(rows: np.ndarray) -> np.ndarray:
        return np.array([place[row] for row in rows.tolist() if row in place], dtype=np.int64)

    dense, sparse = moved(dense_rows), moved(sparse_rows)
    scores = whole.sparse.scores[known].copy()
    if not scores_all:
        scores[ranks(sparse, len(known)) == 0] = np.nan
    return Candidates(
        query=whole.query,
        ids=[whole.ids[row] for row in known],
        texts=[whole.texts[row] for row in known],
        matching=None if whole.matching is None else whole.matching[known],
        matching_count=whole.matching_count if counts_matches else len(known),
        dense=DenseLeg(
            whole.dense.distances[known],
            moved(whole.dense.order),
            dense,
            ranks(dense, len(known)),
            from_index=False,
            more=len(dense_rows) < len(whole.dense.rows),
        ),
        sparse=SparseLeg(
            scores,
            sparse,
            ranks(sparse, len(known)),
            whole.sparse.tokens,
            whole.sparse.query,
            more=len(sparse_rows) < len(whole.sparse.rows),
        ),
        why_filtered=lambda row: whole.why_filtered(int(known[row])),
        total=whole.record_count,
        matching_at_least=not counts_matches,
    )


def both(store: Store, each: int, chosen: Settings, **less: bool) -> tuple[Selection, Selection]:
    whole = store.candidates
    return select(whole, chosen), select(bounded(whole, each, **less), chosen)


@st.composite
def searches(draw: st.DrawFn) -> tuple[Store, int, Settings]:
    store = draw(
        small_stores()
        | st.builds(large_store, st.integers(0, 50).map(lambda n: 3 * n), st.just(400))
    )
    # What an index misses no bounded store tells.
    store = replace(store, missed=frozenset())
    chosen = Settings(
        draw(st.sampled_from(RetrievalMode)),
        draw(st.integers(1, 60)),
        draw(st.sampled_from([0.0, 0.3, 0.7, 0.9, 2.0])),
        draw(st.sampled_from([1, 60])),
    )
    return store, draw(st.integers(1, 120)), chosen


@settings(max_examples=150, deadline=None)
@given(searches(), st.booleans(), st.booleans())
def test_what_is_counted_exactly_is_so_and_the_rest_is_at_least_that(
    search: tuple[Store, int, Settings], counts_matches: bool, scores_all: bool
) -> None:
    store, each, chosen = search
    whole, part = both(store, each, chosen, counts_matches=counts_matches, scores_all=scores_all)
    for name in NAMES:
        true, told = getattr(whole.counts, name), getattr(part.counts, name)
        if name in part.counts.at_least:
            assert told <= true
        else:
            assert told == true


@settings(max_examples=150, deadline=None)
@given(searches())
def test_every_stage_says_a_count_that_is_so_or_at_least_that_and_removed_only_where_it_is_known(
    search: tuple[Store, int, Settings],
) -> None:
    store, each, chosen = search
    whole, part = both(store, each, chosen)
    stages = zip(
        retrieve_stages(whole.counts, chosen.mode),
        retrieve_stages(part.counts, chosen.mode),
        strict=True,
    )
    for true, told in stages:
        assert told.kind is true.kind
        if told.at_least:
            assert told.count <= true.count
            assert told.figure == f"≥ {told.count:,}"
        else:
            assert (told.count, told.figure) == (true.count, true.figure)
        assert told.removed in (0, true.removed)


@settings(max_examples=150, deadline=None)
@given(searches())
def test_hits_that_are_said_to_be_exact_are_those_of_the_whole_search(
    search: tuple[Store, int, Settings],
) -> None:
    store, each, chosen = search
    whole, part = both(store, each, chosen)
    if part.is_exact:
        assert [hit.id for hit in part.hits] == [hit.id for hit in whole.hits]
        assert [hit.distance for hit in part.hits] == [hit.distance for hit in whole.hits]
    if chosen.top_k <= part.reach:
        assert part.is_exact


@settings(max_examples=100, deadline=None)
@given(searches())
def test_within_reach_every_known_record_has_the_reason_and_the_need_of_the_whole_search(
    search: tuple[Store, int, Settings],
) -> None:
    store, each, chosen = search
    whole, part = both(store, each, chosen)
    if chosen.top_k > part.reach:
        return
    for row, record in enumerate(part.candidates.ids):
        told, true = part.story(row), whole.story(whole.row_of(record))
        assert told.reason is true.reason
        assert told.exact_distance == true.exact_distance
        for name in ("rank", "rank_dense", "rank_sparse", "fused_score", "bm25_score"):
            assert getattr(told, name) in (None, getattr(true, name))
        if "at least" not in told.needs and "not known" not in told.needs:
            assert told.needs == true.needs


def test_a_complete_search_says_nothing_at_least() -> None:
    for mode in RetrievalMode:
        made = select(large_store(0, 400).candidates, Settings(mode, 1000, 0.9))
        assert (made.is_complete, made.is_exact, made.reach) == (True, True, MAX_TOP_K)
        assert not made.counts.at_least


@pytest.mark.parametrize("mode", [RetrievalMode.Dense, RetrievalMode.Lexical])
def test_a_rank_behind_what_is_known_is_needed_at_least(mode: RetrievalMode) -> None:
    # One record is known by the other leg alone.
    distances = tuple((np.arange(100, dtype=np.float32) / 100).tolist())
    store = Store(distances, tuple(float(row + 1) for row in range(100)))
    _, part = both(store, 50, Settings(mode, 3, 0.0))
    last = part.row_of("record_99" if mode is RetrievalMode.Dense else "record_0")
    assert part.story(last).needs == "top_k ≥ at least 51"
    assert part.story(last).rank is None


def test_a_score_that_is_not_told_is_not_taken_for_none() -> None:
    distances = tuple((np.arange(100, dtype=np.float32) / 100).tolist())
    store = Store(distances, tuple(float(row + 1) for row in range(100)))
    _, part = both(store, 30, Settings(RetrievalMode.Lexical, 3), scores_all=False)
    assert part.story(part.row_of("record_0")).needs.startswith("not known")
    assert part.story(part.row_of("record_0")).bm25_score is None


def test_near_misses_are_those_that_are_known() -> None:
    _, part = both(large_store(0, 1000), 50, Settings(RetrievalMode.Dense, 10, 0.0))
    assert not part.is_complete
    assert part.near_miss_count == part.candidates.known_count - 10
    assert len(part.near_miss_rows(5000)) == part.near_miss_count
    beyond = part.stage_rows(RAW)
    assert beyond is not None
    assert beyond.rows.tolist() == part.near_miss_rows(5000)
    assert [line.name for line in part.score_lines(0)].count("record") == 0


class FarStore:
    """A made-up store of 1,000 records elsewhere, which tells of 50 a leg."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = (path,)
        self.name = "far"
        self.fields: tuple[Field, ...] = ()
        self.findings: tuple[Finding, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.prepared: list[bool] = []

    def __len__(self) -> int:
        return 1000

    def match_count(self, compiled: CompiledFilter) -> int:
        return 1000

    def prepare(self, *, dense: bool, work: Work = QUIETLY) -> None:
        self.prepared.append(dense)

    def search(
        self, query: str, filter_text: str = "", *, dense: bool, work: Work = QUIETLY
    ) -> Candidates:
        return bounded(large_store(0, 1000).candidates, 50)


def test_a_store_elsewhere_takes_an_opener_of_its_kind_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.agent import Agent, GraphDescription, RetrieveParams, Workspace
    from core.errors import Code, InspectorError

    made: list[FarStore] = []

    def opened(path: Path, root: Path, models: ModelProvider, work: Work) -> OpenStore:
        made.append(FarStore(path))
        return OpenStore(made[-1], made[-1])

    monkeypatch.setitem(openers.OPENERS, FileKind.RECORDS, opened)
    (tmp_path / "far.kb.json").write_text("[]", encoding="utf-8")
    workspace = Workspace(tmp_path)
    params = RetrieveParams(embedded_string_storage="far.kb.json", top_k=4, threshold=0)
    graph = GraphDescription().add_node("knowledge", params).set_start_node("knowledge")
    turn = Agent(graph, workspace).turn("coral")
    assert turn.error is None
    retrieval = turn.runs[0].retrieval
    assert retrieval is not None
    assert len(retrieval.hits) == 4
    assert next(stage.figure for stage in retrieval.stages) == "1,000"
    workspace.prepare([params])
    assert made[0].prepared == [False, True]
    assert workspace.sizes() == {tmp_path / "far.kb.json": (1000, "records")}
    with pytest.raises(InspectorError) as refused:
        workspace.knowledge("far.kb.json")
    assert refused.value.code is Code.StorageKindMismatch
