"""The rows of a replay: numbers, verdicts in words, icons and colours, sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QSortFilterProxyModel, Qt

from core.hits.comparison import Verdict
from inspector import theme as themes
from inspector.models.replay_model import Column, ReplayModel, signed
from tests.inspector.fixed_replays import node_replay, replay_of

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.modeltest import ModelTester

    from inspector.theme import Theme

MINUS = "−"


@pytest.fixture
def model(qapp: QApplication) -> ReplayModel:
    made = ReplayModel()
    made.show_replay(replay_of())
    return made


def cells(
    model: QSortFilterProxyModel | ReplayModel,
    column: Column,
    role: Qt.ItemDataRole | int = Qt.ItemDataRole.DisplayRole,
) -> list[Any]:
    return [model.index(row, column).data(role) for row in range(model.rowCount())]


def test_the_model_keeps_the_rules_of_item_models(
    model: ReplayModel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)


def test_both_results_stand_side_by_side_in_the_recorded_order_and_then_what_is_new(
    model: ReplayModel,
) -> None:
    assert cells(model, Column.ID) == [
        "clown_lion_01",
        "lionfish_diet",
        "clown_tankmates",
        "reef_safe_02",
        "goby_pairs",
        "anemone_host",
    ]
    assert cells(model, Column.RECORDED_RANK) == ["1", "2", "3", "4", "5", "–"]
    assert cells(model, Column.HERE_RANK) == ["1", "2", "4", "3", "–", "5"]
    assert cells(model, Column.RECORDED_DISTANCE) == [
        "0.312",
        "0.408",
        "0.541",
        "0.571",
        "0.590",
        "–",
    ]
    assert cells(model, Column.HERE_DISTANCE) == ["0.312", "0.440", "0.575", "0.572", "–", "0.581"]
    assert cells(model, Column.CHANGE) == ["0.000", "+0.032", "+0.034", "+0.001", "–", "–"]


def test_a_verdict_is_a_word_an_icon_and_a_colour(model: ReplayModel) -> None:
    assert cells(model, Column.VERDICT) == [
        "same",
        "distance",
        "moved, distance",
        "moved",
        "missing",
        "new",
    ]
    icons = {
        icon.cacheKey() for icon in cells(model, Column.VERDICT, Qt.ItemDataRole.DecorationRole)
    }
    colours = {
        colour.name() for colour in cells(model, Column.VERDICT, Qt.ItemDataRole.ForegroundRole)
    }
    assert (len(icons), len(colours)) == (5, 5)


@pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK])
def test_every_row_can_be_read_also_where_it_is_dimmed_and_selected(
    model: ReplayModel, theme: Theme
) -> None:
    model.apply_theme(theme)
    for column in Column:
        for colour in cells(model, column, Qt.ItemDataRole.ForegroundRole):
            assert themes.contrast(colour, theme.panel) >= 4
            assert themes.contrast(colour, theme.accent_soft) >= 4


def test_what_is_the_same_is_dimmed_and_what_differs_is_not(model: ReplayModel) -> None:
    first, second = cells(model, Column.ID, Qt.ItemDataRole.ForegroundRole)[:2]
    assert (first, second) == (themes.LIGHT.muted, themes.LIGHT.text)


def test_a_tooltip_has_all_decimals_and_says_the_verdict_in_a_sentence(model: ReplayModel) -> None:
    assert "0.312000" in model.index(0, Column.RECORDED_DISTANCE).data(Qt.ItemDataRole.ToolTipRole)
    tips = cells(model, Column.VERDICT, Qt.ItemDataRole.ToolTipRole)
    assert "hit 3 of the recording is hit 4 here; its distance differs by +0.034" in tips[2]
    assert "hit 5 of the recording is no hit here" in tips[4]
    assert "hit 5 here was none in the recording" in tips[5]


def test_numbers_sort_as_numbers_and_what_is_missing_comes_last(model: ReplayModel) -> None:
    proxy = QSortFilterProxyModel()
    proxy.setSortRole(ReplayModel.SortRole)
    proxy.setSourceModel(model)
    proxy.sort(Column.HERE_DISTANCE)
    assert cells(proxy, Column.HERE_DISTANCE) == ["0.312", "0.440", "0.572", "0.575", "0.581", "–"]
    proxy.sort(Column.VERDICT)
    assert cells(proxy, Column.VERDICT)[0] == "missing"
    assert cells(proxy, Column.ID, ReplayModel.VerdictRole)[-1] == Verdict.SAME


def test_a_distance_on_one_side_only_is_told(qapp: QApplication) -> None:
    model = ReplayModel()
    model.show_replay(replay_of(node_replay([("a", 0.5)], [("a", None)])))
    assert cells(model, Column.VERDICT) == ["distance"]
    assert "only one of them has a distance" in model.index(0, Column.VERDICT).data(
        Qt.ItemDataRole.ToolTipRole
    )


def test_lexical_hits_have_no_distances(model: ReplayModel, qapp: QApplication) -> None:
    assert model.has_distances
    model.show_replay(replay_of(node_replay([("a", None)], [("a", None)])))
    assert not model.has_distances


@given(st.floats(-2, 2))
def test_a_change_has_three_decimals_and_a_sign_unless_it_is_nothing(change: float) -> None:
    shown = signed(change)
    assert abs(float(shown.replace(MINUS, "-")) - change) <= 0.0005 + 1e-9
    assert (shown == "0.000") == (abs(round(change, 3)) == 0)
    assert shown == "0.000" or shown[0] == (MINUS if change < 0 else "+")
