"""Nothing of the funnel overlaps, at any width; the words give way, the numbers don't."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from core.nodes import RetrievalMode
from core.retrieve.select import Counts
from core.retrieve.stages import retrieve_stages
from inspector.drawing.funnel_layout import lay_out

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from core.hits.stage import Stage
    from inspector.drawing.funnel_plan import Box, Text

SMALL = Counts(
    records=192,
    matching=150,
    raw=51,
    filtered=5,
    result=5,
    with_query_word=64,
    dense_raw=50,
    dense_filtered=43,
    sparse_raw=50,
    fused=51,
)
LARGE = Counts(
    records=117_659,
    matching=83_412,
    raw=7_920,
    filtered=955,
    result=45,
    with_query_word=64_321,
    dense_raw=4_000,
    dense_filtered=43,
    sparse_raw=4_000,
    fused=7_920,
)
SIZES = pytest.mark.parametrize(
    ("width", "height"), [(400, 84), (476, 84), (560, 96), (774, 84), (774, 120), (1600, 96)]
)
MODES = pytest.mark.parametrize("mode", list(RetrievalMode))
COUNTS = pytest.mark.parametrize("counts", [SMALL, LARGE], ids=["small", "large"])


@pytest.fixture
def font(qapp: QApplication) -> QFont:
    return QFont(qapp.font())


def texts(boxes: list[Box]) -> list[Text]:
    return [text for box in boxes for text in (box.figure, box.word, *box.removed)]


def is_whole(text: Text) -> bool:
    return QFontMetricsF(text.font).horizontalAdvance(text.text) <= text.rect.width() + 1e-6


def inked(text: Text) -> QRectF:
    """Return what is painted of a text's rectangle."""
    width = min(QFontMetricsF(text.font).horizontalAdvance(text.text), text.rect.width())
    left = text.rect.center().x() - width / 2 if text.centered else text.rect.left()
    # Rounding to pixels may make two neighbours touch.
    return QRectF(left, text.rect.top(), width, text.rect.height()).adjusted(0.6, 0.6, -0.6, -0.6)


def laid_out(
    mode: RetrievalMode, counts: Counts, width: int, height: int, font: QFont
) -> tuple[tuple[Stage, ...], list[Box]]:
    if mode is RetrievalMode.Dense:
        # A search in Dense mode reports no counts per leg.
        counts = replace(counts, dense_raw=None, dense_filtered=None)
    stages = retrieve_stages(counts, mode)
    return stages, lay_out(stages, width, height, font)


@SIZES
@MODES
@COUNTS
def test_no_two_texts_overlap_and_none_stands_on_a_bar(
    font: QFont, mode: RetrievalMode, counts: Counts, width: int, height: int
) -> None:
    _, boxes = laid_out(mode, counts, width, height, font)
    for one, other in combinations(texts(boxes), 2):
        assert not inked(one).intersects(inked(other)), (one.text, other.text)
    for text in texts(boxes):
        for box in boxes:
            assert not inked(text).intersects(box.bar), (text.text, box.stage.label)


@SIZES
@MODES
@COUNTS
def test_everything_is_inside(
    font: QFont, mode: RetrievalMode, counts: Counts, width: int, height: int
) -> None:
    _, boxes = laid_out(mode, counts, width, height, font)
    whole = QRectF(0, 0, width, height)
    for box in boxes:
        for rect in (box.bar, *box.areas, box.figure.rect, *(text.rect for text in box.removed)):
            assert whole.contains(rect), (box.stage.label, rect)


@SIZES
@MODES
@COUNTS
def test_every_number_is_whole(
    font: QFont, mode: RetrievalMode, counts: Counts, width: int, height: int
) -> None:
    stages, boxes = laid_out(mode, counts, width, height, font)
    assert [box.figure.text for box in boxes] == [f"{stage.count:,}" for stage in stages]
    assert [text.text for text in texts(boxes) if not is_whole(text)] == []


@MODES
def test_with_room_a_stage_says_all_its_words(font: QFont, mode: RetrievalMode) -> None:
    stages, boxes = laid_out(mode, SMALL, 1600, 96, font)
    for stage, box in zip(stages, boxes, strict=True):
        assert box.word.text == stage.label
        said = " ".join(text.text for text in box.removed)
        assert said == (f"−{stage.removed:,} {stage.why}" if stage.removed else "")


def test_words_get_shorter_before_anything_is_left_out(font: QFont) -> None:
    _, boxes = laid_out(RetrievalMode.Dense, SMALL, 400, 84, font)
    assert [box.word.text for box in boxes] == ["records", "matching", "raw", "≤ threshold", "hits"]
    assert [text.text for box in boxes for text in box.removed] == [
        "−42",
        "filter",
        "−99",
        "top_k",
        "−5",
        "threshold",
        "−41",
        "top_k",
    ]


def test_areas_of_different_stages_do_not_overlap(font: QFont) -> None:
    for mode in RetrievalMode:
        _, boxes = laid_out(mode, SMALL, 774, 96, font)
        for one, other in combinations(boxes, 2):
            for area in one.areas:
                for other_area in other.areas:
                    shared = area.intersected(other_area)
                    assert shared.width() < 1 or shared.height() < 1, (one.stage, other.stage)


def test_no_stages_take_no_room(font: QFont) -> None:
    assert lay_out((), 400, 84, font) == []
