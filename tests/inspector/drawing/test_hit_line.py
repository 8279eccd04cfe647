"""The line of a chunk that a table shows, and the matches in it."""

from __future__ import annotations

from core.hits.words import QueryWords
from inspector.drawing.hit_line import hit_line, line_of


def test_a_row_of_text_is_one_line_of_the_beginning() -> None:
    assert line_of("  \n a\tb\u2028c\r\nd") == "a b c  d"
    assert len(line_of("x" * 20_000)) == 500


def test_matches_are_placed_in_the_line() -> None:
    assert hit_line(" \n a red lamp", QueryWords(frozenset({"red"}))).matches == ((2, 5),)


def test_nothing_is_matched_in_what_is_not_read() -> None:
    words = QueryWords(frozenset({"lamp", "la"}))
    text = " \n lamp, red lamp and lamp"
    assert hit_line(text, words).matches == ((0, 4), (10, 14), (19, 23))
    # Cut in the middle, a word is what is left of it.
    assert hit_line(text, words, [(0, 3), (15, 100)]).matches == ((0, 4), (10, 12))
