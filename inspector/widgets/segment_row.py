"""One of a few names as joined buttons: all choices in sight, each one click away."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from inspector.forms.number_row import param_tip
from inspector.forms.value_rows import ValueRow
from inspector.widgets.fields import joined, segment
from inspector.widgets.labels import tooltip

if TYPE_CHECKING:
    from enum import Enum

    from core.nodes import ParamSpec

_SPARED_PX = 5


class SegmentRow(ValueRow):
    """The members of an enumeration. The button of each is named ``<stem><Member>``."""

    def __init__(
        self, label: str, spec: ParamSpec, stem: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(label, spec, parent)
        self.buttons: dict[Enum, QPushButton] = {}
        group = QButtonGroup(self)
        for member in spec.kind.__members__.values():
            name = str(spec.to_json(member))
            button = segment(name, f"{label} {name}", tooltip(param_tip(spec)))
            button.setObjectName(f"{stem or spec.name}{name.capitalize()}")
            button.setAccessibleDescription(param_tip(spec))
            # Four names must fit beside a scroll bar.
            button.setMinimumWidth(button.minimumWidth() - _SPARED_PX)
            button.clicked.connect(partial(self._on_clicked, member))
            group.addButton(button)
            self.buttons[member] = button
        box = QWidget()
        box.setLayout(joined(list(self.buttons.values())))
        self.place(box, below=True)

    def set_value(self, value: Any) -> None:
        """Press the button of the value."""
        self.buttons[value].setChecked(True)

    def refuse(self, text: str) -> None:
        """Go back to the choice in force."""
        super().refuse(text)
        self.set_value(self._shown)

    def _on_clicked(self, member: Enum, *_: Any) -> None:
        self._edited(member)
        self._finish()
