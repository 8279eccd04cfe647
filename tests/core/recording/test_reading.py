from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent import Agent
from core.errors import Code
from core.io.findings import FileRefused
from core.knowledge.kinds import FileKind, kind_of
from core.nodes import RetrieveParams
from core.opening.opening import check_path, open_path
from core.recording.reading import read_recording
from tests.core.recordings import FLAT, RECORDED, hits_of, stages_of, turns_of, written

if TYPE_CHECKING:
    from pathlib import Path


def test_a_recorded_turn_shows_hits_counts_and_parameters(tmp_path: Path) -> None:
    recording = read_recording(written(tmp_path, RECORDED))
    turn, graph = recording.turns[0], recording.graph
    retrieval = turn.runs[0].retrieval
    assert retrieval is not None
    assert [(hit.id, hit.distance, hit.rank_dense) for hit in retrieval.hits] == [("a", 0.25, 1)]
    assert [(stage.label, stage.count) for stage in retrieval.stages] == [
        ("raw", 3),
        ("within threshold", 1),
        ("hits", 1),
    ]
    assert (turn.request.message, graph.start_node) == ("clownfish?", "knowledge")
    params = graph.node("knowledge").params
    assert isinstance(params, RetrieveParams)
    assert (params.threshold, params.found_exit) == (0, "answer")


def test_unknown_keys_of_a_recording_are_kept_and_shown(tmp_path: Path) -> None:
    turn = read_recording(written(tmp_path, RECORDED)).turns[0]
    shown = turn.debug_info["nodes"][0]["diagnostics"]
    assert shown == RECORDED["nodes"][0]["diagnostics"]


def test_what_a_turn_here_reports_opens_again_as_the_same_turn(
    samples: Path, tmp_path: Path
) -> None:
    opened = open_path(samples / "aquarium" / "rag.graph.json")
    agent = Agent(opened.graph, opened.workspace)
    agent.change_param("knowledge", "retrieval_mode", "Lexical")
    info = agent.turn("which fish jump out?").debug_info
    again = open_path(written(tmp_path, info)).turn
    assert again is not None
    assert again.recorded
    assert again.debug_info["nodes"][0] == info["nodes"][0]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"status": "Success", "nodes": {}}, "list"),
        ({"status": "Success", "nodes": []}, "no node ran"),
        ({"status": "Success", "nodes": [3]}, "expected an object"),
        ({"status": "Success", "nodes": [{"name": "a", "type": "Nothing"}]}, "known type"),
        ({"start_node": "a", "nodes": [{"name": "a", "type": "Retrieve"}]}, "this is a graph"),
        ({"debug_info": None}, "expected an object, found null"),
        ({"debug_info": "{broken"}, "no JSON"),
        ({"debug_info": []}, "expected an object"),
        ({"odd": 1}, "no recorded turn"),
        ([], "no recorded turn"),
        ([{"odd": 1}], "no recorded turn"),
        ([3], "no recorded turn"),
        (3, "expected a recorded turn"),
        ({"knowledge.result[0].distance": 0.1}, "needs an id"),
    ],
)
def test_what_is_no_recorded_turn_is_refused(tmp_path: Path, document: object, said: str) -> None:
    with pytest.raises(FileRefused, match=said) as caught:
        read_recording(written(tmp_path, document))
    assert caught.value.code is Code.InvalidParamValue


@pytest.mark.parametrize("debug_info", [RECORDED, json.dumps(RECORDED)])
@pytest.mark.parametrize("key", ["message", "user_message", "player_message", "user", "text"])
def test_a_wrapper_gives_the_message(tmp_path: Path, debug_info: object, key: str) -> None:
    (turn,) = turns_of(tmp_path, {key: "hello", "debug_info": debug_info, "timestamp": 17})
    assert (turn.request.message, hits_of(turn)) == ("hello", [("a", 0.25)])


def test_what_stands_beside_the_diagnostics_is_kept_and_shown(tmp_path: Path) -> None:
    (turn,) = turns_of(tmp_path, {"timestamp": 17, "status": "ok", "debug_info": RECORDED})
    assert turn.debug_info == {**RECORDED, "timestamp": 17, "status (beside debug_info)": "ok"}


