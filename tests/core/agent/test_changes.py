"""What was set otherwise between two turns."""

from __future__ import annotations

from dataclasses import replace

from core.agent.changes import changes
from core.nodes import GenerateParams, RetrievalMode, RetrieveParams
from core.nodes.walk import TurnRequest

BASE = TurnRequest(
    "hello",
    {
        "knowledge": RetrieveParams(found_exit="answer", top_k=5),
        "answer": GenerateParams(template="Be kind."),
    },
    "knowledge",
)


def with_knowledge(**values: object) -> TurnRequest:
    knowledge = RetrieveParams(**{"found_exit": "answer", "top_k": 5, **values})  # type: ignore[arg-type]
    return replace(BASE, params={**BASE.params, "knowledge": knowledge})


def test_another_message_is_no_setting() -> None:
    assert changes(BASE, replace(BASE, message="bye")) == ()


def test_numbers_and_choices_are_told_from_what_to_what() -> None:
    after = with_knowledge(top_k=3, threshold=0.25, retrieval_mode=RetrievalMode.Lexical)
    assert set(changes(BASE, after)) == {
        "top_k 5 → 3",
        f"threshold {BASE.params['knowledge'].threshold:g} → 0.25",  # type: ignore[attr-defined]
        "retrieval_mode Dense → Lexical",
    }


def test_of_a_long_text_only_that_it_changed_is_told() -> None:
    after = with_knowledge(filter='{"op": "eq", "field": "kind", "value": "beginner"}')
    assert changes(BASE, after) == ("filter changed",)


def test_a_parameter_that_several_nodes_have_bears_its_node() -> None:
    two = replace(BASE, params={**BASE.params, "more": RetrieveParams(top_k=5)})
    after = replace(two, params={**two.params, "more": RetrieveParams(top_k=7)})
    assert changes(two, after) == ("more.top_k 5 → 7",)


def test_variables_and_exits_count() -> None:
    after = replace(BASE, variables={"player": "ada"}, exits={"guard": "triggered"})
    assert changes(BASE, after) == ("player none → ada", "exit of guard none → triggered")


def test_other_nodes_are_another_graph() -> None:
    assert changes(BASE, replace(BASE, params={"knowledge": RetrieveParams()})) == (
        "another graph",
    )
