"""A vector index in a process of its own: hnswlib lets no other thread run while it loads or saves.

At a million records that is seconds in which a window would stand still. The child is this module
run as a program; it reads the vectors from their sidecar and leaves the index in its own.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.io.child_process import ChildProcess, parent, receive_frame, send_frame
from core.io.sidecar import SidecarFolder, SidecarKey
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from core.embedding.index_maker import IndexTask
    from core.index.dense import HnswIndex


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
            header, _ = self._child.answer(work)
        except EOFError:
            header = {"ready": False, "notes": ()}
        except BaseException:
            self.close()
            raise
        for note in header["notes"]:
            self._sidecars.note(note)
        if not header["ready"]:
            self.close()
        return bool(header["ready"])

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
                header, payload = self._child.answer()
            except EOFError:
                self.close()
                return None
        if not header["found"]:
            return None
        rows: NDArray[np.int64] = np.frombuffer(payload, dtype="<i8").astype(np.int64)
        return rows

    def close(self) -> None:
        """End the child."""
        self._end()


def main() -> None:
    """Make one index, and answer from it until the connection ends."""
    there, _ = parent()
    with contextlib.suppress(EOFError, OSError):
        task, _ = receive_frame(there)
        sidecars = SidecarFolder.at([Path(place) for place in task["places"]])
        index = _make(
            task, sidecars, Work(progress=lambda *report: send_frame(there, {"progress": report}))
        )
        send_frame(there, {"ready": index is not None, "notes": sidecars.notes})
        while index is not None:
            question, payload = receive_frame(there)
            rows = index.nearest(np.frombuffer(payload, dtype="<f4"), question["k"])
            found = rows.astype("<i8").tobytes() if rows is not None else b""
            send_frame(there, {"found": rows is not None}, found)


def _make(task: dict[str, Any], sidecars: SidecarFolder, work: Work) -> HnswIndex | None:
    from core.embedding.vectors import stored_vectors
    from core.index.dense import build_index, load_index, store_index

    key = SidecarKey(**task["key"])
    index = load_index(key, sidecars, [Path(path) for path in task["first"]])
    if index is not None:
        return index
    vectors = stored_vectors(SidecarKey(**task["vectors_key"]), sidecars)
    if vectors is None or vectors.vectors.shape[0] != key.parameters["count"]:
        return None
    index = build_index(vectors, work)
    store_index(index, key, sidecars)
    return index


if __name__ == "__main__":
    main()
