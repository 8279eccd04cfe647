"""The flat form of recorded turns."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.io.findings import FileRefused
from core.nodes import RetrievalMode, RetrieveParams
from core.opening.opening import open_path
from tests.core.recordings import FLAT, hits_of, stages_of, turns_of

if TYPE_CHECKING:
    from pathlib import Path


def renamed(prefix: str) -> dict[str, str]:
    return {key.replace("knowledge.", prefix): value for key, value in FLAT.items()}


@pytest.mark.parametrize(
    ("prefix", "node"),
    [
        ("knowledge.", "knowledge"),
        ("", "knowledge"),
        ("lore.", "lore"),
        ("parameters.", "knowledge"),
        ("lore.knowledge.", "lore"),
        ("npc.lore.knowledge.", "npc.lore"),
        ("lore.knowledge.output.", "lore"),
        ("lore.diagnostics.parameters.", "lore"),
    ],
)
def test_the_flat_form_is_read_with_any_prefix(tmp_path: Path, prefix: str, node: str) -> None:
    (turn,) = turns_of(tmp_path, renamed(prefix))
    (run,) = turn.runs
    assert (run.name, run.type, run.exit) == (node, "Retrieve", "found")
    assert hits_of(turn, node) == [("a", 0.31)]
    assert stages_of(turn, node) == [("BM25 leg", 3, 0), ("hits", 1, 2)]
    assert run.params == RetrieveParams(
        top_k=3, threshold=0.0, source="facts", retrieval_mode=RetrievalMode.Lexical
    )
    assert turn.request.message == "clownfish?"


def test_results_of_the_flat_form_stand_in_the_order_of_their_indices(tmp_path: Path) -> None:
    (turn,) = turns_of(
        tmp_path,
        {
            "knowledge.result[010].id": "c",
            "knowledge.result[002].id": 7,
            "knowledge.result[000].id": "a",
            "knowledge.result[002].distance": "null",
            "knowledge.result[000].distance": 0.5,
            "knowledge.result[010].rank_dense": "4",
        },
    )
    assert hits_of(turn) == [("a", 0.5), ("7", None), ("c", None)]
    retrieval = turn.runs[0].retrieval
    assert retrieval is not None
    assert [hit.rank for hit in retrieval.hits] == [1, 2, 3]
    assert retrieval.hits[2].rank_dense == 4


def test_several_prefixes_are_several_nodes_in_the_order_of_appearance(tmp_path: Path) -> None:
    (turn,) = turns_of(
        tmp_path,
        {
            "status": "Success",
            **renamed("lore.knowledge."),
            **renamed("items.knowledge."),
            "result_count": 0,
        },
    )
    assert [run.name for run in turn.runs] == ["lore", "items", "knowledge"]
    assert turn.runs[2].exit == "not_found"


def test_unknown_keys_of_the_flat_form_are_kept_and_shown(tmp_path: Path) -> None:
    document = {
        **FLAT,
        "knowledge.elapsed_us": 17,
        "knowledge.result[000].note": "x",
        "engine": {"build": 3},
    }
    (turn,) = turns_of(tmp_path, document)
    assert turn.debug_info == document
    shown = turn.runs[0].diagnostics()
    assert shown["parameters"]["elapsed_us"] == 17
    assert shown["output"]["results"][0]["note"] == "x"


def test_flat_diagnostics_inside_a_node_of_the_envelope_are_read(tmp_path: Path) -> None:
    node = {"name": "lore", "type": "Retrieve", "exit": "found", "next": "", "diagnostics": FLAT}
    (turn,) = turns_of(tmp_path, {"status": "Success", "nodes": [node]})
    assert (hits_of(turn, "lore"), turn.request.message) == ([("a", 0.31)], "clownfish?")
    assert turn.runs[0].diagnostics() == FLAT


def test_the_flat_form_may_be_nested_one_level(tmp_path: Path) -> None:
    nested = {"lore": {key.removeprefix("knowledge."): value for key, value in FLAT.items()}}
    path = tmp_path / "nested.json"
    path.write_text(json.dumps(nested), encoding="utf-8")
    turn = open_path(path).turn
    assert turn is not None
    assert (hits_of(turn, "lore"), turn.debug_info) == ([("a", 0.31)], nested)


def test_the_flat_form_is_read_inside_a_wrapper_and_an_array(tmp_path: Path) -> None:
    first, second = turns_of(tmp_path, [{"message": "hi", "debug_info": json.dumps(FLAT)}, FLAT])
    assert (first.request.message, second.request.message) == ("hi", "clownfish?")
    assert hits_of(first) == hits_of(second) == [("a", 0.31)]


flat_keys = st.lists(
    st.sampled_from(
        [
            "knowledge",
            "lore",
            "parameters",
            "output",
            "result[1]",
            "results[000]",
            "id",
            "distance",
            "raw_result_count",
            "result_count",
            "query",
            "top_k",
            "",
            "odd",
        ]
    ),
    max_size=5,
).map(".".join)


@given(
    st.dictionaries(
        flat_keys, st.sampled_from(["a", "0.3", "inf", "null", "", 3, -1, None]), max_size=8
    )
)
def test_any_flat_keys_give_a_turn_or_findings(
    tmp_path_factory: pytest.TempPathFactory, document: dict[str, object]
) -> None:
    try:
        (turn,) = turns_of(tmp_path_factory.getbasetemp(), document)
    except FileRefused:
        return
    assert turn.debug_info == document
    for run in turn.runs:
        assert run.retrieval is not None
        stages = run.retrieval.stages
        assert all(
            after.count == before.count - after.removed for before, after in pairwise(stages)
        )
