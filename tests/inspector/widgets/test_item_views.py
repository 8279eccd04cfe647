"""Views that say so when they are empty, and paint no more than they must."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QApplication

from inspector.widgets.item_views import TableView

if TYPE_CHECKING:
    from PySide6.QtGui import QPaintEvent
    from pytestqt.qtbot import QtBot


class Counting(TableView):
    """A table that counts how often it is painted."""

    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1
        super().paintEvent(event)


def test_the_same_words_for_an_empty_view_paint_nothing_again(qtbot: QtBot) -> None:
    view = Counting()
    view.setModel(QStandardItemModel(view))
    qtbot.addWidget(view)
    with qtbot.waitExposed(view):
        view.show()
    view.set_empty_text("Nothing is open", "Drop a file here")
    QApplication.processEvents()
    before = view.painted
    view.set_empty_text("Nothing is open", "Drop a file here")
    QApplication.processEvents()
    assert view.painted == before
    view.set_empty_text("Nothing came back")
    QApplication.processEvents()
    assert view.painted > before
    assert view.accessibleDescription() == "Nothing came back"