def test_a_wrapper_may_stand_inside_an_event(tmp_path: Path) -> None:
    event = {"event": "TurnComplete", "payload": {"message": "hi", "debug_info": RECORDED}}
    (turn,) = turns_of(tmp_path, event)
    assert (turn.request.message, hits_of(turn)) == ("hi", [("a", 0.25)])
    assert turn.debug_info == {**RECORDED, "message": "hi", "event": "TurnComplete"}


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_finding_inside_a_wrapper_has_the_path_in_the_file(tmp_path: Path, wrapped: bool) -> None:
    document: Any = {"debug_info": {"status": "Success", "nodes": [3]}}
    path = written(tmp_path, {"payload": document} if wrapped else document)
    with pytest.raises(FileRefused) as caught:
        read_recording(path)
    place = caught.value.findings[0].place
    assert place.json_path == f"{'payload.' * wrapped}debug_info.nodes[0]"
    assert place.line == 1


def test_a_recorded_error_keeps_its_code(tmp_path: Path) -> None:
    error = {"code": 4003, "name": "MaxStepsExceeded", "message": "no end"}
    (turn,) = turns_of(tmp_path, {**RECORDED, "status": "Error", "error": error})
    assert turn.error is not None
    assert (turn.error.code, turn.error.message) == (Code.MaxStepsExceeded, "no end")
    assert turn.debug_info["error"] == error


def test_a_turn_of_a_log_that_failed_at_its_first_node_is_kept(tmp_path: Path) -> None:
    failed = {"status": "Error", "nodes": [], "error": {"code": 3007, "message": "no variable"}}
    first, second = turns_of(tmp_path, f"{json.dumps(failed)}\n{json.dumps(RECORDED)}", "a.jsonl")
    assert (first.status, first.runs) == ("Error", ())
    assert second.status == "Success"
    with pytest.raises(FileRefused, match="3007 InvalidParamValue: no variable"):
        turns_of(tmp_path, failed)


@pytest.mark.parametrize(
    ("name", "recorded", "value"),
    [
        ("threshold", "inf", 0.0),
        ("threshold", "Infinity", 0.0),
        ("top_k", 3.0, 3),
        ("top_k", "3", 3),
        ("filter", {"op": "or"}, '{"op": "or"}'),
    ],
)
def test_parameters_are_taken_over_however_they_are_written(
    tmp_path: Path, name: str, recorded: object, value: object
) -> None:
    node = {"name": "k", "type": "Retrieve", "diagnostics": {"parameters": {name: recorded}}}
    recording = read_recording(written(tmp_path, {"nodes": [node]}))
    assert getattr(recording.graph.node("k").params, name) == value
    assert recording.findings == ()


def test_results_that_are_null_are_none(tmp_path: Path) -> None:
    node = {"name": "knowledge", "type": "Retrieve", "diagnostics": {"output": {"results": None}}}
    (turn,) = turns_of(tmp_path, {"nodes": [node]})
    assert hits_of(turn) == []


def test_a_node_of_an_unknown_type_is_kept(tmp_path: Path) -> None:
    odd = {
        "name": "magic",
        "type": "Oracle",
        "exit": "yes",
        "next": "knowledge",
        "aura": 3,
        "diagnostics": {"x": 1},
    }
    path = written(tmp_path, {**RECORDED, "nodes": [odd, *RECORDED["nodes"]]})
    recording = read_recording(path)
    run = recording.turns[0].runs[0]
    assert (run.name, run.type, run.exit, run.next, run.params) == (
        "magic",
        "Oracle",
        "yes",
        "knowledge",
        None,
    )
    assert recording.turns[0].debug_info["nodes"][0] == odd
    assert [node.name for node in recording.graph.nodes] == ["knowledge", "answer"]
    assert ["Oracle" in finding.message for finding in recording.findings] == [True]


def test_a_node_without_a_type_that_searched_is_a_retrieve(tmp_path: Path) -> None:
    node = {key: value for key, value in RECORDED["nodes"][0].items() if key != "type"}
    (turn,) = turns_of(tmp_path, {"status": "Success", "nodes": [node]})
    assert (turn.runs[0].type, hits_of(turn)) == ("Retrieve", [("a", 0.25)])


