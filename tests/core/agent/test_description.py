from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent import (
    CannedResponseParams,
    GenerateParams,
    GraphDescription,
    Placement,
    RetrievalMode,
    RetrieveParams,
)
from core.errors import Code, InspectorError
from core.io.findings import FileRefused, Findings, Severity

if TYPE_CHECKING:
    from pathlib import Path

GRAPH = {
    "version": 1,
    "note": "kept",
    "start_node": "knowledge",
    "nodes": [
        {
            "name": "knowledge",
            "type": "Retrieve",
            "position": [1, 2],
            "params": {
                "threshold": 0.6,
                "embedded_string_storage": "a.json",
                "top_k": 3,
                "found_exit": "answer",
                "designer": "Ada",
            },
        },
        {"name": "answer", "type": "Generate", "params": {"placement": "before_user_as_system"}},
    ],
    "default_model_name": "M",
}


def written(folder: Path, document: object) -> Path:
    path = folder / "g.graph.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def findings_of(document: object) -> list[str]:
    findings = Findings(Code.GraphCompilationFailed, "g.graph.json")
    graph = GraphDescription.from_document(document, findings)
    findings.extend(graph.check())
    return [finding.line() for finding in findings]


def edited(**changes: object) -> dict[str, object]:
    return json.loads(json.dumps(GRAPH)) | changes


def test_the_seeds_example_builds_a_graph_that_checks_clean() -> None:
    graph = (
        GraphDescription()
        .add_node(
            "knowledge",
            RetrieveParams(
                embedded_string_storage="aquarium/aquarium_all_mini.json",
                top_k=3,
                threshold=0.6,
                found_exit="answer",
                not_found_exit="answer",
            ),
        )
        .add_node(
            "answer",
            GenerateParams(
                template="{{#knowledge}}{{name}}{{/knowledge}}",
                placement=Placement.BeforeUserAsSystem,
                default_exit="",
            ),
        )
        .set_start_node("knowledge")
        .set_default_model_name("My Local Model")
    )
    assert graph.check() == ()


def test_a_built_graph_saves_as_a_file_that_loads_to_the_same_nodes(tmp_path: Path) -> None:
    graph = (
        GraphDescription()
        .add_node(
            "k",
            RetrieveParams(embedded_string_storage="a.json", retrieval_mode=RetrievalMode.Hybrid),
        )
        .set_start_node("k")
    )
    graph.save(tmp_path / "g.graph.json")
    assert GraphDescription.load(tmp_path / "g.graph.json").nodes == graph.nodes


def test_saving_writes_enumerations_by_name_and_no_defaults(tmp_path: Path) -> None:
    graph = (
        GraphDescription()
        .add_node(
            "k",
            RetrieveParams(
                embedded_string_storage="a.json", retrieval_mode=RetrievalMode.Hybrid, top_k=2
            ),
        )
        .set_start_node("k")
    )
    assert graph.to_document()["nodes"][0]["params"] == {
        "embedded_string_storage": "a.json",
        "retrieval_mode": "Hybrid",
    }


def test_saving_an_unchanged_graph_changes_nothing_but_white_space(tmp_path: Path) -> None:
    path = written(tmp_path, GRAPH)
    GraphDescription.load(path).save(path)
    assert json.dumps(json.loads(path.read_text())) == json.dumps(GRAPH)


def test_saving_a_changed_parameter_keeps_key_order_and_unknown_keys(tmp_path: Path) -> None:
    path = written(tmp_path, GRAPH)
    GraphDescription.load(path).with_param("knowledge", "top_k", 7).save(path)
    expected = json.dumps(GRAPH).replace('"top_k": 3', '"top_k": 7')
    assert json.dumps(json.loads(path.read_text())) == expected


def test_a_parameter_set_back_to_its_default_stays_where_it_was_written(tmp_path: Path) -> None:
    path = written(tmp_path, GRAPH)
    GraphDescription.load(path).with_param("knowledge", "top_k", 2).save(path)
    assert json.loads(path.read_text())["nodes"][0]["params"]["top_k"] == 2


