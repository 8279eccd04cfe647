from __future__ import annotations

import copy
import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from core.agent import Agent, GraphDescription, RetrieveParams
from core.agent.workspace import Workspace
from core.embedding.embedder import ModelProvider
from core.errors import Cancelled, Code
from core.hits.comparison import Verdict
from core.io.work import Work
from core.nodes import GenerateParams, KnowledgeSourceKind, RetrievalMode
from core.opening.opening import Opened, open_path
from core.recording.reading import read_recording
from core.recording.replay import NodeReplay, replay_turn
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn

MESSAGE = "which fish jump out of the tank?"
STORAGE = "aquarium_all_mini.json"


@pytest.fixture(scope="module")
def aquarium(samples: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay") / "aquarium"
    shutil.copytree(
        samples / "aquarium",
        folder,
        ignore=shutil.ignore_patterns("*.bm25", "*.hnsw*", "*.vectors*"),
    )
    return folder


@pytest.fixture(scope="module")
def target(aquarium: Path) -> Opened:
    return open_path(
        aquarium / "hybrid.graph.json", models=ModelProvider(lambda _name: FakeEmbedder())
    )


@pytest.fixture(scope="module")
def knowledge_alone(target: Opened, aquarium: Path) -> Opened:
    opened = open_path(aquarium / STORAGE)
    return Opened(opened.graph, target.workspace, opened.path)


@pytest.fixture(scope="module")
def info(target: Opened) -> dict[str, Any]:
    return Agent(target.graph, target.workspace).turn(MESSAGE).debug_info


@pytest.fixture
def recorded(info: dict[str, Any]) -> dict[str, Any]:
    """The diagnostics of the Retrieve node, a copy to be edited."""
    return copy.deepcopy(info["nodes"][1]["diagnostics"])


def turn_of(
    folder: Path,
    diagnostics: object,
    name: str = "knowledge",
    node_type: str = "Retrieve",
    **beside: object,
) -> Turn:
    path = folder / "turn.json"
    path.write_text(
        json.dumps(
            {**beside, "nodes": [{"name": name, "type": node_type, "diagnostics": diagnostics}]}
        )
    )
    return read_recording(path).turns[-1]


def replayed(
    folder: Path, target: Opened, diagnostics: object, name: str = "knowledge", **beside: Any
) -> NodeReplay:
    (node,) = replay_turn(turn_of(folder, diagnostics, name, **beside), target).nodes
    return node


def params_of(node: NodeReplay) -> RetrieveParams:
    assert node.here is not None
    assert isinstance(node.here.params, RetrieveParams)
    return node.here.params


def test_a_turn_that_was_recorded_here_agrees(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    node = replayed(tmp_path, target, recorded)
    assert (node.node, node.type, node.query, node.changed) == (
        "knowledge",
        "Retrieve",
        MESSAGE,
        (),
    )
    assert node.here is not None
    assert [hit.id for hit in node.here.hits] == [
        result["id"] for result in recorded["output"]["results"]
    ]
    assert not node.differs


def test_what_differs_is_told(tmp_path: Path, target: Opened, recorded: dict[str, Any]) -> None:
    first, second, third = recorded["output"]["results"]
    gone = third | {"id": "gone"}
    recorded["output"]["results"] = [second, first, gone]
    comparison = replayed(tmp_path, target, recorded).comparison
    assert [(pair.id, pair.verdict) for pair in comparison.pairs] == [
        (second["id"], Verdict.MOVED),
        (first["id"], Verdict.MOVED),
        ("gone", Verdict.MISSING),
        (third["id"], Verdict.NEW),
    ]
    assert comparison.differs


def test_recorded_parameters_win_over_those_of_the_graph(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    recorded["parameters"] |= {
        "retrieval_mode": "Lexical",
        "top_k": 1,
        "threshold": "inf",
        "rrf_k": 7,
        "source": "other",
        "filter": "",
    }
    params = params_of(replayed(tmp_path, target, recorded))
    assert (params.retrieval_mode, params.top_k, params.threshold, params.rrf_k, params.source) == (
        RetrievalMode.Lexical,
        1,
        0.0,
        7,
        "other",
    )


def test_what_is_not_recorded_is_as_in_the_graph(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    del recorded["parameters"]["retrieval_mode"], recorded["parameters"]["top_k"]
    node = replayed(tmp_path, target, recorded)
    assert (params_of(node).retrieval_mode, params_of(node).top_k) == (RetrievalMode.Hybrid, 3)
    assert node.changed == ("not recorded: retrieval_mode (Hybrid here), top_k (3 here)",)


def test_what_is_neither_recorded_nor_in_the_graph_is_the_default(
    tmp_path: Path, knowledge_alone: Opened, recorded: dict[str, Any]
) -> None:
    recorded["parameters"] = {}
    node = replayed(tmp_path, knowledge_alone, recorded, "lore")
    assert params_of(node) == RetrieveParams(embedded_string_storage=STORAGE)
    assert "no storage is recorded" in node.changed[1]


def test_a_value_that_cannot_be_taken_over_is_told(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    recorded["parameters"]["top_k"] = 5000
    node = replayed(tmp_path, target, recorded)
    assert "top_k cannot be taken over: 5000 is out of range" in node.changed[0]
    assert params_of(node).top_k == 3


@pytest.mark.parametrize("name", ["knowledge", "lore"])
def test_a_storage_that_is_not_here_is_replaced_by_the_targets(
    tmp_path: Path, target: Opened, knowledge_alone: Opened, recorded: dict[str, Any], name: str
) -> None:
    recorded["parameters"]["embedded_string_storage"] = "data/fish.json"
    for opened in (target, knowledge_alone):
        node = replayed(tmp_path, opened, recorded, name)
        assert not node.differs
        assert params_of(node).embedded_string_storage == STORAGE
        assert '"data/fish.json"' in node.changed[0]
        assert f'"{STORAGE}" is searched' in node.changed[0]


@pytest.mark.parametrize("name", ["../outside.json", "/etc/passwd", "refusals.txt"])
def test_a_storage_outside_the_root_or_of_another_kind_is_not_searched(
    tmp_path: Path, target: Opened, recorded: dict[str, Any], name: str
) -> None:
    recorded["parameters"]["embedded_string_storage"] = name
    assert params_of(replayed(tmp_path, target, recorded)).embedded_string_storage == STORAGE


def test_where_no_storage_can_take_its_place_the_replay_is_refused(
    tmp_path: Path, aquarium: Path, recorded: dict[str, Any]
) -> None:
    recorded["parameters"]["embedded_string_storage"] = "data/fish.json"
    bare = GraphDescription().add_node("answer", GenerateParams()).set_start_node("answer")
    node = replayed(tmp_path, Opened(bare, Workspace(aquarium), aquarium), recorded)
    assert node.error is not None
    assert (node.error.code, node.error.place.node) == (Code.StorageFileNotFound, "knowledge")
    assert (node.here, node.comparison.pairs, node.differs) == (None, (), True)


def test_a_filter_that_does_not_compile_here_is_refused(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    recorded["parameters"]["filter"] = '{"op": "odd"}'
    error = replayed(tmp_path, target, recorded).error
    assert error is not None
    assert error.code is Code.InvalidParamValue


def test_an_empty_query_finds_nothing_on_both_sides(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    recorded["parameters"] |= {
        "filter": '{"op": "odd"}',
        "raw_result_count": 0,
        "filtered_count": 0,
        "result_count": 0,
    }
    node = replayed(tmp_path, target, recorded | {"input": {}, "output": {"results": []}})
    assert (node.query, node.differs, node.error) == ("", False, None)
    assert node.here is not None
    assert node.here.hits == ()


def test_without_a_recorded_query_the_message_is_searched_with(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    del recorded["input"]
    node = replayed(tmp_path, target, recorded, message=MESSAGE)
    assert (node.query, node.differs) == (MESSAGE, False)
    assert "the query is not recorded" in node.changed[0]


def test_hits_without_query_and_message_cannot_be_replayed(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    del recorded["input"]
    error = replayed(tmp_path, target, recorded).error
    assert error is not None
    assert "neither query nor message" in error.message


def test_a_question_that_the_model_does_not_read_to_its_end_is_told(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    recorded["input"]["query"] = "fish " * 1999 + "dragon"
    replay = replay_turn(turn_of(tmp_path, recorded), target)
    assert any("1746 are cut at its end" in note for note in replay.nodes[0].changed)


def test_the_flat_form_is_replayed(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    flat = {f"knowledge.{key}": str(value) for key, value in recorded["parameters"].items()}
    flat["knowledge.query"] = MESSAGE
    for index, result in enumerate(recorded["output"]["results"]):
        flat |= {f"knowledge.result[{index:03}].{key}": str(value) for key, value in result.items()}
    path = tmp_path / "flat.json"
    path.write_text(json.dumps(flat))
    replay = replay_turn(read_recording(path).turns[0], target)
    assert [node.comparison.summary for node in replay.nodes] == [
        "3 same, 0 moved, 0 distance, 0 missing, 0 new"
    ]
    assert not replay.differs


def test_a_live_turn_can_be_replayed_too(target: Opened) -> None:
    turn = Agent(target.graph, target.workspace).turn(MESSAGE)
    assert not replay_turn(turn, target).differs


@pytest.mark.parametrize("sample", ["handbook", "town"])
def test_keyword_and_subgraph_retrievals_are_replayed(
    samples: Path, tmp_path: Path, sample: str
) -> None:
    opened = open_path(samples / sample)
    turn = Agent(opened.graph, opened.workspace).turn("where do I tune fusion in the town?")
    path = tmp_path / "turn.json"
    path.write_text(json.dumps(turn.debug_info))
    replay = replay_turn(read_recording(path).turns[0], opened)
    (node,) = replay.nodes
    assert node.comparison.pairs
    assert not replay.differs


def test_a_memory_store_is_searched_under_the_name_that_the_graph_gives_it(tmp_path: Path) -> None:
    (tmp_path / "schemas.json").write_text('{"schemas": [{"name": "s", "fields": []}]}')
    (tmp_path / "store.json").write_text(
        json.dumps(
            {
                "name": "memories_ada",
                "schema": "s",
                "embedding_model": "All-MiniLM-L6-v2 (Q4_K_M)",
                "records": [{"id": "m1", "text": "cider"}, {"id": "m2", "text": "ale"}],
            }
        )
    )
    graph = (
        GraphDescription()
        .add_node(
            "recall",
            RetrieveParams(
                source_kind=KnowledgeSourceKind.FromName,
                storage_name="memories_{{var.player}}",
                schema="s",
                retrieval_mode=RetrievalMode.Lexical,
            ),
        )
        .set_start_node("recall")
    )
    turn = turn_of(
        tmp_path,
        {
            "parameters": {"retrieval_mode": "Lexical", "top_k": 2, "threshold": 0.5, "filter": ""},
            "input": {"query": "cider?"},
            "output": {"results": [{"id": "m1"}]},
        },
        "recall",
    )
    opened = Opened(graph, Workspace(tmp_path), tmp_path)
    (node,) = replay_turn(turn, opened, variables={"player": "ada"}).nodes
    assert (node.error, node.changed, node.differs) == (None, (), False)
    (node,) = replay_turn(turn, opened).nodes
    assert node.error is not None
    assert 'undefined variable "player"' in node.error.message


def test_classify_intent_is_replayed(tmp_path: Path, target: Opened) -> None:
    hits = target.workspace.candidates(STORAGE, MESSAGE, "", dense=True)
    assert hits.dense is not None
    rows = hits.dense.order[:3].tolist()
    diagnostics = {
        "parameters": {
            "embedded_string_storage": STORAGE,
            "metadata_field": "water",
            "threshold": "inf",
            "diagnostic_topk": 3,
            "filter": "",
        },
        "input": {"query": MESSAGE},
        "output": {
            "results": [
                {"id": hits.ids[row], "distance": float(hits.dense.distances[row])} for row in rows
            ]
        },
    }
    turn = turn_of(tmp_path, diagnostics, "intent", "ClassifyIntent")
    (node,) = replay_turn(turn, target).nodes
    assert (node.error, node.comparison.count(Verdict.SAME), node.differs) == (None, 3, False)


def test_an_unknown_node_is_noted_and_the_others_are_replayed(
    tmp_path: Path, target: Opened, info: dict[str, Any]
) -> None:
    path = tmp_path / "turn.json"
    path.write_text(json.dumps({"nodes": [{"name": "magic", "type": "Oracle"}, *info["nodes"]]}))
    replay = replay_turn(read_recording(path).turns[0], target)
    assert [node.node for node in replay.nodes] == ["knowledge"]
    assert "magic" in replay.notes[0]


def test_a_replay_can_be_cancelled(
    tmp_path: Path, target: Opened, recorded: dict[str, Any]
) -> None:
    with pytest.raises(Cancelled):
        replay_turn(turn_of(tmp_path, recorded), target, work=Work(is_cancelled=lambda: True))
