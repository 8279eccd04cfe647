"""The node RetrieveSubgraph: opened, checked, run, tuned and reported, on the shipped town."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.agent import (
    Agent,
    ExpansionDepth,
    GenerateParams,
    GraphDescription,
    RetrieveSubgraphParams,
    Workspace,
)
from core.agent.agent import run_turn
from core.errors import Code, InspectorError
from core.hits.hit import Reason
from core.io.findings import FileRefused
from core.io.work import SearchNeeded, Work
from core.knowledge.root import FileKind, StorageRoot, kind_of
from core.nodes.retrieve_subgraph import SubgraphRetrieval
from core.opening.opening import check_path, open_path
from core.subgraph.expand import SubgraphResult
from core.subgraph.graph_file import load_knowledge_graph
from core.subgraph.request import SubgraphRequest
from core.subgraph.search import SubgraphSearch

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn
    from core.embedding.embedder import ModelProvider
    from core.subgraph.listing import SubgraphListing

QUESTION = "who sealed the letter with the lantern?"
FILE = "town/town.kg.json"


def graph(**params: Any) -> GraphDescription:
    values: dict[str, Any] = {"knowledge_graph": FILE, "found_exit": "answer"} | params
    return (
        GraphDescription()
        .add_node(
            "town",
            RetrieveSubgraphParams(**values),
        )
        .add_node(
            "answer",
            GenerateParams(
                template="{{#knowledge_town}}<{{text}}>{{/knowledge_town}}", model_name="any"
            ),
        )
        .set_start_node("town")
    )


@pytest.fixture(scope="module")
def workspace(samples: Path) -> Workspace:
    return Workspace(StorageRoot(samples))


def ask(workspace: Workspace, question: str = QUESTION, **params: object) -> Turn:
    return Agent(graph(**params), workspace).turn(question)


def result_of(turn: Turn) -> SubgraphRetrieval:
    result = turn.runs[0].retrieval
    assert isinstance(result, SubgraphRetrieval)
    return result


def listing_of(turn: Turn) -> SubgraphListing:
    listing = result_of(turn).listing
    assert listing is not None
    return listing


@pytest.mark.parametrize("depth", ExpansionDepth)
def test_its_nodes_are_those_of_the_response(
    workspace: Workspace, samples: Path, depth: ExpansionDepth
) -> None:
    search = SubgraphSearch(load_knowledge_graph(samples / FILE))
    response = SubgraphResult.of(
        search.candidates(QUESTION), SubgraphRequest(QUESTION, 3, depth)
    ).response()
    turn = ask(workspace, top_k=3, expansion_depth=depth)
    results = turn.debug_info["nodes"][0]["diagnostics"]["output"]["results"]
    assert [hit["id"] for hit in results] == [node["node_id"] for node in response["nodes"]]
    assert [(hit["id"], hit["score"], hit["match_reason"]) for hit in results[:3]] == [
        (match["node_id"], match["score"], match["match_reason"]) for match in response["matches"]
    ]
    assert {hit["score"] for hit in results[3:]} <= {None}
    section = turn.debug_info["nodes"][0]["diagnostics"]["parameters"]
    assert section["connection_count"] == len(response["connections"])
    assert section["result_count"] == len(response["nodes"])


def test_its_nodes_go_into_the_prompt_as_title_description_and_text(workspace: Workspace) -> None:
    title, about = "Letter with a Lantern", "A sealed letter whose only address is the drawing"
    short = ask(workspace, top_k=1).messages[0].text
    assert short.startswith(f"<{title}\n{about}")
    long = ask(workspace, top_k=1, include_raw_text=True).messages[0].text
    assert long.startswith(short[:-1])
    assert len(long) > len(short)


def test_what_the_walk_adds_says_how_it_came_in(workspace: Workspace) -> None:
    listing = listing_of(ask(workspace, top_k=3, expansion_depth="standard"))
    reasons = {hit.id: hit.match_reason for hit in listing.hits}
    assert reasons["lantern-letter"] == "fts"
    assert reasons["courier-bag"] == "parent of Letter with a Lantern"
    assert reasons["terrace-walk"] == "child of Lantern Hill"
    assert reasons["green-wax"] == "→ seals → Letter with a Lantern"
    lines = listing.score_lines(listing.row_of("green-wax"))
    assert ("steps from a match", "1") in [(line.name, line.value) for line in lines]


def test_the_funnel_adds_up_with_what_the_walk_adds(workspace: Workspace) -> None:
    result = result_of(
        ask(workspace, top_k=3, expansion_depth="deep", tag_filters='{"kind": "object"}')
    )
    stages = result.stages
    assert [stage.label for stage in stages] == [
        "nodes",
        "in scope",
        "found",
        "matches",
        "in the prompt",
    ]
    for before, stage in itertools.pairwise(stages):
        assert stage.count == before.count - stage.removed
    assert stages[-1].removed < 0
    assert stages[-1].count == len(result.hits)


def test_the_funnel_says_what_the_cap_leaves_out(tmp_path: Path) -> None:
    nodes = [{"node_id": "hub", "title": "hub"}] + [
        {"node_id": f"n{number}", "title": "leaf", "parents": ["hub"]} for number in range(700)
    ]
    (tmp_path / "wide.kg.json").write_text(
        json.dumps({"nodes": nodes, "connections": []}), encoding="utf-8"
    )
    stages = result_of(
        ask(
            Workspace(StorageRoot(tmp_path)),
            "hub",
            expansion_depth="shallow",
            knowledge_graph="wide.kg.json",
        )
    ).stages
    assert [(stage.label, stage.count, stage.removed) for stage in stages[-3:]] == [
        ("matches", 1, 0),
        ("reached", 701, -700),
        ("in the prompt", 500, 201),
    ]


def test_near_misses_are_neither_matches_nor_reached_by_the_walk(workspace: Workspace) -> None:
    listing = listing_of(ask(workspace, top_k=3, expansion_depth="standard"))
    near = listing.near_miss_rows(1000)
    assert listing.near_miss_count == len(near) > 0
    assert not set(near) & set(listing.hit_rows.tolist())
    found = listing.result.entry_points
    assert len(near) + sum(found.story(row) is not None for row in listing.hit_rows.tolist()) == (
        found.counts.found
    )


def test_a_near_miss_names_the_rank_or_the_scope_that_it_needs(workspace: Workspace) -> None:
    turn = ask(workspace, top_k=1, tag_filters='{"kind": "object"}')
    told = {
        miss["id"]: (miss["reason"], miss["needs"]) for miss in result_of(turn).near_misses(100)
    }
    assert told["locked-box"] == ("top_k", "top_k ≥ 2")
    assert told["hill"] == ("scope", 'scope.tag_filters: kind is "district", not "object"')


def test_the_scope_filters_before_ranking(workspace: Workspace) -> None:
    for params in ({"root_node_id": "harbour"}, {"directory_prefix": "wexholm/harbour"}):
        listing = listing_of(ask(workspace, "key", top_k=50, **params))
        assert listing.hits
        assert all("Harbour" in str(listing.metadata(hit.row)["path"]) for hit in listing.hits)


def test_tuning_never_searches_again(workspace: Workspace) -> None:
    agent = Agent(graph(), workspace)
    with pytest.raises(SearchNeeded):
        run_turn(agent.request("a question of its own"), workspace, work=Work(cached_only=True))
    agent.turn("a bridge of its own")
    for param, value in (
        ("top_k", 2),
        ("expansion_depth", "deep"),
        ("root_node_id", "oldtown"),
        ("tag_filters", '{"kind": "street"}'),
        ("include_raw_text", True),
        ("directory_prefix", "wexholm"),
    ):
        agent.change_param("town", param, value)
        assert (
            run_turn(
                agent.request("a bridge of its own"), workspace, work=Work(cached_only=True)
            ).error
            is None
        )


@pytest.mark.parametrize(
    ("param", "value"),
    [
        ("top_k", 0),
        ("top_k", 51),
        ("expansion_depth", "far"),
        ("expansion_depth", 4),
        ("tag_filters", "{"),
        ("tag_filters", '{"a": null}'),
        ("tag_filters", '{"a": [1]}'),
        ("include_raw_text", 1),
        ("root_node_id", "nowhere"),
    ],
)
def test_a_bad_value_is_3007_and_changes_nothing(
    workspace: Workspace, param: str, value: object
) -> None:
    agent = Agent(graph(), workspace)
    with pytest.raises(InspectorError) as refused:
        agent.change_param("town", param, value)
    assert refused.value.code is Code.InvalidParamValue
    assert agent.graph.node("town").params == graph().node("town").params


@pytest.mark.parametrize("value", ["Deep", "deep", "DEEP", 3, ExpansionDepth.DEEP])
def test_a_depth_is_taken_by_name_or_number_and_written_by_name(
    workspace: Workspace, tmp_path: Path, value: object
) -> None:
    agent = Agent(graph(), workspace)
    agent.change_param("town", "expansion_depth", value)
    agent.graph.save(tmp_path / "x.graph.json")
    saved = json.loads((tmp_path / "x.graph.json").read_text())["nodes"][0]["params"]
    assert saved["expansion_depth"] == "deep"
    assert GraphDescription.load(tmp_path / "x.graph.json").nodes == agent.graph.nodes


def test_the_file_is_structural(workspace: Workspace) -> None:
    with pytest.raises(InspectorError) as refused:
        Agent(graph(), workspace).change_param("town", "knowledge_graph", "other.kg.json")
    assert refused.value.code is Code.ParamNotMutable


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", Code.InvalidEmbeddedStringStorageName),
        ("town/none.kg.json", Code.StorageFileNotFound),
        ("../town.kg.json", Code.StorageOutsideRoot),
        ("town", Code.StorageKindMismatch),
        ("aquarium/aquarium_all_mini.json", Code.StorageKindMismatch),
    ],
)
def test_a_file_that_cannot_be_used_is_found_when_compiling(
    workspace: Workspace, name: str, code: Code
) -> None:
    with pytest.raises(FileRefused) as refused:
        Agent(graph(knowledge_graph=name), workspace)
    assert code in {finding.code for finding in refused.value.findings}


def test_a_root_that_the_graph_lacks_is_found_when_compiling(workspace: Workspace) -> None:
    with pytest.raises(FileRefused) as refused:
        Agent(graph(root_node_id="nowhere"), workspace)
    assert [(finding.code, finding.place.param) for finding in refused.value.findings] == [
        (Code.InvalidParamValue, "root_node_id")
    ]


def test_nothing_found_leaves_by_not_found_with_an_empty_block(workspace: Workspace) -> None:
    turn = ask(workspace, "xyzzy", expansion_depth="deep", not_found_exit="answer")
    assert [run.exit for run in turn.runs] == ["not_found", "default"]
    assert turn.messages[0].text == "xyzzy"
    assert turn.debug_info["nodes"][0]["diagnostics"]["output"] == {"results": []}


def test_with_embeddings_a_match_says_which_leg_found_it(
    samples: Path, models: ModelProvider
) -> None:
    workspace = Workspace(StorageRoot(samples), models)
    listing = listing_of(ask(workspace, "who forges signatures and papers?", use_embeddings=True))
    best = listing.story(int(listing.hit_rows[0]))
    legs = {"fts": best.rank_sparse, "dense": best.rank_dense}
    assert best.match_reason == "+".join(leg for leg, rank in legs.items() if rank is not None)
    assert best.score == pytest.approx(
        sum(1 / (60 + rank) for rank in legs.values() if rank), abs=1e-12
    )
    assert (samples / "town" / "town.kg.json.vectors").is_file()


def test_the_full_text_index_is_kept_beside_the_file(samples: Path) -> None:
    first = ask(Workspace(StorageRoot(samples)))
    sidecar = samples / "town" / "town.kg.json.bm25"
    made = sidecar.stat().st_mtime_ns
    assert ask(Workspace(StorageRoot(samples))).debug_info == first.debug_info
    assert sidecar.stat().st_mtime_ns == made


def test_a_knowledge_graph_opens_with_a_graph_of_two_nodes(samples: Path) -> None:
    assert kind_of(samples / FILE) is FileKind.KNOWLEDGE_GRAPH
    opened = open_path(samples / FILE)
    assert [(node.name, node.type) for node in opened.graph.nodes] == [
        ("knowledge", "RetrieveSubgraph"),
        ("answer", "Generate"),
    ]
    turn = Agent(opened.graph, opened.workspace).turn(QUESTION)
    assert "Letter with a Lantern" in turn.messages[0].text


def test_check_prints_every_finding_of_a_knowledge_graph(samples: Path, tmp_path: Path) -> None:
    assert check_path(samples / "town") == ()
    (tmp_path / "bad.kg.json").write_text(
        json.dumps(
            {
                "nodes": [
                    {"node_id": "a", "title": "A", "parents": ["b"]},
                    {"node_id": "a", "title": "B"},
                ],
                "connections": [{"connection_id": "1", "from_node_id": "a", "to_node_id": "z"}],
            }
        ),
        encoding="utf-8",
    )
    paths = {finding.place.json_path for finding in check_path(tmp_path)}
    assert paths == {"nodes[0].parents[0]", "nodes[1].node_id", "connections[0].to_node_id"}


@settings(deadline=None, max_examples=40)
@given(
    question=st.sampled_from(["key", "the bridge", "who owes money", "glass", "x"]),
    top_k=st.integers(1, 50),
    depth=st.sampled_from(ExpansionDepth),
    kind=st.sampled_from(["", '{"kind": "person"}', '{"kind": "object"}']),
)
def test_counts_and_rows_agree_at_every_setting(
    workspace: Workspace, question: str, top_k: int, depth: ExpansionDepth, kind: str
) -> None:
    result = result_of(
        ask(workspace, question, top_k=top_k, expansion_depth=depth, tag_filters=kind)
    )
    listing = result.listing
    assert listing is not None
    assert result.stages[-1].count == len(listing.hit_rows) == len(result.hits)
    near = listing.near_miss_rows(1000)
    told = [listing.story(row).reason for row in near]
    assert set(told) <= {Reason.TOP_K, Reason.SCOPE}


def test_a_wrong_root_gets_near_names_and_a_title_its_id(workspace: Workspace) -> None:
    for name, hint in (
        ("lantern_leter", 'did you mean "'),
        ("Letter with a Lantern", 'the node "Letter with a Lantern" has the node_id "'),
        ("#", "name a node_id of the knowledge graph"),
    ):
        agent = Agent(graph(), workspace)
        with pytest.raises(InspectorError) as refused:
            agent.change_param("town", "root_node_id", name)
        assert refused.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("params", "advice"),
    [
        ({}, "Use embeddings to match by meaning"),
        ({"directory_prefix": "x"}, "Loosen the scope, or use embeddings to match by meaning"),
    ],
)
def test_a_scope_is_only_to_be_loosened_where_there_is_one(
    workspace: Workspace, params: dict[str, str], advice: str
) -> None:
    result = result_of(ask(workspace, "letter", **params))
    assert result.nothing_found[1] == advice
    assert result_of(ask(workspace, " ", **params)).stages == ()
