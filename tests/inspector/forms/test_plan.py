"""Every node type has a form, and the form every parameter."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType

import pytest

from core.nodes import NODE_TYPES, NodeParams
from core.nodes.params import Reads, param
from inspector.forms.param_row import RowPlan
from inspector.forms.plan import FormPlan, plan_of


@dataclass(frozen=True, kw_only=True)
class GuessingNPCParams(NodeParams):
    top_k: int = param(3, "How many.", reads=Reads.SELECTION)
    mmr_lambda: float = param(0.5, "How alike.", reads=Reads.SELECTION)


def form_of_guessing(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    module = ModuleType("inspector.forms.guessing_npc")
    plan = FormPlan((("Guess", tuple(RowPlan(name) for name in names)),))
    monkeypatch.setattr(module, "FORM", plan, raising=False)
    monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.parametrize("kind", NODE_TYPES)
def test_every_parameter_of_every_node_type_has_a_row_or_is_an_exit(kind: str) -> None:
    table = NODE_TYPES[kind]
    rows = [row.name for _, rows in plan_of(table).sections for row in rows]
    assert sorted([*rows, *table.exits().values()]) == sorted(table.specs())


def test_a_type_without_a_form_is_named() -> None:
    with pytest.raises(LookupError, match=r"GuessingNPC: inspector/forms/guessing_npc\.py"):
        plan_of(GuessingNPCParams)


def test_a_parameter_without_a_row_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    form_of_guessing(monkeypatch, "top_k")
    with pytest.raises(LookupError, match=r"GuessingNPC: .* differ: mmr_lambda$"):
        plan_of(GuessingNPCParams)


def test_a_row_that_is_no_parameter_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    form_of_guessing(monkeypatch, "top_k", "mmr_lambda", "luck")
    with pytest.raises(LookupError, match=r"GuessingNPC: .* differ: luck$"):
        plan_of(GuessingNPCParams)


def test_a_form_with_a_row_for_each_parameter_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    form_of_guessing(monkeypatch, "mmr_lambda", "top_k")
    assert plan_of(GuessingNPCParams).sections[0][0] == "Guess"
