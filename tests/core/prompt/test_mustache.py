"""Mustache: the official cases, an independent evaluator, and what strangers may try."""

from __future__ import annotations

import html
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
from chevron.tokenizer import tokenize
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Code, InspectorError
from core.prompt.mustache import Budget, MarkedText, render_marked
from core.prompt.mustache_scan import MAX_NESTING, MAX_TEMPLATE, Tag, TagKind, scan

if TYPE_CHECKING:
    from pathlib import Path

OFFICIAL = {"comments": 12, "delimiters": 14, "interpolation": 42, "inverted": 22, "sections": 34}
WITHOUT_PARTIALS = {
    "Partial Inheritence": "[  ]\n[  ]\n",
    "Post-Partial Behavior": "[  ]\n[ .yes.  .|value|. ]\n",
}


def render(template: str, context: Any, budget: Budget | None = None) -> str:
    return render_marked(template, context, budget or Budget()).text


def refusal(template: str, context: Any = None, budget: Budget | None = None) -> InspectorError:
    with pytest.raises(InspectorError) as caught:
        render(template, context or {}, budget or Budget())
    assert caught.value.code is Code.InvalidParamValue
    return caught.value


# The specification


@pytest.mark.parametrize(
    ("file", "number"),
    [
        pytest.param(file, number, id=f"{file}-{number}")
        for file, count in OFFICIAL.items()
        for number in range(count)
    ],
)
def test_an_official_case_renders_as_specified(data: Path, file: str, number: int) -> None:
    cases = json.loads((data / "mustache" / f"{file}.json").read_text("utf-8"))["tests"]
    assert len(cases) == OFFICIAL[file]
    case = cases[number]
    expected = WITHOUT_PARTIALS.get(case["name"], case["expected"])
    if "Escaping" in case["name"]:
        expected = html.unescape(expected)
    assert render(case["template"], case["data"]) == expected, case["name"]


@pytest.mark.parametrize("tag", ["{{x}}", "{{{x}}}", "{{&x}}", "{{& x }}", "{{=| |=}}|&x|"])
def test_nothing_is_escaped(tag: str) -> None:
    assert render(tag, {"x": "<b>\"Tom\" & 'Al'</b>"}) == "<b>\"Tom\" & 'Al'</b>"


def test_a_name_resolves_outwards_through_an_inverted_section() -> None:
    context = {"block": [{"name": "lore"}]}
    assert render("{{#block}}{{^none}}{{name}}{{/none}}{{/block}}", context) == "lore"


def test_an_inverted_section_may_stand_in_a_section_of_the_same_name() -> None:
    assert render("{{#a}}<{{^a}}none{{/a}}{{.}}>{{/a}}!", {"a": [1, 2]}) == "<1><2>!"


def test_the_dot_in_an_inverted_section_is_the_item_around_it() -> None:
    assert render("{{#a}}{{^none}}{{.}}{{/none}}{{/a}}", {"a": ["x", "y"]}) == "xy"


def test_falsy_list_items_are_rendered() -> None:
    context = {"a": [0, "", None, False, {}, [], 0.0]}
    assert render("{{#a}}({{.}}){{/a}}", context) == "(0)()()(false)()()(0)"


def test_a_falsy_item_is_falsy_where_it_is_asked_for() -> None:
    assert render("{{#a}}[{{#.}}yes{{/.}}{{^.}}no{{/.}}]{{/a}}", {"a": ["", "x"]}) == "[no][yes]"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, True),
        (0.0, True),
        (-0.0, True),
        ("0", True),
        (True, True),
        ({}, True),
        ([0], True),
        (None, False),
        (False, False),
        ("", False),
        ([], False),
        (print, False),
        (object(), False),
    ],
)
def test_a_section_is_rendered_for_what_counts_as_true(value: object, shown: bool) -> None:
    assert render("{{#x}}yes{{/x}}{{^x}}no{{/x}}", {"x": value}) == ("yes" if shown else "no")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.5, "0.5"),
        (1.0, "1"),
        (2, "2"),
        (100.0, "100"),
        (0.1234564, "0.123456"),
        (0.1234566, "0.123457"),
        (1e-9, "0"),
        (-1e-9, "0"),
        (-0.25, "-0.25"),
        (1.9999999, "2"),
        (1e21, "1000000000000000000000"),
        (float("nan"), ""),
        (float("inf"), ""),
        (float("-inf"), ""),
        (None, ""),
        (True, "true"),
        (False, "false"),
        ([1], ""),
        ({"a": 1}, ""),
        (print, ""),
        (object(), ""),
        (b"bytes", ""),
    ],
)
def test_a_value_is_written(value: object, text: str) -> None:
    assert render("{{x}}", {"x": value}) == text


