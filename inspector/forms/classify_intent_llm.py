"""The form of ClassifyIntentLLM."""

from __future__ import annotations

from inspector.drawing.scales import Scale
from inspector.forms.number_row import SLIDER_STEPS
from inspector.forms.param_row import RowPlan
from inspector.forms.plan import MODEL_NAME, FormPlan

_SHARE_SCALE = Scale(0, SLIDER_STEPS, SLIDER_STEPS // 2, 0.5)

FORM = FormPlan(
    (
        (
            "Labels",
            (
                RowPlan("intents_ids", label="labels"),
                RowPlan("intents_prompt", label="described"),
            ),
        ),
        (
            "Decision",
            (
                RowPlan(
                    "threshold",
                    stem="threshold",
                    scale=_SHARE_SCALE,
                    hint="0 to 1 · least probability",
                ),
                RowPlan("margin", scale=_SHARE_SCALE, hint="0 to 1 · lead over the second"),
                RowPlan("history_turns", label="turns", hint="0 to 64 · earlier turns read"),
            ),
        ),
        ("Model", (MODEL_NAME, RowPlan("system_prompt"))),
    ),
)
