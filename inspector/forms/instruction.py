"""The form of Instruction."""

from __future__ import annotations

from inspector.forms.param_row import RowPlan
from inspector.forms.plan import FormPlan

FORM = FormPlan(
    (("Parameters", (RowPlan("instruction_name", label="name"), RowPlan("instruction"))),)
)
