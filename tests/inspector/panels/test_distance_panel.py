"""Distances of all records, and the threshold as a line: dragged by mouse, stepped by keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget

from core.nodes import RetrievalMode
from inspector.panels.distance_panel import DistancePanel
from inspector.theme import DARK, LIGHT, spread
from inspector.widgets.distance_dots import DistanceDots
from tests.inspector.fixed_results import aquarium, candidates, chosen, many

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from inspector.theme import Theme

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def panel(qtbot: QtBot) -> DistancePanel:
    panel = DistancePanel()
    qtbot.addWidget(panel)
    panel.resize(774, 120)
    panel.show()
    spread(panel, LIGHT)
    panel.show_selection(chosen(aquarium()))
    panel.set_threshold(0.6)
    return panel


def _plot(panel: DistancePanel) -> pg.PlotWidget:
    return panel.findChild(QWidget, "distancePlot")


def _item(panel: DistancePanel, kind: type[Any]) -> Any:
    items = _plot(panel).getPlotItem().items
    return next(item for item in items if isinstance(item, kind))


def _tag(panel: DistancePanel) -> str:
    """Return what is said of the threshold, as its tag does."""
    return _plot(panel).accessibleDescription().partition(";")[0].removeprefix("threshold ")


def _dot_rows(panel: DistancePanel) -> list[int]:
    return _item(panel, DistanceDots).rows.tolist()


def _dot(panel: DistancePanel, row: int) -> QPoint:
    """Return where a record's dot is on the plot's viewport, px."""
    place = _item(panel, DistanceDots).place(row)
    view = _plot(panel).getPlotItem().getViewBox()
    return _plot(panel).mapFromScene(view.mapViewToScene(place))


def _drag(qtbot: QtBot, panel: DistancePanel, *values: float) -> None:
    viewport = _plot(panel).viewport()
    qtbot.mousePress(viewport, LEFT, pos=panel.threshold_to_pixel(panel.threshold()))
    place = QPoint()
    for value in values:
        place = panel.threshold_to_pixel(value)
        qtbot.mouseMove(viewport, place)
    qtbot.mouseRelease(viewport, LEFT, pos=place)


def test_the_plot_has_the_name_that_scripts_use(panel: DistancePanel) -> None:
    assert isinstance(_plot(panel), pg.PlotWidget)
    assert _plot(panel).accessibleName()


def test_dragging_the_line_tells_each_new_threshold_and_then_the_last(
    qtbot: QtBot, panel: DistancePanel
) -> None:
    dragged: list[Any] = []
    finished: list[Any] = []
    panel.threshold_dragged.connect(dragged.append)
    panel.threshold_drag_finished.connect(finished.append)
    _drag(qtbot, panel, 0.65, 0.7)
    px = panel.pixel_to_threshold(QPoint(1, 0)) - panel.pixel_to_threshold(QPoint(0, 0))
    assert dragged == pytest.approx([0.65, 0.7], abs=abs(px) + 0.002)
    assert finished == [dragged[-1]]
    assert _item(panel, pg.InfiniteLine).value() == dragged[-1]
    assert all(round(value, 3) == value for value in dragged)


def test_the_line_can_be_grabbed_by_its_label(qtbot: QtBot, panel: DistancePanel) -> None:
    box = panel.tag_rect()
    viewport = _plot(panel).viewport()
    with qtbot.waitSignal(panel.threshold_dragged):
        qtbot.mousePress(viewport, LEFT, pos=QPoint(box.right() - 3, box.center().y()))
        qtbot.mouseMove(viewport, QPoint(box.right() + 40, box.center().y()))
    qtbot.mouseRelease(viewport, LEFT, pos=QPoint(box.right() + 40, box.center().y()))


def test_dragging_out_of_the_plot_stops_at_the_smallest_limit_and_at_the_right_end(
    qtbot: QtBot, panel: DistancePanel
) -> None:
    viewport = _plot(panel).viewport()
    dragged: list[Any] = []
    panel.threshold_dragged.connect(dragged.append)
    qtbot.mousePress(viewport, LEFT, pos=panel.threshold_to_pixel(0.6))
    qtbot.mouseMove(viewport, QPoint(-500, 20))
    qtbot.mouseMove(viewport, QPoint(5000, 20))
    qtbot.mouseRelease(viewport, LEFT, pos=QPoint(5000, 20))
    assert dragged == [0.001, 1.2]


def test_a_drag_through_pyqtgraph_itself_is_told_too(qtbot: QtBot, panel: DistancePanel) -> None:
    line = _item(panel, pg.InfiniteLine)
    with qtbot.waitSignals([panel.threshold_dragged, panel.threshold_drag_finished]):
        line.setValue(0.4444)
        line.sigDragged.emit(line)
        line.sigPositionChangeFinished.emit(line)
    assert panel.threshold() == 0.444


def test_setting_the_threshold_moves_the_line_without_a_signal(
    qtbot: QtBot, panel: DistancePanel
) -> None:
    with (
        qtbot.assertNotEmitted(panel.threshold_dragged),
        qtbot.assertNotEmitted(panel.threshold_drag_finished),
    ):
        panel.set_threshold(0.75)
    assert _item(panel, pg.InfiniteLine).value() == 0.75
    assert _tag(panel) == "0.750"


def test_zero_is_shown_as_no_limit_and_everything_is_within_it(panel: DistancePanel) -> None:
    panel.set_threshold(0)
    assert _tag(panel) == "no limit"
    assert "no limit" in _plot(panel).accessibleDescription()
    image = _plot(panel).grab().toImage()
    assert image.pixelColor(image.width() - 6, 6) == LIGHT.accent_soft


def test_the_slider_does_not_pull_at_a_line_that_is_being_dragged(
    qtbot: QtBot, panel: DistancePanel
) -> None:
    viewport = _plot(panel).viewport()
    qtbot.mousePress(viewport, LEFT, pos=panel.threshold_to_pixel(0.6))
    qtbot.mouseMove(viewport, panel.threshold_to_pixel(0.7))
    held = panel.threshold()
    panel.set_threshold(0.1)
    assert panel.threshold() == held
    qtbot.mouseRelease(viewport, LEFT, pos=panel.threshold_to_pixel(0.7))
    panel.set_threshold(0.1)
    assert panel.threshold() == 0.1


@pytest.mark.parametrize(
    ("key", "modifier", "expected"),
    [
        (Qt.Key.Key_Right, Qt.KeyboardModifier.NoModifier, 0.61),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier, 0.59),
        (Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier, 0.601),
        (Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier, 0.599),
        (Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier, 0.7),
    ],
)
def test_keys_step_the_threshold(
    qtbot: QtBot, panel: DistancePanel, key: Qt.Key, modifier: Qt.KeyboardModifier, expected: float
) -> None:
    told: list[Any] = []
    panel.threshold_dragged.connect(told.append)
    panel.threshold_drag_finished.connect(told.append)
    _plot(panel).setFocus()
    qtbot.keyClick(_plot(panel), key, modifier)
    assert told == [expected, expected]


def test_keys_stop_at_both_ends_of_the_range(qtbot: QtBot, panel: DistancePanel) -> None:
    panel.set_threshold(0.004)
    qtbot.keyClick(_plot(panel), Qt.Key.Key_Left)
    assert panel.threshold() == 0.001
    panel.set_threshold(0.0)
    qtbot.keyClick(_plot(panel), Qt.Key.Key_Left)
    assert panel.threshold() == 0.0
    panel.set_threshold(1.995)
    qtbot.keyClick(_plot(panel), Qt.Key.Key_Right)
    assert panel.threshold() == 2.0


@pytest.mark.parametrize(
    ("value", "tag"),
    [(0.0004, "0.0004"), (0.3456, "0.3456"), (1e-7, "0.0000001"), (0.5, "0.500"), (0, "no limit")],
)
def test_the_tag_says_the_threshold_in_full(panel: DistancePanel, value: float, tag: str) -> None:
    panel.set_threshold(value)
    assert panel.threshold() == value
    assert panel._axis.text == tag
    assert panel._kept.rect().right() == pytest.approx(value or 10.0)


@pytest.mark.parametrize("value", [0.0, 0.05, 0.6, 1.2, 1.9, 2.0])
def test_the_line_is_always_in_view(panel: DistancePanel, value: float) -> None:
    panel.set_threshold(value)
    x = panel.threshold_to_pixel(value).x()
    assert 0 <= x < _plot(panel).viewport().width()
    step = panel.pixel_to_threshold(QPoint(x + 1, 0)) - panel.pixel_to_threshold(QPoint(x - 1, 0))
    assert panel.pixel_to_threshold(panel.threshold_to_pixel(value)) == pytest.approx(
        value, abs=step + 0.001
    )


@pytest.mark.parametrize("value", [0.0, 0.02, 0.6, 1.19, 2.0])
def test_the_whole_tag_is_below_the_plot_and_in_view(panel: DistancePanel, value: float) -> None:
    panel.set_threshold(value)
    viewport = _plot(panel).viewport().rect()
    assert viewport.contains(panel.tag_rect())
    assert panel.tag_rect().top() >= panel.threshold_to_pixel(value).y()


def test_the_axis_stands_still_while_the_threshold_moves(panel: DistancePanel) -> None:
    found = many(800)
    panel.show_selection(chosen(found))
    before = panel.threshold_to_pixel(0.9)
    for value in (0.3, 0.0, 1.1, 0.7):
        panel.show_selection(chosen(found, threshold=value))
        panel.set_threshold(value)
        assert panel.threshold_to_pixel(0.9) == before


def test_every_record_of_a_small_store_has_a_dot(panel: DistancePanel) -> None:
    assert _dot_rows(panel) == list(range(10))
    assert panel.legend.accessibleDescription() == (
        "hit, filtered out, beyond threshold, beyond top_k"
    )


def test_of_a_large_store_the_hits_and_the_nearest_others_have_dots(panel: DistancePanel) -> None:
    selection = chosen(many(5000), top_k=20)
    panel.show_selection(selection)
    rows = _dot_rows(panel)
    assert rows[: len(selection.hit_rows)] == selection.hit_rows.tolist()
    assert len(rows) == len(selection.hit_rows) + 300


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_dots_have_the_colour_of_their_reason(panel: DistancePanel, theme: Theme) -> None:
    spread(panel, theme)
    image = _plot(panel).viewport().grab().toImage()
    assert image.pixelColor(_dot(panel, 0)) == theme.hit
    assert image.pixelColor(_dot(panel, 7)) == theme.threshold


def test_a_dot_is_where_its_distance_is_on_the_axis(panel: DistancePanel) -> None:
    for row, distance in ((0, 0.312), (4, 0.634), (9, 1.08)):
        assert abs(_dot(panel, row).x() - panel.threshold_to_pixel(distance).x()) <= 1


def test_clicking_a_dot_tells_its_record(qtbot: QtBot, panel: DistancePanel) -> None:
    with qtbot.waitSignal(panel.record_clicked) as caught:
        qtbot.mouseClick(_plot(panel).viewport(), LEFT, pos=_dot(panel, 7))
    assert caught.args == [7]
    with qtbot.assertNotEmitted(panel.record_clicked):
        qtbot.mouseClick(_plot(panel).viewport(), LEFT, pos=QPoint(4, 4))


def test_the_record_in_hand_has_a_ring(panel: DistancePanel) -> None:
    before = _plot(panel).grab().toImage()
    panel.mark_record(9)
    ringed = _plot(panel).grab().toImage()
    assert ringed != before
    panel.show_selection(chosen(aquarium()))
    assert _plot(panel).grab().toImage() == ringed
    panel.mark_record(None)
    assert _plot(panel).grab().toImage() == before


def test_lexical_mode_says_that_it_has_no_distances(panel: DistancePanel) -> None:
    panel.show_selection(chosen(aquarium(), RetrievalMode.Lexical))
    assert panel.message.isVisible()
    assert "no distances" in panel.message.text()
    panel.show_selection(chosen(aquarium()))
    assert not panel.message.isVisible()
    panel.show_selection(None)
    assert "first question" in panel.message.text()


@pytest.mark.parametrize("distances", [[0.5], [0.0] * 60, [2.0] * 60, [1.0] * 5000])
def test_one_record_and_equal_distances_can_be_painted(
    panel: DistancePanel, distances: list[float]
) -> None:
    count = len(distances)
    panel.show_selection(
        chosen(
            candidates(
                [str(n) for n in range(count)],
                [""] * count,
                np.array(distances, dtype=np.float32),
                np.zeros(count, dtype=np.float32),
            )
        )
    )
    assert not panel.grab().isNull()


def test_the_histogram_counts_every_record(panel: DistancePanel) -> None:
    found = many(5000)
    panel.show_selection(chosen(found))
    edges, heights = panel._bars.getData()
    expected, _ = np.histogram(found.dense.distances.astype(np.float64), bins=edges)
    counted = (heights / heights.max()) ** 2 * expected.max()
    assert np.abs(counted - expected).max() <= 2
    assert counted.sum() == pytest.approx(5000, rel=0.01)


def test_the_mouse_wheel_and_a_drag_beside_the_line_move_nothing(
    qtbot: QtBot, panel: DistancePanel
) -> None:
    viewport = _plot(panel).viewport()
    before = panel.threshold_to_pixel(1.0)
    with qtbot.assertNotEmitted(panel.threshold_dragged):
        qtbot.mousePress(viewport, LEFT, pos=panel.threshold_to_pixel(0.9))
        qtbot.mouseMove(viewport, panel.threshold_to_pixel(0.3))
        qtbot.mouseRelease(viewport, LEFT, pos=panel.threshold_to_pixel(0.3))
    assert panel.threshold_to_pixel(1.0) == before
