"""A vector index in a child process answers as one in this process does."""

from __future__ import annotations

import gc
import json
import os
import threading
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.embedding.embedder import ModelProvider
from core.embedding.index_maker import IndexTask
from core.embedding.vectors import SUFFIX as VECTORS_SUFFIX
from core.embedding.vectors import RecordVectors, vectors_key
from core.errors import Cancelled
from core.index.dense import SUFFIX, build_index, index_key, load_index
from core.index.index_process import IndexProcesses, ProcessIndex
from core.io.sidecar import SidecarFolder
from core.io.work import Work
from core.knowledge.base import open_knowledge
from core.retrieve import search as searcher
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow  # child processes are started and waited for

COUNT, DIMENSION = 400, 16
SOURCE, MODEL = "a" * 64, "model"
KEY = index_key(SOURCE, MODEL, COUNT, DIMENSION)
VECTORS_KEY = vectors_key(SOURCE, MODEL, DIMENSION)
WAIT_S = 20.0


def random_vectors() -> np.ndarray:
    made = np.random.default_rng(1).standard_normal((COUNT, DIMENSION)).astype(np.float32)
    return made / np.linalg.norm(made, axis=1, keepdims=True)


@pytest.fixture
def sidecars(tmp_path: Path) -> SidecarFolder:
    """A folder in which the vectors lie already."""
    folder = SidecarFolder(tmp_path / "store.json", tmp_path / "cache")
    keys = np.zeros((COUNT, 32), dtype=np.uint8)
    assert folder.store(VECTORS_SUFFIX, VECTORS_KEY, {"keys": keys, "vectors": random_vectors()})
    return folder


@pytest.fixture
def processes() -> Iterator[IndexProcesses]:
    made = IndexProcesses()
    yield made
    made.close()


def task(sidecars: SidecarFolder) -> IndexTask:
    return IndexTask(KEY, VECTORS_KEY, sidecars)


def pid(index: ProcessIndex) -> int:
    return index._child.process.pid


def has_ended(process: int) -> bool:
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        threading.Event().wait(0.005)
    return False


def test_it_is_built_stored_and_answers_as_an_index_in_this_process(
    sidecars: SidecarFolder, processes: IndexProcesses
) -> None:
    told: list[tuple[str, int, int]] = []
    made = processes(task(sidecars), Work(progress=lambda *report: told.append(report)))
    vectors = random_vectors()
    own = build_index(RecordVectors(vectors, np.zeros(0, np.int64), 0))
    for k in (1, 10, COUNT):
        for query in vectors[:5]:
            np.testing.assert_array_equal(made.nearest(query, k), own.nearest(query, k))
    assert told[-1] == ("building the vector index", COUNT, COUNT)
    assert load_index(KEY, sidecars) is not None


def test_one_that_is_stored_is_loaded_and_not_built(
    sidecars: SidecarFolder, processes: IndexProcesses
) -> None:
    processes(task(sidecars))
    stamp = sidecars.paths(SUFFIX)[0].stat().st_mtime_ns
    told: list[object] = []
    again = processes(task(sidecars), Work(progress=lambda *report: told.append(report)))
    assert again.nearest(random_vectors()[3], 1).tolist() == [3]
    assert told == []
    assert sidecars.paths(SUFFIX)[0].stat().st_mtime_ns == stamp


def test_what_the_child_noted_is_noted_here(
    sidecars: SidecarFolder, processes: IndexProcesses
) -> None:
    processes(task(sidecars)).close()
    path = sidecars.paths(SUFFIX)[0]
    path.write_bytes(path.read_bytes()[:-40])
    assert processes(task(sidecars)).nearest(random_vectors()[3], 1).tolist() == [3]
    assert any("is not used" in note for note in sidecars.notes)


def test_without_stored_vectors_there_is_none(tmp_path: Path, processes: IndexProcesses) -> None:
    empty = SidecarFolder(tmp_path / "other.json", tmp_path / "cache")
    assert processes(task(empty)) is None


def test_what_an_index_cannot_answer_is_none(
    sidecars: SidecarFolder, processes: IndexProcesses
) -> None:
    made = processes(task(sidecars))
    query = random_vectors()[0]
    assert made.nearest(query[:5], 1) is None
    assert made.nearest(query, 0) is None
    assert made.nearest(query, COUNT + 1) is None
    assert made.nearest(query * np.float32("nan"), 1) is None
    assert made.nearest(query, 1).tolist() == [0]


def test_a_child_that_died_answers_nothing_any_more(
    sidecars: SidecarFolder, processes: IndexProcesses
) -> None:
    made = processes(task(sidecars))
    os.kill(pid(made), 9)
    assert made.nearest(random_vectors()[0], 1) is None
    assert made.nearest(random_vectors()[0], 1) is None


def test_cancelling_ends_the_child(sidecars: SidecarFolder, processes: IndexProcesses) -> None:
    started: list[int] = []

    def is_cancelled() -> bool:
        started.extend(map(pid, processes._made))
        return True

    with pytest.raises(Cancelled):
        processes(task(sidecars), work=Work(is_cancelled=is_cancelled))
    assert has_ended(started[0])


def test_closing_ends_every_child_and_no_more_is_made(sidecars: SidecarFolder) -> None:
    processes = IndexProcesses()
    made = [processes(task(sidecars)) for _ in range(2)]
    children = [pid(index) for index in made]
    processes.close()
    assert all(map(has_ended, children))
    with pytest.raises(Cancelled):
        processes(task(sidecars))


@pytest.mark.slow
def test_a_child_ends_with_the_index_that_nobody_needs_any_more(
    sidecars: SidecarFolder, processes: IndexProcesses
) -> None:
    made = processes(task(sidecars))
    child = pid(made)
    del made
    gc.collect()
    assert has_ended(child)


def test_questions_of_several_threads_are_answered_each_with_its_own(
    sidecars: SidecarFolder, processes: IndexProcesses
) -> None:
    made, vectors = processes(task(sidecars)), random_vectors()
    answers: dict[int, list[int]] = {}

    def ask(row: int) -> None:
        answers[row] = made.nearest(vectors[row], 1).tolist()

    threads = [threading.Thread(target=ask, args=(row,)) for row in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)
    assert answers == {row: [row] for row in range(20)}


def test_a_search_uses_it_for_a_large_store_and_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "records.json"
    path.write_text(json.dumps([{"id": f"r{row}", "text": f"text {row}"} for row in range(60)]))
    found = []
    for limit, maker in ((1000, None), (10, IndexProcesses())):
        monkeypatch.setattr(searcher, "SMALL_STORE", limit)
        models = ModelProvider(lambda _name: FakeEmbedder(), maker)
        folder = SidecarFolder(tmp_path / f"sidecar {limit}", tmp_path / "cache")
        search = searcher.KnowledgeSearch(open_knowledge(path), models, folder)
        search.prepare_index()
        assert isinstance(search._index, ProcessIndex) is (maker is not None)
        found.append(search.search("text 7", dense=True).dense)
        models.close()
    assert all(leg.from_index for leg in found)
    np.testing.assert_array_equal(found[0].rows, found[1].rows)
