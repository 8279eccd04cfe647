"""One parameter a row: the base of all rows, and how a form asks for one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from core.io.wording import cut
from inspector import theme as themes
from inspector.drawing.words import param_tip, tooltip
from inspector.theme import Themed
from inspector.widgets.labels import StatusLabel
from inspector.widgets.parts import named

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from PySide6.QtGui import QPaintEvent

    from core.agent.drafts import RefusedValue
    from core.nodes import ParamSpec
    from inspector.drawing.scales import Scale

_DOT_PX = 3
_LONGEST_VALUE = 200


@dataclass(frozen=True)
class RowPlan:
    """How a form shows one parameter: what does not follow from the parameter itself.

    name : the parameter's.
    label : where it is not that name.
    stem : start of its controls' object names, where scripts use them.
    kind : the row's class, where the parameter's type does not tell it.
    scale : how the values lie along its slider.
    hint : what stands below it, in place of its range and meaning.
    empty : what is shown faintly where it is empty; `NODE_NAME` for the node's name.
    tips : value → what its button says, of a row of buttons.
    is_heading : the label is the heading of a section.
    elsewhere : where it is edited instead; then it has no row.
    note : parameters in force → what they mean for this one, or "".
    inactive : parameters in force → why this one has no effect, or "".
    """

    name: str
    _: KW_ONLY
    label: str = ""
    stem: str = ""
    kind: type[ParamRow] | None = None
    scale: Scale | None = None
    hint: str = ""
    empty: str = ""
    tips: Mapping[Any, str] = field(default_factory=dict)
    is_heading: bool = False
    elsewhere: str = ""
    note: Callable[[Any], str] | None = None
    inactive: Callable[[Any], str] | None = None


class ParamLabel(Themed, QLabel):
    """A parameter's name, with a dot behind it when its value is not the graph's."""

    def __init__(self, text: str, spec: ParamSpec, *, is_heading: bool = False) -> None:
        super().__init__(text.upper() if is_heading else text)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if is_heading:
            self.setProperty("role", "heading")
            self.setFont(themes.scaled_font(self.font(), 0.86, bold=True))
        self._spec = spec
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


class ParamRow(QWidget):
    """Base of the rows: a label, controls, and a place to say why a value was refused.

    Showing a value emits nothing.

    Signals
    -------
    value_edited(object) : the user chose another valid value (while dragging as well).
    draft_changed(object) : the field holds a value that the row knows to be refused, or has the
        one in force again.
    edit_finished() : the edit is over; comes once after one or more `value_edited`.

    `gap_px` is the room that the row wants below it.
    """

    value_edited = Signal(object)
    draft_changed = Signal(object)
    edit_finished = Signal()
    gap_px = 8

    def __init__(self, spec: ParamSpec, plan: RowPlan, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self.plan = plan
        self.name = plan.label or (
            spec.name.removesuffix("_exit") if spec.is_exit else spec.name.replace("_", " ")
        )
        self.stem = plan.stem or spec.name
        self.tip = param_tip(spec)
        self.label = ParamLabel(self.name, spec, is_heading=plan.is_heading)
        self.is_label_beside = True
        self.problem = StatusLabel()
        self.problem.setFont(themes.scaled_font(self.problem.font(), 0.88))
        self.problem.setVisible(False)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(4 if plan.is_heading else 2)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.label, 0, 0)
        self._grid.addWidget(self.problem, 3, 0, 1, -1)
        self._dirty = False
        self._shown: Any = spec.default

    @property
    def is_stepping(self) -> bool:
        """Whether an edit ends only because a key was let go that steps."""
        return False

    def show_value(self, value: Any, graph_value: Any = None, *, other: bool = False) -> None:
        """Show the value in force, and mark it when it is not the graph's, if that is known.

        `other` : it is another node's than the one before.
        """
        if other:
            self.forget_draft()
        if other or self._is_new(value):
            self.show_problem("")
        self._shown = value
        self.set_value(value)
        changed = graph_value is not None and graph_value != value
        self.label.set_changed(self.words(graph_value) if changed else "")

    def set_value(self, value: Any) -> None:
        """Put the value into the control. Emits nothing."""
        raise NotImplementedError

    def set_empty(self, text: str) -> None:
        """Show `text` faintly where the value is empty, in rows that can be."""

    def set_note(self, note: str) -> None:
        """Say what the present value means beside others, or nothing with ""."""
        raise NotImplementedError

    def set_inactive(self, reason: str) -> None:
        """Switch the controls off and say why they have no effect; "" switches them on."""
        raise NotImplementedError

    def set_choices(self, values: Sequence[str]) -> None:
        """Offer these values, in rows that offer any."""

    def set_marks(self, values: Sequence[float]) -> None:
        """Mark the values at which the result changes, in rows that have a slider."""

    @property
    def has_draft(self) -> bool:
        """Whether what is typed is not in force, in rows where anything is typed."""
        return False

    def apply_draft(self) -> bool:
        """Put what is typed in force; False where it is refused."""
        return not self.has_draft

    def forget_draft(self) -> None:
        """Let the next value replace whatever is in the control."""

    def discard_draft(self) -> None:
        """Show the value in force in place of whatever was typed."""
        self.show_problem("")

    def refuse(self, text: str, draft: RefusedValue | None = None) -> None:
        """Say what is wrong with the value, or nothing with "".

        Parameters
        ----------
        draft : the value that it is said of, where that is not the one in force. It stays in the
            field where that can show it.
        """
        self.show_problem(text if draft is None else f"{text}. {self._in_force()}")
        if text:
            self.set_value(self._shown)
        if draft is not None:
            self.show_draft(draft.value)

    def show_draft(self, value: Any) -> None:
        """Show a value that is refused, in rows where it can be typed."""

    def _in_force(self) -> str:
        """Say which value is in force instead of the one that is refused."""
        return f"{self.words(self._shown)} stays in force"

    def show_problem(self, text: str) -> None:
        """Say why a value was refused, or nothing with ""."""
        self.problem.set_status("error", text)
        self.problem.setVisible(bool(text))
        self.mark_invalid(bool(text))

    def mark_invalid(self, invalid: bool) -> None:
        """Show on the control that its text is not in force."""

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
        return cut(text, _LONGEST_VALUE)

    def _place(self, control: QWidget, suffix: str, *, below: bool = False) -> None:
        """Put the control beside the label, or below it; its name ends in `suffix`."""
        self.is_label_beside = not below
        self._grid.addWidget(control, *((1, 0, 1, -1) if below else (0, 1, 1, 1)))
        self._describe(control, suffix, self.name)

    def _describe(self, control: QWidget, suffix: str, name: str) -> None:
        named(control, f"{self.stem}{suffix}" if suffix else "", name, tooltip(self.tip))
        control.setAccessibleDescription(self.tip)

    def _is_new(self, value: Any) -> bool:
        return bool(value != self._shown)

    def _edited(self, value: Any) -> None:
        self._dirty = True
        self.value_edited.emit(value)

    def _finish(self) -> None:
        if self._dirty:
            self._dirty = False
            self.edit_finished.emit()
