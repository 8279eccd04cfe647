from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from core.agent.workspace import Workspace
from core.embedding.embedder import ModelProvider
from core.errors import InspectorError
from core.io.findings import FileRefused, Severity
from core.io.work import SearchNeeded, Work
from core.knowledge.memory import MemoryStore
from core.knowledge.root import StorageRoot
from core.nodes import KnowledgeSourceKind, RetrievalMode, RetrieveParams
from core.retrieve import memories as memories_module
from core.retrieve.memories import Memories
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

SCHEMAS = {
    "schemas": [
        {"name": "note", "fields": [{"name": "day", "type": "int", "default": 0}]},
        {"name": "same", "fields": [{"name": "day", "type": "int", "default": 0}]},
        {"name": "text", "fields": [{"name": "day", "type": "string", "default": ""}]},
    ]
}


def put(path: Path, name: str, *texts: str, schema: str = "note") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    MemoryStore(
        name,
        schema,
        records=tuple({"id": f"r{number}", "text": text} for number, text in enumerate(texts)),
    ).save(path)
    return path


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
def workspace(tmp_path: Path, embedder: FakeEmbedder) -> Workspace:
    (tmp_path / "schemas.json").write_text(json.dumps(SCHEMAS))
    return Workspace(StorageRoot(tmp_path), ModelProvider(lambda _: embedder))


def test_stores_are_found_by_their_name_down_to_two_folders(
    tmp_path: Path, workspace: Workspace
) -> None:
    put(tmp_path / "a.json", "one")
    put(tmp_path / "b" / "a.json", "two")
    put(tmp_path / "b" / "c" / "a.json", "three")
    put(tmp_path / "b" / "c" / "d" / "a.json", "four")
    assert list(workspace.memories.on_disk()) == ["one", "two", "three"]


def test_other_files_and_hidden_ones_are_no_stores(tmp_path: Path, workspace: Workspace) -> None:
    put(tmp_path / ".hidden" / "a.json", "one")
    put(tmp_path / ".a.json", "two")
    put(tmp_path / "a.txt", "three")
    (tmp_path / "k.json").write_text('[{"id": "a", "text": "x"}]')
    assert dict(workspace.memories.on_disk()) == {}
    assert workspace.memories.findings == ()


def test_a_link_out_of_the_root_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path / "outside" / "a.json", "secret")
    root = tmp_path / "root"
    root.mkdir()
    (root / "b.json").symlink_to(tmp_path / "outside" / "a.json")
    (root / "c").symlink_to(tmp_path / "outside")
    assert dict(Workspace(StorageRoot(root)).memories.on_disk()) == {}


def test_of_two_stores_with_one_name_the_first_by_path_is_taken(
    tmp_path: Path, workspace: Workspace
) -> None:
    put(tmp_path / "b.json", "diary", "from b")
    put(tmp_path / "a" / "z.json", "diary", "from a")
    store = workspace.memories.find("diary")
    assert store is not None
    assert store.records[0]["text"] == "from a"
    (finding,) = workspace.memories.findings
    assert finding.severity is Severity.WARNING
    assert finding.place.file == str(tmp_path / "b.json")


def test_a_broken_store_is_a_finding_and_an_error_when_it_is_asked_for(
    tmp_path: Path, workspace: Workspace
) -> None:
    (tmp_path / "a.json").write_text('{"name": "diary", "records": [{"id": 3}]}')
    (finding,) = workspace.memories.findings
    assert (finding.severity, finding.code) == (Severity.ERROR, 8003)
    with pytest.raises(FileRefused):
        workspace.memories.find("diary")
    assert workspace.memories.find("another") is None


def test_only_so_many_files_are_looked_at(
    tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories_module, "MOST_FILES", 3)
    for number in range(5):
        put(tmp_path / f"{number}.json", f"store {number}")
    assert list(workspace.memories.on_disk()) == ["store 0", "store 1", "store 2"]
    assert "more than 3" in workspace.memories.findings[0].message


def test_the_disk_is_looked_at_once_until_it_is_asked_for_again(
    tmp_path: Path, workspace: Workspace
) -> None:
    assert workspace.memories.find("diary") is None
    put(tmp_path / "a.json", "diary")
    assert workspace.memories.find("diary") is None
    workspace.memories.reload()
    assert workspace.memories.find("diary") is not None


