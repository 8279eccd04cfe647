"""Words in an empty view break between words and end in "…", never letter by letter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QFontMetrics

from inspector.widgets.empty_state import wrapped_lines

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

TEXT = "Ask a question to see what the model would read"


@pytest.fixture
def metrics(qapp: QApplication) -> QFontMetrics:
    return QFontMetrics(qapp.font())


def test_with_room_it_is_one_line(metrics: QFontMetrics) -> None:
    assert wrapped_lines(TEXT, metrics, 10_000, 5) == [TEXT]


def test_lines_break_between_words_and_keep_them_all(metrics: QFontMetrics) -> None:
    lines = wrapped_lines(TEXT, metrics, metrics.horizontalAdvance("what the model would") + 2, 9)
    assert len(lines) > 1
    assert " ".join(lines) == TEXT


def test_what_has_no_line_left_ends_in_an_ellipsis(metrics: QFontMetrics) -> None:
    lines = wrapped_lines(TEXT, metrics, metrics.horizontalAdvance("Ask a question") + 2, 2)
    assert lines[0] == "Ask a question"
    assert lines[1].endswith("…")
    assert len(lines) == 2


@pytest.mark.parametrize("width", [12, 20, 60])
def test_no_line_is_wider_than_the_room(metrics: QFontMetrics, width: int) -> None:
    for line in wrapped_lines(TEXT, metrics, width, 4):
        assert line in ("", "…") or metrics.horizontalAdvance(line) <= width


def test_without_room_for_a_line_there_is_none(metrics: QFontMetrics) -> None:
    assert wrapped_lines(TEXT, metrics, 300, 0) == []
    assert wrapped_lines("", metrics, 300, 3) == []
