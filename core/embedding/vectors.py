"""The embeddings of a store's records, kept so that each text is embedded once.

They lie in ``<file>.vectors``: the hash of each record's text and its vector, in file order, mapped
into memory. While they are being made, each block goes to ``<file>.vectors.part`` at once, so that
a run which is stopped or killed goes on where it was. An edited file finds its unchanged texts by
their hashes.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.errors import Code, InspectorError
from core.io.sidecar import SidecarKey
from core.io.work import QUIETLY, Work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from core.embedding.embedder import Embedder
    from core.io.sidecar import Sidecar, SidecarFolder

SUFFIX = ".vectors"
PART_SUFFIX = ".vectors.part"
FORMAT_VERSION = 2
BLOCK_CHARACTERS = 16_384
"""Characters that are embedded before the result is saved: half a second's work."""

_KEY_BYTES = 32
_PART_MAGIC = b"RTI-part"
_BLOCK_MAGIC = b"RTIb"
_BLOCK_HEAD = struct.Struct("<4sI")
_CHECK_BYTES = 16
_NORM_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True)
class RecordVectors:
    """The vectors of all n records, ready to search.

    vectors : float32 (n, d), each of length 1 or 0; read-only.
    zero : int64 (z,), rows whose vector has length 0.
    embedded : how many texts had to be embedded for this.
    """

    vectors: NDArray[np.float32]
    zero: NDArray[np.int64]
    embedded: int


def prepare_vectors(
    texts: Sequence[str],
    source: str,
    embedder: Embedder,
    sidecars: SidecarFolder,
    made_by: str = "",
    work: Work = QUIETLY,
) -> RecordVectors:
    """Load the vectors of all texts; embed those that are not there yet, and keep them.

    Identical texts are embedded once and have the same vector, bit by bit.

    Parameters
    ----------
    source : hash of the texts (`KnowledgeBase.digest`).
    made_by : whose vectors may be loaded; the embedder's own by default.

    Raises
    ------
    InspectorError
        4001 when the model fails.
    Cancelled
        When `work` is cancelled; what was embedded until then is kept.
    """
    if not texts:
        return _ready(np.empty((0, embedder.dimension), np.float32), 0)
    key = vectors_key(source, made_by or embedder.identity, embedder.dimension)
    found = [
        sidecar
        for _, sidecar in sidecars.intact(SUFFIX)
        if sidecar.key.kind == key.kind and _fits(sidecar, embedder.dimension)
    ]
    for sidecar in found:
        if not key.difference(sidecar.key) and len(sidecar.arrays["vectors"]) == len(texts):
            return _ready(sidecar.arrays["vectors"], 0)
    keys = text_keys(texts)
    known = _known_vectors(found, key, sidecars)
    first: dict[bytes, int] = {}
    for row, text_key in enumerate(keys):
        first.setdefault(text_key, row)
    missing = [row for text_key, row in first.items() if text_key not in known]
    done = len(first) - len(missing)
    if found and done and missing:
        sidecars.note(f"{len(missing)} texts are new or changed and embedded; the others are kept")
    with contextlib.closing(_PartWriter(sidecars, key, bool(missing))) as part:
        for rows in _blocks(texts, missing):
            work.stop_if_cancelled()
            work.progress("embedding records", done, len(first))
            # A block is finished once it is begun, so that stopping loses nothing.
            made = _embed([texts[row] for row in rows], embedder)
            part.add(b"".join(keys[row] for row in rows), made)
            known.update((keys[row], vector) for row, vector in zip(rows, made, strict=True))
            done += len(rows)
    return _ready(
        _store(np.stack([known[text_key] for text_key in keys]), keys, key, sidecars), len(missing)
    )


def vectors_key(source: str, model: str, dimension: int) -> SidecarKey:
    """Return what the ``.vectors`` sidecar of texts with this hash must say."""
    return SidecarKey("vectors", FORMAT_VERSION, source, model, {"dimension": dimension})


