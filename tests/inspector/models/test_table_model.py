"""The base of the item models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QModelIndex, Qt

from inspector.models.table_model import TableModel

if TYPE_CHECKING:
    from pytestqt.modeltest import ModelTester
    from pytestqt.qtbot import QtBot

HORIZONTAL, VERTICAL = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


class Fish(TableModel[str]):
    titles = ("name", "fish\nlength")
    helps = ("What it is called", "In letters")
    numbers = frozenset({1})

    def show_fish(self, *names: str) -> None:
        self._reset(names)

    def cell(self, row: str, column: int, role: int) -> Any:
        return (row, len(row))[column] if role == Qt.ItemDataRole.DisplayRole else None


@pytest.fixture
def model(qtmodeltester: ModelTester) -> Fish:
    fish = Fish()
    fish.show_fish("carp", "tench")
    qtmodeltester.check(fish)
    return fish


def test_rows_and_columns_are_counted_at_the_root_only(model: Fish) -> None:
    assert (model.rowCount(), model.columnCount()) == (2, 2)
    assert (model.rowCount(model.index(0, 0)), model.columnCount(model.index(0, 0))) == (0, 0)


def test_a_cell_is_asked_for_by_row_and_column(model: Fish) -> None:
    assert model.index(1, 0).data() == "tench"
    assert model.index(1, 1).data() == len("tench")
    assert model.data(QModelIndex()) is None


def test_other_rows_come_with_a_reset(model: Fish, qtbot: QtBot) -> None:
    with qtbot.waitSignal(model.modelReset):
        model.show_fish("eel")
    assert model.rowCount() == 1


@pytest.mark.parametrize(
    ("role", "shown"),
    [
        (Qt.ItemDataRole.DisplayRole, "fish\nlength"),
        (Qt.ItemDataRole.AccessibleTextRole, "fish length"),
        (Qt.ItemDataRole.ToolTipRole, "In letters"),
        (
            Qt.ItemDataRole.TextAlignmentRole,
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
        ),
        (Qt.ItemDataRole.DecorationRole, None),
    ],
)
def test_a_title_tells_what_its_column_is(model: Fish, role: int, shown: Any) -> None:
    assert model.headerData(1, HORIZONTAL, role) == shown
    assert model.headerData(1, VERTICAL, role) is None
    assert model.headerData(2, HORIZONTAL, role) is None
