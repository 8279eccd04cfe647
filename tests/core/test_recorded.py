from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Code
from core.graph import Agent
from core.knowledge.findings import FileRefused
from core.opening import open_path
from core.recorded import read_turn

if TYPE_CHECKING:
    from pathlib import Path

RESULT = {"id": "a", "distance": 0.25, "rank_dense": 1, "text": "clownfish", "game_note": "x"}
RECORDED = {"status": "Success", "build": "1.2", "nodes": [
    {"name": "knowledge", "type": "Retrieve", "exit": "found", "next": "answer", "diagnostics": {
        "parameters": {"source": "knowledge", "embedded_string_storage": "k.json", "top_k": 3,
                       "threshold": "inf", "retrieval_mode": "Dense", "rrf_k": 60, "filter": "",
                       "raw_result_count": 3, "filtered_count": 2, "result_count": 1,
                       "elapsed_us": 17},
        "input": {"query": "clownfish?"}, "output": {"results": [RESULT]}}},
    {"name": "answer", "type": "Generate", "exit": "default", "next": "", "diagnostics": {}}]}


def written(folder: Path, document: object) -> Path:
    path = folder / "debug_info.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_a_recorded_turn_shows_hits_counts_and_parameters(tmp_path: Path) -> None:
    turn, graph = read_turn(written(tmp_path, RECORDED))
    retrieval = turn.runs[0].retrieval
    assert retrieval is not None
    assert [(hit.id, hit.distance, hit.rank_dense) for hit in retrieval.hits] == [("a", 0.25, 1)]
    assert [(stage.label, stage.count) for stage in retrieval.stages] == [
        ("raw", 3), ("within threshold", 1), ("hits", 1)]
    assert (turn.request.message, graph.start_node) == ("clownfish?", "knowledge")
    assert graph.node("knowledge").params.threshold == 0  # type: ignore[attr-defined]
    assert graph.node("knowledge").params.found_exit == "answer"  # type: ignore[attr-defined]


def test_unknown_keys_of_a_recording_are_kept_and_shown(tmp_path: Path) -> None:
    turn, _ = read_turn(written(tmp_path, RECORDED))
    shown = turn.debug_info["nodes"][0]["diagnostics"]
    assert shown == RECORDED["nodes"][0]["diagnostics"]  # type: ignore[index]


def test_what_a_turn_here_reports_opens_again_as_the_same_turn(samples: Path,
                                                               tmp_path: Path) -> None:
    opened = open_path(samples / "aquarium" / "rag.graph.json")
    agent = Agent(opened.graph, opened.workspace)
    agent.change_param("knowledge", "retrieval_mode", "Lexical")
    info = agent.turn("which fish jump out?").debug_info
    again = open_path(written(tmp_path, info)).turn
    assert again is not None
    assert again.recorded
    assert again.debug_info["nodes"][0] == info["nodes"][0]


@pytest.mark.parametrize(("document", "said"), [
    ({"status": "Success", "nodes": {}}, "list"),
    ({"status": "Success", "nodes": []}, "no node ran"),
    ({"status": "Success", "nodes": [3]}, "expected an object"),
    ({"status": "Success", "nodes": [{"name": "a", "type": "Nothing"}]}, "known type"),
])
def test_what_is_no_recorded_turn_is_refused(tmp_path: Path, document: object,
                                             said: str) -> None:
    with pytest.raises(FileRefused, match=said) as caught:
        read_turn(written(tmp_path, document))
    assert caught.value.code is Code.InvalidParamValue


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(
        st.sampled_from(["parameters", "input", "output", "results", "id", "distance", "query",
                         "text", "top_k", "filter", "raw_result_count"]), inner, max_size=4)),
    max_leaves=10)


@given(values)
def test_any_diagnostics_give_a_turn_or_findings(tmp_path_factory: pytest.TempPathFactory,
                                                 diagnostics: object) -> None:
    path = written(tmp_path_factory.getbasetemp(), {"status": "Success", "nodes": [
        {"name": "k", "type": "Retrieve", "exit": "found", "next": "",
         "diagnostics": diagnostics}]})
    try:
        turn, _ = read_turn(path)
    except FileRefused:
        return
    assert turn.debug_info["nodes"][0]["name"] == "k"
    assert turn.runs[0].retrieval is not None
    assert [stage.label for stage in turn.runs[0].retrieval.stages][-1] == "hits"
