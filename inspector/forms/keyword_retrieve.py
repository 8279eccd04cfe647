"""The form of KeywordRetrieve."""

from __future__ import annotations

from inspector.drawing.scales import Scale
from inspector.forms.number_row import SLIDER_STEPS
from inspector.forms.param_row import RowPlan
from inspector.forms.plan import INPUT, SOURCE, FormPlan

_WEIGHT_SCALE = Scale(0, 100 * SLIDER_STEPS, 4 * SLIDER_STEPS, 0.8)
_COUNT_SCALE = Scale(0, 1000, 10, 0.8)


def _weight(name: str, hint: str) -> RowPlan:
    return RowPlan(f"{name}_weight", label=name, scale=_WEIGHT_SCALE, hint=hint)


FORM = FormPlan(
    (
        (
            "Selection",
            (
                RowPlan("k", stem="k", scale=Scale(1, 1000, 20, 0.6), hint="1 to 1000 · at most"),
                RowPlan(
                    "min_score",
                    label="min_score",
                    stem="minScore",
                    scale=Scale(0, 100 * SLIDER_STEPS, 20 * SLIDER_STEPS, 0.85),
                    hint="0 or more",
                ),
            ),
        ),
        (
            "Points of a word found",
            (
                _weight("path", "in folders and name"),
                _weight("summary", "in the summary"),
                _weight("aliases", "in the aliases"),
                _weight("content", "in the text"),
                _weight("related", "in linked summaries"),
                RowPlan("path_cap", scale=_COUNT_SCALE, hint="words at most"),
                RowPlan(
                    "aliases_overlap",
                    label="alias floor",
                    scale=_COUNT_SCALE,
                    hint="words at least",
                ),
            ),
        ),
        (
            "Factors of categories",
            (
                RowPlan(
                    "other_category_weight", label="others", scale=_WEIGHT_SCALE, hint="0 or more"
                ),
                RowPlan(
                    "category_weights", label="by name", empty='{"errors": 0.4, "concepts": 1.5}'
                ),
            ),
        ),
        (
            "Corpus",
            (
                SOURCE,
                RowPlan("corpus"),
                RowPlan("summary_field", label="summary"),
                RowPlan("preview_chars", label="characters"),
                INPUT,
            ),
        ),
    )
)
