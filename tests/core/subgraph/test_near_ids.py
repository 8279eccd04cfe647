"""Guesses for ids that no node has."""

from __future__ import annotations

from core.subgraph.knowledge_graph import GraphNode
from core.subgraph.near_ids import NearIds


def test_a_title_goes_before_a_close_id_and_neither_is_no_hint() -> None:
    near = NearIds([GraphNode("einstein", "Albert Einstein"), GraphNode("bern", "Bern")])
    assert near.hint("albert einstein") == (
        'that is the title of "einstein": name the node by its id'
    )
    assert near.hint("Einstien") == 'did you mean "einstein"?'
    assert near.hint("zzz") == ""


def test_only_the_first_mistakes_of_a_large_graph_are_compared() -> None:
    near = NearIds([GraphNode(f"node{n}", f"Node {n}") for n in range(15_000)])
    assert near.hint("nod7")
    assert near.hint("nod7") == ""
