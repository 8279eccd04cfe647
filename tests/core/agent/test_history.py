"""Which turns are kept, and that what comes after one never changes it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.agent.history import MOST_TURNS, HistoryEntry, TurnHistory, bounded
from core.agent.turn import Turn
from core.nodes import RetrieveParams
from core.nodes.walk import TurnRequest

if TYPE_CHECKING:
    from collections.abc import Callable


def asked(message: str, top_k: int = 5, *, recorded: bool = False) -> Turn:
    request = TurnRequest(message, {"knowledge": RetrieveParams(top_k=top_k)}, "knowledge")
    return Turn(request, (), recorded=recorded)


def said(history: TurnHistory) -> list[tuple[str, int]]:
    return [
        (entry.turn.request.message, getattr(entry.turn.request.params["knowledge"], "top_k", 0))
        for entry in history.entries
    ]


def test_every_run_is_a_turn_of_its_own_the_same_one_too() -> None:
    history = TurnHistory()
    for message in ("a", "a", "b"):
        history.add(asked(message), live=False)
    assert said(history) == [("a", 5), ("a", 5), ("b", 5)]
    assert history.index == 2


def test_what_is_typed_further_takes_the_place_of_what_did_not_rest() -> None:
    history = TurnHistory()
    for message in ("c", "cl", "clown"):
        history.add(asked(message), live=True)
    history.add(asked("clown"), live=False)
    assert said(history) == [("clown", 5)]
    assert not history.entries[0].live


def test_a_question_that_rested_is_kept_when_another_is_typed() -> None:
    history = TurnHistory()
    history.add(asked("clown"), live=True)
    assert history.keep()
    assert not history.keep()
    history.add(asked("lion"), live=True)
    assert said(history) == [("clown", 5), ("lion", 5)]


def test_a_setting_that_rested_is_a_turn_of_its_own() -> None:
    history = TurnHistory()
    history.add(asked("a"), live=False)
    for top_k in (6, 7):
        history.vary(asked("a", top_k))
    assert said(history) == [("a", 5), ("a", 7)]
    history.keep()
    history.vary(asked("a", 8))
    assert said(history) == [("a", 5), ("a", 7), ("a", 8)]


def test_a_setting_that_comes_back_before_it_rests_leaves_nothing() -> None:
    history = TurnHistory()
    history.add(asked("a"), live=False)
    for top_k in (6, 5):
        history.vary(asked("a", top_k))
    assert said(history) == [("a", 5)]
    assert history.is_newest_shown


def test_moving_an_earlier_turn_leaves_it_as_it_was() -> None:
    history = TurnHistory()
    for message in ("a", "b"):
        history.add(asked(message), live=False)
    first = history.entries[0]
    history.pick(0)
    history.vary(asked("a", 9))
    assert history.entries[0] is first
    assert said(history) == [("a", 5), ("b", 5), ("a", 9)]
    assert history.entries[2].live, "it leaves nothing to the next question"


def test_files_that_were_read_again_renew_the_results_of_the_newest() -> None:
    history = TurnHistory()
    history.add(asked("a"), live=False)
    again = asked("a")
    history.vary(again)
    assert [entry.turn for entry in history.entries] == [again]


def test_a_reply_that_is_typed_belongs_to_the_turn_that_it_answers() -> None:
    history = TurnHistory()
    history.add(asked("a"), live=False)
    turn = asked("a")
    replied = replace(turn, request=replace(turn.request, replies={"answer": "No."}))
    history.vary(replied)
    assert [entry.turn for entry in history.entries] == [replied]


def test_looking_away_keeps_what_is_being_typed() -> None:
    history = TurnHistory()
    history.add(asked("a"), live=False)
    history.add(asked("b"), live=True)
    history.pick(0)
    history.add(asked("c"), live=True)
    assert said(history) == [("a", 5), ("b", 5), ("c", 5)]


def test_turns_of_a_recording_go_when_it_is_left() -> None:
    history = TurnHistory()
    history.add(asked("mine"), live=False)
    history.add_recorded([asked("theirs", recorded=True)] * 2)
    assert len(history.entries) == 3
    assert history.index == 2
    history.leave()
    assert said(history) == [("mine", 5)]
    assert history.index == -1


@pytest.mark.parametrize(
    ("removed", "index"), [(0, 1), (2, -1), (1, 1)], ids=["before", "shown", "middle"]
)
def test_a_removed_turn_leaves_the_others_where_they_were(removed: int, index: int) -> None:
    history = TurnHistory()
    for message in ("a", "b", "c"):
        history.add(asked(message), live=False)
    entry = history.remove(removed)
    assert entry is not None
    assert len(history.entries) == 2
    assert history.index == index
    history.put_back([entry])
    assert said(history) == [("a", 5), ("b", 5), ("c", 5)]


def test_a_turn_can_be_named_and_pinned() -> None:
    history = TurnHistory()
    history.add(asked("a"), live=True)
    history.change(0, name="  the good one ")
    history.change(0, is_pinned=True)
    entry = history.entries[0]
    assert (entry.name, entry.is_pinned, entry.is_open) == ("the good one", True, False)


def test_beyond_the_bound_the_oldest_go_that_are_not_pinned() -> None:
    entries = [
        HistoryEntry(asked(str(number)), live=False, when=number, is_pinned=number == 0)
        for number in range(MOST_TURNS + 3)
    ]
    kept = bounded(entries)
    assert len(kept) == MOST_TURNS
    assert kept == [entries[0], *entries[4:]]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["run", "type", "move", "rest", "pick", "remove"]), st.integers(0, 3)
        ),
        max_size=40,
    )
)
def test_what_was_kept_is_never_changed_by_what_comes_after(steps: list[tuple[str, int]]) -> None:
    history = TurnHistory()
    acts: dict[str, Callable[[int], object]] = {
        "run": lambda n: history.add(asked(f"m{n}"), live=False),
        "type": lambda n: history.add(asked(f"m{n}"), live=True),
        "move": lambda n: history.vary(asked("m0", n + 1)),
        "rest": lambda _n: history.keep(),
        "pick": history.pick,
        "remove": history.remove,
    }
    for what, number in steps:
        kept = [entry for entry in history.entries if not entry.is_open]
        acts[what](number)
        requests = [entry.turn.request for entry in history.entries]
        gone = [entry for entry in kept if entry.turn.request not in requests]
        assert len(gone) <= (what == "remove")
        assert -1 <= history.index < len(history.entries)