def test_a_graph_is_overtaken_once_its_file_says_something_else(tmp_path: Path) -> None:
    path = tmp_path / "a.graph.json"
    graph = GraphDescription().add_node("a", GenerateParams()).set_start_node("a")
    graph.set_default_model_name("any")
    assert not graph.is_overtaken()
    graph.save(path)
    document = json.loads(path.read_text())
    path.write_text(json.dumps(document, indent=4))
    assert not graph.is_overtaken()
    path.write_text(json.dumps(document | {"default_model_name": "other"}))
    assert graph.is_overtaken()
    assert graph.copy().is_overtaken()
    path.write_text("{")
    assert graph.is_overtaken()
    path.unlink()
    assert not graph.is_overtaken()


def test_a_failed_save_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, GRAPH)
    graph = GraphDescription.load(path).with_param("knowledge", "top_k", 7)

    def full(_fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InspectorError, match="No space left"):
        graph.save(path)
    assert json.loads(path.read_text()) == GRAPH
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_the_node_type_may_be_given_as_params_type(tmp_path: Path) -> None:
    document = edited(
        nodes=[
            {
                "name": "knowledge",
                "params_type": "RetrieveParams",
                "params": {"embedded_string_storage": "a.json"},
            }
        ]
    )
    graph = GraphDescription.load(written(tmp_path, document))
    assert graph.nodes[0].type == "Retrieve"
    assert graph.to_document()["nodes"][0]["params_type"] == "RetrieveParams"
    assert "type" not in graph.to_document()["nodes"][0]


def test_all_mistakes_of_a_graph_are_reported_at_once() -> None:
    document = {
        "start_node": "nowhere",
        "nodes": [
            {
                "name": "a",
                "type": "Retrieve",
                "params": {"embedded_string_storage": "x.json", "top_k": 0, "found_exit": "ghost"},
            },
            {"name": "a", "type": "Generate", "params": {"placement": "Sideways"}},
            {"name": "b", "type": "Retreive", "params": {}},
        ],
    }
    lines = "\n".join(findings_of(document))
    for text in (
        "0 is out of range",
        "expected one of InPlaceOfUser",
        'did you mean "Retrieve"',
        '2 nodes are called "a"',
        'start node "nowhere" does not exist',
        'exit found_exit of node "a" leads to "ghost"',
    ):
        assert text in lines


def test_a_refused_value_hides_no_other_mistake_of_the_file(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        edited(
            start_node="nowhere",
            nodes=[
                {
                    "name": "a",
                    "type": "Retrieve",
                    "params": {"embedded_string_storage": 5, "top_k": 0, "found_exit": "ghost"},
                },
                {"name": "b", "type": "Retreive"},
                {"name": "c", "type": "Generate", "params": {"default_exit": "b"}},
            ],
        ),
    )
    with pytest.raises(FileRefused) as caught:
        GraphDescription.load(path)
    assert sorted(finding.place.json_path for finding in caught.value.findings) == [
        "nodes[0].params.embedded_string_storage",
        "nodes[0].params.found_exit",
        "nodes[0].params.top_k",
        "nodes[1].type",
        "start_node",
    ]


def test_a_wrong_exit_names_node_field_and_target() -> None:
    graph = (
        GraphDescription()
        .add_node("say", CannedResponseParams(default_exit="ghost"))
        .set_start_node("say")
    )
    finding = graph.check()[0]
    assert finding.code is Code.GraphCompilationFailed
    assert (finding.place.node, finding.place.param) == ("say", "default_exit")
    assert "ghost" in finding.message


def test_an_unknown_parameter_is_a_warning_with_a_suggestion() -> None:
    document = edited()
    document["nodes"][0]["params"]["treshold"] = 1  # type: ignore[index]
    line = next(line for line in findings_of(document) if "treshold" in line)
    assert line.startswith("warning 3003")
    assert 'did you mean "threshold"?' in line


