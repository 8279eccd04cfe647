from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import Agent, GraphDescription, Workspace
from core.agent.agent import run_turn
from core.embedding.embedder import ModelProvider
from core.io.work import SearchNeeded, Work
from core.knowledge.memory import MemoryStore
from core.knowledge.root import StorageRoot
from core.nodes import (
    GenerateParams,
    InstructionParams,
    KnowledgeSourceKind,
    NodeParams,
    RetrievalMode,
    RetrieveParams,
    WriteToMemoryParams,
)
from core.nodes.walk import Play
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from core.agent.turn import Turn

FIELDS = [
    {"name": "day", "type": "int", "default": 0},
    {"name": "mood", "type": "string", "optional": True},
    {"name": "trust", "type": "float", "optional": True},
    {"name": "secret", "type": "bool", "optional": True},
    {"name": "tags", "type": "set<string>", "optional": True},
]
SCHEMAS = {"schemas": [{"name": "note", "fields": FIELDS}, {"name": "bare", "fields": []}]}
DAY_3 = '{"op": "eq", "lhs": {"knowledge": "day"}, "rhs": {"value": 3}}'


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def workspace(tmp_path: Path, embedder: FakeEmbedder) -> Workspace:
    (tmp_path / "schemas.json").write_text(json.dumps(SCHEMAS))
    return Workspace(StorageRoot(tmp_path), ModelProvider(lambda _: embedder))


def recall(**changes: Any) -> RetrieveParams:
    params: dict[str, Any] = {
        "source_kind": KnowledgeSourceKind.FromName,
        "storage_name": "diary",
        "schema": "note",
        "retrieval_mode": RetrievalMode.Lexical,
        "top_k": 3,
        "threshold": 0.0,
        "found_exit": "remember",
        "not_found_exit": "remember",
    }
    return RetrieveParams(**params | changes)


def remember(**changes: Any) -> WriteToMemoryParams:
    return WriteToMemoryParams(**{"storage_name": "diary", "schema": "note"} | changes)


def graph_of(**nodes: NodeParams) -> GraphDescription:
    graph = GraphDescription().set_start_node(next(iter(nodes))).set_default_model_name("M")
    for name, params in nodes.items():
        graph.add_node(name, params)
    return graph


def both(**changes: Any) -> GraphDescription:
    return graph_of(
        recall=recall(**changes),
        remember=remember(
            **{key: changes[key] for key in ("storage_name", "schema") if key in changes}
        ),
    )


def found(turn: Turn, node: str = "recall") -> list[str]:
    run = turn.run_of(node)
    assert run is not None
    assert run.retrieval is not None
    return [hit.id for hit in run.retrieval.hits]


def put(path: Path, name: str, *records: dict[str, Any], schema: str = "note") -> Path:
    path.write_text(json.dumps({"name": name, "schema": schema, "records": list(records)}))
    return path


@pytest.mark.parametrize("mode", list(RetrievalMode))
def test_a_written_record_is_found_by_the_very_next_turn(
    workspace: Workspace, mode: RetrievalMode
) -> None:
    agent = Agent(both(retrieval_mode=mode), workspace)
    assert found(agent.turn("the key lies under a stone")) == []
    turn = agent.turn("the key lies under a stone")
    assert found(turn) == ["memory-1"]
    assert turn.runs[0].exit == "found"
    assert set(found(agent.turn("key stone"))) == {"memory-1", "memory-2"}


def test_a_memory_is_found_by_its_meaning(tmp_path: Path, models: ModelProvider) -> None:
    (tmp_path / "schemas.json").write_text(json.dumps(SCHEMAS))
    agent = Agent(
        both(retrieval_mode=RetrievalMode.Dense, threshold=0.7),
        Workspace(StorageRoot(tmp_path), models),
    )
    for message in ("My favourite animal is the clownfish", "I parked the cart behind the mill"):
        agent.turn(message)
    assert found(agent.turn("which pet do I love most?")) == ["memory-1"]


