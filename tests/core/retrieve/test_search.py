"""One knowledge base searched from end to end, with an embedder that counts."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.embedding.embedder import ModelProvider
from core.errors import Cancelled, Code, InspectorError
from core.index import lexical
from core.io.sidecar import SidecarFolder
from core.io.work import Work
from core.knowledge.base import open_knowledge
from core.retrieve import search as searcher
from core.retrieve.search import KnowledgeSearch
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TEXTS = [
    "neon tetra fish",
    "water plant",
    "neon tetra fish",
    "clown fish",
    "snail",
    "...",
    "a fish in water",
]
ONLY_EVEN = '{"op":"eq","lhs":{"knowledge":"even"},"rhs":{"value":true}}'


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


def write_knowledge(folder: Path, texts: list[str] = TEXTS) -> Path:
    records = [
        {"id": f"r{row}", "text": text, "metadata": {"even": row % 2 == 0}}
        for row, text in enumerate(texts)
    ]
    (folder / "k.kb.json").write_text(json.dumps(records), encoding="utf-8")
    config = {
        "version": 1,
        "embedding_model": "Fake",
        "records_file": "k.kb.json",
        "fields": [{"name": "even", "type": "bool", "default": False}],
    }
    (folder / "k.json").write_text(json.dumps(config), encoding="utf-8")
    return folder / "k.json"


def search_of(path: Path, embedder: FakeEmbedder | None) -> KnowledgeSearch:
    def loader(name: str) -> FakeEmbedder:
        if embedder is None:
            raise InspectorError(Code.InferenceFailed, "the model is not here", hint="install it")
        return embedder

    knowledge = open_knowledge(path)
    return KnowledgeSearch(
        knowledge, ModelProvider(loader), SidecarFolder(path, path.parent / "cache")
    )


@pytest.fixture
def search(tmp_path: Path, embedder: FakeEmbedder) -> KnowledgeSearch:
    return search_of(write_knowledge(tmp_path), embedder)


def test_both_legs_rank_all_records(search: KnowledgeSearch, embedder: FakeEmbedder) -> None:
    found = search.search("clown fish", dense=True)
    assert found.dense is not None
    assert found.sparse is not None
    assert found.record_count == found.matching_count == len(TEXTS)
    query = embedder.vector("clown fish")
    expected = [1 - float(np.dot(embedder.vector(text), query)) for text in TEXTS]
    np.testing.assert_allclose(found.dense.distances, expected, atol=1e-6)
    assert found.dense.rows[0] == TEXTS.index("clown fish")
    assert found.sparse.rows.tolist()[0] == TEXTS.index("clown fish")
    assert found.sparse.tokens == ("clown", "fish")


def test_lexical_asks_for_no_model(tmp_path: Path) -> None:
    found = search_of(write_knowledge(tmp_path), None).search("fish", dense=False)
    assert found.dense is None
    assert found.sparse is not None
    assert found.embed_ms == 0
    assert sorted(found.sparse.rows.tolist()) == [0, 2, 3, 6]


def test_a_missing_model_says_so_and_lexical_goes_on(tmp_path: Path) -> None:
    search = search_of(write_knowledge(tmp_path), None)
    with pytest.raises(InspectorError, match="not here") as refusal:
        search.search("fish", dense=True)
    assert refusal.value.place.json_path == "embedding_model"
    assert refusal.value.hint == "install it"
    assert search.search("fish", dense=False).sparse is not None


def test_identical_texts_tie_and_stand_in_file_order(search: KnowledgeSearch) -> None:
    found = search.search("tetra", dense=True)
    assert found.dense is not None
    distances, rank = found.dense.distances, found.dense.rank
    assert distances[0] == distances[2]
    assert rank[2] == rank[0] + 1


def test_a_record_without_letters_has_distance_one(search: KnowledgeSearch) -> None:
    found = search.search("tetra", dense=True)
    assert found.dense is not None
    assert found.dense.distances[TEXTS.index("...")] == 1


def test_a_filter_ranks_only_matching_records_by_an_exact_scan(search: KnowledgeSearch) -> None:
    found = search.search("fish", ONLY_EVEN, dense=True)
    assert found.dense is not None
    assert found.sparse is not None
    assert found.matching is not None
    assert found.matching_count == 4
    assert not found.dense.from_index
    assert sorted(found.dense.rows.tolist()) == [0, 2, 4, 6]
    assert sorted(found.sparse.rows.tolist()) == [0, 2, 6]
    assert found.why_filtered(1) != ""
    free = search.search("fish", dense=True)
    assert free.sparse is not None
    assert free.sparse.scores.tolist() == found.sparse.scores.tolist()


def test_a_small_store_answers_from_its_index(search: KnowledgeSearch) -> None:
    found = search.search("fish", dense=True)
    assert found.dense is not None
    assert found.dense.from_index


def test_a_large_store_answers_by_an_exact_scan_until_its_index_is_there(
    search: KnowledgeSearch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searcher, "SMALL_STORE", 3)
    before = search.search("fish", dense=True).dense
    assert before is not None
    assert not before.from_index
    search.prepare_index()
    after = search.search("fish", dense=True).dense
    assert after is not None
    assert after.from_index
    assert after.rows.tolist() == before.rows.tolist()


def test_stages_are_ready_once_they_are_prepared(search: KnowledgeSearch) -> None:
    def made() -> tuple[bool, bool, bool]:
        stages = (search._lexical, search._vectors, search._index)
        words, vectors, index = (stage is not None for stage in stages)
        return words, vectors, index

    assert made() == (False, False, False)
    search.prepare(dense=False)
    assert made() == (True, False, False)
    search.prepare(dense=True)
    assert made() == (True, True, True)


def test_a_query_is_embedded_once_whatever_the_filter(
    search: KnowledgeSearch, embedder: FakeEmbedder
) -> None:
    for filter_text in ("", ONLY_EVEN, ""):
        search.search("fish", filter_text, dense=True)
    assert embedder.queries == ["fish"]


def test_the_second_start_embeds_and_builds_nothing(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_knowledge(tmp_path)
    first = search_of(path, embedder).search("fish", dense=True)
    embedder.embedded.clear()
    monkeypatch.setattr(searcher, "build_index", None)
    monkeypatch.setattr(lexical, "build_lexical_index", None)
    again = search_of(path, embedder)
    second = again.search("fish", dense=True)
    assert first.dense is not None
    assert second.dense is not None
    assert second.dense.rows.tolist() == first.dense.rows.tolist()
    assert embedder.embedded == []
    assert again.notes == ()


def test_an_edited_file_is_searched_as_it_is_now_with_notes(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    search_of(write_knowledge(tmp_path), embedder).search("fish", dense=True)
    embedder.embedded.clear()
    search = search_of(write_knowledge(tmp_path, [*TEXTS, "a whale"]), embedder)
    found = search.search("whale", dense=True)
    assert found.sparse is not None
    assert found.sparse.rows.tolist() == [len(TEXTS)]
    assert embedder.embedded == ["a whale"]
    assert any("records have changed" in note for note in search.notes)


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".bm25", ".vectors", ".hnsw", ".hnsw.head"])
@pytest.mark.parametrize(
    "damage",
    [
        lambda old: b"",
        lambda old: b"foreign" * 100,
        lambda old: old[: len(old) // 2],
        lambda old: old[:-1] + bytes([old[-1] ^ 1]),
    ],
)
def test_a_damaged_sidecar_is_made_again_with_a_note(
    tmp_path: Path, embedder: FakeEmbedder, suffix: str, damage: Callable[[bytes], bytes]
) -> None:
    path = write_knowledge(tmp_path)
    first = search_of(path, embedder).search("fish", dense=True)
    sidecar = path.with_name(path.name + suffix)
    sidecar.write_bytes(damage(sidecar.read_bytes()))
    search = search_of(path, embedder)
    second = search.search("fish", dense=True)
    assert first.dense is not None
    assert second.dense is not None
    assert second.dense.rows.tolist() == first.dense.rows.tolist()
    assert len(search.notes) == 1
    assert search_of(path, embedder).search("fish", dense=True).dense is not None
    healed = search_of(path, embedder)
    healed.search("fish", dense=True)
    assert healed.notes == ()


def test_a_prebuilt_index_of_another_program_is_not_loaded(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    path = write_knowledge(tmp_path)
    config = json.loads(path.read_bytes()) | {"index_file": "k.index"}
    (tmp_path / "k.index").write_bytes(b"native" * 100)
    path.write_text(json.dumps(config), encoding="utf-8")
    search = search_of(path, embedder)
    found = search.search("fish", dense=True)
    assert found.dense is not None
    assert found.dense.from_index
    assert any("k.index" in note and "did not write it" in note for note in search.notes)


def test_a_prebuilt_index_that_we_wrote_is_used(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_knowledge(tmp_path)
    search_of(path, embedder).search("fish", dense=True)
    for suffix in ("", ".head"):
        (tmp_path / f"k.json.hnsw{suffix}").rename(tmp_path / f"shipped.hnsw{suffix}")
    config = json.loads(path.read_bytes()) | {"index_file": "shipped.hnsw"}
    path.write_text(json.dumps(config), encoding="utf-8")
    monkeypatch.setattr(searcher, "build_index", None)
    search = search_of(path, embedder)
    found = search.search("fish", dense=True).dense
    assert found is not None
    assert found.from_index


@pytest.mark.slow
@pytest.mark.parametrize(
    "query",
    [
        "",
        "   ",
        "?!…",
        "🐠🐟",
        "金魚は水",
        "السمكة",
        "x" * 1_000_000,
        "fish " * 200_000,
        "\ud800",
        "\0",
        "a\u202eb",
    ],
)
def test_any_query_has_a_right_result(search: KnowledgeSearch, query: str) -> None:
    found = search.search(query, dense=True)
    assert found.dense is not None
    assert found.sparse is not None
    assert len(found.dense.rows) == len(TEXTS)
    assert set(found.sparse.rows.tolist()) <= {0, 2, 3, 6}


@pytest.mark.parametrize("texts", [["one fish"], ["same"] * 5, ["..."], [""]])
def test_small_and_odd_stores_can_be_searched(
    tmp_path: Path, embedder: FakeEmbedder, texts: list[str]
) -> None:
    found = search_of(write_knowledge(tmp_path, texts), embedder).search("fish", dense=True)
    assert found.dense is not None
    assert found.dense.rows.tolist() == list(range(len(texts)))


def test_results_cannot_be_written_to(search: KnowledgeSearch) -> None:
    found = search.search("fish", dense=True)
    for leg in (found.dense, found.sparse):
        arrays = [
            value for name in leg.__slots__ if isinstance(value := getattr(leg, name), np.ndarray)
        ]
        assert arrays
        assert not any(array.flags.writeable for array in arrays)


def test_a_cancelled_search_raises_and_can_be_repeated(search: KnowledgeSearch) -> None:
    with pytest.raises(Cancelled):
        search.search("fish", dense=True, work=Work(is_cancelled=lambda: True))
    assert search.search("fish", dense=True).dense is not None


def test_whoever_waits_for_another_thread_can_be_cancelled(tmp_path: Path) -> None:
    begun, gate = threading.Event(), threading.Event()

    class Slow(FakeEmbedder):
        def embed(self, texts: Any, *args: Any) -> Any:
            begun.set()
            gate.wait(20)
            return super().embed(texts)

    search = search_of(write_knowledge(tmp_path), Slow())
    thread = threading.Thread(target=search.prepare_dense)
    thread.start()
    begun.wait(20)
    assert search.search("fish", dense=False).sparse is not None
    with pytest.raises(Cancelled):
        search.search("fish", dense=True, work=Work(is_cancelled=lambda: True))
    gate.set()
    thread.join()
    assert search.search("fish", dense=True).dense is not None


def test_many_threads_prepare_everything_once(tmp_path: Path, embedder: FakeEmbedder) -> None:
    search = search_of(write_knowledge(tmp_path), embedder)
    threads = [threading.Thread(target=lambda: search.search("fish", dense=True)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(embedder.embedded) == sorted(set(TEXTS))


def test_a_model_that_changed_while_the_knowledge_is_open_is_refused(
    search: KnowledgeSearch, embedder: FakeEmbedder
) -> None:
    search.search("fish", dense=True)
    embedder.identity = "another"
    with pytest.raises(InspectorError, match="has changed") as refusal:
        search.search("water", dense=True)
    assert refusal.value.code is Code.InvalidEmbeddedStringStorageData


def test_progress_says_what_is_being_done(search: KnowledgeSearch) -> None:
    steps: dict[str, None] = {}
    search.search(
        "fish", dense=True, work=Work(progress=lambda what, done, total: steps.setdefault(what))
    )
    assert list(steps) == [
        "reading words",
        "indexing words",
        "loading the embedding model",
        "embedding records",
        "loading the vector index",
        "building the vector index",
    ]


def test_a_lexical_search_loads_no_torch(samples: Path, repo: Path) -> None:
    code = (
        "import sys; from core.knowledge.base import open_knowledge\n"
        "from core.embedding.embedder import ModelProvider\n"
        "from core.retrieve.search import KnowledgeSearch\n"
        "search = KnowledgeSearch(open_knowledge(sys.argv[1]), ModelProvider())\n"
        "print(len(search.search('fish', dense=False).sparse.rows) > 0,\n"
        "      *[m for m in ('torch', 'sentence_transformers', 'hnswlib', 'PySide6')"
        " if m in sys.modules])"
    )
    path = samples / "aquarium" / "aquarium_all_mini.json"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "True"


def test_the_real_model_finds_the_right_chunk(samples: Path, models: ModelProvider) -> None:
    knowledge = open_knowledge(samples / "aquarium" / "aquarium_all_mini.json")
    search = KnowledgeSearch(knowledge, models)
    row = 17
    found = search.search(knowledge.texts[row], dense=True)
    assert found.dense is not None
    assert found.dense.rows[0] == row
    assert found.dense.distances[row] < 1e-5
    assert found.dense.rows.tolist() == found.dense.order.tolist()
