from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from core.agent import (
    Agent,
    CannedResponseParams,
    GenerateParams,
    GraphDescription,
    InstructionParams,
    KnowledgeSourceKind,
    NodeParams,
    Placement,
    RetrievalMode,
    RetrieveParams,
    SelectionStrategy,
    Workspace,
)
from core.agent.agent import MAX_STEPS, run_turn
from core.errors import Code, InspectorError
from core.io.findings import FileRefused
from core.io.work import SearchNeeded, Work
from core.knowledge.root import StorageRoot
from core.nodes import NODE_TYPES
from core.nodes.walk import TurnRequest
from core.opening.opening import check_path

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider

AQUARIUM = "aquarium_all_mini.json"
QUESTION = "which fish jump out of the tank?"


@pytest.fixture
def workspace(samples: Path, models: ModelProvider) -> Workspace:
    return Workspace(StorageRoot(samples / "aquarium"), models)


def graph_of(*nodes: tuple[str, object]) -> GraphDescription:
    graph = GraphDescription().set_start_node(nodes[0][0]).set_default_model_name("M")
    for name, params in nodes:
        graph.add_node(name, params)  # type: ignore[arg-type]
    return graph


def lexical(**changes: object) -> RetrieveParams:
    values = {
        "embedded_string_storage": AQUARIUM,
        "retrieval_mode": RetrievalMode.Lexical,
        "top_k": 3,
    } | changes
    return RetrieveParams(**values)  # type: ignore[arg-type]


def refused(agent: Agent, node: str, param: str, value: object) -> InspectorError:
    before = agent.graph.nodes
    with pytest.raises(InspectorError) as caught:
        agent.change_param(node, param, value)
    assert agent.graph.nodes == before
    return caught.value


def test_a_turn_takes_the_found_exit_when_a_chunk_is_found(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            ("k", lexical(found_exit="a", not_found_exit="b")),
            ("a", GenerateParams()),
            ("b", GenerateParams()),
        ),
        workspace,
    )
    runs = agent.turn(QUESTION).runs
    assert [(run.name, run.exit, run.next) for run in runs] == [
        ("k", "found", "a"),
        ("a", "default", ""),
    ]


def test_a_turn_takes_the_not_found_exit_when_nothing_is_found(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            ("k", lexical(not_found_exit="no")),
            ("no", CannedResponseParams(inline_strings=("Sorry.",))),
        ),
        workspace,
    )
    turn = agent.turn("xyzzy")
    assert [run.exit for run in turn.runs] == ["not_found", "default"]
    assert turn.runs[1].output == "Sorry."


def test_an_empty_message_finds_nothing_and_searches_nothing(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            ("k", lexical(not_found_exit="a")),
            ("a", GenerateParams(template="{{#knowledge}}[{{name}}]{{/knowledge}}")),
        ),
        workspace,
    )
    turn = agent.turn("  \n ")
    diagnostics = turn.runs[0].diagnostics()
    assert turn.runs[0].exit == "not_found"
    assert diagnostics["input"] == {}
    assert diagnostics["output"] == {"results": []}
    assert diagnostics["parameters"]["raw_result_count"] == 0
    assert turn.messages[0].text == "[k]"


def test_the_input_may_be_an_earlier_nodes_output(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            ("ask", InstructionParams(instruction="  clownfish  ", default_exit="k")),
            ("k", lexical(input="ask")),
        ),
        workspace,
    )
    assert agent.turn("something else").runs[1].retrieval.query == "clownfish"


def test_references_in_the_input_are_replaced(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            ("ask", InstructionParams(instruction="lionfish", default_exit="k")),
            ("k", lexical(input=" {{user_message}} {{ var.who }} {{node.ask.output}} ")),
        ),
        workspace,
    )
    agent.variables["who"] = "gobies"
    assert agent.turn("do").runs[1].retrieval.query == "do gobies lionfish"


def test_an_undefined_variable_is_3007_with_its_name(workspace: Workspace) -> None:
    agent = Agent(graph_of(("k", lexical(input="{{var.who}}"))), workspace)
    turn = agent.turn(QUESTION)
    assert turn.status == "Error"
    assert turn.error is not None
    assert (turn.error.code, "who" in turn.error.message) == (Code.InvalidParamValue, True)


def test_a_structural_parameter_is_3006(workspace: Workspace) -> None:
    agent = Agent(graph_of(("k", lexical())), workspace)
    assert refused(agent, "k", "found_exit", "").code is Code.ParamNotMutable


