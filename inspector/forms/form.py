"""The parameters of one node type, laid out after its plan."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.forms.filter_row import FilterRow
from inspector.forms.locked_row import LockedRow
from inspector.forms.number_row import NumberRow
from inspector.forms.param_row import ParamRow, RowPlan
from inspector.forms.plan import NODE_NAME, plan_of
from inspector.forms.value_rows import (
    ChoiceRow,
    LineRow,
    LinesRow,
    SegmentRow,
    SwitchRow,
    TextRow,
)
from inspector.widgets.drafts import OpenDraft
from inspector.widgets.labels import WrapLabel, heading
from inspector.widgets.parts import named, packed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.agent.drafts import RefusedValue
    from core.knowledge.schema import Field, Scalar
    from core.nodes import NodeParams, ParamSpec

_LABEL_COLUMN_PX = 110


def row_class(spec: ParamSpec) -> type[ParamRow]:
    """Return the class of a parameter's row, where its plan names none."""
    if spec.kind is tuple:
        return LinesRow
    if spec.structural:
        return LockedRow
    if spec.kind in (int, float):
        return NumberRow
    if spec.kind is bool:
        return SwitchRow
    if spec.kind is str:
        return TextRow if spec.multiline else LineRow
    return SegmentRow if issubclass(spec.kind, StrEnum) else ChoiceRow


class Form(QWidget):
    """Shows and edits one node type's parameters. Showing emits nothing.

    Signals
    -------
    param_edited(str, object) : parameter and new value; live while a slider is dragged.
    param_draft_changed(str, object) : parameter and what its field holds and is refused, or the
        value in force when that is gone.
    param_edit_finished(str) : the edit of that parameter is over.

    `rows` maps parameters to their rows, and `controls` the controls' object names to them.
    `label_width_px` is the width of the column of labels.
    """

    param_edited = Signal(str, object)
    param_draft_changed = Signal(str, object)
    param_edit_finished = Signal(str)

    def __init__(self, table: type[NodeParams], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = table
        self.plan = plan_of(table)
        self._prefix = self.plan.stem_prefix
        if self._prefix is None:
            self._prefix = f"{table.node_type}_"
        self._node = ""
        self.rows: dict[str, ParamRow] = {}
        layout = packed(QVBoxLayout(self), spacing=8)
        exits = tuple(RowPlan(name) for name in table.exits().values())
        for title, rows in (*self.plan.sections, ("Exits", exits)):
            self._add_section(layout, title, rows, table.specs())
        layout.addStretch(1)
        beside = [row.label for row in self.rows.values() if row.is_label_beside]
        self.label_width_px = min(
            max((label.sizeHint().width() for label in beside), default=0), _LABEL_COLUMN_PX
        )
        for label in beside:
            label.setMinimumWidth(self.label_width_px)
        filters = [row for row in self.rows.values() if isinstance(row, FilterRow)]
        self._filter = filters[0] if filters else None
        self.controls = {
            control.objectName(): control
            for control in self.findChildren(QWidget)
            if control.objectName() and not control.objectName().startswith("qt_")
        }

    def show_params(self, node: str, params: NodeParams, baseline: NodeParams) -> None:
        """Show the parameters in force; `baseline` has the graph's values."""
        other = node != self._node
        self._node = node
        for name, row in self.rows.items():
            row.show_value(getattr(params, name), getattr(baseline, name), other=other)
            if row.plan.empty == NODE_NAME:
                row.set_empty(node)
            if row.plan.note is not None:
                row.set_note(row.plan.note(params))
            if row.plan.inactive is not None:
                row.set_inactive(row.plan.inactive(params))

    def set_problem(self, param: str, text: str, draft: RefusedValue | None = None) -> None:
        """Say beside the parameter what is wrong with its value, or with a `draft`; or nothing."""
        if param in self.rows:
            self.rows[param].refuse(text, draft)

    def set_filter_status(self, ok: bool | None, text: str) -> None:
        """Say whether the filter compiled and what it lets through."""
        if self._filter is not None:
            self._filter.set_status(ok, text)

    def set_fields(
        self, fields: Sequence[Field], samples: Mapping[str, Scalar] | None = None
    ) -> None:
        """Offer filter clauses for these fields."""
        if self._filter is not None:
            self._filter.set_fields(fields, samples)

    def set_marks(self, marks: Mapping[str, Sequence[float]]) -> None:
        """Draw ticks: parameter → values at which the result changes."""
        for name, row in self.rows.items():
            row.set_marks(marks.get(name, ()))

    def set_choices(self, param: str, values: Sequence[str]) -> None:
        """Offer values of a structural parameter."""
        if param in self.rows:
            self.rows[param].set_choices(values)

    def drafts(self) -> list[OpenDraft]:
        """Name what is typed and not in force."""
        return [
            OpenDraft(
                f"the {row.name.lower()} of {self._node}",
                row.setFocus,
                row.apply_draft,
                row.spec.name,
            )
            for row in self.rows.values()
            if row.has_draft
        ]

    def discard_drafts(self) -> None:
        """Show the values in force in place of whatever is half typed or refused."""
        for row in self.rows.values():
            row.discard_draft()

    def _add_section(
        self,
        layout: QVBoxLayout,
        title: str,
        plans: Sequence[RowPlan],
        specs: Mapping[str, ParamSpec],
    ) -> None:
        if title:
            if layout.count():
                layout.addSpacing(4)
            layout.addWidget(heading(title))
        section = QVBoxLayout()
        layout.addLayout(section)
        for plan in plans:
            if plan.elsewhere:
                section.addWidget(named(WrapLabel(plan.elsewhere), role="muted"))
            else:
                section.addWidget(self._add_row(specs[plan.name], plan))
        rows = [self.rows[plan.name] for plan in plans if plan.name in self.rows]
        section.setSpacing(max((row.gap_px for row in rows), default=0))

    def _add_row(self, spec: ParamSpec, plan: RowPlan) -> ParamRow:
        stem = plan.stem or f"{self._prefix}{spec.name}"
        row = (plan.kind or row_class(spec))(spec, replace(plan, stem=stem))
        row.value_edited.connect(partial(self.param_edited.emit, spec.name))
        row.draft_changed.connect(partial(self.param_draft_changed.emit, spec.name))
        row.edit_finished.connect(partial(self.param_edit_finished.emit, spec.name))
        self.rows[spec.name] = row
        return row
