"""What the lint of a template says, and where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InspectorError
from core.io.findings import Severity
from core.nodes import Placement
from core.prompt.lint import LintProblem, Provided, lint, none_reaches
from core.prompt.mustache import render_marked
from core.prompt.mustache_scan import MAX_PROBLEMS

PROVIDED = Provided(("tone",), ("aquarium", "water facts", "v1.2"))
BESIDE = [placement for placement in Placement if placement is not Placement.InPlaceOfUser]


def problems(
    template: str,
    placement: Placement = Placement.BeforeUserAsSystem,
    provided: Provided = PROVIDED,
) -> tuple[LintProblem, ...]:
    return lint(template, placement, provided)


def only(
    template: str,
    placement: Placement = Placement.BeforeUserAsSystem,
    provided: Provided = PROVIDED,
) -> LintProblem:
    (problem,) = lint(template, placement, provided)
    return problem


@pytest.mark.parametrize(
    "template",
    [
        "",
        "no tags",
        "{{! comment }}",
        "{{instruction_tone}}",
        "{{#knowledge}}{{name}}:\n{{#chunks}}- {{text}}\n{{/chunks}}\n{{/knowledge}}",
        "{{#knowledge}}{{#has_chunks}}{{#chunks}}{{id}} {{text}} {{distance}}{{/chunks}}"
        "{{/has_chunks}}{{^has_chunks}}none{{/has_chunks}}{{/knowledge}}",
        "{{#knowledge_aquarium}}{{id}} {{{text}}} {{&distance}}{{/knowledge_aquarium}}",
        "{{#knowledge_water facts}}{{#distance}}{{.}}{{/distance}}{{/knowledge_water facts}}",
        "{{#instructions}}{{name}} {{text}}{{/instructions}}",
        "{{^knowledge_aquarium}}nothing about {{instruction_tone}}{{/knowledge_aquarium}}",
        "{{=<% %>=}}<%#knowledge%><%name%><%/knowledge%>",
    ],
)
def test_a_sound_template_has_no_problems(template: str) -> None:
    assert problems(template) == ()


# Errors


@pytest.mark.parametrize(
    ("template", "line", "column"),
    [
        ("{{#knowledge}}\n{{name}", 2, 1),
        ("x\n  {{#knowledge}}", 2, 3),
        ("{{#knowledge}}\n {{/chunks}}", 2, 2),
        ("{{/knowledge}}", 1, 1),
        ("a {{}}", 1, 3),
    ],
)
def test_a_broken_tag_is_an_error_at_its_place(template: str, line: int, column: int) -> None:
    problem = only(template)
    assert (problem.severity, problem.line, problem.column) == (Severity.ERROR, line, column)


def test_errors_and_warnings_come_together_in_the_order_of_their_places() -> None:
    found = problems("{{nme}}\n{{#knowledge}}\n{{> x}}")
    assert [(p.severity, p.line) for p in found] == [
        (Severity.WARNING, 1),
        (Severity.ERROR, 2),
        (Severity.WARNING, 3),
    ]


# Names


def test_an_unknown_name_lists_what_is_provided() -> None:
    problem = only("a\n {{knowlege_aquarium}}")
    assert (problem.severity, problem.line, problem.column) == (Severity.WARNING, 2, 2)
    assert 'provides "knowlege_aquarium" here; did you mean "knowledge_aquarium"?' in (
        problem.message
    )
    assert problem.message.endswith(
        "Provided: user_message, instructions, knowledge, instruction_tone, knowledge_aquarium, "
        "knowledge_water facts, knowledge_v1.2"
    )


def test_inside_a_section_the_inner_names_are_listed_first() -> None:
    message = only("{{#knowledge}}{{#chunks}}{{txt}}{{/chunks}}{{/knowledge}}").message
    assert 'did you mean "text"?' in message
    assert "Provided: id, text, distance, name, has_chunks, chunks, user_message" in message


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{text}}", "known inside {{#chunks}}, {{#knowledge_SOURCE}} or {{#instructions}}"),
        ("{{#chunks}}{{text}}{{/chunks}}", "known inside {{#knowledge}}"),
        (
            "{{^knowledge}}{{name}}{{/knowledge}}",
            "known inside {{#knowledge}} or {{#instructions}}",
        ),
        ("{{knowledge.name}}", '"knowledge" has no "name" of its own: it is a list'),
        ("{{instruction_tone.x}}", '"instruction_tone" has no "x" of its own.'),
        ("{{#knowledge_v1.2}}{{/knowledge_v1.2}}", "reads its dot as a step inwards"),
        ("{{ #knowledge}}", 'no space may stand before the "#"'),
        ("{{$block}}", "cannot inherit"),
        ("{{#each knowledge}}{{/each knowledge}}", 'Mustache has no "each"'),
        ("{{else}}", 'Mustache has no "else"'),
        ("{{zzzzzz}}", 'provides "zzzzzz" here. Provided'),
        ("{{knowledge}}", "is a list, which renders nothing"),
        ("{{#knowledge}}{{chunks}}{{/knowledge}}", "{{#chunks}}…{{/chunks}}"),
        ("{{> header}}", "partials are switched off, so {{> header}} renders nothing"),
    ],
)
def test_a_warning_says_what_to_do(template: str, words: str) -> None:
    problem = only(template)
    assert problem.severity is Severity.WARNING
    assert words in problem.message


@pytest.mark.parametrize(
    ("template", "node_type"),
    [
        ("{{#knowledge}}{{name}}{{/knowledge}}", "Retrieve"),
        ("{{#instructions}}{{text}}{{/instructions}}", "Instruction"),
    ],
)
def test_a_list_that_no_node_fills_is_not_provided(template: str, node_type: str) -> None:
    message = only(template, provided=Provided()).message
    assert message.endswith(f"takes a node of the type {node_type}. Provided: user_message")


def test_a_section_over_an_unknown_name_is_one_warning() -> None:
    assert 'provides "knowlege"' in only("{{#knowlege}}{{a}}{{#b}}{{c}}{{/b}}{{/knowlege}}").message


def test_the_body_of_an_inverted_section_over_an_unknown_name_is_checked_too() -> None:
    assert len(problems("{{^knowlege}}{{a}}{{/knowlege}}")) == 2


def test_a_long_list_of_names_is_cut() -> None:
    provided = Provided((), tuple(f"source{n}" for n in range(60)))
    assert only("{{zzzzzz}}", provided=provided).message.endswith("and 42 more")


# The player's message


@pytest.mark.parametrize("placement", BESIDE)
@pytest.mark.parametrize("template", ["{{user_message}}", "{{#user_message}}x{{/user_message}}"])
def test_the_players_message_beside_itself_is_a_warning(
    placement: Placement, template: str
) -> None:
    problem = only(template, placement)
    assert (problem.severity, problem.line, problem.column) == (Severity.WARNING, 1, 1)
    assert placement.name in problem.message


@pytest.mark.parametrize(
    "template",
    ["hello", "{{#knowledge}}{{name}}{{/knowledge}}", "{{#user_message}}x{{/user_message}}"],
)
def test_a_replaced_message_that_is_never_shown_is_a_warning(template: str) -> None:
    problem = only(template, Placement.InPlaceOfUser)
    assert (problem.severity, problem.line, problem.column) == (Severity.WARNING, 1, 1)
    assert "{{user_message}} is missing" in problem.message


@pytest.mark.parametrize(
    "template",
    [
        "",
        " \n",
        "{{user_message}}",
        "{{{ user_message }}}",
        "{{#user_message}}{{.}}{{/user_message}}",
    ],
)
def test_a_template_that_shows_the_message_or_falls_back_to_it_is_fine(template: str) -> None:
    assert problems(template, Placement.InPlaceOfUser) == ()


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
            "a",
            "if ",
            "$",
            "{{#knowledge}}",
            "{{/knowledge}}",
            "{{^chunks}}",
            "{{/chunks}}",
            "{{text}}",
            "{{.}}",
            "{{.a}}",
            "{{user_message}}",
            "{{=| |=}}",
            "|",
            "{{! c }}",
            "é",
            "\ud800",
            "\x00",
            "{{a..b}}",
        ]
    ),
    max_size=25,
).map("".join) | st.text(max_size=20)


@settings(deadline=None)
@given(noise, st.sampled_from(list(Placement)))
def test_errors_are_what_rendering_refuses(template: str, placement: Placement) -> None:
    found = problems(template, placement)
    errors = [(p.line, p.column) for p in found if p.severity is Severity.ERROR]
    try:
        render_marked(template, {})
    except InspectorError as error:
        refused = [(error.place.line, error.place.column)]
    else:
        refused = []
    assert errors[:1] == refused


@pytest.mark.slow
@pytest.mark.parametrize(
    "template",
    [
        "{{zzz}}" * 140_000,
        "{{user_message}}" * 60_000,
        "{{#x}}" * 160_000,
        "{{/x}}" * 160_000,
        "{{" * 499_999 + "}}",
        "{{" + "a" * 999_990 + "}}",
        "x\n" * 500_000,
        "{{}}" * 250_000,
        "{{#knowledge}}" * 99 + "{{user_message}}" * 60_000,
        "x" * 2_000_000,
    ],
    ids=lambda t: t[:9],
)
@pytest.mark.timeout(10)
def test_a_template_of_1_mb_is_linted_in_bounded_time(template: str) -> None:
    assert len(problems(template, Placement.InPlaceOfUser)) <= MAX_PROBLEMS


def test_a_flood_of_warnings_hides_no_error() -> None:
    found = problems("{{zzz}}" * 500 + "{{")
    assert len(found) == MAX_PROBLEMS
    assert found[-1].severity is Severity.ERROR


def test_a_list_within_itself_is_a_warning() -> None:
    loop = "{{#knowledge_aquarium}}{{#knowledge_aquarium}}{{text}}{{/knowledge_aquarium}}"
    problem = only(loop + "{{/knowledge_aquarium}}", Placement.BeforeUserAsSystem)
    assert (problem.line, problem.column) == (1, 24)
    assert "stands within itself" in problem.message


@pytest.mark.parametrize("name", ["knowledge", "knowledge_aquarium", "instruction_tone"])
def test_a_name_in_single_braces_is_a_warning(name: str) -> None:
    problem = only(f"Facts:\n  {{{name}}}", Placement.BeforeUserAsSystem)
    assert (problem.line, problem.column) == (2, 3)
    assert f"{{{{{name}}}}}" in problem.message


def test_braces_around_other_words_are_text() -> None:
    assert problems('{"answer": {tone}} {x} {} {{{instruction_tone}}}') == ()


@pytest.mark.parametrize("template", ["Facts: {knowledge}", "{{#knowledge}}{{name}}{{/knowledge}}"])
def test_hits_of_which_none_is_rendered_are_a_warning(template: str) -> None:
    (problem,) = none_reaches(template, 3)
    assert problem.message.startswith("3 hits, none reaches the prompt")
    assert none_reaches(template, 0) == ()


@pytest.mark.parametrize(
    "template", ["", "{{#knowledge}}{{#chunks}}{{id}}{{/chunks}}{{/knowledge}}"]
)
def test_no_template_and_one_that_shows_ids_keep_no_hit_back(template: str) -> None:
    assert none_reaches(template, 3) == ()


def test_a_name_within_the_chunks_is_the_sources() -> None:
    provided = Provided(sources=("lore",))
    template = "{{#knowledge}}{{name}}{{#chunks}}{{name}}: {{text}}{{/chunks}}{{/knowledge}}"
    (problem,) = lint(template, Placement.BeforeUserAsSystem, provided)
    assert (problem.line, problem.column) == (1, template.index("{{name}}:") + 1)
    assert problem.message.startswith('"name" is the label of the source here')
