"""What opening a faulty graph tells."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from core.errors import Code
from core.io.findings import FileRefused, Severity
from core.opening.opening import check_path, open_path

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
