"""Rows of texts, lists, choices and switches."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QPushButton, QWidget

from inspector.drawing.words import param_tip, tooltip
from inspector.forms.param_row import ParamRow, RowPlan
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.fields import Choice, LineEdit, joined, segment
from inspector.widgets.labels import set_role

if TYPE_CHECKING:
    from enum import Enum, IntEnum

    from core.nodes import ParamSpec

_SPARED_PX = 5


class EditRow(ParamRow):
    """Base of the rows whose value is typed: a draft stays until the value is a new one."""

    def __init__(
        self,
        spec: ParamSpec,
        plan: RowPlan,
        edit: LineEdit | CodeEdit,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(spec, plan, parent)
        self.edit = edit
        self._place(edit, "Edit", below=isinstance(edit, CodeEdit))
        self.setFocusProxy(edit)
        self.set_empty(plan.empty)
        edit.edit_finished.connect(self._finish)

    def set_value(self, value: Any) -> None:
        """Put the text in."""
        self.edit.show_text(str(value))

    def set_empty(self, text: str) -> None:
        """Show `text` faintly in the empty field."""
        self.edit.setPlaceholderText(text)

    def show_draft(self, value: Any) -> None:
        """Put the refused text in, unless more has been typed since."""
        if not self.edit.isReadOnly():
            self.edit.show_draft(
                value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            )

    @property
    def has_draft(self) -> bool:
        """Whether the text is not in force."""
        return self.edit.has_draft

    def apply_draft(self) -> bool:
        """Put the text in force; False where it is refused."""
        return self.edit.apply_draft()

    def forget_draft(self) -> None:
        """Let the next text replace what is typed."""
        self.edit.forget_draft()

    def discard_draft(self) -> None:
        """Show the text in force."""
        super().discard_draft()
        self.edit.discard_draft()

    def mark_invalid(self, invalid: bool) -> None:
        """Colour the field."""
        set_role(self.edit, "invalid", invalid)


class LineRow(EditRow):
    """A short text."""

    gap_px = 2

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        edit = LineEdit()
        super().__init__(spec, plan, edit, parent)
        edit.textEdited.connect(self._edited)


class TextRow(EditRow):
    """A text of several lines, below its label."""

    def __init__(
        self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None, *, lines: int = 3
    ) -> None:
        self.code_edit = CodeEdit(lines, monospace=False)
        super().__init__(spec, plan, self.code_edit, parent)
        self.code_edit.text_edited.connect(self._edited)


class LinesRow(TextRow):
    """A list of texts, to read and select, not to edit."""

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        super().__init__(spec, plan, parent, lines=4)
        self.code_edit.setObjectName(f"{self.stem}View")
        self.code_edit.setReadOnly(True)
        self.code_edit.setPlaceholderText("No lines given here")

    def set_value(self, value: Any) -> None:
        """Show the lines."""
        self.edit.show_text("\n".join(value))


class ChoiceRow(ParamRow):
    """One of the names of an enumeration."""

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        super().__init__(spec, plan, parent)
        self.combo = Choice()
        self._members: list[IntEnum] = list(spec.kind.__members__.values())
        self.combo.addItems([member.name for member in self._members])
        self._place(self.combo, "Combo")
        self.combo.activated.connect(self._on_activated)

    def set_value(self, value: Any) -> None:
        """Select the name."""
        with QSignalBlocker(self.combo):
            self.combo.setCurrentIndex(self._members.index(value))

    def _on_activated(self, index: int) -> None:
        self._edited(self._members[index])
        self._finish()


class SwitchRow(ParamRow):
    """Yes or no."""

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        super().__init__(spec, plan, parent)
        self.check = QCheckBox()
        self._place(self.check, "Check")
        self.check.clicked.connect(self._on_clicked)

    def set_value(self, value: Any) -> None:
        """Set the tick."""
        self.check.setChecked(bool(value))

    def _on_clicked(self, checked: bool) -> None:
        self._edited(checked)
        self._finish()


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
        self._place(box, "", below=True)

    def set_value(self, value: Any) -> None:
        """Press the button of the value."""
        self.buttons[value].setChecked(True)

    def _on_clicked(self, member: Enum, *_: Any) -> None:
        self._edited(member)
        self._finish()
