"""The embedder in a process of its own, with a stand-in for the model in the child."""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.embedding.embedder import ModelProvider
from core.embedding.embedder_process import EmbedderProcesses, ProcessEmbedder
from core.errors import Cancelled, Code, InspectorError
from core.io.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.slow  # child processes are started and waited for

WAIT_S = 20.0
STAND_IN = """
import os
import time

import numpy as np

import core.embedding.embedder as embedding
from core.errors import Cancelled, Code, InspectorError
from core.io.work import QUIETLY


class StandIn:
    identity, dimension, max_tokens = "stand-in", 4, 16

    def embed(self, texts, work=QUIETLY):
        print("a library that chatters")
        vectors = np.zeros((len(texts), 4), dtype=np.float32)
        for row, text in enumerate(texts):
            if text == "die":
                os._exit(3)
            if text == "fail":
                raise InspectorError(Code.InferenceFailed, "it failed", hint="try again")
            while text == "wait" and not work.is_cancelled():
                time.sleep(0.005)
            if work.is_cancelled():
                raise Cancelled
            vectors[row] = [len(text), sum(map(ord, text)) % 97, row, 1]
            work.progress("embedding texts", row + 1, len(texts))
        return vectors

    def embed_query(self, text):
        return self.embed([text])[0]


def load(name):
    if name == "unknown":
        raise InspectorError(Code.InvalidEmbeddedStringStorageData, "not known", hint="spell it")
    while name == "slow":
        time.sleep(0.01)
    if name == "crash":
        os._exit(1)
    return StandIn()


embedding.load_embedder = load
"""


def expected(texts: list[str]) -> np.ndarray:
    rows = [[len(text), sum(map(ord, text)) % 97, row, 1] for row, text in enumerate(texts)]
    return np.array(rows, dtype=np.float32).reshape(-1, 4)


@pytest.fixture(autouse=True)
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every child process load the stand-in."""
    (tmp_path / "sitecustomize.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.fixture
def embedder() -> Iterator[ProcessEmbedder]:
    made = ProcessEmbedder("model")
    yield made
    made.close()


def pid(embedder: ProcessEmbedder) -> int:
    assert embedder._child is not None
    return embedder._child.process.pid


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition: Callable[..., Any]) -> None:
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end
        threading.Event().wait(0.005)


def in_thread(work: Callable[..., Any]) -> tuple[threading.Thread, list[object]]:
    """Run `work` in a thread; the list gets its result or its exception."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            results.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, results


def test_the_child_says_what_model_it_has(embedder: ProcessEmbedder) -> None:
    assert (embedder.identity, embedder.dimension, embedder.max_tokens) == ("stand-in", 4, 16)


def test_vectors_come_back_in_the_order_of_the_texts(embedder: ProcessEmbedder) -> None:
    texts = ["one", "two", "three", "", "ünïcödé 日本語 👍"]
    made = embedder.embed(texts)
    assert made.dtype == np.float32
    np.testing.assert_array_equal(made, expected(texts))
    np.testing.assert_array_equal(embedder.embed_query("three"), expected(["three"])[0])


def test_no_texts_give_no_vectors(embedder: ProcessEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 4)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["\0", "\n\r\n", "\ud800 lone", "x" * 1_000_000, '{"cancel": true}']
)
def test_any_text_gets_across(embedder: ProcessEmbedder, text: str) -> None:
    np.testing.assert_array_equal(embedder.embed([text, "y"]), expected([text, "y"]))


def test_progress_of_the_child_is_passed_on(embedder: ProcessEmbedder) -> None:
    told: list[tuple[str, int, int]] = []
    embedder.embed(["a", "b", "c"], Work(progress=lambda *report: told.append(report)))
    assert told == [("embedding texts", n, 3) for n in (1, 2, 3)]


def test_a_cancelled_request_stops_and_the_same_child_goes_on(embedder: ProcessEmbedder) -> None:
    child, stop = pid(embedder), threading.Event()
    begun = threading.Event()
    thread, results = in_thread(
        lambda: embedder.embed(
            ["a", "wait", "b"], Work(progress=lambda *_: begun.set(), is_cancelled=stop.is_set)
        )
    )
    assert begun.wait(WAIT_S)
    stop.set()
    thread.join(WAIT_S)
    assert [type(result) for result in results] == [Cancelled]
    np.testing.assert_array_equal(embedder.embed(["next"]), expected(["next"]))
    assert pid(embedder) == child


def test_a_refusal_of_the_child_is_raised_here(embedder: ProcessEmbedder) -> None:
    with pytest.raises(InspectorError, match="it failed") as caught:
        embedder.embed(["a", "fail"])
    assert (caught.value.code, caught.value.hint) == (Code.InferenceFailed, "try again")
    np.testing.assert_array_equal(embedder.embed(["a"]), expected(["a"]))


