"""Names, roles and signals that tests and scripts rely on, and what every control owes its user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QScrollBar,
    QSlider,
    QTabBar,
    QTableView,
    QWidget,
)

from core.agent.turn import Turn
from inspector.models.hits_model import HitsModel
from inspector.window.main_window import MainWindow
from tests.inspector.driver import QUESTION

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

NAMES = {
    "messageEdit": QLineEdit,
    "runButton": QPushButton,
    "liveCheck": QCheckBox,
    "nodeCombo": QComboBox,
    "modeDense": QAbstractButton,
    "modeLexical": QAbstractButton,
    "modeHybrid": QAbstractButton,
    "topKSlider": QSlider,
    "topKSpin": QAbstractSpinBox,
    "thresholdSlider": QSlider,
    "thresholdSpin": QAbstractSpinBox,
    "rrfKSpin": QAbstractSpinBox,
    "filterEdit": QPlainTextEdit,
    "filterStatus": QLabel,
    "funnelView": QWidget,
    "hitsTable": QTableView,
    "distancePlot": QWidget,
    "hitDetails": QWidget,
    "promptView": QPlainTextEdit,
    "templateEdit": QPlainTextEdit,
    "templateStatus": QLabel,
    "graphView": QWidget,
    "diagnosticsView": QAbstractItemView,
    "problemsView": QAbstractItemView,
    "turnsView": QAbstractItemView,
    "messageBar": QWidget,
    "progressBar": QProgressBar,
    "cancelButton": QPushButton,
}
CONTROLS = (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QAbstractItemView,
)


@pytest.fixture
def user(open_window: OpenWindow, aquarium: Path) -> Driver:
    driver = open_window(aquarium / "hybrid.graph.json")
    driver.ask(QUESTION)
    return driver


def test_every_name_of_the_interface_is_found_once(user: Driver) -> None:
    for name, kind in NAMES.items():
        assert len(user.window.findChildren(kind, name)) == 1, name


def test_the_window_composes_itself_around_a_file_without_being_shown(
    open_window: OpenWindow, aquarium: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from inspector.__main__ import build_window

    open_window()
    window = build_window([aquarium / "rag.graph.json"])
    assert isinstance(window, MainWindow)
    assert not window.isVisible()
    qtbot.waitUntil(lambda: window.session.graph is not None)
    window.close()
    window.deleteLater()


def test_the_roles_of_the_table_tell_id_reason_and_distance(user: Driver) -> None:
    model = user.find("hitsTable").model()
    reasons = [model.index(row, 0).data(HitsModel.ReasonRole) for row in range(model.rowCount())]
    assert set(reasons) <= {"", "filter", "index", "leg_depth", "threshold", "top_k"}
    assert {"", "top_k"} <= set(reasons)
    assert model.ReasonRole == HitsModel.ReasonRole
    for row, hit in enumerate(user.retrieval.hits):
        index = model.index(row, 0)
        assert index.data(model.HitIdRole) == hit.id
        assert index.data(model.ReasonRole) == ""
        assert index.data(model.DistanceRole) == hit.distance


def test_the_funnel_tells_its_stages_as_pairs(user: Driver) -> None:
    stages = user.find("funnelView").stages()
    assert stages[0] == ("records", 192)
    assert stages[-1] == ("hits", len(user.hits()))
    assert all(isinstance(label, str) and isinstance(count, int) for label, count in stages)


def test_the_window_tells_that_a_turn_is_on_screen(user: Driver) -> None:
    with user.qtbot.waitSignal(user.window.turnShown) as shown:
        user.set_spin("topKSpin", "7")
    assert isinstance(shown.args[0], Turn)
    assert shown.args[0] is user.session.turn
    assert len(user.hits()) == len(shown.args[0].runs[1].retrieval.hits)


def test_every_control_can_be_told_apart_without_eyes(user: Driver) -> None:
    nameless = []
    for widget in user.window.findChildren(QWidget):
        if not isinstance(widget, CONTROLS) or isinstance(widget, QScrollBar | QHeaderView):
            continue
        inside = widget.parent()
        # What Qt itself puts into a widget is spoken for by that widget.
        if isinstance(inside, QTabBar | QAbstractSpinBox | QComboBox | QLineEdit | QHeaderView) or (
            widget.objectName().startswith("qt_") or "QDock" in type(inside).__name__
        ):
            continue
        spoken = widget.accessibleName() or (
            widget.text() if isinstance(widget, QAbstractButton) else ""
        )
        if not spoken and widget.isVisibleTo(user.window):
            nameless.append(
                f"{type(widget).__name__} {widget.objectName()} in "
                f"{type(inside).__name__} {inside.objectName() if inside else ''}"
            )
    assert nameless == []


def test_every_named_control_takes_the_focus_by_keyboard(user: Driver) -> None:
    for name, kind in NAMES.items():
        if issubclass(kind, CONTROLS):
            widget = user.find(name)
            assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, name
            assert widget.accessibleName(), name


def test_everything_fits_at_both_sizes_in_both_themes(user: Driver) -> None:
    names = (
        "messageEdit",
        "runButton",
        "nodeCombo",
        "topKSlider",
        "thresholdSlider",
        "hitsTable",
        "funnelView",
        "distancePlot",
        "promptView",
        "templateEdit",
    )
    table = user.find("hitsTable")
    for theme in ("light", "dark"):
        user.window.apply_theme(theme, keep=False)
        for width, height in ((1280, 800), (900, 600)):
            user.window.resize(width, height)
            user.window.layout_of_docks.arrange()
            QApplication.processEvents()
            image = user.window.grab().toImage()
            assert (image.width(), image.height()) == (width, height)
            for name in names:
                widget = user.find(name)
                place = widget.mapTo(user.window, widget.rect().topLeft())
                assert widget.isVisible(), name
                assert place.x() >= 0, name
                assert place.x() + widget.width() <= width, name
                assert place.y() + min(widget.height(), 20) <= height, name
            assert table.viewport().height() >= 3 * table.rowHeight(0)


def test_the_theme_is_switched_live(user: Driver) -> None:
    def corner() -> int:
        return user.window.grab().toImage().pixelColor(3, user.window.height() - 3).lightness()

    user.window.apply_theme("light")
    light = corner()
    user.window.apply_theme("dark")
    assert corner() < 80 < 180 < light
    assert user.window.preferences.theme == "dark"
    user.window.apply_theme("light")
    assert corner() == light


def test_text_scales_with_the_system_font(
    qapp: QApplication, open_window: OpenWindow, aquarium: Path
) -> None:
    usual = qapp.font()
    heights = []
    try:
        for points in (9, 15):
            font = qapp.font()
            font.setPointSize(points)
            qapp.setFont(font)
            user = open_window(aquarium / "rag.graph.json")
            user.ask(QUESTION)
            user.window.resize(1280, 800)
            QApplication.processEvents()
            user.window.grab()
            heights.append(
                (
                    user.find("hitsTable").rowHeight(0),
                    user.message.height(),
                    user.find("topKSpin").height(),
                )
            )
            spin = user.find("thresholdSpin")
            assert spin.fontMetrics().horizontalAdvance("0.600") < spin.width()
            assert user.find("runButton").sizeHint().width() <= user.find("runButton").width()
    finally:
        qapp.setFont(usual)
    assert all(large > usual for usual, large in zip(*heights, strict=True))
