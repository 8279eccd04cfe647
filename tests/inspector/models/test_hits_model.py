"""One row a record, hits first; stories only for rows that are looked at."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

from core.hits.hit import Hit
from core.hits.words import QueryWords
from core.nodes import RetrievalMode
from core.retrieve.listing import Selection
from core.retrieve.stages import MATCHING, WITHIN_THRESHOLD
from inspector.models.facts_model import Fact, FactsModel
from inspector.models.hits_model import FIELDS, Column, HitsModel
from tests.inspector.fixed_results import AQUARIUM, aquarium, candidates, chosen, many

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.modeltest import ModelTester

UP, DOWN = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder


def _ids(model: HitsModel) -> list[str]:
    return [model.data(model.index(row, 0), HitsModel.HitIdRole) for row in range(model.rowCount())]


def _reasons(model: HitsModel) -> list[str]:
    return [
        model.data(model.index(row, 0), HitsModel.ReasonRole) for row in range(model.rowCount())
    ]


def _text(model: HitsModel, row: int, column: Column) -> str:
    return model.data(model.index(row, column), Qt.ItemDataRole.DisplayRole)


@pytest.fixture
def model(qapp: QApplication) -> HitsModel:
    model = HitsModel()
    model.show_selection(chosen(aquarium()))
    return model


@pytest.mark.parametrize("mode", list(RetrievalMode))
@pytest.mark.parametrize("sorted_by", [-1, Column.DISTANCE])
def test_the_model_keeps_the_rules_of_qt(
    qtmodeltester: ModelTester, mode: RetrievalMode, sorted_by: Column | int
) -> None:
    model = HitsModel()
    qtmodeltester.check(model)
    model.show_selection(chosen(aquarium(), mode))
    model.sort(sorted_by)
    qtmodeltester.check(model)
    model.show_selection(chosen(aquarium(), mode), MATCHING)
    model.show_selection(None)
    qtmodeltester.check(model)


def test_hits_come_first_in_the_engines_order_then_near_misses(model: HitsModel) -> None:
    selection = chosen(aquarium())
    assert _ids(model) == [hit.id for hit in (*selection.hits, *selection.near_misses(200))]
    assert _ids(model)[:3] == ["clown_lion_01", "lionfish_diet", "clown_tankmates"]
    assert model.hit_count == 3
    assert model.rowCount() == len(AQUARIUM)


def test_the_roles_tell_the_story_of_each_row(model: HitsModel) -> None:
    assert _reasons(model)[:4] == ["", "", "", "filter"]
    distances = [model.data(model.index(row, 5), HitsModel.DistanceRole) for row in range(4)]
    assert distances == [float(np.float32(value)) for value in (0.312, 0.408, 0.541, 0.391)]
    story = model.hit_at(3)
    assert isinstance(story, Hit)
    assert story.id == "predator_list"


def test_cells_have_three_decimals_and_a_dash_for_the_unknown(model: HitsModel) -> None:
    assert [
        _text(model, 0, column)
        for column in (
            Column.RANK,
            Column.ID,
            Column.DISTANCE,
            Column.DENSE,
            Column.BM25,
            Column.NEEDS,
        )
    ] == ["1", "clown_lion_01", "0.312", "1", "–", ""]
    assert _text(model, 3, Column.RANK) == "–"
    assert _text(model, 3, Column.NEEDS) == "filter: args[1] is false"
    assert _text(model, 4, Column.NEEDS) == "threshold ≥ 0.613"


def test_lexical_rows_have_no_distance(qapp: QApplication) -> None:
    model = HitsModel()
    model.show_selection(chosen(aquarium(), RetrievalMode.Lexical, top_k=2))
    assert model.data(model.index(0, 0), HitsModel.DistanceRole) is None
    assert _text(model, 0, Column.DISTANCE) == "–"
    assert _text(model, 0, Column.BM25) == "4.10"


def test_hybrid_rows_have_the_fused_score(qapp: QApplication) -> None:
    model = HitsModel()
    model.show_selection(chosen(aquarium(), RetrievalMode.Hybrid))
    assert _text(model, 0, Column.FUSED) == f"{1 / (60 + 1) + 1 / (60 + 1):.4f}"


def test_a_stage_limits_the_rows_to_those_that_it_removed(model: HitsModel) -> None:
    model.show_selection(chosen(aquarium()), WITHIN_THRESHOLD)
    assert set(_reasons(model)) == {"threshold"}
    assert model.hit_count == 0
    model.show_selection(chosen(aquarium()))
    assert model.hit_count == 3


def test_two_hundred_near_misses_at_first_and_a_thousand_more_on_demand(qapp: QApplication) -> None:
    model = HitsModel()
    found = many(3000)
    model.show_selection(chosen(found))
    assert model.near_miss_count == 200
    assert model.has_more
    assert not model.canFetchMore(model.index(-1, -1))
    model.show_more()
    assert model.near_miss_count == 1200
    model.show_selection(chosen(found, threshold=0.5))
    assert model.near_miss_count == 1200
    model.show_more()
    model.show_more()
    assert model.rowCount() == 3000
    assert not model.has_more
    model.show_selection(chosen(many(3000, seed=2)))
    assert model.near_miss_count == 200


class _Counting(Selection):
    told = 0

    def story(self, row: int) -> Hit:
        self.told += 1
        return super().story(row)


@pytest.mark.parametrize("column", [-1, Column.DISTANCE, Column.NEEDS, Column.ID])
def test_no_near_miss_tells_its_story_before_it_is_looked_at(
    qapp: QApplication, column: Column | int
) -> None:
    model = HitsModel()
    selection = _Counting(many(3000), chosen(aquarium()).settings)
    model.sort(column)
    model.show_selection(selection)
    assert selection.told <= model.hit_count
    _text(model, 100, Column.ID)
    assert selection.told <= model.hit_count + 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", list(RetrievalMode))
@pytest.mark.parametrize("order", [UP, DOWN])
@pytest.mark.parametrize("column", list(Column))
def test_hits_and_near_misses_are_each_sorted_and_the_unknown_comes_last(
    qapp: QApplication, mode: RetrievalMode, order: Qt.SortOrder, column: Column
) -> None:
    model = HitsModel()
    model.show_selection(chosen(many(150), mode, top_k=6, threshold=0.75))
    before = sorted(_ids(model))
    model.sort(column, order)
    assert sorted(_ids(model)) == before
    reasons = _reasons(model)
    assert all(not reason for reason in reasons[: model.hit_count])
    assert all(reasons[model.hit_count :])
    for first, last in ((0, model.hit_count), (model.hit_count, model.rowCount())):
        keys = [_key(model, row, column) for row in range(first, last)]
        known = [key for key in keys if key is not None]
        assert keys[len(known) :] == [None] * (len(keys) - len(known))
        if column is Column.NEEDS:
            # By the order of the stages, so that each reason is one block.
            blocks = [key for key, _ in itertools.groupby(known)]
            assert len(blocks) == len(set(blocks))
        else:
            assert known == sorted(known, reverse=order is DOWN)


def test_sorting_is_kept_for_the_next_selection_and_minus_one_is_the_engines_order(
    model: HitsModel,
) -> None:
    engine = _ids(model)
    model.sort(Column.ID, DOWN)
    model.show_selection(chosen(aquarium(), threshold=0.65))
    assert _ids(model)[: model.hit_count] == sorted(_ids(model)[: model.hit_count], reverse=True)
    model.show_selection(chosen(aquarium()))
    model.sort(-1)
    assert _ids(model) == engine


def test_asking_beyond_the_rows_gives_nothing_and_never_raises(model: HitsModel) -> None:
    for row, column in ((-1, 0), (10_000, 0), (0, 99)):
        for role in (Qt.ItemDataRole.DisplayRole, HitsModel.HitIdRole):
            assert model.data(model.index(row, column), role) is None
    assert model.hit_at(-1) is None
    assert model.headerData(99, Qt.Orientation.Horizontal) is None
    assert HitsModel().data(HitsModel().index(0, 0)) is None


def test_a_tooltip_shows_the_files_markup_as_text(qapp: QApplication) -> None:
    model = HitsModel()
    model.show_selection(
        chosen(
            candidates(
                ["<b>id</b>"],
                ["<img src=x>\nnext"],
                np.array([0.1], dtype=np.float32),
                np.array([0.0], dtype=np.float32),
            )
        )
    )
    tip = model.data(model.index(0, Column.TEXT), Qt.ItemDataRole.ToolTipRole)
    assert "&lt;img src=x&gt;<br>next" in tip
    assert "&lt;b&gt;" in model.data(model.index(0, Column.ID), Qt.ItemDataRole.ToolTipRole)


def test_a_screen_reader_hears_the_reason(model: HitsModel) -> None:
    heard = model.data(model.index(4, Column.NEEDS), Qt.ItemDataRole.AccessibleTextRole)
    assert heard == "would need: removed by the threshold – threshold ≥ 0.613"


def test_of_a_long_id_a_row_shows_the_beginning(qapp: QApplication) -> None:
    one = np.ones(1, dtype=np.float32)
    model = HitsModel()
    model.show_selection(chosen(candidates(["x" * 20_000], ["text"], 0.1 * one, one)))
    assert _text(model, 0, Column.ID) == "x" * 500
    assert _ids(model) == ["x" * 20_000]


def test_matched_words_are_found_ignoring_case_and_within_the_shown_text(model: HitsModel) -> None:
    line, matches = model.line_at(0)
    assert [line[start:end] for start, end in matches] == ["lionfish", "clownfish"]
    assert model.line_at(999) == ("", ())


def test_words_are_matched_also_where_the_bm25_leg_did_not_run() -> None:
    found = aquarium()
    without = type(found)(
        found.query,
        found.ids,
        found.texts,
        found.matching,
        found.matching_count,
        found.dense,
        None,
        found.why_filtered,
    )
    assert {"clownfish", "lionfish"} <= chosen(without).words.tokens
    assert chosen(found).words.tokens == frozenset(found.sparse.tokens)


def test_overlapping_pairs_of_unspaced_writing_become_one_span() -> None:
    text = "大きな水族館の魚"
    words = QueryWords(frozenset({"水族", "族館"}))
    assert [text[a:b] for a, b in words.spans(text)] == ["水族館"]


def test_bars_end_at_the_farthest_record(model: HitsModel) -> None:
    assert model.bar.end == pytest.approx(1.08, abs=1e-6)


def test_facts_follow_the_rules_of_qt_and_headings_cannot_be_selected(
    qtmodeltester: ModelTester, qapp: QApplication
) -> None:
    model = FactsModel(qapp.font())
    model.show_facts([Fact("Scores", is_heading=True), Fact("a\nb", "x\ny" * 400, "odd")])
    qtmodeltester.check(model)
    assert model.flags(model.index(0, 0)) == Qt.ItemFlag.ItemIsEnabled
    assert "\n" not in model.data(model.index(1, 1))
    assert model.data(model.index(1, 0)) == "a\nb (odd)"


def _key(model: HitsModel, row: int, column: Column) -> Any:
    """Return what a row is sorted by: letters in capitals or not are the same."""
    field = model.bar.field if column is Column.BAR and model.bar else FIELDS.get(column, "")
    value = getattr(model.hit_at(row), field, None)
    return value.casefold() if isinstance(value, str) else value