def test_an_unknown_node_is_3005_and_an_unknown_parameter_3007(workspace: Workspace) -> None:
    agent = Agent(graph_of(("k", lexical())), workspace)
    assert refused(agent, "x", "top_k", 1).code is Code.UnknownNode
    assert refused(agent, "k", "topk", 1).code is Code.InvalidParamValue


def test_a_filter_that_does_not_compile_leaves_the_previous_one_in_force(
    workspace: Workspace,
) -> None:
    agent = Agent(graph_of(("k", lexical())), workspace)
    agent.change_param(
        "k", "filter", '{"op":"eq","lhs":{"knowledge":"beginner"},"rhs":{"value":true}}'
    )
    error = refused(
        agent, "k", "filter", '{"op":"eq","lhs":{"knowledge":"nosuch"},"rhs":{"value":true}}'
    )
    assert error.code is Code.InvalidParamValue
    assert error.message.startswith("filter.unknown_field")
    assert "beginner" in agent.turn(QUESTION).runs[0].diagnostics()["parameters"]["filter"]


def test_changing_while_a_turn_runs_is_3004(workspace: Workspace) -> None:
    agent = Agent(graph_of(("k", lexical())), workspace)
    seen: list[InspectorError] = []

    def meddle() -> bool:
        try:
            agent.change_param("k", "top_k", 5)
        except InspectorError as error:
            seen.append(error)
        return False

    agent.turn(QUESTION, work=Work(is_cancelled=meddle))
    assert {error.code for error in seen} == {Code.AgentBusy}
    agent.change_param("k", "top_k", 5)


def test_a_loop_ends_with_4003_and_the_nodes_that_ran(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            ("a", InstructionParams(default_exit="b")), ("b", InstructionParams(default_exit="a"))
        ),
        workspace,
    )
    turn = agent.turn("x")
    assert turn.error is not None
    assert turn.error.code is Code.MaxStepsExceeded
    assert len(turn.debug_info["nodes"]) == MAX_STEPS == 64


@dataclass(frozen=True, kw_only=True)
class OddParams(NodeParams):
    """Parameters of a node type that nobody has defined."""


def test_a_node_that_does_not_run_here_ends_the_turn_with_3003_and_its_name(
    workspace: Workspace,
) -> None:
    params = {"i": InstructionParams(default_exit="odd"), "odd": OddParams()}
    turn = run_turn(TurnRequest("x", params, "i"), workspace)
    assert turn.error is not None
    assert turn.error.code is Code.GraphCompilationFailed
    assert "Odd does not run here" in turn.error.message
    assert turn.error.place.node == "odd"
    assert [run.name for run in turn.runs] == ["i"]


def test_an_agent_is_not_made_with_a_node_that_does_not_run_here(workspace: Workspace) -> None:
    with pytest.raises(InspectorError) as caught:
        Agent(graph_of(("odd", OddParams())), workspace)
    assert caught.value.code is Code.GraphCompilationFailed


@pytest.mark.parametrize("table", NODE_TYPES.values(), ids=NODE_TYPES)
def test_every_node_type_runs(workspace: Workspace, table: type[NodeParams]) -> None:
    request = TurnRequest(" ", {"node": table()}, "node")
    turn = run_turn(request, workspace)
    assert turn.error is None or "does not run here" not in turn.error.message


def test_a_missing_storage_fails_the_agent_with_3010(workspace: Workspace) -> None:
    with pytest.raises(FileRefused) as caught:
        Agent(graph_of(("k", lexical(embedded_string_storage="gone.json"))), workspace)
    assert caught.value.code is Code.StorageFileNotFound
    assert caught.value.place.node == "k"


def test_a_storage_outside_the_root_fails_the_agent_with_3009(workspace: Workspace) -> None:
    with pytest.raises(FileRefused) as caught:
        Agent(graph_of(("k", lexical(embedded_string_storage="../adventure/lore.json"))), workspace)
    assert caught.value.code is Code.StorageOutsideRoot


def test_all_faults_of_the_storages_are_reported_at_once(workspace: Workspace) -> None:
    graph = graph_of(
        ("k", lexical(embedded_string_storage="gone.json", found_exit="l")),
        ("l", lexical(filter="{", found_exit="c")),
        ("c", CannedResponseParams(string_storage="none.txt")),
    )
    graph.nodes[0] = graph.nodes[0]
    with pytest.raises(FileRefused) as caught:
        Agent(graph, workspace)
    assert {
        (f.place.node, int(f.code)) for f in caught.value.findings if f.severity == "error"
    } == {("k", 3010), ("l", 3007), ("c", 3010)}


