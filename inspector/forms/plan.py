"""How a node type's parameters are laid out. Each type has a `FORM` in a file of its name here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from inspector.drawing.scales import SMALLEST_LIMIT, Scale
from inspector.forms.number_row import SLIDER_STEPS
from inspector.forms.param_row import RowPlan

if TYPE_CHECKING:
    from core.nodes import NodeParams

INPUT = RowPlan("input", empty="player's message")
MODEL_NAME = RowPlan("model_name", label="model", empty="the graph's default")
NODE_NAME = "{node}"
"""Stands, as what an empty text shows, for the node's name."""
SOURCE = RowPlan("source", empty=NODE_NAME)
# Most distances that come up lie below 1.
DISTANCE_SCALE = Scale(round(SMALLEST_LIMIT * SLIDER_STEPS), 2 * SLIDER_STEPS, SLIDER_STEPS, 0.8)


@dataclass(frozen=True)
class FormPlan:
    """One node type's form.

    sections : heading, or "" for none, and the rows below it, in order. Every parameter of the
        type has a row, but for the exits, which come last by themselves.
    stem_prefix : start of the controls' object names; by default the type and ``_``.
    """

    sections: tuple[tuple[str, tuple[RowPlan, ...]], ...] = ()
    stem_prefix: str | None = None


def plan_of(table: type[NodeParams]) -> FormPlan:
    """Return the plan of a node type: the `FORM` of the file that is named like it.

    Raises
    ------
    LookupError
        The type has no such file, or a parameter has no row, or a row no parameter.
    """
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", table.node_type).lower()
    try:
        plan: FormPlan = import_module(f"inspector.forms.{name}").FORM
    except (ModuleNotFoundError, AttributeError) as error:
        raise LookupError(f"{table.node_type}: inspector/forms/{name}.py has no FORM") from error
    rows = [row.name for _, rows in plan.sections for row in rows]
    wanted = [spec.name for spec in table.specs().values() if not spec.is_exit]
    if sorted(rows) != sorted(wanted):
        odd = sorted(set(rows) ^ set(wanted)) or rows
        raise LookupError(
            f"{table.node_type}: rows in inspector/forms/{name}.py and parameters differ: "
            + ", ".join(odd)
        )
    return plan
