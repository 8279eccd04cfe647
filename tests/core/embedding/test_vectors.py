"""Each text is embedded once, whatever happens to the files and the runs."""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.embedding import vectors as vectors_module
from core.embedding.vectors import PART_SUFFIX, SUFFIX, RecordVectors, prepare_vectors
from core.errors import Cancelled, InspectorError
from core.io.sidecar import SidecarFolder, SidecarKey, write_sidecar
from core.io.work import Work
from tests.core.fake_embedder import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TEXTS = tuple(f"record {'x' * (row % 7)} {row}" for row in range(60))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors_module, "BLOCK_CHARACTERS", 100)


def prepare(
    folder: Path, texts: Sequence[str], embedder: FakeEmbedder, cancel_after: int | None = None
) -> tuple[RecordVectors, SidecarFolder]:
    sidecars = SidecarFolder(folder / "k.json", folder / "cache")
    source = hashlib.sha256(repr(texts).encode()).hexdigest()
    calls = []

    def is_cancelled() -> bool:
        calls.append(1)
        return cancel_after is not None and len(calls) > cancel_after

    made = prepare_vectors(texts, source, embedder, sidecars, work=Work(is_cancelled=is_cancelled))
    return made, sidecars


def assert_right(made: RecordVectors, texts: Sequence[str], embedder: FakeEmbedder) -> None:
    expected = np.array([embedder.vector(text) for text in texts])
    np.testing.assert_array_equal(made.vectors, expected)
    assert made.zero.tolist() == [row for row, vector in enumerate(expected) if not vector.any()]
    assert not made.vectors.flags.writeable


def test_the_vectors_stand_in_file_order(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    made, _ = prepare(tmp_path, [*TEXTS, "...", ""], embedder)
    assert_right(made, [*TEXTS, "...", ""], embedder)
    assert made.embedded == len(TEXTS) + 2


def test_the_second_start_embeds_nothing(tmp_path: Path) -> None:
    prepare(tmp_path, TEXTS, FakeEmbedder())
    embedder = FakeEmbedder()
    made, sidecars = prepare(tmp_path, TEXTS, embedder)
    assert_right(made, TEXTS, embedder)
    assert embedder.embedded == []
    assert sidecars.notes == ()


def test_an_edited_text_is_the_only_one_embedded_again(tmp_path: Path) -> None:
    prepare(tmp_path, TEXTS, FakeEmbedder())
    embedder = FakeEmbedder()
    edited = ["new first", *TEXTS[:30], "edited", *TEXTS[31:]]
    made, _ = prepare(tmp_path, edited, embedder)
    assert_right(made, edited, embedder)
    assert sorted(embedder.embedded) == ["edited", "new first"]


def test_records_in_another_order_embed_nothing(tmp_path: Path) -> None:
    prepare(tmp_path, TEXTS, FakeEmbedder())
    embedder = FakeEmbedder()
    made, _ = prepare(tmp_path, TEXTS[::-1], embedder)
    assert_right(made, TEXTS[::-1], embedder)
    assert embedder.embedded == []


def test_identical_texts_are_embedded_once(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    prepare(tmp_path, ["fish", "water", "fish", "fish"], embedder)
    assert sorted(embedder.embedded) == ["fish", "water"]


def test_another_model_embeds_everything_again(tmp_path: Path) -> None:
    prepare(tmp_path, TEXTS, FakeEmbedder("one"))
    embedder = FakeEmbedder("two")
    made, sidecars = prepare(tmp_path, TEXTS, embedder)
    assert_right(made, TEXTS, embedder)
    assert "another model" in sidecars.notes[0]


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30
)
@given(stops=st.lists(st.integers(0, 5), max_size=5))
def test_stopping_again_and_again_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, stops: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("stops")
    embedder = FakeEmbedder()
    for stop in stops:
        try:
            prepare(folder, TEXTS, embedder, cancel_after=stop)
        except Cancelled:
            continue
    made, _ = prepare(folder, TEXTS, embedder)
    assert_right(made, TEXTS, embedder)
    assert sorted(embedder.embedded) == sorted(TEXTS)
    assert not (folder / f"k.json{PART_SUFFIX}").exists()


def test_a_file_edited_after_a_stop_still_finds_what_was_done(tmp_path: Path) -> None:
    embedder = FakeEmbedder()
    with pytest.raises(Cancelled):
        prepare(tmp_path, TEXTS, embedder, cancel_after=4)
    done = set(embedder.embedded)
    assert 0 < len(done) < len(TEXTS)
    prepare(tmp_path, [*TEXTS, "one more"], embedder)
    assert sorted(embedder.embedded) == sorted([*TEXTS, "one more"])


def test_a_failing_model_keeps_what_is_done(tmp_path: Path) -> None:
    class Failing(FakeEmbedder):
        def embed(self, texts: Sequence[str], *args: object) -> np.ndarray:
            if len(self.embedded) > 20:
                raise RuntimeError
            return super().embed(texts)

    failing, embedder = Failing(), FakeEmbedder()
    with pytest.raises(RuntimeError):
        prepare(tmp_path, TEXTS, failing)
    prepare(tmp_path, TEXTS, embedder)
    assert sorted(failing.embedded + embedder.embedded) == sorted(TEXTS)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 3.0])