# The independent evaluator: trees are generated, written as templates, and evaluated as trees.

NAMES = ("a", "b", "c", "a.b", "b.c", ".")
scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from(["", "x", "<&>"]))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)
contexts = st.dictionaries(st.sampled_from("abc"), values, max_size=3)
trees = st.recursive(
    st.one_of(
        st.sampled_from(["-", " ", "}", "ü"]), st.tuples(st.just(""), st.sampled_from(NAMES))
    ),
    lambda inner: st.tuples(
        st.sampled_from("#^"), st.sampled_from(NAMES), st.lists(inner, max_size=3)
    ),
    max_leaves=8,
)


def as_template(tree: Any) -> str:
    if isinstance(tree, str):
        return tree
    if tree[0] == "":
        return "{{" + tree[1] + "}}"
    return (
        "{{"
        + tree[0]
        + tree[1]
        + "}}"
        + "".join(map(as_template, tree[2]))
        + ("{{/" + tree[1] + "}}")
    )


def looked_up(name: str, stack: list[Any]) -> Any:
    if name == ".":
        return stack[-1]
    first, *rest = name.split(".")
    for scope in stack[::-1]:
        if type(scope) is dict and first in scope:
            found = scope[first]
            for part in rest:
                found = found.get(part) if type(found) is dict else None
            return found
    return None


def evaluated(tree: Any, stack: list[Any]) -> str:
    if isinstance(tree, str):
        return tree
    value = looked_up(tree[1], stack)
    if tree[0] == "":
        if type(value) is bool:
            return "true" if value else "false"
        return str(value) if type(value) in (int, str) else ""
    falsy = value is None or value is False or value in ("", [])
    if tree[0] == "^":
        items = [stack] if falsy else []
    elif type(value) is list:
        items = [[*stack, item] for item in value]
    else:
        items = [] if falsy else [[*stack, value]]
    return "".join(evaluated(child, item) for item in items for child in tree[2])


@pytest.mark.slow
@settings(deadline=None)
@given(st.lists(trees, max_size=4), contexts)
def test_a_template_renders_as_its_tree_evaluates(forest: list[Any], context: Any) -> None:
    template = "".join(map(as_template, forest))
    assert render(template, context) == "".join(evaluated(tree, [context]) for tree in forest)


# Security


@pytest.mark.parametrize(
    "template",
    [
        "{{x.__class__}}",
        "{{text.format}}",
        "{{text.upper}}",
        "{{__class__}}",
        "{{n.real}}",
        "{{x.keys}}",
        "{{x.items}}",
        "{{list.append}}",
        "{{list.0}}",
        "{{text.0}}",
        "{{list.-1}}",
        "{{#list}}{{__class__}}{{real}}{{/list}}",
        "{{^none}}{{real}}{{__class__}}{{/none}}",
        "{{#text}}{{upper}}{{0}}{{/text}}",
        "{{#yes}}{{real}}{{numerator}}{{/yes}}",
        "{{#text.format}}{1.__globals__}{{/text.format}}",
        "{{call}}",
        "{{#call}}body{{/call}}",
        "{{#x}}{{__init__.__globals__}}{{/x}}",
        "{{.__class__}}",
        "{{_value}}{{_meter}}{{_true}}",
        "{{x._CHEVRON_return_scope_when_falsy}}",
    ],
)
def test_no_name_reaches_python(template: str) -> None:
    def call(*_: object) -> str:
        raise AssertionError("called")

    context = {"x": {"a": 1}, "text": "secret", "n": 1, "list": [1, 2], "yes": True, "call": call}
    assert render(template, context) == ""


@pytest.mark.parametrize("template", ["{{> ../../etc/passwd}}", "{{>secret}}", "{{>/etc/passwd}}"])
def test_a_partial_reads_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, template: str
) -> None:
    (tmp_path / "secret.mustache").write_text("read")
    monkeypatch.chdir(tmp_path)
    assert render(f"[{template}]", {}) == "[]"


