"""Labels: plain text, elided or wrapped, never clipped, never HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from inspector.drawing.words import tooltip
from inspector.widgets.labels import ElidedLabel, StatusLabel, WrapLabel

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

PATH = "records[17].metadata." + "very_long_field_name_" * 8


@pytest.fixture
def elided(qtbot: QtBot) -> ElidedLabel:
    label = ElidedLabel()
    qtbot.addWidget(label)
    return label


@pytest.fixture
def wrapped(qtbot: QtBot) -> WrapLabel:
    label = WrapLabel(PATH)
    qtbot.addWidget(label)
    return label


def test_markup_in_a_tooltip_is_text() -> None:
    assert "<img" not in tooltip("<img src=x>")
    assert tooltip("") == ""
    assert len(tooltip("x" * 10_000)) < 2100


def test_an_elided_label_keeps_its_whole_text_and_tells_it_in_the_tooltip(
    elided: ElidedLabel,
) -> None:
    elided.resize(60, 20)
    elided.set_text("do clownfish\nget along with lionfish?")
    elided.grab()
    assert elided.text() == "do clownfish get along with lionfish?"
    assert elided.is_elided
    assert "lionfish" in elided.toolTip()
    elided.resize(600, 20)
    elided.grab()
    assert not elided.is_elided
    assert elided.toolTip() == ""


def test_a_path_without_spaces_is_broken_into_lines_that_fit(wrapped: WrapLabel) -> None:
    one_line = wrapped.fontMetrics().height()
    assert wrapped.heightForWidth(5000) <= one_line + 1
    assert wrapped.heightForWidth(200) >= 4 * one_line


def test_lines_beyond_the_most_are_cut_and_told_in_the_tooltip(qtbot: QtBot) -> None:
    label = WrapLabel(most_lines=2)
    qtbot.addWidget(label)
    label.set_text(PATH)
    assert label.heightForWidth(100) <= 2 * label.fontMetrics().height() + 2
    assert PATH in label.toolTip()
    label.resize(100, 60)
    assert not label.grab().isNull()


def test_a_status_says_its_kind_to_screen_readers(qtbot: QtBot) -> None:
    label = StatusLabel()
    qtbot.addWidget(label)
    label.set_status("error", "no such field")
    assert label.accessibleName() == "error: no such field"
    assert label.text() == "no such field"
    assert label.text_left() > 0


def test_a_status_that_leads_somewhere_follows_click_and_enter(qtbot: QtBot) -> None:
    label = StatusLabel()
    qtbot.addWidget(label)
    label.set_status("warning", "2:1 nothing provides this")
    clicks = []
    label.clicked.connect(lambda: clicks.append(1))
    QTest.mouseClick(label, Qt.MouseButton.LeftButton)
    assert clicks == []
    label.set_clickable(True)
    QTest.mouseClick(label, Qt.MouseButton.LeftButton)
    QTest.keyClick(label, Qt.Key.Key_Return)
    assert clicks == [1, 1]
    assert label.focusPolicy() == Qt.FocusPolicy.StrongFocus
