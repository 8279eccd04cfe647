"""Drives the window as a user does: by keys and mouse on widgets found by their object names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, overload

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from inspector.models.hits_model import Column, HitsModel
from inspector.session.replaying import Replaying
from inspector.session.watching import FileWatch
from inspector.window.files import Files
from inspector.window.leaving import Leaving
from inspector.window.saving import Saving
from tests.inspector.drawn import node_item

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from core.agent.turn import Turn
    from core.embedding.embedder import Embedder
    from inspector.window.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
QUESTION = "do clownfish get along with lionfish?"

W = TypeVar("W", bound=QWidget)
P = TypeVar("P", bound=QObject)


class Row(NamedTuple):
    """What a row of the hits table says by its roles, and in its last column but one."""

    id: str
    reason: str
    distance: float | None
    needs: str


class OpenWindow(Protocol):
    """Composes a window, shows it and opens a file; an embedder takes the model's place."""

    def __call__(
        self,
        path: Path | None = None,
        embedder: Embedder | None = None,
        loader: Callable[..., Embedder] | None = None,
    ) -> Driver: ...


class Driver:
    """One window and the ways to use it; every way waits for what it causes."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot = qtbot
        self.window = window
        self.session = window.session
        self.jobs = window.jobs
        self.files = self._part(Files)
        self.saving = self._part(Saving)
        self.leaving = self._part(Leaving)
        self.watch = self._part(FileWatch)
        self.replaying = self._part(Replaying)
        self.copy_menu = next(m for m in window.findChildren(QMenu) if m.title() == "Copy")

    def _part(self, kind: type[P]) -> P:
        found = self.window.findChildren(kind)
        assert len(found) == 1, f"{len(found)} {kind.__name__}"
        return found[0]

    @overload
    def find(self, name: str) -> Any: ...
    @overload
    def find(self, name: str, kind: type[W]) -> W: ...
    def find(self, name: str, kind: type[QWidget] = QWidget) -> QWidget:
        """Return the one widget of this name, whatever its class or of this one."""
        found = self.window.findChildren(kind, name)
        assert len(found) == 1, f"{len(found)} widgets are called {name}"
        return found[0]

    def settle(self) -> None:
        """Wait until nothing is being worked on, and everything is painted."""
        self.qtbot.waitUntil(
            lambda: not any(self.jobs.is_busy(lane) for lane in ("open", "turn", "index")),
            timeout=20_000,
        )

    def open(self, path: Path) -> None:
        """Open a file and wait until its indexes are there too."""
        with self.qtbot.waitSignal(self.session.opened, timeout=20_000):
            self.window.open_path(path)
        self.settle()

    def copied(self, label: str) -> str:
        """Choose an entry of the menu Copy; return what is on the clipboard then."""
        action = next(a for a in self.copy_menu.actions() if a.text() == label)
        QGuiApplication.clipboard().clear()
        action.trigger()
        return QGuiApplication.clipboard().text()

    # The question

    @property
    def message(self) -> QLineEdit:
        """The question's field."""
        return self.find("messageEdit", QLineEdit)

    def type_message(self, text: str) -> None:
        """Type over what stands in the field."""
        self.message.setFocus()
        self.message.selectAll()
        if not text:
            self.qtbot.keyClick(self.message, Qt.Key.Key_Delete)
        elif text.isascii():
            self.qtbot.keyClicks(self.message, text)
        else:
            self.message.insert(text)
            self.message.textEdited.emit(self.message.text())

    def ask(self, text: str = QUESTION) -> Turn:
        """Type a question, press Enter and wait for the turn to be on screen."""
        self.type_message(text)
        with self.turn_of(text):
            self.qtbot.keyClick(self.message, Qt.Key.Key_Return)
        return self.turn

    def turn_of(self, message: str) -> Any:
        """Wait, in a ``with``, for a turn with this message to be on screen."""
        return self.qtbot.waitSignal(
            self.window.turnShown,
            timeout=20_000,
            check_params_cb=lambda turn: turn.request.message == message,
        )

    @property
    def turn(self) -> Turn:
        """The turn on screen."""
        assert self.session.turn is not None
        return self.session.turn

    @property
    def retrieval(self) -> Any:
        """What the node in hand did in the turn on screen."""
        run = self.turn.run_of(self.session.node)
        assert run is not None
        assert run.retrieval is not None
        return run.retrieval

    # Parameters

    def params(self, node: str = "") -> Any:
        """Return the parameters in force."""
        assert self.session.graph is not None
        return self.session.graph.node(node or self.session.node).params

    def set_spin(self, name: str, text: str) -> None:
        """Type a number into a spin box and press Enter."""
        spin = self.find(name, QAbstractSpinBox)
        spin.setFocus()
        spin.selectAll()
        self.qtbot.keyClicks(spin, text)
        self.qtbot.keyClick(spin, Qt.Key.Key_Return)

    def set_filter(self, text: str) -> None:
        """Type a filter, and leave the field."""
        edit = self.find("filterEdit", QPlainTextEdit)
        edit.setFocus()
        edit.selectAll()
        edit.insertPlainText(text)
        self.qtbot.keyClick(edit, Qt.Key.Key_Return, CTRL)

    def set_template(self, text: str) -> None:
        """Type a template, and leave the field."""
        edit = self.find("templateEdit", QPlainTextEdit)
        edit.setFocus()
        edit.selectAll()
        edit.insertPlainText(text)
        self.qtbot.keyClick(edit, Qt.Key.Key_Return, CTRL)

    def click(self, name: str) -> None:
        """Click a button."""
        self.qtbot.mouseClick(self.find(name, QWidget), LEFT)

    def click_text(self, text: str) -> None:
        """Click the one visible button that says this."""
        found = [
            button
            for button in self.window.findChildren(QPushButton)
            if button.text() == text and button.isVisible()
        ]
        assert len(found) == 1, f"{len(found)} visible buttons say {text}"
        self.qtbot.mouseClick(found[0], LEFT)

    def shortcut(self, key: Qt.Key, modifier: Qt.KeyboardModifier = CTRL) -> None:
        """Press a shortcut, the focus being where it is."""
        target = self.window.focusWidget() or self.window
        self.qtbot.keyClick(target, key, modifier)

    def type_into(
        self,
        name: str,
        text: str,
        key: Qt.Key = Qt.Key.Key_Return,
        modifier: Qt.KeyboardModifier = CTRL,
    ) -> None:
        """Type over what stands in a field of several lines, and end with a key."""
        edit = self.find(name, QPlainTextEdit)
        edit.setFocus()
        edit.selectAll()
        edit.insertPlainText(text)
        self.qtbot.keyClick(edit, key, modifier)

    def choose(self, combo: QComboBox, text: str) -> None:
        """Go to the entry of a combo box that says this; the last step is an arrow key's."""
        row = combo.findText(text)
        assert row >= 0, [combo.itemText(i) for i in range(combo.count())]
        combo.setFocus()
        goes_down = row > 0
        combo.setCurrentIndex(row - 1 if goes_down else row + 1)
        self.qtbot.keyClick(combo, Qt.Key.Key_Down if goes_down else Qt.Key.Key_Up)

    def pick_node(self, name: str) -> None:
        """Take a node in hand by a double-click in the graph."""
        graph = self.window.panels.graph
        self.window.raise_dock("graph")
        item = node_item(graph, name)
        assert item is not None
        graph.ensureVisible(item)
        place = graph.mapFromScene(item.sceneBoundingRect().center())
        self.qtbot.mouseDClick(graph.viewport(), LEFT, pos=place)
        assert self.session.node == name

    # What a turn starts from

    def set_variable(self, name: str, value: str) -> None:
        """Type a variable's value into the table, and its name if it is not there yet."""
        self.window.raise_dock("inputs")
        table = self.find("variablesTable", QTableView)
        names = [table.model().index(row, 0).data() for row in range(table.model().rowCount() - 1)]
        if name in names:
            index = table.model().index(names.index(name), 1)
            table.scrollTo(index)
            place = table.visualRect(index).center()
            self.qtbot.mouseClick(table.viewport(), LEFT, pos=place)
            self.qtbot.mouseDClick(table.viewport(), LEFT, pos=place)
        else:
            self.click("addVariable")
            self.qtbot.keyClicks(self._cell_editor(table), name)
            self.qtbot.keyClick(self._cell_editor(table), Qt.Key.Key_Return)
            self.qtbot.waitUntil(lambda: not self._cell_editor(table).text())
        editor = self._cell_editor(table)
        editor.selectAll()
        self.qtbot.keyClicks(editor, value)
        self.qtbot.keyClick(editor, Qt.Key.Key_Return)
        self.qtbot.waitUntil(lambda: self.session.inputs.variables.get(name) == value)

    def _cell_editor(self, table: QTableView) -> QLineEdit:
        return [field for field in table.viewport().findChildren(QLineEdit) if field.isVisible()][
            -1
        ]

    # What is seen

    def rows(self) -> list[Row]:
        """Read the hits table, from top to bottom, by its roles."""
        model = self.find("hitsTable").model()
        assert isinstance(model, HitsModel)
        needs = [model.index(row, Column.NEEDS) for row in range(model.rowCount())]
        return [
            Row(
                index.data(HitsModel.HitIdRole),
                index.data(HitsModel.ReasonRole),
                index.data(HitsModel.DistanceRole),
                index.data(),
            )
            for index in needs
        ]

    def hits(self) -> list[str]:
        """Return the ids of the rows that are hits."""
        return [row.id for row in self.rows() if not row.reason]

    def drag_threshold(self, *values: float) -> None:
        """Drag the line of the plot with the mouse over these thresholds."""
        plot = self.window.panels.distances
        viewport = self.find("distancePlot").viewport()
        self.qtbot.mousePress(viewport, LEFT, pos=plot.threshold_to_pixel(plot.threshold()))
        place = QPoint()
        for value in values:
            place = plot.threshold_to_pixel(value)
            self.qtbot.mouseMove(viewport, place)
        self.qtbot.mouseRelease(viewport, LEFT, pos=place)

    @property
    def bar_text(self) -> str:
        """What the message bar says."""
        return self.window.panels.message_bar.text

    @property
    def bar_severity(self) -> str:
        """How bad that is."""
        return self.window.panels.message_bar.severity
