"""Colours of JSON and Mustache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtGui import QTextDocument

from inspector.theme import DARK, LIGHT
from inspector.widgets.highlighters import JsonHighlighter, MustacheHighlighter

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication


@pytest.fixture
def document(qapp: QApplication) -> QTextDocument:
    return QTextDocument()


def parts(highlighter: JsonHighlighter | MustacheHighlighter, text: str) -> list[tuple[str, str]]:
    utf16 = text.encode("utf-16-le")
    return [
        (group, utf16[2 * start : 2 * end].decode("utf-16-le"))
        for group, start, end in highlighter.pieces(text)
    ]


def test_json_keys_strings_numbers_and_words_are_told_apart(document: QTextDocument) -> None:
    text = '{"op": "eq 😀", "rhs": {"value": -1.5e3}, "on": true}'
    assert parts(JsonHighlighter(document), text) == [
        ("key", '"op"'),
        ("string", '"eq 😀"'),
        ("key", '"rhs"'),
        ("key", '"value"'),
        ("number", "-1.5e3"),
        ("key", '"on"'),
        ("word", "true"),
    ]


def test_an_unfinished_string_is_coloured_to_the_end_of_the_line(document: QTextDocument) -> None:
    assert parts(JsonHighlighter(document), '{"op": "e') == [("key", '"op"'), ("string", '"e')]


def test_mustache_tags_sections_and_comments_are_told_apart(document: QTextDocument) -> None:
    text = "😀 {{#chunks}}- {{text}} {{! note }}{{{raw}}}{{/chunks}}"
    assert parts(MustacheHighlighter(document), text) == [
        ("section", "{{#chunks}}"),
        ("tag", "{{text}}"),
        ("comment", "{{! note }}"),
        ("tag", "{{{raw}}}"),
        ("section", "{{/chunks}}"),
    ]


@pytest.mark.parametrize("text", ["{{" * 9000, '"' * 19_000, "[" * 19_000 + "{{#", "\\" * 19_000])
def test_hostile_lines_take_no_long_time(document: QTextDocument, text: str) -> None:
    for highlighter in (JsonHighlighter(document), MustacheHighlighter(document)):
        assert sum(1 for _ in highlighter.pieces(text)) <= len(text)


def test_colours_follow_the_theme(document: QTextDocument) -> None:
    document.setPlainText('{"op": 1}')
    highlighter = JsonHighlighter(document)
    for theme in (LIGHT, DARK):
        highlighter.apply_theme(theme)
        formats: list[Any] = document.firstBlock().layout().formats()
        assert theme.muted in [f.format.foreground().color() for f in formats]
