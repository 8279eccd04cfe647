"""The dense leg: cosine distances, exact and from an HNSW index.

Distance is 1 − cos(query, record), 0 to 2, smaller is closer.

Source
------
Malkov, Yashunin: Efficient and robust approximate nearest neighbor search using Hierarchical
Navigable Small World graphs, TPAMI 2020; its authors' library hnswlib.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from core.index.candidates import MAX_DEPTH, DenseLeg, ranks
from core.index.hnsw_file import HnswFileError, check_hnsw_file
from core.index.leg_query import DENSE_QUERY, LegQuery
from core.index.order import smallest_first
from core.io.sidecar import (
    SidecarError,
    SidecarFolder,
    SidecarKey,
    read_sidecar,
    temporary_path,
    write_sidecar,
)
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from core.embedding.index_maker import VectorIndex
    from core.embedding.vectors import RecordVectors

M = 16
EF_CONSTRUCTION = 200
SEED = 100
SMALL_STORE = 20_000
"""Up to this many records one thread builds the index, so that it is the same everywhere."""

SUFFIX = ".hnsw"
HEADER_SUFFIX = ".head"
FORMAT_VERSION = 2

_LEAST_EF = 100
_CHUNK = 512


def search_ef(k: int) -> int:
    """Candidates that HNSW keeps while it looks for `k` records: 2 · k, and 100 at least."""
    return max(2 * k, _LEAST_EF)


def exact_distances(records: RecordVectors, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Cosine distance of every record: float32 (n,), 0 to 2, read-only.

    A vector of length 0 has distance 1 to everything. Equal vectors have equal distances.

    Parameters
    ----------
    query : float32 (d,), of length 1 or 0.
    """
    # Each row by itself: a matrix-vector product rounds a row by its place and the threads.
    distances: NDArray[np.float32] = np.vecdot(records.vectors, query)
    np.subtract(np.float32(1), distances, out=distances)
    np.clip(distances, 0, 2, out=distances)
    if not query.any():
        distances[:] = 1
    distances[records.zero] = 1
    distances.setflags(write=False)
    return distances


def dense_leg(
    records: RecordVectors,
    query: NDArray[np.float32],
    matching: NDArray[np.bool_] | None = None,
    index: VectorIndex | None = None,
    seen: LegQuery = DENSE_QUERY,
) -> DenseLeg:
    """Rank the records by distance, ties by row.

    Parameters
    ----------
    query : float32 (d,), of length 1 or 0.
    matching : bool (n,), the filter's mask: an exact scan of the matching records answers.
    index : what answers without a filter; an exact scan where it is None or fails to.
    seen : the query as the model reads it.

    Raises
    ------
    ValueError
        The query has another dimension, or a number that is not finite.
    """
    count, dimension = records.vectors.shape
    if query.shape != (dimension,) or not np.isfinite(query).all():
        raise ValueError(f"no query vector of {dimension} finite numbers")
    # Index and scan leave the interpreter to each other, so they run side by side.
    with ThreadPoolExecutor(1, "dense") as side:
        asked = (
            side.submit(index.nearest, query, min(MAX_DEPTH, count))
            if index is not None and matching is None
            else None
        )
        distances = exact_distances(records, query)
        order = smallest_first(distances)
        found = asked.result() if asked is not None else None
    if matching is not None:
        rows = order[matching[order]]
    elif found is not None:
        rows = smallest_first(distances, np.sort(found))
    else:
        rows = order
    rows.setflags(write=False)
    return DenseLeg(distances, order, rows, ranks(rows, count), found is not None, query=seen)


class HnswIndex:
    """An HNSW index of `count` vectors whose labels are their rows."""

    def __init__(self, index: Any, count: int, dimension: int) -> None:
        self._index = index
        self.count = count
        self.dimension = dimension

    def nearest(self, query: NDArray[np.float32], k: int) -> NDArray[np.int64] | None:
        """Return the rows of `k` near records: int64 (k,); None when the index cannot answer.

        Parameters
        ----------
        query : float32 (dimension,), finite.
        k : 1 to `count`.
        """
        # hnswlib reads past the end of a short query, and finds rows for NaN and for zeros.
        if query.shape != (self.dimension,) or not 0 < k <= self.count:
            return None
        if not (np.isfinite(query).all() and query.any()):
            return None
        self._index.set_ef(search_ef(k))
        try:
            labels, _ = self._index.knn_query(query[np.newaxis], k=k, num_threads=1)
        except RuntimeError:
            # It reaches fewer than k.
            return None
        rows: NDArray[np.int64] = labels[0].astype(np.int64)
        if len(rows) != k or rows.min() < 0 or rows.max() >= self.count:
            return None
        return rows

    def save(self, path: Path) -> None:
        """Write the index with hnswlib, which reports no failure: check the file afterwards."""
        self._index.save_index(str(path))