def test_a_value_that_no_parameter_can_have_is_a_warning(tmp_path: Path) -> None:
    node = {
        "name": "k",
        "type": "Retrieve",
        "diagnostics": {"parameters": {"top_k": 5000, "threshold": 0.7}},
    }
    recording = read_recording(written(tmp_path, {"nodes": [node]}))
    assert "top_k cannot be taken over: 5000 is out of range" in recording.findings[0].message
    params = recording.graph.node("k").params
    assert isinstance(params, RetrieveParams)
    assert (params.top_k, params.threshold) == (2, 0.7)


def test_counts_that_do_not_fit_the_list_are_shown_and_a_warning(tmp_path: Path) -> None:
    node = {
        "name": "k",
        "type": "Retrieve",
        "diagnostics": {
            "parameters": {"raw_result_count": 2, "filtered_count": 9, "result_count": 7}
        },
    }
    recording = read_recording(written(tmp_path, {"nodes": [node]}))
    assert stages_of(recording.turns[0], "k") == [
        ("raw", 2, 0),
        ("within threshold", 0, 2),
        ("hits", 7, -7),
    ]
    assert "result_count is 7, and 0 are listed" in recording.findings[0].message


@pytest.mark.parametrize(
    ("mode", "counts", "stages"),
    [
        (
            "Hybrid",
            {
                "raw_result_count": 100,
                "filtered_count": 39,
                "fused_candidate_count": 54,
                "result_count": 3,
            },
            [
                ("both legs", 100, 0),
                ("within threshold", 61, 39),
                ("fused", 54, 7),
                ("hits", 3, 51),
            ],
        ),
        (
            "Lexical",
            {"raw_result_count": 50, "filtered_count": 0, "result_count": 3},
            [("BM25 leg", 50, 0), ("hits", 3, 47)],
        ),
        ("Dense", {"result_count": "3"}, [("hits", 3, 0)]),
        ("Dense", {}, [("hits", 0, 0)]),
    ],
)
def test_the_stages_are_the_recorded_counts(
    tmp_path: Path, mode: str, counts: dict[str, Any], stages: list[tuple[str, int, int]]
) -> None:
    node = {
        "name": "knowledge",
        "type": "Retrieve",
        "diagnostics": {"parameters": {"retrieval_mode": mode, **counts}},
    }
    (turn,) = turns_of(tmp_path, {"nodes": [node]})
    assert stages_of(turn) == stages


def test_classify_intent_lists_examples_beyond_the_threshold_as_near_misses(tmp_path: Path) -> None:
    node = {
        "name": "intent",
        "type": "ClassifyIntent",
        "exit": "found",
        "diagnostics": {
            "parameters": {
                "threshold": 0.3,
                "raw_result_count": 3,
                "filtered_count": 1,
                "result_count": 2,
            },
            "output": {
                "label": "greet",
                "results": [
                    {"id": "a", "distance": 0.1},
                    {"id": "b", "distance": 0.30000001192092896},
                    {"id": "c", "distance": 0.31},
                ],
            },
        },
    }
    recording = read_recording(written(tmp_path, {"nodes": [node]}))
    assert recording.findings == ()
    turn = recording.turns[0]
    assert hits_of(turn, "intent") == [("a", 0.1), ("b", 0.30000001192092896)]
    assert stages_of(turn, "intent") == [("nearest", 3, 0), ("within threshold", 2, 1)]
    retrieval = turn.runs[0].retrieval
    assert retrieval is not None
    assert [miss["id"] for miss in retrieval.near_misses(5)] == ["c"]


def test_keyword_and_subgraph_retrievals_show_their_hits_and_counts(
    samples: Path, tmp_path: Path
) -> None:
    for sample in ("handbook", "town"):
        opened = open_path(samples / sample)
        turn = Agent(opened.graph, opened.workspace).turn("where do I tune fusion in the town?")
        (again,) = turns_of(tmp_path, turn.debug_info)
        (run,) = [run for run in turn.runs if run.retrieval is not None]
        recorded = again.run_of(run.name)
        assert recorded is not None
        assert recorded.retrieval is not None
        assert run.retrieval is not None
        assert run.retrieval.hits
        assert [(hit.id, hit.score, hit.text) for hit in recorded.retrieval.hits] == [
            (hit.id, hit.score, hit.text) for hit in run.retrieval.hits
        ]
        assert [stage.count for stage in recorded.retrieval.stages][::3] == [
            stage.count for stage in run.retrieval.stages
        ][::3]


