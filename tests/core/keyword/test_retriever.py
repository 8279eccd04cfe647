"""The keyword retriever: its rule, its stories, its limits, and others in its place."""

from __future__ import annotations

import json
import math
import string
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.embedder import ModelProvider
from core.errors import Code, InspectorError
from core.hits.hit import Reason
from core.hits.retriever import RetrievalHit, RetrieverProtocol
from core.index.candidates import Candidates, DenseLeg, SparseLeg, ranks
from core.io.request import InvalidRequest
from core.io.sidecar import SidecarFolder
from core.io.work import QUIETLY, Work
from core.keyword.folder import load_corpus
from core.keyword.index import STOP_WORDS, SUFFIXES
from core.keyword.retriever import KeywordRetriever
from core.keyword.scoring import CATEGORY_WEIGHTS, KeywordWeights, rescored
from core.keyword.select import floor_for, select
from core.knowledge.base import open_knowledge
from core.knowledge.corpus import Corpus, CorpusEntry, corpus_of_knowledge
from core.retrieve.corpus_retrievers import HybridRetriever, SemanticRetriever
from core.retrieve.search import KnowledgeSearch

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


@dataclass
class Knowledge:
    """The columns of a knowledge file."""

    ids: list[str]
    texts: list[str]
    metadata: list[dict[str, Any]]
    name: str = "knowledge"


@pytest.fixture(scope="module")
def oracle(shared_data: Path) -> dict[str, Any]:
    text = (shared_data / "keyword" / "keyword_oracle.json").read_text("utf-8")
    return dict(json.loads(text))


@pytest.fixture(scope="module")
def documentation(shared_data: Path) -> Corpus:
    lines = (shared_data / "keyword" / "corpus.jsonl").read_text("utf-8").splitlines()
    records = [json.loads(line) for line in lines]
    columns: Any = Knowledge(
        [record["id"] for record in records],
        [record["text"] for record in records],
        [record["metadata"] for record in records],
    )
    return corpus_of_knowledge(columns)


def naive_tokens(text: str) -> set[str]:
    """The tokens by the written rule, character by character."""
    spaced = "".join(" " if 33 <= ord(c) <= 126 and not c.isalnum() else c for c in text.lower())
    found = set()
    for word in spaced.split():
        if word in STOP_WORDS:
            continue
        fitting = [s for s in SUFFIXES if word.endswith(s) and len(word) - len(s) >= 3]
        found.add(word.removesuffix(fitting[0]) if fitting else word)
    return found


def naive_score(query: str, entry: CorpusEntry, corpus: Corpus) -> float:
    """The score by the written rule, one entry at a time."""
    wanted = naive_tokens(query)
    path = len(wanted & naive_tokens(entry.path))
    summary = len(wanted & naive_tokens(entry.summary))
    aliases = len(wanted & naive_tokens(" ".join(entry.aliases)))
    content = len(wanted & naive_tokens(entry.content[:500]))
    linked = [corpus.get(other) for other in entry.related]
    united = set().union(*(naive_tokens(other.summary) for other in linked if other))
    base = (
        2 * min(path, 3)
        + 1.5 * summary
        + (2 * aliases if aliases >= 2 else 0)
        + content
        + 0.5 * len(wanted & united)
    )
    folder = entry.path.split("/")[0] if "/" in entry.path else ""
    return base * CATEGORY_WEIGHTS.get(folder, 1.0)


# --- the oracle ---------------------------------------------------------------------------------


@pytest.mark.parametrize("floor", ["default", "0.25", "4.0"])
def test_hits_agree_with_the_reference_on_every_query(
    floor: str, oracle: dict[str, Any], documentation: Corpus
) -> None:
    retriever = (
        KeywordRetriever() if floor == "default" else KeywordRetriever(min_score=float(floor))
    )
    for item in oracle["queries"]:
        wanted = item["results"][floor]
        hits = retriever.retrieve(item["query"], documentation, k=oracle["k"])
        assert [hit.entry.path for hit in hits] == [hit["path"] for hit in wanted["hits"]]
        assert [hit.match_reason for hit in hits] == [hit["match_reason"] for hit in wanted["hits"]]
        assert [hit.score for hit in hits] == pytest.approx(
            [hit["score"] for hit in wanted["hits"]], abs=1e-9
        )
        candidates = retriever.candidates(item["query"], documentation)
        counts = select(candidates, oracle["k"], retriever.min_score).counts
        assert counts.at_or_above == wanted["total_at_or_above"]


