"""A turn is asked for, shown, and re-selected as its parameters move."""

from __future__ import annotations

from driver import QUESTION


def test_typing_a_question_and_enter_shows_a_turn(open_window, aquarium):
    user = open_window(aquarium / "rag.graph.json")
    turn = user.ask(QUESTION)
    assert turn.request.message == QUESTION
    assert user.hits() == [hit.id for hit in user.retrieval.hits]
