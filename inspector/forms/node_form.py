"""The parameters of any node, laid out from what is known of each parameter."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.nodes import GenerateParams
from inspector.forms.filter_editor import FilterRow
from inspector.forms.form_plans import plan_of
from inspector.forms.locked_row import LockedRow, SchemaRow
from inspector.forms.number_row import NumberRow
from inspector.forms.value_rows import (
    ChoiceRow,
    LineRow,
    LinesRow,
    SwitchRow,
    TextRow,
    ValueRow,
    names_of,
)
from inspector.widgets.labels import WrapLabel, heading
from inspector.widgets.segment_row import SegmentRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.knowledge.schema import Field, Scalar
    from core.nodes import NodeParams, ParamSpec
    from inspector.theme import Theme

_LABELS = {
    "embedded_string_storage": "file",
    "string_storage": "file",
    "selection_strategy": "strategy",
    "instruction_name": "name",
    "inline_strings": "lines",
    "inline_keys": "labels",
    "model_name": "model",
    "storage_name": "store",
}
_LABEL_COLUMN_PX = 110
_ELSEWHERE = {"template": "The template is edited in the Prompt tab, beside what it renders."}


def label_of(spec: ParamSpec) -> str:
    """Return a parameter's short label; its tooltip and accessible name keep to it."""
    if spec.is_exit:
        return spec.name.removesuffix("_exit")
    return _LABELS.get(spec.name, spec.name.replace("_", " "))


class NodeForm(QWidget):
    """Shows and edits one node type's parameters. Showing emits nothing.

    Signals
    -------
    param_edited(str, object) : parameter and new value.
    param_edit_finished(str) : the edit of that parameter is over.

    `label_width_px` is the width of the column of labels. `shared_names` maps object names, which
    other forms' controls take over while those forms are shown, to this form's controls.
    """

    param_edited = Signal(str, object)
    param_edit_finished = Signal(str)

    def __init__(self, table: type[NodeParams], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._table = table
        self._node = ""
        self.rows: dict[str, ValueRow | NumberRow] = {}
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        self._plan = plan_of(table)
        self.label_width_px = self._widest_label()
        for title, names in self._plan.sections:
            self._add_section(layout, title, [table.specs()[name] for name in names])
        layout.addStretch(1)
        self.shared_names = names_of(*self._shared_controls())

    def show_params(self, node: str, params: NodeParams, baseline: NodeParams) -> None:
        """Show the parameters in force; `baseline` has the graph's values."""
        other = node != self._node
        self._node = node
        for name, row in self.rows.items():
            value, graph_value = getattr(params, name), getattr(baseline, name)
            if isinstance(row, NumberRow):
                if other:
                    row.discard_draft()
                row.show_value(value, graph_value)
            else:
                row.show_value(value, graph_value, other=other)
            if name == "source" and isinstance(row, LineRow):
                row.edit.setPlaceholderText(node)

    def set_problem(self, param: str, text: str) -> None:
        """Say beside the parameter why its value was refused, or nothing with ""."""
        if param in self.rows:
            self.rows[param].refuse(text)

    def set_filter_status(self, ok: bool | None, text: str) -> None:
        """Say whether the filter compiled and what it lets through."""
        row = self.rows.get("filter")
        if isinstance(row, FilterRow):
            row.editor.set_status(ok, text)

    def set_fields(
        self, fields: Sequence[Field], samples: Mapping[str, Scalar] | None = None
    ) -> None:
        """Offer filter clauses for these fields."""
        row = self.rows.get("filter")
        if isinstance(row, FilterRow):
            row.editor.set_fields(fields, samples)

    def set_marks(self, marks: Mapping[str, Sequence[float]]) -> None:
        """Draw ticks: parameter → values at which the result changes."""
        for name, row in self.rows.items():
            if isinstance(row, NumberRow):
                row.set_marks(marks.get(name, ()))

    def set_choices(self, param: str, values: Sequence[str]) -> None:
        """Offer values of a structural parameter."""
        row = self.rows.get(param)
        if isinstance(row, LockedRow):
            row.set_choices(["", *values])

    def discard_drafts(self) -> None:
        """Show the values in force in place of whatever is half typed or refused."""
        for row in self.rows.values():
            row.discard_draft()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        for row in self.rows.values():
            row.apply_theme(theme)

    def _add_section(self, layout: QVBoxLayout, title: str, specs: Sequence[ParamSpec]) -> None:
        if not specs:
            return
        if layout.count():
            layout.addSpacing(4)
        layout.addWidget(heading(title))
        for spec in specs:
            if spec.name in _ELSEWHERE and issubclass(self._table, GenerateParams):
                note = WrapLabel(_ELSEWHERE[spec.name])
                note.setProperty("role", "muted")
                layout.addWidget(note)
                continue
            row = self._row(spec)
            row.label.setMinimumWidth(self.label_width_px)
            row.value_edited.connect(partial(self.param_edited.emit, spec.name))
            row.edit_finished.connect(partial(self.param_edit_finished.emit, spec.name))
            self.rows[spec.name] = row
            layout.addWidget(row)

    def _widest_label(self) -> int:
        """Return the width of the column of labels that stand beside their controls, px."""
        beside = [
            spec
            for spec in self._table.specs().values()
            if not spec.multiline and spec.kind is not tuple
        ]
        widest = max(self.fontMetrics().horizontalAdvance(self._label(spec)) for spec in beside)
        return min(widest + 16, _LABEL_COLUMN_PX)

    def _shared_controls(self) -> list[QWidget]:
        """Return the controls that the form of Retrieve has by the same names."""
        controls: list[QWidget] = []
        for name, row in self.rows.items():
            if isinstance(row, FilterRow):
                controls += row.editor.controls
            elif isinstance(row, NumberRow) and self._plan.stems.get(name) == "threshold":
                controls += (row.slider, row.spin)
        return controls

    def _label(self, spec: ParamSpec) -> str:
        return self._plan.labels.get(spec.name) or label_of(spec)

    def _row(self, spec: ParamSpec) -> ValueRow | NumberRow:
        plan, label = self._plan, self._label(spec)
        stem = plan.stems.get(spec.name, f"{self._table.node_type}_{spec.name}")
        if spec.kind is tuple:
            return LinesRow(label, spec, stem)
        if spec.name == "schema":
            return SchemaRow(spec, stem)
        if spec.name == "filter":
            return FilterRow(label, spec)
        if spec.structural:
            empty = "END" if spec.is_exit else plan.empty.get(spec.name, "(none)")
            return LockedRow(label, spec, stem, names={"": empty})
        if spec.kind in (int, float):
            return NumberRow(
                label, spec, stem, plan.scales.get(spec.name), hint=plan.hints.get(spec.name, "")
            )
        if spec.kind is bool:
            return SwitchRow(label, spec, stem)
        if issubclass(spec.kind, IntEnum):
            return ChoiceRow(label, spec, stem)
        if issubclass(spec.kind, StrEnum):
            return SegmentRow(label, spec, stem)
        row = TextRow(label, spec, stem, lines=3) if spec.multiline else LineRow(label, spec, stem)
        row.edit.setPlaceholderText(plan.empty.get(spec.name, ""))
        return row