def test_refusals_are_value_errors_with_the_references_messages(
    oracle: dict[str, Any], documentation: Corpus
) -> None:
    for query, corpus, k, _, message in oracle["errors"]:
        with pytest.raises(ValueError, match=message):
            KeywordRetriever().retrieve(query, None if corpus == "None" else documentation, k)


# --- the rule -----------------------------------------------------------------------------------


def test_the_seeds_example_works(samples: Path) -> None:
    corpus = load_corpus(samples / "handbook")
    retriever = KeywordRetriever(min_score=0.25)
    hits = retriever.retrieve("template design", corpus, k=5)
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.entry.path))
    assert all(isinstance(hit, RetrievalHit) for hit in hits)
    assert 0 < len(hits) <= 5


def test_every_field_counts_with_its_weight() -> None:
    entry = CorpusEntry(
        "concepts/fog/lamp/ferry/bell.md",
        "fog",
        summary="fog lamp",
        aliases=("fog lamp",),
        related=("x",),
    )
    corpus = Corpus([entry, CorpusEntry("x", "", summary="ferry bell")])
    hit = KeywordRetriever().retrieve("fog lamp ferry bell", corpus, k=1)[0]
    assert hit.score == (2 * 3 + 1.5 * 2 + 2 * 2 + 1 * 1 + 0.5 * 2) * 1.5
    assert hit.match_reason == "path:3+summary:2+aliases:2+content:1+related:2+cat:concepts×1.5"


def test_one_alias_stem_counts_nothing() -> None:
    corpus = Corpus([CorpusEntry("x", "", aliases=("fog",))])
    assert KeywordRetriever(0.001).retrieve("fog", corpus) == []


def test_a_query_of_stop_words_has_no_hits_even_without_a_floor() -> None:
    corpus = Corpus([CorpusEntry("x", "the of is")])
    assert KeywordRetriever(0).retrieve("the of is", corpus) == []


def test_a_floor_of_zero_keeps_entries_that_match_nothing_by_path() -> None:
    corpus = Corpus([CorpusEntry("z", "fog"), CorpusEntry("b", ""), CorpusEntry("a", "")])
    hits = KeywordRetriever(0).retrieve("fog", corpus, k=3)
    assert [(hit.entry.path, hit.score, hit.match_reason) for hit in hits] == [
        ("z", 1.0, "content:1"),
        ("a", 0.0, "no-match"),
        ("b", 0.0, "no-match"),
    ]


def test_ties_come_in_the_order_of_the_paths() -> None:
    corpus = Corpus([CorpusEntry(path, "fog fog") for path in ("b", "a", "B", "c/a")])
    hits = KeywordRetriever(0.5).retrieve("fog", corpus)
    assert [hit.entry.path for hit in hits] == ["B", "a", "b", "c/a"]


def test_an_entry_without_a_folder_has_the_weight_of_other_categories() -> None:
    corpus = Corpus([CorpusEntry("concepts", "fog")])
    hit = KeywordRetriever(0.5).retrieve("fog", corpus)[0]
    assert (hit.score, hit.match_reason) == (1.0, "content:1")


