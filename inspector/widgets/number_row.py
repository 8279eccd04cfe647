"""One number: label, slider and spin box in step, what it means, and why a value was refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from inspector import theme as themes
from inspector.models.scales import LinearScale
from inspector.widgets.labels import StatusLabel, WrapLabel, set_role, tooltip
from inspector.widgets.marked_slider import MarkedSlider
from inspector.widgets.spins import DecimalSpin, WholeSpin, format_decimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QSize
    from PySide6.QtGui import QPaintEvent

    from core.errors import InspectorError
    from core.parameters import ParamSpec
    from inspector.models.scales import Scale
    from inspector.theme import Theme

SLIDER_STEPS = 1000
"""Slider steps of a decimal parameter per unit."""
_DOT_PX = 3


def param_tip(spec: ParamSpec) -> str:
    """Describe a parameter for a tooltip: meaning, range, default."""
    default = spec.to_json(spec.default)
    shown = {"": "empty", False: "no", True: "yes"}.get(default, default) if not isinstance(
        default, list) else "empty"
    parts = [spec.help]
    if spec.range_text:
        parts.append(f"Range: {spec.range_text}.")
    if not spec.is_exit:
        parts.append(f"Default: {shown}.")
    return "\n".join(part for part in parts if part)


def summary(spec: ParamSpec) -> str:
    """Return range and the gist of the meaning, for the line below a control."""
    sentence = spec.help.partition(". ")[0].partition(": ")[0].rstrip(".")
    return " · ".join(part for part in (spec.range_text, sentence) if part)


def error_text(error: InspectorError) -> str:
    """Return ``3007 InvalidParamValue: 2.1 is out of range: 0 to 2`` and the hint."""
    hint = f" ({error.hint})" if error.hint else ""
    return f"{int(error.code)} {error.name}: {error.message}{hint}"


class ParamLabel(QLabel):
    """A parameter's name, with a dot behind it when its value is not the graph's."""

    def __init__(self, text: str, spec: ParamSpec, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._spec = spec
        self._theme: Theme = themes.LIGHT
        self.changed_from = ""
        self.set_changed("")

    def set_changed(self, graph_value: str) -> None:
        """Mark as changed from the graph's value, or as unchanged with ""."""
        self.changed_from = graph_value
        tip = param_tip(self._spec)
        if graph_value:
            tip = f"Changed: the graph has {graph_value}.\n{tip}"
        self.setToolTip(tooltip(tip))
        self.setAccessibleName(
            f"{self.text()}, changed, graph has {graph_value}" if graph_value else self.text())
        self.update()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the name and the dot."""
        super().paintEvent(event)
        if not self.changed_from:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.accent)
        x = self.fontMetrics().horizontalAdvance(self.text()) + 2 * _DOT_PX
        y = self.height() // 2 - _DOT_PX
        painter.drawEllipse(min(x, self.width() - 2 * _DOT_PX), y, 2 * _DOT_PX, 2 * _DOT_PX)

    def sizeHint(self) -> QSize:
        """Leave room for the dot."""
        hint = super().sizeHint()
        hint.setWidth(hint.width() + 4 * _DOT_PX)
        return hint


class NumberRow(QWidget):
    """Slider and spin box of one number. Showing a value emits nothing.

    Signals
    -------
    value_edited(object) : the user chose another valid value (while dragging as well).
    edit_finished() : the edit is over; comes once after one or more `value_edited`.
    """

    value_edited = Signal(object)
    edit_finished = Signal()

    def __init__(self, label: str, spec: ParamSpec, stem: str, scale: Scale | None = None,
                 parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self._is_float = spec.kind is float
        self._per_unit = SLIDER_STEPS if self._is_float else 1
        self._value: int | float = spec.default
        self._dirty = False
        self._showing = False
        self._reason = ""
        self._note = ""
        self.label = ParamLabel(label, spec)
        self.slider = MarkedSlider(scale or self._linear_scale())
        self.spin: WholeSpin | DecimalSpin = (
            DecimalSpin(spec) if self._is_float else WholeSpin(spec))
        self.hint = WrapLabel()
        self.problem = StatusLabel()
        for widget, suffix, what in ((self.slider, "Slider", "slider"), (self.spin, "Spin", "")):
            widget.setObjectName(f"{stem}{suffix}")
            widget.setAccessibleName(f"{label} {what}".strip())
            widget.setAccessibleDescription(param_tip(spec))
            widget.setToolTip(tooltip(param_tip(spec)))
        self._lay_out()
        self.slider.valueChanged.connect(self._on_slider_changed)
        self.spin.valueChanged.connect(self._on_spin_changed)
        self.spin.typed.connect(self._on_typed)
        self.slider.edit_finished.connect(self._finish)
        self.spin.edit_finished.connect(self._finish)
        self.show_value(spec.default)

    @property
    def value(self) -> int | float:
        """The value in force."""
        return self._value

    def show_value(self, value: int | float, graph_value: int | float | None = None) -> None:
        """Show the value in force, and mark it when it is not the graph's. Emits nothing."""
        # A value that the user is typing is not rewritten under the cursor.
        if value != self._value or not self._same_in_spin(value):
            self._take(value)
            self.show_problem("")
        changed = graph_value is not None and graph_value != value
        self.label.set_changed(self._text_of(graph_value) if changed and graph_value is not None
                               else "")

    def show_problem(self, text: str) -> None:
        """Say beside the field why a value was refused, or nothing with ""."""
        self.problem.set_status("error", text)
        self.problem.setVisible(bool(text))
        set_role(self.spin, "invalid", bool(text))

    def discard_draft(self) -> None:
        """Forget a half-typed or refused text and show the value in force."""
        text = self._text_of(self.spin.value())
        if self.spin.lineEdit().text() != text:
            self.spin.lineEdit().setText(text)
        self.show_problem("")

    def set_inactive(self, reason: str) -> None:
        """Switch the controls off and say why they have no effect; "" switches them on."""
        self._reason = reason
        for widget in (self.slider, self.spin, self.label):
            widget.setEnabled(not reason)
        self._update_hint()

    def set_note(self, note: str) -> None:
        """Say in place of the hint what the present value means, or the hint again with ""."""
        self._note = note
        self._update_hint()

    def set_marks(self, values: Sequence[int | float]) -> None:
        """Draw ticks where the result changes."""
        self.slider.set_marks([round(value * self._per_unit) for value in values])

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self.slider.apply_theme(theme)
        self.label.apply_theme(theme)
        self.problem.apply_theme(theme)

    def _linear_scale(self) -> LinearScale:
        low, high = self.spec.minimum or 0, self.spec.maximum
        return LinearScale(round(low * self._per_unit),
                           round((high if high is not None else 100) * self._per_unit))

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.label, 0, 0)
        grid.addWidget(self.spin, 0, 1)
        grid.addWidget(self.slider, 1, 0, 1, 2)
        grid.addWidget(self.hint, 2, 0, 1, 2)
        grid.addWidget(self.problem, 3, 0, 1, 2)
        self.spin.setMinimumWidth(self.spin.fontMetrics().horizontalAdvance("0.00000") + 32)
        self.spin.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.hint.setProperty("role", "muted")
        self.hint.setFont(themes.scaled_font(self.hint.font(), 0.88))
        self.problem.setFont(self.hint.font())
        self.problem.setVisible(False)
        self._update_hint()

    def _update_hint(self) -> None:
        self.hint.set_text(self._reason or self._note or summary(self.spec))

    def _text_of(self, value: int | float) -> str:
        return format_decimal(value) if self._is_float else str(value)

    def _same_in_spin(self, value: int | float) -> bool:
        return math.isclose(self.spin.value(), value, rel_tol=0, abs_tol=1e-6)

    def _take(self, value: int | float) -> None:
        self._value = value
        self._showing = True
        try:
            self.slider.setValue(round(value * self._per_unit))
            if not self._same_in_spin(value):
                self.spin.setValue(value)
        finally:
            self._showing = False

    def _edit(self, value: int | float) -> None:
        self.show_problem("")
        if value == self._value:
            return
        self._take(value)
        self._dirty = True
        self.value_edited.emit(value)

    def _on_slider_changed(self, position: int) -> None:
        if not self._showing:
            self._edit(position / SLIDER_STEPS if self._is_float else position)

    def _on_spin_changed(self, value: int | float) -> None:
        if not self._showing:
            self._edit(value)

    def _on_typed(self, error: InspectorError | None) -> None:
        if error is None:
            self.show_problem("")
        else:
            self.show_problem(f"{error_text(error)}. {self._text_of(self._value)} stays in force")

    def _finish(self) -> None:
        if self._dirty:
            self._dirty = False
            self.edit_finished.emit()
