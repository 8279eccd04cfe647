"""The form of Generate."""

from __future__ import annotations

from inspector.forms.param_row import RowPlan
from inspector.forms.plan import MODEL_NAME, FormPlan

PROMPT = (
    "Prompt",
    (
        RowPlan(
            "template",
            elsewhere="The template is edited in the Prompt tab, beside what it renders.",
        ),
        RowPlan("placement"),
        RowPlan("system_prompt"),
    ),
)
MODEL = (MODEL_NAME, RowPlan("stream"))

FORM = FormPlan((PROMPT, ("Model", MODEL)))