ENTRIES = st.builds(
    lambda folder, name, words, summary, aliases: CorpusEntry(
        f"{folder}/{name}",
        " ".join(words),
        summary=" ".join(summary),
        aliases=tuple(aliases),
        related=("concepts/0",),
    ),
    st.sampled_from(["concepts", "faqs", "tasks", "other"]),
    st.integers(0, 50).map(str),
    *[
        st.lists(
            st.sampled_from(["fog", "lamps", "ferries", "ringing", "the", "key-hole"]), max_size=5
        )
    ]
    * 3,
)


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(ENTRIES, max_size=12, unique_by=lambda entry: entry.path),
    st.lists(
        st.sampled_from(["fog", "lamp", "ferry", "rings", "key", "hole", "of"]),
        min_size=1,
        max_size=5,
    ).map(" ".join),
    st.integers(1, 14),
    st.sampled_from([0.25, 1.0, 2.0, 3.5]),
)
def test_hits_are_those_of_a_loop_over_all_entries(
    entries: list[CorpusEntry], query: str, k: int, floor: float
) -> None:
    corpus = Corpus(entries)
    scored = [(naive_score(query, entry, corpus), entry.path) for entry in entries]
    wanted = sorted(
        ((score, path) for score, path in scored if score >= floor),
        key=lambda item: (-item[0], item[1]),
    )
    hits = KeywordRetriever(floor).retrieve(query, corpus, k)
    assert [(hit.score, hit.entry.path) for hit in hits] == wanted[:k]


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(ENTRIES, max_size=12, unique_by=lambda entry: entry.path),
    st.sampled_from(["fog lamp", "key ferry ring", "the", "nothing known"]),
    st.integers(1, 14),
    st.floats(0, 12),
)
def test_counts_fall_from_stage_to_stage_and_near_misses_are_the_rest(
    entries: list[CorpusEntry], query: str, k: int, floor: float
) -> None:
    corpus = Corpus(entries)
    found = select(KeywordRetriever().candidates(query, corpus), k, floor)
    counts = found.counts
    assert counts.entries >= counts.matched >= counts.at_or_above >= counts.hits >= 0
    assert counts.hits == len(found.hits) == min(k, counts.at_or_above)
    misses = found.near_misses(1000)
    assert len(misses) == found.near_miss_count
    reasons = [miss.reason for miss in misses]
    if floor > 0:
        assert reasons.count(Reason.K) == counts.at_or_above - counts.hits
        assert reasons.count(Reason.MIN_SCORE) == counts.matched - counts.at_or_above
    assert [miss.rank for miss in misses] == sorted(miss.rank or 0 for miss in misses)
    for story in (*found.hits, *misses):
        assert story.score == story.base * story.category_weight
        assert story.base == sum(part.counted * part.weight for part in story.parts)
        assert story.misses_by == max(floor - story.score, 0)


@pytest.mark.slow
@settings(deadline=None)
@given(
    st.lists(ENTRIES, max_size=12, unique_by=lambda entry: entry.path),
    st.integers(1, 4),
    st.floats(0.5, 12),
)
def test_what_a_near_miss_needs_lets_it_in_and_less_does_not(
    entries: list[CorpusEntry], k: int, floor: float
) -> None:
    usual = KeywordRetriever().candidates("fog lamp ferry", Corpus(entries))
    for miss in select(usual, k, floor).near_misses():
        candidates = usual
        needed = dict(part.replace("≤", "≥").split(" ≥ ") for part in miss.needs.split(" · "))
        new_k, new_floor = int(needed.get("k", k)), float(needed.get("min_score", floor))
        if "aliases_overlap" in needed:
            overlap = int(needed["aliases_overlap"])
            weights = KeywordWeights(aliases_overlap=overlap)
            assert overlap == 1
            candidates = rescored(candidates, weights)
        paths = [hit.entry.path for hit in select(candidates, new_k, new_floor).hits]
        assert miss.entry.path in paths
        if "k" in needed:
            assert miss.entry.path not in [
                hit.entry.path for hit in select(candidates, new_k - 1, new_floor).hits
            ]
        if "min_score" in needed:
            stricter = select(candidates, new_k, round(new_floor + 0.001, 3))
            assert miss.entry.path not in [hit.entry.path for hit in stricter.hits]


# --- stories ------------------------------------------------------------------------------------

STORY = Corpus(
    [
        CorpusEntry("faqs/fog.md", "fog and lamps and ferries", summary="fog", aliases=("lamp",)),
        CorpusEntry("tasks/lamp.md", "lamp"),
        CorpusEntry("notes/none.md", "nothing"),
    ]
)


def test_a_hit_says_which_stems_match_in_which_field() -> None:
    found = select(KeywordRetriever().candidates("fog lamps", STORY), 5, 0.5)
    story = found.hits[1]
    assert story.entry.path == "faqs/fog.md"
    assert {part.field: part.stems for part in story.parts} == {
        "path": ("fog",),
        "summary": ("fog",),
        "aliases": ("lamp",),
        "content": ("fog", "lamp"),
        "related": (),
    }
    assert [part.points for part in story.parts] == [2.0, 1.5, 0.0, 2.0, 0.0]
    assert (story.base, story.category_weight) == (5.5, 0.4)


