"""Progress: what, how far, how long still."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton

from inspector.panels.progress_strip import ProgressStrip, time_left

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


@pytest.fixture
def strip(qtbot: QtBot) -> ProgressStrip:
    widget = ProgressStrip()
    qtbot.addWidget(widget)
    widget.resize(700, 44)
    return widget


def label_of(strip: ProgressStrip) -> str:
    return strip.findChild(QLabel, "progressLabel").text()


def test_it_says_what_how_far_and_how_long_still(strip: ProgressStrip) -> None:
    strip.show_progress("Embedding records", 41_300, 117_659, 214)
    assert not strip.isHidden()
    assert label_of(strip) == "Embedding records · 41,300 of 117,659 · about 4 min left"
    bar = strip.findChild(QProgressBar, "progressBar")
    assert bar.value() / bar.maximum() == pytest.approx(41_300 / 117_659, abs=0.001)


def test_work_of_unknown_length_has_no_end_in_sight(strip: ProgressStrip) -> None:
    strip.show_progress("Loading the model", 0, 0)
    bar = strip.findChild(QProgressBar, "progressBar")
    assert (bar.minimum(), bar.maximum()) == (0, 0)
    assert label_of(strip) == "Loading the model"


def test_numbers_beyond_32_bits_are_shown(strip: ProgressStrip) -> None:
    strip.show_progress("Reading", 3_000_000_000, 4_000_000_000)
    bar = strip.findChild(QProgressBar, "progressBar")
    assert bar.value() / bar.maximum() == pytest.approx(0.75)


def test_it_hides_when_the_work_is_over(strip: ProgressStrip) -> None:
    strip.show_progress("Indexing", 1, 2)
    strip.finish()
    assert strip.isHidden()
    assert strip.findChild(QProgressBar, "progressBar").maximum() > 0


def test_cancel_is_asked_for_once_and_ready_for_the_next_work(
    strip: ProgressStrip, qtbot: QtBot
) -> None:
    strip.show_progress("Indexing", 1, 2)
    button = strip.findChild(QPushButton, "cancelButton")
    with qtbot.waitSignal(strip.cancel_requested):
        button.click()
    assert not button.isEnabled()
    strip.show_progress("Indexing", 2, 2)
    assert not button.isEnabled()
    strip.finish()
    strip.show_progress("Embedding", 0, 2)
    assert button.isEnabled()


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "a few seconds left"),
        (42, "about 40 s left"),
        (89, "about 90 s left"),
        (200, "about 3 min left"),
        (7200, "about 2.0 h left"),
    ],
)
def test_the_time_left_is_told_as_roughly_as_it_is_known(seconds: float, words: str) -> None:
    assert time_left(seconds) == words
