"""A vector index in a process of its own: hnswlib lets no other thread run while it loads or saves.

At a million records that is seconds in which a window would stand still. The child is this module
run as a program; it reads the vectors from their sidecar and leaves the index in its own.
"""

from __future__ import annotations

import sys
import threading
import weakref
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from core.io.child_process import ChildProcess, Frame, read_frame, take_output, write_frame
from core.io.sidecar import SidecarFolder, SidecarKey
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.embedding.index_maker import IndexTask


class IndexProcesses:
    """Makes indexes in processes of their own; closing it ends them all."""

    def __init__(self) -> None:
        self._made: weakref.WeakSet[ProcessIndex] = weakref.WeakSet()
        self._closing = threading.Event()

    def __call__(self, task: IndexTask, work: Work = QUIETLY) -> ProcessIndex | None:
        """Load an index, or build and store it; None where the child cannot, or has died.

        Raises
        ------
        Cancelled
            When `work` is cancelled, or this is closed; the child is ended.
        """
        made = ProcessIndex(task)
        self._made.add(made)
        is_ready = made.prepare(
            replace(work, is_cancelled=lambda: work.is_cancelled() or self._closing.is_set())
        )
        return made if is_ready else None

    def close(self) -> None:
        """End all processes."""
        self._closing.set()
        for made in list(self._made):
            made.close()


class ProcessIndex:
    """An index in a child process, which ends with this object.

    Has the `nearest` of `core.index.dense.HnswIndex`; a child that has died answers nothing.
    """

    def __init__(self, task: IndexTask) -> None:
        self._sidecars = task.sidecars
        self.dimension = int(task.key.parameters["dimension"])
        self.count = int(task.key.parameters["count"])
        self._lock = threading.Lock()
        self._child = ChildProcess(__name__)
        self._end = weakref.finalize(self, self._child.stop)
        self._child.send(
            {
                "key": asdict(task.key),
                "vectors_key": asdict(task.vectors_key),
                "places": [str(path) for path in task.sidecars.paths("")],
                "first": [str(path) for path in task.first],
            }
        )

    def prepare(self, work: Work) -> bool:
        """Wait until the child has the index; False when it cannot have it.

        Raises
        ------
        Cancelled
            When `work` is cancelled; the child is ended.
        """
        try:
            while True:
                work.stop_if_cancelled()
                frame = self._child.receive()
                if frame is None:
                    continue
                header, _ = frame
                if "progress" in header:
                    work.progress(*header["progress"])
                    continue
                for note in header["notes"]:
                    self._sidecars.note(note)
                if not header["ready"]:
                    self.close()
                return bool(header["ready"])
        except EOFError:
            self.close()
            return False
        except BaseException:
            self.close()
            raise

    def nearest(self, query: NDArray[np.float32], k: int) -> NDArray[np.int64] | None:
        """Return the rows of `k` near records: int64 (k,); None when the index cannot answer.

        Parameters
        ----------
        query : float32 (dimension,), finite.
        k : 1 to `count`.
        """
        with self._lock:
            self._child.send({"k": k}, np.ascontiguousarray(query, dtype="<f4").tobytes())
            try:
                while (frame := self._child.receive()) is None:
                    pass
            except EOFError:
                self.close()
                return None
        header, payload = frame
        if not header["found"]:
            return None
        rows: NDArray[np.int64] = np.frombuffer(payload, dtype="<i8").astype(np.int64)
        return rows

    def close(self) -> None:
        """End the child."""
        self._end()


def main() -> None:
    """Make one index and answer from it, over standard input and output."""
    requests, answers = sys.stdin.buffer, take_output()
    frame = read_frame(requests)
    if frame is not None:
        _serve(frame[0], requests, answers)


def _serve(task: dict[str, Any], requests: IO[bytes], answers: IO[bytes]) -> None:
    sidecars = SidecarFolder.at([Path(place) for place in task["places"]])
    index = _make(task, sidecars, answers)
    write_frame(answers, {"ready": index is not None, "notes": sidecars.notes})
    frame: Frame | None
    while index is not None and (frame := read_frame(requests)) is not None:
        rows = index.nearest(np.frombuffer(frame[1], dtype="<f4"), frame[0]["k"])
        found = rows.astype("<i8").tobytes() if rows is not None else b""
        write_frame(answers, {"found": rows is not None}, found)


def _make(task: dict[str, Any], sidecars: SidecarFolder, answers: IO[bytes]) -> Any:
    from core.embedding.vectors import stored_vectors
    from core.index.dense import build_index, load_index, store_index

    def report(what: str, done: int, total: int) -> None:
        write_frame(answers, {"progress": [what, done, total]})

    key = SidecarKey(**task["key"])
    index = load_index(key, sidecars, [Path(path) for path in task["first"]])
    if index is not None:
        return index
    vectors = stored_vectors(SidecarKey(**task["vectors_key"]), sidecars)
    if vectors is None or vectors.vectors.shape[0] != key.parameters["count"]:
        return None
    index = build_index(vectors, Work(progress=report))
    store_index(index, key, sidecars)
    return index


if __name__ == "__main__":
    main()
