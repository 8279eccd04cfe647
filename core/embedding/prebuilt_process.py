"""Reads a prebuilt USearch index that came from elsewhere, in a process of its own.

The native loader may crash on a damaged file, so it never runs in the inspector's own process. The
child is this module run as a program: it gets the file's path, and ``vectors`` where these are
wanted, and answers in frames: ``started``, ``progress``, ``rows`` with vectors, and at the end
``fault`` or a description of the index with the vectors of the sample. No file is written.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.io.child_process import parent, send_frame

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from numpy.typing import NDArray

PRECISIONS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}
"""USearch's name of what a vector may be made of → its usual name. Anything less is too coarse."""

REBUILD = "build the index again from these records, or leave index_file out"

INSTALL = 'pip install "retrieve-turn-inspector[usearch]"'

MOST_SAMPLED = 64
"""Rows whose vectors are compared with the model's: half a second of embedding."""

_BLOCK_ROWS = 4096
_METRICS = frozenset({"Cos", "IP"})
_UNIT_TOLERANCE = 0.01
_ROOM_BYTES = 4 << 30
_READING = "reading the prebuilt index"
_ENDS = "from the stream"


class _Unfit(Exception):
    """The index cannot be used: why, and what to do."""

    def __init__(self, fault: str, hint: str = REBUILD) -> None:
        super().__init__(fault)
        self.hint = hint


def sample_rows(count: int) -> list[int]:
    """Return the rows whose vectors are compared with the model's: all, or some far and wide."""
    return sorted(set(np.linspace(0, count - 1, min(count, MOST_SAMPLED)).astype(int).tolist()))


def main() -> None:
    """Check the index whose path is the first argument, and answer in frames."""
    answers, (name, what) = parent()
    path = Path(name)
    try:
        from usearch.index import Index
    except Exception as error:
        _refuse(answers, f"USearch, which reads it, cannot be loaded ({error})", INSTALL)
        return
    send_frame(answers, {"started": True})
    try:
        _bound_memory(path.stat().st_size)
        _answer(Index, path, what == "vectors", answers)
    except _Unfit as unfit:
        _refuse(answers, str(unfit), unfit.hint)
    except Exception as error:
        # Whatever the native code raises, it is the file that it stumbled over.
        said = str(error)
        fault = "cut short, or damaged" if _ENDS in said else "damaged, or too large for the memory"
        _refuse(answers, f"it is {fault} (usearch says: {said})", REBUILD)


def _refuse(answers: Connection, fault: str, hint: str) -> None:
    send_frame(answers, {"fault": fault, "hint": hint})


def _bound_memory(file_bytes: int) -> None:
    """Let a size that a damaged file claims fail here, not take all of the machine's memory."""
    # On Windows there is no such bound, and no such module.
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        room = _ROOM_BYTES + 3 * file_bytes
        resource.setrlimit(resource.RLIMIT_AS, (room, room))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(library: Any, path: Path, with_vectors: bool, answers: Connection) -> None:
    before = os.stat(path)
    send_frame(answers, {"progress": [_READING, 0, 0]})
    with path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    described = library.metadata(path)
    precision = _check_kind(described)
    index = library.restore(path)
    count, dimension = len(index), int(index.ndim)
    if index.multi:
        raise _Unfit(
            "it allows several vectors for one key",
            "build it without multi, one vector for each record",
        )
    if (count, dimension) != (described["count_present"], described["dimensions"]):
        raise _Unfit("it is damaged: it holds another number of vectors than its header says")
    _check_keys(index.keys[:], count)
    is_inner_product = described["kind_metric"].name == "IP"
    rows = sample_rows(count)
    sample = np.empty((len(rows), dimension), dtype="<f4")
    all_lengths = np.empty(count, dtype=np.float32)
    for start in range(0, count, _BLOCK_ROWS):
        send_frame(answers, {"progress": [_READING, start, count]})
        stop = min(start + _BLOCK_ROWS, count)
        block, lengths = _vectors(index, start, stop)
        all_lengths[start:stop] = lengths
        if is_inner_product and (np.abs(lengths - 1) > _UNIT_TOLERANCE).any():
            raise _Unfit(
                "its vectors are not of length 1, so their inner products are no cosines",
                "build the index with the metric cos",
            )
        for place, row in enumerate(rows):
            if start <= row < stop:
                sample[place] = block[row - start] / lengths[row - start]
        if with_vectors:
            unit = np.divide(block, lengths[:, np.newaxis], out=block)
            send_frame(answers, {"rows": [start, stop]}, unit.tobytes())
    _check_lengths(all_lengths)
    after = os.stat(path)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise _Unfit("it changed while it was read", "open the knowledge again")
    send_frame(
        answers,
        {"sha256": sha256, "count": count, "dimension": dimension, "precision": precision},
        sample.tobytes(),
    )


def _check_kind(described: dict[str, Any]) -> str:
    """Return the precision of the vectors; refuse an index that is of no use, whatever it holds."""
    if not described["matrix_included"]:
        raise _Unfit("it was saved without its vectors", "save the index with its vectors")
    metric, kind = described["kind_metric"].name, described["kind_scalar"].name
    if metric not in _METRICS:
        raise _Unfit(
            f"it is built for the metric {metric}, not for cosine distances",
            "build the index with the metric cos",
        )
    if kind not in PRECISIONS:
        raise _Unfit(
            f"it keeps its vectors as {kind}, too coarse for right distances",
            "build the index with vectors of float32 or float16",
        )
    return PRECISIONS[kind]


def _check_keys(keys: NDArray[np.uint64], count: int) -> None:
    """Refuse keys that are not 0 to count − 1, in any order."""
    if not np.array_equal(np.sort(keys), np.arange(count, dtype=np.uint64)):
        found = f"{keys.min()} to {keys.max()}" if len(keys) else "none"
        raise _Unfit(
            f"its keys are not the numbers of the records, 0 to {count - 1} (found {found})",
            "build the index so that each vector's key is the number of its record, counted from 0",
        )


def _check_lengths(lengths: NDArray[np.float32]) -> None:
    """Refuse a few vectors of another length among those of length 1: bytes of them are wrong."""
    odd = np.flatnonzero(np.abs(lengths - 1) > 2 * _UNIT_TOLERANCE)
    if len(odd) and abs(np.median(lengths) - 1) <= _UNIT_TOLERANCE:
        raise _Unfit(
            f"it is damaged: the vector of record {odd[0]} has length "
            f"{lengths[odd[0]]:.3g}, and most have length 1"
        )


def _vectors(
    index: Any,
    start: int,
    stop: int,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Fetch the vectors of some rows, and their lengths: float32 (m, d) and (m,), finite, not 0."""
    found = index.get(np.arange(start, stop, dtype=np.uint64), dtype="f32")
    for row, vector in enumerate(found, start):
        if vector is None:
            raise _Unfit(f"it is damaged: it has no vector for record {row}")
    vectors = np.stack(found).astype("<f4", copy=False).reshape(stop - start, -1)
    with np.errstate(all="ignore"):
        lengths: NDArray[np.float32] = np.sqrt(np.vecdot(vectors, vectors))
    wrong = np.flatnonzero(~np.isfinite(lengths) | (lengths == 0))
    if len(wrong):
        what = "has length 0" if lengths[wrong[0]] == 0 else "holds numbers that cannot be right"
        raise _Unfit(f"the vector of record {start + wrong[0]} {what}")
    return vectors, lengths


if __name__ == "__main__":
    main()
