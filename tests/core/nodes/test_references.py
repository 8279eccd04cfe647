"""What a graph's texts name before any turn runs: variables and memory stores."""

from __future__ import annotations

from core.nodes import (
    GenerateParams,
    KnowledgeSourceKind,
    NodeParams,
    RetrieveParams,
    WriteToMemoryParams,
)
from core.nodes.references import stores_used, variables_used
from core.nodes.walk import TurnRequest


def recall(storage_name: str, schema: str = "s", text: str = "") -> RetrieveParams:
    return RetrieveParams(
        source_kind=KnowledgeSourceKind.FromName,
        storage_name=storage_name,
        schema=schema,
        input=text,
    )


def stores(variables: dict[str, str], **params: NodeParams) -> dict[str, str]:
    return stores_used(TurnRequest("hello", params, "a", variables=variables))


def test_variables_are_listed_with_the_places_that_read_them() -> None:
    assert variables_used(
        {
            "a": recall("m_{{var.player}}_{{ var.day }}", text="{{var.player}}: {{user_message}}"),
            "b": WriteToMemoryParams(storage_name="m", metadata='{"day": "{{var.day}}"}'),
            "c": GenerateParams(template="{{var.unread}}"),
        }
    ) == {"player": ("a.input", "a.storage_name"), "day": ("a.storage_name", "b.metadata")}


def test_stores_are_named_with_their_variables_and_their_schema() -> None:
    assert stores(
        {"player": "ada"},
        a=recall("m_{{var.player}}"),
        b=WriteToMemoryParams(storage_name="log", schema="t"),
    ) == {"m_ada": "s", "log": "t"}


def test_a_name_with_an_undefined_variable_names_no_store_yet() -> None:
    assert stores({}, a=recall("m_{{var.player}}"), b=recall("plain")) == {"plain": "s"}


def test_a_name_with_a_nodes_output_names_no_store_yet() -> None:
    assert stores({}, a=recall("m_{{node.a.output}}")) == {}


def test_the_message_may_name_a_store() -> None:
    assert stores({}, a=recall("m_{{user_message}}")) == {"m_hello": "s"}


def test_a_node_that_searches_a_file_names_no_store() -> None:
    assert stores({}, a=RetrieveParams(storage_name="idle", embedded_string_storage="k.json")) == {}
