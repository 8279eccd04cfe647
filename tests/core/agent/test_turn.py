from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.agent import Agent, GenerateParams, GraphDescription, RetrieveParams, Workspace
from core.knowledge.root import StorageRoot
from core.opening.opening import open_path

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider

AQUARIUM = "aquarium_all_mini.json"
FOUND = "do clownfish get along with lionfish?"
NOT_FOUND = "how much does a castle cost?"
UNKNOWN_WORD = "xyzzy"

ALWAYS = {
    "source",
    "embedded_string_storage",
    "top_k",
    "threshold",
    "retrieval_mode",
    "rrf_k",
    "filter",
    "raw_result_count",
    "filtered_count",
    "result_count",
}
PER_LEG = {"dense_raw_count", "dense_filtered_count", "sparse_raw_count", "fused_candidate_count"}


@pytest.fixture(scope="module")
def agent(samples: Path, models: ModelProvider) -> Agent:
    graph = (
        GraphDescription()
        .add_node(
            "k",
            RetrieveParams(
                embedded_string_storage=AQUARIUM,
                top_k=4,
                threshold=0.6,
                found_exit="a",
                not_found_exit="a",
            ),
        )
        .add_node("a", GenerateParams())
        .set_start_node("k")
        .set_default_model_name("M")
    )
    return Agent(graph, Workspace(StorageRoot(samples / "aquarium"), models))


def diagnostics(agent: Agent, mode: str, message: str, **changes: object) -> dict[str, dict]:  # type: ignore[type-arg]
    for param, value in ({"retrieval_mode": mode, "top_k": 4, "threshold": 0.6} | changes).items():
        agent.change_param("k", param, value)
    found: dict[str, dict] = agent.turn(message).debug_info["nodes"][0]["diagnostics"]  # type: ignore[type-arg]
    return found


def test_the_envelope_has_the_documented_keys_and_order(agent: Agent) -> None:
    info = agent.turn(FOUND).debug_info
    assert list(info) == ["status", "nodes"]
    assert info["status"] == "Success"
    assert [list(node) for node in info["nodes"]] == [
        ["name", "type", "exit", "next", "diagnostics"]
    ] * 2
    assert [(n["name"], n["type"], n["next"]) for n in info["nodes"]] == [
        ("k", "Retrieve", "a"),
        ("a", "Generate", ""),
    ]


@pytest.mark.parametrize("message", [FOUND, NOT_FOUND])
def test_dense_reports_no_per_leg_counts(agent: Agent, message: str) -> None:
    found = diagnostics(agent, "Dense", message)
    assert set(found) == {"parameters", "input", "output"}
    assert set(found["parameters"]) == ALWAYS
    assert found["input"] == {"query": message}
    for result in found["output"]["results"]:
        assert set(result) == {"id", "distance", "rank_dense", "text"}


@pytest.mark.parametrize("message", [FOUND, UNKNOWN_WORD])
def test_lexical_reports_the_per_leg_counts_and_null_distances(agent: Agent, message: str) -> None:
    found = diagnostics(agent, "Lexical", message)
    parameters = found["parameters"]
    assert set(parameters) == ALWAYS | PER_LEG
    assert (
        parameters["dense_raw_count"],
        parameters["dense_filtered_count"],
        parameters["fused_candidate_count"],
        parameters["filtered_count"],
    ) == (0, 0, 0, 0)
    assert parameters["raw_result_count"] == parameters["sparse_raw_count"]
    for result in found["output"]["results"]:
        assert set(result) == {"id", "distance", "bm25_score", "rank_sparse", "text"}
        assert result["distance"] is None


@pytest.mark.parametrize("message", [FOUND, "Lysmata amboinensis", UNKNOWN_WORD])
def test_hybrid_counts_add_up_and_each_hit_names_its_legs(agent: Agent, message: str) -> None:
    found = diagnostics(agent, "Hybrid", message)
    parameters = found["parameters"]
    assert set(parameters) == ALWAYS | PER_LEG
    assert parameters["raw_result_count"] == (
        parameters["dense_raw_count"] + parameters["sparse_raw_count"]
    )
    assert parameters["filtered_count"] == parameters["dense_filtered_count"]
    assert parameters["result_count"] == min(4, parameters["fused_candidate_count"])
    for result in found["output"]["results"]:
        assert ("rank_dense" in result) == (result["distance"] is not None)
        assert ("bm25_score" in result) == ("rank_sparse" in result)
        assert "rank_dense" in result or "rank_sparse" in result


def test_a_query_with_no_known_word_never_enters_the_fusion(agent: Agent) -> None:
    found = diagnostics(agent, "Hybrid", UNKNOWN_WORD)
    assert found["parameters"]["sparse_raw_count"] == 0


def test_results_are_there_also_when_nothing_was_found(agent: Agent) -> None:
    assert diagnostics(agent, "Dense", NOT_FOUND)["output"] == {"results": []}


def test_a_threshold_of_zero_is_reported_as_inf_and_limits_nothing(agent: Agent) -> None:
    parameters = diagnostics(agent, "Dense", NOT_FOUND, threshold=0)["parameters"]
    assert parameters["threshold"] == "inf"
    assert (parameters["result_count"], parameters["filtered_count"]) == (4, 0)


def test_the_filter_is_reported_as_it_was_written(agent: Agent) -> None:
    text = '{"op": "eq",  "lhs": {"knowledge": "beginner"}, "rhs": {"value": true}}'
    agent.change_param("k", "filter", text)
    try:
        assert diagnostics(agent, "Dense", FOUND)["parameters"]["filter"] == text
    finally:
        agent.change_param("k", "filter", "")


def test_debug_info_is_plain_json(agent: Agent) -> None:
    diagnostics(agent, "Hybrid", FOUND)
    info = agent.turn(FOUND).debug_info
    assert json.loads(json.dumps(info, allow_nan=False)) == info


def test_the_distances_are_those_of_a_direct_dot_product(
    agent: Agent, samples: Path, models: ModelProvider
) -> None:
    from sentence_transformers import SentenceTransformer

    from core.embedding.models import find_model

    entry = find_model("all-MiniLM-L6-v2")
    assert entry is not None
    model = SentenceTransformer(str(entry.folder()), device="cpu", local_files_only=True)
    records = json.loads((samples / "aquarium/aquarium_all_mini.kb.json").read_text())
    texts = {record["id"]: record["text"] for record in records}
    results = diagnostics(agent, "Dense", FOUND, top_k=20, threshold=0)["output"]["results"]
    query = model.encode([FOUND], normalize_embeddings=True)[0]
    vectors = model.encode([texts[r["id"]] for r in results], normalize_embeddings=True)
    expected = 1 - vectors.astype(np.float64) @ query.astype(np.float64)
    np.testing.assert_allclose([r["distance"] for r in results], expected, atol=1e-5)
    assert [r["distance"] for r in results] == sorted(r["distance"] for r in results)


def test_opening_knowledge_alone_makes_a_graph_of_two_nodes(
    samples: Path, models: ModelProvider
) -> None:
    opened = open_path(samples / "aquarium" / AQUARIUM, models=models)
    assert [node.type for node in opened.graph.nodes] == ["Retrieve", "Generate"]
    turn = Agent(opened.graph, opened.workspace).turn(FOUND)
    assert [run.name for run in turn.runs] == ["knowledge", "answer"]
    assert turn.runs[0].retrieval is not None
    assert all(hit.text in turn.messages[0].text for hit in turn.runs[0].retrieval.hits)
