"""The form of GenerateAndSpeak."""

from __future__ import annotations

from inspector.forms.generate import MODEL, PROMPT
from inspector.forms.param_row import RowPlan
from inspector.forms.plan import FormPlan

FORM = FormPlan((PROMPT, ("Model", (*MODEL, RowPlan("voice")))))
