from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from core.agent.drafts import set_aside
from core.nodes import GenerateParams, KnowledgeSourceKind, RetrievalMode, RetrieveParams
from core.opening.opening import graph_findings, open_path

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.description import GraphDescription
    from core.agent.drafts import Drafts

FILTER = '{"op": "eq", "lhs": {"knowledge": "levle"}, "rhs": {"value": 1}}'
UNCLOSED = "{{#knowledge}}"


def opened(folder: Path, params: dict[str, Any]) -> tuple[GraphDescription, Drafts]:
    """Open a graph of Retrieve and Generate, faulty where `params` are."""
    (folder / "r.kb.json").write_text(
        json.dumps([{"id": "a", "text": "bread", "metadata": {"level": 1}}])
    )
    document = {
        "start_node": "k",
        "default_model_name": "m",
        "nodes": [
            {
                "name": "k",
                "type": "Retrieve",
                "params": {"embedded_string_storage": "r.kb.json", "found_exit": "g", **params},
            },
            {"name": "g", "type": "Generate", "params": {"template": UNCLOSED}},
        ],
    }
    path = folder / "g.graph.json"
    path.write_text(json.dumps(document))
    graph = open_path(path, faulty=True)
    return set_aside(graph.graph, graph_findings(graph))


@pytest.mark.parametrize(
    ("param", "value", "in_force"),
    [
        ("top_k", "five", 2),
        ("top_k", 0, 2),
        ("threshold", 2.1, 0.5),
        ("retrieval_mode", "Fuzzy", RetrievalMode.Dense),
        ("source_kind", "FromCloud", KnowledgeSourceKind.FromFile),
        ("filter", FILTER, ""),
        ("filter", {"op": "and"}, ""),
    ],
)
def test_a_value_that_is_refused_is_a_draft_beside_the_default(
    tmp_path: Path, param: str, value: object, in_force: object
) -> None:
    graph, drafts = opened(tmp_path, {param: value})
    draft = drafts["k", param]
    assert (draft.value, draft.is_of_file) == (value, True)
    assert (draft.finding.place.node, draft.finding.place.param) == ("k", param)
    assert getattr(graph.node("k").params, param) == in_force


def test_a_template_that_cannot_render_is_a_draft(tmp_path: Path) -> None:
    graph, drafts = opened(tmp_path, {})
    assert list(drafts) == [("g", "template")]
    assert drafts["g", "template"].value == UNCLOSED
    params = graph.node("g").params
    assert isinstance(params, GenerateParams)
    assert params.template == ""


@pytest.mark.parametrize(
    ("param", "value"), [("found_exit", "nowhere"), ("embedded_string_storage", "gone.json")]
)
def test_what_leads_nowhere_stays_as_it_is(tmp_path: Path, param: str, value: str) -> None:
    graph, drafts = opened(tmp_path, {param: value})
    params = graph.node("k").params
    assert isinstance(params, RetrieveParams)
    assert getattr(params, param) == value
    assert ("k", param) not in drafts
