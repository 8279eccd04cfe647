"""Snippets for the game: what is sent, what is only named, and literals exact in each language."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.description import GraphDescription, Node
from core.agent.literals import (
    CppLiterals,
    PythonLiterals,
    UnityLiterals,
    UnrealLiterals,
    pieces,
    short_float32,
)
from core.agent.snippets import (
    LANGUAGES,
    change_param_calls,
    changed_snippet,
    params_as_json,
)
from core.errors import Code
from core.io.findings import Findings
from core.nodes import (
    CannedResponseParams,
    ClassifyIntentParams,
    GenerateParams,
    InstructionParams,
    KeywordRetrieveParams,
    Placement,
    RetrievalMode,
    RetrieveParams,
    SelectionStrategy,
)

if TYPE_CHECKING:
    from pathlib import Path

    from core.nodes import NodeParams

TEXTS = st.text(
    st.characters(exclude_categories=["Cs"]) | st.sampled_from('"\\?\n\r\t\0/=07aé🐠 '),
    max_size=300,
)
LONG = "fish and ships, " * 4 + 'a "line"\n'


def graph_of(**nodes: NodeParams) -> GraphDescription:
    graph = GraphDescription()
    for name, params in nodes.items():
        graph.add_node(name, params)
    return graph.set_start_node(next(iter(nodes)))


BASE = graph_of(
    knowledge=RetrieveParams(
        embedded_string_storage="fish.json",
        top_k=3,
        threshold=0.5,
        found_exit="answer",
        not_found_exit="answer",
    ),
    answer=GenerateParams(template="{{user_message}}"),
)


def changed(*changes: tuple[str, str, object], base: GraphDescription = BASE) -> GraphDescription:
    graph = base
    for node, param, value in changes:
        graph = graph.with_param(node, param, value)
    return graph


def lines_of(
    language: str, *changes: tuple[str, str, object], base: GraphDescription = BASE
) -> list[str]:
    return changed_snippet(language, changed(*changes, base=base), base).splitlines()


# What is sent


def test_python_changes_one_parameter_a_call() -> None:
    assert lines_of("python", ("knowledge", "threshold", 0.6), ("answer", "stream", True)) == [
        'agent.change_param("knowledge", "threshold", 0.6)',
        'agent.change_param("answer", "stream", True)',
    ]


def test_python_imports_the_enumerations_that_it_names() -> None:
    assert lines_of(
        "python",
        ("answer", "placement", Placement.InPlaceOfUser),
        ("knowledge", "retrieval_mode", RetrievalMode.Hybrid),
    ) == [
        "from tryll_client.graph import Placement, RetrievalMode",
        "",
        'agent.change_param("knowledge", "retrieval_mode", RetrievalMode.Hybrid)',
        'agent.change_param("answer", "placement", Placement.InPlaceOfUser)',
    ]


def test_python_calls_carry_the_very_texts() -> None:
    graph = changed(("knowledge", "filter", '{"op": "not"}\n'), ("answer", "template", LONG * 9))
    calls = [
        statement.value
        for statement in ast.parse(changed_snippet("python", graph, BASE)).body
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    ]
    assert [[ast.literal_eval(argument) for argument in call.args] for call in calls] == [
        ["knowledge", "filter", '{"op": "not"}\n'],
        ["answer", "template", LONG * 9],
    ]


def test_cpp_fills_the_whole_table_and_marks_what_is_changed() -> None:
    assert lines_of("cpp", ("knowledge", "threshold", 0.6), ("knowledge", "source", "facts")) == [
        "using namespace Tryll::Client;",
        "using namespace Tryll::NodeParams;",
        "",
        "RetrieveParamsT knowledge_params;",
        'knowledge_params.embedded_string_storage = "fish.json";',
        "knowledge_params.top_k = 3;",
        "knowledge_params.threshold = 0.6f;  // was 0.5f",
        'knowledge_params.source = "facts";  // was ""',
        'knowledge_params.found_exit = "answer";',
        'knowledge_params.not_found_exit = "answer";',
        'agent.ChangeParams("knowledge", std::move(knowledge_params));',
    ]


def test_cpp_sets_a_parameter_that_went_back_to_its_default() -> None:
    assert "knowledge_params.top_k = 2;  // was 3" in lines_of("cpp", ("knowledge", "top_k", 2))


def test_cpp_spells_the_word_that_its_language_keeps_with_an_underscore() -> None:
    assert 'answer_params.template_ = "";  // was "{{user_message}}"' in lines_of(
        "cpp", ("answer", "template", "")
    )


def test_cpp_names_what_the_graph_file_has_besides() -> None:
    findings = Findings(Code.GraphCompilationFailed, "x")
    document = {
        "start_node": "a",
        "nodes": [
            {"name": "a", "type": "Generate", "params": {"temperature": 0.7, "template": "x"}}
        ],
    }
    base = GraphDescription.from_document(document, findings)
    snippet = changed_snippet("cpp", base.with_param("a", "stream", True), base)
    assert (
        "// The graph file has more of this node; set it as the game does: temperature."
        in snippet.splitlines()
    )


def test_unity_clones_the_table_in_force_and_sets_only_what_is_changed() -> None:
    assert lines_of(
        "unity", ("knowledge", "threshold", 0.6), ("answer", "placement", Placement.AfterUserAsUser)
    ) == [
        "using Tryll.Client;",
        "",
        "var knowledgeParams = (TryllRetrieveParams)"
        'agent.GetNodeParamsBaseline("knowledge").Clone();',
        "knowledgeParams.Threshold = 0.6f;",
        'agent.ChangeParams("knowledge", knowledgeParams);',
        "",
        'var answerParams = (TryllGenerateParams)agent.GetNodeParamsBaseline("answer").Clone();',
        "answerParams.Placement = TryllPlacement.AfterUserAsUser;",
        'agent.ChangeParams("answer", answerParams);',
    ]


def test_unreal_clones_the_table_in_force_and_switches_optional_texts_on() -> None:
    assert lines_of(
        "unreal",
        ("answer", "template", "{{x}}"),
        ("answer", "stream", True),
        ("answer", "placement", Placement.InPlaceOfUser),
    ) == [
        '#include "Generated/TryllGraphBuilder.Nodes.h"',
        '#include "Generated/TryllNodeParamsFactory.h"',
        "",
        "UTryllGenerateParams* AnswerParams = Cast<UTryllGenerateParams>("
        "UTryllNodeParamsFactory::CloneParams(",
        '    AgentComponent->GetNodeParamsBaseline(TEXT("answer")), this));',
        "AnswerParams->bOverrideTemplate = true;",
        'AnswerParams->Template = TEXT("{{x}}");',
        "AnswerParams->Placement = ETryllPlacement::InPlaceOfUser;",
        "AnswerParams->bStream = true;",
        'AgentComponent->ChangeParams(TEXT("answer"), AnswerParams);',
    ]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("cpp", 'intent_params.metadata_field = "label";  // was "intent"'),
        ("unity", 'intentParams.MetadataField = "label";'),
        ("unreal", 'IntentParams->MetadataField = TEXT("label");'),
    ],
)
def test_other_node_types_follow_the_same_names(language: str, line: str) -> None:
    base = graph_of(intent=ClassifyIntentParams(metadata_field="intent"))
    assert line in lines_of(language, ("intent", "metadata_field", "label"), base=base)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (
            "cpp",
            "refuse_params.selection_strategy = ::Tryll::CannedResponseSelectionStrategy_First;"
            "  // was ::Tryll::CannedResponseSelectionStrategy_RoundRobin",
        ),
        ("unity", "refuseParams.SelectionStrategy = TryllCannedResponseSelectionStrategy.First;"),
        (
            "unreal",
            "RefuseParams->SelectionStrategy = ETryllCannedResponseSelectionStrategy::First;",
        ),
    ],
)
def test_the_choice_of_ready_lines_has_the_clients_name(language: str, line: str) -> None:
    base = graph_of(refuse=CannedResponseParams(inline_strings=("No.", "Never.")))
    assert line in lines_of(
        language, ("refuse", "selection_strategy", SelectionStrategy.First), base=base
    )


def test_cpp_lists_are_braced() -> None:
    base = graph_of(refuse=CannedResponseParams(inline_strings=("No.", 'Say "no".')))
    assert 'refuse_params.inline_strings = {"No.", "Say \\"no\\"."};' in lines_of(
        "cpp", ("refuse", "selection_strategy", SelectionStrategy.First), base=base
    )


# What is only named


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_change_is_a_comment_and_nothing_else(language: str) -> None:
    snippet = changed_snippet(language, BASE, BASE)
    sign = "#" if language == "python" else "//"
    assert snippet == f"{sign} No parameter differs from the graph file.\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_structural_changes_are_named_and_never_sent(language: str) -> None:
    snippet = changed_snippet(
        language,
        changed(("knowledge", "embedded_string_storage", "birds.json"), ("knowledge", "top_k", 7)),
        BASE,
    )
    assert "birds" not in snippet
    assert "make a new agent from the graph file" in snippet
    assert snippet.splitlines()[-1].endswith("- knowledge.embedded_string_storage")
    assert ("fish.json" in snippet) == (language == "cpp")


def test_a_graph_with_structural_changes_only_is_all_comment() -> None:
    lines = lines_of("unreal", ("knowledge", "found_exit", ""))
    assert lines
    assert all(line.startswith("// ") for line in lines)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nodes_that_came_or_went_are_named(language: str) -> None:
    graph = BASE.copy()
    graph.nodes = [graph.nodes[0], Node("new\none", InstructionParams())]
    snippet = changed_snippet(language, graph, BASE)
    assert "- answer (another node)" in snippet
    assert "- new\\none (another node)" in snippet


@pytest.mark.parametrize("language", ["cpp", "unity", "unreal"])
def test_a_node_type_that_the_game_lacks_is_told_in_a_comment(language: str) -> None:
    base = graph_of(entries=KeywordRetrieveParams(corpus="docs"))
    lines = lines_of(language, ("entries", "k", 9), base=base)
    assert lines == [
        "// entries: the game's client has no node type KeywordRetrieve; changed are:",
        "// - k = 9.",
    ]


# Names


@pytest.mark.parametrize(
    ("name", "cpp", "unity", "unreal"),
    [
        ("small talk", "small_talk_params", "smallTalkParams", "SmallTalkParams"),
        ("2nd-try", "node_2nd_try_params", "node2ndTryParams", "Node2ndTryParams"),
        ("Öl", "l_params", "lParams", "LParams"),
        ("知識", "node_params", "nodeParams", "NodeParams"),
        ("class", "class_params", "classParams", "ClassParams"),
    ],
)
def test_variables_are_valid_names_in_each_language(
    name: str, cpp: str, unity: str, unreal: str
) -> None:
    base = graph_of(**{name: InstructionParams()})
    for language, variable in (("cpp", cpp), ("unity", unity), ("unreal", unreal)):
        snippet = changed_snippet(language, changed((name, "instruction", "x"), base=base), base)
        assert re.search(rf"\b{variable}\b", snippet)


def test_nodes_with_like_names_get_different_variables() -> None:
    base = graph_of(**{"a b": InstructionParams(), "a-b": InstructionParams()})
    snippet = changed_snippet(
        "cpp", changed(("a b", "instruction", "x"), ("a-b", "instruction", "y"), base=base), base
    )
    assert "InstructionParamsT a_b_params;" in snippet
    assert "InstructionParamsT a_b_params2;" in snippet


# Literals


@given(TEXTS)
def test_python_literals_are_read_back_as_the_text(text: str) -> None:
    assert ast.literal_eval(PythonLiterals().text(text)) == text


@given(TEXTS)
def test_cpp_literals_are_read_back_as_the_text(text: str) -> None:
    assert _read_c(CppLiterals().text(text), "std::string") == text


@given(TEXTS)
def test_unreal_literals_are_read_back_as_the_text(text: str) -> None:
    assert _read_c(UnrealLiterals().text(text), "FString::ConstructFromPtrSize") == text


@given(TEXTS)
def test_unity_literals_are_read_back_as_the_text(text: str) -> None:
    source = UnityLiterals().text(text)
    parts = re.findall(r'"((?:[^"\\\n]|\\.)*)"', source)
    around = re.sub(r'"(?:[^"\\\n]|\\.)*"', "@", source)
    assert around.split() == " + ".join("@" * len(parts)).split()
    assert "".join(map(_unescaped_csharp, parts)) == text


@pytest.mark.parametrize("literals", [CppLiterals(), UnrealLiterals()])
@given(TEXTS)
def test_c_literals_are_ascii_without_trigraphs(
    literals: CppLiterals | UnrealLiterals, text: str
) -> None:
    source = literals.text(text)
    assert source.isascii()
    assert "??" not in source


@given(TEXTS | st.text(max_size=5).map(lambda text: text * 100))
def test_pieces_are_the_text_cut_where_it_can_be_read(text: str) -> None:
    parts = pieces(text)
    assert "".join(parts) == text
    assert all(len(part) <= 81 for part in parts)


def test_a_text_beyond_what_compilers_take_is_a_sum_of_strings() -> None:
    text = LONG * 2000
    for literals in (CppLiterals(), UnrealLiterals()):
        source = literals.text(text)
        groups = re.split(r" \+\n", source)
        assert len(groups) > 2
        assert all(len(group) < 65_535 for group in groups)


@given(st.floats(0, 100, width=32))
def test_decimals_are_the_shortest_that_give_the_float32(value: float) -> None:
    text = short_float32(value)
    assert np.float32(text) == np.float32(value)
    needed = next(n for n in range(1, 10) if np.float32(f"{value:.{n - 1}e}") == np.float32(value))
    assert len(Decimal(text).normalize().as_tuple().digits) == needed


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.6, "0.6f"), (1.0, "1.0f"), (0.0, "0.0f"), (1 / 3, "0.33333334f"), (2, "2.0f")],
)
def test_decimals_have_a_point_and_an_f(value: float, text: str) -> None:
    spec = RetrieveParams.specs()["threshold"]
    assert CppLiterals().value(spec, float(value)) == text


def _read_c(source: str, function: str) -> str:
    """Read adjacent literals, or a sum of string objects, as a C++ compiler would."""
    units: list[str] = []
    position = 0
    tokens = re.compile(
        r"\s+|\+|(?P<open>" + re.escape(function) + r'\()|, (?P<length>\d+)\)|TEXT\((?=")'
        r'|"(?P<literal>(?:[^"\\\n]|\\.)*)"(?P<close>\))?'
    )
    lengths: list[int] = []
    current = ""
    while position < len(source):
        found = tokens.match(source, position)
        assert found is not None, source[position:]
        position = found.end()
        if found["open"]:
            current = ""
        elif found["length"]:
            units.append(current)
            lengths.append(int(found["length"]))
            current = ""
        elif found["literal"] is not None:
            current += _unescaped_c(found["literal"])
    text = _decoded("".join(units) + current, function)
    for part, length in zip(units, lengths, strict=True):
        wide = len(part) if function.startswith("std") else len(part.encode("utf-16-le")) // 2
        assert wide == length
    assert units or "\0" not in text
    return text


def _decoded(text: str, function: str) -> str:
    return text.encode("latin-1").decode() if function.startswith("std") else text


_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "?": "?"}


def _unescaped_c(literal: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1]
        if code[0] in "01234567":
            return chr(int(code, 8))
        return chr(int(code[1:], 16)) if code[0] in "uU" else _SIMPLE[code]

    return re.sub(r'\\([0-7]{1,3}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt"\\?])', one, literal)


def _unescaped_csharp(literal: str) -> str:
    def one(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if code[0] in "uU" else _SIMPLE[code]

    return re.sub(r'\\(u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt"\\])', one, literal)


# The node in hand, and the graph


def test_python_calls_of_a_node_without_a_change_are_those_off_their_defaults() -> None:
    node = Node("knowledge", RetrieveParams(top_k=3, threshold=0.6))
    assert change_param_calls(node, node.params) == (
        'agent.change_param("knowledge", "top_k", 3)\n'
        'agent.change_param("knowledge", "threshold", 0.6)'
    )


def test_python_calls_of_a_node_are_its_changes() -> None:
    params = RetrieveParams(top_k=3, threshold=0.6)
    assert change_param_calls(Node('say "hi"', params), replace(params, top_k=2)) == (
        'agent.change_param("say \\"hi\\"", "top_k", 3)'
    )


def test_parameters_as_json_have_enumerations_by_name() -> None:
    values = json.loads(params_as_json(Node("a", GenerateParams())))
    assert values["placement"] == "BeforeUserAsSystem"


def test_the_graph_as_json_is_what_saving_writes(tmp_path: Path) -> None:
    graph = changed(("knowledge", "top_k", 9))
    file = tmp_path / "a.graph.json"
    text = graph.to_json()
    graph.save(file)
    assert file.read_text(encoding="utf-8") == text
