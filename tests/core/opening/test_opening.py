"""What opening a faulty graph tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from core.errors import Code, InspectorError
from core.io.findings import FileRefused, Severity
from core.opening.opening import check_path, graph_findings, open_path

if TYPE_CHECKING:
    from pathlib import Path


def test_opening_a_faulty_graph_tells_all_that_a_check_finds(tmp_path: Path) -> None:
    path = tmp_path / "faulty.graph.json"
    path.write_text(
        json.dumps(
            {
                "start_node": "nowhere",
                "nodes": [
                    {
                        "name": "a",
                        "type": "Retrieve",
                        "params": {
                            "embedded_string_storage": "missing.json",
                            "top_k": 0,
                            "found_exit": "b",
                        },
                    }
                ],
            }
        )
    )
    with pytest.raises(FileRefused) as refused:
        open_path(path)
    assert refused.value.findings == check_path(path)
    assert {finding.code for finding in refused.value.findings} >= {
        Code.GraphCompilationFailed,
        Code.InvalidParamValue,
        Code.StorageFileNotFound,
    }


def test_a_broken_catalog_of_the_users_models_is_a_warning_of_check_and_of_opening(
    tmp_path: Path, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_CONFIG_DIR", str(tmp_path))
    catalog = tmp_path / "models.json"
    catalog.write_text('{"models": [{"name": 3}]}', encoding="utf-8")
    knowledge = samples / "aquarium" / "aquarium_all_mini.json"
    opened, checked = open_path(knowledge).findings, check_path(knowledge)
    assert opened == checked[:1]
    (finding,) = opened
    assert finding.severity is Severity.WARNING
    assert (finding.place.file, finding.place.json_path) == (str(catalog), "models[0].name")
    assert "the user's models are ignored" in finding.message


def graph_file(path: Path, **params: object) -> Path:
    """Write a graph of one Retrieve with these parameters."""
    node = {"name": "k", "type": "Retrieve", "params": params}
    path.write_text(json.dumps({"start_node": "k", "nodes": [node]}))
    return path


def records_file(path: Path) -> Path:
    path.write_text(json.dumps([{"id": "a", "text": "bread"}]))
    return path


@pytest.mark.parametrize(
    "params",
    [
        {"found_exit": "nowhere"},
        {"filter": "{"},
        {"top_k": "five"},
        {"retrieval_mode": "Fuzzy"},
        {"embedded_string_storage": "gone.json"},
    ],
)
def test_a_graph_with_errors_opens_where_it_is_to_be_mended(
    tmp_path: Path, params: dict[str, object]
) -> None:
    records_file(tmp_path / "r.kb.json")
    path = graph_file(
        tmp_path / "a.graph.json", **{"embedded_string_storage": "r.kb.json"} | params
    )
    opened = open_path(path, faulty=True)
    (found,) = (f for f in graph_findings(opened) if f.severity is Severity.ERROR)
    assert (found.place.node, found.place.param) == ("k", *params)
    assert found.place.file == str(path)


@pytest.mark.parametrize("content", ['{"nodes": 5}', '{"nodes": [}', "", '{"start_node": "a"}'])
def test_what_is_no_graph_at_all_is_refused_even_to_be_mended(tmp_path: Path, content: str) -> None:
    path = tmp_path / "a.graph.json"
    path.write_text(content)
    with pytest.raises(FileRefused):
        open_path(path, faulty=True)


def test_a_node_of_an_unknown_type_stays_in_the_file_of_a_mended_graph(tmp_path: Path) -> None:
    unknown = {"name": "x", "type": "Oracle", "params": {"depth": 3}}
    document = {
        "start_node": "k",
        "nodes": [unknown, 7, {"name": "k", "type": "Retrieve", "params": {"top_k": 0}}],
    }
    path = tmp_path / "a.graph.json"
    path.write_text(json.dumps(document))
    graph = open_path(path, faulty=True).graph
    assert [node.name for node in graph.nodes] == ["k"]
    assert "nodes[2].params.top_k" in {finding.place.json_path for finding in graph.findings}
    graph.with_param("k", "top_k", 7).save(path)
    assert json.loads(path.read_text())["nodes"] == [
        unknown,
        7,
        {"name": "k", "type": "Retrieve", "params": {"top_k": 7}},
    ]


def test_a_storage_root_that_is_not_there_leaves_the_graphs_own_folder(tmp_path: Path) -> None:
    path = graph_file(tmp_path / "a.graph.json", embedded_string_storage="r.kb.json")
    document = json.loads(path.read_text()) | {"storage_root": "elsewhere"}
    path.write_text(json.dumps(document))
    opened = open_path(path, faulty=True)
    assert opened.workspace.root.path == tmp_path.resolve()
    assert "storage_root" in {finding.place.json_path for finding in opened.graph.findings}
    with pytest.raises(InspectorError):
        open_path(path)


@pytest.mark.parametrize(
    ("broken", "content"),
    [
        ("a.graph.json", "{"),
        ("a.graph.json", '{"start_node": "x", "nodes": []}'),
        ("a.json", '{"embedded'),
        ("a.kb.json", "version https://git-lfs.github.com/spec/v1"),
    ],
)
@pytest.mark.parametrize("faulty", [False, True])
def test_one_broken_file_never_keeps_the_rest_of_a_folder_from_opening(
    tmp_path: Path, broken: str, content: str, faulty: bool
) -> None:
    (tmp_path / broken).write_text(content)
    records = records_file(tmp_path / "r.kb.json")
    good = graph_file(tmp_path / "b.graph.json", embedded_string_storage="r.kb.json")
    opened = open_path(tmp_path, faulty=faulty)
    assert opened.path == good
    if broken.endswith(".graph.json"):
        assert {finding.place.file for finding in opened.findings} == {str(tmp_path / broken)}
        return
    good.unlink()
    opened = open_path(tmp_path, faulty=faulty)
    assert opened.path == records
    assert {finding.place.file for finding in opened.findings} == {str(tmp_path / broken)}


def test_of_a_folder_the_faulty_graph_opens_where_there_is_no_better(tmp_path: Path) -> None:
    path = graph_file(tmp_path / "a.graph.json", embedded_string_storage="gone.json")
    records_file(tmp_path / "r.kb.json")
    assert open_path(tmp_path, faulty=True).path == path
    with pytest.raises(FileRefused):
        open_path(tmp_path)


def test_a_folder_of_nothing_but_broken_files_tells_what_is_wrong_with_them(tmp_path: Path) -> None:
    for name in ("a.graph.json", "b.graph.json"):
        (tmp_path / name).write_text("{")
    with pytest.raises(FileRefused) as refused:
        open_path(tmp_path, faulty=True)
    assert len(refused.value.findings) == 2


def test_the_line_of_a_graph_with_many_errors_names_the_first_of_the_engines_order(
    tmp_path: Path,
) -> None:
    path = graph_file(
        tmp_path / "a.graph.json",
        top_k=0,
        embedded_string_storage="gone.json",
        found_exit="nowhere",
    )
    with pytest.raises(FileRefused) as refused:
        open_path(path)
    assert refused.value.code is Code.GraphCompilationFailed
    codes = {finding.code for finding in refused.value.findings}
    assert codes >= {Code.InvalidParamValue, Code.StorageFileNotFound}


def test_the_sources_are_all_that_a_turn_reads_there_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    monkeypatch.setenv("INSPECTOR_CONFIG_DIR", str(tmp_path / "config"))
    (root / "pages").mkdir(parents=True)
    (root / "pages" / "a.md").write_text("---\ntitle: A\n---\ntext")
    (root / "model").mkdir()
    (root / "model" / "modules.json").write_text("[]")
    (root / "config.json").write_text(
        json.dumps({"records_file": "facts.kb.json", "embedding_model": "model"})
    )
    (root / "facts.kb.json").write_text('[{"id": "1", "text": "fish", "metadata": {}}]')
    nodes = [
        {"type": "Retrieve", "params": {"embedded_string_storage": "config.json"}},
        {"type": "KeywordRetrieve", "params": {"corpus": "pages"}},
        {"type": "CannedResponse", "params": {"string_storage": "lines.txt"}},
    ]
    path = root / "all.graph.json"
    path.write_text(
        json.dumps(
            {"start_node": "n0", "nodes": [{"name": f"n{i}", **n} for i, n in enumerate(nodes)]}
        )
    )
    opened = open_path(path)
    opened.workspace.opened("config.json")
    opened.workspace.corpora.corpus("pages", "")
    root = root.resolve()
    assert opened.sources() == {
        path,
        root / "config.json",
        root / "facts.kb.json",
        root / "model",
        root / "pages",
        root / "lines.txt",
        root / "schemas.json",
        root / "data" / "schemas.json",
        tmp_path / "config" / "models.json",
    }


def test_a_broken_markdown_file_never_keeps_the_rest_of_its_folder_from_opening(
    tmp_path: Path,
) -> None:
    (tmp_path / "good.md").write_text("---\ntitle: Bread\n---\nbread")
    (tmp_path / "bad.md").write_bytes(b"\xff\xfe broken")
    opened = open_path(tmp_path)
    found = graph_findings(opened)
    assert [finding.severity for finding in found] == [Severity.WARNING]
    assert found[0].message.startswith("the file is left out: ")
    assert found[0].place.file == str(tmp_path / "bad.md")
    assert [finding.severity for finding in check_path(tmp_path)] == [Severity.ERROR]
