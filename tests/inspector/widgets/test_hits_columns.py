"""Which columns there is room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QFont, QFontMetrics

from inspector.models.hits_model import Column
from inspector.widgets.hits_columns import Columns, Letters

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

DENSE = ("rank", "id", "distance", "rank_dense", "reason", "text")
HYBRID = (*DENSE, "bm25_score", "rank_sparse", "fused_score")
WIDE_PX = 10_000


@pytest.fixture
def letters(qapp: QApplication) -> Letters:
    return Letters(7, QFontMetrics(QFont()))


def test_columns_without_a_value_are_hidden_however_wide_the_window(letters: Letters) -> None:
    hidden = Columns.of(DENSE, has_bar=True).hidden(letters, WIDE_PX)
    assert hidden == {Column.SCORE, Column.BM25, Column.SPARSE, Column.FUSED, Column.MATCH}


def test_a_narrow_window_gives_up_what_other_columns_say(letters: Letters) -> None:
    columns = Columns.of(HYBRID, has_bar=True)
    given_up = columns.hidden(letters, 1) - columns.hidden(letters, WIDE_PX)
    assert given_up == {Column.BAR, Column.DENSE, Column.FUSED, Column.BM25}


def test_every_column_has_what_it_likes_where_there_is_room(letters: Letters) -> None:
    columns = Columns.of(DENSE, has_bar=False)
    visible = columns.shown - {Column.TEXT}
    widths = columns.widths(letters, WIDE_PX, columns.shown)
    assert widths == {column: letters.like_px(column) for column in visible}


def test_without_room_every_column_has_the_least_and_the_id_is_served_first(
    letters: Letters,
) -> None:
    columns = Columns.of(DENSE, has_bar=False)
    least = columns.widths(letters, 1, columns.shown)
    assert least == {column: letters.least_px(column) for column in least}
    text_px = 36 * letters.char_px
    more = columns.widths(letters, sum(least.values()) + text_px + 5, columns.shown)
    assert {column: px - least[column] for column, px in more.items() if px != least[column]} == {
        Column.ID: 5
    }
