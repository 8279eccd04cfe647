"""Filters on memory stores, compiled before any turn: by schema, or by what the records hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from core.agent import Agent, GraphDescription, Workspace
from core.errors import InspectorError
from core.knowledge.memory import MemoryStore
from core.nodes.walk import Play
from tests.core.agent.test_memory_checks import findings_of, workspace
from tests.core.nodes.test_write_to_memory import found, graph_of, put, recall, remember

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["workspace"]


def _has(field: str, value: object = 1) -> str:
    return json.dumps({"op": "eq", "lhs": {"knowledge": field}, "rhs": {"value": value}})


def _unregistered(**changes: object) -> GraphDescription:
    ends = {"found_exit": "", "not_found_exit": ""}
    return graph_of(recall=recall(schema="zzz", **ends | changes))


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (_has("who", "ada"), ""),
        (_has("day"), ""),
        (_has("nope"), "unknown_field"),
        (_has("day", "x"), "type_mismatch"),
    ],
)
def test_a_filter_on_an_unregistered_schema_is_compiled_against_what_the_records_hold(
    condition: str, said: str, workspace: Workspace, tmp_path: Path
) -> None:
    record = {"id": "a", "text": "a", "metadata": {"who": "ada", "day": 3}}
    put(tmp_path / "d.json", "diary", record, schema="zzz")
    graph = _unregistered(filter=condition)
    refused = [f.message for f in findings_of(graph, workspace) if f.place.param == "filter"]
    assert [message.split(":")[0] for message in refused] == ([f"filter.{said}"] if said else [])
    agent = Agent(_unregistered(), workspace)
    if said:
        with pytest.raises(InspectorError, match=said):
            agent.change_param("recall", "filter", condition)
        assert agent.turn("a").error is None
    else:
        agent.change_param("recall", "filter", condition)
        assert agent.turn("a").error is None


def test_a_filter_on_an_unregistered_store_without_records_waits_for_them(
    workspace: Workspace, tmp_path: Path
) -> None:
    put(tmp_path / "d.json", "diary", schema="zzz")
    agent = Agent(_unregistered(filter=_has("nope")), workspace)
    assert agent.turn("a").error is None


def test_a_field_that_a_node_of_the_graph_writes_may_be_filtered_before_any_record_has_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    put(tmp_path / "d.json", "diary", {"id": "a", "text": "a"}, schema="zzz")
    graph = graph_of(
        write=remember(schema="zzz", metadata='{"mood": 1}', default_exit="recall"),
        recall=recall(schema="zzz", filter=_has("mood"), found_exit="", not_found_exit=""),
    )
    agent = Agent(graph, workspace)
    assert found(agent.turn("a ship")) == ["memory-2"]
    agent.change_param("recall", "filter", _has("mood", 2))
    with pytest.raises(InspectorError, match="unknown_field"):
        agent.change_param("recall", "filter", _has("moood"))


def test_a_changed_filter_is_compiled_against_the_store_as_play_has_left_it(
    workspace: Workspace, tmp_path: Path
) -> None:
    put(tmp_path / "d.json", "diary", {"id": "a", "text": "a"}, schema="zzz")
    agent = Agent(_unregistered(), workspace)
    with pytest.raises(InspectorError, match="unknown_field"):
        agent.change_param("recall", "filter", _has("mood"))
    record = {"id": "b", "text": "b", "metadata": {"mood": 1}}
    agent.play = Play(memory={"diary": MemoryStore("diary", "zzz", records=(record,))})
    assert found(agent.turn("b")) == ["b"]
    agent.change_param("recall", "filter", _has("mood"))
    assert found(agent.turn("b")) == ["b"]