def test_faults_of_the_graph_and_of_its_storages_are_reported_together(
    workspace: Workspace,
) -> None:
    wrong: Any = 7
    canned = CannedResponseParams(string_storage=wrong)
    graph = graph_of(
        ("k", lexical(embedded_string_storage="gone.json", top_k=0)),
        ("l", lexical(top_k="x", filter="{", found_exit="ghost")),
        ("c", canned),
    )
    with pytest.raises(FileRefused) as caught:
        Agent(graph, workspace)
    assert {f.place.json_path for f in caught.value.findings if f.severity == "error"} == {
        "nodes[0].params.top_k",
        "nodes[0].params.embedded_string_storage",
        "nodes[1].params.top_k",
        "nodes[1].params.filter",
        "nodes[1].params.found_exit",
        "nodes[2].params.string_storage",
    }


def test_a_fault_of_a_storage_is_placed_at_the_line_of_the_graphs_file(tmp_path: Path) -> None:
    path = tmp_path / "g.graph.json"
    GraphDescription().add_node(
        "k", lexical(embedded_string_storage="gone.json", top_k=5)
    ).set_start_node("k").save(path)
    (found,) = check_path(path)
    line = path.read_text().splitlines()[(found.place.line or 0) - 1]
    assert '"embedded_string_storage": "gone.json"' in line


def test_a_dialog_that_is_kept_no_longer_leaves_the_very_next_prompt(workspace: Workspace) -> None:
    agent = Agent(graph_of(("say", GenerateParams())), workspace)
    agent.keeps_dialog = True
    agent.turn("one", replies={"say": "first"})
    assert [m.text for m in agent.turn("two").messages] == ["one", "first", "two"]
    agent.keeps_dialog = False
    assert [m.text for m in agent.turn("three").messages] == ["three"]


def test_a_variable_may_be_a_number(workspace: Workspace) -> None:
    agent = Agent(graph_of(("k", lexical(input="tank {{var.size}}"))), workspace)
    agent.variables["size"] = 60  # type: ignore[assignment]
    assert agent.turn("x").debug_info["nodes"][0]["diagnostics"]["input"]["query"] == "tank 60"


def test_round_robin_goes_on_from_turn_to_turn(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(("say", CannedResponseParams(inline_strings=("a", "b", "c")))), workspace
    )
    assert [agent.turn("x").runs[0].output for _ in range(4)] == ["a", "b", "c", "a"]


def test_first_always_says_the_first_line(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            (
                "say",
                CannedResponseParams(
                    inline_strings=("a", "b"), selection_strategy=SelectionStrategy.First
                ),
            )
        ),
        workspace,
    )
    assert [agent.turn("x").runs[0].output for _ in range(3)] == ["a", "a", "a"]


def test_random_depends_on_the_seed_alone(workspace: Workspace) -> None:
    def lines(seed: int) -> list[str]:
        agent = Agent(
            graph_of(
                (
                    "say",
                    CannedResponseParams(
                        inline_strings=tuple("abcdefgh"),
                        selection_strategy=SelectionStrategy.Random,
                    ),
                )
            ),
            workspace,
        )
        return [agent.turn("x", seed=seed).runs[0].output for _ in range(8)]

    assert lines(1) == lines(1)
    assert lines(1) != lines(2)


def test_the_knowledge_block_is_attached_also_when_nothing_is_found(workspace: Workspace) -> None:
    template = (
        "{{#knowledge}}{{name}}:{{#chunks}}x{{/chunks}}"
        "{{^has_chunks}}none{{/has_chunks}}{{/knowledge}}"
    )
    agent = Agent(
        graph_of(
            ("k", lexical(source="facts", not_found_exit="g")),
            ("g", GenerateParams(template=template, placement=Placement.BeforeUserAsUser)),
        ),
        workspace,
    )
    assert agent.turn("xyzzy").messages[0].text == "facts:none"