def test_a_record_is_found_in_the_turn_that_writes_it(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            remember=remember(default_exit="recall"),
            recall=recall(found_exit="", not_found_exit=""),
        ),
        workspace,
    )
    assert found(agent.turn("the key")) == ["memory-1"]


def test_what_was_written_is_told_in_the_diagnostics(workspace: Workspace) -> None:
    agent = Agent(graph_of(remember=remember()), workspace)
    agent.turn("one")
    run = agent.turn("  two ").runs[0]
    assert (run.exit, run.output) == ("default", "two")
    assert run.diagnostics() == {
        "parameters": {"storage_name": "diary", "schema": "note"},
        "input": {"text": "two"},
        "output": {"written": True, "id": "memory-2", "record_count": 2},
    }


def test_an_empty_text_writes_nothing(workspace: Workspace) -> None:
    agent = Agent(graph_of(remember=remember()), workspace)
    turn = agent.turn("  ")
    assert turn.runs[0].diagnostics() == {
        "parameters": {"storage_name": "diary", "schema": "note"},
        "input": {},
        "output": {"written": False, "record_count": 0},
    }
    assert agent.play.memory == {}


def test_the_text_may_be_what_an_earlier_node_said(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            says=InstructionParams(instruction="Be kind.", default_exit="remember"),
            remember=remember(input="{{user_message}}: {{node.says.output}}"),
        ),
        workspace,
    )
    agent.turn("Hello")
    assert agent.play.memory["diary"].records[0]["text"] == "Hello: Be kind."


def test_a_variable_keeps_stores_apart(workspace: Workspace) -> None:
    agent = Agent(both(storage_name="memories_{{var.player}}"), workspace)
    agent.variables["player"] = "ada"
    agent.turn("Remember that I like apples")
    agent.variables["player"] = "bob"
    assert found(agent.turn("do I like apples?")) == []
    agent.variables["player"] = "ada"
    assert found(agent.turn("do I like apples?")) == ["memory-1"]
    assert {name: len(store.records) for name, store in agent.play.memory.items()} == {
        "memories_ada": 2,
        "memories_bob": 1,
    }


@pytest.mark.parametrize("node", ["recall", "remember"])
def test_an_undefined_variable_is_3007_with_its_name(workspace: Workspace, node: str) -> None:
    nodes = {
        "recall": recall(storage_name="m_{{var.player}}", found_exit="", not_found_exit=""),
        "remember": remember(storage_name="m_{{var.player}}"),
    }
    turn = Agent(graph_of(**{node: nodes[node]}), workspace).turn("hello")
    assert turn.error is not None
    assert turn.error.code == 3007
    assert '"player"' in turn.error.message
    assert (turn.error.place.node, turn.error.place.param) == (node, "storage_name")


def test_a_name_of_nothing_is_3007(workspace: Workspace) -> None:
    agent = Agent(graph_of(remember=remember(storage_name="{{var.player}}")), workspace)
    agent.variables["player"] = " "
    error = agent.turn("hello").error
    assert error is not None
    assert error.code == 3007


def test_a_store_may_be_called_what_a_node_is_called(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            says=InstructionParams(instruction="x", default_exit="remember"),
            remember=remember(storage_name="says"),
        ),
        workspace,
    )
    agent.turn("hello")
    assert list(agent.play.memory) == ["says"]


@pytest.mark.parametrize("mode", list(RetrievalMode))
def test_an_unknown_store_is_empty_and_embeds_nothing(
    workspace: Workspace, embedder: FakeEmbedder, mode: RetrievalMode
) -> None:
    agent = Agent(
        graph_of(
            recall=recall(retrieval_mode=mode, filter=DAY_3, found_exit="", not_found_exit="say"),
            say=GenerateParams(template="{{#knowledge}}[{{name}}]{{/knowledge}}"),
        ),
        workspace,
    )
    turn = agent.turn("where is the key?")
    diagnostics = turn.runs[0].diagnostics()
    assert turn.error is None
    assert turn.runs[0].exit == "not_found"
    assert turn.messages[0].text == "[recall]"
    assert diagnostics["input"] == {"query": "where is the key?"}
    assert diagnostics["output"] == {"results": []}
    assert {
        value for key, value in diagnostics["parameters"].items() if key.endswith("_count")
    } == {0}
    assert embedder.queries == embedder.embedded == []


