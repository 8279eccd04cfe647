"""A structural parameter: shown, and edited only on request. Schemas are picked from a catalog."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from core.errors import InspectorError
from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.forms.param_row import ParamRow, RowPlan
from inspector.forms.spins import parse_number
from inspector.widgets.fields import Choice, editable
from inspector.widgets.labels import ElidedLabel, WrapLabel, set_role
from inspector.widgets.parts import button, named, packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.agent.drafts import RefusedValue
    from core.nodes import ParamSpec

LOCK_TIP = (
    "Fixed once the agent exists. Editing it makes a new agent from the edited graph: "
    "its counters start anew."
)
UNREGISTERED = "Unregistered"
"""Marks a schema that the catalog lacks."""


class LockedRow(ParamRow):
    """A structural parameter: shown, and edited only on request, since that makes a new agent.

    `is_typed` : whether a value that is not offered can be typed.
    """

    gap_px = 2
    is_typed = True

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        super().__init__(spec, plan, parent)
        self._names = {"": "END" if spec.is_exit else plan.empty or "(none)"}
        self._standing_problem = ""
        self._is_refused = False
        self._choices: tuple[str, ...] = ()
        self._value: Any = None
        self._note = ""
        self.value_label = ElidedLabel()
        self.button = button(
            QToolButton(),
            f"{self.stem}Unlock",
            f"Edit {self.name}; makes a new agent",
            tooltip(f"Edit {self.name} ({spec.name}).\n{LOCK_TIP}"),
            self._on_button_clicked,
            icon=("lock", "muted"),
            kind="small",
        )
        self.button.setIconSize(QSize(14, 14))
        self.combo = named(Choice(), f"{self.stem}Combo", self.name)
        self.combo.setMinimumContentsLength(3)
        self.combo.setVisible(False)
        self._is_enum = issubclass(spec.kind, IntEnum)
        if self.is_typed and not self._is_enum and not spec.is_exit:
            line = editable(self.combo, self.name)
            line.returnPressed.connect(self._commit_typed)
            line.cancelled.connect(self._give_up)
        box = QWidget()
        packed(QHBoxLayout(box), (self.value_label, 1), (self.combo, 1), self.button)
        self._place(box, "")
        self.setFocusProxy(self.combo)
        self.combo.activated.connect(self._on_activated)

    @property
    def is_editing(self) -> bool:
        """Whether the editor is open."""
        return not self.combo.isHidden()

    def set_choices(self, values: Sequence[str]) -> None:
        """Offer these values besides none."""
        self._choices = ("", *values)

    def set_note(self, note: str) -> None:
        """Say behind the value why it has no effect just now, or nothing with ""."""
        if note != self._note:
            self._note = note
            self._show()

    def set_value(self, value: Any) -> None:
        """Show the value; an open editor stays open while the value is the same."""
        if value != self._value:
            self._standing_problem = ""
            self.close_editor()
            self._value = value
            self._show()

    @property
    def has_draft(self) -> bool:
        """Whether another value stands in the open editor."""
        is_typed = self.is_editing and self.combo.isEditable()
        return is_typed and self.combo.currentText() != self._item_text(self._value)

    def apply_draft(self) -> bool:
        """Put what stands in the editor in force; False where it is refused."""
        if self.has_draft:
            self._commit_typed()
        return not self.has_draft

    def forget_draft(self) -> None:
        """Close the editor: it was another node's."""
        self._standing_problem = ""
        self.close_editor()

    def discard_draft(self) -> None:
        """Close the editor."""
        self.close_editor()

    def refuse(self, text: str, draft: RefusedValue | None = None) -> None:
        """Say why a value is refused: the one that was asked for, or the one in force itself."""
        super().refuse(text, draft)
        self._is_refused = draft is not None
        if not self.is_editing or not text:
            self._standing_problem = self.problem.text()

    def words(self, value: Any) -> str:
        """Return the value's name."""
        shown = str(self.spec.to_json(value))
        return self._names.get(shown, shown) or super().words(value)

    def mark_invalid(self, invalid: bool) -> None:
        """Colour the field."""
        set_role(self.combo, "invalid", invalid)

    def open_editor(self) -> None:
        """Replace the value by an editor."""
        with QSignalBlocker(self.combo):
            self.combo.clear()
            if self._is_enum:
                self.combo.addItems([member.name for member in self.spec.kind])
                self.combo.setCurrentText(self._value.name)
            else:
                for value in self._offered():
                    self.combo.addItem(self._item_text(value), value)
                self.combo.setCurrentIndex(self.combo.findData(self._value))
                if self.combo.isEditable() and self._value in self._names and not self._choices:
                    self.combo.setEditText(self._value)
        self.value_label.hide()
        self.combo.show()
        self.combo.setFocus(Qt.FocusReason.OtherFocusReason)
        line = self.combo.lineEdit()
        if line is not None:
            line.selectAll()

    def close_editor(self) -> None:
        """Show the value again, and what is wrong with it."""
        self.combo.hide()
        self.value_label.show()
        self.show_problem(self._standing_problem)

    def _offered(self) -> list[str]:
        return list(dict.fromkeys([*self._choices, self._value]))

    def _item_text(self, value: str) -> str:
        return self._names.get(value, str(value))

    def _show(self) -> None:
        text = self.words(self._value)
        note = f" · {self._note}" if self._note else ""
        self.value_label.set_text(text + note, self.tip)
        set_role(
            self.value_label,
            "role",
            "muted" if self._note or str(self.spec.to_json(self._value)) in self._names else "",
        )

    def _on_button_clicked(self) -> None:
        if self.is_editing:
            self._give_up()
        else:
            self.open_editor()

    def _give_up(self) -> None:
        """Close the editor, and what was refused in it with it."""
        self.close_editor()
        if self._is_refused and not self._standing_problem:
            self._commit(self._value)

    def _on_activated(self, index: int) -> None:
        self._commit(
            self.spec.kind[self.combo.currentText()]
            if self._is_enum
            else self.combo.itemData(index)
        )

    def _commit_typed(self) -> None:
        text = self.combo.currentText()
        known = [value for value, name in self._names.items() if name == text]
        self._commit(known[0] if known else self._read(text))

    def _read(self, text: str) -> Any:
        """Return a typed text as the parameter's type; what is no such value is refused as text."""
        if self.spec.kind not in (int, float):
            return text
        try:
            return parse_number(text, self.spec)
        except InspectorError:
            return text

    def _commit(self, value: Any) -> None:
        if value == self._value:
            self.close_editor()
            if not self._is_refused:
                return
        self._edited(value)
        self._finish()

    def event(self, event: QEvent) -> bool:
        """Take Escape before the window's shortcut while the editor is open."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.is_editing
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave the value as it is with Escape."""
        if event.key() == Qt.Key.Key_Escape and self.is_editing:
            self._give_up()
            self.button.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        super().keyPressEvent(event)


