"""One of a few names as joined buttons: all choices in sight, each one click away."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QButtonGroup, QPushButton, QWidget

from inspector.drawing.words import param_tip, tooltip
from inspector.forms.param_row import ParamRow, RowPlan
from inspector.widgets.fields import joined, segment

if TYPE_CHECKING:
    from enum import Enum

    from core.nodes import ParamSpec

_SPARED_PX = 5


class SegmentRow(ParamRow):
    """The members of an enumeration. The button of each is named ``<stem><Member>``."""

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        super().__init__(spec, plan, parent)
        self.buttons: dict[Enum, QPushButton] = {}
        group = QButtonGroup(self)
        for member in spec.kind.__members__.values():
            name = str(spec.to_json(member))
            tip = plan.tips.get(member) or param_tip(spec)
            button = segment(name, f"{self.name} {name}", tooltip(tip))
            button.setObjectName(f"{self.stem}{name.capitalize()}")
            button.setAccessibleDescription(tip)
            # Four names must fit beside a scroll bar.
            button.setMinimumWidth(button.minimumWidth() - _SPARED_PX)
            button.clicked.connect(partial(self._on_clicked, member))
            group.addButton(button)
            self.buttons[member] = button
        box = QWidget()
        box.setLayout(joined(list(self.buttons.values())))
        self._place(box, below=True)

    def set_value(self, value: Any) -> None:
        """Press the button of the value."""
        self.buttons[value].setChecked(True)

    def _on_clicked(self, member: Enum, *_: Any) -> None:
        self._edited(member)
        self._finish()
