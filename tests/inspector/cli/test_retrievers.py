"""The commands ``keyword`` and ``subgraph``, and ``turn`` and ``check`` on the nodes they run."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from core.keyword.folder import load_corpus
from core.keyword.retriever import KeywordRetriever
from inspector.cli import commands as cli

if TYPE_CHECKING:
    from pathlib import Path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = cli.main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


def json_of(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    status, out, err = run(capsys, *arguments)
    assert (status, err) == (0, "")
    return json.loads(out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    status, out, err = run(capsys, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


def test_keyword_prints_path_score_and_reason(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    folder = samples / "handbook"
    hits = KeywordRetriever(0.5).retrieve("tune fusion", load_corpus(folder), 3)
    assert json_of(capsys, "keyword", folder, "-q", "tune fusion", "-k", 3, "--min-score", 0.5) == [
        {"path": hit.entry.path, "score": hit.score, "match_reason": hit.match_reason}
        for hit in hits
    ]


def test_keyword_prints_an_empty_list_where_nothing_is_found(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    assert json_of(capsys, "keyword", samples / "handbook", "-q", "xyzzy") == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-q", "x", "-k", "0"), "error 3007 InvalidParamValue: k: 0 is out of range: 1 to 1000"),
        (("-q", "x", "-k", "1001"), "3007"),
        (("-q", "x", "-k", "two"), "3007"),
        (("-q", "x", "--min-score", "-0.1"), "3007 InvalidParamValue: min_score"),
        (("-q", "x", "--min-score", "nan"), "3007 InvalidParamValue: min_score"),
        (("-q", "x", "--min-score", "inf"), "3007 InvalidParamValue: min_score"),
        (("-q", "  "), "3007 InvalidParamValue: query"),
        ((), "3007"),
        (("-q", "x", "--odd"), "3007"),
    ],
)
def test_keyword_refuses_bad_values_in_one_line(
    capsys: pytest.CaptureFixture[str], samples: Path, options: tuple[str, ...], said: str
) -> None:
    assert said in refused(capsys, "keyword", samples / "handbook", *options)


def test_keyword_refuses_what_is_no_folder_of_markdown(
    capsys: pytest.CaptureFixture[str], samples: Path, tmp_path: Path
) -> None:
    assert "3010" in refused(capsys, "keyword", tmp_path / "none", "-q", "x")
    assert "3011" in refused(capsys, "keyword", samples / "town" / "town.kg.json", "-q", "x")
    assert "8003" in refused(capsys, "keyword", tmp_path, "-q", "x")


def test_subgraph_prints_the_response_with_exactly_its_keys(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    response = json_of(
        capsys,
        "subgraph",
        samples / "town" / "town.kg.json",
        "-q",
        "glass key",
        "--top-k",
        2,
        "--expansion-depth",
        "standard",
    )
    assert list(response) == ["query", "matches", "nodes", "connections"]
    assert response["query"] == "glass key"
    assert [list(match) for match in response["matches"]] == [
        ["node_id", "title", "score", "match_reason"]
    ] * 2
    assert {tuple(node) for node in response["nodes"]} == {
        ("node_id", "title", "description", "path", "tags", "directories", "text_content")
    }
    assert {tuple(link) for link in response["connections"]} == {
        (
            "connection_id",
            "from_node_id",
            "from_title",
            "to_node_id",
            "to_title",
            "label",
            "connection_type",
        )
    }
    assert response["nodes"][0]["path"] == [
        "Wexholm",
        "Millside",
        "Kiln Yard",
        "Glassworks",
        "Glass Key",
    ]
    inside = {node["node_id"] for node in response["nodes"]}
    assert {
        end
        for link in response["connections"]
        for end in (link["from_node_id"], link["to_node_id"])
    } <= inside


def test_subgraph_looks_only_where_the_scope_is(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    file = samples / "town" / "town.kg.json"
    options = (
        "-q",
        "key",
        "--top-k",
        50,
        "--root-node",
        "harbour",
        "--tag",
        "kind=object",
        "--tag",
        "portable=true",
        "--directory-prefix",
        "wexholm/harbour",
    )
    nodes = json_of(capsys, "subgraph", file, *options)["nodes"]
    assert nodes
    for node in nodes:
        assert "Harbour" in node["path"]
        assert (node["tags"]["kind"], node["tags"]["portable"]) == ("object", True)
        assert node["text_content"] is None
    assert all(
        node["text_content"] is not None
        for node in json_of(capsys, "subgraph", file, *options, "--raw-text")["nodes"]
    )


def test_subgraph_notes_the_cap_on_standard_error(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "wide.kg.json"
    file.write_text(
        json.dumps(
            {
                "nodes": [{"node_id": "hub", "title": "hub"}]
                + [
                    {"node_id": f"n{number}", "title": "leaf", "parents": ["hub"]}
                    for number in range(600)
                ],
                "connections": [],
            }
        ),
        encoding="utf-8",
    )
    status, out, err = run(capsys, "subgraph", file, "-q", "hub", "--expansion-depth", "shallow")
    assert (status, len(json.loads(out)["nodes"])) == (0, 500)
    assert err == ("101 of 601 nodes are left out: a result has at most 500, the nearest first\n")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--top-k", "0"), "top_k: 0 is out of range: 1 to 50"),
        (("--top-k", "51"), "top_k"),
        (("--top-k", "x"), "--top-k"),
        (("--expansion-depth", "far"), "expansion_depth"),
        (("--root-node", "nowhere"), 'there is no node "nowhere"'),
        (("--tag", "kind"), "NAME=VALUE"),
        (("--tag", "=x"), "NAME=VALUE"),
        (("--tag", "a=1", "--tag", "a=2"), "two values"),
        (("-q", " "), "query"),
    ],
)
def test_subgraph_refuses_bad_values_in_one_line(
    capsys: pytest.CaptureFixture[str], samples: Path, options: tuple[str, ...], said: str
) -> None:
    line = refused(capsys, "subgraph", samples / "town" / "town.kg.json", "-q", "x", *options)
    assert line.startswith("error 3007 InvalidParamValue: ")
    assert said in line


def test_subgraph_refuses_other_files_in_one_line(
    capsys: pytest.CaptureFixture[str], samples: Path, tmp_path: Path
) -> None:
    (tmp_path / "broken.json").write_text('{"nodes": [', encoding="utf-8")
    for path, code in (
        (tmp_path / "none.json", "3010"),
        (tmp_path, "3011"),
        (samples / "aquarium" / "aquarium_all_mini.json", "3011"),
        (tmp_path / "broken.json", "8003"),
    ):
        assert f"error {code} " in refused(capsys, "subgraph", path, "-q", "x")


def test_turn_runs_the_shipped_graphs_and_adds_near_misses(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    info = json_of(
        capsys,
        "turn",
        samples / "handbook" / "handbook.graph.json",
        "-m",
        "spoilers",
        "--near-misses",
        2,
    )
    assert info["nodes"][0]["type"] == "KeywordRetrieve"
    assert info["near_misses"] == [
        {
            "id": "concepts/metadata-filter.md",
            "score": 1.5,
            "match_reason": "content:1+cat:concepts×1.5",
            "rank": 2,
            "reason": "min_score",
            "needs": "min_score ≤ 1.5",
            "misses_by": 1.5,
        }
    ]
    info = json_of(
        capsys, "turn", samples / "town" / "town.graph.json", "-m", "glass key", "--near-misses", 1
    )
    assert [node["type"] for node in info["nodes"]] == ["RetrieveSubgraph", "Generate"]
    assert set(info["near_misses"][0]) == {"id", "score", "match_reason", "rank", "reason", "needs"}


def test_turn_sets_their_parameters(capsys: pytest.CaptureFixture[str], samples: Path) -> None:
    info = json_of(
        capsys,
        "turn",
        samples / "handbook" / "handbook.graph.json",
        "-m",
        "threshold",
        "--set",
        "k=2",
        "--set",
        "handbook.min_score=0.25",
        "--set",
        'category_weights={"concepts": 0}',
    )
    section = info["nodes"][0]["diagnostics"]["parameters"]
    assert (section["k"], section["min_score"], section["result_count"]) == (2, 0.25, 2)
    info = json_of(
        capsys,
        "turn",
        samples / "town" / "town.graph.json",
        "-m",
        "key",
        "--set",
        "expansion_depth=deep",
        "--set",
        "top_k=2",
        "--set",
        'tag_filters={"kind": "object"}',
        "--set",
        "include_raw_text=true",
    )
    section = info["nodes"][0]["diagnostics"]["parameters"]
    assert (section["expansion_depth"], section["match_count"]) == ("deep", 2)
    assert section["include_raw_text"] is True
    assert "3007" in refused(
        capsys, "turn", samples / "town" / "town.graph.json", "-m", "key", "--set", "top_k=51"
    )


def test_turn_opens_a_folder_of_pages_and_a_knowledge_graph(
    capsys: pytest.CaptureFixture[str], samples: Path
) -> None:
    info = json_of(capsys, "turn", samples / "town" / "town.kg.json", "-m", "glass key")
    assert info["nodes"][0]["diagnostics"]["parameters"]["knowledge_graph"] == "town.kg.json"
    info = json_of(capsys, "turn", samples / "handbook" / "concepts", "-m", "near miss")
    assert info["nodes"][0]["diagnostics"]["parameters"]["corpus"] == "concepts"
    assert info["nodes"][0]["exit"] == "found"


def test_check_reads_both_kinds(
    capsys: pytest.CaptureFixture[str], samples: Path, tmp_path: Path
) -> None:
    assert run(capsys, "check", samples / "handbook", samples / "town")[:2] == (0, "")
    (tmp_path / "a.md").write_text("---\naliases: {a: b}\n---\n", encoding="utf-8")
    status, out, _ = run(capsys, "check", tmp_path)
    assert status == 1
    assert "aliases must be a list of texts" in out


@pytest.mark.slow
def test_they_load_neither_qt_nor_torch(samples: Path, repo: Path) -> None:
    code = (
        "import sys; from inspector.cli import commands as cli\n"
        f"cli.main(['keyword', {str(samples / 'handbook')!r}, '-q', 'fusion'])\n"
        f"cli.main(['subgraph', {str(samples / 'town' / 'town.kg.json')!r}, '-q', 'key'])\n"
        "print([name for name in ('PySide6', 'torch', 'sentence_transformers') "
        "if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_keyword_tells_near_misses_and_aliases_that_do_not_count_alone(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "concepts").mkdir()
    (tmp_path / "concepts" / "potion.md").write_text("---\naliases: [elixir]\n---\nA drink.")
    status, out, err = run(
        capsys, "keyword", tmp_path, "-q", "an elixir, a trident", "--near-misses", 3
    )
    printed = json.loads(out)
    assert (status, printed["hits"]) == (0, [])
    assert printed["near_misses"] == [
        {
            "path": "concepts/potion.md",
            "score": 0.0,
            "match_reason": "no-match",
            "reason": "min_score",
            "needs": "aliases_overlap ≤ 1",
        }
    ]
    assert printed["query_words"] == {
        "leg": "Keyword",
        "kept": ["elixir", "trident"],
        "dropped": ["an", ",", "a"],
        "unknown": ["trident"],
        "nearest_known": {"trident": []},
    }
    assert 'potion.md aliases: too short to count alone: "elixir"' in err


def test_keyword_tells_of_a_page_whose_words_are_behind_what_is_read(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "temple.md").write_text("x" * 500 + " the trident of Morvane lies here")
    _, out, err = run(capsys, "keyword", tmp_path, "-q", "trident of Morvane", "--min-score", 0)
    assert [hit["match_reason"] for hit in json.loads(out)] == ["no-match"]
    assert err == (
        "note: temple.md has morvane, trident behind the first 500 characters, which alone are "
        "read: preview_chars ≥ 512\n"
    )
