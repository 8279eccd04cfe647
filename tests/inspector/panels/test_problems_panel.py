"""Findings as a table, filtered, copied, gone to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QTableView, QToolButton

from core.errors import Code, Place
from core.io.findings import Finding, Severity
from inspector.models.problems_model import CODE, MESSAGE, PLACE, ProblemsModel, SeverityFilter
from inspector.panels.problems_panel import ProblemsPanel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.modeltest import ModelTester
    from pytestqt.qtbot import QtBot


ERROR = Finding(
    Severity.ERROR,
    Code.InvalidEmbeddedStringStorageData,
    Place(file="a.kb.json", line=12, column=7, json_path="records[17].id"),
    "the id is there twice",
    "rename one",
)
EARLY = Finding(
    Severity.ERROR,
    Code.InvalidEmbeddedStringStorageData,
    Place(file="a.kb.json", line=3),
    "not a string",
)
WARNING = Finding(
    Severity.WARNING,
    Code.GraphCompilationFailed,
    Place(file="rag.graph.json", node="answer"),
    "<b>cannot</b> be reached",
)


@pytest.fixture
def panel(qtbot: QtBot) -> ProblemsPanel:
    widget = ProblemsPanel()
    qtbot.addWidget(widget)
    widget.resize(600, 200)
    widget.show()
    widget.show_findings((ERROR, WARNING, EARLY), 2)
    return widget


def table_of(panel: ProblemsPanel) -> QTableView:
    return panel.findChild(QTableView, "problemsView")


def column(table: QTableView, section: int) -> list[str]:
    model = table.model()
    return [model.index(row, section).data() for row in range(model.rowCount())]


def test_the_models_keep_the_rules_of_item_models(
    qapp: QApplication, qtmodeltester: ModelTester
) -> None:
    model = ProblemsModel()
    model.show_findings((ERROR, WARNING))
    qtmodeltester.check(model)
    qtmodeltester.check(SeverityFilter(model))


def test_a_row_has_code_place_message_and_hint(panel: ProblemsPanel) -> None:
    table = table_of(panel)
    assert column(table, CODE)[0] == "8003 InvalidEmbeddedStringStorageData"
    assert column(table, PLACE)[0] == "a.kb.json:12:7 records[17].id"
    assert column(table, MESSAGE)[0] == "the id is there twice (rename one)"


def test_the_counts_are_told(qtbot: QtBot) -> None:
    widget = ProblemsPanel()
    qtbot.addWidget(widget)
    with qtbot.waitSignal(widget.count_changed) as told:
        widget.show_findings((ERROR, WARNING, EARLY))
    assert told.args == [2, 1]
    assert widget.findChild(QPushButton, "errorToggle").text() == "2 errors"
    assert widget.findChild(QPushButton, "warningToggle").text() == "1 warning"


def test_severities_can_be_hidden_and_shown_again(panel: ProblemsPanel) -> None:
    table = table_of(panel)
    panel.findChild(QPushButton, "errorToggle").click()
    assert column(table, MESSAGE) == ["<b>cannot</b> be reached"]
    panel.findChild(QPushButton, "warningToggle").click()
    assert column(table, MESSAGE) == []
    panel.findChild(QPushButton, "errorToggle").click()
    assert len(column(table, MESSAGE)) == 2


def test_places_sort_by_file_and_line_not_by_text(panel: ProblemsPanel) -> None:
    table = table_of(panel)
    table.sortByColumn(PLACE, Qt.SortOrder.AscendingOrder)
    assert column(table, PLACE)[:2] == ["a.kb.json:3", "a.kb.json:12:7 records[17].id"]


def test_enter_and_a_double_click_go_to_the_place(panel: ProblemsPanel, qtbot: QtBot) -> None:
    table = table_of(panel)
    table.setCurrentIndex(table.model().index(0, 0))
    with qtbot.waitSignal(panel.finding_activated) as gone:
        QTest.keyClick(table, Qt.Key.Key_Return)
    assert gone.args == [ERROR]
    place = table.visualRect(table.model().index(1, MESSAGE)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    with qtbot.waitSignal(panel.finding_activated) as gone:
        QTest.mouseDClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert gone.args == [WARNING]


def test_all_or_the_selected_problems_are_copied_as_lines(panel: ProblemsPanel) -> None:
    panel.findChild(QToolButton, "copyProblems").click()
    assert QGuiApplication.clipboard().text().splitlines() == [
        ERROR.line(),
        WARNING.line(),
        EARLY.line(),
    ]
    table_of(panel).selectRow(1)
    panel.findChild(QToolButton, "copyProblems").click()
    assert QGuiApplication.clipboard().text() == WARNING.line()


def test_markup_in_a_message_is_no_html(panel: ProblemsPanel) -> None:
    index = table_of(panel).model().index(1, MESSAGE)
    assert "<b>" not in index.data(Qt.ItemDataRole.ToolTipRole)


def test_every_column_is_in_sight_in_a_narrow_panel(panel: ProblemsPanel, qtbot: QtBot) -> None:
    panel.resize(420, 200)
    qtbot.waitUntil(lambda: table_of(panel).horizontalScrollBar().maximum() == 0)
    assert table_of(panel).columnWidth(MESSAGE) > 60


def test_no_problems_are_said_in_words(panel: ProblemsPanel) -> None:
    panel.show_findings((), 3)
    assert not panel.findChild(QToolButton, "copyProblems").isEnabled()
    assert not panel.grab().isNull()