def test_a_text_of_the_context_is_never_taken_for_a_template() -> None:
    assert render("{{x}}{{#l}}{{.}}{{/l}}", {"x": "{{y}}", "y": "no", "l": ["{{> y}}"]}) == (
        "{{y}}{{> y}}"
    )


# Budget


def test_sections_that_double_at_each_level_run_out_of_time() -> None:
    template = "{{#l}}" * 40 + "{{/l}}" * 40
    assert (
        "takes longer than 0.05 s" in refusal(template, {"l": [1, 2]}, Budget(seconds=0.05)).message
    )


def test_a_large_output_is_refused() -> None:
    template = "{{#l}}" * 20 + "0123456789" * 100 + "{{/l}}" * 20
    assert "more than 1 MB" in refusal(template, {"l": [1, 2]}).message


def test_the_output_is_measured_in_bytes() -> None:
    assert render("{{x}}", {"x": "é" * 50}, Budget(output_bytes=100)) == "é" * 50
    refusal("{{x}}", {"x": "é" * 51}, Budget(output_bytes=100))


def test_an_output_of_exactly_1_mb_is_allowed() -> None:
    assert len(render("{{x}}", {"x": "a" * 1_000_000})) == 1_000_000


def test_a_template_of_many_tags_is_read_in_one_pass() -> None:
    # chevron alone copies the rest of the template several times for each tag.
    assert render("{{! c }}\n" * 30_000, {}, Budget(seconds=30)) == ""


def test_a_template_that_is_too_long_is_refused() -> None:
    assert str(MAX_TEMPLATE) in refusal("a" * (MAX_TEMPLATE + 1)).message


def test_lists_nest_as_deep_as_is_allowed() -> None:
    template = "{{#l}}" * MAX_NESTING + "x" + "{{/l}}" * MAX_NESTING
    assert render(template, {"l": [1]}) == "x"


def test_deeper_nesting_is_refused_at_its_tag() -> None:
    error = refusal("{{#l}}\n" * 1000 + "{{/l}}" * 1000, {"l": [1]})
    assert (error.place.line, error.place.column) == (MAX_NESTING + 1, 1)


def test_a_caller_deep_in_the_stack_gets_a_refusal_and_no_recursion_error() -> None:
    def with_frames_left(frames: int) -> InspectorError:
        depth, frame = 0, sys._getframe()
        while frame := frame.f_back:
            depth += 1
        return refused(sys.getrecursionlimit() - depth - frames)

    def refused(frames: int) -> InspectorError:
        if frames > 0:
            return refused(frames - 1)
        return refusal("{{#l}}" * MAX_NESTING + "{{/l}}" * MAX_NESTING, {"l": [1]})

    assert "too deeply" in with_frames_left(70).message


# Places


@pytest.mark.parametrize(
    ("template", "line", "column", "words"),
    [
        ("{{}}", 1, 1, "empty"),
        ("a{{ }}", 1, 2, "empty"),
        ("a\n{{#}}x{{/}}", 2, 1, "empty"),
        ("{{{a}", 1, 1, "never closed"),
        ("x\n {{{a}}", 2, 2, "three braces"),
        ("abc{{", 1, 4, "never closed"),
        ("{{a", 1, 1, "never closed"),
        ("{{a}}\n  {{b}\n{{c}}", 2, 3, "never closed"),
        ("{{!", 1, 1, "never closed"),
        ("{{#a}}\r\n {{#b}}{{/b}}", 1, 1, "{{#a}} is never closed"),
        ("{{^a}}", 1, 1, "{{^a}} is never closed"),
        ("{{#a}}\n\n  {{/b}}", 3, 3, "{{/b}} does not match the open section {{#a}} (line 1"),
        ("{{#a}}\n{{#b}}\n {{/a}}", 3, 2, "{{/a}} does not match the open section {{#b}} (line 2"),
        ("ü{{/a}}", 1, 2, "not open"),
        ("{{#a}}x{{/a", 1, 8, "never closed"),
        ("{{=| |=}}|#a|\n|/b|", 2, 1, "does not match"),
        ("{{= =}}", 1, 1, "delimiters"),
        ("{{==}}", 1, 1, "delimiters"),
        ("{{=}}", 1, 1, "delimiters"),
        ("{{=x=}}", 1, 1, "delimiters"),
        ("{{=<\t>=}}", 1, 1, "delimiters"),
        ("{{=a b c=}}", 1, 1, "delimiters"),
        ("{{=| |=}}|{a}|", 1, 10, "|&a|"),
    ],
)
def test_a_mistake_is_refused_at_its_place(
    template: str, line: int, column: int, words: str
) -> None:
    error = refusal(template)
    assert (error.place.line, error.place.column) == (line, column)
    assert words in error.message


