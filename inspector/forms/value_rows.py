"""Rows of texts, lists, choices and switches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QWidget

from inspector.forms.param_row import ParamRow, RowPlan
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.fields import Choice, LineEdit
from inspector.widgets.labels import set_role

if TYPE_CHECKING:
    from enum import IntEnum

    from core.nodes import ParamSpec


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
        self.edit.setObjectName(f"{self.stem}Edit")
        self._place(edit, below=isinstance(edit, CodeEdit))
        self.set_empty(plan.empty)
        edit.edit_finished.connect(self._finish)

    def set_value(self, value: Any) -> None:
        """Put the text in."""
        self.edit.show_text(str(value))

    def set_empty(self, text: str) -> None:
        """Show `text` faintly in the empty field."""
        self.edit.setPlaceholderText(text)

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
        self.combo.setObjectName(f"{self.stem}Combo")
        self._members: list[IntEnum] = list(spec.kind.__members__.values())
        self.combo.addItems([member.name for member in self._members])
        self._place(self.combo)
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
        self.check.setObjectName(f"{self.stem}Check")
        self._place(self.check)
        self.check.clicked.connect(self._on_clicked)

    def set_value(self, value: Any) -> None:
        """Set the tick."""
        self.check.setChecked(bool(value))

    def _on_clicked(self, checked: bool) -> None:
        self._edited(checked)
        self._finish()