def test_diagnostics_have_the_keys_of_the_reference_page(workspace: Workspace) -> None:
    agent = Agent(both(retrieval_mode=RetrievalMode.Hybrid), workspace)
    agent.turn("the key")
    diagnostics = agent.turn("the key").runs[0].diagnostics()
    assert set(diagnostics["parameters"]) == {
        "source",
        "top_k",
        "threshold",
        "retrieval_mode",
        "rrf_k",
        "filter",
        "raw_result_count",
        "filtered_count",
        "dense_raw_count",
        "dense_filtered_count",
        "sparse_raw_count",
        "fused_candidate_count",
        "result_count",
    }
    assert set(diagnostics["output"]["results"][0]) == {
        "id",
        "distance",
        "bm25_score",
        "rank_dense",
        "rank_sparse",
        "text",
    }


def test_a_store_on_disk_is_searched_and_written_on(tmp_path: Path, workspace: Workspace) -> None:
    path = put(tmp_path / "m.json", "diary", {"id": "old", "text": "the key"})
    before = path.read_bytes()
    agent = Agent(both(), workspace)
    assert found(agent.turn("key")) == ["old"]
    assert found(agent.turn("key")) == ["memory-2", "old"]
    assert agent.play.memory["diary"].path == path
    assert path.read_bytes() == before


def test_what_play_changed_comes_before_the_disk(tmp_path: Path, workspace: Workspace) -> None:
    put(tmp_path / "m.json", "diary", {"id": "old", "text": "the key"})
    agent = Agent(both(), workspace)
    agent.turn("key")
    agent.play.memory["diary"]
    assert len(found(agent.turn("key"))) == 2


def test_running_a_request_again_gives_the_very_same_store(workspace: Workspace) -> None:
    agent = Agent(both(retrieval_mode=RetrievalMode.Hybrid), workspace)
    agent.turn("the key")
    request = agent.request("the stone and the key")
    first = run_turn(request, workspace)
    again = run_turn(request, workspace, work=Work(cached_only=True))
    assert again.play.memory == first.play.memory
    assert again.debug_info == first.debug_info


def test_a_search_that_was_not_made_yet_is_needed(workspace: Workspace) -> None:
    agent = Agent(both(), workspace)
    agent.turn("the key")
    with pytest.raises(SearchNeeded):
        run_turn(agent.request("a stone"), workspace, work=Work(cached_only=True))


def test_metadata_is_resolved_and_typed(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            remember=remember(
                metadata=json.dumps(
                    {
                        "day": "{{var.day}}",
                        "mood": "said {{user_message}}",
                        "trust": "{{var.trust}}",
                        "secret": "{{var.secret}}",
                        "tags": ["{{var.day}}", "x"],
                        "more": {"of": "{{var.day}}"},
                    }
                )
            )
        ),
        workspace,
    )
    agent.variables |= {"day": "3", "trust": "0.5", "secret": "true"}
    assert agent.turn('"quoted"').error is None
    assert agent.play.memory["diary"].records[0]["metadata"] == {
        "day": 3,
        "mood": 'said "quoted"',
        "trust": 0.5,
        "secret": True,
        "tags": ["3", "x"],
        "more": {"of": "3"},
    }


def test_written_metadata_can_be_filtered(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(recall=recall(filter=DAY_3), remember=remember(metadata='{"day": "{{var.day}}"}')),
        workspace,
    )
    for day in ("3", "4"):
        agent.variables["day"] = day
        agent.turn("the key")
    assert found(agent.turn("key")) == ["memory-1"]


