"""Files that the program makes for itself beside a user's file: atomic, versioned, hashed.

A sidecar is a container of named arrays: a fixed prefix (magic, length and hash of the header), a
JSON header that says what the arrays are and what they were made from, and the arrays, aligned so
that they can be mapped into memory. Nothing in it is ever executed or unpickled, and nothing is
used before its hash has been checked.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import secrets
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from core.io.atomic import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

MAGIC = b"RTI-side"
CONTAINER_FORMAT = 1

_PREFIX = struct.Struct("<8sI32s")
_ALIGNMENT = 64
_LONGEST_HEADER = 1 << 20
_HASH_BLOCK = 1 << 24
_DTYPES = frozenset({"|u1", "<i4", "<i8", "<f4"})
_STRAY_AGE_S = 24 * 3600.0

Parameter = str | int | float


class SidecarError(Exception):
    """A sidecar that cannot be used; the text says why, in a few words."""


@dataclass(frozen=True, slots=True)
class SidecarKey:
    """What a sidecar must have been made from, and by what, to be used.

    kind : what it holds, e.g. ``bm25``.
    version : format version of this kind.
    source : SHA-256 of the record texts, hexadecimal.
    model : identity of the embedding model, "" where none took part.
    parameters : everything else that the content depends on.
    """

    kind: str
    version: int
    source: str
    model: str = ""
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    def difference(self, other: SidecarKey) -> str:
        """Say in a few words why content made for `other` does not serve here, "" if it does."""
        if self.kind != other.kind:
            return f"it holds {other.kind}, not {self.kind}"
        if self.version != other.version:
            return f"it has format version {other.version}, not {self.version}"
        if self.model != other.model:
            return "it was made with another model"
        if dict(self.parameters) != dict(other.parameters):
            return "it was made with other parameters"
        if self.source != other.source:
            return "the records have changed since"
        return ""


@dataclass(frozen=True, slots=True)
class Sidecar:
    """An intact sidecar: its key and its arrays (read-only, mapped from the file)."""

    key: SidecarKey
    arrays: Mapping[str, NDArray[Any]]


def write_atomically(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Write a file so that at every moment `path` holds the old content or the whole new one.

    Raises
    ------
    OSError
        The folder cannot be written to, or the disk is full; no temporary file is left.
    """
    replace_file(path, write, temporary_path(path))


def temporary_path(path: Path) -> Path:
    """Name a temporary file in the same folder; `remove_strays` knows it by its name."""
    return path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp")


def remove_strays(path: Path) -> None:
    """Remove temporary files of `path` whose writer is gone."""
    head = f".{path.name}."
    try:
        names = [
            entry
            for entry in os.listdir(path.parent)
            if entry.startswith(head) and entry.endswith(".tmp")
        ]
    except OSError:
        return
    for name in names:
        stray = path.with_name(name)
        with contextlib.suppress(OSError):
            if _is_abandoned(stray, name.removeprefix(head)):
                stray.unlink()


