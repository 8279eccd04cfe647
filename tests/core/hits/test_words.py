"""Which words of a query tell something of a text."""

from __future__ import annotations

import pytest

from core.hits.words import QueryWords


@pytest.mark.parametrize(
    ("tokens", "marked"),
    [
        (("what", "do", "clownfish", "eat"), ["Clownfish", "eat"]),
        (("the", "and"), []),
        (("coral",), ["coral"]),
    ],
)
def test_words_that_nearly_every_text_has_tell_nothing(
    tokens: tuple[str, ...], marked: list[str]
) -> None:
    text = "Clownfish do eat what the coral leaves, and algae"
    spans = QueryWords(frozenset(tokens)).telling.spans(text)
    assert [text[start:end] for start, end in spans] == marked


def test_a_search_that_finds_words_in_its_own_way_keeps_it() -> None:
    words = QueryWords(frozenset({"the", "fish"}), find=lambda text, tokens: [(0, len(tokens))])
    assert words.telling.spans("fishes") == ((0, 1),)
