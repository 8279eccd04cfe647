"""What stands in for a language model's decision: an exit, and the label that goes with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from inspector.widgets.fields import Choice, editable
from inspector.widgets.labels import WrapLabel, heading
from inspector.widgets.parts import named, packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.nodes import NodeParams

_WHY = (
    "Only a language model could decide. No model runs here: this choice stands in for it, "
    "and the turn says that it is simulated."
)
_LABEL_TIP = (
    "The label that stands in for the model's when the exit is found.\n"
    "Later nodes read it: IntentToInstruction, {{node.NAME.output}}."
)
_EXIT_TIP = "The exit that a turn takes from this node"


class SimulatedExit(QWidget):
    """A choice of the node's exits, and a field for the label. Showing emits nothing.

    Signals
    -------
    exit_picked(str) : the exit's route, such as ``found``.
    label_edited(str) : the label, once it is typed or picked.
    """

    exit_picked = Signal(str)
    label_edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown_label = ""
        self.combo = named(Choice(), "simulatedExitCombo", "Simulated exit", _EXIT_TIP)
        self.combo.setAccessibleDescription(_WHY)
        self.label_combo = named(Choice(), "simulatedLabelCombo", "Simulated label", _LABEL_TIP)
        self._line = editable(self.label_combo, "Simulated label")
        self._line.setPlaceholderText("no label")
        self._label_name = QLabel("label")
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        self._exit_name = QLabel("exit")
        grid.addWidget(self._exit_name, 0, 0)
        grid.addWidget(self.combo, 0, 1)
        grid.addWidget(self._label_name, 1, 0)
        grid.addWidget(self.label_combo, 1, 1)
        why = named(WrapLabel(_WHY), role="muted")
        packed(QVBoxLayout(self), heading("Simulated exit"), grid, why, margins=(0, 0, 0, 8))
        self.combo.activated.connect(self._on_exit_activated)
        self.label_combo.activated.connect(self._hand_on_label)
        self._line.edit_finished.connect(self._hand_on_label)
        self._line.cancelled.connect(self._on_cancelled)

    def show_type(self, table: type[NodeParams], label_width_px: int, *, has_label: bool) -> None:
        """Offer the exits of a node type, whose last one is in force at first."""
        self._exit_name.setMinimumWidth(label_width_px)
        self._label_name.setVisible(has_label)
        self.label_combo.setVisible(has_label)
        with QSignalBlocker(self.combo):
            self.combo.clear()
            self.combo.addItems(list(table.exits()))
        self.show_exit("")
        self.show_label("", ())

    def show_exit(self, route: str) -> None:
        """Show the exit in force; the last one, by which nothing is decided, where none is."""
        index = self.combo.findText(route)
        with QSignalBlocker(self.combo):
            self.combo.setCurrentIndex(index if index >= 0 else self.combo.count() - 1)
        self._enable_label()

    def show_label(self, text: str, choices: Sequence[str]) -> None:
        """Show the label in force, and offer others."""
        self._shown_label = text
        with QSignalBlocker(self.label_combo), QSignalBlocker(self._line):
            self.label_combo.clear()
            self.label_combo.addItems(list(choices))
            self.label_combo.setCurrentIndex(self.label_combo.findText(text))
            self.label_combo.setEditText(text)

    def _enable_label(self) -> None:
        is_found = self.combo.currentText() == "found"
        self.label_combo.setEnabled(is_found)
        self._label_name.setEnabled(is_found)

    def _on_exit_activated(self, index: int) -> None:
        self._enable_label()
        self.exit_picked.emit(self.combo.itemText(index))

    def _hand_on_label(self, _index: int = 0) -> None:
        text = self.label_combo.currentText().strip()
        if text != self._shown_label:
            self._shown_label = text
            self.label_edited.emit(text)

    def _on_cancelled(self) -> None:
        self.label_combo.setEditText(self._shown_label)
