"""The form of ToolCall."""

from __future__ import annotations

from inspector.forms.param_row import RowPlan
from inspector.forms.plan import MODEL_NAME, FormPlan

FORM = FormPlan(
    (
        (
            "Model",
            (
                MODEL_NAME,
                RowPlan("notify_client", label="tell game"),
                RowPlan("system_prompt"),
            ),
        ),
    )
)
