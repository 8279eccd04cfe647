"""Tables look as the program's style sheet says, in the light theme as in the dark one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QStandardItem, QStandardItemModel

from inspector import theme as themes
from inspector.widgets.item_views import TableView

if TYPE_CHECKING:
    from PySide6.QtGui import QColor, QImage
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

THEMES = pytest.mark.parametrize("theme", [themes.LIGHT, themes.DARK], ids=["light", "dark"])


@pytest.fixture
def table(qtbot: QtBot, plain_app: QApplication) -> TableView:
    del plain_app
    view = TableView()
    model = QStandardItemModel(view)
    model.setHorizontalHeaderLabels(["IIII"])
    model.appendRow(QStandardItem("IIII"))
    view.setModel(model)
    view.resize(300, 120)
    qtbot.addWidget(view)
    return view


def _colors(image: QImage, area: QRect) -> list[QColor]:
    return [
        image.pixelColor(x, y)
        for x in range(area.left(), area.right() + 1)
        for y in range(area.top(), area.bottom() + 1)
    ]


def _ink_left(image: QImage, area: QRect, behind: QColor) -> int:
    """Return how far from the left something is drawn, px."""
    return min(
        x - area.left()
        for x in range(area.left(), area.right())
        for y in range(area.top(), area.bottom())
        if themes.contrast(image.pixelColor(x, y), behind) > 2.0
    )


@THEMES
def test_texts_begin_where_those_of_the_header_do_in_both_themes(
    table: TableView, qapp: QApplication, theme: themes.Theme
) -> None:
    # From one theme to the other and back, as a user would.
    for each in (themes.DARK, themes.LIGHT, theme):
        themes.apply(qapp, each)
        themes.spread(table, each)
    table.show()
    image = table.grab().toImage()
    header = table.horizontalHeader()
    cell = table.visualRect(table.model().index(0, 0))
    cell.translate(table.viewport().mapTo(table, QPoint(0, 0)))
    title = QRect(header.mapTo(table, QPoint(0, 0)), header.size()).adjusted(0, 0, -40, -3)
    begins = _ink_left(image, cell, theme.panel)
    assert begins >= 5
    assert abs(begins - _ink_left(image, title, theme.panel)) <= 2
    assert table.styleSheet() == ""


@THEMES
def test_rows_stand_on_the_panels_colour_and_can_be_read(
    table: TableView, qapp: QApplication, theme: themes.Theme
) -> None:
    themes.apply(qapp, theme)
    table.show()
    image = table.viewport().grab().toImage()
    colors = _colors(image, table.visualRect(table.model().index(0, 0)))
    assert max(set(map(_name, colors)), key=list(map(_name, colors)).count) == theme.panel.name()
    assert max(themes.contrast(color, theme.panel) for color in colors) >= themes.READABLE


def _name(color: QColor) -> str:
    return color.name()