@pytest.mark.parametrize("name", ["log.jsonl", "log.ndjson", "log.json"])
def test_a_log_is_a_turn_a_line_oldest_first_and_broken_lines_are_warnings(
    tmp_path: Path, name: str
) -> None:
    lines = [
        json.dumps({"message": "one", "debug_info": RECORDED}),
        "",
        '{"message": "cut',
        json.dumps(FLAT),
        json.dumps({"event": "connected"}),
        json.dumps({"message": "two", "debug_info": None}),
        json.dumps(RECORDED),
    ]
    path = tmp_path / name
    path.write_text("\n".join(lines), encoding="utf-8")
    opened = open_path(path)
    assert [turn.request.message for turn in opened.turns] == ["one", "clownfish?", "clownfish?"]
    assert opened.turn is opened.turns[-1]
    assert [finding.place.line for finding in opened.findings] == [3, 5, 6]
    assert check_path(path) == opened.findings


def test_more_broken_lines_than_are_kept_lose_no_turn(tmp_path: Path) -> None:
    text = "{broken\n" * 300 + json.dumps(FLAT)
    assert len(turns_of(tmp_path, text, "log.jsonl")) == 1


def test_what_is_wrong_in_one_turn_of_several_is_a_warning(tmp_path: Path) -> None:
    path = written(tmp_path, [{"nodes": [3]}, RECORDED])
    recording = read_recording(path)
    assert len(recording.turns) == 1
    assert recording.findings[0].place.json_path == "[0].nodes[0]"


def test_a_log_without_any_turn_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileRefused, match="no recorded turn"):
        turns_of(tmp_path, "{broken\n{}\n", "log.jsonl")


def test_the_graph_has_the_nodes_and_exits_of_all_turns(tmp_path: Path) -> None:
    refused = {
        "nodes": [
            {
                "name": "knowledge",
                "type": "Retrieve",
                "exit": "not_found",
                "next": "refuse",
                "diagnostics": {"parameters": {"top_k": 9}},
            },
            {
                "name": "refuse",
                "type": "CannedResponse",
                "exit": "default",
                "next": "",
                "diagnostics": {"output": {"text": "no"}},
            },
        ]
    }
    path = written(tmp_path, [RECORDED, refused])
    opened = open_path(path)
    assert [node.name for node in opened.graph.nodes] == ["knowledge", "answer", "refuse"]
    params = opened.graph.node("knowledge").params
    assert isinstance(params, RetrieveParams)
    assert (params.top_k, params.found_exit, params.not_found_exit) == (9, "answer", "refuse")
    first = opened.turns[0].request.params["knowledge"]
    assert isinstance(first, RetrieveParams)
    assert (first.top_k, first.found_exit, first.not_found_exit) == (3, "answer", "refuse")
    assert not [finding for finding in opened.graph.check() if "exit" in finding.message]