def stored_vectors(key: SidecarKey, sidecars: SidecarFolder) -> RecordVectors | None:
    """Return the vectors that an earlier `prepare_vectors` has stored, or None."""
    for _, sidecar in sidecars.intact(SUFFIX):
        if not key.difference(sidecar.key) and _fits(sidecar, int(key.parameters["dimension"])):
            return _ready(sidecar.arrays["vectors"], 0)
    return None


def keep_vectors(
    vectors: NDArray[np.float32], texts: Sequence[str], key: SidecarKey, sidecars: SidecarFolder
) -> RecordVectors:
    """Store vectors that were made elsewhere; identical texts get the vector of the first.

    Parameters
    ----------
    vectors : float32 (len(texts), d), each of length 1.
    key : what `vectors_key` says of them.
    """
    keys = text_keys(texts)
    first: dict[bytes, int] = {}
    rows = [first.setdefault(text_key, row) for row, text_key in enumerate(keys)]
    if len(first) < len(rows):
        vectors = vectors[rows]
    return _ready(_store(vectors, keys, key, sidecars), 0)


def _store(
    vectors: NDArray[np.float32], keys: list[bytes], key: SidecarKey, sidecars: SidecarFolder
) -> NDArray[np.float32]:
    """Write the finished vectors, and return them: from the file, where there is one now."""
    hashes = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, _KEY_BYTES)
    if sidecars.store(SUFFIX, key, {"keys": hashes, "vectors": vectors}):
        sidecars.remove(PART_SUFFIX)
        stored = sidecars.load(SUFFIX, key)
        if stored is not None:
            # So that the system may drop pages of them when memory gets short.
            return stored.arrays["vectors"]
    return vectors


def text_keys(texts: Sequence[str]) -> list[bytes]:
    """Return the SHA-256 of each text."""
    return [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]


def _ready(vectors: NDArray[np.float32], embedded: int) -> RecordVectors:
    vectors.setflags(write=False)
    return RecordVectors(vectors, np.flatnonzero(np.vecdot(vectors, vectors) == 0), embedded)


def are_of_unit_length(vectors: NDArray[np.float32]) -> bool:
    """Whether every row has length 1 or 0; False with NaN or an infinity in it.

    Parameters
    ----------
    vectors : float32 (n, d).
    """
    with np.errstate(all="ignore"):
        squares = np.vecdot(vectors, vectors)
        return bool(((np.abs(squares - 1) <= _NORM_TOLERANCE) | (squares == 0)).all())


def _fits(sidecar: Sidecar, dimension: int) -> bool:
    vectors, keys = sidecar.arrays.get("vectors"), sidecar.arrays.get("keys")
    return (
        vectors is not None
        and keys is not None
        and vectors.dtype == np.float32
        and keys.dtype == np.uint8
        and vectors.ndim == 2
        and vectors.shape[1] == dimension
        and keys.shape == (len(vectors), _KEY_BYTES)
        and are_of_unit_length(vectors)
    )


def _known_vectors(
    found: list[Sidecar], key: SidecarKey, sidecars: SidecarFolder
) -> dict[bytes, NDArray[np.float32]]:
    """Vectors by text hash, from earlier files and from runs that were stopped."""
    known: dict[bytes, NDArray[np.float32]] = {}
    for sidecar in found:
        if sidecar.key.model != key.model or sidecar.key.version != key.version:
            sidecars.note(f"the vectors are made again: {key.difference(sidecar.key)}")
            continue
        hashes = sidecar.arrays["keys"].tobytes()
        for row, vector in enumerate(sidecar.arrays["vectors"]):
            known[hashes[row * _KEY_BYTES : (row + 1) * _KEY_BYTES]] = vector
    for path in sidecars.paths(PART_SUFFIX):
        for hashes, vectors in _read_part(path, key):
            for row, vector in enumerate(vectors):
                known[hashes[row * _KEY_BYTES : (row + 1) * _KEY_BYTES]] = vector
    return known


