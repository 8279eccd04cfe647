"""Embeddings are those of the library; models that cannot be trusted are refused."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.embedding import embedder as embedding
from core.embedding.embedder import ModelProvider, SentenceTransformerEmbedder, load_embedder
from core.embedding.models import DEFAULT_MODEL, find_model
from core.embedding.weights import check_modules, check_weights, file_hash, model_identity
from core.errors import Cancelled, Code, InspectorError
from core.io.work import Work
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [
    "Neon tetras live in schools.",
    "a",
    "",
    "   ",
    "🐠",
    "金魚は水の中にいる",
    "سمكة في البحر",
    "fish " * 400,
    "x" * 3000,
    "Clownfish: an anemonefish of the ocean.",
]


@pytest.fixture(scope="module")
def embedder(models: ModelProvider) -> SentenceTransformerEmbedder:
    made = models.get(DEFAULT_MODEL)
    assert isinstance(made, SentenceTransformerEmbedder)
    return made


@pytest.fixture
def copied_model(tmp_path: Path) -> Path:
    """The shipped model in a folder of its own, its weights a link."""
    entry = find_model(DEFAULT_MODEL)
    source = entry.folder() if entry else None
    assert source is not None
    folder = tmp_path / "model"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("*.safetensors", "*.txt"))
    (folder / "model.safetensors").symlink_to(source / "model.safetensors")
    return folder


def test_embeddings_are_those_of_the_library(embedder: SentenceTransformerEmbedder) -> None:
    expected = embedder._model.encode(TEXTS, normalize_embeddings=True, show_progress_bar=False)
    made = embedder.embed(TEXTS)
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, expected, atol=1e-5)
    query = embedder.embed_query(TEXTS[0])
    np.testing.assert_allclose(query, expected[0], atol=1e-5)


def test_distances_are_those_of_a_direct_dot_product(embedder: SentenceTransformerEmbedder) -> None:
    from core.embedding.vectors import RecordVectors
    from core.index.dense import exact_distances

    made = embedder.embed(TEXTS)
    records = RecordVectors(made, np.flatnonzero(~made.any(axis=1)), 0)
    library = embedder._model.encode(
        [*TEXTS, "small fish for beginners"], normalize_embeddings=True, show_progress_bar=False
    )
    expected = [
        1 - sum(float(a) * float(b) for a, b in zip(row, library[-1], strict=True))
        for row in library[:-1]
    ]
    found = exact_distances(records, embedder.embed_query("small fish for beginners"))
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_vectors_have_length_one(embedder: SentenceTransformerEmbedder) -> None:
    np.testing.assert_allclose(np.linalg.norm(embedder.embed(TEXTS), axis=1), 1, atol=1e-5)


def test_no_texts_make_no_vectors(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_a_megabyte_of_query_is_cut_where_the_model_stops_reading(
    embedder: SentenceTransformerEmbedder,
) -> None:
    long = embedder.embed_query("fish tank " * 100_000)
    np.testing.assert_allclose(long, embedder.embed_query("fish tank " * 200), atol=1e-5)


def test_a_lone_surrogate_is_embedded_as_an_unknown_character(
    embedder: SentenceTransformerEmbedder,
) -> None:
    made = embedder.embed_query("fish \ud800")
    assert np.isfinite(made).all()


def test_embedding_reports_every_text_and_stops_when_asked(
    embedder: SentenceTransformerEmbedder,
) -> None:
    seen: list[tuple[int, int]] = []
    embedder.embed(TEXTS, Work(progress=lambda what, done, total: seen.append((done, total))))
    assert seen[-1] == (len(TEXTS), len(TEXTS))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    with pytest.raises(Cancelled):
        embedder.embed(TEXTS, work=Work(is_cancelled=lambda: True))


def test_two_threads_can_embed_at_once(embedder: SentenceTransformerEmbedder) -> None:
    expected = embedder.embed(TEXTS[:10])
    results: list[Any] = [None] * 4

    def work(place: int) -> None:
        results[place] = embedder.embed(TEXTS[:10])

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_allclose(result, expected, atol=1e-5)


def test_embedding_leaves_no_thread_behind(embedder: SentenceTransformerEmbedder) -> None:
    embedder.embed(TEXTS)
    assert not [t for t in threading.enumerate() if t.name.startswith("embedding")]


def test_a_model_that_fails_is_an_inference_error(
    embedder: SentenceTransformerEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(embedder._model, "forward", fail)
    with pytest.raises(InspectorError, match="out of memory") as refusal:
        embedder.embed_query("fish")
    assert refusal.value.code is Code.InferenceFailed


def test_the_library_is_told_to_stay_offline(embedder: SentenceTransformerEmbedder) -> None:
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert os.environ["TRANSFORMERS_OFFLINE"] == "1"


@pytest.mark.slow
def test_loading_prints_nothing_and_reaches_for_no_network(repo: Path) -> None:
    code = (
        "import socket\n"
        "def refuse(*args, **kwargs): raise SystemExit('the network was used')\n"
        "socket.socket.connect = refuse\n"
        "from core.embedding.embedder import load_embedder\n"
        "print(load_embedder('all-MiniLM-L6-v2').embed_query('fish').shape)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, check=False
    )
    assert (done.stdout.strip(), done.stderr) == ("(384,)", "")


def test_an_unknown_model_is_refused_with_a_suggestion() -> None:
    with pytest.raises(InspectorError) as refusal:
        load_embedder("All-MiniLM-L6-v3 (Q4_K_M)")
    assert refusal.value.code is Code.InvalidEmbeddedStringStorageData
    assert DEFAULT_MODEL in refusal.value.hint


def test_a_model_that_is_not_installed_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECTOR_CONFIG_DIR", str(tmp_path))
    (tmp_path / "models.json").write_text(
        json.dumps({"models": [{"name": "Gone", "package": "some_model", "folder": "model"}]})
    )
    with pytest.raises(InspectorError) as refusal:
        load_embedder("Gone")
    assert refusal.value.code is Code.InferenceFailed
    assert "pip install some-model" in refusal.value.hint


def test_a_missing_library_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(InspectorError) as refusal:
        load_embedder(DEFAULT_MODEL)
    assert refusal.value.code is Code.InferenceFailed
    assert "pip install sentence-transformers" in refusal.value.hint


@pytest.mark.slow
def test_altered_weights_are_refused(copied_model: Path) -> None:
    entry = find_model(DEFAULT_MODEL)
    assert entry is not None
    check_weights(entry, copied_model)
    content = bytearray((copied_model / "model.safetensors").read_bytes())
    content[len(content) // 2] ^= 1
    (copied_model / "model.safetensors").unlink()
    (copied_model / "model.safetensors").write_bytes(content)
    with pytest.raises(InspectorError, match="not the original") as refusal:
        check_weights(entry, copied_model)
    assert refusal.value.code is Code.InvalidEmbeddedStringStorageData


def test_weights_that_are_missing_are_refused(copied_model: Path) -> None:
    entry = find_model(DEFAULT_MODEL)
    assert entry is not None
    (copied_model / "model.safetensors").unlink()
    with pytest.raises(InspectorError) as refusal:
        check_weights(entry, copied_model)
    assert refusal.value.code is Code.InferenceFailed


@pytest.mark.parametrize(
    ("modules", "reason"),
    [
        ([{"type": "evil.Module", "path": ""}], "code of its own"),
        ([{"type": "sentence_transformers_evil.Module", "path": ""}], "code of its own"),
        ([{"type": "sentence_transformers.models.Dense", "path": "../.."}], "outside the folder"),
        ([{"type": "sentence_transformers.models.Dense", "path": "2_Dense"}], "pickled"),
        ([{}], "cannot be used"),
        (3, "cannot be used"),
    ],
)
def test_a_model_with_code_or_pickles_of_its_own_is_refused(
    copied_model: Path, modules: Any, reason: str
) -> None:
    (copied_model / "2_Dense").mkdir()
    (copied_model / "2_Dense" / "pytorch_model.bin").write_bytes(b"")
    (copied_model / "modules.json").write_text(json.dumps(modules))
    entry = find_model(str(copied_model))
    assert entry is not None
    with pytest.raises(InspectorError, match=reason) as refusal:
        check_modules(entry, copied_model)
    assert refusal.value.code is Code.InvalidEmbeddedStringStorageData


def test_weights_that_git_lfs_has_not_fetched_are_told(copied_model: Path) -> None:
    weights = copied_model / "model.safetensors"
    weights.unlink()
    weights.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n")
    entry = find_model(str(copied_model))
    assert entry is not None
    with pytest.raises(InspectorError, match="a Git LFS pointer") as refusal:
        check_modules(entry, copied_model)
    assert "git lfs pull" in refusal.value.hint


def test_a_folder_of_the_same_files_is_the_same_model(copied_model: Path) -> None:
    entry = find_model(str(copied_model))
    assert entry is not None
    before = model_identity(entry, copied_model)
    config = copied_model / "1_Pooling" / "config.json"
    config.write_text(config.read_text().replace("384", "385"))
    assert model_identity(entry, copied_model) != before


def with_prompts(folder: Path, **prompts: str) -> None:
    config = folder / "config_sentence_transformers.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"prompts": prompts}))


def test_a_model_s_own_prompts_stand_before_questions_and_records(
    copied_model: Path, embedder: SentenceTransformerEmbedder
) -> None:
    with_prompts(copied_model, query="query: ", passage="passage: ")
    made = load_embedder(str(copied_model))
    question, record = embedder._model.encode(
        ["query: Where is it?", "passage: It is here."], normalize_embeddings=True
    )
    np.testing.assert_allclose(made.embed_query("Where is it?"), question, atol=1e-5)
    np.testing.assert_allclose(made.embed(["It is here."])[0], record, atol=1e-5)


@pytest.mark.slow
def test_a_prompt_that_the_pooling_leaves_out_is_left_out(copied_model: Path) -> None:
    with_prompts(copied_model, query="query: ")
    pooling = copied_model / "1_Pooling" / "config.json"
    pooling.write_text(json.dumps(json.loads(pooling.read_text()) | {"include_prompt": False}))
    made = load_embedder(str(copied_model))
    expected = made._model.encode_query(["Where is it?"], normalize_embeddings=True)
    np.testing.assert_allclose(made.embed_query("Where is it?"), expected[0], atol=1e-5)


def test_vectors_of_other_prompts_are_another_model_s(copied_model: Path) -> None:
    entry = find_model(str(copied_model))
    assert entry is not None
    known = {model_identity(entry, copied_model)}
    for prompts in ({"query": "query: "}, {"passage": "query: "}, {"passage": "passage: "}):
        with_prompts(copied_model, **prompts)
        known.add(model_identity(entry, copied_model))
    assert len(known) == 4


def test_a_model_is_loaded_from_any_folder_and_its_dimension_checked(
    copied_model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    embedder: SentenceTransformerEmbedder,
) -> None:
    made = load_embedder(str(copied_model))
    np.testing.assert_allclose(made.embed_query("fish"), embedder.embed_query("fish"), atol=1e-6)
    monkeypatch.setenv("INSPECTOR_CONFIG_DIR", str(tmp_path))
    (tmp_path / "models.json").write_text(
        json.dumps({"models": [{"name": "Odd", "folder": str(copied_model), "dimension": 383}]})
    )
    with pytest.raises(InspectorError, match="384 numbers, the catalog says 383"):
        load_embedder("Odd")


@pytest.mark.slow
def test_a_folder_that_cannot_be_loaded_is_an_inference_error(copied_model: Path) -> None:
    (copied_model / "config.json").write_text("{}")
    with pytest.raises(InspectorError, match="cannot be loaded") as refusal:
        load_embedder(str(copied_model))
    assert refusal.value.code is Code.InferenceFailed


def test_the_hash_of_a_large_file_is_remembered_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large"
    for byte in b"ab":
        path.write_bytes(bytes([byte]) * (1 << 21))
        os.utime(path, ns=(byte, byte))
        expected = hashlib.sha256(path.read_bytes()).hexdigest()
        assert file_hash(path) == expected
        with monkeypatch.context() as patch:
            patch.setattr(hashlib, "file_digest", None)
            assert file_hash(path) == expected


def test_a_cache_that_cannot_be_written_to_only_costs_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"x" * (1 << 21))
    monkeypatch.setenv("INSPECTOR_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert file_hash(tmp_path / "file") == hashlib.sha256(b"x" * (1 << 21)).hexdigest()


def test_a_model_is_loaded_once_however_it_is_called() -> None:
    names: list[str] = []

    def loader(name: str) -> FakeEmbedder:
        names.append(name)
        return FakeEmbedder()

    provider = ModelProvider(loader)
    assert not provider.loaded(DEFAULT_MODEL)
    first = provider.get("all-minilm-l6-v2")
    assert provider.get(DEFAULT_MODEL) is first
    assert names == [DEFAULT_MODEL]
    assert provider.loaded("ALL-MiniLM-L6-v2")


def test_a_model_that_failed_to_load_is_tried_again() -> None:
    answers: list[Any] = [InspectorError(Code.InferenceFailed, "no"), FakeEmbedder()]

    def loader(name: str) -> FakeEmbedder:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        assert isinstance(answer, FakeEmbedder)
        return answer

    provider = ModelProvider(loader)
    with pytest.raises(InspectorError):
        provider.get("x")
    assert not provider.loaded("x")
    provider.get("x")


def test_threads_that_ask_at_once_share_one_model() -> None:
    gate, names, results = threading.Event(), [], []

    def loader(name: str) -> FakeEmbedder:
        names.append(name)
        gate.wait(10)
        return FakeEmbedder()

    provider = ModelProvider(loader)
    threads = [threading.Thread(target=lambda: results.append(provider.get("x"))) for _ in range(3)]
    for thread in threads:
        thread.start()
    gate.set()
    for thread in threads:
        thread.join()
    assert len(names) == 1
    assert len(set(map(id, results))) == 1


def test_a_model_whose_files_changed_is_ended_and_loaded_anew(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[]")
    made: list[_Closing] = []

    def load(_name: str) -> Any:
        made.append(_Closing())
        return made[-1]

    models = ModelProvider(load)
    first = models.get(str(tmp_path))
    models.forget_changed()
    assert models.get(str(tmp_path)) is first
    (tmp_path / "config.json").write_text("{}")
    models.forget_changed()
    assert made[0].is_closed
    assert models.get(str(tmp_path)) is made[1]


class _Closing(FakeEmbedder):
    is_closed = False

    def close(self) -> None:
        self.is_closed = True


def test_closing_ends_the_embedders_that_need_it() -> None:
    class Closing(FakeEmbedder):
        closed = False

        def close(self) -> None:
            self.closed = True

    made = Closing()
    provider = ModelProvider(lambda name: made)
    provider.get("x")
    provider.close()
    assert made.closed
    assert not provider.loaded("x")


def test_batches_hold_texts_of_like_length_and_few_tokens(
    embedder: SentenceTransformerEmbedder,
) -> None:
    texts = ["word " * (1 + row * 7 % 90) for row in range(200)]
    batches = list(embedder._batches(texts))
    assert sorted(row for rows in batches for row in rows) == list(range(200))
    for rows in batches:
        longest = max(texts[row].count("word") + 2 for row in rows)
        assert longest * len(rows) <= embedding.BATCH_TOKENS
