"""The chat messages of a Generate node, and where chunk texts lie in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import Code, InspectorError
from core.nodes import Placement
from core.prompt.messages import DialogLine
from core.prompt.projection import (
    Chunk,
    InstructionText,
    KnowledgeBlock,
    Message,
    PromptInputs,
    context_of,
    estimate_tokens,
    project,
    to_json,
)

SEED_TEMPLATE = "{{#knowledge}}{{name}}:\n{{#chunks}}- {{text}}\n{{/chunks}}\n{{/knowledge}}"
FISH = KnowledgeBlock(
    "fish", (Chunk("f1", "Tetras shoal.", 0.25), Chunk("f2", "Plecos <eat> wood.", None))
)
WATER = KnowledgeBlock("water facts", (Chunk("w1", "pH 6.5 & soft", 0.0),))
EMPTY = KnowledgeBlock("plants", ())


def inputs(
    template: str = "", placement: Placement = Placement.BeforeUserAsSystem, **changes: Any
) -> PromptInputs:
    base = PromptInputs(
        "What eats wood?",
        (InstructionText("tone", "Be brief."),),
        (FISH, WATER),
        "",
        template,
        placement,
    )
    return replace(base, **changes)


def rendered(template: str, **changes: Any) -> str:
    (message,) = (m for m in project(inputs(template, **changes)) if m.origin == "template")
    return message.text


def spans_of(messages: tuple[Message, ...]) -> list[tuple[str, int, int]]:
    return [
        (message.text[span.start : span.end], span.block, span.chunk)
        for message in messages
        for span in message.spans
    ]


# Context


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{#instructions}}{{name}}={{text}}{{/instructions}}", "tone=Be brief."),
        ("{{instruction_tone}}", "Be brief."),
        (
            "{{#knowledge_fish}}{{id}}:{{text}};{{/knowledge_fish}}",
            "f1:Tetras shoal.;f2:Plecos <eat> wood.;",
        ),
        (
            "{{#knowledge_water facts}}{{text}} {{distance}}{{/knowledge_water facts}}",
            "pH 6.5 & soft 0",
        ),
        (
            "{{#knowledge}}{{name}}{{#has_chunks}}+{{/has_chunks}} {{/knowledge}}",
            "fish+ water facts+ ",
        ),
        ("{{#knowledge_fish}}[{{distance}}]{{/knowledge_fish}}", "[0.25][]"),
        (
            "{{#knowledge}}{{#chunks}}{{#distance}}({{.}}){{/distance}}{{/chunks}}{{/knowledge}}",
            "(0.25)(0)",
        ),
        (
            "{{#knowledge}}{{#chunks}}{{name}}/{{id}} {{/chunks}}{{/knowledge}}",
            "fish/f1 fish/f2 water facts/w1 ",
        ),
        (
            SEED_TEMPLATE,
            "fish:\n- Tetras shoal.\n- Plecos <eat> wood.\nwater facts:\n- pH 6.5 & soft\n",
        ),
    ],
)
def test_a_template_names_what_was_attached(template: str, text: str) -> None:
    assert rendered(template) == text


def test_an_empty_block_is_listed_and_its_own_section_renders_nothing() -> None:
    text = rendered(
        "[{{#knowledge}}{{name}}{{^has_chunks}} is empty{{/has_chunks}}{{/knowledge}}]"
        "[{{#knowledge_plants}}x{{/knowledge_plants}}]",
        knowledge=(EMPTY,),
    )
    assert text == "[plants is empty][]"


def test_two_blocks_of_one_source_share_its_list_and_stay_two_blocks() -> None:
    blocks = (FISH, replace(WATER, name="fish"))
    context = context_of(inputs(knowledge=blocks))
    assert [block["name"] for block in context["knowledge"]] == ["fish", "fish"]
    assert [chunk["id"] for chunk in context["knowledge_fish"]] == ["f1", "f2", "w1"]


def test_the_last_of_two_instructions_with_one_name_wins_its_key() -> None:
    both = (InstructionText("tone", "old"), InstructionText("tone", "new"))
    assert (
        rendered(
            "{{instruction_tone}}:{{#instructions}} {{text}}{{/instructions}}", instructions=both
        )
        == "new: old new"
    )


def test_a_label_with_a_dot_has_its_exact_key_and_is_reached_through_the_list() -> None:
    dotted = replace(FISH, name="fish.v2")
    assert "knowledge_fish.v2" in context_of(inputs(knowledge=(dotted,)))
    assert (
        rendered(
            "{{#knowledge_fish.v2}}x{{/knowledge_fish.v2}}{{#knowledge}}{{name}}{{/knowledge}}",
            knowledge=(dotted,),
        )
        == "fish.v2"
    )


# Order and placement


@pytest.mark.parametrize(
    ("placement", "expected"),
    [
        (Placement.InPlaceOfUser, [("user", "T", "template")]),
        (Placement.BeforeUserAsUser, [("user", "T", "template"), ("user", "Q", "user")]),
        (Placement.BeforeUserAsSystem, [("system", "T", "template"), ("user", "Q", "user")]),
        (Placement.AfterUserAsUser, [("user", "Q", "user"), ("user", "T", "template")]),
        (Placement.AfterUserAsSystem, [("user", "Q", "user"), ("system", "T", "template")]),
    ],
)
def test_the_template_is_placed(placement: Placement, expected: list[tuple[str, str, str]]) -> None:
    messages = project(inputs("T", placement, user_message="Q"))
    assert [(m.role, m.text, m.origin) for m in messages] == expected


@pytest.mark.parametrize("placement", list(Placement))
@pytest.mark.parametrize("template", ["", " \n", "{{nothing}}", "{{#none}}x{{/none}}\n", "{{! }}"])
def test_a_template_that_renders_to_nothing_leaves_the_message_alone(
    placement: Placement, template: str
) -> None:
    assert project(inputs(template, placement)) == (Message("user", "What eats wood?", "user"),)


def test_in_place_of_user_shows_the_message_where_the_template_says() -> None:
    (message,) = project(inputs("Q: {{user_message}}", Placement.InPlaceOfUser))
    assert message.text == "Q: What eats wood?"


@pytest.mark.parametrize("placement", [p for p in Placement if p is not Placement.InPlaceOfUser])
def test_the_players_message_is_empty_in_a_template_beside_it(placement: Placement) -> None:
    template = "[{{user_message}}{{#user_message}}x{{/user_message}}]"
    assert rendered(template, placement=placement) == "[]"


def test_the_system_prompt_and_the_dialog_come_first() -> None:
    messages = project(
        inputs(
            "T",
            system_prompt="You are a fish.",
            dialog=(DialogLine("user", "Hi"), DialogLine("assistant", "Blub")),
        )
    )
    assert to_json(messages) == [
        {"role": "system", "content": "You are a fish."},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Blub"},
        {"role": "system", "content": "T"},
        {"role": "user", "content": "What eats wood?"},
    ]
    assert [m.origin for m in messages] == ["system_prompt", "dialog", "dialog", "template", "user"]


@pytest.mark.parametrize("blank", ["", " ", "\n\t"])
def test_a_blank_system_prompt_is_left_out(blank: str) -> None:
    assert [m.origin for m in project(inputs(system_prompt=blank))] == ["user"]


def test_the_system_prompt_is_no_template() -> None:
    assert project(inputs(system_prompt="{{user_message}}"))[0].text == "{{user_message}}"


def test_an_empty_message_of_the_player_is_still_a_message() -> None:
    assert to_json(project(inputs(user_message=""))) == [{"role": "user", "content": ""}]


def test_a_broken_template_is_refused_with_its_place() -> None:
    with pytest.raises(InspectorError) as caught:
        project(inputs("Facts:\n  {{#knowledge}}"))
    assert caught.value.code is Code.InvalidParamValue
    assert (caught.value.place.line, caught.value.place.column) == (2, 3)


def test_a_prompt_of_more_than_1_mb_is_refused() -> None:
    block = KnowledgeBlock("big", (Chunk("b", "x" * 600_000, 0.1),) * 2)
    with pytest.raises(InspectorError, match="1 MB"):
        project(inputs(SEED_TEMPLATE, knowledge=(block,)))


# Spans


def test_spans_are_the_chunk_texts_in_the_message() -> None:
    messages = project(inputs(SEED_TEMPLATE))
    assert spans_of(messages) == [
        ("Tetras shoal.", 0, 0),
        ("Plecos <eat> wood.", 0, 1),
        ("pH 6.5 & soft", 1, 0),
    ]
    assert messages[-1].spans == ()


def test_a_chunk_that_is_shown_twice_has_two_spans() -> None:
    messages = project(
        inputs("{{#knowledge_water facts}}{{text}}|{{{text}}}{{/knowledge_water facts}}")
    )
    assert spans_of(messages) == [("pH 6.5 & soft", 1, 0)] * 2


def test_the_words_of_a_chunk_elsewhere_are_no_span() -> None:
    messages = project(inputs("Tetras shoal. {{#knowledge_fish}}{{text}}{{/knowledge_fish}}"))
    assert [span.start for span in messages[0].spans] == [14, 27]


texts = st.lists(
    st.sampled_from(
        ["a", "é", "\n", " ", "{{", "}}", "{{text}}", "<", "\ue000", "😀", "\u202e", "\ud800"]
    ),
    max_size=6,
).map("".join)
blocks = st.lists(
    st.builds(
        KnowledgeBlock,
        st.sampled_from(["s", "t", "a b"]),
        st.lists(st.builds(Chunk, texts, texts, st.none() | st.floats(0, 2)), max_size=3).map(
            tuple
        ),
    ),
    max_size=3,
).map(tuple)
pieces = st.lists(
    st.sampled_from(
        [
            "{{#knowledge}}",
            "{{/knowledge}}",
            "{{#chunks}}",
            "{{/chunks}}",
            "{{text}}",
            "{{{text}}}",
            "{{distance}}",
            "{{#knowledge_s}}{{text}}{{/knowledge_s}}",
            "{{#text}}{{.}}{{/text}}",
            "{{^has_chunks}}none{{/has_chunks}}",
            "\n",
            " ",
            "a",
            "é",
            "{{user_message}}",
            "{{> p}}",
            "{{! c }}",
            "{{=| |=}}",
            "{{",
            "{{name}}",
        ]
    ),
    max_size=12,
).map("".join)
placements = st.sampled_from(list(Placement))


@settings(deadline=None)
@given(pieces, placements, blocks, texts)
def test_any_template_projects_or_is_refused(
    template: str, placement: Placement, knowledge: tuple[KnowledgeBlock, ...], message: str
) -> None:
    try:
        messages = project(inputs(template, placement, knowledge=knowledge, user_message=message))
    except InspectorError:
        return
    for text, block, chunk in spans_of(messages):
        assert text == knowledge[block].chunks[chunk].text


@settings(deadline=None)
@given(blocks, st.lists(texts.filter(lambda t: "{{" not in t), min_size=3, max_size=3))
def test_spans_and_text_are_what_concatenation_gives(
    knowledge: tuple[KnowledgeBlock, ...], around: list[str]
) -> None:
    head, left, right = (text.replace("\n", "") + "." for text in around)
    template = (
        head + "{{#knowledge}}{{#chunks}}" + left + "{{text}}" + right + "{{/chunks}}{{/knowledge}}"
    )
    expected, spans = head, []
    for block, attached in enumerate(knowledge):
        for chunk, record in enumerate(attached.chunks):
            start = len(expected) + len(left)
            if record.text:
                spans.append((start, start + len(record.text), block, chunk))
            expected += left + record.text + right
    message = project(inputs(template, knowledge=knowledge))[0]
    assert message.text == expected
    assert [(s.start, s.end, s.block, s.chunk) for s in message.spans] == spans


# Tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("word" * 10, 10),
        ("word" * 10 + "s", 11),
        ("魚は水", 3),
        ("ปลา", 3),
        ("рыба", 2),
        ("abcd魚", 2),
        ("😀", 1),
    ],
)
def test_tokens_are_estimated(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@settings(deadline=None)
@given(texts, texts)
def test_a_longer_text_never_has_fewer_tokens(text: str, more: str) -> None:
    assert estimate_tokens(text) <= estimate_tokens(text + more)