def test_a_part_says_why_fewer_stems_count_than_match() -> None:
    corpus = Corpus([CorpusEntry("a/b/c/d", "")])
    capped = (
        select(
            KeywordRetriever(weights=KeywordWeights(path_cap=2)).candidates("b c d", corpus), 5, 0.5
        )
        .hits[0]
        .parts[0]
    )
    assert (capped.counted, capped.stems) == (2, ("b", "c", "d"))
    assert "at most 2 count" in capped.note


def test_a_part_says_that_too_few_alias_stems_match() -> None:
    found = select(KeywordRetriever().candidates("fog lamps", STORY), 5, 0.5)
    aliases = found.hits[1].parts[2]
    assert aliases.counted == 0
    assert "1 of the 2" in aliases.note


def test_a_near_miss_says_by_how_much_it_misses_the_floor() -> None:
    found = select(KeywordRetriever().candidates("fog lamps", STORY), 5, 2.5)
    miss = found.near_misses()[0]
    assert (miss.entry.path, miss.reason, miss.needs) == (
        "faqs/fog.md",
        Reason.MIN_SCORE,
        "min_score ≤ 2.2",
    )
    assert miss.misses_by == pytest.approx(2.5 - 5.5 * 0.4)


def test_a_near_miss_beyond_k_says_which_k_it_needs() -> None:
    found = select(KeywordRetriever().candidates("fog lamps", STORY), 1, 0.5)
    miss = found.near_misses()[0]
    assert (miss.reason, miss.needs, miss.misses_by) == (Reason.K, "k ≥ 2", 0.0)


def test_a_rank_beyond_the_largest_k_is_out_of_reach() -> None:
    corpus = Corpus([CorpusEntry(f"{number:05}", "fog") for number in range(1002)])
    found = select(KeywordRetriever().candidates("fog", corpus), 1000, 0.5)
    assert [miss.needs for miss in found.near_misses()] == [
        "out of reach: rank 1001, k ends at 1000",
        "out of reach: rank 1002, k ends at 1000",
    ]


@settings(deadline=None)
@given(st.floats(0, 1e6))
def test_the_floor_of_a_score_keeps_it_and_the_next_one_does_not(score: float) -> None:
    assert floor_for(score) <= score
    assert round(floor_for(score) * 1000 + 1) / 1000 > score


# --- matches that are worth nothing, and words that are not read ----------------------------------


def needs_of(entry: CorpusEntry, query: str, floor: float = 2.0, **weights: Any) -> tuple[str, str]:
    """Reason and needed change of the only entry."""
    retriever = KeywordRetriever(weights=KeywordWeights.of(weights))
    found = select(retriever.candidates(query, Corpus([entry])), 5, floor)
    story = found.story(0)
    assert found.counts.hits == 0
    return str(story.reason), story.needs


@pytest.mark.parametrize(
    ("entry", "weights", "needs"),
    [
        (CorpusEntry("concepts/a", "", aliases=("elixir",)), {}, "aliases_overlap ≤ 1"),
        (
            CorpusEntry("tips/a", "", aliases=("elixir",)),
            {},
            "aliases_overlap ≤ 1 · min_score ≤ 1.8",
        ),
        (CorpusEntry("tasks/elixir", ""), {"path_cap": 0}, "path_cap ≥ 1"),
        (CorpusEntry("a", "elixir"), {"content": 0}, "content_weight above 0"),
        (
            CorpusEntry("errors/a", "elixir"),
            {"categories": {"errors": 0}},
            "a factor above 0 for the category errors",
        ),
    ],
)
def test_a_match_worth_nothing_is_a_near_miss_that_says_what_would_count(
    entry: CorpusEntry, weights: dict[str, Any], needs: str
) -> None:
    assert needs_of(entry, "an elixir", **weights) == ("min_score", needs)
    retriever = KeywordRetriever(weights=KeywordWeights.of(weights))
    found = select(retriever.candidates("an elixir", Corpus([entry])), 5, 2.0)
    assert (found.counts.matched, found.near_miss_count) == (1, 1)


def test_words_behind_the_preview_are_named_with_the_preview_that_reads_them() -> None:
    entry = CorpusEntry("a", "x" * 40 + " the trident of Morvane")
    needed = 40 + len(" the trident")
    said = f"preview_chars ≥ {needed} for morvane, trident"
    assert needs_of(entry, "trident of Morvane", preview_chars=45) == ("words", said)
    for chars, hits in ((needed - 1, 0), (needed, 1)):
        weights = KeywordWeights(preview_chars=chars)
        candidates = KeywordRetriever(weights=weights).candidates("trident", Corpus([entry]))
        assert select(candidates, 5, 1.0).counts.hits == hits


