"""What a turn of the window starts from, and leaves for the next one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from core.agent import CannedResponseParams, GenerateParams, GraphDescription, RetrieveParams
from core.prompt.messages import DialogLine
from tests.inspector.driver import QUESTION

if TYPE_CHECKING:
    from pathlib import Path

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

LINES = ("first", "second", "third")
NOTHING = "zebra unicycle"


@pytest.fixture
def refusing(aquarium: Path) -> Path:
    """A graph that answers with one ready line after the other when nothing is near."""
    graph = (
        GraphDescription()
        .add_node(
            "knowledge",
            RetrieveParams(
                embedded_string_storage="aquarium_all_mini.json",
                threshold=0.2,
                found_exit="answer",
                not_found_exit="refuse",
            ),
        )
        .add_node(
            "answer",
            GenerateParams(template="{{#knowledge}}{{#chunks}}{{text}}{{/chunks}}{{/knowledge}}"),
        )
        .add_node("refuse", CannedResponseParams(inline_strings=LINES))
        .set_start_node("knowledge")
        .set_default_model_name("any")
    )
    path = aquarium / "refusing.graph.json"
    graph.save(path)
    return path


def line_of(user: Driver) -> str:
    """Return the ready line on screen."""
    return user.turn.canned_line


def test_ready_lines_follow_each_other_from_question_to_question(
    open_window: OpenWindow, refusing: Path
) -> None:
    user = open_window(refusing)
    said = []
    for number in range(3):
        user.ask(f"{NOTHING} {number}")
        said.append(line_of(user))
    assert tuple(said) == LINES


def test_asking_the_same_again_is_another_turn_of_play(
    open_window: OpenWindow, refusing: Path
) -> None:
    user = open_window(refusing)
    user.ask(NOTHING)
    user.ask(NOTHING)
    assert line_of(user) == "second"
    assert len(user.session.history) == 2


def test_what_is_typed_live_uses_up_no_ready_line(open_window: OpenWindow, refusing: Path) -> None:
    user = open_window(refusing)
    for text in ("zebra", "zebra unicycle", "zebra unicycle moon"):
        with user.turn_of(text):
            user.type_message(text)
        assert line_of(user) == "first"
    user.ask("another zebra")
    assert line_of(user) == "first"


def test_a_moved_slider_uses_up_no_ready_line(open_window: OpenWindow, refusing: Path) -> None:
    user = open_window(refusing)
    user.ask(NOTHING)
    for value in ("3", "4", "5"):
        user.set_spin("topKSpin", value)
    assert line_of(user) == "first"
    user.ask("another zebra")
    assert line_of(user) == "second"


def test_an_earlier_turn_keeps_its_ready_line_when_it_is_picked_and_moved(
    open_window: OpenWindow, refusing: Path
) -> None:
    user = open_window(refusing)
    for number in range(3):
        user.ask(f"{NOTHING} {number}")
    user.session.pick_turn(1)
    user.set_spin("topKSpin", "6")
    assert line_of(user) == "second"
    user.ask("another zebra")
    assert line_of(user) == "first", "the fourth question gets the first line again"


def test_variables_come_back_with_the_settings_of_a_turn_and_not_by_looking_at_it(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.session.inputs.set_variable("player", "ada")
    user.ask(QUESTION)
    user.ask("which fish eat algae?")
    user.session.inputs.set_variable("player", "bo")
    user.session.pick_turn(0)
    assert user.session.inputs.variables == {"player": "bo"}
    user.click_text("Use these settings")
    assert user.session.inputs.variables == {"player": "ada"}


def test_a_kept_dialog_stands_in_the_next_prompt_without_earlier_knowledge(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.session.inputs.keep_dialog(True)
    first = user.ask(QUESTION)
    user.session.inputs.set_reply("answer", "No, they do not.")
    second = user.ask("which fish eat algae?")
    dialog = [message for message in second.messages if message.origin == "dialog"]
    assert [(m.role, m.text) for m in dialog] == [
        ("user", QUESTION),
        ("assistant", "No, they do not."),
    ]
    chunk = first.run_of("knowledge").retrieval.hits[0].text
    assert chunk not in "".join(message.text for message in dialog)


def test_without_keeping_a_dialog_the_prompt_holds_no_earlier_turn(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    turn = user.ask("which fish eat algae?")
    assert all(message.origin != "dialog" for message in turn.messages)


def test_edited_earlier_messages_change_the_prompt_on_screen_at_once(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.session.inputs.keep_dialog(True)
    user.session.inputs.set_dialog([DialogLine("user", "Hello!"), DialogLine("assistant", "Hi.")])
    assert [m.text for m in user.turn.messages if m.origin == "dialog"] == ["Hello!", "Hi."]


def test_another_question_forgets_the_reply_to_the_one_before(
    open_window: OpenWindow, aquarium: Path
) -> None:
    user = open_window(aquarium / "rag.graph.json")
    user.ask(QUESTION)
    user.session.inputs.set_reply("answer", "No.")
    assert user.turn.reply == "No."
    turn = user.ask("which fish eat algae?")
    assert turn.reply == ""


def test_a_turn_runs_again_exactly_alike(open_window: OpenWindow, refusing: Path) -> None:
    user = open_window(refusing)
    user.ask(NOTHING)
    before = json.dumps(user.turn.debug_info)
    user.set_spin("topKSpin", "5")
    user.set_spin("topKSpin", "2")
    assert json.dumps(user.turn.debug_info) == before