def test_nobody_looks_at_the_disk_when_only_what_is_cached_is_wanted(
    tmp_path: Path, workspace: Workspace
) -> None:
    put(tmp_path / "a.json", "diary")
    with pytest.raises(SearchNeeded):
        workspace.memories.find("diary", work=Work(cached_only=True))
    assert dict(workspace.memories.if_scanned()) == {}
    workspace.memories.on_disk()
    assert workspace.memories.find("diary", work=Work(cached_only=True)) is not None
    assert list(workspace.memories.if_scanned()) == ["diary"]


def test_a_search_is_made_once_for_equal_stores(workspace: Workspace) -> None:
    memories = workspace.memories
    stores = [MemoryStore("diary", "note").append({"id": "a", "text": "key"}) for _ in range(2)]
    with pytest.raises(SearchNeeded):
        memories.candidates(stores[0], "note", "key", "", dense=True, work=Work(cached_only=True))
    found = memories.candidates(stores[0], "note", "key", "", dense=True)
    assert (
        memories.candidates(stores[1], "note", "key", "", dense=True, work=Work(cached_only=True))
        is found
    )
    assert (
        memories.candidates(stores[1], "note", "key", "", dense=False, work=Work(cached_only=True))
        is found
    )


def test_a_lexical_search_does_not_serve_a_dense_one(workspace: Workspace) -> None:
    store = MemoryStore("diary", "note").append({"id": "a", "text": "key"})
    workspace.memories.candidates(store, "note", "key", "", dense=False)
    with pytest.raises(SearchNeeded):
        workspace.memories.candidates(
            store, "note", "key", "", dense=True, work=Work(cached_only=True)
        )


@pytest.mark.parametrize(
    ("theirs", "fits"),
    [("note", True), ("", True), ("same", True), ("text", False), ("gone", False)],
)
def test_a_store_of_another_schema_is_8003(workspace: Workspace, theirs: str, fits: bool) -> None:
    store = MemoryStore("diary", theirs)
    if fits:
        fields = workspace.memories.fields(store, "note")
        assert fields is not None
        assert [field.name for field in fields] == ["day"]
        return
    with pytest.raises(InspectorError) as caught:
        workspace.memories.fields(store, "note", "recall")
    assert caught.value.code == 8003
    assert (caught.value.place.node, caught.value.place.param) == ("recall", "schema")


def test_the_first_difference_of_two_schemas_is_named(workspace: Workspace) -> None:
    with pytest.raises(InspectorError, match='the field "day" is int in the schema, string'):
        workspace.memories.fields(MemoryStore("diary", "text"), "note")


def test_files_in_use_are_those_that_were_asked_for(tmp_path: Path, workspace: Workspace) -> None:
    used = put(tmp_path / "a.json", "diary", "x", "y")
    put(tmp_path / "b.json", "other")
    workspace.memories.find("diary")
    assert workspace.files() == {used: "diary"}
    assert workspace.sizes() == {used: (2, "records")}


def params(mode: RetrievalMode = RetrievalMode.Dense, **changes: Any) -> RetrieveParams:
    values: dict[str, Any] = {
        "source_kind": KnowledgeSourceKind.FromName,
        "storage_name": "diary",
        "schema": "note",
        "retrieval_mode": mode,
    }
    return RetrieveParams(**values | changes)


@pytest.mark.parametrize("mode", list(RetrievalMode))
def test_preparing_embeds_the_stores_that_will_be_searched_by_meaning(
    tmp_path: Path, workspace: Workspace, embedder: FakeEmbedder, mode: RetrievalMode
) -> None:
    put(tmp_path / "a.json", "diary", "the key")
    workspace.prepare([params(mode), params(mode, storage_name="memories_{{var.player}}")])
    assert embedder.embedded == ([] if mode is RetrievalMode.Lexical else ["the key"])


def test_a_saved_store_keeps_its_vectors_and_is_found(
    tmp_path: Path, workspace: Workspace, embedder: FakeEmbedder
) -> None:
    store = MemoryStore("diary", "note").append({"id": "a", "text": "key"})
    assert workspace.memories.find("diary") is None
    workspace.memories.candidates(store, "note", "key", "", dense=True)
    workspace.memories.saved(store.save(tmp_path / "a.json"))
    assert (tmp_path / "a.json.vectors").exists()
    assert workspace.memories.find("diary") == store


def test_searching_knows_no_workspace(tmp_path: Path) -> None:
    memories = Memories(
        StorageRoot(tmp_path), ModelProvider(lambda _: FakeEmbedder()), lambda schema: None
    )
    store = MemoryStore("diary", "any").append({"id": "a", "text": "key"})
    assert memories.candidates(store, "any", "key", "", dense=True).record_count == 1