def test_a_template_that_cannot_be_rendered_ends_the_turn_but_keeps_the_retrieval(
    workspace: Workspace,
) -> None:
    text = "x" * 1000
    template = "{{#knowledge}}{{#chunks}}" + text * 900 + "{{/chunks}}{{/knowledge}}"
    agent = Agent(
        graph_of(("k", lexical(found_exit="g")), ("g", GenerateParams(template=template))),
        workspace,
    )
    turn = agent.turn(QUESTION)
    assert turn.error is not None
    assert turn.error.code is Code.InvalidParamValue
    assert "renders to more than" in turn.error.message
    assert turn.runs[0].retrieval is not None
    assert turn.runs[0].retrieval.hits


def test_a_template_with_a_mistake_is_refused_and_the_one_before_stays(
    workspace: Workspace,
) -> None:
    agent = Agent(graph_of(("g", GenerateParams(template="{{user_message}}"))), workspace)
    with pytest.raises(InspectorError, match=r"line 1, column 3: .*never closed") as refused:
        agent.change_param("g", "template", "a {{#knowledge}}")
    assert refused.value.code is Code.InvalidParamValue
    node = agent.graph.node("g")
    assert isinstance(node.params, GenerateParams)
    assert node.params.template == "{{user_message}}"


def test_a_turn_that_comes_to_a_node_that_is_not_there_says_which_exit_led_to_it(
    workspace: Workspace,
) -> None:
    request = TurnRequest("x", {"say": InstructionParams(default_exit="gone")}, "say")
    turn = run_turn(request, workspace)
    assert turn.error is not None
    assert turn.error.code is Code.GraphCompilationFailed
    assert (turn.error.place.node, turn.error.place.param) == ("say", "default_exit")
    assert 'leads to "gone"' in turn.error.message
    assert [run.name for run in turn.runs] == ["say"]


def test_a_turn_of_a_graph_without_its_start_node_says_so(workspace: Workspace) -> None:
    turn = run_turn(TurnRequest("x", {}, "gone"), workspace)
    assert turn.error is not None
    assert '"gone" does not exist' in turn.error.message


@pytest.mark.slow
def test_only_mode_and_numbers_change_without_another_search(
    workspace: Workspace, models: ModelProvider
) -> None:
    agent = Agent(graph_of(("k", lexical(retrieval_mode=RetrievalMode.Dense))), workspace)
    agent.turn(QUESTION)
    for param, value in (
        ("top_k", 7),
        ("threshold", 0.9),
        ("rrf_k", 10),
        ("retrieval_mode", "Hybrid"),
        ("retrieval_mode", "Lexical"),
    ):
        agent.change_param("k", param, value)
        assert (
            run_turn(agent.request(QUESTION), workspace, work=Work(cached_only=True)).error is None
        )


@pytest.mark.parametrize("changed", ["message", "filter"])
def test_another_message_or_filter_needs_another_search(workspace: Workspace, changed: str) -> None:
    agent = Agent(graph_of(("k", lexical())), workspace)
    agent.turn(QUESTION)
    if changed == "filter":
        agent.change_param(
            "k", "filter", '{"op":"eq","lhs":{"knowledge":"beginner"},"rhs":{"value":true}}'
        )
    with pytest.raises(SearchNeeded):
        run_turn(
            agent.request(QUESTION if changed == "filter" else "other"),
            workspace,
            work=Work(cached_only=True),
        )


def test_a_cached_turn_equals_the_searched_one(workspace: Workspace) -> None:
    agent = Agent(graph_of(("k", lexical())), workspace)
    searched = agent.turn(QUESTION)
    cached = run_turn(agent.request(QUESTION), workspace, work=Work(cached_only=True))
    assert cached.debug_info == searched.debug_info


def test_two_agents_in_two_threads_share_a_workspace(workspace: Workspace) -> None:
    results: list[object] = []

    def work() -> None:
        agent = Agent(graph_of(("k", lexical())), workspace)
        results.append(agent.turn(QUESTION).debug_info)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(result == results[0] for result in results)


def test_an_unknown_memory_store_is_empty_and_takes_not_found(workspace: Workspace) -> None:
    agent = Agent(
        graph_of(
            (
                "k",
                RetrieveParams(
                    source_kind=KnowledgeSourceKind.FromName, storage_name="m_{{var.p}}", schema="s"
                ),
            )
        ),
        workspace,
    )
    agent.variables["p"] = "ada"
    turn = agent.turn(QUESTION)
    assert (turn.runs[0].exit, turn.status) == ("not_found", "Success")
    assert "embedded_string_storage" not in turn.runs[0].diagnostics()["parameters"]
