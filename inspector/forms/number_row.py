"""One number: label, slider and spin box in step, what it means, and why a value was refused."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from inspector import theme as themes
from inspector.drawing.scales import LinearScale
from inspector.widgets.labels import ElidedLabel, StatusLabel, set_role, tooltip
from inspector.widgets.marked_slider import GROOVE_LEFT_PX, MarkedSlider
from inspector.widgets.spins import DecimalSpin, WholeSpin, format_decimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QPaintEvent, QResizeEvent

    from core.errors import InspectorError
    from core.nodes import ParamSpec
    from inspector.drawing.scales import Scale
    from inspector.theme import Theme

SLIDER_STEPS = 1000
"""Slider steps of a decimal parameter per unit."""
_DOT_PX = 3
_GAP_PX = 8
_SPIN_FRAME_PX = 32
_SHORTEST_BESIDE_PX = 60


def param_tip(spec: ParamSpec) -> str:
    """Describe a parameter for a tooltip: meaning, range, default."""
    default = spec.to_json(spec.default)
    shown = (
        {"": "empty", False: "no", True: "yes"}.get(default, default)
        if not isinstance(default, list)
        else "empty"
    )
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


class _Hint(ElidedLabel):
    """The line below a slider, which begins where the slider's groove does."""

    def text_left(self) -> int:
        """Return where the groove begins."""
        return GROOVE_LEFT_PX


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
        if graph_value == self.changed_from and self.toolTip():
            return
        self.changed_from = graph_value
        tip = param_tip(self._spec)
        if graph_value:
            tip = f"Changed: the graph has {graph_value}.\n{tip}"
        self.setToolTip(tooltip(tip))
        self.setAccessibleName(
            f"{self.text()}, changed, graph has {graph_value}" if graph_value else self.text()
        )
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
    """Slider and spin box of one number on a line; the slider below where that is too short.

    Showing a value emits nothing.

    Signals
    -------
    value_edited(object) : the user chose another valid value (while dragging as well).
    edit_finished() : the edit is over; comes once after one or more `value_edited`.
    """

    value_edited = Signal(object)
    edit_finished = Signal()

    def __init__(
        self,
        label: str,
        spec: ParamSpec,
        stem: str,
        scale: Scale | None = None,
        parent: QWidget | None = None,
        *,
        hint: str = "",
    ) -> None:
        super().__init__(parent)
        self.spec = spec
        self._is_float = spec.kind is float
        self._per_unit = SLIDER_STEPS if self._is_float else 1
        self._value: int | float = spec.default
        self._shown: int | float = spec.default
        self._dirty = False
        self._showing = False
        self._reason = ""
        self._note = ""
        self._own_hint = hint or summary(spec)
        self._is_one_line = True
        self.label = ParamLabel(label, spec)
        self.slider = MarkedSlider(scale or self._linear_scale())
        self.spin: WholeSpin | DecimalSpin = (
            DecimalSpin(spec) if self._is_float else WholeSpin(spec)
        )
        self.hint = _Hint()
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
        self._shown = value
        # A value that the user is typing is not rewritten under the cursor.
        if value != self._value or not self._same_in_spin(value):
            self._take(value)
            self.show_problem("")
        changed = graph_value is not None and graph_value != value
        self.label.set_changed(
            self._text_of(graph_value) if changed and graph_value is not None else ""
        )

    def refuse(self, text: str) -> None:
        """Go back to the value in force, and say why the one that was asked for is not."""
        if text:
            self._take(self._shown)
        self.show_problem(text)

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
        return LinearScale(
            round(low * self._per_unit), round((high if high is not None else 100) * self._per_unit)
        )

    def _lay_out(self) -> None:
        self._grid = grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(_GAP_PX)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        grid.addWidget(self.label, 0, 0)
        grid.addWidget(self.slider, 0, 1)
        grid.addWidget(self.spin, 0, 2)
        grid.addWidget(self.hint, 1, 1, 1, 2)
        grid.addWidget(self.problem, 3, 0, 1, 3)
        self.spin.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._fit_spin()
        self.hint.setProperty("role", "muted")
        self.hint.setFont(themes.scaled_font(self.hint.font(), 0.88))
        self.problem.setFont(self.hint.font())
        self.problem.setVisible(False)
        self._update_hint()

    def _update_hint(self) -> None:
        self.hint.set_text(self._reason or self._note or self._own_hint, param_tip(self.spec))

    def _fit_spin(self) -> None:
        """Make the spin box as wide as three decimals, or as its value where it has more."""
        metrics = self.spin.fontMetrics()
        width = (
            max(metrics.horizontalAdvance(text) for text in ("0.000", self._text_of(self._value)))
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
        if one_line == self._is_one_line:
            return
        self._is_one_line = one_line
        for widget in (self.slider, self.hint):
            self._grid.removeWidget(widget)
        if one_line:
            self._grid.addWidget(self.slider, 0, 1)
            self._grid.addWidget(self.hint, 1, 1, 1, 2)
        else:
            self._grid.addWidget(self.slider, 1, 0, 1, 3)
            self._grid.addWidget(self.hint, 2, 0, 1, 3)
        self.updateGeometry()

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
            self._fit_spin()
            self._arrange()
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the line where it is too short."""
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """Ask for label and spin box; the slider can go below."""
        height = super().minimumSizeHint().height()
        label = self.label.minimumSizeHint().expandedTo(self.label.minimumSize()).width()
        return QSize(label + _GAP_PX + self.spin.minimumWidth(), height)
