"""A number's row: slider, spin box, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget

from core.nodes import RetrieveParams
from inspector import theme as themes
from inspector.drawing.scales import Scale
from inspector.forms.number_row import NumberRow
from inspector.forms.param_row import RowPlan
from inspector.forms.spins import PAUSE_MS
from inspector.theme import DARK, spread

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot


SPECS = RetrieveParams.specs()


@pytest.fixture
def threshold(qtbot: QtBot) -> NumberRow:
    row = NumberRow(SPECS["threshold"], RowPlan("threshold"))
    qtbot.addWidget(row)
    row.resize(260, 90)
    row.show_value(0.6)
    row.show()
    return row


@pytest.fixture
def top_k(qtbot: QtBot) -> NumberRow:
    row = NumberRow(SPECS["top_k"], RowPlan("top_k", scale=Scale(1, 1000, 20, 0.6)))
    qtbot.addWidget(row)
    row.resize(260, 90)
    row.show_value(3)
    row.show()
    return row


def edits_of(row: NumberRow) -> list[Any]:
    edits: list[Any] = []
    row.value_edited.connect(edits.append)
    return edits


def retype(row: NumberRow, text: str) -> None:
    row.spin.setFocus()
    row.spin.selectAll()
    QTest.keyClicks(row.spin, text)


def wheel(widget: QWidget, delta: int) -> QWheelEvent:
    place = QPointF(widget.rect().center())
    event = QWheelEvent(
        place,
        widget.mapToGlobal(place),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(widget, event)
    return event


def test_showing_a_value_emits_nothing_and_moves_both_controls(threshold: NumberRow) -> None:
    edits = edits_of(threshold)
    threshold.show_value(0.613)
    assert edits == []
    assert threshold.slider.value() == 613
    assert threshold.spin.value() == pytest.approx(0.613)
    assert threshold.spin.text() == "0.613"


def test_moving_the_slider_moves_the_spin_box_and_is_told_once(threshold: NumberRow) -> None:
    edits = edits_of(threshold)
    threshold.slider.setValue(250)
    assert threshold.spin.value() == pytest.approx(0.25)
    assert edits == [0.25]


def test_stepping_the_spin_box_moves_the_slider(top_k: NumberRow) -> None:
    edits = edits_of(top_k)
    top_k.spin.setFocus()
    QTest.keyClick(top_k.spin, Qt.Key.Key_Up)
    assert top_k.slider.value() == 4
    assert edits == [4]


@pytest.mark.parametrize("text", ["0.7", "0,7", " 0.70", ".7", "0.700"])
def test_a_decimal_point_and_a_comma_are_both_read(threshold: NumberRow, text: str) -> None:
    edits = edits_of(threshold)
    retype(threshold, text)
    QTest.keyClick(threshold.spin, Qt.Key.Key_Return)
    assert edits[-1] == pytest.approx(0.7)
    assert threshold.slider.value() == 700


def test_typing_on_is_not_reformatted_under_the_cursor(threshold: NumberRow, qtbot: QtBot) -> None:
    threshold.value_edited.connect(threshold.show_value)
    with qtbot.waitSignal(threshold.value_edited):
        retype(threshold, "0.45")
    assert threshold.value == threshold.spin.value() == 0.45
    assert threshold.slider.value() == 450
    assert threshold.spin.text() == "0.45"
    QTest.keyClick(threshold.spin, Qt.Key.Key_Return)
    assert threshold.spin.text() == "0.450"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2.1", "3007 InvalidParamValue: 2.1 is out of range: 0 to 2"),
        ("-0.1", "3007 InvalidParamValue: -0.1 is out of range: 0 to 2"),
        ("nan", "3007 InvalidParamValue: nan is out of range: 0 to 2"),
        ("abc", '3007 InvalidParamValue: expected a number, found the text "abc"'),
    ],
)
def test_a_refused_number_leaves_the_last_valid_value_and_says_why(
    threshold: NumberRow, text: str, why: str
) -> None:
    retype(threshold, text)
    assert threshold.value == 0.6
    assert threshold.problem.text().startswith(why)
    assert "0.600 stays in force" in threshold.problem.text()
    assert threshold.problem.isVisible()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Tab):
        QTest.keyClick(threshold.spin, key)
        assert threshold.spin.text() == text
        assert threshold.spin.value() == threshold.value == 0.6
        assert threshold.problem.isVisible()


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Tab])
@pytest.mark.parametrize("text", ["3,5", "1,000", "6,5", "1 000"])
def test_a_whole_number_with_a_comma_never_comes_into_force_without_it(
    top_k: NumberRow, text: str, key: Qt.Key
) -> None:
    edits, before = edits_of(top_k), top_k.value
    retype(top_k, text)
    QTest.keyClick(top_k.spin, key)
    top_k.spin.clearFocus()
    assert (top_k.value, top_k.spin.value(), edits) == (before, before, [])
    assert top_k.spin.text() == text
    assert f"{before} stays in force" in top_k.problem.text()


def test_two_marks_in_a_fraction_are_refused_for_good(threshold: NumberRow) -> None:
    retype(threshold, "0.4,5")
    QTest.keyClick(threshold.spin, Qt.Key.Key_Tab)
    assert threshold.value == threshold.spin.value() == 0.6
    assert threshold.spin.text() == "0.4,5"


def test_an_emptied_field_has_the_value_in_force_again_when_it_is_left(
    threshold: NumberRow,
) -> None:
    threshold.spin.selectAll()
    QTest.keyClick(threshold.spin, Qt.Key.Key_Backspace)
    assert threshold.problem.isVisible()
    QTest.keyClick(threshold.spin, Qt.Key.Key_Return)
    assert threshold.spin.text() == "0.600"
    assert not threshold.problem.isVisible()


def test_what_is_refused_is_told_and_so_is_that_it_is_gone(top_k: NumberRow) -> None:
    told: list[object] = []
    top_k.draft_changed.connect(told.append)
    retype(top_k, "0")
    retype(top_k, str(top_k.value))
    assert told == [0, top_k.value]


def test_a_slider_that_moves_takes_the_place_of_a_refused_number(threshold: NumberRow) -> None:
    retype(threshold, "2.1")
    QTest.keyClick(threshold.spin, Qt.Key.Key_Return)
    threshold.slider.setValue(700)
    assert threshold.spin.text() == "0.700"
    assert not threshold.problem.isVisible()
    threshold.spin.clearFocus()
    assert threshold.spin.text() == "0.700"


def test_a_half_typed_fraction_is_not_taken_for_no_limit(
    threshold: NumberRow, qtbot: QtBot
) -> None:
    edits = edits_of(threshold)
    retype(threshold, "0.")
    qtbot.wait(PAUSE_MS + 50)
    assert edits == []


def test_the_next_valid_number_clears_the_problem(threshold: NumberRow) -> None:
    retype(threshold, "2.1")
    assert threshold.problem.isVisible()
    retype(threshold, "0.6")
    assert not threshold.problem.isVisible()


def test_a_fraction_is_refused_where_a_whole_number_is_needed(top_k: NumberRow) -> None:
    edits = edits_of(top_k)
    retype(top_k, "2.5")
    assert edits == []
    assert "expected a whole number, found 2.5" in top_k.problem.text()


@pytest.mark.parametrize("text", ["1001", "99999999999999999999"])
def test_a_number_above_the_range_can_be_typed_and_is_refused(top_k: NumberRow, text: str) -> None:
    retype(top_k, text)
    assert top_k.spin.lineEdit().text() == text
    assert "out of range: 1 to 1000" in top_k.problem.text()
    QTest.keyClick(top_k.spin, Qt.Key.Key_Return)
    assert top_k.spin.value() == top_k.slider.value() == top_k.value == 3


def test_a_script_that_sets_too_large_a_value_is_refused_not_clamped(top_k: NumberRow) -> None:
    top_k.spin.setValue(1001)
    assert top_k.spin.value() == 3
    assert "1001 is out of range" in top_k.problem.text()


def test_the_wheel_changes_nothing_without_the_focus(threshold: NumberRow, qtbot: QtBot) -> None:
    edits = edits_of(threshold)
    threshold.label.setFocus()
    for widget in (threshold.slider, threshold.spin):
        widget.clearFocus()
        event = wheel(widget, 120)
        assert not event.isAccepted()
    assert edits == []


def test_the_wheel_steps_the_control_that_has_the_focus(threshold: NumberRow, qtbot: QtBot) -> None:
    qtbot.waitExposed(threshold)
    threshold.activateWindow()
    threshold.slider.setFocus()
    qtbot.waitUntil(threshold.slider.hasFocus)
    wheel(threshold.slider, 120)
    assert threshold.value != 0.6


def test_dragging_is_live_and_finishes_once(threshold: NumberRow) -> None:
    edits = edits_of(threshold)
    finished = []
    threshold.edit_finished.connect(lambda: finished.append(threshold.value))
    slider = threshold.slider
    y = slider.height() // 2
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(slider.x_of(600)), y))
    for value in (700, 800, 900):
        QTest.mouseMove(slider, QPoint(round(slider.x_of(value)), y))
    assert len(edits) == 3
    assert finished == []
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=QPoint(round(slider.x_of(900)), y))
    assert finished == [edits[-1]]
    assert edits[-1] == pytest.approx(0.9, abs=0.03)


def test_pressing_the_handle_does_not_move_it(threshold: NumberRow) -> None:
    edits = edits_of(threshold)
    slider = threshold.slider
    place = QPoint(round(slider.x_of(600)) + 3, slider.height() // 2)
    QTest.mouseClick(slider, Qt.MouseButton.LeftButton, pos=place)
    assert edits == []


def test_every_small_top_k_can_be_hit_with_the_mouse(top_k: NumberRow) -> None:
    top_k.resize(300, 90)
    slider = top_k.slider
    places = [round(slider.x_of(value)) for value in range(1, 21)]
    assert len(set(places)) == 20


def test_a_changed_value_is_marked_with_what_the_graph_has(top_k: NumberRow) -> None:
    top_k.show_value(5, 3)
    assert "graph has 3" in top_k.label.toolTip()
    assert "changed" in top_k.label.accessibleName()
    top_k.show_value(3, 3)
    assert "graph has" not in top_k.label.toolTip()


def test_controls_without_effect_are_off_and_say_why(top_k: NumberRow) -> None:
    top_k.set_inactive("Hybrid only")
    assert not top_k.slider.isEnabled()
    assert not top_k.spin.isEnabled()
    assert top_k.hint.text() == "Hybrid only"
    top_k.set_inactive("")
    assert top_k.slider.isEnabled()
    assert "1 to 1000" in top_k.hint.text()


def test_more_decimals_are_shown_where_the_value_has_them(threshold: NumberRow) -> None:
    edits = edits_of(threshold)
    threshold.show_value(0.61254)
    assert threshold.spin.text() == "0.61254"
    assert threshold.value == 0.61254
    assert edits == []


def test_marks_lie_at_their_values(threshold: NumberRow) -> None:
    threshold.set_marks([0.312, 0.408])
    assert threshold.slider.marks == (312, 408)
    spread(threshold, DARK)
    assert not threshold.grab().isNull()


def test_a_half_typed_text_can_be_discarded(threshold: NumberRow) -> None:
    retype(threshold, "2.1")
    threshold.discard_draft()
    assert threshold.spin.lineEdit().text() == "0.600"
    assert not threshold.problem.isVisible()


def test_slider_and_spin_box_stand_on_one_line_and_in_a_narrow_panel_on_two(
    threshold: NumberRow, qtbot: QtBot
) -> None:
    threshold.resize(260, 90)
    QApplication.processEvents()
    assert threshold.slider.geometry().right() < threshold.spin.geometry().left()
    threshold.resize(170, 110)
    qtbot.waitUntil(lambda: threshold.slider.y() >= threshold.spin.geometry().bottom())
    assert threshold.slider.width() > 150
    threshold.resize(260, 90)
    qtbot.waitUntil(lambda: threshold.slider.geometry().right() < threshold.spin.x())


def test_marks_that_lie_close_are_drawn_as_one(threshold: NumberRow) -> None:
    threshold.set_marks([0.300 + 0.001 * place for place in range(12)])
    drawn = threshold.slider.marks_px()
    assert len(threshold.slider.marks) == 12
    assert 1 <= len(drawn) < 12
    assert all(after - before >= 3 for before, after in pairwise(drawn))


def test_the_spin_box_is_as_wide_as_its_value(threshold: NumberRow) -> None:
    before = threshold.spin.width()
    threshold.show_value(0.612543)
    metrics = threshold.spin.fontMetrics()
    assert threshold.spin.minimumWidth() > before
    assert threshold.spin.minimumWidth() >= metrics.horizontalAdvance("0.612543") + 28


@pytest.mark.parametrize("value", [0.6, 0.612543])
def test_the_whole_number_is_seen_beside_the_arrows(
    threshold: NumberRow, plain_app: QApplication, value: float
) -> None:
    themes.apply(plain_app, themes.LIGHT)
    threshold.show_value(value)
    QApplication.processEvents()
    line = threshold.spin.lineEdit()
    assert line.width() >= line.fontMetrics().horizontalAdvance(threshold.spin.text()) + 4


def test_where_values_share_a_pixel_the_mouse_picks_round_ones(
    threshold: NumberRow, top_k: NumberRow
) -> None:
    threshold.resize(260, 90)
    slider = threshold.slider
    QTest.mousePress(
        slider, Qt.MouseButton.LeftButton, pos=QPoint(round(slider.x_of(600)), slider.height() // 2)
    )
    for value in range(100, 900, 7):
        QTest.mouseMove(slider, QPoint(round(slider.x_of(value)), slider.height() // 2))
        assert slider.value() % 5 == 0
        assert abs(slider.value() - value) <= 20
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton)
    assert [top_k.slider._value_at(round(top_k.slider.x_of(v))) for v in range(1, 21)] == list(
        range(1, 21)
    )


def no_limit(row: NumberRow) -> QCheckBox:
    check = row.findChild(QCheckBox, "thresholdNoLimit")
    assert isinstance(check, QCheckBox)
    return check


@pytest.mark.parametrize("value", [0.0004, 1e-7, 0.3456, 0.34999996, 2.0, 0.0])
def test_the_spin_box_shows_and_keeps_the_value_in_full(threshold: NumberRow, value: float) -> None:
    threshold.show_value(value)
    assert threshold.spin.value() == value
    assert float(threshold.spin.text()) == value
    assert threshold.value == value
    assert no_limit(threshold).isChecked() == (value == 0)


def test_steps_and_drags_end_at_the_smallest_limit(threshold: NumberRow) -> None:
    edits = edits_of(threshold)
    threshold.show_value(0.015)
    for _ in range(3):
        threshold.spin.stepDown()
    QTest.keyClick(threshold.slider, Qt.Key.Key_Home)
    assert edits == [0.005, 0.001]
    assert threshold.value == 0.001
    threshold.show_value(0.0004)
    threshold.spin.stepDown()
    assert threshold.value == 0.0004


def test_a_step_has_no_noise_of_sums(threshold: NumberRow) -> None:
    threshold.show_value(0.3456)
    threshold.spin.stepUp()
    assert threshold.spin.text() == "0.3556"


def test_no_limit_is_a_choice_that_gives_the_limit_back(threshold: NumberRow) -> None:
    edits, ends = edits_of(threshold), []
    threshold.edit_finished.connect(lambda: ends.append(True))
    threshold.show_value(0.45)
    no_limit(threshold).click()
    no_limit(threshold).click()
    assert edits == [0.0, 0.45]
    assert len(ends) == 2


def test_a_row_whose_zero_is_a_value_has_no_such_choice(top_k: NumberRow) -> None:
    assert not top_k.findChildren(QCheckBox)