class SchemaRow(LockedRow):
    """A schema of the catalog, or none. One that the catalog lacks is kept, and marked so.

    `set_choices` offers the catalog's names.
    """

    is_typed = False

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        super().__init__(spec, plan, parent)
        self._graph_value = ""
        self._unknown = named(
            WrapLabel("Not in the catalog; the game's server may know it."), role="muted"
        )
        self._unknown.setFont(themes.scaled_font(self._unknown.font(), 0.88))
        self._unknown.hide()
        self._grid.addWidget(self._unknown, 1, 1)

    def show_value(self, value: Any, graph_value: Any = None, *, other: bool = False) -> None:
        """Show the schema in force; the graph's own stays on offer, in the catalog or not."""
        self._graph_value = str(graph_value)
        super().show_value(value, graph_value, other=other)

    def set_choices(self, values: Sequence[str]) -> None:
        """Offer these names, and mark the schema anew."""
        super().set_choices(values)
        self._show()

    def words(self, value: Any) -> str:
        """Return the name, with the mark of an unregistered one."""
        return self._item_text(str(value))

    def _show(self) -> None:
        super()._show()
        self._unknown.setVisible(bool(self._value) and self._value not in self._choices)

    def _offered(self) -> list[str]:
        return list(dict.fromkeys(["", *self._choices, self._graph_value, self._value]))

    def _item_text(self, value: str) -> str:
        if not value or value in self._choices:
            return super()._item_text(value)
        return f"{value} · {UNREGISTERED}"