def write_sidecar(path: Path, key: SidecarKey, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write `arrays` (uint8, int32, int64 or float32) to a sidecar, atomically.

    Raises
    ------
    OSError
        As `write_atomically`.
    """
    parts = {name: _little_endian(array) for name, array in arrays.items()}
    digest = hashlib.sha256()
    described = []
    offset = 0
    for name, array in parts.items():
        described.append(
            {"name": name, "dtype": array.dtype.str, "shape": list(array.shape), "offset": offset}
        )
        for piece in _pieces(array):
            digest.update(piece)
        offset += array.nbytes + _gap(array.nbytes)
    header = json.dumps(
        {
            "format": CONTAINER_FORMAT,
            "kind": key.kind,
            "version": key.version,
            "source": key.source,
            "model": key.model,
            "parameters": dict(key.parameters),
            "arrays": described,
            "payload_bytes": offset,
            "payload_sha256": digest.hexdigest(),
        }
    ).encode("utf-8")
    header += b" " * _gap(_PREFIX.size + len(header))

    def write(stream: BinaryIO) -> None:
        stream.write(_PREFIX.pack(MAGIC, len(header), hashlib.sha256(header).digest()))
        stream.write(header)
        for array in parts.values():
            for piece in _pieces(array):
                stream.write(piece)

    write_atomically(path, write)


def read_sidecar(path: Path) -> Sidecar:
    """Read a sidecar and check that it is whole.

    Raises
    ------
    FileNotFoundError
        There is none.
    SidecarError
        It is cut, damaged, of a newer format, or no sidecar; or it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            # A map of the open file: what was checked is what is used, even after a rename.
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise SidecarError(f"it cannot be read ({error})") from error
    header, start = _read_header(content)
    try:
        return _interpret(header, content, start)
    except (KeyError, TypeError, ValueError) as error:
        raise SidecarError("its header makes no sense") from error


def _read_header(content: mmap.mmap) -> tuple[Any, int]:
    if len(content) < _PREFIX.size:
        raise SidecarError("it is cut short")
    magic, length, digest = _PREFIX.unpack_from(content)
    if magic != MAGIC:
        raise SidecarError("it is no file of this program")
    start = _PREFIX.size + length
    if length > _LONGEST_HEADER or start > len(content):
        raise SidecarError("it is cut short")
    header = content[_PREFIX.size : start]
    if hashlib.sha256(header).digest() != digest:
        raise SidecarError("its header is damaged")
    try:
        return json.loads(header), start
    except (ValueError, RecursionError):
        raise SidecarError("its header makes no sense") from None


def _interpret(header: Any, content: mmap.mmap, start: int) -> Sidecar:
    if header["format"] != CONTAINER_FORMAT:
        raise SidecarError("it was written by another version of this program")
    if len(content) - start != header["payload_bytes"]:
        raise SidecarError("it is cut short")
    arrays: dict[str, NDArray[Any]] = {}
    digest = hashlib.sha256()
    for item in header["arrays"]:
        dtype, shape, offset = item["dtype"], tuple(item["shape"]), item["offset"]
        if dtype not in _DTYPES or not all(type(n) is int and n >= 0 for n in (*shape, offset)):
            raise ValueError(dtype)
        count = 1
        for length in shape:
            count *= length
        array = np.frombuffer(content, dtype=dtype, count=count, offset=start + offset)
        arrays[item["name"]] = array.reshape(shape)
    with memoryview(content) as whole:
        for begin in range(start, len(content), _HASH_BLOCK):
            digest.update(whole[begin : begin + _HASH_BLOCK])
    if digest.hexdigest() != header["payload_sha256"]:
        raise SidecarError("its content is damaged")
    key = SidecarKey(
        header["kind"], header["version"], header["source"], header["model"], header["parameters"]
    )
    return Sidecar(key, arrays)


class SidecarFolder:
    """Where the sidecars of one knowledge lie, and what there was to say about them.

    They lie beside the user's file; where that folder cannot be written to, in the user's cache
    folder; and where that fails too, the caller keeps the content in memory.

    Parameters
    ----------
    beside : the user's file; None for knowledge that has no file, which gets no sidecars.
    cache : the user's cache folder.
    """

    def __init__(self, beside: Path | None, cache: Path) -> None:
        self._notes: dict[str, None] = {}
        self._places: tuple[Path, ...] = ()
        if beside is not None:
            absolute = beside.absolute()
            name = hashlib.sha256(os.fsencode(absolute)).hexdigest()[:16]
            self._places = (absolute, cache / "sidecars" / name / absolute.name)

    @classmethod
    def at(cls, places: Sequence[Path]) -> SidecarFolder:
        """Return the folder whose `paths` with the suffix "" are these, for another process."""
        folder = cls(None, Path())
        folder._places = tuple(places)
        return folder

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user may want to know: what was rebuilt and why, what could not be written."""
        return tuple(self._notes)

    def note(self, text: str) -> None:
        """Add a note, once."""
        self._notes[text] = None

    def paths(self, suffix: str) -> tuple[Path, ...]:
        """Where the sidecar with this suffix (``.bm25``) may lie, the preferred place first."""
        return tuple(place.with_name(place.name + suffix) for place in self._places)

    def load(self, suffix: str, key: SidecarKey) -> Sidecar | None:
        """Return the intact sidecar made for exactly this key, or None with notes that say why."""
        for path, found in self.intact(suffix):
            difference = key.difference(found.key)
            if not difference:
                return found
            self.note(f"{path.name} is made again: {difference}")
        return None

    def intact(self, suffix: str) -> list[tuple[Path, Sidecar]]:
        """All sidecars with this suffix that are whole, fresh or not; notes tell of the others."""
        found = []
        for path in self.paths(suffix):
            try:
                found.append((path, read_sidecar(path)))
            except FileNotFoundError:
                continue
            except SidecarError as error:
                self.note(f"{path.name} is made again: {error}")
        return found

    def store(self, suffix: str, key: SidecarKey, arrays: Mapping[str, NDArray[Any]]) -> bool:
        """Write a sidecar to the first place that takes it; False, with a note, when none does."""
        return self.write_first(suffix, lambda path: write_sidecar(path, key, arrays))

    def write_first(self, suffix: str, write: Callable[[Path], None]) -> bool:
        """Call `write` with each place in turn until one does not raise OSError."""
        paths = self.paths(suffix)
        for index, path in enumerate(paths):
            try:
                if index:
                    path.parent.mkdir(parents=True, exist_ok=True)
                remove_strays(path)
                write(path)
            except OSError as error:
                where = (
                    "the user's cache folder is used"
                    if index + 1 < len(paths)
                    else "it is kept in memory"
                )
                reason = error.strerror or str(error)
                self.note(f"{path.name} cannot be written to {path.parent} ({reason}): {where}")
            else:
                return True
        return False

    def remove(self, suffix: str) -> None:
        """Remove the files with this suffix wherever they may lie."""
        for path in self.paths(suffix):
            with contextlib.suppress(OSError):
                path.unlink()


def _little_endian(array: NDArray[Any]) -> NDArray[Any]:
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    if little.dtype.str not in _DTYPES:
        raise ValueError(f"a sidecar holds no {array.dtype}")
    return little


def _pieces(array: NDArray[Any]) -> tuple[memoryview, bytes]:
    """Return the bytes of an array and the padding behind it."""
    return array.reshape(-1).view(np.uint8).data, b"\0" * _gap(array.nbytes)


def _gap(length: int) -> int:
    return -length % _ALIGNMENT


def _is_abandoned(path: Path, tail: str) -> bool:
    """Whether the process that the file's name tells of has ended."""
    if time.time() - path.stat().st_mtime > _STRAY_AGE_S:
        return True
    pid = tail.split(".")[0]
    # On Windows signal 0 is Ctrl+C, so there only the age counts.
    if os.name != "posix" or not pid.isascii() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except OSError:
        return False
    return False
