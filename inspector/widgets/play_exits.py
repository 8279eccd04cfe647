"""The nodes that only a language model could decide, and the exit that a turn takes at each."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QSignalBlocker, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QVBoxLayout, QWidget

from inspector.drawing.words import tooltip
from inspector.models.exits_model import Column, ExitsModel
from inspector.widgets.fields import Choice
from inspector.widgets.item_views import TableView
from inspector.widgets.labels import WrapLabel
from inspector.widgets.parts import named, packed
from inspector.widgets.play_section import PlaySection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from inspector.models.exits_model import SimulatedExit

_HINT = "Only a language model could decide these: pick the exit"
_NODE_SHARE, _TYPE_SHARE = 0.33, 0.19
_LEAST_CHARACTERS = 8
# Frame, padding, margins and arrow of a combo box in its cell.
_BOX_PX = 56


class PlayExits(PlaySection):
    """Simulated exits: node, type, and a combo box of its exits. Showing emits nothing.

    Signals
    -------
    exit_picked(str, str) : a node and the exit that turns take there from now on.
    node_activated(str) : a node's row was double-clicked, or Enter pressed on it.
    """

    exit_picked = Signal(str, str)
    node_activated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Simulated exits", parent)
        self.model = ExitsModel(self)
        self.table = named(TableView(), "exitsTable", "Simulated exits")
        self.table.setModel(self.model)
        self.table.set_empty_text("No simulated exits", "Each node of this graph decides by itself")
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 16)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.horizontalHeader().setSectionResizeMode(
            Column.EXIT, QHeaderView.ResizeMode.Stretch
        )
        self.table.row_activated.connect(self._on_row_activated)
        self._combos: list[Choice] = []
        self._hint = WrapLabel(_HINT, most_lines=2)
        self._hint.setProperty("role", "muted")
        packed(QVBoxLayout(self.content), (self.table, 1), self._hint)
        self.show_exits(())

    def show_exits(self, exits: Sequence[SimulatedExit]) -> None:
        """Show these nodes; boxes of nodes that stay the same stay, open ones too."""
        if self.model.show_exits(exits):
            self._make_combos()
            self._share_width()
        for combo, shown in zip(self._combos, self.model.rows, strict=True):
            with QSignalBlocker(combo):
                combo.setCurrentIndex(combo.findText(shown.picked))
        self._hint.setVisible(bool(self._combos))

    def _make_combos(self) -> None:
        self._combos = []
        for row, shown in enumerate(self.model.rows):
            tip = (
                f"The exit that turns take at {shown.node} ({shown.type}).\n"
                "Only a language model could decide it."
            )
            combo = named(Choice(), f"exit_{shown.node}", f"Exit of {shown.node}", tooltip(tip))
            combo.addItems(shown.routes)
            combo.setStyleSheet("QComboBox { padding: 1px 20px 1px 6px; margin: 1px 2px; }")
            combo.activated.connect(partial(self._on_activated, shown.node, combo))
            self.table.setIndexWidget(self.model.index(row, Column.EXIT), combo)
            self._combos.append(combo)

    def _on_activated(self, node: str, combo: Choice, _index: int) -> None:
        self.exit_picked.emit(node, combo.currentText())

    def _on_row_activated(self, index: QModelIndex) -> None:
        self.node_activated.emit(index.data(ExitsModel.NodeRole))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out."""
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Leave the type out, which icon and tooltip tell, where an exit would be cut."""
        room, metrics = self.content.width(), self.fontMetrics()
        least = _LEAST_CHARACTERS * metrics.averageCharWidth()
        node = max(int(room * _NODE_SHARE), least)
        kind = max(int(room * _TYPE_SHARE), least)
        exits = (
            max(
                (
                    metrics.horizontalAdvance(route)
                    for shown in self.model.rows
                    for route in shown.routes
                ),
                default=0,
            )
            + _BOX_PX
        )
        is_tight = node + kind + exits > room
        self.table.setColumnHidden(Column.TYPE, is_tight)
        self.table.setColumnWidth(Column.NODE, max(node, room - exits) if is_tight else node)
        self.table.setColumnWidth(Column.TYPE, kind)
