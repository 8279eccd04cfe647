"""The header of a prebuilt vector index: its dimension, read without any native loader.

Two formats are known. USearch writes the vectors (rows and bytes a row as two 32- or 64-bit
numbers, then the rows) and a head of 64 bytes: the word ``usearch``, three 16-bit version numbers,
four one-byte kinds, then 64-bit counts of vectors present and deleted, and the dimension
(``index_dense.hpp``, ``index_dense_head_t``). hnswlib starts with its sizes: base offset, capacity,
count, bytes an element, offset of the label, offset of the vector (``hnswalg.h``, ``saveIndex``).
All numbers are little-endian.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from core.io.foreign import foreign_file

if TYPE_CHECKING:
    from pathlib import Path

USEARCH = "USearch"
"""The format of an index whose vectors `core.embedding.prebuilt` can use."""

_USEARCH_MAGIC = b"usearch"
_USEARCH_HEAD = struct.Struct("<7s3H4B3Q")
_HNSWLIB_HEAD = struct.Struct("<6Q2i3Qd")
_FLOAT_BYTES = 4
_LABEL_BYTES = 8
_MAX_DIMENSION = 1 << 20
_UNBOUNDED = 1 << 62


@dataclass(frozen=True, slots=True)
class IndexHeader:
    """What an index file says of itself: its format, dimension and number of vectors."""

    format: str
    dimension: int
    count: int


def read_index_header(path: Path) -> IndexHeader | None:
    """Read the header of a USearch or hnswlib index; None when it is neither, or cut short.

    Reads a few dozen bytes, however large the file is.
    """
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            return _usearch(file, size) or _hnswlib(file, size)
    except (OSError, ValueError):
        return None


def fault_of_index(path: Path) -> tuple[str, str]:
    """Say why a file without a known header is no index, and what to do, "" where that is unclear.

    It is empty, cut, or something else.
    """
    found = foreign_file(path)
    if found is not None:
        return f"it is {found.what}", found.hint
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            if size == 0:
                return "it is empty", ""
            if size < _USEARCH_HEAD.size or _claims_more(file, size):
                return f"it is cut short: it has {size:,} bytes only", ""
            if _read(file, 0, 1) in (b"[", b"{"):
                return "it is JSON", ""
    except (OSError, ValueError) as error:
        return f"it cannot be read ({error})", ""
    return "it is no vector index", "build it with USearch"


def _claims_more(file: BinaryIO, size: int) -> bool:
    """Tell whether the file begins like an index that is larger than it is."""
    if _hnswlib(file, _UNBOUNDED) is not None:
        return True
    start = _read(file, 0, 16)
    for layout in ("<2I", "<2Q"):
        rows, row_bytes = struct.unpack_from(layout, start)
        whole = struct.calcsize(layout) + rows * row_bytes + _USEARCH_HEAD.size
        if 0 < row_bytes <= _MAX_DIMENSION * _FLOAT_BYTES and rows and whole > size:
            return True
    return False


def _usearch(file: BinaryIO, size: int) -> IndexHeader | None:
    start = _read(file, 0, 16)
    offsets = [0]
    for layout in ("<2I", "<2Q"):
        if len(start) == 16:
            rows, row_bytes = struct.unpack_from(layout, start)
            offsets.append(struct.calcsize(layout) + rows * row_bytes)
    for offset in offsets:
        if offset + _USEARCH_HEAD.size > size:
            continue
        head = _read(file, offset, _USEARCH_HEAD.size)
        if head.startswith(_USEARCH_MAGIC) and len(head) == _USEARCH_HEAD.size:
            *_, present, _deleted, dimension = _USEARCH_HEAD.unpack(head)
            if 0 < dimension <= _MAX_DIMENSION:
                return IndexHeader(USEARCH, dimension, present)
    return None


def _hnswlib(file: BinaryIO, size: int) -> IndexHeader | None:
    head = _read(file, 0, _HNSWLIB_HEAD.size)
    if len(head) < _HNSWLIB_HEAD.size:
        return None
    base, capacity, count, element_bytes, label_at, vector_at, *_ = _HNSWLIB_HEAD.unpack(head)
    vector_bytes = label_at - vector_at
    # An element is its links, its vector and its label, and the file holds all elements.
    fits = (
        base == 0
        and count <= capacity
        and element_bytes == label_at + _LABEL_BYTES
        and 0 < vector_bytes <= _MAX_DIMENSION * _FLOAT_BYTES
        and vector_bytes % _FLOAT_BYTES == 0
        and _HNSWLIB_HEAD.size + count * element_bytes <= size
    )
    return IndexHeader("hnswlib", vector_bytes // _FLOAT_BYTES, count) if fits else None


def _read(file: BinaryIO, offset: int, count: int) -> bytes:
    file.seek(offset)
    return file.read(count)
