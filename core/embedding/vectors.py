"""The embeddings of a store's records, kept so that each text is embedded once.

They lie in ``<file>.vectors``: the hash of each record's text and its vector, in file order, mapped
into memory. While they are being made, each block goes to ``<file>.vectors.part`` at once, so that
a run which is stopped or killed goes on where it was. An edited file finds its unchanged texts by
their hashes.

The part is an SQLite database, a block of vectors one transaction: whatever stops the run, only the
block in hand is lost. SQLite does not see it when a byte within a vector is damaged, so each has a
hash beside it.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.embedding.unit_vectors import are_of_unit_length
from core.errors import Code, InspectorError
from core.io.sidecar import Sidecar, SidecarFolder, SidecarKey
from core.io.work import QUIETLY, Count, Work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from core.embedding.embedder import Embedder


PART_SUFFIX = ".vectors.part"

SUFFIX = ".vectors"
FORMAT_VERSION = 2
BLOCK_CHARACTERS = 16_384
"""Characters that are embedded before the result is saved: half a second's work."""
_CHARACTERS_PER_TOKEN = 5
_KEY_BYTES = 32

_TABLE = "CREATE TABLE IF NOT EXISTS vectors (made_by TEXT, text BLOB, vector BLOB, sha256 BLOB)"
_ROWS = "SELECT text, vector, sha256 FROM vectors WHERE made_by = ?"
_ADD = "INSERT INTO vectors VALUES (?, ?, ?, ?)"


class UnfinishedVectors:
    """What earlier runs have left, and where this one adds to it; close it at the end.

    Where no place takes the database, nothing is kept, and a note says so.

    Attributes
    ----------
    known : SHA-256 of a text → its vector, float32 (d,): those of the same model.
    """

    def __init__(self, key: SidecarKey, sidecars: SidecarFolder) -> None:
        self.known: dict[bytes, NDArray[np.float32]] = {}
        self._made_by = f"{key.version} {key.model}"
        self._dimension = int(key.parameters["dimension"])
        self._sidecars = sidecars
        self._database: sqlite3.Connection | None = None
        sidecars.write_first(PART_SUFFIX, self._open)

    def _open(self, path: Path) -> None:
        try:
            try:
                self._read(path)
            except (sqlite3.DatabaseError, TypeError):
                self.close()
                path.unlink(missing_ok=True)
                self._sidecars.note_replaced(path, "it is damaged, or no file of this program")
                self._read(path)
        except sqlite3.Error as error:
            self.close()
            raise OSError(0, str(error)) from error

    def _read(self, path: Path) -> None:
        self._database = sqlite3.connect(path)
        # A process that is killed loses nothing by that, and a block needs no wait for the disk.
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute(_TABLE)
        rows = [
            (text, vector)
            for text, vector, sha256 in self._database.execute(_ROWS, (self._made_by,))
            if sha256 == hashlib.sha256(text + vector).digest()
            and len(vector) == 4 * self._dimension
        ]
        content = b"".join(vector for _, vector in rows)
        vectors = np.frombuffer(content, dtype="<f4").reshape(len(rows), self._dimension)
        if are_of_unit_length(vectors):
            self.known = dict(zip((text for text, _ in rows), vectors, strict=True))

    def add(self, vectors: Mapping[bytes, NDArray[np.float32]]) -> None:
        """Keep the vectors of a block of texts; keys as in `known`."""
        if self._database is None:
            return
        contents = {text: vector.astype("<f4").tobytes() for text, vector in vectors.items()}
        rows = [
            (self._made_by, text, content, hashlib.sha256(text + content).digest())
            for text, content in contents.items()
        ]
        try:
            with self._database:
                self._database.executemany(_ADD, rows)
        except sqlite3.Error as error:
            self._sidecars.note(
                f"what is embedded cannot be saved while it is being made ({error})"
            )
            self.close()

    def close(self) -> None:
        """Close the database; what was added stays."""
        if self._database is not None:
            self._database.close()
            self._database = None


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
    found = _fitting(key, sidecars)
    for sidecar in found:
        if not key.difference(sidecar.key) and len(sidecar.arrays["vectors"]) == len(texts):
            return _ready(sidecar.arrays["vectors"], 0)
    keys = text_keys(texts)
    known = _known_vectors(found, key, sidecars)
    first = {text_key: row for row, text_key in reversed(list(enumerate(keys)))}
    embedded = 0
    if not first.keys() <= known.keys():
        with contextlib.closing(UnfinishedVectors(key, sidecars)) as unfinished:
            known |= unfinished.known
            missing = {row: text_key for text_key, row in first.items() if text_key not in known}
            embedded, done = len(missing), len(first) - len(missing)
            if found and done and missing:
                sidecars.note(
                    f"{len(missing)} texts are new or changed and embedded; the others are kept"
                )
            efforts = {row: _effort(texts[row], embedder) for row in missing}
            whole, made_of = sum(efforts.values()), 0
            for rows in _blocks(texts, missing):
                work.stop_if_cancelled()
                work.progress("embedding records", Count(done, made_of / whole), len(first))
                # A block is finished once it is begun, so that stopping loses nothing.
                made = _embed([texts[row] for row in rows], embedder)
                new = dict(zip((missing[row] for row in rows), made, strict=True))
                unfinished.add(new)
                known |= new
                done += len(rows)
                made_of += sum(efforts[row] for row in rows)
    vectors = np.stack([known[text_key] for text_key in keys])
    return _ready(_store(vectors, keys, key, sidecars), embedded)


def vectors_key(source: str, model: str, dimension: int) -> SidecarKey:
    """Return what the ``.vectors`` sidecar of texts with this hash must say."""
    return SidecarKey("vectors", FORMAT_VERSION, source, model, {"dimension": dimension})


def stored_vectors(key: SidecarKey, sidecars: SidecarFolder) -> RecordVectors | None:
    """Return the vectors that an earlier `prepare_vectors` has stored, or None."""
    for sidecar in _fitting(key, sidecars):
        if not key.difference(sidecar.key):
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


def _fitting(key: SidecarKey, sidecars: SidecarFolder) -> list[Sidecar]:
    """Return the sidecars with vectors of this dimension, whoever made them and of what."""
    fitting = []
    for path, sidecar in sidecars.intact(SUFFIX):
        if sidecar.key.kind == key.kind and _fits(sidecar, int(key.parameters["dimension"])):
            fitting.append(sidecar)
        else:
            why = key.difference(sidecar.key) or "its arrays are not as they should be"
            sidecars.note_replaced(path, why)
    return fitting


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
    """Vectors by text hash, from earlier files."""
    known: dict[bytes, NDArray[np.float32]] = {}
    for sidecar in found:
        if sidecar.key.model != key.model or sidecar.key.version != key.version:
            sidecars.note(f"the vectors are made again: {key.difference(sidecar.key)}")
        else:
            known.update(
                zip(map(bytes, sidecar.arrays["keys"]), sidecar.arrays["vectors"], strict=True)
            )
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


def _effort(text: str, embedder: Embedder) -> int:
    """Return about how many characters of a text the model reads, which takes the time."""
    return 1 + min(len(text), _CHARACTERS_PER_TOKEN * embedder.max_tokens or len(text))


def _blocks(texts: Sequence[str], rows: Iterable[int]) -> Iterator[list[int]]:
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
