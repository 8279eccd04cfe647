"""ClassifyIntent and IntentToInstruction, on embeddings whose every distance can be calculated."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import (
    Agent,
    CannedResponseParams,
    ClassifyIntentParams,
    GenerateParams,
    GraphDescription,
    InstructionParams,
    IntentToInstructionParams,
    RetrievalMode,
    RetrieveParams,
    Workspace,
)
from core.agent.agent import MAX_STEPS, run_turn
from core.embedding.embedder import ModelProvider
from core.errors import Code, InspectorError
from core.hits.hit import Reason
from core.io.findings import FileRefused, Severity
from core.io.work import QUIETLY, SearchNeeded, Work
from core.nodes.classify_intent import IntentRetrieval
from core.nodes.intent_to_instruction import instruction_of
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn
    from core.io.findings import Finding

EXAMPLES: list[tuple[str, str, dict[str, Any]]] = [
    ("greet-1", "good morning", {"label": "greeting", "level": 1}),
    ("greet-2", "hello there", {"label": "greeting", "level": 2}),
    ("buy-1", "I want to buy a sword", {"label": "trade", "level": 3}),
    ("buy-2", "what does the shield cost", {"label": "trade", "level": 1}),
    ("bye-1", "see you tomorrow", {"label": "farewell", "level": 2}),
    ("odd-1", "the moon is made of cheese", {"level": 3}),
    ("odd-2", "nothing at all", {"label": "", "level": 3}),
]
FIELDS = [
    {"name": "label", "type": "string", "optional": True},
    {"name": "level", "type": "int", "default": 0},
    {"name": "mood", "type": "string", "default": "calm"},
]
FILE = "intents.json"
LEVEL_3 = '{"op":"eq","lhs":{"knowledge":"level"},"rhs":{"value":3}}'
NOT_LEVEL_3 = '{"op":"ne","lhs":{"knowledge":"level"},"rhs":{"value":3}}'
MESSAGES = [text for _, text, _ in EXAMPLES] + ["unheard of", "buy buy buy", "morning"]


def write(folder: Path) -> None:
    records = [{"id": name, "text": text, "metadata": meta} for name, text, meta in EXAMPLES]
    (folder / "intents.kb.json").write_text(json.dumps(records), encoding="utf-8")
    (folder / FILE).write_text(
        json.dumps(
            {
                "version": 1,
                "embedding_model": "Fake",
                "records_file": "intents.kb.json",
                "fields": FIELDS,
            }
        ),
        encoding="utf-8",
    )
    (folder / "texts.json").write_text(
        json.dumps(
            [{"id": "greeting", "text": "Greet back."}, {"id": "trade", "text": "Name a price."}]
        ),
        encoding="utf-8",
    )


@pytest.fixture(scope="module")
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory, embedder: FakeEmbedder) -> Workspace:
    folder = tmp_path_factory.mktemp("intents")
    write(folder)
    return Workspace(folder, ModelProvider(lambda _name: embedder))


def intent(**params: object) -> ClassifyIntentParams:
    values = {
        "embedded_string_storage": FILE,
        "metadata_field": "label",
        "found_exit": "say",
        "not_found_exit": "no",
        **params,
    }
    return ClassifyIntentParams(**values)  # type: ignore[arg-type]


def graph(classify: ClassifyIntentParams, **params: object) -> GraphDescription:
    values = {"string_storage": "texts.json", "default_exit": "answer", **params}
    return (
        GraphDescription()
        .add_node("intent", classify)
        .add_node("say", IntentToInstructionParams(**values))  # type: ignore[arg-type]
        .add_node(
            "answer",
            GenerateParams(
                template="{{#instructions}}{{name}}={{text}};{{/instructions}}"
                "{{#knowledge}}block{{/knowledge}}",
                model_name="any",
            ),
        )
        .add_node("no", CannedResponseParams(inline_strings=("What?",)))
        .set_start_node("intent")
    )


def ask(workspace: Workspace, message: str, **params: object) -> Turn:
    return Agent(graph(intent(**params)), workspace).turn(message)


def result_of(turn: Turn) -> IntentRetrieval:
    found = turn.runs[0].retrieval
    assert isinstance(found, IntentRetrieval)
    return found


def diagnostics_of(turn: Turn) -> dict[str, Any]:
    return turn.runs[0].diagnostics()


def errors_of(graph: GraphDescription, workspace: Workspace) -> list[Finding]:
    with pytest.raises(FileRefused) as caught:
        Agent(graph, workspace)
    return [f for f in caught.value.findings if f.severity is Severity.ERROR]


def distances(embedder: FakeEmbedder, message: str) -> list[float]:
    """Return 1 − cos of the message and each example, by a direct dot product."""
    query = embedder.vector(message)
    return [1.0 - float(np.dot(query, embedder.vector(text))) for _, text, _ in EXAMPLES]


@given(
    message=st.sampled_from(MESSAGES),
    threshold=st.floats(0.0, 2.0, width=32),
    topk=st.integers(1, 10),
    filter_text=st.sampled_from(["", LEVEL_3, NOT_LEVEL_3]),
)
@settings(max_examples=60, deadline=None)
def test_the_label_is_that_of_the_nearest_record_that_passes_and_is_near_enough(
    workspace: Workspace,
    embedder: FakeEmbedder,
    message: str,
    threshold: float,
    topk: int,
    filter_text: str,
) -> None:
    away = distances(embedder, message)
    wanted = ""
    best = None
    for row, (_, _, meta) in enumerate(EXAMPLES):
        passes = {"": True, LEVEL_3: meta["level"] == 3, NOT_LEVEL_3: meta["level"] != 3}[
            filter_text
        ]
        if passes and (best is None or away[row] < away[best]):
            best = row
    if best is not None and abs(away[best] - threshold) < 1e-5:
        return
    if best is not None and (threshold == 0 or away[best] <= threshold):
        wanted = str(EXAMPLES[best][2].get("label", ""))
    turn = ask(workspace, message, threshold=threshold, diagnostic_topk=topk, filter=filter_text)
    assert turn.runs[0].exit == ("found" if wanted else "not_found")
    assert turn.runs[0].output == wanted
    assert diagnostics_of(turn)["output"].get("label", "") == wanted


@pytest.mark.parametrize("message", MESSAGES)
def test_the_results_are_the_nearest_in_order_with_their_distances(
    workspace: Workspace, embedder: FakeEmbedder, message: str
) -> None:
    away = distances(embedder, message)
    order = sorted(range(len(EXAMPLES)), key=away.__getitem__)
    results = diagnostics_of(ask(workspace, message, diagnostic_topk=4, threshold=0.9))["output"][
        "results"
    ]
    assert [r["id"] for r in results] == [EXAMPLES[row][0] for row in order[:4]]
    assert [r["distance"] for r in results] == pytest.approx(
        [away[row] for row in order[:4]], abs=1e-5
    )
    assert [r["within_threshold"] for r in results] == [away[row] <= 0.9 for row in order[:4]]
    assert [r.get("label") for r in results] == [
        EXAMPLES[row][2].get("label") or None for row in order[:4]
    ]


def test_the_diagnostics_have_exactly_these_parameters(workspace: Workspace) -> None:
    diagnostics = diagnostics_of(
        ask(workspace, " hello there ", diagnostic_topk=3, filter=NOT_LEVEL_3, threshold=0.0)
    )
    assert diagnostics["parameters"] == {
        "embedded_string_storage": FILE,
        "metadata_field": "label",
        "threshold": "inf",
        "diagnostic_topk": 3,
        "filter": NOT_LEVEL_3,
        "raw_result_count": 3,
        "filtered_count": 0,
        "result_count": 3,
    }
    assert diagnostics["input"] == {"query": "hello there"}
    assert diagnostics["output"]["label"] == "greeting"


def test_more_diagnostic_hits_never_change_the_route(workspace: Workspace) -> None:
    turns = [ask(workspace, "buy buy buy", threshold=2.0, diagnostic_topk=k) for k in (1, 3, 64)]
    assert len({turn.runs[0].output for turn in turns}) == 1
    assert [len(diagnostics_of(turn)["output"]["results"]) for turn in turns] == [
        1,
        3,
        len(EXAMPLES),
    ]


def test_an_empty_message_finds_no_intent_and_embeds_nothing(
    workspace: Workspace, embedder: FakeEmbedder
) -> None:
    asked = len(embedder.queries)
    turn = ask(workspace, "  \n ")
    assert turn.runs[0].exit == "not_found"
    assert diagnostics_of(turn)["input"] == {}
    assert diagnostics_of(turn)["output"] == {"results": []}
    assert diagnostics_of(turn)["parameters"]["raw_result_count"] == 0
    assert len(embedder.queries) == asked


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("the moon is made of cheese", 'the nearest record, "odd-1", has no "label"'),
        ("nothing at all", 'the nearest record, "odd-2", has an empty "label"'),
    ],
)
def test_a_record_without_a_label_is_not_found_with_a_note(
    workspace: Workspace, message: str, said: str
) -> None:
    turn = ask(workspace, message)
    assert turn.runs[0].exit == "not_found"
    assert said in diagnostics_of(turn)["output"]["note"]
    assert "label" not in diagnostics_of(turn)["output"]


def test_a_default_is_a_label_too(workspace: Workspace) -> None:
    assert ask(workspace, "hello there", metadata_field="mood").runs[0].output == "calm"


def test_a_label_of_mixed_metadata_that_is_no_text_is_not_found(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    (tmp_path / "bare.json").write_text(
        json.dumps(
            [
                {"id": "a", "text": "one", "metadata": {"label": 5}},
                {"id": "b", "text": "two", "metadata": {"label": "second"}},
            ]
        ),
        encoding="utf-8",
    )
    workspace = Workspace(tmp_path, ModelProvider(lambda _name: embedder))
    agent = Agent(
        GraphDescription()
        .add_node(
            "intent",
            ClassifyIntentParams(embedded_string_storage="bare.json", metadata_field="label"),
        )
        .set_start_node("intent"),
        workspace,
    )
    assert agent.turn("two").runs[0].output == "second"
    turn = agent.turn("one")
    assert turn.runs[0].exit == "not_found"
    assert 'has a "label" that is no text' in diagnostics_of(turn)["output"]["note"]


def test_no_knowledge_is_attached(workspace: Workspace) -> None:
    assert ask(workspace, "hello there").messages[0].text == "say=Greet back.;"


def test_near_misses_are_the_examples_beyond_the_threshold_and_beyond_the_count(
    workspace: Workspace, embedder: FakeEmbedder
) -> None:
    away = distances(embedder, "hello there")
    order = sorted(range(len(EXAMPLES)), key=away.__getitem__)
    misses = result_of(ask(workspace, "hello there", diagnostic_topk=3)).near_misses(10)
    assert [miss["id"] for miss in misses] == [EXAMPLES[row][0] for row in order[1:]]
    assert [miss["reason"] for miss in misses] == ["threshold"] * 2 + ["top_k"] * 4
    assert misses[0]["label"] == EXAMPLES[order[1]][2].get("label")
    assert misses[2]["needs"].startswith("diagnostic_topk ≥ 4 · threshold ≥ ")


def test_what_a_near_miss_needs_lets_it_in(workspace: Workspace) -> None:
    for miss in result_of(ask(workspace, "morning")).near_misses(10):
        changes: dict[str, Any] = {}
        for part in miss["needs"].split(" · "):
            name, value = part.split(" ≥ ")
            changes[name] = json.loads(value)
        result = result_of(ask(workspace, "morning", **changes))
        assert miss["id"] in [hit.id for hit in result.hits]


def test_the_funnel_adds_up(workspace: Workspace) -> None:
    result = result_of(ask(workspace, "hello there", diagnostic_topk=3, filter=NOT_LEVEL_3))
    stages = result.stages
    assert [(stage.label, stage.count, stage.removed) for stage in stages] == [
        ("records", 7, 0),
        ("match filter", 4, 3),
        ("nearest", 3, 1),
        ("within threshold", 1, 2),
    ]
    assert all(stage.help for stage in stages)
    assert [stage.reason for stage in stages][1:] == [Reason.FILTER, Reason.TOP_K, Reason.THRESHOLD]


def test_selection_parameters_never_search_again(workspace: Workspace) -> None:
    agent = Agent(graph(intent()), workspace)
    request = agent.request("a question of its own")
    with pytest.raises(SearchNeeded):
        run_turn(request, workspace, work=Work(cached_only=True))
    run_turn(request, workspace)
    for changes in ({"threshold": 2.0}, {"diagnostic_topk": 5}, {"metadata_field": "mood"}):
        moved = replace(request, params={**request.params, "intent": replace(intent(), **changes)})
        assert moved.search_inputs == request.search_inputs
        shown = run_turn(moved, workspace, work=Work(cached_only=True))
        assert shown.debug_info == run_turn(moved, workspace).debug_info


def test_another_filter_is_another_search(workspace: Workspace) -> None:
    agent = Agent(graph(intent()), workspace)
    request = agent.request("x")
    moved = replace(request, params={**request.params, "intent": intent(filter=LEVEL_3)})
    assert moved.search_inputs != request.search_inputs


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("lable", 'declares no field "lable"'),
        ("level", 'the field "level" is of type int'),
        ("", "metadata_field is empty"),
    ],
)
def test_a_field_that_gives_no_labels_is_3007(workspace: Workspace, field: str, said: str) -> None:
    (error,) = errors_of(graph(intent(metadata_field=field)), workspace)
    assert error.code is Code.InvalidParamValue
    assert said in error.message
    assert (error.place.node, error.place.param) == ("intent", "metadata_field")


def test_a_running_agent_refuses_a_field_that_gives_no_labels(workspace: Workspace) -> None:
    agent = Agent(graph(intent()), workspace)
    with pytest.raises(InspectorError) as caught:
        agent.change_param("intent", "metadata_field", "lable")
    assert caught.value.code is Code.InvalidParamValue
    assert "label" in caught.value.hint
    agent.change_param("intent", "metadata_field", "mood")
    assert agent.turn("hello there").runs[0].output == "calm"


def test_a_missing_storage_and_a_broken_filter_fail_the_agent(workspace: Workspace) -> None:
    assert [e.code for e in errors_of(graph(intent(embedded_string_storage="")), workspace)] == [
        Code.InvalidEmbeddedStringStorageName
    ]
    assert [e.code for e in errors_of(graph(intent(filter="{")), workspace)] == [
        Code.InvalidParamValue
    ]


def test_the_label_is_the_nodes_output(workspace: Workspace) -> None:
    described = (
        graph(intent(found_exit="topic"))
        .add_node("topic", InstructionParams(instruction="about", default_exit="k"))
        .add_node(
            "k",
            RetrieveParams(
                embedded_string_storage=FILE,
                retrieval_mode=RetrievalMode.Lexical,
                input="{{node.intent.output}} {{node.topic.output}}",
            ),
        )
    )
    turn = Agent(described, workspace).turn("hello there")
    assert turn.runs[2].retrieval is not None
    assert turn.runs[2].retrieval.query == "greeting about"


def test_a_label_gives_its_instruction(workspace: Workspace) -> None:
    turn = ask(workspace, "I want to buy a sword")
    assert turn.runs[1].output == "Name a price."
    assert turn.runs[1].exit == "default"
    assert turn.runs[1].diagnostics() == {
        "parameters": {"string_storage": "texts.json", "instruction_name": "say"},
        "input": {"label": "trade"},
        "output": {"attached": True, "name": "say", "text": "Name a price."},
    }


def test_a_label_without_a_text_attaches_nothing(workspace: Workspace) -> None:
    turn = ask(workspace, "see you tomorrow")
    assert [(run.name, run.exit) for run in turn.runs][1] == ("say", "default")
    assert turn.runs[1].diagnostics()["input"] == {"label": "farewell"}
    assert turn.runs[1].diagnostics()["output"] == {"attached": False}
    assert [message.role for message in turn.messages] == ["user"]


def test_without_a_label_nothing_is_attached(workspace: Workspace) -> None:
    described = graph(intent()).set_start_node("say")
    turn = Agent(described, workspace).turn("hello there")
    assert turn.runs[0].diagnostics()["input"] == {}
    assert turn.runs[0].diagnostics()["output"] == {"attached": False}


def test_inline_labels_are_used_without_a_storage(workspace: Workspace) -> None:
    described = graph(
        intent(),
        string_storage="",
        inline_keys=("trade", "greeting", "greeting"),
        inline_strings=("Sell.", "Hail!", "Never."),
        instruction_name="mood",
    )
    agent = Agent(described, workspace)
    (warning,) = [found for found in agent.warnings if found.place.node == "say"]
    assert 'the label "greeting" is in inline_keys more than once' in warning.message
    assert agent.turn("hello there").messages[0].text == "mood=Hail!;"


def test_inline_lists_of_different_lengths_are_3003(workspace: Workspace) -> None:
    (error,) = errors_of(
        graph(intent(), string_storage="", inline_keys=("a", "b"), inline_strings=("x",)), workspace
    )
    assert (error.code, error.place.node) == (Code.GraphCompilationFailed, "say")
    assert "2 labels and inline_strings 1 texts" in error.message


@pytest.mark.parametrize("name", ["list.txt", "many.mm.json"])
def test_a_list_or_a_multimap_is_3011(tmp_path: Path, embedder: FakeEmbedder, name: str) -> None:
    write(tmp_path)
    (tmp_path / "list.txt").write_text("a line\n", encoding="utf-8")
    (tmp_path / "many.mm.json").write_text('[{"id": "a", "text": "b"}]', encoding="utf-8")
    workspace = Workspace(tmp_path, ModelProvider(lambda _name: embedder))
    (error,) = errors_of(graph(intent(), string_storage=name), workspace)
    assert (error.code, error.place.node) == (Code.StorageKindMismatch, "say")


def test_the_lint_knows_the_names_of_instructions(workspace: Workspace) -> None:
    described = graph(intent(), instruction_name="mood", default_exit="tell").add_node(
        "tell", GenerateParams(template="{{instruction_mood}}", model_name="any")
    )
    turn = Agent(described, workspace).turn("hello there")
    assert turn.runs[2].projection is not None
    assert turn.runs[2].projection.problems == ()


def test_a_loop_through_intents_ends_with_4003(workspace: Workspace) -> None:
    described = graph(intent(), default_exit="intent")
    turn = Agent(described, workspace).turn("hello there")
    assert turn.error is not None
    assert turn.error.code is Code.MaxStepsExceeded
    assert [run.name for run in turn.runs] == ["intent", "say"] * (MAX_STEPS // 2)


def test_a_string_storage_is_looked_for_on_the_disk_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "manners.json").write_text('[{"id": "greet", "text": "Be warm."}]')
    workspace = Workspace(tmp_path)
    params = IntentToInstructionParams(string_storage="manners.json")
    assert instruction_of("greet", params, workspace, QUIETLY) == "Be warm."
    monkeypatch.setattr(type(workspace.root), "resolve", None)
    assert instruction_of("greet", params, workspace, QUIETLY) == "Be warm."
