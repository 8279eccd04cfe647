"""The form of HumanMessageGuardrail."""

from __future__ import annotations

from inspector.forms.param_row import RowPlan
from inspector.forms.plan import FormPlan

FORM = FormPlan(
    (
        (
            "Patterns",
            (
                RowPlan("string_storage", label="file"),
                RowPlan("inline_strings", label="patterns given right here"),
            ),
        ),
    )
)