def test_with_the_floor_at_0_entries_worth_0_come_in_the_order_of_their_paths() -> None:
    entries = [CorpusEntry(name, "", aliases=("x",) * (name == "b")) for name in "abc"]
    corpus = Corpus(entries)
    found = select(KeywordRetriever().candidates("x y", corpus), 2, 0)
    assert [hit.entry.path for hit in found.hits] == ["a", "b"]
    assert (found.story(2).reason, found.story(2).needs) == (Reason.K, "k ≥ 3")


# --- refusals -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "k", "param"),
    [
        ("", 5, "query"),
        (" \n", 5, "query"),
        (None, 5, "query"),
        (7, 5, "query"),
        ("x", 0, "k"),
        ("x", True, "k"),
        ("x", 2.0, "k"),
        ("x", "5", "k"),
    ],
)
def test_a_bad_request_is_3007_with_its_parameter(query: Any, k: Any, param: str) -> None:
    with pytest.raises(InspectorError) as refused:
        KeywordRetriever().retrieve(query, STORY, k)
    assert refused.value.code is Code.InvalidParamValue
    assert refused.value.place.param == param
    assert isinstance(refused.value, ValueError)


@pytest.mark.parametrize("floor", [-0.1, math.nan, math.inf, "2", None, True])
def test_a_bad_min_score_is_refused(floor: Any) -> None:
    with pytest.raises(InvalidRequest, match="min_score"):
        KeywordRetriever(min_score=floor)


