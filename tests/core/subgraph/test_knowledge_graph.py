"""Knowledge graphs: what is derived, and every finding of a file with its place."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import Cancelled, Code, InspectorError
from core.io.findings import FileRefused, Finding, Severity
from core.io.work import Work
from core.subgraph import graph_pieces
from core.subgraph.graph_file import load_knowledge_graph
from core.subgraph.knowledge_graph import (
    GraphConnection,
    GraphNode,
    KnowledgeGraph,
    children_of,
    cycle_of_ids,
    parent_cycles,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Node = dict[str, Any]


def node(node_id: str, *parents: str, **more: Any) -> Node:
    return {"node_id": node_id, "title": node_id.upper(), "parents": list(parents), **more}


def link(connection_id: str, start: str, end: str, **more: Any) -> dict[str, Any]:
    return {"connection_id": connection_id, "from_node_id": start, "to_node_id": end, **more}


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., KnowledgeGraph]:
    def write_and_load(value: Any, **how: Any) -> KnowledgeGraph:
        path = tmp_path / "town.kg.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
        return load_knowledge_graph(path, **how)

    return write_and_load


def refusal(load: Callable[..., KnowledgeGraph], value: Any) -> tuple[Finding, ...]:
    with pytest.raises(FileRefused) as refused:
        load(value)
    return refused.value.findings


def graph_of(nodes: list[Any], connections: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"nodes": nodes, "connections": connections or []}


# --- what is derived ----------------------------------------------------------------------------

TOWN = graph_of(
    [
        node("town"),
        node("east", "town"),
        node("west", "town"),
        node("bridge", "west", "east"),
        node("booth", "bridge"),
    ],
    [
        link("c1", "booth", "town", label="taxes"),
        link("c2", "east", "booth"),
        link("c3", "booth", "booth"),
    ],
)


def test_children_are_derived_in_file_order(load: Callable[..., KnowledgeGraph]) -> None:
    graph = load(TOWN)
    names = {
        item.id: [graph.nodes[row].id for row in graph.children[number]]
        for number, item in enumerate(graph.nodes)
    }
    assert names == {
        "town": ["east", "west"],
        "east": ["bridge"],
        "west": ["bridge"],
        "bridge": ["booth"],
        "booth": [],
    }


def test_the_path_goes_from_the_root_to_the_node_by_first_parents(
    load: Callable[..., KnowledgeGraph],
) -> None:
    graph = load(TOWN)
    assert graph.path(graph.row("booth")) == ("TOWN", "WEST", "BRIDGE", "BOOTH")
    assert graph.path(graph.row("town")) == ("TOWN",)


def test_descendants_include_the_node_and_go_by_every_parent(
    load: Callable[..., KnowledgeGraph],
) -> None:
    graph = load(TOWN)
    below = {
        name: [graph.nodes[row].id for row in graph.descendants(graph.row(name))]
        for name in ("town", "east", "booth")
    }
    assert below == {
        "town": ["town", "east", "west", "bridge", "booth"],
        "east": ["east", "bridge", "booth"],
        "booth": ["booth"],
    }


def test_links_of_a_node_go_both_ways_and_a_loop_counts_once(
    load: Callable[..., KnowledgeGraph],
) -> None:
    graph = load(TOWN)
    booth = graph.row("booth")
    assert graph.links(booth).tolist() == [0, 1, 2]
    assert [graph.nodes[graph.other_end(line, booth)].id for line in (0, 1, 2)] == [
        "town",
        "east",
        "booth",
    ]
    assert graph.links(graph.row("west")).tolist() == []


def test_missing_optional_values_have_their_defaults(load: Callable[..., KnowledgeGraph]) -> None:
    graph = load(
        {
            "nodes": [{"node_id": "a", "title": "A", "tags": None, "text_content": None}],
            "connections": [link("c", "a", "a")],
        }
    )
    assert graph.nodes[0] == GraphNode("a", "A")
    assert graph.connections[0] == GraphConnection("c", "a", "a", "", "default")


def test_connections_may_be_left_out(load: Callable[..., KnowledgeGraph]) -> None:
    assert load({"nodes": [node("a")]}).connections == ()


def test_unknown_keys_are_ignored(load: Callable[..., KnowledgeGraph]) -> None:
    graph = load(graph_of([node("a", colour="red")], [link("c", "a", "a", from_word="x")]))
    assert graph.findings == ()


# --- findings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "path", "message"),
    [
        ([node("a"), node("b"), node("a")], "nodes[2].node_id", '"a" is also the one of nodes[0]'),
        ([node("a", "a")], "nodes[0].parents[0]", 'cycle: "a" → "a"'),
        (
            [node("r"), node("a", "r", "c"), node("b", "a"), node("c", "b")],
            "nodes[1].parents[1]",
            'cycle: "a" → "c" → "b" → "a"',
        ),
        ([7], "nodes[0]", "expected an object, found the number 7"),
        ([{"title": "A"}], "nodes[0].node_id", "found none"),
        ([node("")], "nodes[0].node_id", "an empty text"),
        ([{"node_id": 3, "title": "A"}], "nodes[0].node_id", "the number 3"),
        ([{"node_id": "a"}], "nodes[0].title", "expected a text, found none"),
        ([node("a", description=1)], "nodes[0].description", "expected a text"),
        ([node("a", text_content=[])], "nodes[0].text_content", "expected a text"),
        ([{"node_id": "a", "title": "A", "parents": "b"}], "nodes[0].parents", "a list of texts"),
        ([node("a", directories=["x", 1])], "nodes[0].directories[1]", "expected a text"),
        ([node("a", tags=["x"])], "nodes[0].tags", "expected an object"),
        ([node("a", tags={"k": None})], "nodes[0].tags.k", "found null"),
        ([node("a", tags={"k": ["x"]})], "nodes[0].tags.k", "found a list"),
    ],
)
def test_an_error_in_a_node_has_its_place(
    nodes: list[Any], path: str, message: str, load: Callable[..., KnowledgeGraph]
) -> None:
    (finding,) = refusal(load, graph_of(nodes))
    assert finding.place.json_path == path
    assert message in finding.message
    assert finding.severity is Severity.ERROR
    assert finding.place.line is not None


@pytest.mark.parametrize(
    ("links", "path", "message"),
    [
        ([link("c", "a", "gone")], "connections[0].to_node_id", 'there is no "gone"'),
        ([link("c", "gone", "a")], "connections[0].from_node_id", 'there is no "gone"'),
        (
            [link("c", "a", "a"), link("c", "b", "a")],
            "connections[1].connection_id",
            '"c" is also the one of connections[0]',
        ),
        ([{"connection_id": "c", "from_node_id": "a"}], "connections[0].to_node_id", "found none"),
        ([link("", "a", "b")], "connections[0].connection_id", "an empty text"),
        ([link("c", "a", "b", label=1)], "connections[0].label", "expected a text"),
        (["c"], "connections[0]", "expected an object"),
    ],
)
def test_a_faulty_connection_is_a_warning_at_its_place_and_the_rest_works(
    links: list[Any], path: str, message: str, load: Callable[..., KnowledgeGraph]
) -> None:
    good = link("good", "a", "b")
    graph = load(graph_of([node("a"), node("b")], [*links, good]))
    (finding,) = graph.findings
    assert (finding.severity, finding.place.json_path) == (Severity.WARNING, path)
    assert message in finding.message
    assert finding.message.endswith("; the connection is left out")
    assert len(graph.connections) == len(links)
    assert graph.connections[-1].id == "good"


def test_an_unknown_parent_is_a_warning_and_the_others_count(
    load: Callable[..., KnowledgeGraph],
) -> None:
    graph = load(graph_of([node("dragon"), node("tower", "dragn", "dragon")]))
    (finding,) = graph.findings
    assert (finding.severity, finding.place.json_path) == (
        Severity.WARNING,
        "nodes[1].parents[0]",
    )
    assert finding.hint == 'did you mean "dragon"?'
    assert graph.nodes[1].parents == ("dragon",)
    assert graph.parents[1] == (0,)


def test_a_title_in_place_of_an_id_and_a_misspelt_id_get_a_hint(
    load: Callable[..., KnowledgeGraph],
) -> None:
    nodes = [{"node_id": "einstein", "title": "Albert Einstein"}, node("bern")]
    links = [link("c1", "Albert Einstein", "bern"), link("c2", "einstein", "bren")]
    assert [finding.hint for finding in load(graph_of(nodes, links)).findings] == [
        'that is the title of "einstein": name the node by its id',
        'did you mean "bern"?',
    ]


def test_two_connections_that_say_the_same_are_a_warning(
    load: Callable[..., KnowledgeGraph],
) -> None:
    links = [
        link("c1", "a", "b", label="x"),
        link("c2", "a", "b", label="y"),
        link("c3", "a", "b", label="x"),
    ]
    (finding,) = load(graph_of([node("a"), node("b")], links)).findings
    assert (finding.severity, finding.place.json_path) == (Severity.WARNING, "connections[2]")
    assert "connections[0]" in finding.message


def test_connections_that_differ_in_an_unknown_key_do_not_say_the_same(
    load: Callable[..., KnowledgeGraph],
) -> None:
    links = [link("c1", "a", "b", word="x"), link("c2", "a", "b", word="y")]
    assert load(graph_of([node("a"), node("b")], links)).findings == ()


def test_a_parent_that_is_named_twice_is_a_warning_and_counts_once(
    load: Callable[..., KnowledgeGraph],
) -> None:
    graph = load(graph_of([node("a"), node("b", "a", "a")]))
    assert [f.place.json_path for f in graph.findings] == ["nodes[1].parents[1]"]
    assert graph.children[0] == (1,)
    assert graph.parents[1] == (0,)


def test_children_that_disagree_with_the_parents_are_warnings(
    load: Callable[..., KnowledgeGraph],
) -> None:
    graph = load(graph_of([node("a", children=["c"]), node("b", "a"), node("c", children=[])]))
    assert [(f.place.json_path, f.message) for f in graph.findings] == [
        ("nodes[0].children", '"c" does not name this node among its parents'),
        ("nodes[0].children", 'the child "b" is missing here'),
    ]


def test_each_group_of_circular_parents_is_one_finding(load: Callable[..., KnowledgeGraph]) -> None:
    nodes = [node("a", "b"), node("b", "a"), node("c", "d"), node("d", "c"), node("e", "a")]
    assert [f.place.json_path for f in refusal(load, graph_of(nodes))] == [
        "nodes[0].parents[0]",
        "nodes[2].parents[0]",
    ]


def test_a_misspelt_key_gets_a_suggestion_once(load: Callable[..., KnowledgeGraph]) -> None:
    nodes = [{"node_id": name, "title": name, "parent": []} for name in "abc"]
    (finding,) = load(graph_of(nodes)).findings
    assert (finding.place.json_path, finding.hint) == ("nodes[0].parent", 'did you mean "parents"?')


def test_an_unknown_key_of_the_file_is_a_warning(load: Callable[..., KnowledgeGraph]) -> None:
    (finding,) = load({**graph_of([node("a")]), "author": "x"}).findings
    assert finding.place.json_path == "author"


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ([], Code.StorageKindMismatch, "found a list"),
        ({"connections": []}, Code.StorageKindMismatch, 'no key "nodes"'),
        ({"nodes": []}, Code.InvalidEmbeddedStringStorageData, "no nodes"),
        ({"nodes": {}}, Code.InvalidEmbeddedStringStorageData, "expected a list"),
        (
            {"nodes": [node("a")], "connections": 1},
            Code.InvalidEmbeddedStringStorageData,
            "expected a list",
        ),
        ({"version": 2, "nodes": [node("a")]}, Code.InvalidEmbeddedStringStorageData, "version 2"),
        (
            {"version": "1", "nodes": [node("a")]},
            Code.InvalidEmbeddedStringStorageData,
            "expected the number 1",
        ),
        ("{", Code.InvalidEmbeddedStringStorageData, "invalid JSON"),
        ('{"nodes": [NaN]}', Code.InvalidEmbeddedStringStorageData, "invalid JSON"),
        ("[" * 10_000, Code.InvalidEmbeddedStringStorageData, "nested too deep"),
        (
            '{"nodes": [{"node_id": "\\ud800"}]}',
            Code.InvalidEmbeddedStringStorageData,
            "invalid JSON",
        ),
        ("null", Code.InvalidEmbeddedStringStorageData, "null"),
    ],
)
def test_what_is_no_knowledge_graph_is_refused(
    value: Any, code: Code, message: str, load: Callable[..., KnowledgeGraph]
) -> None:
    (finding,) = refusal(load, value)
    assert finding.code is code
    assert message in finding.message


def test_a_missing_file_is_3010(tmp_path: Path) -> None:
    with pytest.raises(FileRefused) as refused:
        load_knowledge_graph(tmp_path / "gone.kg.json")
    assert refused.value.code is Code.StorageFileNotFound


def test_all_findings_come_at_once_and_a_hundred_at_most(
    load: Callable[..., KnowledgeGraph],
) -> None:
    assert (
        len(refusal(load, graph_of([node("a", "gone"), node("a")], [link("c", "a", "lost")]))) == 3
    )
    assert len(refusal(load, graph_of([7] * 5000))) == 100


def test_strange_ids_are_just_ids(load: Callable[..., KnowledgeGraph]) -> None:
    names = ["a\u0000b", "\u202eabc", "😀", " ", "nodes[0]"]
    graph = load(graph_of([node(names[0]), *(node(name, names[0]) for name in names[1:])]))
    assert [item.id for item in graph.nodes] == names
    assert len(graph.children[0]) == 4


@pytest.mark.slow
def test_a_chain_of_a_hundred_thousand_parents_is_walked(
    load: Callable[..., KnowledgeGraph],
) -> None:
    count = 100_000
    rows = [GraphNode("0", "0")] + [
        GraphNode(str(n), str(n), parents=(str(n - 1),)) for n in range(1, count)
    ]
    graph = KnowledgeGraph(rows)
    assert len(graph.path(count - 1)) == count
    assert len(graph.descendants(0)) == count


def test_more_than_a_thousand_levels_are_an_error(load: Callable[..., KnowledgeGraph]) -> None:
    def chain(count: int) -> list[Node]:
        return [node("0"), *(node(str(n), str(n - 1)) for n in range(1, count))]

    assert len(load(graph_of(chain(1000)[::-1]))) == 1000
    (finding,) = refusal(load, graph_of(chain(1001)))
    assert "more than 1000 levels" in finding.message


def test_loading_can_be_cancelled(load: Callable[..., KnowledgeGraph]) -> None:
    with pytest.raises(Cancelled):
        load(TOWN, work=Work(is_cancelled=lambda: True))


# --- long files are read in pieces ---------------------------------------------------------------


@pytest.mark.parametrize("piece", [1, 7, 40, 200])
@pytest.mark.parametrize("indent", [None, 1])
def test_a_file_read_in_pieces_says_the_same(
    piece: int, indent: int | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nodes = [
        node(
            f"n{n}",
            *([f"n{n - 1}"] if n else []),
            note=[{"deep": "}, {"}, {"x": [1]}],
            tags={"k": "]},{"},
        )
        for n in range(8)
    ]
    value = {"version": 1, **graph_of(nodes, [link(f"c{n}", f"n{n}", "n0") for n in range(8)])}
    path = tmp_path / "a.kg.json"
    path.write_text(json.dumps(value, indent=indent), "utf-8")
    whole = load_knowledge_graph(path)
    monkeypatch.setattr(graph_pieces, "PIECE_BYTES", piece)
    pieces = load_knowledge_graph(path)
    assert (pieces.nodes, pieces.connections) == (whole.nodes, whole.connections)


@pytest.mark.parametrize("tail", ["", "]", "]}", "]}}", "],}"])
def test_a_cut_file_read_in_pieces_is_refused_with_line_and_column(
    tail: str, monkeypatch: pytest.MonkeyPatch, load: Callable[..., KnowledgeGraph]
) -> None:
    monkeypatch.setattr(graph_pieces, "PIECE_BYTES", 30)
    text = '{"nodes": [' + ",\n".join(json.dumps(node(f"n{n}")) for n in range(9)) + ', {"x"'
    (finding,) = refusal(load, text + tail)
    assert "invalid JSON" in finding.message
    assert finding.place.line == 9


# --- properties ---------------------------------------------------------------------------------

PARENTS = st.lists(st.lists(st.integers(0, 7), max_size=3, unique=True), min_size=8, max_size=8)


def is_own_ancestor(row: int, parents: list[list[int]]) -> bool:
    reached: set[int] = set()
    ahead = list(parents[row])
    while ahead:
        step = ahead.pop()
        if step not in reached:
            reached.add(step)
            ahead += parents[step]
    return row in reached


@settings(deadline=None)
@given(PARENTS)
def test_cycles_are_found_exactly_where_a_node_is_its_own_ancestor(
    parents: list[list[int]],
) -> None:
    cycles = parent_cycles([tuple(above) for above in parents])
    circular = {row for row in range(8) if is_own_ancestor(row, parents)}
    for cycle in cycles:
        assert cycle[0] == min(cycle)
        for row, above in zip(cycle, cycle[1:] + cycle[:1], strict=True):
            assert above in parents[row]
    assert bool(cycles) == bool(circular)
    assert {row for cycle in cycles for row in cycle} <= circular


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 20), max_size=3), max_size=15))
def test_children_and_descendants_agree_with_a_naive_walk(above: list[list[int]]) -> None:
    parents = [tuple(sorted({up for up in ups if up < row})) for row, ups in enumerate(above)]
    nodes = [
        GraphNode(str(row), "", parents=tuple(map(str, ups))) for row, ups in enumerate(parents)
    ]
    graph = KnowledgeGraph(nodes)
    for row in range(len(nodes)):
        assert graph.children[row] == tuple(n for n, ups in enumerate(parents) if row in ups)
        below = {row}
        for later, ups in enumerate(parents):
            if below & set(ups):
                below.add(later)
        assert graph.descendants(row).tolist() == sorted(below)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "a", "b", "c"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "nodes",
                    "connections",
                    "node_id",
                    "title",
                    "parents",
                    "children",
                    "tags",
                    "directories",
                    "connection_id",
                    "from_node_id",
                    "to_node_id",
                    "version",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=25,
)


@pytest.mark.slow
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(nodes=st.lists(JSON, max_size=4), connections=JSON)
def test_any_json_is_a_graph_or_a_refusal(
    nodes: Any, connections: Any, load: Callable[..., KnowledgeGraph]
) -> None:
    with contextlib.suppress(FileRefused):
        graph = load({"nodes": nodes, "connections": connections})
        assert len(graph) == len(nodes)


def test_a_graph_made_in_code_refuses_unknown_and_circular_parents() -> None:
    with pytest.raises(InspectorError, match='no node "b"'):
        KnowledgeGraph([GraphNode("a", "A", parents=("b",))])
    with pytest.raises(InspectorError, match='"a" → "b" → "a"'):
        KnowledgeGraph([GraphNode("a", "A", parents=("b",)), GraphNode("b", "", parents=("a",))])
    with pytest.raises(InspectorError, match="same id"):
        KnowledgeGraph([GraphNode("a", "A"), GraphNode("a", "B")])


def test_a_long_cycle_is_written_short() -> None:
    assert cycle_of_ids(list("abc"), shown=2) == '"a" → "b" → … → "a"'


def test_arrays_are_read_only() -> None:
    graph = KnowledgeGraph([GraphNode("a", "A")], [GraphConnection("c", "a", "a")])
    with pytest.raises(ValueError, match="read-only"):
        graph.from_rows[0] = 1
    assert graph.from_rows.dtype == np.int64


def test_children_of_nothing() -> None:
    assert children_of(()) == ()
    assert parent_cycles(()) == []


def test_the_town_is_free_of_findings_and_large_enough(samples: Path) -> None:
    graph = load_knowledge_graph(samples / "town" / "town.kg.json")
    assert graph.findings == ()
    assert len(graph) >= 64
    assert len(graph.connections) >= 60
    assert all(item.label for item in graph.connections)
    assert all(item.tags and item.directories and item.description for item in graph.nodes)
    assert {"town", "district", "street", "house", "person", "object"} <= {
        item.tags["kind"] for item in graph.nodes
    }
