"""The plot's legend shortens its words before it leaves anything out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from inspector.widgets.dot_legend import WORDS, DotLegend

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

TITLE = "cosine distance · smaller is closer"
REASONS = ("", "leg_depth", "threshold", "top_k")


@pytest.fixture
def legend(qtbot: QtBot) -> DotLegend:
    legend = DotLegend(TITLE)
    qtbot.addWidget(legend)
    legend.show_reasons(REASONS)
    return legend


def test_with_room_it_says_everything(legend: DotLegend) -> None:
    legend.resize(900, 18)
    title, words = legend._wording()
    assert title == TITLE
    assert [words[reason] for reason in REASONS] == [WORDS[reason] for reason in REASONS]


def test_words_get_shorter_first_and_then_the_title(legend: DotLegend) -> None:
    seen = []
    for width in range(900, 250, -1):
        legend.resize(width, 18)
        title, words = legend._wording()
        seen.append((title, words["threshold"]))
    assert list(dict.fromkeys(seen)) == [
        (TITLE, "beyond threshold"),
        (TITLE, "threshold"),
        ("cosine distance", "threshold"),
    ]


def test_all_entries_fit_in_the_narrowest_window(legend: DotLegend) -> None:
    legend.resize(390, 18)
    title, words = legend._wording()
    assert legend.fontMetrics().horizontalAdvance(title) + legend._legend_px(words) <= 390
    assert not legend.grab().isNull()


def test_a_screen_reader_hears_the_whole_words(legend: DotLegend) -> None:
    legend.resize(300, 18)
    assert legend.accessibleDescription() == (
        "hit, beyond leg depth, beyond threshold, beyond top_k"
    )
