"""The form of WriteToMemory."""

from __future__ import annotations

from inspector.forms.locked_row import SchemaRow
from inspector.forms.param_row import RowPlan
from inspector.forms.plan import INPUT, FormPlan

FORM = FormPlan(
    (
        (
            "Memory store",
            (RowPlan("storage_name", label="store"), RowPlan("schema", kind=SchemaRow)),
        ),
        ("Record", (INPUT, RowPlan("metadata", empty='{"mood": "glad", "day": 3}'))),
    )
)
