"""The line that shows the query as each leg sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from core.index.leg_query import DENSE, LegQuery
from inspector.theme import DARK, LIGHT, spread
from inspector.widgets.query_line import Look, QueryLine, pieces_of
from tests.inspector.fixed_results import bm25_query

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

TEXTS = ["A lionfish will eat a clownfish.", "Configuration of hooks"]
LONG = LegQuery(DENSE, (), "", "", 2002, 256, "the question has 2002 tokens: 1746 are cut")


@pytest.fixture
def line(qtbot: QtBot) -> QueryLine:
    line = QueryLine()
    qtbot.addWidget(line)
    line.resize(800, 24)
    line.show()
    return line


def test_words_are_shown_as_the_leg_sees_them(line: QueryLine) -> None:
    line.show_queries([bm25_query(TEXTS, "Will clownfsh eat C#?")])
    assert [(piece.text, piece.look) for piece in line.pieces()] == [
        ("BM25 reads", Look.LABEL),
        ("will", Look.KNOWN),
        ("clownfsh", Look.UNKNOWN),
        ("eat", Look.KNOWN),
        ("c", Look.UNKNOWN),
        ("#?", Look.DROPPED),
    ]
    assert line.accessibleDescription() == (
        "BM25 reads will · clownfsh (unknown) · eat · c (unknown) · #? (dropped)"
    )


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_the_tooltip_of_an_unknown_word_names_the_nearest_known(line: QueryLine) -> None:
    line.show_queries([bm25_query(TEXTS, "clownfsh")])
    place, piece = line._placed[1]
    assert "Nearest known: clownfish" in piece.tip
    where = place.center()
    QApplication.sendEvent(line, QHelpEvent(QEvent.Type.ToolTip, where, line.mapToGlobal(where)))
    assert "clownfish" in QToolTip.text()


def test_punctuation_alone_is_no_word(line: QueryLine) -> None:
    line.show_queries([bm25_query(TEXTS, "?!")])
    assert [piece.text for piece in line.pieces()] == ["BM25 reads", "no word of it", "?!"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (LegQuery(DENSE), ["Dense reads", "the whole question"]),
        (LegQuery(DENSE, prompt="query: "), ["Dense reads", '"query:" +', "the whole question"]),
        (LONG, ["Dense reads", "the first 256 of 2,002 tokens, the rest is cut"]),
    ],
)
def test_of_a_model_prompt_and_cut_are_shown(query: LegQuery, expected: list[str]) -> None:
    assert [piece.text for piece in pieces_of(query)] == expected


def test_a_record_s_prompt_is_told_in_the_tooltip() -> None:
    pieces = pieces_of(LegQuery(DENSE, prompt="query: ", record_prompt="passage: "))
    assert '"passage: " before a record' in pieces[-1].tip


def test_what_does_not_fit_is_elided_and_told_in_the_tooltip(line: QueryLine) -> None:
    words = " ".join(f"word{number}" for number in range(1000))
    line.show_queries([bm25_query(TEXTS, words)])
    assert line.pieces()[-1].text.endswith("…")
    assert "word50 " in line.pieces()[-1].tip
    assert max(rect.right() for rect, _ in line._placed) < line.width()


def test_without_a_query_the_line_takes_no_room(line: QueryLine) -> None:
    line.show_queries([LONG])
    assert line.isVisible()
    line.show_queries([])
    assert not line.isVisible()


@pytest.mark.parametrize("width", [0, 20, 60, 400])
def test_it_can_be_painted_however_narrow_it_is(line: QueryLine, width: int) -> None:
    for theme in (LIGHT, DARK):
        spread(line, theme)
        line.resize(width, 24)
        line.show_queries([LONG, bm25_query(TEXTS, "Will clownfsh eat C#?")])
        line.grab()