@pytest.mark.parametrize(
    ("values", "param"),
    [
        ({"path": -1}, "weights.path"),
        ({"content": math.nan}, "weights.content"),
        ({"path_cap": 1.5}, "weights.path_cap"),
        ({"sumary": 1}, "weights.sumary"),
        ({"categories": [1]}, "weights.categories"),
        ({"categories": {"tasks": "much"}}, "weights.categories.tasks"),
    ],
)
def test_a_bad_weight_is_refused_with_its_name(values: dict[str, Any], param: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        KeywordWeights.of(values)
    assert refused.value.place.param == param


def test_a_misspelt_weight_gets_a_suggestion() -> None:
    with pytest.raises(InvalidRequest) as refused:
        KeywordWeights.of({"sumary": 1})
    assert refused.value.hint == 'did you mean "summary"?'


def test_weights_change_the_score() -> None:
    weights = KeywordWeights.of({"content": 3, "categories": {"tasks": 2}})
    hits = KeywordRetriever(0.5, weights).retrieve("lamp", STORY)
    assert hits[0].score == (2 * 1 + 3 * 1) * 2
    assert KeywordWeights.of(weights.to_json()) == weights


def test_more_content_is_read_when_the_preview_is_longer() -> None:
    corpus = Corpus([CorpusEntry("x", "a" * 600 + " fog")])
    assert KeywordRetriever(0.5).retrieve("fog", corpus) == []
    longer = KeywordRetriever(0.5, KeywordWeights(preview_chars=700))
    assert len(longer.retrieve("fog", corpus)) == 1


# --- other retrievers in its place --------------------------------------------------------------

TOWN = Corpus(
    [CorpusEntry("a", "red fog"), CorpusEntry("b", "blue lamp"), CorpusEntry("c", "red lamp")]
)


def town_search(query: str) -> Candidates:
    """Both legs over the three entries, made by hand: b is nearest, c has the most words."""
    distances = np.array([0.4, 0.1, 0.2], dtype=np.float32)
    scores = np.array([0.5, 0.0, 1.5], dtype=np.float32)
    order, rows = np.array([1, 2, 0]), np.array([2, 0])
    return Candidates(
        query=query,
        ids=[entry.path for entry in TOWN.entries()],
        texts=[entry.content for entry in TOWN.entries()],
        matching=None,
        matching_count=3,
        dense=DenseLeg(distances, order, order, ranks(order, 3), from_index=False),
        sparse=SparseLeg(scores, rows, ranks(rows, 3), ("red", "lamp")),
        why_filtered=lambda row: "",
    )


def answer(retriever: RetrieverProtocol, query: str, corpus: Corpus) -> str:
    """A consumer of hits that knows the protocol and nothing else."""
    hits: Iterable[RetrievalHit] = retriever.retrieve(query, corpus, 2)
    return " | ".join(f"{hit.entry.content} ({hit.score:.3f}, {hit.match_reason})" for hit in hits)


@pytest.mark.parametrize(
    ("retriever", "wanted"),
    [
        (KeywordRetriever(0.5), "red lamp (2.000, content:2) | red fog (1.000, content:1)"),
        (
            SemanticRetriever(town_search),
            "blue lamp (0.900, dense:0.100) | red lamp (0.800, dense:0.200)",
        ),
        (
            HybridRetriever(town_search),
            f"red lamp ({1 / 62 + 1 / 61:.3f}, dense:2+bm25:1) | "
            f"red fog ({1 / 63 + 1 / 62:.3f}, dense:3+bm25:2)",
        ),
    ],
)
def test_any_retriever_can_stand_in_for_another(retriever: RetrieverProtocol, wanted: str) -> None:
    assert isinstance(retriever, RetrieverProtocol)
    assert answer(retriever, "red lamps", TOWN) == wanted


def test_the_semantic_retriever_keeps_the_threshold() -> None:
    hits = SemanticRetriever(town_search, threshold=0.25).retrieve("x", TOWN)
    assert [hit.entry.path for hit in hits] == ["b", "c"]


def test_a_keyword_hit_of_the_hybrid_retriever_passes_the_threshold_ungated() -> None:
    hits = HybridRetriever(town_search, threshold=0.15).retrieve("x", TOWN)
    assert [(hit.entry.path, hit.match_reason) for hit in hits] == [
        ("b", "dense:1"),
        ("c", "bm25:1"),
        ("a", "bm25:2"),
    ]


@pytest.mark.parametrize(
    "retriever", [SemanticRetriever(town_search), HybridRetriever(town_search)]
)
def test_the_others_refuse_what_the_keyword_retriever_refuses(retriever: RetrieverProtocol) -> None:
    with pytest.raises(ValueError, match="non-empty"):
        retriever.retrieve(" ", TOWN, 2)


class LetterCounts:
    """A stand-in for an embedding model: how often each letter occurs, normalised."""

    identity = "letters"
    dimension = len(string.ascii_lowercase)
    max_tokens = 0

    def embed_query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        counts = np.array(
            [text.lower().count(letter) for letter in string.ascii_lowercase], dtype=np.float32
        )
        return counts / np.float32(max(float(np.linalg.norm(counts)), 1e-9))

    def embed(
        self, texts: Sequence[str], work: Work = QUIETLY
    ) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.stack([self.embed_query(text) for text in texts])


def test_the_engine_serves_the_same_consumer(samples: Path, tmp_path: Path) -> None:
    knowledge = open_knowledge(samples / "adventure" / "lore.json")
    corpus = corpus_of_knowledge(knowledge)
    search = KnowledgeSearch(
        knowledge, ModelProvider(lambda name: LetterCounts()), SidecarFolder(None, tmp_path)
    )
    engine = partial(search.search, dense=True)
    for retriever in (
        KeywordRetriever(0.5),
        SemanticRetriever(engine, threshold=0),
        HybridRetriever(engine, threshold=0),
    ):
        hits = list(retriever.retrieve("who stole the lighthouse lens", corpus, k=4))
        assert len(hits) == 4
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert all(corpus.get(hit.entry.path) is hit.entry and hit.match_reason for hit in hits)


def test_a_search_over_other_records_is_refused() -> None:
    def elsewhere(query: str) -> Candidates:
        return replace(town_search(query), ids=["x", "y", "z"])

    with pytest.raises(InspectorError, match="no entry of the corpus"):
        SemanticRetriever(elsewhere).retrieve("x", TOWN)


def test_a_weight_of_0_is_no_reason() -> None:
    corpus = Corpus([CorpusEntry("fog/lamps", "lamps in the fog")])
    weights = KeywordWeights(path=0.0)
    (hit,) = KeywordRetriever(0.5, weights).retrieve("fog lamps", corpus)
    assert hit.match_reason == "content:2"
    nothing = KeywordWeights(path=0.0, content=0.0)
    found = KeywordRetriever(0.0, nothing).candidates("fog lamps", corpus)
    assert found.match_reason(0) == "no-match"
