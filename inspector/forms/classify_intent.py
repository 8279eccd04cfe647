"""The form of ClassifyIntent."""

from __future__ import annotations

from inspector.drawing.scales import Scale
from inspector.forms.filter_row import FilterRow
from inspector.forms.param_row import RowPlan
from inspector.forms.plan import DISTANCE_SCALE, FormPlan

FORM = FormPlan(
    (
        (
            "Match",
            (
                RowPlan(
                    "threshold",
                    stem="threshold",
                    scale=DISTANCE_SCALE,
                    hint="0 to 2 · smaller is stricter",
                ),
                RowPlan("filter", stem="filter", kind=FilterRow),
            ),
        ),
        (
            "Label",
            (
                RowPlan("metadata_field", label="field", empty="metadata field of the label"),
                RowPlan("notify_client", label="tell game"),
            ),
        ),
        (
            "Storage",
            (
                RowPlan("embedded_string_storage", label="file"),
                RowPlan(
                    "diagnostic_topk",
                    label="hits shown",
                    scale=Scale(1, 64, 16, 0.6),
                    hint="1 to 64 · the nearest decides",
                ),
            ),
        ),
    )
)
