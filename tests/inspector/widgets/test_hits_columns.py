"""Which columns there is room for, and when the text gets a line of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFont, QFontMetrics

from core.nodes import RetrievalMode
from inspector.models.hits_model import Column
from inspector.widgets.hits_columns import Columns, Letters, Lines, Wishes
from tests.inspector.fixed_results import aquarium, candidates, chosen, many

WIDE_PX = 10_000
NO_WISHES = Wishes()
DENSE, LEXICAL, HYBRID = RetrievalMode.Dense, RetrievalMode.Lexical, RetrievalMode.Hybrid


@pytest.fixture(scope="module")
def letters(qapp: object) -> Letters:
    del qapp
    font = QFont()
    font.setBold(True)
    return Letters(QFontMetrics(QFont()), QFontMetrics(font))


def test_columns_without_a_value_are_hidden_however_wide_the_window(letters: Letters) -> None:
    shown = Columns.of(chosen(aquarium(), DENSE)).arrange(letters, WIDE_PX, NO_WISHES).widths
    assert set(shown) == {
        Column.RANK,
        Column.ID,
        Column.DISTANCE,
        Column.BAR,
        Column.DENSE,
        Column.NEEDS,
    }


def test_what_near_misses_would_need_takes_no_room_where_there_are_none() -> None:
    everything = chosen(aquarium(filtered=False), DENSE, threshold=2.0, top_k=100)
    assert everything.near_miss_count == 0
    assert Column.NEEDS not in Columns.of(everything).shown


def test_scores_of_words_take_no_room_where_no_record_has_a_word() -> None:
    some = many(20)
    assert some.dense is not None
    wordless = candidates(some.ids, some.texts, some.dense.distances, some.dense.distances * 0)
    assert Column.BM25 in Columns.of(chosen(some, HYBRID)).shown
    assert Column.BM25 not in Columns.of(chosen(wordless, HYBRID)).shown


def test_a_narrow_window_gives_up_what_other_columns_say(letters: Letters) -> None:
    columns = Columns.of(chosen(aquarium(), HYBRID))
    wide = columns.arrange(letters, WIDE_PX, NO_WISHES).widths
    narrow = columns.arrange(letters, 1, NO_WISHES).widths
    given_up = {Column.BAR, Column.DENSE, Column.FUSED, Column.BM25, Column.SPARSE}
    assert set(wide) - set(narrow) == given_up


def test_every_column_has_what_it_likes_where_there_is_room(letters: Letters) -> None:
    widths = Columns.of(chosen(aquarium(), DENSE)).arrange(letters, WIDE_PX, NO_WISHES).widths
    assert widths == {column: letters.like_px(column) for column in widths}


def test_without_room_every_column_has_the_least_and_the_id_is_served_first(
    letters: Letters,
) -> None:
    columns = Columns.of(chosen(aquarium(), LEXICAL))
    least = columns.arrange(letters, 1, NO_WISHES).widths
    assert least == {column: letters.least_px(column) for column in least}
    room_px = sum(least.values()) + letters.text_px
    more = columns.arrange(letters, room_px + 5, NO_WISHES).widths
    assert {column: px - least[column] for column, px in more.items() if px != least[column]} == {
        Column.ID: 5
    }


@given(
    width_px=st.integers(300, 2600),
    mode=st.sampled_from(RetrievalMode),
    picked=st.dictionaries(st.sampled_from(list(Column)[:-1]), st.booleans()),
    sized=st.dictionaries(st.sampled_from(list(Column)[:-1]), st.integers(28, 900), max_size=3),
)
def test_the_text_has_forty_characters_beside_the_columns_or_a_line_of_its_own(
    letters: Letters,
    width_px: int,
    mode: RetrievalMode,
    picked: dict[Column, bool],
    sized: dict[Column, int],
) -> None:
    columns = Columns.of(chosen(aquarium(), mode))
    arranged = columns.arrange(letters, width_px, Wishes(picked, sized))
    beside = width_px - sum(arranged.widths.values())
    forty = letters.cell.horizontalAdvance("the quick brown fox jumps over a lazy do")
    assert arranged.two_lines or beside >= forty
    assert all(on == (column in arranged.widths) for column, on in picked.items())


@pytest.mark.parametrize("width_px", [400, 4000])
def test_the_user_chooses_the_lines_whatever_the_room(letters: Letters, width_px: int) -> None:
    columns = Columns.of(chosen(aquarium(), DENSE))
    for lines, two in ((Lines.ONE, False), (Lines.TWO, True)):
        assert columns.arrange(letters, width_px, Wishes(lines=lines)).two_lines is two


def test_an_upper_line_keeps_the_columns_that_one_line_would_give_up(letters: Letters) -> None:
    columns = Columns.of(chosen(aquarium(), HYBRID))
    one = columns.arrange(letters, 640, Wishes(lines=Lines.ONE)).widths
    two = columns.arrange(letters, 640, Wishes(lines=Lines.TWO)).widths
    assert set(one) < set(two)
