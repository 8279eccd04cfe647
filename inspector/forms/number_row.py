"""One number: label, slider and spin box in step, what it means, and why a value was refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSizePolicy, QWidget

from core.hits.numbers import in_full
from inspector import theme as themes
from inspector.drawing.scales import SMALLEST_LIMIT, Scale
from inspector.drawing.words import error_text
from inspector.forms.marked_slider import GROOVE_LEFT_PX, MarkedSlider
from inspector.forms.param_row import ParamRow, RowPlan
from inspector.forms.spins import DecimalSpin, WholeSpin, read_number
from inspector.widgets.labels import ElidedLabel, set_role
from inspector.widgets.parts import packed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from core.agent.drafts import RefusedValue
    from core.errors import InspectorError
    from core.nodes import ParamSpec

SLIDER_STEPS = 1000
"""Slider steps of a decimal parameter per unit."""
_GAP_PX = 8
_SPIN_FRAME_PX = 32
_SHORTEST_BESIDE_PX = 60
_WIDEST = len("0.0000001")


def summary(spec: ParamSpec) -> str:
    """Return range and the gist of the meaning, for the line below a control."""
    sentence = spec.help.partition(". ")[0].partition(": ")[0].rstrip(".")
    return " · ".join(part for part in (spec.range_text, sentence) if part)


class NumberRow(ParamRow):
    """Slider and spin box of one number on a line; the slider below where that is too short."""

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        super().__init__(spec, plan, parent)
        self._is_float = spec.kind is float
        self._per_unit = SLIDER_STEPS if self._is_float else 1
        self._value: int | float = spec.default
        self._showing = False
        self._is_refused = False
        self._reason = ""
        self._note = ""
        self._is_one_line = True
        low, high = spec.minimum or 0, 100 if spec.maximum is None else spec.maximum
        if spec.zero:
            low = SMALLEST_LIMIT
        self.slider = MarkedSlider(
            plan.scale or Scale.linear(round(low * self._per_unit), round(high * self._per_unit))
        )
        self.spin: WholeSpin | DecimalSpin = (
            DecimalSpin(spec) if self._is_float else WholeSpin(spec)
        )
        self.hint = ElidedLabel()
        self.zero_check = self._make_zero_check() if spec.zero else None
        self._last_limit = spec.default
        self._describe(self.slider, "Slider", f"{self.name} slider")
        self._describe(self.spin, "Spin", self.name)
        self.setFocusProxy(self.spin)
        self._lay_out()
        self.slider.valueChanged.connect(self._on_slider_changed)
        self.spin.valueChanged.connect(self._on_spin_changed)
        self.spin.typed.connect(self._on_typed)
        self.slider.edit_finished.connect(self._finish)
        self.spin.edit_finished.connect(self._finish)
        self.show_value(spec.default)

    @property
    def value(self) -> int | float:
        """The value in the controls."""
        return self._value

    @property
    def is_stepping(self) -> bool:
        """Whether an edit ends only because a key was let go that steps."""
        return self.slider.is_stepping or self.spin.is_stepping

    def set_value(self, value: int | float) -> None:
        """Move slider and spin box; a value that is being typed stays as it is under the cursor."""
        if self._is_new(value):
            self._take(value)

    def mark_invalid(self, invalid: bool) -> None:
        """Colour the spin box."""
        set_role(self.spin, "invalid", invalid)

    def words(self, value: int | float) -> str:
        """Return the number as the spin box shows it, or what 0 is called."""
        if self.spec.zero and not value:
            return self.spec.zero
        return self._written(value)

    def _written(self, value: int | float) -> str:
        """Return the number as it is typed."""
        return in_full(value) if self._is_float else str(value)

    def refuse(self, text: str, draft: RefusedValue | None = None) -> None:
        """Say what is wrong with the number; one that is refused stays in the spin box."""
        super().refuse(text, draft)
        self._is_refused = draft is not None

    def show_draft(self, value: Any) -> None:
        """Put the refused number in the spin box."""
        text = value if isinstance(value, str) else json.dumps(value)
        if text != self.spin.lineEdit().text():
            self.spin.show_draft(text)

    @property
    def has_draft(self) -> bool:
        """Whether the spin box says something else than the value in force."""
        return self.spin.has_draft

    def apply_draft(self) -> bool:
        """Put the typed number in force; False where it is refused."""
        if not self.spin.apply_draft():
            return False
        self._finish()
        return True

    def forget_draft(self) -> None:
        """Show the value: what is half typed belongs to another node."""
        self.discard_draft()

    def discard_draft(self) -> None:
        """Forget a half-typed or refused text and show the value in force."""
        self.spin.discard_draft()
        super().discard_draft()

    def set_inactive(self, reason: str) -> None:
        """Switch the controls off and say why they have no effect; "" switches them on."""
        self._reason = reason
        for widget in (self.slider, self.spin, self.label, self.zero_check):
            if widget is not None:
                widget.setEnabled(not reason)
        self._update_hint()

    def set_note(self, note: str) -> None:
        """Say in place of the hint what the present value means, or the hint again with ""."""
        self._note = note
        self._update_hint()

    def set_marks(self, values: Sequence[float]) -> None:
        """Draw ticks where the result changes."""
        self.slider.set_marks([round(value * self._per_unit) for value in values])

    def _make_zero_check(self) -> QCheckBox:
        """Make the choice that is no value among the others, such as ``no limit``."""
        check = QCheckBox(self.spec.zero)
        check.setFont(themes.scaled_font(check.font(), 0.88))
        suffix = self.spec.zero.title().replace(" ", "")
        self._describe(check, suffix, f"{self.name}: {self.spec.zero}")
        check.clicked.connect(self._on_zero_clicked)
        return check

    def _lay_out(self) -> None:
        self._grid.setVerticalSpacing(0)
        if self.zero_check is not None:
            # In a box of their own, so that the words do not push the slider away.
            self._under = QWidget()
            packed(QHBoxLayout(self._under), self.zero_check, (self.hint, 1))
        self._grid.addWidget(self.spin, 0, 2)
        self._place_slider()
        self.spin.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._fit_spin()
        self.hint.text_left = GROOVE_LEFT_PX
        self.hint.setProperty("role", "muted")
        self.hint.setFont(themes.scaled_font(self.hint.font(), 0.88))
        self._update_hint()

    def _update_hint(self) -> None:
        text = self._reason or self._note or self.plan.hint or summary(self.spec)
        self.hint.set_text(text, self.tip)

    def _fit_spin(self) -> None:
        """Make the spin box as wide as three decimals, or as its value, up to seven of them."""
        metrics = self.spin.fontMetrics()
        width = (
            max(
                metrics.horizontalAdvance(text)
                for text in ("0.000", self._written(self._value)[:_WIDEST])
            )
            + _SPIN_FRAME_PX
        )
        if width != self.spin.minimumWidth():
            self.spin.setFixedWidth(width)

    def _arrange(self) -> None:
        """Put the slider beside the label, or below it in a narrow panel with large letters."""
        needed = (
            self.label.minimumSizeHint().expandedTo(self.label.minimumSize()).width()
            + _SHORTEST_BESIDE_PX
            + self.spin.minimumWidth()
            + 2 * _GAP_PX
        )
        one_line = needed <= self.width()
        if one_line != self._is_one_line:
            self._is_one_line = one_line
            self._place_slider()
            self.updateGeometry()

    def _place_slider(self) -> None:
        below = not self._is_one_line
        self._grid.addWidget(self.slider, *((1, 0, 1, 3) if below else (0, 1, 1, 1)))
        if self.zero_check is not None:
            self._grid.addWidget(self._under, 2 if below else 1, 0, 1, 3)
        else:
            self._grid.addWidget(self.hint, *((2, 0, 1, 3) if below else (1, 1, 1, 2)))

    def _is_new(self, value: int | float) -> bool:
        return value != self._value or not self._same_in_spin(value)

    def _same_in_spin(self, value: int | float) -> bool:
        return bool(self.spin.value() == value)

    def _take(self, value: int | float) -> None:
        self._value = value
        self._last_limit = value or self._last_limit
        self._showing = True
        try:
            self.slider.setValue(round(value * self._per_unit))
            if not self._same_in_spin(value):
                self.spin.setValue(value)
            if self.zero_check is not None:
                self.zero_check.setChecked(not value)
            self._fit_spin()
            self._arrange()
        finally:
            self._showing = False

    def _edit(self, value: int | float) -> None:
        if value == self._value:
            self._give_up_refused()
            return
        self.show_problem("")
        self._is_refused = False
        self._take(value)
        self._edited(value)

    def _on_slider_changed(self, position: int) -> None:
        if not self._showing:
            self._edit(position / SLIDER_STEPS if self._is_float else position)

    def _on_zero_clicked(self, checked: bool) -> None:
        self._edit(0.0 if checked else self._last_limit)
        self._finish()

    def _on_spin_changed(self, value: int | float) -> None:
        if not self._showing:
            self._edit(value)

    def _on_typed(self, error: InspectorError | None) -> None:
        typed = read_number(self.spin.lineEdit().text())
        if error is not None:
            self._is_refused = True
            self.show_problem(f"{error_text(error)}. {self._in_force()}")
            self.draft_changed.emit(typed)
        elif typed == self._value:
            self._give_up_refused()
        else:
            # It counts once it is taken.
            self.show_problem("")

    def _give_up_refused(self) -> None:
        """Ask for the value in force again, where another was refused."""
        self.show_problem("")
        if self._is_refused:
            self._is_refused = False
            self.draft_changed.emit(self._value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the line where it is too short."""
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """Ask for label and spin box; the slider can go below."""
        height = super().minimumSizeHint().height()
        label = self.label.minimumSizeHint().expandedTo(self.label.minimumSize()).width()
        return QSize(label + _GAP_PX + self.spin.minimumWidth(), height)