@pytest.mark.parametrize(
    ("metadata", "path"),
    [
        ('{"day": "{{var.x}}"}', "metadata.day"),
        ('{"secret": "{{var.x}}"}', "metadata.secret"),
        ('{"tags": "{{var.x}}"}', "metadata.tags"),
    ],
)
def test_a_value_of_the_wrong_type_ends_the_turn_with_8003(
    workspace: Workspace, metadata: str, path: str
) -> None:
    agent = Agent(graph_of(remember=remember(metadata=metadata)), workspace)
    agent.variables["x"] = "three"
    turn = agent.turn("hello")
    assert turn.error is not None
    assert turn.error.code == 8003
    assert turn.error.place.json_path == path
    assert turn.error.place.node == "remember"
    assert agent.play.memory == {}


@pytest.mark.parametrize("message", ["lone \ud800 surrogate"])
def test_a_text_that_no_file_could_hold_ends_the_turn_with_8003(
    workspace: Workspace, message: str
) -> None:
    for node in (remember(), remember(input="x", metadata='{"mood": "{{user_message}}"}')):
        turn = Agent(graph_of(remember=node), workspace).turn(message)
        assert turn.error is not None
        assert turn.error.code == 8003


@pytest.mark.parametrize("node", ["recall", "remember"])
def test_a_store_with_another_schema_ends_the_turn_with_8003(
    workspace: Workspace, node: str
) -> None:
    nodes = {"recall": recall(found_exit="", not_found_exit=""), "remember": remember()}
    agent = Agent(graph_of(**{node: nodes[node]}), workspace)
    agent.play = Play(memory={"diary": MemoryStore("diary", "bare")})
    error = agent.turn("key").error
    assert error is not None
    assert error.code == 8003
    assert 'the field "day" of the schema is missing' in error.message


WORDS = st.lists(st.sampled_from(["key", "well", "fox", "red", "?"]), max_size=4).map(" ".join)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    turns=st.lists(
        st.tuples(
            WORDS,
            st.sampled_from(list(RetrievalMode)),
            st.integers(1, 4),
            st.sampled_from([0.0, 0.5, 1.0, 2.0]),
            st.sampled_from(["", DAY_3]),
        ),
        max_size=8,
    )
)
def test_the_counts_add_up_while_a_store_grows(
    turns: list[tuple[str, RetrievalMode, int, float, str]],
) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "schemas.json").write_text(json.dumps(SCHEMAS))
        workspace = Workspace(folder, ModelProvider(lambda _: FakeEmbedder()))
        agent = Agent(
            graph_of(recall=recall(), remember=remember(metadata='{"day": "{{var.day}}"}')),
            workspace,
        )
        for day, (text, mode, top_k, threshold, only) in enumerate(turns):
            agent.variables["day"] = str(3 * (day % 2))
            for param, value in (
                ("retrieval_mode", mode),
                ("top_k", top_k),
                ("threshold", threshold),
                ("filter", only),
            ):
                agent.change_param("recall", param, value)
            turn = agent.turn(text)
            assert (
                run_turn(turn.request, workspace, work=Work(cached_only=True)).debug_info
                == turn.debug_info
            )
            node = turn.debug_info["nodes"][0]
            counts = node["diagnostics"]["parameters"]
            raw, gone, result = (
                counts[f"{name}_count"] for name in ("raw_result", "filtered", "result")
            )
            assert result == len(node["diagnostics"]["output"]["results"])
            assert node["exit"] == ("found" if result else "not_found")
            if mode is RetrievalMode.Dense:
                assert result == raw - gone
                continue
            assert raw == counts["dense_raw_count"] + counts["sparse_raw_count"]
            assert gone == counts["dense_filtered_count"]
            assert result == min(
                top_k, counts["fused_candidate_count"] if mode is RetrievalMode.Hybrid else raw
            )
