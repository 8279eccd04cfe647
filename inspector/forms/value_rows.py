"""One parameter a row: text, choice, switch, list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from inspector import theme as themes
from inspector.forms.number_row import ParamLabel, param_tip
from inspector.widgets.code_edit import CodeEdit
from inspector.widgets.fields import Choice, LineEdit
from inspector.widgets.labels import StatusLabel, set_role, tooltip

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import IntEnum

    from core.nodes import ParamSpec
    from inspector.theme import Theme


def names_of(*widgets: QWidget) -> Mapping[str, QWidget]:
    """Map the widgets' object names to them."""
    return {widget.objectName(): widget for widget in widgets}


class ValueRow(QWidget):
    """Base of the rows: a label, a control, and a place to say why a value was refused.

    Signals
    -------
    value_edited(object) : the user chose another value.
    edit_finished() : the edit is over.
    """

    value_edited = Signal(object)
    edit_finished = Signal()

    def __init__(self, label: str, spec: ParamSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self.label = ParamLabel(label, spec)
        self.problem = StatusLabel()
        self.problem.setFont(themes.scaled_font(self.problem.font(), 0.88))
        self.problem.setVisible(False)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(2)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.label, 0, 0)
        self._grid.addWidget(self.problem, 2, 0, 1, 2)
        self._dirty = False
        self._shown: Any = None

    def place(self, control: QWidget, *, below: bool = False) -> None:
        """Put the control beside the label, or below it."""
        if below:
            self._grid.addWidget(control, 1, 0, 1, 2)
        else:
            self._grid.addWidget(control, 0, 1)
        control.setAccessibleName(self.label.text())
        control.setAccessibleDescription(param_tip(self.spec))
        control.setToolTip(tooltip(param_tip(self.spec)))

    def show_value(self, value: Any, graph_value: Any, *, other: bool = False) -> None:
        """Show the value in force and whether it is the graph's; `other`: of another node."""
        if other:
            self.forget_draft()
        if other or value != self._shown:
            self.show_problem("")
        self._shown = value
        self.set_value(value)
        changed = value != graph_value
        self.label.set_changed(self.words(graph_value) if changed else "")

    def set_value(self, value: Any) -> None:
        """Put the value into the control. Emits nothing."""
        raise NotImplementedError

    def forget_draft(self) -> None:
        """Let the next value replace whatever is in the control."""

    def words(self, value: Any) -> str:
        """Return the value as people read it."""
        shown = self.spec.to_json(value)
        if isinstance(shown, bool):
            return "yes" if shown else "no"
        if isinstance(shown, list):
            return f"{len(shown)} lines" if len(shown) != 1 else "1 line"
        text = str(shown)
        if not text:
            return "END" if self.spec.is_exit else "nothing"
        return text if len(text) <= 200 else text[:200] + "…"

    def refuse(self, text: str) -> None:
        """Say why a value that was asked for is not in force; a typed text stays as a draft."""
        self.show_problem(text)

    def show_problem(self, text: str) -> None:
        """Say why a value was refused, or nothing with ""."""
        self.problem.set_status("error", text)
        self.problem.setVisible(bool(text))
        self.mark_invalid(bool(text))

    def mark_invalid(self, invalid: bool) -> None:
        """Show on the control that its text is not in force."""

    def discard_draft(self) -> None:
        """Show the value in force in place of whatever was typed."""
        self.show_problem("")

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self.label.apply_theme(theme)
        self.problem.apply_theme(theme)

    def _edited(self, value: Any) -> None:
        self._dirty = True
        self.value_edited.emit(value)

    def _finish(self) -> None:
        if self._dirty:
            self._dirty = False
            self.edit_finished.emit()


class LineRow(ValueRow):
    """A short text."""

    def __init__(
        self, label: str, spec: ParamSpec, stem: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(label, spec, parent)
        self.edit = LineEdit()
        self.edit.setObjectName(f"{stem or spec.name}Edit")
        self.place(self.edit)
        self.edit.textEdited.connect(self._edited)
        self.edit.edit_finished.connect(self._finish)

    def set_value(self, value: Any) -> None:
        """Put the text in."""
        self.edit.show_text(str(value))

    def forget_draft(self) -> None:
        """Let the next text replace what is typed."""
        self.edit.forget_draft()

    def mark_invalid(self, invalid: bool) -> None:
        """Colour the field."""
        set_role(self.edit, "invalid", invalid)

    def discard_draft(self) -> None:
        """Show the text in force."""
        super().discard_draft()
        self.edit.discard_draft()


class TextRow(ValueRow):
    """A text of several lines, below its label."""

    def __init__(
        self,
        label: str,
        spec: ParamSpec,
        stem: str = "",
        *,
        lines: int = 4,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(label, spec, parent)
        self.edit = CodeEdit(lines, monospace=False)
        self.edit.setObjectName(f"{stem or spec.name}Edit")
        self.place(self.edit, below=True)
        self.edit.text_edited.connect(self._edited)
        self.edit.edit_finished.connect(self._finish)

    def set_value(self, value: Any) -> None:
        """Put the text in."""
        self.edit.show_text(str(value))

    def forget_draft(self) -> None:
        """Let the next text replace what is typed."""
        self.edit.forget_draft()

    def mark_invalid(self, invalid: bool) -> None:
        """Colour the field."""
        set_role(self.edit, "invalid", invalid)

    def discard_draft(self) -> None:
        """Show the text in force."""
        super().discard_draft()
        self.edit.discard_draft()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self.edit.apply_theme(theme)


class ChoiceRow(ValueRow):
    """One of the names of an enumeration."""

    def __init__(
        self, label: str, spec: ParamSpec, stem: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(label, spec, parent)
        self.combo = Choice()
        self.combo.setObjectName(f"{stem or spec.name}Combo")
        self._members: list[IntEnum] = list(spec.kind.__members__.values())
        self.combo.addItems([member.name for member in self._members])
        self.place(self.combo)
        self.combo.activated.connect(self._on_activated)

    def set_value(self, value: Any) -> None:
        """Select the name."""
        with QSignalBlocker(self.combo):
            self.combo.setCurrentIndex(self._members.index(value))

    def refuse(self, text: str) -> None:
        """Go back to the choice in force."""
        super().refuse(text)
        self.set_value(self._shown)

    def _on_activated(self, index: int) -> None:
        self._edited(self._members[index])
        self._finish()


class SwitchRow(ValueRow):
    """Yes or no."""

    def __init__(
        self, label: str, spec: ParamSpec, stem: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(label, spec, parent)
        self.check = QCheckBox()
        self.check.setObjectName(f"{stem or spec.name}Check")
        self.place(self.check)
        self.check.clicked.connect(self._on_clicked)

    def set_value(self, value: Any) -> None:
        """Set the tick."""
        self.check.setChecked(bool(value))

    def refuse(self, text: str) -> None:
        """Go back to the state in force."""
        super().refuse(text)
        self.set_value(self._shown)

    def _on_clicked(self, checked: bool) -> None:
        self._edited(checked)
        self._finish()


class LinesRow(ValueRow):
    """A list of texts, to read and select, not to edit."""

    def __init__(
        self, label: str, spec: ParamSpec, stem: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(label, spec, parent)
        self.view = CodeEdit(lines=4, monospace=False)
        self.view.setObjectName(f"{stem or spec.name}View")
        self.view.setReadOnly(True)
        self.view.setPlaceholderText("No lines given here")
        self.place(self.view, below=True)

    def set_value(self, value: Any) -> None:
        """Show the lines."""
        self.view.show_text("\n".join(value))
