"""Prebuilt USearch indexes: what fits gives its vectors, what does not is said and never used."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.embedding import prebuilt
from core.embedding.embedder import ModelProvider
from core.embedding.prebuilt import PrebuiltCheck
from core.embedding.prebuilt_process import sample_rows
from core.errors import Cancelled
from core.io.cache import BoundedCache
from core.io.sidecar import SidecarFolder
from core.io.work import Work
from core.knowledge.base import open_knowledge
from core.retrieve.search import KnowledgeSearch
from inspector.cli import commands as cli
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

usearch = pytest.importorskip("usearch.index")
pytestmark = pytest.mark.slow  # each starts a child process that reads an index

COUNT, DIMENSION = 40, 8
TEXTS = [f"fish number {row}" for row in range(COUNT)]
QUERY = "which fish?"


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prebuilt, "_known", BoundedCache(lambda _: 1))


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder(dimension=DIMENSION)


def vectors_of(texts: Sequence[str], identity: str = "fake") -> NDArray[np.float32]:
    made = FakeEmbedder(identity, DIMENSION)
    return np.stack([made.vector(text) for text in texts])


def write_index(path: Path, vectors: NDArray[Any], keys: Any = None, **options: Any) -> Path:
    settings = {"metric": "cos", "dtype": "f32"} | options
    index = usearch.Index(ndim=vectors.shape[1], **settings)
    index.add(np.arange(len(vectors)) if keys is None else np.asarray(keys), vectors, threads=1)
    index.save(str(path))
    return path


def write_knowledge(
    folder: Path,
    texts: Sequence[str] = TEXTS,
    *,
    model: str = "Fake",
    index_file: str = "k.usearch",
) -> Path:
    records = [{"id": f"r{row}", "text": text} for row, text in enumerate(texts)]
    (folder / "k.kb.json").write_text(json.dumps(records), encoding="utf-8")
    config = {"version": 1, "embedding_model": model, "records_file": "k.kb.json", "fields": []}
    if index_file:
        config["index_file"] = index_file
    (folder / "k.json").write_text(json.dumps(config), encoding="utf-8")
    return folder / "k.json"


def search_of(path: Path, embedder: FakeEmbedder) -> KnowledgeSearch:
    return KnowledgeSearch(
        open_knowledge(path),
        ModelProvider(lambda _: embedder),
        SidecarFolder(path, path.parent / "cache"),
    )


def distances(search: KnowledgeSearch) -> NDArray[np.float32]:
    found = search.search(QUERY, dense=True).dense
    assert found is not None
    return found.distances


def expected(texts: Sequence[str] = TEXTS) -> NDArray[np.float32]:
    return 1 - vectors_of(texts) @ FakeEmbedder(dimension=DIMENSION).vector(QUERY)


def faults(path: Path) -> list[str]:
    """Open the knowledge and return what was said about its index: never more than a warning."""
    found = [f for f in open_knowledge(path).findings if f.place.json_path == "index_file"]
    assert all(f.severity == "warning" and "is not used" in f.message for f in found)
    return [f.message for f in found]


def check(path: Path) -> str:
    with PrebuiltCheck(path) as begun:
        return begun.result(None).fault


def test_an_index_that_fits_leaves_nothing_to_say(tmp_path: Path) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    path = write_knowledge(tmp_path)
    assert faults(path) == []
    assert tmp_path / "k.usearch" in open_knowledge(path).files


def test_its_vectors_are_searched_and_no_record_is_embedded(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    search = search_of(write_knowledge(tmp_path), embedder)
    np.testing.assert_allclose(distances(search), expected(), atol=1e-6)
    assert embedder.embedded == []
    assert search.notes == ("the vectors come from the prebuilt index k.usearch",)
    found = search.search("fish", dense=True).dense
    assert found is not None
    assert found.from_index


def test_its_distances_are_those_of_embedding(tmp_path: Path, embedder: FakeEmbedder) -> None:
    for name in ("with", "without"):
        (tmp_path / name).mkdir()
    write_index(tmp_path / "with" / "k.usearch", vectors_of(TEXTS))
    with_index = search_of(write_knowledge(tmp_path / "with"), embedder)
    without = search_of(write_knowledge(tmp_path / "without", index_file=""), embedder)
    np.testing.assert_allclose(distances(with_index), distances(without), atol=1e-6)


def test_the_next_start_asks_neither_the_model_nor_the_index(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    path = write_knowledge(tmp_path)
    first = distances(search_of(path, embedder))
    embedder.embedded.clear()
    monkeypatch.setattr(prebuilt, "_load", None)
    second = search_of(path, embedder)
    assert distances(second).tobytes() == first.tobytes()
    assert embedder.embedded == []
    assert second.notes == ("the vectors come from the prebuilt index k.usearch",)


def test_keys_may_stand_in_any_order(tmp_path: Path, embedder: FakeEmbedder) -> None:
    keys = np.random.default_rng(1).permutation(COUNT)
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS)[keys], keys)
    search = search_of(write_knowledge(tmp_path), embedder)
    np.testing.assert_allclose(distances(search), expected(), atol=1e-6)
    assert embedder.embedded == []


def test_longer_vectors_of_a_cosine_index_are_brought_to_length_1(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    lengths = np.linspace(0.5, 20, COUNT, dtype=np.float32)[:, np.newaxis]
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS) * lengths)
    np.testing.assert_allclose(
        distances(search_of(write_knowledge(tmp_path), embedder)), expected(), atol=1e-6
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "atol", "said"),
    [("f64", 1e-6, ""), ("f16", 2**-11, "float16"), ("bf16", 2**-8, "bfloat16")],
)
def test_the_note_says_how_coarse_an_index_is(
    tmp_path: Path, embedder: FakeEmbedder, dtype: str, atol: float, said: str
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS), dtype=dtype)
    search = search_of(write_knowledge(tmp_path), embedder)
    np.testing.assert_allclose(distances(search), expected(), atol=atol)
    assert embedder.embedded == []
    [note] = search.notes
    assert said in note
    assert ("distances may be off" in note) == bool(said)


def test_inner_products_of_vectors_of_length_1_are_cosines(tmp_path: Path) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS), metric="ip")
    assert faults(write_knowledge(tmp_path)) == []


def test_identical_texts_have_the_same_vector_bit_by_bit(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    texts = [*TEXTS[:-1], TEXTS[3]]
    vectors = vectors_of(texts)
    vectors[-1, 0] += 1e-4
    write_index(tmp_path / "k.usearch", vectors)
    found = distances(search_of(write_knowledge(tmp_path, texts), embedder))
    assert found[-1] == found[3]


def test_vectors_of_another_model_are_searched_as_the_game_does_and_told_at_each_start(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    vectors = vectors_of(TEXTS, "another")
    write_index(tmp_path / "k.usearch", vectors)
    path = write_knowledge(tmp_path)
    for _ in range(2):
        search = search_of(path, embedder)
        np.testing.assert_allclose(
            distances(search), 1 - vectors @ embedder.vector(QUERY), atol=1e-6
        )
        search.compare_prebuilt()
        assert any("made by another model or from other texts" in note for note in search.notes)
    assert embedder.embedded == 2 * [TEXTS[row] for row in sample_rows(COUNT)]


@pytest.mark.parametrize("rows", [(1, 3), (0, COUNT - 1)])
def test_an_index_whose_rows_are_of_other_texts_is_given_up_and_told_at_each_start(
    tmp_path: Path, embedder: FakeEmbedder, rows: tuple[int, int]
) -> None:
    vectors = vectors_of(TEXTS)
    swapped = vectors.copy()
    swapped[list(rows)] = vectors[list(reversed(rows))]
    write_index(tmp_path / "k.usearch", swapped)
    path = write_knowledge(tmp_path)
    for start in range(2):
        search = search_of(path, embedder)
        search.prepare(dense=True)
        np.testing.assert_allclose(
            distances(search), 1 - vectors @ embedder.vector(QUERY), atol=1e-6
        )
        assert any("does not belong to these texts" in note for note in search.notes)
        if start:
            assert embedder.embedded == []
        embedder.embedded.clear()


def test_an_index_of_texts_that_were_edited_since_is_given_up(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(["another text", *TEXTS[1:]]))
    search = search_of(write_knowledge(tmp_path), embedder)
    search.prepare(dense=True)
    assert any("does not belong to these texts" in note for note in search.notes)


def test_vectors_of_the_model_with_coarse_weights_are_used_with_a_note(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    noise = np.random.default_rng(3).standard_normal((COUNT, DIMENSION))
    noise *= 0.25 / np.linalg.norm(noise, axis=1, keepdims=True)
    write_index(tmp_path / "k.usearch", (vectors_of(TEXTS) + noise).astype(np.float32))
    search = search_of(write_knowledge(tmp_path), embedder)
    distances(search)
    search.compare_prebuilt()
    assert any("coarser form of the model" in note for note in search.notes)


def test_vectors_of_the_model_itself_compare_without_a_note(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    search = search_of(write_knowledge(tmp_path), embedder)
    distances(search)
    search.compare_prebuilt()
    assert search.notes == ("the vectors come from the prebuilt index k.usearch",)


def test_a_store_without_an_index_has_nothing_to_compare(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    search = search_of(write_knowledge(tmp_path, index_file=""), embedder)
    distances(search)
    embedder.embedded.clear()
    search.compare_prebuilt()
    assert embedder.embedded == []


def test_an_index_is_used_whatever_was_embedded_before(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    distances(search_of(write_knowledge(tmp_path, index_file=""), embedder))
    vectors = np.roll(vectors_of(TEXTS), 1, axis=0)
    write_index(tmp_path / "k.usearch", vectors)
    search = search_of(write_knowledge(tmp_path), embedder)
    np.testing.assert_allclose(distances(search), 1 - vectors @ embedder.vector(QUERY), atol=1e-6)


def test_a_text_that_changed_after_the_index_was_used_is_embedded(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    distances(search_of(write_knowledge(tmp_path), embedder))
    embedder.embedded.clear()
    changed = [*TEXTS]
    changed[7] = "a whale is no fish"
    found = distances(search_of(write_knowledge(tmp_path, changed), embedder))
    assert embedder.embedded == [changed[7]]
    np.testing.assert_allclose(found, expected(changed), atol=1e-6)


@pytest.mark.slow
def test_another_index_file_is_noticed(tmp_path: Path, embedder: FakeEmbedder) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS), dtype="bf16")
    path = write_knowledge(tmp_path)
    distances(search_of(path, embedder))
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS), dtype="f64")
    np.testing.assert_allclose(distances(search_of(path, embedder)), expected(), atol=1e-7)


def test_an_index_that_left_the_config_is_not_used_any_more(
    tmp_path: Path, embedder: FakeEmbedder
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS), dtype="bf16")
    distances(search_of(write_knowledge(tmp_path), embedder))
    embedder.embedded.clear()
    found = distances(search_of(write_knowledge(tmp_path, index_file=""), embedder))
    assert set(embedder.embedded) == set(TEXTS)
    np.testing.assert_allclose(found, expected(), atol=1e-6)


def test_a_wrong_count_is_told_with_both_numbers(tmp_path: Path, embedder: FakeEmbedder) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS[:-3]))
    path = write_knowledge(tmp_path)
    [fault] = faults(path)
    assert "37 vectors" in fault
    assert "40 records" in fault
    np.testing.assert_allclose(distances(search_of(path, embedder)), expected(), atol=1e-6)
    assert set(embedder.embedded) == set(TEXTS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (np.arange(1, COUNT + 1), "found 1 to 40"),
        (np.arange(COUNT) * 2, "found 0 to 78"),
        ([*range(COUNT - 1), 2**63], "found 0 to 9223372036854775808"),
    ],
)
def test_keys_that_are_not_the_record_numbers_are_told(
    tmp_path: Path, keys: Any, said: str
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS), np.asarray(keys, dtype=np.uint64))
    [fault] = faults(write_knowledge(tmp_path))
    assert "not the numbers of the records, 0 to 39" in fault
    assert said in fault


def test_a_deleted_record_leaves_a_gap(tmp_path: Path) -> None:
    index = usearch.Index(ndim=DIMENSION, dtype="f32")
    index.add(np.arange(COUNT + 1), vectors_of([*TEXTS, "more"]))
    index.remove(5)
    index.save(str(tmp_path / "k.usearch"))
    assert "found 0 to 40" in faults(write_knowledge(tmp_path))[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": "l2sq"}, "metric L2sq"),
        ({"dtype": "i8"}, "as I8, too coarse"),
        ({"multi": True}, "several vectors for one key"),
    ],
)
def test_another_kind_of_index_is_told(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS), **options)
    [fault] = faults(write_knowledge(tmp_path))
    assert said in fault


def test_inner_products_of_longer_vectors_are_told(tmp_path: Path) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS) * 2, metric="ip")
    assert "not of length 1" in faults(write_knowledge(tmp_path))[0]


@pytest.mark.parametrize(
    ("value", "said"),
    [(np.nan, "cannot be right"), (np.inf, "cannot be right"), (0, "has length 0")],
)
def test_vectors_that_no_model_makes_are_told(tmp_path: Path, value: float, said: str) -> None:
    content = bytearray(write_index(tmp_path / "k.usearch", vectors_of(TEXTS)).read_bytes())
    start = 8 + 4 * DIMENSION * 11
    content[start : start + 4 * DIMENSION] = np.full(DIMENSION, value, "<f4").tobytes()
    (tmp_path / "k.usearch").write_bytes(content)
    [fault] = faults(write_knowledge(tmp_path))
    assert "the vector of record" in fault
    assert said in fault


def test_one_vector_longer_than_all_others_is_told(tmp_path: Path) -> None:
    vectors = vectors_of(TEXTS)
    vectors[7] *= 3
    write_index(tmp_path / "k.usearch", vectors)
    [fault] = faults(write_knowledge(tmp_path))
    assert "damaged: the vector of record 7 has length 3" in fault


def test_another_dimension_than_the_models_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    path = write_knowledge(tmp_path, model="All-MiniLM-L6-v2")
    assert cli.main(["check", str(path)]) == 1
    [line] = [line for line in capsys.readouterr().out.splitlines() if "index_file" in line]
    assert line.startswith("error 8003")
    assert "the index has 8" in line
    assert "has 384" in line


def test_a_model_of_another_dimension_embeds(tmp_path: Path) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    search = search_of(write_knowledge(tmp_path), FakeEmbedder(dimension=5))
    assert len(distances(search)) == COUNT
    assert any("8 numbers, the model's have 5" in note for note in search.notes)


def test_without_usearch_the_finding_says_how_to_install_it(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    path = write_knowledge(tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    [finding] = [f for f in open_knowledge(path).findings if f.place.json_path == "index_file"]
    assert "USearch, which reads it, is not installed" in finding.message
    assert finding.hint == 'pip install "retrieve-turn-inspector[usearch]"'
    np.testing.assert_allclose(distances(search_of(path, embedder)), expected(), atol=1e-6)


def test_an_import_hook_that_refuses_usearch_is_as_if_it_were_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str) -> None:
        raise ModuleNotFoundError(name)

    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    monkeypatch.setattr("importlib.util.find_spec", refuse)
    assert "not installed" in faults(write_knowledge(tmp_path))[0]


def test_check_prints_what_does_not_fit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS)[:5])
    status = cli.main(["check", str(write_knowledge(tmp_path))])
    lines = [line for line in capsys.readouterr().out.splitlines() if "index_file" in line]
    assert status == 0
    assert len(lines) == 1
    assert lines[0].startswith("warning 8003")
    assert "it holds 5 vectors, and there are 40 records" in lines[0]


def test_the_main_process_never_loads_usearch(tmp_path: Path) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    code = (
        "import sys\nfrom core.knowledge.base import open_knowledge\n"
        "print(len(open_knowledge(sys.argv[1]).findings))\nassert 'usearch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(write_knowledge(tmp_path))], check=True)


GRAPH_START = 8 + 4 * DIMENSION * COUNT + 64
"""Behind the rows and the head (``index_dense.hpp``)."""


@pytest.mark.slow
@pytest.mark.parametrize("length", [-1, -200, GRAPH_START + 8, GRAPH_START])
def test_a_cut_index_is_told(tmp_path: Path, embedder: FakeEmbedder, length: int) -> None:
    content = write_index(tmp_path / "k.usearch", vectors_of(TEXTS)).read_bytes()
    (tmp_path / "k.usearch").write_bytes(content[:length])
    path = write_knowledge(tmp_path)
    [fault] = faults(path)
    assert "damaged" in fault
    np.testing.assert_allclose(distances(search_of(path, embedder)), expected(), atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("behind", [b"\xff", b"\0", b"random"])
def test_anything_behind_a_good_head_is_told(tmp_path: Path, behind: bytes) -> None:
    content = write_index(tmp_path / "k.usearch", vectors_of(TEXTS)).read_bytes()
    size = len(content) - GRAPH_START
    tail = random.Random(1).randbytes(size) if behind == b"random" else behind * size
    (tmp_path / "k.usearch").write_bytes(content[:GRAPH_START] + tail)
    assert "damaged" in faults(write_knowledge(tmp_path))[0]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_graph_is_told_or_the_vectors_are_right(
    tmp_path: Path, seed: int, embedder: FakeEmbedder
) -> None:
    path = tmp_path / "k.usearch"
    content = bytearray(write_index(path, vectors_of(TEXTS)).read_bytes())
    chance = random.Random(seed)
    for _ in range(10 ** (1 + seed % 3)):
        content[chance.randrange(GRAPH_START, len(content))] = chance.randrange(256)
    path.write_bytes(content)
    np.testing.assert_allclose(
        distances(search_of(write_knowledge(tmp_path), embedder)), expected(), atol=1e-6
    )


def replace_child(monkeypatch: pytest.MonkeyPatch, folder: Path, code: str) -> Path:
    """Let the child be another program; return a file that lists how often it has run."""
    runs = folder / "runs"
    start = (
        f"import os, sys, time, signal\nopen({str(runs)!r}, 'a').write('x')\n"
        "from core.io.child_process import parent, send_frame\nthere, _ = parent()\n"
    )
    (folder / "another_child.py").write_text(start + textwrap.dedent(code), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(folder))
    monkeypatch.setattr(prebuilt, "_MODULE", "another_child")
    return runs


DIES = """
    send_frame(there, {"started": True})
    os.kill(os.getpid(), signal.SIGSEGV)
    """
HANGS = """
    send_frame(there, {"started": True})
    time.sleep(600)
    """


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_file_that_kills_its_reader_is_told_and_nothing_else_happens(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    path = write_knowledge(tmp_path)
    runs = replace_child(monkeypatch, tmp_path, DIES)
    [fault] = faults(path)
    assert "the process that read it died" in fault
    np.testing.assert_allclose(distances(search_of(path, embedder)), expected(), atol=1e-6)
    assert runs.read_text() == "x"


def test_a_reader_that_cannot_start_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    path = write_knowledge(tmp_path)
    runs = replace_child(monkeypatch, tmp_path, "sys.exit(1)")
    for _ in range(2):
        assert "could not start" in faults(path)[0]
    assert runs.read_text() == "xx"


def test_a_file_that_takes_too_long_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    path = write_knowledge(tmp_path)
    replace_child(monkeypatch, tmp_path, HANGS)
    monkeypatch.setattr(prebuilt, "LEAST_TIME_S", 0.3)
    assert "took more than" in faults(path)[0]


def test_an_answer_without_sense_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    replace_child(monkeypatch, tmp_path, "send_frame(there, {'sha256': 1, 'dimension': 3})")
    assert "made no sense" in faults(write_knowledge(tmp_path))[0]


def test_the_check_can_be_cancelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    replace_child(monkeypatch, tmp_path, HANGS)
    with PrebuiltCheck(tmp_path / "k.usearch") as begun, pytest.raises(Cancelled):
        begun.result(COUNT, work=Work(is_cancelled=lambda: True))


def test_a_file_is_read_once_until_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    assert check(path) == ""
    runs = replace_child(monkeypatch, tmp_path, DIES)
    assert check(path) == ""
    assert not runs.exists()
    os.utime(path, ns=(1, 1))
    assert "died" in check(path)


def test_an_index_that_changes_before_its_vectors_are_read_is_not_used(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    load = prebuilt._load

    def load_late(*arguments: Any) -> Any:
        write_index(index, vectors_of(TEXTS, "another"))
        return load(*arguments)

    monkeypatch.setattr(prebuilt, "_load", load_late)
    search = search_of(write_knowledge(tmp_path), embedder)
    np.testing.assert_allclose(distances(search), expected(), atol=1e-6)
    assert any("has changed since" in note for note in search.notes)


def test_no_file_of_the_user_is_changed(tmp_path: Path, embedder: FakeEmbedder) -> None:
    index = write_index(tmp_path / "k.usearch", vectors_of(TEXTS))
    path = write_knowledge(tmp_path)
    before = index.read_bytes(), index.stat().st_mtime_ns, path.read_bytes()
    distances(search_of(path, embedder))
    assert (index.read_bytes(), index.stat().st_mtime_ns, path.read_bytes()) == before


def test_an_index_of_the_real_model_gives_the_distances_of_embedding(
    tmp_path: Path, samples: Path, models: ModelProvider
) -> None:
    records = json.loads((samples / "aquarium" / "aquarium_all_mini.kb.json").read_bytes())
    texts = [record["text"] for record in records]
    embedder = models.get("All-MiniLM-L6-v2")
    vectors = embedder.embed(texts)
    write_index(tmp_path / "k.usearch", vectors)
    path = write_knowledge(tmp_path, texts, model="All-MiniLM-L6-v2")
    assert faults(path) == []
    search = KnowledgeSearch(open_knowledge(path), models)
    found = distances(search)
    np.testing.assert_allclose(found, 1 - vectors @ embedder.embed_query(QUERY), atol=1e-5)
    assert any("come from the prebuilt index" in note for note in search.notes)
