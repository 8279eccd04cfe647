"""What a graph with memory stores is refused for before any turn runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from core.agent import Agent, GraphDescription, Workspace
from core.embedding.embedder import ModelProvider
from core.errors import InspectorError
from core.io.findings import FileRefused, Severity
from core.knowledge.memory import MemoryStore
from core.knowledge.root import StorageRoot
from core.nodes import GenerateParams
from core.nodes.walk import Play
from tests.core.fake_embedder import FakeEmbedder
from tests.core.nodes.test_write_to_memory import (
    DAY_3,
    SCHEMAS,
    both,
    found,
    graph_of,
    put,
    recall,
    remember,
)

if TYPE_CHECKING:
    from pathlib import Path

    from core.io.findings import Finding
    from core.nodes import NodeParams


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "schemas.json").write_text(json.dumps(SCHEMAS))
    return Workspace(StorageRoot(tmp_path), ModelProvider(lambda _: FakeEmbedder()))


def findings_of(graph: GraphDescription, workspace: Workspace) -> list[Finding]:
    try:
        return list(Agent(graph, workspace).warnings)
    except FileRefused as refused:
        return list(refused.findings)


def errors_of(graph: GraphDescription, workspace: Workspace) -> list[tuple[int, str, str]]:
    return [
        (int(finding.code), finding.place.node, finding.place.param)
        for finding in findings_of(graph, workspace)
        if finding.severity is Severity.ERROR
    ]


def test_what_is_wrong_is_told_all_at_once(workspace: Workspace) -> None:
    graph = graph_of(
        recall=recall(filter="{", found_exit="write", not_found_exit="bare"),
        write=remember(metadata='{"day": "x"}'),
        bare=remember(storage_name="", metadata="[]"),
    )
    assert errors_of(graph, workspace) == [
        (3007, "recall", "filter"),
        (8003, "write", "metadata"),
        (3007, "bare", "storage_name"),
        (3007, "bare", "metadata"),
    ]


def test_a_writer_without_a_schema_goes_by_that_of_the_store(workspace: Workspace) -> None:
    agent = Agent(graph_of(write=remember(schema="", metadata='{"day": "{{var.day}}"}')), workspace)
    assert [(f.severity, f.place.param) for f in agent.warnings] == [(Severity.WARNING, "schema")]
    agent.variables["day"] = "soon"
    assert agent.turn("x").error is None
    agent.play = Play(memory={"diary": MemoryStore("diary", "note")})
    refused = agent.turn("x").error
    assert refused is not None
    assert (int(refused.code), refused.place.json_path) == (8003, "metadata.day")


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        ('{"day": 1, "mood": "{{var.x}}", "else": [1]}', 0),
        ('{"day": "{{var.x}}"}', 0),
        ("", 0),
        ("{", 3007),
        ("3", 3007),
        ('{"day": NaN}', 3007),
        ('{"day": 1.5}', 8003),
        ('{"tags": ["{{var.x}}", 2]}', 8003),
        ('{"trust": null}', 8003),
    ],
)
def test_metadata_is_checked_as_far_as_it_has_no_references(
    workspace: Workspace, metadata: str, code: int
) -> None:
    graph = graph_of(remember=remember(metadata=metadata))
    assert errors_of(graph, workspace) == ([(code, "remember", "metadata")] if code else [])


@pytest.mark.parametrize(
    "params", [recall(schema="gone", found_exit="", not_found_exit=""), remember(schema="gone")]
)
def test_a_schema_that_is_not_in_the_catalog_is_a_warning(
    workspace: Workspace, params: NodeParams
) -> None:
    (finding,) = findings_of(graph_of(node=params), workspace)
    assert finding.severity is Severity.WARNING
    assert "Unregistered" in finding.message


def test_without_a_registered_schema_the_filter_is_compiled_when_records_are_there(
    workspace: Workspace,
) -> None:
    agent = Agent(
        graph_of(
            recall=recall(schema="gone", filter=DAY_3),
            remember=remember(schema="gone", metadata='{"day": 3}'),
        ),
        workspace,
    )
    assert agent.turn("the key").error is None
    assert found(agent.turn("the key")) == ["memory-1"]
    assert errors_of(
        graph_of(
            recall=recall(schema="gone", filter='{"op": "no"}', found_exit="", not_found_exit="")
        ),
        workspace,
    ) == [(3007, "recall", "filter")]


def test_a_named_store_on_disk_must_have_the_schema(tmp_path: Path, workspace: Workspace) -> None:
    put(tmp_path / "m.json", "diary", schema="bare")
    (finding,) = findings_of(graph_of(remember=remember()), workspace)
    assert (finding.severity, finding.code) == (Severity.ERROR, 8003)
    assert 'the field "day" of the schema is missing' in finding.message
    assert finding.place.node == "remember"


def test_a_named_store_on_disk_must_fit_the_schema_record_by_record(
    tmp_path: Path, workspace: Workspace
) -> None:
    path = put(
        tmp_path / "m.json",
        "diary",
        *(
            {"id": f"r{number}", "text": f"{number}", "metadata": {"day": day}}
            for number, day in enumerate([1, "two", 3, None])
        ),
    )
    findings = findings_of(both(), workspace)
    assert [(finding.place.file, finding.place.json_path) for finding in findings] == [
        (str(path), "records[1].metadata.day"),
        (str(path), "records[3].metadata.day"),
    ]
    assert {int(finding.code) for finding in findings} == {8003}
    assert findings[0].place.line is not None


def test_a_broken_store_stops_only_a_graph_that_names_it(
    tmp_path: Path, workspace: Workspace
) -> None:
    (tmp_path / "m.json").write_text('{"name": "diary", "records": 3}')
    assert [code for code, _, _ in errors_of(graph_of(remember=remember()), workspace)] == [8003]
    agent = Agent(graph_of(remember=remember(storage_name="{{var.x}}")), workspace)
    assert [finding.severity for finding in agent.warnings] == [Severity.WARNING]
    agent.variables["x"] = "diary"
    error = agent.turn("hello").error
    assert error is not None
    assert error.code == 8003


def test_a_broken_catalog_is_told_of(tmp_path: Path, workspace: Workspace) -> None:
    (tmp_path / "schemas.json").write_text("{}")
    assert [code for code, _, _ in errors_of(both(), workspace)] == [8003]


def test_a_graph_without_memory_looks_for_no_stores(workspace: Workspace) -> None:
    Agent(graph_of(say=GenerateParams(template="x")), workspace)
    assert not workspace.memories.is_scanned


@pytest.mark.parametrize(
    ("node", "param", "value", "code"),
    [
        (
            "recall",
            "filter",
            '{"op": "eq", "lhs": {"knowledge": "dya"}, "rhs": {"value": 3}}',
            3007,
        ),
        ("remember", "metadata", "{", 3007),
        ("remember", "metadata", '{"day": "x"}', 8003),
    ],
)
def test_a_change_that_does_not_fit_the_schema_is_refused(
    workspace: Workspace, node: str, param: str, value: str, code: int
) -> None:
    agent = Agent(both(filter=DAY_3), workspace)
    before = agent.graph.nodes
    with pytest.raises(InspectorError) as caught:
        agent.change_param(node, param, value)
    assert caught.value.code == code
    assert agent.graph.nodes == before


def test_a_leftover_file_does_not_judge_a_memory_nodes_filter(workspace: Workspace) -> None:
    agent = Agent(both(embedded_string_storage="gone.json"), workspace)
    agent.change_param("recall", "filter", DAY_3)
    assert findings_of(agent.graph, workspace) == []


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("diary", ""),
        ("Diary", 'did you mean "diary"?'),
        ("diray", 'did you mean "diary"?'),
        ("diary2", ""),
        ("quests", ""),
        ("diray_{{var.player}}", ""),
    ],
)
def test_a_store_that_is_not_there_but_like_one_that_is_gets_a_warning(
    name: str, hint: str, workspace: Workspace, tmp_path: Path
) -> None:
    put(tmp_path / "d.json", "diary", {"id": "a", "text": "a"}, schema="note")
    graph = graph_of(recall=recall(storage_name=name, found_exit="", not_found_exit=""))
    hints = [f.hint for f in findings_of(graph, workspace) if f.place.param == "storage_name"]
    assert hints == ([hint] if hint else [])


def test_a_new_store_that_one_node_writes_and_another_searches_is_meant(
    workspace: Workspace, tmp_path: Path
) -> None:
    put(tmp_path / "d.json", "diary", {"id": "a", "text": "a"}, schema="note")
    assert not findings_of(both(storage_name="diaries"), workspace)


def test_a_misspelt_store_is_like_one_that_another_node_writes(workspace: Workspace) -> None:
    graph = graph_of(
        write=remember(default_exit="recall"),
        recall=recall(storage_name="dairy", found_exit="", not_found_exit=""),
    )
    assert [f.hint for f in findings_of(graph, workspace) if f.place.node == "recall"] == [
        'did you mean "diary"?'
    ]
