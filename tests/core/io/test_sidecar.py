"""Sidecar files: whole or not there, believed only when they are intact."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import load_file

from core.io.sidecar import (
    SidecarError,
    SidecarFolder,
    SidecarKey,
    read_sidecar,
    remove_strays,
    temporary_path,
    write_sidecar,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = SidecarKey("test", 2, "ab" * 32, "model", {"k1": 1.2, "name": "x"})
ARRAYS: dict[str, Any] = {
    "floats": np.arange(6, dtype=np.float32).reshape(2, 3),
    "longs": np.array([-1, 2**40], dtype=np.int64),
    "ints": np.array([3], dtype=np.int32),
    "bytes": np.frombuffer(b"words", dtype=np.uint8),
    "nothing": np.zeros((0, 4), dtype=np.float32),
}
same_folder = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "a.test"
    write_sidecar(path, KEY, ARRAYS)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_arrays_come_back_as_they_were(written: Path) -> None:
    found = read_sidecar(written)
    assert KEY.difference(found.key) == ""
    assert found.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert found.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(found.arrays[name], array)
        assert not found.arrays[name].flags.writeable


def test_a_sidecar_is_a_safetensors_file(written: Path) -> None:
    with safe_open(written, "np") as file:
        made_of = json.loads(file.metadata()["key"])
    assert (made_of["version"], made_of["source"], made_of["model"]) == (2, "ab" * 32, "model")
    theirs = load_file(written)
    assert theirs.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        np.testing.assert_array_equal(theirs[name], array)


def test_the_same_content_gives_the_same_bytes(written: Path, tmp_path: Path) -> None:
    write_sidecar(tmp_path / "b.test", KEY, ARRAYS)
    assert (tmp_path / "b.test").read_bytes() == written.read_bytes()


@same_folder
@given(st.data())
def test_a_cut_file_is_refused(written: Path, data: st.DataObject) -> None:
    content = written.read_bytes()
    path = written.with_name("cut")
    path.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(SidecarError):
        read_sidecar(path)


@same_folder
@given(st.data())
def test_a_flipped_bit_is_found(written: Path, data: st.DataObject) -> None:
    content = bytearray(written.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    path = written.with_name("flipped")
    path.write_bytes(content)
    with pytest.raises(SidecarError):
        read_sidecar(path)


@same_folder
@given(st.binary(max_size=300))
def test_a_foreign_file_is_refused(tmp_path: Path, content: bytes) -> None:
    for start in (b"", len(content).to_bytes(8, "little")):
        (tmp_path / "foreign").write_bytes(start + content)
        with pytest.raises(SidecarError):
            read_sidecar(tmp_path / "foreign")


def test_a_file_with_more_behind_it_is_refused(written: Path) -> None:
    written.write_bytes(written.read_bytes() + b"more")
    with pytest.raises(SidecarError):
        read_sidecar(written)


def test_a_folder_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(SidecarError):
        read_sidecar(tmp_path / "a")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_in_its_place_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a")
    with pytest.raises(SidecarError):
        read_sidecar(tmp_path / "a")


@pytest.mark.parametrize(
    "header",
    [
        "[]",
        "{}",
        '{"__metadata__": []}',
        '{"__metadata__": {"sha256": 1, "key": {}}}',
        "[" * 10_000,
    ],
)
def test_a_forged_header_is_refused(tmp_path: Path, header: str) -> None:
    content = header.encode()
    (tmp_path / "a").write_bytes(len(content).to_bytes(8, "little") + content)
    with pytest.raises(SidecarError):
        read_sidecar(tmp_path / "a")


def forged(path: Path, key: str, **arrays: dict[str, Any]) -> None:
    """Write a file whose hash is right, whatever else it says."""
    header: dict[str, Any] = {**arrays, "__metadata__": {"key": key}}
    said = json.dumps(header, sort_keys=True).encode()
    header["__metadata__"]["sha256"] = hashlib.sha256(said + b"12345678").hexdigest()
    content = json.dumps(header).encode()
    path.write_bytes(len(content).to_bytes(8, "little") + content + b"12345678")


@pytest.mark.parametrize(
    ("key", "array"),
    [
        ("{}", {}),
        ("[]", {}),
        ('{"kind": "test", "version": 2, "source": "", "more": 1}', {}),
        (json.dumps(asdict(KEY)), {"dtype": "O", "shape": [1], "data_offsets": [0, 8]}),
        (json.dumps(asdict(KEY)), {"dtype": "I64", "shape": [2], "data_offsets": [0, 16]}),
        (json.dumps(asdict(KEY)), {"dtype": "I64", "shape": [1], "data_offsets": [8, 16]}),
        (json.dumps(asdict(KEY)), {"dtype": "I64", "shape": [1], "data_offsets": [-(10**9), 8]}),
        (json.dumps(asdict(KEY)), {"dtype": "I64", "shape": [10**30], "data_offsets": [0, 8]}),
        (json.dumps(asdict(KEY)), {"dtype": "I64", "shape": ["x"], "data_offsets": [0, 8]}),
        (json.dumps(asdict(KEY)), {"dtype": "I64", "shape": [1], "data_offsets": [[], 8]}),
    ],
)
def test_an_array_outside_the_file_is_refused_even_with_a_right_hash(
    tmp_path: Path, key: str, array: dict[str, Any]
) -> None:
    path = tmp_path / "a"
    forged(path, json.dumps(asdict(KEY)), a={"dtype": "I64", "shape": [1], "data_offsets": [0, 8]})
    assert read_sidecar(path).arrays["a"].tobytes() == b"12345678"
    forged(path, key, a=array)
    with pytest.raises(SidecarError):
        read_sidecar(path)


def test_an_object_array_is_never_written(tmp_path: Path) -> None:
    with pytest.raises((ValueError, TypeError)):
        write_sidecar(tmp_path / "a", KEY, {"objects": np.array([{}], dtype=object)})
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (SidecarKey("other", 2, "ab" * 32, "model", KEY.parameters), "other, not test"),
        (SidecarKey("test", 3, "ab" * 32, "model", KEY.parameters), "version 3, not 2"),
        (SidecarKey("test", 2, "cd" * 32, "model", KEY.parameters), "records have changed"),
        (SidecarKey("test", 2, "ab" * 32, "another", KEY.parameters), "another model"),
        (SidecarKey("test", 2, "ab" * 32, "model", {}), "other parameters"),
    ],
)
def test_a_sidecar_made_of_something_else_is_not_used(
    tmp_path: Path, other: SidecarKey, reason: str
) -> None:
    folder = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
    folder.store(".test", other, ARRAYS)
    assert folder.load(".test", KEY) is None
    assert reason in folder.notes[0]


def test_a_sidecar_lies_beside_the_users_file(tmp_path: Path) -> None:
    folder = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
    assert folder.store(".test", KEY, ARRAYS)
    assert names(tmp_path) == ["k.json.test"]
    assert folder.load(".test", KEY) is not None
    assert folder.notes == ()


def test_knowledge_without_a_file_has_no_sidecars(tmp_path: Path) -> None:
    folder = SidecarFolder(None, tmp_path / "cache")
    assert not folder.store(".test", KEY, ARRAYS)
    assert folder.load(".test", KEY) is None
    assert folder.notes == ()
    assert names(tmp_path) == []


def refuse_to_open_in(folder: Path, monkeypatch: pytest.MonkeyPatch, error: int) -> None:
    """Make files that are written in `folder` fail, as permissions do not stop root."""
    real = os.open

    def open_or_fail(path: Any, flags: int, *args: Any, **kwargs: Any) -> int:
        if flags & os.O_CREAT and Path(path).parent == folder:
            raise OSError(error, os.strerror(error), str(path))
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(os, "open", open_or_fail)


@pytest.mark.parametrize("error", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_a_folder_that_takes_nothing_sends_sidecars_to_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int
) -> None:
    refuse_to_open_in(tmp_path, monkeypatch, error)
    folder = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
    assert folder.store(".test", KEY, ARRAYS)
    assert names(tmp_path) == ["cache"]
    assert folder.load(".test", KEY) is not None
    assert "cache folder is used" in folder.notes[0]
    assert os.strerror(error) in folder.notes[0]


def test_two_files_of_one_name_share_no_sidecar_in_the_cache(tmp_path: Path) -> None:
    one = SidecarFolder(tmp_path / "one" / "k.json", tmp_path / "cache")
    two = SidecarFolder(tmp_path / "two" / "k.json", tmp_path / "cache")
    assert one.paths(".test")[1] != two.paths(".test")[1]


def test_a_full_disk_is_a_note_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    folder = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
    assert not folder.store(".test", KEY, ARRAYS)
    assert "kept in memory" in folder.notes[-1]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    mount = tmp_path / "tiny"
    mount.mkdir()
    try:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(mount)],
            capture_output=True,
            check=False,
        )
    except OSError:
        pytest.skip("no mount command here")
    if made.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield mount
    subprocess.run(["umount", str(mount)], check=True)


def test_a_disk_that_is_really_full_keeps_the_old_file(tiny_disk: Path, tmp_path: Path) -> None:
    folder = SidecarFolder(tiny_disk / "k.json", tmp_path / "cache")
    folder.store(".test", KEY, ARRAYS)
    large = {"floats": np.zeros(100_000, dtype=np.float32)}
    assert folder.store(".test", KEY, large)
    assert names(tiny_disk) == ["k.json.test"]
    assert read_sidecar(tiny_disk / "k.json.test").arrays.keys() == ARRAYS.keys()
    assert "cache folder is used" in folder.notes[0]


def test_temporary_files_of_ended_processes_are_removed(tmp_path: Path) -> None:
    path = tmp_path / "a.test"
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    stray = tmp_path / f".a.test.{ended}.0123.tmp"
    own = temporary_path(path)
    other = tmp_path / f".b.test.{ended}.0123.tmp"
    for file in (stray, own, other):
        file.write_bytes(b"")
    remove_strays(path)
    assert names(tmp_path) == sorted([own.name, other.name])


def test_old_temporary_files_are_removed_whoever_made_them(tmp_path: Path) -> None:
    stray = temporary_path(tmp_path / "a.test")
    stray.write_bytes(b"")
    two_days_ago = time.time() - 2 * 24 * 3600
    os.utime(stray, (two_days_ago, two_days_ago))
    remove_strays(tmp_path / "a.test")
    assert names(tmp_path) == []


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_process_killed_while_writing_leaves_something_to_use(tmp_path: Path, repo: Path) -> None:
    path = tmp_path / "k.json.test"
    write_sidecar(path, KEY, ARRAYS)
    code = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from core.io.sidecar import SidecarKey, write_sidecar\n"
        "array = {'floats': np.zeros(5_000_000, dtype=np.float32)}\n"
        "print('go', flush=True)\n"
        "while True:\n"
        "    write_sidecar(Path(sys.argv[1]), SidecarKey('test', 2, 'x'), array)\n"
    )
    for moment in range(4):
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(path)],
            cwd=repo,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(repo)},
        )
        with child:
            assert child.stdout is not None
            child.stdout.readline()
            wait_for_growth(tmp_path, moment)
            child.send_signal(signal.SIGKILL)
        assert read_sidecar(path).key.kind == "test"
    folder = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
    folder.store(".test", KEY, ARRAYS)
    assert names(tmp_path) == ["k.json.test"]


def wait_for_growth(folder: Path, moment: int) -> None:
    """Wait until a temporary file has some megabytes, more for a later moment."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        for path in folder.glob(".*.tmp"):
            try:
                if path.stat().st_size > moment * 5_000_000:
                    return
            except FileNotFoundError:
                continue


def test_a_foreign_or_newer_file_is_never_replaced_without_a_note(tmp_path: Path) -> None:
    path = tmp_path / "k.json.bm25"
    for content, said in (
        (b"TRYLLBM2 engine data of the game", "this program did not write it"),
        (SidecarKey("bm25", 9, "x"), "format version 9, not 1: a newer program wrote it"),
    ):
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            write_sidecar(path, content, {"a": np.zeros(1, np.float32)})
        sidecars = SidecarFolder(tmp_path / "k.json", tmp_path / "cache")
        assert sidecars.load(".bm25", SidecarKey("bm25", 1, "x")) is None
        [note] = sidecars.notes
        assert note.startswith("k.json.bm25 is made again, in the place of what was there: ")
        assert said in note
