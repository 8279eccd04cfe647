"""Plain text: laid out in time linear in its length, whatever stands in it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QTextOption

from core.prompt.projection import Message
from inspector.panels.details_panel import DetailsPanel
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.plain_text import LONGEST_WORD, PlainText
from inspector.widgets.prompt_view import PromptView
from inspector.widgets.record_editor import RecordEditor
from tests.inspector.fixed_results import candidates, chosen

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QPlainTextEdit, QWidget
    from pytestqt.qtbot import QtBot

WORDS, ANYWHERE = (
    QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere,
    QTextOption.WrapMode.WrapAnywhere,
)
LONG = "w" * (LONGEST_WORD + 1)
LETTERS = 200_000
MOST_CPU_S = 2.0
"""It takes a twentieth of this; where the time grows with the square, three times as much."""


@pytest.fixture
def edit(qtbot: QtBot) -> PlainText:
    edit = PlainText()
    qtbot.addWidget(edit)
    edit.resize(400, 300)
    edit.show()
    return edit


def test_a_text_breaks_anywhere_while_it_has_a_word_without_end(edit: PlainText) -> None:
    edit.setPlainText("some words")
    assert edit.wordWrapMode() == WORDS
    edit.setPlainText(f"some words\n{LONG} and more")
    assert edit.wordWrapMode() == ANYWHERE
    edit.setPlainText("some words")
    assert edit.wordWrapMode() == WORDS


def test_two_words_that_become_one_count_as_one(edit: PlainText) -> None:
    edit.setPlainText(f"first\n{LONG[:LONGEST_WORD]} {LONG[:LONGEST_WORD]}\nlast")
    assert edit.wordWrapMode() == WORDS
    cursor = edit.textCursor()
    cursor.setPosition(len("first\n") + LONGEST_WORD)
    cursor.deleteChar()
    assert edit.wordWrapMode() == ANYWHERE
    edit.undo()
    assert edit.wordWrapMode() == WORDS


def _paste(edit: PlainText, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    edit.insertFromMimeData(data)


def _show(edit: PlainText, text: str) -> None:
    edit.setPlainText("few\nwords")
    edit.setPlainText(text)


def _bring_back(edit: PlainText, text: str) -> None:
    edit.insertPlainText(text)
    edit.undo()
    edit.redo()


@pytest.mark.slow
@pytest.mark.parametrize("way", [_paste, _show, _bring_back])
@pytest.mark.parametrize("unit", ["w", "w/+", "w\u00a0", "\u0301", "ก", "字"])
def test_a_word_without_end_takes_no_time_by_the_square(
    edit: PlainText, way: Callable[[PlainText, str], object], unit: str
) -> None:
    begin = time.process_time()
    way(edit, "one line\n" + unit * (LETTERS // len(unit)) + "\nanother")
    edit.grab()
    assert time.process_time() - begin < MOST_CPU_S


def _details(text: str) -> QWidget:
    panel = DetailsPanel()
    one = np.ones(1, dtype=np.float32)
    panel.show_hit(chosen(candidates(["big"], [text], 0.3 * one, one)).hits[0], {"data": text})
    return panel


def _prompt(text: str) -> QWidget:
    view = PromptView()
    view.show()
    view.show_messages([Message("user", text, "user", ())], lambda _block, _chunk: "")
    return view


def _record(text: str) -> QWidget:
    editor = RecordEditor()
    editor.show_record({"id": "a", "text": text, "metadata": {"data": text}})
    return editor


def _code(text: str) -> QWidget:
    edit = CodeEdit()
    edit.show_text(text)
    return edit


@pytest.mark.slow
@pytest.mark.parametrize("make", [_details, _prompt, _record, _code])
@pytest.mark.parametrize("letters", [LETTERS // 2, LETTERS, 1_000_000])
def test_every_view_of_a_text_is_bounded(
    qtbot: QtBot, make: Callable[[str], QWidget], letters: int
) -> None:
    begin = time.process_time()
    view = make("w" * letters)
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    view.grab()
    # A million letters in an editor, where none may be left out, take a second.
    assert time.process_time() - begin < MOST_CPU_S * max(1, letters / LETTERS)


def copied(edit: QPlainTextEdit, start: int, end: int) -> str:
    cursor = edit.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(end, cursor.MoveMode.KeepAnchor)
    edit.setTextCursor(cursor)
    edit.copy()
    return QGuiApplication.clipboard().text()


ODD = "ten\u00a0fish\u2028two\r\nsix 🐠\rseven\nend"


def test_what_is_copied_of_a_text_to_read_is_what_it_is(edit: PlainText) -> None:
    edit.show_exact(ODD)
    assert copied(edit, 0, len(ODD) + 1) == ODD
    assert copied(edit, 9, 18) == "two\r\nsix "


def test_what_is_copied_of_a_typed_text_keeps_its_blanks(edit: PlainText) -> None:
    edit.setPlainText("ten\u00a0fish\u2028two\nsix")
    assert copied(edit, 0, 16) == "ten\u00a0fish\u2028two\nsix"[:16]


def test_details_and_prompt_copy_the_chunk_as_it_is(qtbot: QtBot) -> None:
    details, prompt = DetailsPanel(), PromptView()
    for widget in (details, prompt):
        qtbot.addWidget(widget)
    found = candidates(["a"], [ODD], np.zeros(1, np.float32), np.zeros(1, np.float32))
    details.show_hit(chosen(found).story(0))
    assert copied(details.text_view, 0, len(ODD) + 1) == ODD
    prompt.show_messages([Message("user", ODD, "user")], lambda _block, _chunk: "")
    assert copied(prompt, 0, len(ODD) + 1) == ODD