def build_index(records: RecordVectors, work: Work = QUIETLY) -> HnswIndex:
    """Build the index of all records.

    Raises
    ------
    Cancelled
        When `work` is cancelled.
    """
    import hnswlib

    count, dimension = records.vectors.shape
    index = hnswlib.Index("cosine", dimension)
    index.init_index(max_elements=count, M=M, ef_construction=EF_CONSTRUCTION, random_seed=SEED)
    threads = 1 if count <= SMALL_STORE else os.cpu_count() or 1
    for start in range(0, count, _CHUNK):
        work.stop_if_cancelled()
        work.progress("building the vector index", start, count)
        rows = np.arange(start, min(start + _CHUNK, count))
        index.add_items(records.vectors[rows], rows, num_threads=threads)
    work.progress("building the vector index", count, count)
    return HnswIndex(index, count, dimension)


def index_key(source: str, model: str, count: int, dimension: int) -> SidecarKey:
    """Return what the header of an index must say to serve these vectors."""
    return SidecarKey(
        "hnsw",
        FORMAT_VERSION,
        source,
        model,
        {
            "count": count,
            "dimension": dimension,
            "M": M,
            "ef_construction": EF_CONSTRUCTION,
            "seed": SEED,
            "library": "hnswlib",
        },
    )


def load_index(
    key: SidecarKey, sidecars: SidecarFolder, first: Sequence[Path] = ()
) -> HnswIndex | None:
    """Load the index made for this key, or return None with notes that say why there is none.

    Parameters
    ----------
    first : files to try before the sidecars; their headers lie beside them.
    """
    for path in (*first, *sidecars.paths(SUFFIX)):
        try:
            return _load(path, key)
        except FileNotFoundError:
            continue
        except SidecarError as error:
            again = "" if path in first else " and made again"
            sidecars.note(f"{path.name} is not used{again}: {error}")
    return None


def store_index(index: HnswIndex, key: SidecarKey, sidecars: SidecarFolder) -> None:
    """Write the index and its header; a note says so where it cannot be written."""
    sidecars.write_first(SUFFIX, lambda path: _store(index, path, key))


def _store(index: HnswIndex, path: Path, key: SidecarKey) -> None:
    temporary = temporary_path(path)
    try:
        index.save(temporary)
        with temporary.open("r+b") as stream:
            os.fsync(stream.fileno())
        digest = _check_content(temporary, key)
        os.replace(temporary, path)
    except (HnswFileError, RuntimeError, ValueError) as error:
        raise OSError(0, "the disk may be full") from error
    finally:
        temporary.unlink(missing_ok=True)
    write_sidecar(_header_of(path), key, {"sha256": digest})


def _header_of(path: Path) -> Path:
    return path.with_name(path.name + HEADER_SUFFIX)


def _load(path: Path, key: SidecarKey) -> HnswIndex:
    """Load an index whose header, hash and structure agree.

    Raises
    ------
    FileNotFoundError, SidecarError
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        header = read_sidecar(_header_of(path))
    except FileNotFoundError:
        raise SidecarError("this program did not write it") from None
    difference = key.difference(header.key)
    if difference:
        raise SidecarError(difference)
    try:
        if not np.array_equal(header.arrays.get("sha256", ()), _check_content(path, key)):
            raise SidecarError("it is not what its header says")
    except HnswFileError as error:
        raise SidecarError(str(error)) from error
    except (OSError, ValueError) as error:
        raise SidecarError(f"it cannot be read ({error})") from error
    import hnswlib

    count, dimension = int(key.parameters["count"]), int(key.parameters["dimension"])
    index = hnswlib.Index("cosine", dimension)
    try:
        index.load_index(str(path), max_elements=count)
    except RuntimeError as error:
        raise SidecarError(f"it cannot be loaded ({error})") from error
    return HnswIndex(index, count, dimension)


def _check_content(path: Path, key: SidecarKey) -> NDArray[np.uint8]:
    """Check an index file and return its SHA-256: uint8 (32,)."""
    with path.open("rb") as stream:
        content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    check_hnsw_file(
        memoryview(content),
        count=int(key.parameters["count"]),
        dimension=int(key.parameters["dimension"]),
        m=M,
    )
    return np.frombuffer(hashlib.sha256(content).digest(), np.uint8)