def test_a_misspelt_end_tag_is_one_mistake() -> None:
    assert len(scan("{{#a}}{{#b}}{{/c}}{{/a}}").mistakes) == 1


def test_two_mistakes_are_both_found() -> None:
    places = [(m.line, m.column) for m in scan("{{/a}}\n{{#b}}").mistakes]
    assert places == [(1, 1), (2, 1)]


def test_tags_know_their_kind_name_and_place() -> None:
    template = "a {{ b }}\n{{! c }}{{{ d.e }}}{{& f }}\n{{# g }}{{/g}}{{^h}}{{/ h }}{{> i }}"
    assert [(t.kind, t.name, t.line, t.column) for t in scan(template).tags] == [
        (TagKind.VARIABLE, "b", 1, 3),
        (TagKind.COMMENT, "", 2, 1),
        (TagKind.VARIABLE, "d.e", 2, 9),
        (TagKind.VARIABLE, "f", 2, 20),
        (TagKind.SECTION, "g", 3, 1),
        (TagKind.END, "g", 3, 9),
        (TagKind.INVERTED, "h", 3, 15),
        (TagKind.END, "h", 3, 21),
        (TagKind.PARTIAL, "i", 3, 29),
    ]
    assert [template[t.start : t.end] for t in scan(template).tags] == re.findall(
        r"\{\{.*?\}\}+", template
    )


# Any text

noise = st.lists(
    st.sampled_from(
        [
            "{{",
            "}}",
            "{",
            "}",
            "#",
            "^",
            "/",
            "!",
            "=",
            ">",
            "&",
            ".",
            " ",
            "\n",
            "\r\n",
            "\t",
            "a",
            "b",
            "{{#a}}",
            "{{/a}}",
            "{{^b}}",
            "{{/b}}",
            "{{a}}",
            "{{.}}",
            "{{=| |=}}",
            "|",
            "|={{ }}=|",
            "<%",
            "%>",
            "é",
            "\ud800",
            "\u2028",
            "\x00",
        ]
    ),
    max_size=25,
).map("".join)


def attempted(template: str, context: Any) -> str | InspectorError:
    try:
        return render(template, context)
    except InspectorError as error:
        return error


@settings(deadline=None)
@given(noise, contexts)
def test_any_template_renders_or_is_refused_at_a_place(template: str, context: Any) -> None:
    outcome = attempted(template, context)
    assert isinstance(outcome, str) or (
        outcome.code is Code.InvalidParamValue and outcome.place.line and outcome.place.column
    )


@settings(deadline=None)
@given(noise)
def test_the_scan_finds_the_pieces_that_chevron_finds(template: str) -> None:
    found = scan(template)
    if found.mistakes:
        return
    ours = [
        (str(piece.kind), piece.name) if isinstance(piece, Tag) else ("literal", piece)
        for piece in found.pieces
        if not isinstance(piece, Tag) or piece.kind not in (TagKind.COMMENT, TagKind.DELIMITERS)
    ]
    theirs = [
        ("variable" if kind == "no escape" else kind, name)
        for kind, name in tokenize(template)
        if kind != "set delimiter"
    ]
    assert ours == theirs


# Marks


def test_marks_say_where_marked_texts_lie() -> None:
    context = {"l": [{"t": MarkedText("eins", (0, 0))}, {"t": MarkedText("zw\nei", (0, 1))}]}
    text, marks = render_marked("é{{#l}}\n- {{t}} {{#t}}{{.}}{{/t}}\n{{/l}}", context)
    assert [(text[m.start : m.end], m.mark) for m in marks] == [
        ("eins", (0, 0)),
        ("eins", (0, 0)),
        ("zw\nei", (0, 1)),
        ("zw\nei", (0, 1)),
    ]


def test_an_empty_marked_text_leaves_no_mark_and_is_false() -> None:
    context = {"t": MarkedText("", (0, 0))}
    assert render_marked("[{{t}}{{^t}}none{{/t}}]", context) == ("[none]", ())