@pytest.mark.parametrize(
    ("text", "stray"),
    [
        ("{{vars.player}}", "{{vars.player}}"),
        ("{{ }}", "{{ }}"),
        ("{{user_message}} {{var.player}} {{node.answer.output}}", ""),
    ],
)
def test_a_reference_that_names_nothing_is_a_warning(text: str, stray: str) -> None:
    document = edited()
    document["nodes"][0]["params"]["input"] = text  # type: ignore[index]
    said = [line for line in findings_of(document) if "nothing replaces" in line]
    assert len(said) == bool(stray)
    assert all(f"nothing replaces {stray} (" in line for line in said)


def test_a_node_off_every_path_is_a_warning() -> None:
    document = edited(start_node="answer")
    assert any('"knowledge" cannot be reached' in line for line in findings_of(document))


def test_a_generate_node_without_any_model_is_a_warning() -> None:
    document = edited(default_model_name="")
    assert any("no model" in line for line in findings_of(document))


def test_a_graph_file_that_is_no_json_says_line_and_column(tmp_path: Path) -> None:
    path = tmp_path / "g.graph.json"
    path.write_text('{"nodes": [\n  {"name" "a"}]}')
    with pytest.raises(FileRefused) as caught:
        GraphDescription.load(path)
    assert caught.value.code is Code.GraphCompilationFailed
    assert (caught.value.place.line, caught.value.place.column) == (2, 11)


def test_a_newer_version_is_refused_and_says_so() -> None:
    assert any("version 2 is newer" in line for line in findings_of(edited(version=2)))


def test_changing_a_copy_leaves_the_original_alone() -> None:
    graph = GraphDescription().add_node("k", RetrieveParams(top_k=2))
    changed = graph.with_param("k", "top_k", 9)
    assert graph.nodes[0].params == RetrieveParams(top_k=2)
    assert changed.nodes[0].params == RetrieveParams(top_k=9)


def test_an_unknown_node_is_3005_with_a_suggestion() -> None:
    graph = GraphDescription().add_node("knowledge", RetrieveParams())
    with pytest.raises(InspectorError, match="no node") as caught:
        graph.with_param("knowlege", "top_k", 1)
    assert caught.value.code is Code.UnknownNode
    assert 'did you mean "knowledge"?' in caught.value.hint


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["nodes", "name", "type", "params", "start_node", "top_k", "version", "found_exit"]
            )
            | st.text(max_size=3),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_json_gives_findings_and_never_an_exception(document: object) -> None:
    findings = Findings(Code.GraphCompilationFailed, "x")
    graph = GraphDescription.from_document(document, findings)
    findings.extend(graph.check())
    assert all("\n" not in finding.line() for finding in findings)
    if not isinstance(document, dict):
        assert any(f.severity is Severity.ERROR for f in findings)


def test_what_a_turn_says_of_a_template_is_said_before_any_turn() -> None:
    def said(template: str) -> list[str]:
        document = edited()
        document["nodes"][1]["params"]["template"] = template  # type: ignore[index]
        return [line for line in findings_of(document) if "answer.template" in line]

    assert said("{{#knowledge}}{{name}}{{/knowledge}}") == []
    (unclosed,) = said("one\n{{#knowledge}}{{name}}")
    assert unclosed.startswith("error 3007 answer.template nodes[1].params.template:")
    assert "line 2, column 1: the section {{#knowledge}} is never closed" in unclosed
    (unknown,) = said("one\n{{knowlege}}")
    assert unknown.startswith("warning 3007")
    assert 'line 2, column 1: nothing in this graph provides "knowlege"' in unknown


def test_what_unread_nodes_may_provide_is_no_lint() -> None:
    document = edited()
    document["nodes"][1]["params"]["template"] = "{{instruction_tone}}"  # type: ignore[index]
    document["nodes"].append({"name": "tone", "type": "Instructon"})  # type: ignore[attr-defined]
    assert not [line for line in findings_of(document) if "answer.template" in line]
