"""References that can never work, told before any turn."""

from __future__ import annotations

import pytest

from core.agent import GraphDescription
from core.io.findings import Finding, Severity
from core.nodes import (
    CannedResponseParams,
    InstructionParams,
    KnowledgeSourceKind,
    NodeParams,
    RetrieveParams,
    WriteToMemoryParams,
)


def findings_of(params: NodeParams, then: str = "answer") -> list[Finding]:
    """Return the findings of the second of three nodes: ``ask``, ``node``, ``answer``."""
    exits = dict.fromkeys(params.exits().values(), then)
    graph = (
        GraphDescription()
        .add_node("ask", InstructionParams(instruction="Ask.", default_exit="node"))
        .add_node("node", type(params)(**vars(params) | exits))
        .add_node("answer", CannedResponseParams())
        .set_start_node("ask")
    )
    return [
        found
        for found in graph.check()
        if found.place.node == "node" and "exit" not in found.message
    ]


def lines_of(params: NodeParams) -> list[str]:
    return [
        f"{found.severity} {found.place.param}: {found.message} ({found.hint})"
        for found in findings_of(params)
    ]


def searching(text: str) -> RetrieveParams:
    return RetrieveParams(input=text, embedded_string_storage="k.json")


def recalling(name: str) -> RetrieveParams:
    return RetrieveParams(source_kind=KnowledgeSourceKind.FromName, storage_name=name, schema="s")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ask",
        " ask ",
        "{{user_message}}",
        "{{node.ask.output}} and {{ user_message }}",
        "{{var.player}}: {{user_message}}",
    ],
)
def test_what_works_is_no_finding(text: str) -> None:
    assert findings_of(searching(text)) == []


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("answer", 'the node "answer" cannot have run before "node"', "nodes before it: ask"),
        ("ack", '"ack" is no node that runs before "node"', 'did you mean "ask"?'),
        ("user_message", '"user_message" is not replaced', 'did you mean "{{user_message}}"?'),
        ("var.player", '"var.player" is not replaced', 'did you mean "{{var.player}}"?'),
        ("about {var.player}", '"var.player" is not replaced', 'did you mean "{{var.player}}"?'),
        (
            "node.ask.output",
            '"node.ask.output" is not replaced',
            'did you mean "{{node.ask.output}}"?',
        ),
        ("{{message}}", "nothing replaces {{message}}", 'did you mean "{{user_message}}"?'),
        ("{{vars.player}}", "nothing replaces {{vars.player}}", 'did you mean "{{var.player}}"?'),
        ("{{node.ask}}", "nothing replaces {{node.ask}}", 'did you mean "{{node.ask.output}}"?'),
        ("{{ASK}}", "nothing replaces {{ASK}}", 'did you mean "{{node.ask.output}}"?'),
        (
            "{{node.answer.output}}",
            'the node "answer" cannot have run before "node": {{node.answer.output}} is empty',
            "nodes before it: ask",
        ),
        ("what is a dragon", "every turn searches with these very words", "the player's message"),
    ],
)
def test_an_input_that_never_means_what_it_says_is_a_warning(
    text: str, said: str, hint: str
) -> None:
    (line,) = lines_of(searching(text))
    assert line.startswith("warning input: ")
    assert said in line
    assert hint in line


def test_an_unknown_node_is_an_error_for_every_turn_fails() -> None:
    (found,) = findings_of(searching("{{node.akk.output}}"))
    assert (found.severity, int(found.code)) == (Severity.ERROR, 3007)
    assert found.place.json_path == "nodes[1].params.input"
    assert found.hint == 'did you mean "ask"?'


def test_a_node_in_a_loop_may_read_what_a_later_node_said() -> None:
    assert findings_of(searching("node"), then="node") == []


def test_what_only_a_node_that_could_not_be_read_can_tell_is_no_finding() -> None:
    graph = (
        GraphDescription()
        .add_node("node", searching("{{node.ghost.output}} {{node.answer.output}}"))
        .add_node("answer", CannedResponseParams())
        .set_start_node("node")
    )
    graph.unread = {9: "ghost"}
    assert not [found for found in graph.check() if found.place.param == "input"]


@pytest.mark.parametrize("text", ["var.player", "{var.player}", "diary_{var.player}"])
def test_a_store_name_without_its_braces_is_a_warning(text: str) -> None:
    (line,) = lines_of(recalling(text))
    assert line.startswith("warning storage_name: ")
    assert 'did you mean "{{var.player}}"?' in line


def test_a_store_name_of_nothing_but_a_later_nodes_output_is_an_error() -> None:
    assert [found.severity for found in findings_of(recalling("{{node.answer.output}}"))] == [
        Severity.WARNING,
        Severity.ERROR,
    ]
    assert [found.severity for found in findings_of(recalling("d_{{node.answer.output}}"))] == [
        Severity.WARNING
    ]
    assert findings_of(recalling("{{node.ask.output}}")) == []


def test_the_store_name_of_a_node_that_searches_a_file_is_not_read() -> None:
    idle = RetrieveParams(storage_name="{{node.gone.output}}", embedded_string_storage="k.json")
    assert findings_of(idle) == []


def test_a_reference_in_a_filter_is_a_warning() -> None:
    condition = '{"op": "eq", "lhs": {"knowledge": "water"}, "rhs": {"value": "{{var.water}}"}}'
    (line,) = lines_of(RetrieveParams(embedded_string_storage="k.json", filter=condition))
    assert line.startswith("warning filter: nothing is replaced here: {{var.water}} stands for")


def test_metadata_is_read_value_by_value() -> None:
    metadata = '{"var.key": "{{user_message}}", "who": "{var.who}", "of": ["{{node.akk.output}}"]}'
    lines = lines_of(WriteToMemoryParams(storage_name="d", schema="s", metadata=metadata))
    assert [line.split(":")[0] for line in lines] == ["warning metadata", "error metadata"]
    assert 'did you mean "{{var.who}}"?' in lines[0]


def test_a_constant_text_may_be_written_but_a_misspelt_node_is_told() -> None:
    def written(text: str) -> list[str]:
        return lines_of(WriteToMemoryParams(input=text, storage_name="d", schema="s"))

    assert written("The player came in.") == []
    (line,) = written("ack")
    assert 'did you mean "ask"?' in line