def test_a_child_that_dies_fails_one_request_and_the_next_starts_another(
    embedder: ProcessEmbedder,
) -> None:
    first = pid(embedder)
    with pytest.raises(InspectorError, match="died") as caught:
        embedder.embed(["a", "die"])
    assert caught.value.code is Code.InferenceFailed
    np.testing.assert_array_equal(embedder.embed(["a"]), expected(["a"]))
    assert pid(embedder) != first


def test_a_child_killed_between_requests_is_replaced(embedder: ProcessEmbedder) -> None:
    first = pid(embedder)
    os.kill(first, 9)
    embedder._child.process.wait(WAIT_S)
    np.testing.assert_array_equal(embedder.embed(["a"]), expected(["a"]))
    assert pid(embedder) != first


@pytest.mark.parametrize(
    ("name", "code"),
    [("unknown", Code.InvalidEmbeddedStringStorageData), ("crash", Code.InferenceFailed)],
)
def test_a_model_that_cannot_be_loaded_is_refused_and_leaves_no_child(
    name: str, code: Code
) -> None:
    before = children()
    with pytest.raises(InspectorError) as caught:
        ProcessEmbedder(name)
    assert caught.value.code is code
    assert children() == before


def children() -> set[str]:
    return {
        pid
        for task in Path("/proc/self/task").glob("*/children")
        for pid in task.read_text().split()
    }


def test_requests_of_several_threads_are_answered_each_with_its_own(
    embedder: ProcessEmbedder,
) -> None:
    jobs = [in_thread(lambda n=n: embedder.embed([f"text {n}"] * n)) for n in range(1, 9)]
    for number, (thread, results) in enumerate(jobs, start=1):
        thread.join(WAIT_S)
        np.testing.assert_array_equal(results[0], expected([f"text {number}"] * number))


def test_who_waits_for_its_turn_can_be_cancelled(embedder: ProcessEmbedder) -> None:
    stop_first, stop_second, begun = threading.Event(), threading.Event(), threading.Event()
    first, _ = in_thread(
        lambda: embedder.embed(
            ["a", "wait"], Work(progress=lambda *_: begun.set(), is_cancelled=stop_first.is_set)
        )
    )
    assert begun.wait(WAIT_S)
    second, results = in_thread(
        lambda: embedder.embed(["b"], work=Work(is_cancelled=stop_second.is_set))
    )
    stop_second.set()
    second.join(WAIT_S)
    assert [type(result) for result in results] == [Cancelled]
    stop_first.set()
    first.join(WAIT_S)


def test_closing_ends_the_child_in_the_middle_of_a_request(embedder: ProcessEmbedder) -> None:
    child, begun = pid(embedder), threading.Event()
    thread, results = in_thread(
        lambda: embedder.embed(["a", "wait"], Work(progress=lambda *_: begun.set()))
    )
    assert begun.wait(WAIT_S)
    embedder.close()
    thread.join(WAIT_S)
    assert [type(result) for result in results] == [Cancelled]
    assert not is_running(child)
    embedder.close()
    with pytest.raises(Cancelled):
        embedder.embed(["after"])


def test_closing_ends_models_that_are_still_loading() -> None:
    before = children()
    provider = ModelProvider(EmbedderProcesses())
    thread, results = in_thread(lambda: provider.get("slow"))
    wait_until(lambda: children() - before)
    provider.close()
    thread.join(WAIT_S)
    assert [type(result) for result in results] == [Cancelled]
    assert children() == before
    with pytest.raises(Cancelled):
        provider.get("model")


def test_a_child_ends_with_the_process_that_started_it(embedder: ProcessEmbedder) -> None:
    process = embedder._child.process
    embedder._child._connection.close()
    assert process.wait(WAIT_S) == 0


def test_a_child_that_embeds_ends_with_the_process_that_started_it(
    embedder: ProcessEmbedder,
) -> None:
    process = embedder._child.process
    embedder._child.send({"texts": ["a", "wait"], "query": False})
    embedder._child._connection.close()
    assert process.wait(WAIT_S) == 0


def test_no_thread_is_left_of_a_child_that_has_ended() -> None:
    before = set(threading.enumerate())
    ProcessEmbedder("model").close()
    assert set(threading.enumerate()) == before


def test_a_connection_is_closed_with_the_last_who_has_it() -> None:
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))
    ProcessEmbedder("model").close()
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= before


def test_nothing_heavy_is_loaded_by_the_parent(repo: Path) -> None:
    import subprocess

    code = (
        "import sys; from core.embedding.embedder_process import ProcessEmbedder; "
        "e = ProcessEmbedder('model'); e.embed(['a']); e.close(); "
        "print(sorted({'torch', 'sentence_transformers', 'PySide6'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=repo,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "[]"