def _embed(texts: list[str], embedder: Embedder) -> NDArray[np.float32]:
    vectors = embedder.embed(texts)
    if vectors.shape != (len(texts), embedder.dimension) or not are_of_unit_length(vectors):
        raise InspectorError(
            Code.InferenceFailed,
            "the embedding model returned vectors that are not of length 1",
            hint="its weights may be damaged: install it again",
        )
    return vectors


def _blocks(texts: Sequence[str], rows: list[int]) -> Iterator[list[int]]:
    """Cut the rows into blocks of like length, the longest texts first."""
    block: list[int] = []
    size = 0
    for row in sorted(rows, key=lambda row: -len(texts[row])):
        if block and size + len(texts[row]) > BLOCK_CHARACTERS:
            yield block
            block, size = [], 0
        block.append(row)
        size += len(texts[row])
    if block:
        yield block


def _part_header(key: SidecarKey) -> bytes:
    content = {"version": key.version, "model": key.model, **key.parameters}
    return _PART_MAGIC + json.dumps(content, sort_keys=True).encode() + b"\n"


class _PartWriter:
    """Appends blocks to ``<file>.vectors.part``; where no place takes it, to nothing."""

    def __init__(self, sidecars: SidecarFolder, key: SidecarKey, is_needed: bool) -> None:
        self._handle = -1
        self._sidecars = sidecars
        header = _part_header(key)
        if is_needed:
            sidecars.write_first(PART_SUFFIX, lambda path: self._open(path, header))

    def _open(self, path: Path, header: bytes) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags, 0o666)
        try:
            if os.read(handle, len(header)) != header:
                os.ftruncate(handle, 0)
                _append(handle, header)
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle

    def add(self, hashes: bytes, vectors: NDArray[np.float32]) -> None:
        """Append one block: all of it in one write, and its checksum."""
        if self._handle < 0:
            return
        payload = hashes + np.ascontiguousarray(vectors, dtype="<f4").tobytes()
        head = _BLOCK_HEAD.pack(_BLOCK_MAGIC, len(vectors))
        check = hashlib.sha256(head + payload).digest()[:_CHECK_BYTES]
        try:
            _append(self._handle, head + payload + check)
        except OSError as error:
            self._sidecars.note(
                f"what is embedded cannot be saved while it is being made ({error.strerror})"
            )
            self.close()

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def _append(handle: int, content: bytes) -> None:
    written = 0
    while written < len(content):
        written += os.write(handle, content[written:])


def _read_part(path: Path, key: SidecarKey) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
    """Yield the whole blocks of a ``.part`` file, if it was made by this model; skip torn ones."""
    header = _part_header(key)
    dimension = int(key.parameters["dimension"])
    record_bytes = _KEY_BYTES + 4 * dimension
    try:
        content = path.read_bytes()
    except OSError:
        return
    if not content.startswith(header):
        return
    at = len(header)
    while (at := content.find(_BLOCK_MAGIC, at)) >= 0 and at + _BLOCK_HEAD.size <= len(content):
        _, count = _BLOCK_HEAD.unpack_from(content, at)
        end = at + _BLOCK_HEAD.size + count * record_bytes
        check = content[end : end + _CHECK_BYTES]
        if (
            len(check) < _CHECK_BYTES
            or hashlib.sha256(memoryview(content)[at:end]).digest()[:_CHECK_BYTES] != check
        ):
            at += 1
            continue
        split = at + _BLOCK_HEAD.size + count * _KEY_BYTES
        vectors = np.frombuffer(content, dtype="<f4", count=count * dimension, offset=split)
        vectors = vectors.reshape(count, dimension)
        if are_of_unit_length(vectors):
            yield content[at + _BLOCK_HEAD.size : split], vectors
        at = end + _CHECK_BYTES
