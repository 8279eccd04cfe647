"""The vectors made so far of a store that is being embedded, in an SQLite database.

A block of them is one transaction: whatever stops the run, only the block in hand is lost. SQLite
does not see it when a byte within a vector is damaged, so each has a hash beside it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING

import numpy as np

from core.embedding.unit_vectors import are_of_unit_length

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from core.io.sidecar import SidecarFolder, SidecarKey

PART_SUFFIX = ".vectors.part"

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
                # It is damaged, or not ours.
                self.close()
                path.unlink(missing_ok=True)
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
