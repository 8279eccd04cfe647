"""The form of Speak."""

from __future__ import annotations

from inspector.forms.param_row import RowPlan
from inspector.forms.plan import FormPlan

FORM = FormPlan((("Speech", (RowPlan("voice"),)),))
