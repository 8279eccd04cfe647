"""The details of one record: all of its text, where its score comes from, its metadata."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from core.hits.words import QueryWords
from core.nodes import RetrievalMode
from core.retrieve.listing import fused_arithmetic
from inspector.drawing.words import MOST_CHARACTERS
from inspector.panels.details_panel import DetailsPanel
from inspector.theme import DARK, LIGHT, spread
from tests.inspector.fixed_results import TOKENS, aquarium, candidates, chosen

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from core.hits.hit import Hit
    from core.retrieve.listing import Selection
    from inspector.theme import Theme


@pytest.fixture
def details(qtbot: QtBot) -> DetailsPanel:
    details = DetailsPanel()
    qtbot.addWidget(details)
    details.resize(320, 480)
    details.show()
    return details


def _facts(details: DetailsPanel) -> dict[str, str]:
    return {fact.name: fact.value for fact in details.facts.rows}


def _show(details: DetailsPanel, selection: Selection, hit: Hit) -> None:
    details.show_hit(hit, {}, selection.score_lines(hit.row))


def _words(word: str) -> QueryWords:
    return QueryWords(frozenset({word}))


def _story(text: str) -> Hit:
    found = candidates(
        ["odd"],
        [text],
        np.array([0.3], dtype=np.float32),
        np.array([1.0], dtype=np.float32),
        tokens=("fish",),
    )
    return chosen(found).hits[0]


def test_the_panel_has_the_name_that_scripts_use(qtbot: QtBot) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    DetailsPanel(parent)
    assert parent.findChild(QWidget, "hitDetails") is not None


def test_without_a_row_it_says_what_to_do(details: DetailsPanel) -> None:
    details.show_hit(chosen(aquarium()).hits[0])
    details.show_hit(None)
    assert details.text_view.toPlainText() == ""
    assert "Select a row" in details.text_view.placeholderText()
    assert not details.id_label.isVisible()
    assert details.facts.rowCount() == 0


def test_a_hit_shows_its_exact_numbers(details: DetailsPanel) -> None:
    selection = chosen(aquarium())
    _show(details, selection, selection.hits[1])
    facts = _facts(details)
    assert details.id_label.text() == "lionfish_diet"
    assert details.status_label.text() == "Hit · rank 2"
    assert facts["cosine distance"] == f"{float(np.float32(0.408)):.6f}"
    assert facts["dense rank"] == facts["rank"] == "2"
    assert "BM25 score" not in facts


def test_a_near_miss_says_why_and_what_would_let_it_in(details: DetailsPanel) -> None:
    selection = chosen(aquarium())
    _show(details, selection, selection.story(3))
    assert details.status_label.text() == (
        "Near-miss · removed by the threshold · threshold ≥ 0.613"
    )
    assert _facts(details)["would need"] == "threshold ≥ 0.613"


def test_a_filtered_record_names_the_clause(details: DetailsPanel) -> None:
    selection = chosen(aquarium())
    _show(details, selection, selection.story(6))
    assert _facts(details)["would need"] == "filter: args[1] is false"


def test_the_fused_score_is_shown_as_arithmetic(details: DetailsPanel) -> None:
    selection = chosen(aquarium(), RetrievalMode.Hybrid, top_k=3, threshold=0.42)
    _show(details, selection, selection.hits[0])
    assert _facts(details)["fused score"] == (
        f"1/(60+1) + 1/(60+1) = {1 / (60 + 1) + 1 / (60 + 1):.4f}"
    )


@pytest.mark.parametrize("threshold", [0.0, 0.42, 0.6])
def test_the_arithmetic_of_every_record_gives_its_fused_score(threshold: float) -> None:
    selection = chosen(aquarium(), RetrievalMode.Hybrid, top_k=4, threshold=threshold)
    fused = [selection.story(row) for row in range(10)]
    scored = [hit for hit in fused if hit.fused_score is not None]
    assert len(scored) == selection.counts.fused
    for hit in scored:
        terms = fused_arithmetic(hit, selection.settings).split(" = ")[0].split(" + ")
        ranks = [int(term.removeprefix("1/(60+").removesuffix(")")) for term in terms]
        assert sum(1 / (60 + rank) for rank in ranks) == pytest.approx(hit.fused_score, abs=1e-12)


def test_metadata_shows_every_key_and_marks_those_that_the_schema_lacks(
    details: DetailsPanel,
) -> None:
    hit = chosen(aquarium()).hits[0]
    details.show_hit(
        hit,
        {"water": "salt", "level": 12, "tags": ["b", "a"], "wild": False, "odd": {"x": None}},
        known_fields={"water", "level", "tags", "wild"},
    )
    facts = _facts(details)
    assert (facts["water"], facts["level"], facts["tags"], facts["wild"], facts["odd"]) == (
        "salt",
        "12",
        "b, a",
        "false",
        '{"x": null}',
    )
    notes = {fact.name: fact.note for fact in details.facts.rows}
    assert notes["odd"] == "not in the schema"
    assert notes["water"] == ""
    details.show_hit(hit, {"odd": 1})
    assert {fact.note for fact in details.facts.rows} == {""}


def _marked(details: DetailsPanel) -> list[str]:
    marks: list[Any] = details.text_view.extraSelections()
    return [mark.cursor.selectedText() for mark in marks]


def test_of_an_empty_text_it_says_that_it_is_empty(details: DetailsPanel) -> None:
    details.show_hit(_story(""))
    assert "empty" in details.text_view.placeholderText()


def test_what_is_not_read_is_grey_and_has_no_marks(details: DetailsPanel) -> None:
    text = "fish\r\nfish and fish"
    details.show_hit(_story(text), words=_words("fish"), unread=[(6, 10)])
    selections: list[Any] = details.text_view.extraSelections()
    looks = [
        (s.cursor.selectedText(), s.cursor.selectionStart(), s.format.foreground().color())
        for s in selections
    ]
    assert looks == [("fish", 6, LIGHT.muted), ("fish", 0, LIGHT.text), ("fish", 15, LIGHT.text)]


def test_words_of_the_query_are_marked_in_the_text(details: DetailsPanel) -> None:
    details.show_hit(chosen(aquarium()).hits[0], words=QueryWords(frozenset(TOKENS)))
    assert _marked(details) == ["lionfish", "clownfish"]
    details.show_hit(chosen(aquarium()).hits[0], words=_words("mouth"))
    assert _marked(details) == ["mouth"]


@pytest.mark.parametrize(
    "text", ["🐠 fish 🐡🐡 Fish", "שלום fish עולם FISH", "水族館 fish 魚 fish", "\0 fish\nfish"]
)
def test_marks_stand_where_the_words_are_in_any_script(details: DetailsPanel, text: str) -> None:
    details.show_hit(_story(text), words=_words("fish"))
    assert [word.casefold() for word in _marked(details)] == ["fish", "fish"]


def test_a_long_chunk_is_shown_whole(details: DetailsPanel) -> None:
    text = "word fish " * 2000
    details.show_hit(_story(text), words=_words("fish"))
    assert details.text_view.toPlainText() == text


def test_of_a_huge_chunk_the_beginning_is_shown_and_it_says_so(details: DetailsPanel) -> None:
    text = "fish\n" * (2 * MOST_CHARACTERS // 5)
    details.show_hit(_story(text))
    assert details.text_view.toPlainText().endswith(
        f"[the first {MOST_CHARACTERS:,} of {len(text):,} characters]"
    )


def test_markup_of_the_file_is_text(details: DetailsPanel) -> None:
    details.show_hit(_story("<b>fish</b>"), {"<i>k</i>": "<script>"})
    assert details.text_view.toPlainText() == "<b>fish</b>"
    index = details.facts.index(1, 1)
    assert index.data() == "<script>"
    assert "&lt;script&gt;" in index.data(Qt.ItemDataRole.ToolTipRole)


def test_a_moving_slider_keeps_the_place_in_the_text(details: DetailsPanel) -> None:
    found = candidates(
        ["long"],
        ["fish\n" * 500],
        np.array([0.3], dtype=np.float32),
        np.array([1.0], dtype=np.float32),
    )
    details.show_hit(chosen(found, threshold=0.4).hits[0], words=_words("fish"))
    bar = details.text_view.verticalScrollBar()
    bar.setValue(100)
    details.show_hit(chosen(found, threshold=0.2).story(0), words=_words("fish"))
    assert bar.value() == 100
    assert "threshold ≥ 0.300" in details.status_label.text()


def test_a_value_can_be_copied_by_keyboard(qtbot: QtBot, details: DetailsPanel) -> None:
    details.show_hit(chosen(aquarium()).hits[0], {"water": "salt"})
    details.facts_view.setFocus()
    details.facts_view.selectRow(1)
    qtbot.keyClick(details.facts_view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "salt"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_marks_follow_the_theme(details: DetailsPanel, theme: Theme) -> None:
    details.show_hit(chosen(aquarium()).hits[0], words=QueryWords(frozenset(TOKENS)))
    spread(details, theme)
    marks: list[Any] = details.text_view.extraSelections()
    assert marks[0].format.foreground().color() == theme.text
    assert not details.grab().isNull()
