"""The form of IntentToInstruction."""

from __future__ import annotations

from inspector.forms.param_row import RowPlan
from inspector.forms.plan import FormPlan

FORM = FormPlan(
    (
        ("Instruction", (RowPlan("instruction_name", label="name", empty="the node's name"),)),
        (
            "Texts by label",
            (
                RowPlan("string_storage", label="file"),
                RowPlan("inline_keys", label="labels given right here"),
                RowPlan("inline_strings", label="their texts, in the same order"),
            ),
        ),
    )
)
