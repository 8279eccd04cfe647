"""Cells of numbers that differ look different, also beside the threshold."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.nodes import RetrievalMode
from inspector.models.hits_model import Column, HitsModel
from tests.inspector.fixed_results import candidates, chosen

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from core.retrieve.listing import Selection


def column(selection: Selection, which: Column) -> list[str]:
    model = HitsModel()
    model.show_selection(selection)
    return [str(model.index(row, which).data()) for row in range(model.rowCount())]


def found(distances: list[float], scores: list[float]) -> Selection:
    names = [f"r{number}" for number in range(len(distances))]
    store = candidates(names, names, np.array(distances, np.float32), np.array(scores, np.float32))
    return chosen(store, RetrievalMode.Hybrid, top_k=3, threshold=0.35, rrf_k=1000)


def test_two_distances_beside_the_threshold_are_told_apart(qapp: QApplication) -> None:
    store = candidates(
        ["a", "b", "c"],
        ["", "", ""],
        np.array([0.34999996, 0.35000002, 0.9], np.float32),
        np.zeros(3, np.float32),
    )
    selection = chosen(store, threshold=0.35)
    assert column(selection, Column.DISTANCE) == ["0.34999996", "0.35000002", "0.900"]
    assert [line.value for line in selection.score_lines(1)][1] == "0.35000002"


def test_a_distance_at_the_threshold_itself_has_three_decimals(qapp: QApplication) -> None:
    store = candidates(["a"], [""], np.array([0.35], np.float32), np.zeros(1, np.float32))
    assert column(chosen(store, threshold=0.35), Column.DISTANCE) == ["0.350"]


def test_fused_scores_of_a_flat_fusion_are_told_apart(qapp: QApplication) -> None:
    selection = found([0.1, 0.2, 0.3, 0.4], [1.0, 3.0, 2.0, 0.5])
    texts = column(selection, Column.FUSED)
    scores = [hit.fused_score for hit in selection.hits]
    assert len(set(texts[:3])) == len(set(scores))
    assert float(texts[0]) == pytest.approx(1 / 1002 + 1 / 1001, abs=1e-6)
    told = [selection.score_lines(hit.row)[-2].value for hit in selection.hits]
    assert len({text.rpartition("= ")[2] for text in told}) == len(set(scores))


def test_a_small_bm25_score_is_not_shown_as_nothing(qapp: QApplication) -> None:
    texts = column(found([0.1, 0.2, 0.3], [0.000111, 4.0, 0.0]), Column.BM25)
    assert sorted(texts) == ["0.0001", "4.00", "–"]


def test_the_cells_follow_a_threshold_that_moves(qapp: QApplication) -> None:
    store = candidates(
        ["a", "b"], ["", ""], np.array([0.3454, 0.34558], np.float32), np.zeros(2, np.float32)
    )
    model = HitsModel()
    told = []
    for threshold in (0.5, 0.3456, 0.0):
        model.show_selection(chosen(store, threshold=threshold))
        told.append([model.index(row, Column.DISTANCE).data() for row in range(2)])
    assert told == [["0.345", "0.346"], ["0.345", "0.34558"], ["0.345", "0.346"]]


def test_neighbours_in_the_table_never_look_alike_where_they_differ(qapp: QApplication) -> None:
    random = np.random.default_rng(4)
    distances = random.normal(0.8, 0.1, 400).astype(np.float32).tolist()
    selection = found(distances, random.gamma(1, 1, 400).tolist())
    model = HitsModel()
    model.show_selection(selection)
    for which, field in ((Column.DISTANCE, "exact_distance"), (Column.BM25, "bm25_score")):
        told = sorted(
            (getattr(hit, field), model.cell_text(hit, which))
            for row in range(model.rowCount())
            if (hit := model.hit_at(row)) and getattr(hit, FIELD[which]) is not None
        )
        assert all(a != b or x == y for (x, a), (y, b) in pairwise(told))


FIELD = {Column.DISTANCE: "distance", Column.BM25: "bm25_score"}