def test_an_exit_to_a_node_that_is_not_recorded_ends_the_turn_here(tmp_path: Path) -> None:
    opened = open_path(written(tmp_path, {"status": "Error", "nodes": RECORDED["nodes"][:1]}))
    params = opened.graph.node("knowledge").params
    assert isinstance(params, RetrieveParams)
    assert params.found_exit == ""
    assert opened.turn is not None
    assert opened.turn.runs[0].next == "answer"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("a.json", {"message": "x", "debug_info": {}}, FileKind.TURN),
        ("a.json", [{"id": 3, "text": "x", "debug_info": {}}], FileKind.TURN),
        ("a.json", [{"nodes": [{"id": "a", "text": "b"}]}], FileKind.TURN),
        ("a.json", FLAT, FileKind.TURN),
        ("a.json", [FLAT], FileKind.TURN),
        ("a.json", {"result[0].id": "a"}, FileKind.TURN),
        ("a.json", {"padding": "x" * 40_000, **FLAT}, FileKind.TURN),
        ("a.jsonl", FLAT, FileKind.TURN),
        ("a.ndjson", {"status": "x", "nodes": []}, FileKind.TURN),
        ("a.jsonl", "{broken\n\n" + json.dumps({"debug_info": {}}), FileKind.TURN),
        ("a.json", json.dumps({"text": "x", "debug_info": {}}) + "\n{}", FileKind.TURN),
        ("a.json", {"nodes": [{"name": "k", "diagnostics": {"x": "y" * 40_000}}]}, FileKind.TURN),
        ("a.json", {"event": "done", "payload": {"debug_info": {}}}, FileKind.TURN),
        ("a.json", {"knowledge": {"raw_result_count": 0}}, FileKind.TURN),
        ("a.json", [{"message": "x" * 40_000, "debug_info": {}}], FileKind.TURN),
        ("a.jsonl", {"message": "x" * 40_000, "debug_info": {}}, FileKind.TURN),
        ("a.jsonl", '{"event": "start"}\n' * 2000 + '{"debug_info": {}}', FileKind.TURN),
        ("a.jsonl", {"event": "done", "payload": {"debug_info": {}}}, FileKind.TURN),
        ("a.json", [{"metadata": {"x": "y" * 40_000}, "id": "a", "text": "b"}], FileKind.RECORDS),
        ("a.jsonl", {"metadata": {"x": "y" * 40_000}, "id": "a", "text": "b"}, FileKind.JSONL),
        ("a.jsonl", {"id": "a", "text": "b", "nodes": 3}, FileKind.JSONL),
        ("a.jsonl", '{"id": "a", "text": "b"}\n{"debug_info": {}}', FileKind.JSONL),
        ("a.json", [{"id": "a", "text": "b", "result_count": 3}], FileKind.RECORDS),
        ("a.json", [{"id": "a", "text": "b", "metadata": {"debug_info": 1}}], FileKind.RECORDS),
        ("a.json", {"nodes": [{"name": "a", "type": "Speak"}], "start_node": "a"}, FileKind.GRAPH),
    ],
)
def test_recorded_turns_are_told_from_other_files(
    tmp_path: Path, name: str, content: object, kind: FileKind
) -> None:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    assert kind_of(path) is kind


@pytest.mark.parametrize(
    "content",
    [
        "[" * 10_000,
        '{"nodes":' * 10_000,
        '{"debug_info":' * 300 + "1" + "}" * 300,
        json.dumps({"debug_info": "[" * 10_000}),
        '{"a' + ".a" * 100_000 + '.result_count": 1}',
        json.dumps({"debug_info": json.dumps({"nodes": [[[[[]]]]]})}),
        "\x00",
        '{"nodes": [{}]}',
        json.dumps({f"n{number}.result_count": number for number in range(2000)}),
        json.dumps({"result[999999999].id": "a", "result[1].id": "\u202e\u0000"}),
    ],
)
@pytest.mark.parametrize("name", ["hostile.json", "hostile.jsonl"])
def test_hostile_files_give_turns_or_findings(tmp_path: Path, content: str, name: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    kind_of(path)
    try:
        assert read_recording(path).turns
    except FileRefused as refused:
        refused.line().encode()


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                [
                    "parameters",
                    "input",
                    "output",
                    "results",
                    "id",
                    "distance",
                    "query",
                    "text",
                    "top_k",
                    "filter",
                    "raw_result_count",
                ]
            ),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=10,
)


@pytest.mark.slow
@given(values)
def test_any_diagnostics_give_a_turn_or_findings(
    tmp_path_factory: pytest.TempPathFactory, diagnostics: object
) -> None:
    path = written(
        tmp_path_factory.getbasetemp(),
        {
            "status": "Success",
            "nodes": [
                {
                    "name": "k",
                    "type": "Retrieve",
                    "exit": "found",
                    "next": "",
                    "diagnostics": diagnostics,
                }
            ],
        },
    )
    try:
        turn = read_recording(path).turns[0]
    except FileRefused:
        return
    assert turn.debug_info["nodes"][0]["name"] == "k"
    assert turn.runs[0].retrieval is not None
    assert [stage.label for stage in turn.runs[0].retrieval.stages][-1] == "hits"


def test_the_messages_of_a_recorded_generate_are_shown_as_recorded(tmp_path: Path) -> None:
    document = json.loads(json.dumps(RECORDED))
    document["nodes"][1]["diagnostics"] = {
        "parameters": {"model_name": "m"},
        "input": {},
        "output": {
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "narrator", "content": "?"},
                "no message",
                {"role": "user", "content": "clownfish?"},
            ]
        },
    }
    (turn,) = turns_of(tmp_path, document)
    assert [(m.role, m.text, m.origin) for m in turn.messages] == [
        ("system", "Be brief.", "recorded"),
        ("user", "clownfish?", "recorded"),
    ]
    assert turn.debug_info == document