def test_a_model_that_returns_nonsense_is_refused(tmp_path: Path, bad: float) -> None:
    class Bad(FakeEmbedder):
        def vector(self, text: str) -> np.ndarray:
            return np.full(self.dimension, bad, dtype=np.float32)

    with pytest.raises(InspectorError) as refusal:
        prepare(tmp_path, TEXTS, Bad())
    assert refusal.value.code == 4001
    prepare(tmp_path, TEXTS, FakeEmbedder())


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40
)
@given(data=st.data(), suffix=st.sampled_from([SUFFIX, PART_SUFFIX]))
def test_damaged_files_are_made_again(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, suffix: str
) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    if suffix == SUFFIX:
        prepare(folder, TEXTS, FakeEmbedder())
    else:
        with pytest.raises(Cancelled):
            prepare(folder, TEXTS, FakeEmbedder(), cancel_after=8)
    path = folder / f"k.json{suffix}"
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans(), label="cut"):
        del content[place:]
    else:
        content[place] ^= 0x10
    path.write_bytes(content)
    embedder = FakeEmbedder()
    made, _ = prepare(folder, TEXTS, embedder)
    assert_right(made, TEXTS, embedder)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_block_that_a_kill_tears_costs_only_that_block(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        prepare(tmp_path, TEXTS, first := FakeEmbedder(), cancel_after=6)
    # Enough for SQLite to write pages before the transaction ends, which it never does.
    code = (
        "import os, signal, sqlite3, sys\n"
        "database = sqlite3.connect(sys.argv[1])\n"
        "database.execute('PRAGMA cache_size = 1')\n"
        "rows = [('x', b'k', b'v' * 5000, b'h')] * 200\n"
        "database.executemany('INSERT INTO vectors VALUES (?, ?, ?, ?)', rows)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / f"k.json{PART_SUFFIX}"
    size = path.stat().st_size
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert path.stat().st_size > size
    prepare(tmp_path, TEXTS, second := FakeEmbedder())
    assert 0 < len(first.embedded) < len(TEXTS)
    assert sorted(first.embedded + second.embedded) == sorted(TEXTS)
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"k.json{SUFFIX}"]


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 2000])
def test_a_foreign_file_in_the_place_of_the_part_is_replaced(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / f"k.json{PART_SUFFIX}").write_bytes(content)
    with pytest.raises(Cancelled):
        prepare(tmp_path, TEXTS, first := FakeEmbedder(), cancel_after=6)
    _, sidecars = prepare(tmp_path, TEXTS, second := FakeEmbedder())
    assert sorted(first.embedded + second.embedded) == sorted(TEXTS)
    assert sidecars.notes == ()


def test_no_foreign_part_and_no_foreign_vectors_are_replaced_without_a_word(
    tmp_path: Path,
) -> None:
    (tmp_path / f"k.json{PART_SUFFIX}").write_bytes(b"no database")
    write_sidecar(
        tmp_path / f"k.json{SUFFIX}", SidecarKey("other", 1, "x"), {"a": np.zeros(1, np.float32)}
    )
    _, sidecars = prepare(tmp_path, TEXTS, FakeEmbedder())
    assert [note.split(":")[0] for note in sidecars.notes] == [
        f"k.json{SUFFIX} is made again, in the place of what was there",
        f"k.json{PART_SUFFIX} is made again, in the place of what was there",
    ]


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE vectors (other TEXT)",
        "CREATE TABLE vectors (made_by TEXT, text BLOB, vector BLOB, sha256 BLOB);"
        "INSERT INTO vectors VALUES ('{made_by}', NULL, 'x', 1)",
        "CREATE TABLE vectors (made_by TEXT, text BLOB, vector BLOB, sha256 BLOB);"
        "INSERT INTO vectors VALUES ('{made_by}', X'00', X'{nan}', X'{hash}')",
    ],
)
def test_a_forged_part_is_not_believed(tmp_path: Path, script: str) -> None:
    embedder = FakeEmbedder()
    nan = np.full(embedder.dimension, np.nan, dtype="<f4").tobytes()
    values = {
        "made_by": f"{vectors_module.FORMAT_VERSION} {embedder.identity}",
        "nan": nan.hex(),
        "hash": hashlib.sha256(b"\0" + nan).hexdigest(),
    }
    with contextlib.closing(sqlite3.connect(tmp_path / f"k.json{PART_SUFFIX}")) as database:
        database.executescript(script.format(**values))
    made, _ = prepare(tmp_path, TEXTS, embedder)
    assert_right(made, TEXTS, embedder)


