"""Graph-aware retrieval: requests, scope, entry points, full text, and the response."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.embedding.vectors import RecordVectors
from core.errors import Code, InspectorError
from core.hits.hit import Reason
from core.index.leg_query import FULL_TEXT, LegQuery
from core.io.request import InvalidRequest
from core.subgraph.depths import ExpansionDepth
from core.subgraph.entry_points import HYBRID_DEPTH, find_entry_points
from core.subgraph.expand import MAX_NODES, SubgraphResult
from core.subgraph.graph_file import load_knowledge_graph
from core.subgraph.knowledge_graph import GraphConnection, GraphNode, KnowledgeGraph
from core.subgraph.request import Scope, SubgraphRequest
from core.subgraph.scope import ScopeFilter
from core.subgraph.search import (
    SubgraphCandidates,
    SubgraphSearch,
    embedding_text,
    node_distances,
)
from tests.core.drawn_graphs import DRAWN, drawn, graphs

if TYPE_CHECKING:
    from pathlib import Path

NONE, SHALLOW, _, DEEP = ExpansionDepth


def found_by(
    graph: KnowledgeGraph, scores: dict[str, float], distances: dict[str, float] | None = None
) -> SubgraphCandidates:
    """Candidates made by hand: BM25 score and distance by node id."""
    array = np.zeros(len(graph), dtype=np.float32)
    for name, score in scores.items():
        array[graph.row(name)] = score
    far = None
    if distances is not None:
        far = np.full(len(graph), 1.5, dtype=np.float32)
        for name, distance in distances.items():
            far[graph.row(name)] = distance
    return SubgraphCandidates("q", graph, array, far, (LegQuery(FULL_TEXT),))


# --- entry points -------------------------------------------------------------------------------


def matches(candidates: SubgraphCandidates, **request: Any) -> list[tuple[str, str]]:
    found = find_entry_points(candidates, SubgraphRequest.of({"query": "q", **request}))
    return [(match.node_id, match.match_reason) for match in found.matches]


def test_full_text_matches_come_by_score_and_ties_in_file_order() -> None:
    candidates = found_by(DRAWN, {"b1": 1.0, "a1": 2.0, "a": 1.0})
    assert matches(candidates) == [("a1", "fts"), ("a", "fts"), ("b1", "fts")]


def test_a_query_that_no_word_of_is_found_has_no_matches() -> None:
    assert matches(found_by(DRAWN, {})) == []


def test_hybrid_matches_say_which_leg_found_them_and_are_fused_by_rank() -> None:
    candidates = found_by(DRAWN, {"a1": 2.0, "b": 1.0}, {"b": 0.1, "x": 0.2})
    found = find_entry_points(candidates, SubgraphRequest("q", top_k=3)).matches
    # dense ranks: b 1, x 2, then the rest in file order: root 3, a 4, a1 5, ...
    assert [(m.node_id, m.match_reason, m.rank_fts, m.rank_dense) for m in found] == [
        ("b", "fts+dense", 2, 1),
        ("a1", "fts+dense", 1, 5),
        ("x", "dense", None, 2),
    ]
    assert [m.score for m in found] == [
        1 / (60 + 1) + 1 / (60 + 2),
        1 / (60 + 5) + 1 / (60 + 1),
        1 / (60 + 2),
    ]
    assert found[2].fts_score is None
    assert found[2].distance == pytest.approx(0.2)


def test_a_node_far_from_the_query_is_found_by_full_text_alone() -> None:
    graph = drawn(" ".join(f"n{number}" for number in range(HYBRID_DEPTH + 1)))
    last = f"n{HYBRID_DEPTH}"
    assert matches(found_by(graph, {last: 1.0}, {}), top_k=1) == [("n0", "dense")]
    assert ("n200", "fts") in matches(found_by(graph, {last: 1.0}, {}), top_k=2)


@settings(deadline=None)
@given(graphs(), st.integers(1, 20), st.booleans(), st.data())
def test_the_first_matches_of_a_longer_list_are_the_shorter_list(
    graph: KnowledgeGraph, top_k: int, hybrid: bool, data: st.DataObject
) -> None:
    count = len(graph)
    floats = st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.5]), min_size=count, max_size=count)
    scores = np.array(data.draw(floats), dtype=np.float32)
    distances = np.array(data.draw(floats), dtype=np.float32) if hybrid else None
    candidates = SubgraphCandidates("q", graph, scores, distances, ())
    longer = find_entry_points(candidates, SubgraphRequest("q", top_k=50)).matches
    shorter = find_entry_points(candidates, SubgraphRequest("q", top_k=top_k)).matches
    assert longer[:top_k] == shorter


@pytest.mark.slow
@settings(deadline=None)
@given(graphs(), st.integers(1, 20), st.booleans(), st.data())
def test_counts_fall_from_stage_to_stage_and_near_misses_are_the_rest(
    graph: KnowledgeGraph, top_k: int, hybrid: bool, data: st.DataObject
) -> None:
    count = len(graph)
    floats = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=count, max_size=count)
    scores = np.array(data.draw(floats), dtype=np.float32)
    distances = np.array(data.draw(floats), dtype=np.float32) if hybrid else None
    scope = Scope(tag_filters={"odd": True}) if data.draw(st.booleans()) else Scope()
    found = find_entry_points(
        SubgraphCandidates("q", graph, scores, distances, ()),
        SubgraphRequest("q", top_k, scope=scope),
    )
    counts = found.counts
    assert counts.nodes >= counts.in_scope >= counts.found >= counts.matches == len(found.matches)
    misses = found.near_misses()
    cut = [miss for miss in misses if miss.reason is Reason.TOP_K]
    assert len(cut) == counts.found - counts.matches
    assert [miss.needs for miss in cut] == [
        f"top_k ≥ {top_k + number}" for number in range(1, len(cut) + 1)
    ]
    outside = {miss.row for miss in misses if miss.reason is Reason.SCOPE}
    everywhere = set(range(count)) if hybrid else set(np.flatnonzero(scores > 0).tolist())
    assert outside == {
        row for row in everywhere if not scope.is_everything and not graph.nodes[row].tags["odd"]
    }


def test_a_rank_beyond_fifty_is_out_of_reach() -> None:
    graph = drawn(" ".join(f"n{number}" for number in range(60)))
    found = find_entry_points(
        found_by(graph, {f"n{number}": 1.0 for number in range(60)}), SubgraphRequest("q", top_k=50)
    )
    assert found.near_misses()[0].needs == "out of reach: rank 51, top_k ends at 50"


# --- scope --------------------------------------------------------------------------------------

SCOPED = KnowledgeGraph(
    [
        GraphNode("town", "Town", directories=("town",)),
        GraphNode(
            "inn",
            "Inn",
            parents=("town",),
            directories=("town/harbour",),
            tags={"kind": "house", "floors": 3, "open": True},
        ),
        GraphNode(
            "cook",
            "Cook",
            parents=("inn",),
            directories=("x", "town/harbourside"),
            tags={"kind": "person", "floors": 2.5, "open": False},
        ),
        GraphNode("moon", "Moon", tags={"kind": "house", "floors": "3"}),
    ]
)


def in_scope(**scope: Any) -> list[str]:
    mask = ScopeFilter(SCOPED, SubgraphRequest.of({"query": "q", "scope": scope}).scope).mask
    return [node.id for row, node in enumerate(SCOPED.nodes) if mask is None or mask[row]]


@pytest.mark.parametrize(
    ("scope", "wanted"),
    [
        ({}, ["town", "inn", "cook", "moon"]),
        (
            {"root_node_id": None, "tag_filters": None, "directory_prefix": ""},
            ["town", "inn", "cook", "moon"],
        ),
        ({"root_node_id": "inn"}, ["inn", "cook"]),
        ({"root_node_id": "cook"}, ["cook"]),
        ({"tag_filters": {"kind": "house"}}, ["inn", "moon"]),
        ({"tag_filters": {"kind": "house", "open": True}}, ["inn"]),
        ({"tag_filters": {"floors": 3}}, ["inn", "moon"]),
        ({"tag_filters": {"floors": "3"}}, ["inn", "moon"]),
        ({"tag_filters": {"floors": 2.5}}, ["cook"]),
        ({"tag_filters": {"open": "true"}}, ["inn"]),
        ({"tag_filters": {"open": 1}}, []),
        ({"directory_prefix": "town/harb"}, ["inn", "cook"]),
        ({"directory_prefix": "town/harbour/"}, ["inn"]),
        ({"directory_prefix": "town/"}, ["town", "inn", "cook"]),
        (
            {"root_node_id": "town", "tag_filters": {"kind": "house"}, "directory_prefix": "town"},
            ["inn"],
        ),
    ],
)
def test_every_filter_of_the_scope_must_let_a_node_through(scope: Any, wanted: list[str]) -> None:
    assert in_scope(**scope) == wanted


def test_the_scope_comes_before_the_ranking() -> None:
    candidates = found_by(SCOPED, {"town": 9.0, "inn": 2.0, "cook": 1.0, "moon": 8.0})
    assert matches(candidates, top_k=1, scope={"root_node_id": "inn"}) == [("inn", "fts")]


def test_expansion_may_leave_the_scope() -> None:
    candidates = found_by(SCOPED, {"inn": 1.0})
    request = SubgraphRequest("q", expansion_depth=SHALLOW, scope=Scope("inn"))
    result = SubgraphResult.of(candidates, request)
    assert [SCOPED.nodes[placed.row].id for placed in result.expansion.nodes] == [
        "inn",
        "town",
        "cook",
    ]


@pytest.mark.parametrize(
    ("scope", "wanted"),
    [
        (Scope("inn"), 'scope.root_node_id: it is not below "inn"'),
        (Scope(tag_filters={"open": True}), "scope.tag_filters: it has no tag open"),
        (Scope(tag_filters={"kind": "person"}), 'scope.tag_filters: kind is "house", not "person"'),
        (
            Scope(directory_prefix="x"),
            'scope.directory_prefix: none of its directories starts with "x"',
        ),
    ],
)
def test_a_near_miss_says_which_filter_leaves_it_out(scope: Scope, wanted: str) -> None:
    assert ScopeFilter(SCOPED, scope).why_out(SCOPED.row("moon")) == wanted
    found = find_entry_points(found_by(SCOPED, {"moon": 1.0}), SubgraphRequest("q", scope=scope))
    (miss,) = found.near_misses()
    assert (miss.reason, miss.needs, miss.rank) == (Reason.SCOPE, wanted, None)


def test_a_root_that_no_node_has_is_refused() -> None:
    with pytest.raises(InspectorError) as refused:
        matches(found_by(SCOPED, {}), scope={"root_node_id": "gone"})
    assert refused.value.code is Code.InvalidParamValue
    assert refused.value.place.param == "scope.root_node_id"


# --- requests -----------------------------------------------------------------------------------


def test_a_request_takes_its_defaults_and_null_means_default() -> None:
    bare = SubgraphRequest.of({"query": "x"})
    assert bare == SubgraphRequest("x", 5, NONE, Scope(), False)
    assert bare == SubgraphRequest.of(
        {
            "query": "x",
            "top_k": None,
            "expansion_depth": None,
            "scope": None,
            "include_raw_text": None,
        }
    )


def test_the_seeds_request_is_understood() -> None:
    request = SubgraphRequest.of(
        {
            "query": "<string>",
            "top_k": 5,
            "expansion_depth": "none",
            "scope": {
                "root_node_id": "<string>",
                "tag_filters": {},
                "directory_prefix": "<string>",
            },
            "include_raw_text": False,
        }
    )
    assert request.scope == Scope("<string>", {}, "<string>")


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "query"),
        ({"query": " "}, "query"),
        ({"query": 7}, "query"),
        ({"query": None}, "query"),
        ([], "request"),
        ({"top_k": 0}, "top_k"),
        ({"top_k": 51}, "top_k"),
        ({"top_k": 5.0}, "top_k"),
        ({"top_k": True}, "top_k"),
        ({"top_k": "5"}, "top_k"),
        ({"top_k": math.nan}, "top_k"),
        ({"expansion_depth": "deeper"}, "expansion_depth"),
        ({"expansion_depth": 1}, "expansion_depth"),
        ({"expansion_depth": ["deep"]}, "expansion_depth"),
        ({"include_raw_text": "yes"}, "include_raw_text"),
        ({"include_raw_text": 1}, "include_raw_text"),
        ({"scope": "x"}, "scope"),
        ({"scope": {"root_node_id": 1}}, "scope.root_node_id"),
        ({"scope": {"directory_prefix": []}}, "scope.directory_prefix"),
        ({"scope": {"tag_filters": ["x"]}}, "scope.tag_filters"),
        ({"scope": {"tag_filters": {"k": []}}}, "scope.tag_filters.k"),
        ({"scope": {"root": "x"}}, "scope.root"),
        ({"topk": 5}, "topk"),
    ],
)
def test_a_bad_request_is_3007_with_its_parameter(body: Any, param: str) -> None:
    if isinstance(body, dict) and body and "query" not in body:
        body = {"query": "x", **body}
    with pytest.raises(InvalidRequest) as refused:
        SubgraphRequest.of(body)
    assert refused.value.code is Code.InvalidParamValue
    assert refused.value.place.param == param


def test_a_misspelt_parameter_gets_a_suggestion() -> None:
    with pytest.raises(InvalidRequest) as refused:
        SubgraphRequest.of({"query": "x", "expansion_dept": "deep"})
    assert refused.value.hint == 'did you mean "expansion_depth"?'


# --- the response -------------------------------------------------------------------------------

ANSWER = KnowledgeGraph(
    [
        GraphNode("t", "Town"),
        GraphNode("i", "Inn", "A house", ("t",), {"floors": 3}, ("town",), "Long story"),
    ],
    [GraphConnection("c", "i", "t", "pays", "social")],
)


def test_the_response_has_exactly_the_seeds_shape() -> None:
    request = SubgraphRequest("inn?", expansion_depth=SHALLOW, include_raw_text=True)
    result = SubgraphResult.of(found_by(ANSWER, {"i": 1.5}), request)
    assert result.response() == {
        "query": "inn?",
        "matches": [{"node_id": "i", "title": "Inn", "score": 1.5, "match_reason": "fts"}],
        "nodes": [
            {
                "node_id": "i",
                "title": "Inn",
                "description": "A house",
                "path": ["Town", "Inn"],
                "tags": {"floors": 3},
                "directories": ["town"],
                "text_content": "Long story",
            },
            {
                "node_id": "t",
                "title": "Town",
                "description": "",
                "path": ["Town"],
                "tags": {},
                "directories": [],
                "text_content": "",
            },
        ],
        "connections": [
            {
                "connection_id": "c",
                "from_node_id": "i",
                "from_title": "Inn",
                "to_node_id": "t",
                "to_title": "Town",
                "label": "pays",
                "connection_type": "social",
            }
        ],
    }


def test_text_content_is_null_unless_it_was_asked_for() -> None:
    result = SubgraphResult.of(found_by(ANSWER, {"i": 1.5}), SubgraphRequest("inn"))
    response = result.response()
    assert [node["text_content"] for node in response["nodes"]] == [None]
    assert response["connections"] == []


def test_another_depth_needs_no_new_search() -> None:
    points = find_entry_points(found_by(ANSWER, {"i": 1.5}), SubgraphRequest("inn"))
    assert len(SubgraphResult(points).expansion.nodes) == 1
    assert len(SubgraphResult(points, SHALLOW).expansion.nodes) == 2


def test_a_chunk_is_title_description_and_text_when_asked_for() -> None:
    points = find_entry_points(found_by(ANSWER, {"i": 1.5}), SubgraphRequest("inn"))
    assert SubgraphResult(points).chunk_text(1) == "Inn\nA house"
    raw = SubgraphResult(points, include_raw_text=True)
    assert (raw.chunk_text(1), raw.chunk_text(0)) == ("Inn\nA house\nLong story", "Town")


# --- full text and embeddings -------------------------------------------------------------------

FIELDS = KnowledgeGraph(
    [
        GraphNode("d", "quay wall", "a red lantern hangs"),
        GraphNode("t", "red lantern", "a quay wall stands"),
        GraphNode("x", "quay post", "a white wall stands", text="the lantern is by the quay"),
        GraphNode("n", "tower", "far away"),
    ]
)


def bm25f(query: list[str], graph: KnowledgeGraph) -> list[float]:
    """The formula, written out: term frequencies and lengths with the title three times."""
    bags = [
        (node.title.lower().split() * 3) + node.description.split() + (node.text or "").split()
        for node in graph.nodes
    ]
    average = sum(map(len, bags)) / len(bags)
    scores = []
    for bag in bags:
        score = 0.0
        for term in query:
            df = sum(term in other for other in bags)
            idf = math.log(1 + (len(bags) - df + 0.5) / (df + 0.5))
            tf = bag.count(term)
            score += idf * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * len(bag) / average))
        scores.append(score)
    return scores


@pytest.mark.parametrize("query", ["lantern", "red lantern", "quay wall quay", "unknown", "a"])
def test_full_text_scores_are_bm25_with_the_title_three_times(query: str) -> None:
    scores = SubgraphSearch(FIELDS).candidates(query).fts_scores
    assert scores == pytest.approx(bm25f(query.split(), FIELDS), abs=1e-4)


def test_a_word_in_the_title_weighs_more_than_one_in_the_description_or_text() -> None:
    assert matches(SubgraphSearch(FIELDS).candidates("lantern")) == [
        ("t", "fts"),
        ("d", "fts"),
        ("x", "fts"),
    ]


def test_a_query_is_searched_as_it_is_written_whatever_its_case() -> None:
    assert matches(SubgraphSearch(FIELDS).candidates("LANTERN, Red?"))[0] == ("t", "fts")


def test_with_distances_a_search_is_hybrid() -> None:
    asked = []

    def distances(query: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        asked.append(query)
        return np.array([0.9, 0.8, 0.7, -1e-8], dtype=np.float32)

    candidates = SubgraphSearch(FIELDS, distances).candidates("lantern")
    assert asked == ["lantern"]
    assert float(candidates.distances[3]) == 0
    found = find_entry_points(candidates, SubgraphRequest("lantern", top_k=4)).matches
    # full text: t d x; dense: n x t d
    assert {match.node_id: (match.match_reason, match.score) for match in found} == {
        "t": ("fts+dense", 1 / (60 + 3) + 1 / (60 + 1)),
        "x": ("fts+dense", 1 / (60 + 2) + 1 / (60 + 3)),
        "d": ("fts+dense", 1 / (60 + 4) + 1 / (60 + 2)),
        "n": ("dense", 1 / (60 + 1)),
    }


def test_what_is_embedded_of_a_node_is_title_description_and_text() -> None:
    assert embedding_text(FIELDS.nodes[2]) == (
        "quay post\na white wall stands\nthe lantern is by the quay"
    )
    assert embedding_text(GraphNode("a", "A")) == "A"


def test_distances_are_one_minus_the_cosine_of_normalised_vectors() -> None:
    vectors = np.array([[1, 0], [0, 1], [-1, 0], [0.6, 0.8]], dtype=np.float32)
    records = RecordVectors(vectors, np.array([], dtype=np.int64), 0)
    asked = node_distances(records, lambda query: np.array([1, 0], dtype=np.float32))("x")
    assert asked == pytest.approx([1 - 1, 1 - 0, 1 + 1, 1 - 0.6])
    assert asked.dtype == np.float32


def test_candidates_are_read_only() -> None:
    candidates = SubgraphSearch(FIELDS).candidates("lantern")
    with pytest.raises(ValueError, match="read-only"):
        candidates.fts_scores[0] = 1


def test_the_whole_way_on_the_town(samples: Path) -> None:
    graph = load_knowledge_graph(samples / "town" / "town.kg.json")
    search = SubgraphSearch(graph)
    request = SubgraphRequest.of(
        {"query": "letter with a lantern", "top_k": 1, "expansion_depth": "standard"}
    )
    response = SubgraphResult.of(search.candidates(request.query), request).response()
    assert [match["node_id"] for match in response["matches"]] == ["lantern-letter"]
    names = [node["node_id"] for node in response["nodes"]]
    assert names[:2] == ["lantern-letter", "courier-bag"]
    assert {"green-wax", "papermaker-lio", "stranger", "parrot"} == set(names[2:])
    labels = {(link["from_node_id"], link["label"]) for link in response["connections"]}
    assert ("papermaker-lio", "made the paper of") in labels
    assert all(
        link["from_node_id"] in names and link["to_node_id"] in names
        for link in response["connections"]
    )


def test_the_same_search_gives_the_same_response(samples: Path) -> None:
    graph = load_knowledge_graph(samples / "town" / "town.kg.json")
    request = SubgraphRequest("key letter lantern ferry", 10, DEEP)
    first, second = (
        SubgraphResult.of(SubgraphSearch(graph).candidates(request.query), request).response()
        for _ in range(2)
    )
    assert json.dumps(first) == json.dumps(second)


@pytest.mark.slow
def test_wordnet_opens_without_findings_and_expands(shared_data: Path, tmp_path: Path) -> None:
    script = shared_data / "wordnet" / "build_wordnet.py"
    built = subprocess.run(
        [sys.executable, str(script), str(tmp_path), "--limit", "20000"],
        check=False,
        capture_output=True,
    )
    if built.returncode:
        pytest.skip("the WordNet database is not installed")
    graph = load_knowledge_graph(tmp_path / "wordnet.kg.json")
    assert graph.findings == ()
    result = SubgraphResult.of(
        SubgraphSearch(graph).candidates("dog"), SubgraphRequest("dog", 50, DEEP)
    )
    assert result.entry_points.matches
    assert len(result.expansion.nodes) <= MAX_NODES
