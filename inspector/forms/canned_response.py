"""The form of CannedResponse."""

from __future__ import annotations

from inspector.forms.param_row import RowPlan
from inspector.forms.plan import FormPlan

FORM = FormPlan(
    (
        (
            "Lines",
            (
                RowPlan("selection_strategy", label="strategy"),
                RowPlan("string_storage", label="file"),
                RowPlan("inline_strings", label="lines given right here"),
            ),
        ),
    )
)
