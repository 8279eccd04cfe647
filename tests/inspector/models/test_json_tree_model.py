"""JSON as a tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, Qt

from inspector.models.json_tree_model import JsonTreeModel, PathRole

if TYPE_CHECKING:
    from pytestqt.modeltest import ModelTester

INFO = {
    "status": "Success",
    "nodes": [
        {
            "name": "knowledge",
            "diagnostics": {
                "output": {
                    "results": [
                        {"id": "a", "distance": None, "text": "x" * 500},
                        {"id": "b", "distance": 0.25},
                    ]
                }
            },
        }
    ],
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.fixture
def model(qtmodeltester: ModelTester) -> JsonTreeModel:
    model = JsonTreeModel()
    model.show_json(lambda: INFO)
    return model


def value_at(model: JsonTreeModel, *path: int | str) -> str:
    index = model.index_of(path)
    assert index.isValid(), path
    return model.index(index.row(), 1, index.parent()).data()


def test_the_model_keeps_the_rules_of_item_models(
    model: JsonTreeModel, qtmodeltester: ModelTester
) -> None:
    qtmodeltester.check(model)
    model.show_json(lambda: {"a": [1, {"b": None}]})
    qtmodeltester.check(model)


def test_keys_and_values_are_shown_as_json(model: JsonTreeModel) -> None:
    assert value_at(model, "status") == '"Success"'
    assert value_at(model, "nodes") == "1 item"
    assert value_at(model, "nodes", 0) == "2 keys · knowledge"
    results = ("nodes", 0, "diagnostics", "output", "results")
    assert value_at(model, *results, 0, "distance") == "null"
    assert value_at(model, *results, 1, "distance") == "0.25"


def test_a_long_text_is_cut_in_the_cell_and_longer_in_the_tooltip(model: JsonTreeModel) -> None:
    path = ("nodes", 0, "diagnostics", "output", "results", 0, "text")
    assert len(value_at(model, *path)) < 220
    assert len(model.index_of(path).data(Qt.ItemDataRole.ToolTipRole)) > 400


def test_a_path_that_is_not_there_has_no_index(model: JsonTreeModel) -> None:
    assert not model.index_of(("nodes", 7)).isValid()
    assert model.index_of(("nodes", 0)).data(PathRole) == ("nodes", 0)


def test_markup_in_a_value_is_no_html(model: JsonTreeModel) -> None:
    model.show_json(lambda: {"text": "<img src=x>"})
    assert "<img" not in model.index_of(("text",)).data(Qt.ItemDataRole.ToolTipRole)


def count_leaves(model: JsonTreeModel, index: QModelIndex) -> int:
    rows = model.rowCount(index)
    return sum(count_leaves(model, model.index(row, 0, index)) for row in range(rows)) or 1


def leaves(value: Any) -> int:
    children = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    )
    return sum(map(leaves, children)) or 1


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON)
def test_every_value_is_somewhere_in_the_tree(model: JsonTreeModel, value: Any) -> None:
    model.show_json(lambda: json.loads(json.dumps(value)))
    assert count_leaves(model, QModelIndex()) == leaves(value)