def test_a_folder_in_the_place_of_the_part_sends_it_to_the_cache(tmp_path: Path) -> None:
    (tmp_path / f"k.json{PART_SUFFIX}").mkdir()
    with pytest.raises(Cancelled):
        prepare(tmp_path, TEXTS, first := FakeEmbedder(), cancel_after=6)
    _, sidecars = prepare(tmp_path, TEXTS, second := FakeEmbedder())
    assert sorted(first.embedded + second.embedded) == sorted(TEXTS)
    assert "cache folder is used" in sidecars.notes[0]


def test_a_part_of_another_model_is_started_anew(tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        prepare(tmp_path, TEXTS, FakeEmbedder("one"), cancel_after=4)
    embedder = FakeEmbedder("two")
    made, _ = prepare(tmp_path, TEXTS, embedder)
    assert_right(made, TEXTS, embedder)


def test_a_disk_that_fills_up_does_not_stop_the_embedding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    monkeypatch.setattr(os, "fsync", lambda handle: full(handle, b""))
    embedder = FakeEmbedder()
    made, sidecars = prepare(tmp_path, TEXTS, embedder)
    assert_right(made, TEXTS, embedder)
    assert any("No space left" in note for note in sidecars.notes)
    assert list(tmp_path.glob(f"*{SUFFIX}")) == []


def test_the_finished_vectors_are_mapped_from_the_file(tmp_path: Path) -> None:
    made, _ = prepare(tmp_path, TEXTS, FakeEmbedder())
    base = made.vectors
    while isinstance(base, np.ndarray) and base.base is not None:
        base = base.base
    assert type(base).__name__ in {"mmap", "memoryview"}


def test_progress_counts_distinct_texts_up_to_the_end(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    sidecars = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
    prepare_vectors(
        [*TEXTS, *TEXTS],
        "a",
        FakeEmbedder(),
        sidecars,
        work=Work(progress=lambda what, done, total: seen.append((done, total))),
    )
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert seen[0] == (0, len(TEXTS))
    assert {total for _, total in seen} == {len(TEXTS)}


def test_the_effort_of_records_is_told_by_their_characters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "BLOCK_CHARACTERS", 1)
    seen: list[Any] = []
    prepare_vectors(
        ["long " * 20, "a" * 19, "b" * 9, "c" * 7],
        "a",
        FakeEmbedder(),
        SidecarFolder(tmp_path / "k.json", tmp_path / "cache"),
        work=Work(progress=lambda _what, done, _total: seen.append((int(done), done.effort))),
    )
    # 101 + 20 + 10 + 8 characters, each text's end included.
    assert seen == [(0, 0), (1, 101 / 139), (2, 121 / 139), (3, 131 / 139)]


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, repo: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tests.core.fake_embedder import FakeEmbedder\n"
        "from core.io.sidecar import SidecarFolder\n"
        "from core.embedding import vectors\n"
        "vectors.BLOCK_CHARACTERS = 100\n"
        "class Slow(FakeEmbedder):\n"
        "    def embed(self, texts, *rest):\n"
        "        print(len(self.embedded), flush=True)\n"
        "        sys.stdin.readline()\n"
        "        return super().embed(texts)\n"
        "folder = Path(sys.argv[1])\n"
        "texts = [f'record {row}' for row in range(60)]\n"
        "vectors.prepare_vectors(texts, 'x', Slow(), SidecarFolder(folder / 'k.json', folder))"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(repo)},
    )
    done = 0
    with child:
        assert child.stdin is not None
        assert child.stdout is not None
        for _ in range(4):
            done = int(child.stdout.readline())
            child.stdin.write("\n")
            child.stdin.flush()
        child.stdout.readline()
        child.send_signal(signal.SIGKILL)
    assert done > 0
    embedder = FakeEmbedder()
    prepare(tmp_path, [f"record {row}" for row in range(60)], embedder)
    assert len(embedder.embedded) < 60 - done
