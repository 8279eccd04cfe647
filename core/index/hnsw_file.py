"""Looks through an hnswlib index file before hnswlib does, which checks nothing that it reads.

Layout (hnswlib 0.8, ``hnswalg.h``, ``saveIndex``; little-endian): a head of 96 bytes; then for each
element its links of level 0 (a count and room for 2 · M element numbers), its vector and its label;
then for each element the size of its links of the levels above, and these, as a count and room for
M numbers each.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

HEAD = struct.Struct("<6QiI3QdQ")

_U32 = struct.Struct("<I")
_LABEL_BYTES = 8
_COUNT_MASK = np.uint32(0xFFFF)


class HnswFileError(ValueError):
    """The file is no sound index of what it should be an index of."""


@dataclass(frozen=True, slots=True)
class _Links:
    """Links of one level above 0: from, count, and room for the targets; one row a link list."""

    owner: list[int]
    level: list[int]
    offset: list[int]


def check_hnsw_file(content: bytes | memoryview, *, count: int, dimension: int, m: int) -> None:
    """Make sure that nothing in the file leads hnswlib out of its bounds.

    Parameters
    ----------
    content : the whole file.
    count, dimension, m : the number of elements, the length of their vectors, and M.

    Raises
    ------
    HnswFileError
        Sizes, links, levels or labels are not those of `count` elements with labels 0 to count − 1.
    """
    links_bytes = 4 + 4 * 2 * m
    element_bytes = links_bytes + 4 * dimension + _LABEL_BYTES
    if len(content) < HEAD.size + count * (element_bytes + 4):
        raise HnswFileError("it is cut short")
    (
        base,
        capacity,
        stored,
        found_bytes,
        label_at,
        vector_at,
        top_level,
        entry,
        most,
        most_at_0,
        found_m,
        _,
        _,
    ) = HEAD.unpack_from(content)
    if (base, capacity, stored, found_bytes, label_at, vector_at, most, most_at_0, found_m) != (
        0,
        count,
        count,
        element_bytes,
        element_bytes - _LABEL_BYTES,
        links_bytes,
        m,
        2 * m,
        m,
    ):
        raise HnswFileError("its sizes are not those expected")
    elements = np.frombuffer(content, np.uint8, count * element_bytes, HEAD.size)
    elements = elements.reshape(count, element_bytes)
    _check_lists(np.ascontiguousarray(elements[:, :links_bytes]).view("<u4"), count, 2 * m)
    labels = np.ascontiguousarray(elements[:, -_LABEL_BYTES:]).view("<u8").reshape(-1)
    if not np.array_equal(np.sort(labels), np.arange(count, dtype=np.uint64)):
        raise HnswFileError("its labels are not the rows")
    levels = _check_upper_levels(content, HEAD.size + count * element_bytes, count, m)
    if entry >= count or levels[entry] != top_level or levels.max() != top_level:
        raise HnswFileError("its entry point is not on the top level")


def _check_upper_levels(
    content: bytes | memoryview, at: int, count: int, m: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Check the links above level 0; return the top level of each element: int64 (count,)."""
    list_bytes = 4 + 4 * m
    levels = np.zeros(count, dtype=np.int64)
    links = _Links([], [], [])
    for element in range(count):
        if at + 4 > len(content):
            raise HnswFileError("it is cut short")
        size = _U32.unpack_from(content, at)[0]
        at += 4
        if size % list_bytes or at + size > len(content):
            raise HnswFileError("its links have impossible sizes")
        for level in range(size // list_bytes):
            links.owner.append(element)
            links.level.append(level + 1)
            links.offset.append(at + level * list_bytes)
        levels[element] = size // list_bytes
        at += size
    if at != len(content):
        raise HnswFileError("it has more bytes than expected")
    if links.offset:
        raw = np.frombuffer(content, np.uint8)
        places = np.array(links.offset)[:, np.newaxis] + np.arange(list_bytes)
        lists = raw[places].view("<u4")
        _check_lists(lists, count, m)
        inside = np.arange(m) < (lists[:, :1] & _COUNT_MASK)
        targets = np.where(inside, lists[:, 1:], np.array(links.owner)[:, np.newaxis])
        if (levels[targets] < np.array(links.level)[:, np.newaxis]).any():
            raise HnswFileError("a link leads to an element that is not on its level")
    return levels


def _check_lists(
    lists: np.ndarray[tuple[int, ...], np.dtype[np.uint32]], count: int, room: int
) -> None:
    """Check link lists, one a row: a count in 16 bits, no deletion mark, then element numbers."""
    counts = lists[:, :1] & _COUNT_MASK
    if (lists[:, :1] != counts).any() or (counts > room).any():
        raise HnswFileError("a link list has an impossible length")
    if (lists[:, 1:][np.arange(room) < counts] >= count).any():
        raise HnswFileError("a link leads out of the index")
