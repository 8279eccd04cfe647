"""Pasted dialogs: speakers, JSON messages, and what cannot be read."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import Code, InspectorError
from core.prompt.dialog_text import MOST_CHARACTERS, MOST_LINES, ROLES, next_role, parse_dialog
from core.prompt.messages import DialogLine

if TYPE_CHECKING:
    from core.prompt.messages import Role

WORDS = (
    st.text(st.characters(codec="utf-8", exclude_characters=":\uff1a[]{}"), min_size=1)
    .map(str.strip)
    .filter(bool)
)
LINES = st.lists(st.builds(DialogLine, st.sampled_from(ROLES), WORDS), min_size=1, max_size=8)


def unified(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def test_each_speaker_begins_a_message() -> None:
    assert parse_dialog("User: Hello there\nAssistant: Welcome!") == (
        DialogLine("user", "Hello there"),
        DialogLine("assistant", "Welcome!"),
    )


def test_a_line_without_speaker_goes_on_with_the_message() -> None:
    assert parse_dialog("Player: one\n\n  two\nNPC:\nthree") == (
        DialogLine("user", "one\n\n  two"),
        DialogLine("assistant", "three"),
    )


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("HUMAN: x", "user"),
        ("**Assistant:** x", "assistant"),
        ("- bot: x", "assistant"),
        ("system : x", "system"),
        ("[user]\nx", "user"),
        ("  AI\uff1ax", "assistant"),
        ("> player: x", "user"),
        ("**User**: x", "user"),
        ("Developer:x", "system"),
    ],
)
def test_speakers_are_known_by_their_usual_names_and_spellings(line: str, role: Role) -> None:
    assert parse_dialog(line) == (DialogLine(role, "x"),)


def test_a_colon_behind_another_word_is_no_speaker() -> None:
    assert parse_dialog("User: the price: 5\nNote: cheap") == (
        DialogLine("user", "the price: 5\nNote: cheap"),
    )


def test_a_text_without_speaker_is_one_message_of_the_role_asked_for() -> None:
    assert parse_dialog(" Welcome,\ntraveller! ", unmarked="assistant") == (
        DialogLine("assistant", "Welcome,\ntraveller!"),
    )


def test_the_prompt_that_the_window_copies_as_text_is_read_back() -> None:
    assert parse_dialog("[system]\nBe kind.\n\n[user]\nHello\n\n[assistant]\nHi") == (
        DialogLine("system", "Be kind."),
        DialogLine("user", "Hello"),
        DialogLine("assistant", "Hi"),
    )


def test_messages_may_stand_under_a_key_or_alone_or_have_their_text_in_parts() -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "a"}, "b"]}
    expected = (DialogLine("user", "a\nb"),)
    assert parse_dialog(json.dumps({"model": "x", "messages": [message]})) == expected
    assert parse_dialog(json.dumps(message)) == expected


def test_messages_without_text_are_left_out() -> None:
    assert parse_dialog(
        '[{"role": "assistant", "content": null}, {"role": "user", "content": "a"}'
        ', {"role": "user", "content": " "}]'
    ) == (DialogLine("user", "a"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no message"),
        (" \n", "no message"),
        ("User:\nAssistant: ", "no message"),
        ("[]", "no message"),
        ("{}", "no role"),
        ('[{"role": "user", "content": "a"', "mistake"),
        ('{"messages": 3}', "found the number 3"),
        ('[{"role": "tool", "content": "a"}]', 'the text "tool"'),
        ('[{"content": "a"}]', "no role"),
        ('[{"role": "user", "content": 5}]', "the number 5"),
        ('[{"role": "user", "content": [5]}]', "a list"),
        ('[{"role": "user"}, 3]', "the number 3"),
        ('[{"role": "user", "content": "\\ud800"}]', "mistake"),
        ("User: \ud800", "half a character"),
        ("a" * (MOST_CHARACTERS + 1), "characters"),
        ("User: a\n" * (MOST_LINES + 1), "messages"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(InspectorError) as caught:
        parse_dialog(text)
    assert caught.value.code is Code.InvalidParamValue
    assert said in caught.value.message


def test_a_mistake_is_told_with_its_place() -> None:
    with pytest.raises(InspectorError) as caught:
        parse_dialog('{"messages": [{"role": "user", "content": "a"}, {"role": 7}]}')
    assert str(caught.value.place) == "messages[1].role"
    with pytest.raises(InspectorError) as caught:
        parse_dialog('[{"role": "user",\n"content": a}]')
    assert caught.value.place.line == 2


def test_json_nested_ten_thousand_deep_is_refused() -> None:
    with pytest.raises(InspectorError):
        parse_dialog('[{"role": ' + "[" * 10_000)
    with pytest.raises(InspectorError):
        parse_dialog('[{"role": "user", "content": ' + "[" * 10_000 + "]" * 10_000 + "}]")


def test_the_player_speaks_first_and_the_assistant_after_the_player() -> None:
    assert next_role(()) == "user"
    assert next_role((DialogLine("user", "a"),)) == "assistant"
    assert next_role((DialogLine("user", "a"), DialogLine("assistant", "b"))) == "user"


@given(LINES)
def test_messages_written_as_json_are_read_back(lines: list[DialogLine]) -> None:
    written = json.dumps([{"role": line.role, "content": line.text} for line in lines])
    assert parse_dialog(written) == tuple(lines)


@given(LINES)
def test_messages_written_with_speakers_are_read_back(lines: list[DialogLine]) -> None:
    written = "\n".join(f"{line.role.title()}: {line.text}" for line in lines)
    assert parse_dialog(written) == tuple(
        DialogLine(line.role, unified(line.text)) for line in lines
    )


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(InspectorError):
        lines = parse_dialog(text)
        assert all(line.role in ROLES and line.text == line.text.strip() != "" for line in lines)
