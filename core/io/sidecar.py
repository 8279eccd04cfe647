"""Files that the program makes for itself beside a user's file: atomic, versioned, hashed.

A sidecar is a safetensors file: the length of a header in 8 bytes, the header in JSON, which
describes named arrays, and their bytes. Its metadata say what the arrays were made from, and hold a
SHA-256 of everything else. Nothing in it is ever executed or unpickled, and nothing is used before
the hash has been checked.

The library's own `save_file` and `load_file` are not used: one leaves a temporary file of its own
when it is killed, and gives nobody else the right to read the result; the other copies the arrays,
which are mapped into memory here.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import mmap
import os
import secrets
import stat
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from core.io.atomic import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

_DTYPES = {"U8": "|u1", "I32": "<i4", "I64": "<i8", "F32": "<f4"}
_DTYPE_NAMES = {dtype: name for name, dtype in _DTYPES.items()}
_ALIGNMENT = 8
_LONGEST_HEADER = 1 << 20
_METADATA = "__metadata__"
_NONSENSE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
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
            newer = ": a newer program wrote it" if other.version > self.version else ""
            return f"it has format version {other.version}, not {self.version}{newer}"
        if self.model != other.model:
            return "it was made with another model"
        if self.parameters != other.parameters:
            return "it was made with other parameters"
        if self.source != other.source:
            return "the records have changed since"
        return ""


@dataclass(frozen=True, slots=True)
class Sidecar:
    """An intact sidecar: its key and its arrays (read-only, mapped from the file)."""

    key: SidecarKey
    arrays: Mapping[str, NDArray[Any]]


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
        The folder cannot be written to, or the disk is full; no temporary file is left.
    """
    # Those of the widest numbers first, so that each lies where its numbers can be read.
    by_width = sorted(arrays.items(), key=lambda item: -item[1].itemsize)
    parts = {name: _little_endian(array) for name, array in by_width}
    header: dict[str, Any] = {_METADATA: {"key": json.dumps(asdict(key))}}
    end = 0
    for name, array in parts.items():
        start, end = end, end + array.nbytes
        header[name] = {
            "dtype": _DTYPE_NAMES[array.dtype.str],
            "shape": array.shape,
            "data_offsets": (start, end),
        }
    pieces = [array.reshape(-1).view(np.uint8).data for array in parts.values()]
    header[_METADATA]["sha256"] = _digest(header, pieces)
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % _ALIGNMENT)
    replace_file(path, [len(head).to_bytes(8, "little"), head, *pieces], temporary_path(path))


def read_sidecar(path: Path) -> Sidecar:
    """Read a sidecar and check that it is whole.

    Raises
    ------
    FileNotFoundError
        There is none.
    SidecarError
        It is cut, damaged, of another format, or no sidecar; or it cannot be read.
    """
    try:
        # To open a pipe would wait for whoever writes to it.
        if not stat.S_ISREG(path.stat().st_mode):
            raise SidecarError("it is no file")
        with path.open("rb") as stream:
            # A map of the open file: what was checked is what is used, even after a rename.
            content = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise SidecarError(f"it cannot be read ({error})") from error
    try:
        return _interpret(content)
    except _NONSENSE as error:
        raise SidecarError("this program did not write it, or it is cut short") from error


def _interpret(content: mmap.mmap) -> Sidecar:
    start = 8 + int.from_bytes(content[:8], "little")
    if start > _LONGEST_HEADER:
        raise ValueError(start)
    header = json.loads(content[8:start])
    said = header[_METADATA].pop("sha256")
    if said != _digest(header, [memoryview(content)[start:]]):
        raise SidecarError("its content is damaged")
    key = SidecarKey(**json.loads(header.pop(_METADATA)["key"]))
    arrays = {}
    for name, item in header.items():
        shape, offset = item["shape"], item["data_offsets"][0]
        array = np.frombuffer(content, _DTYPES[item["dtype"]], math.prod(shape), start + offset)
        arrays[name] = array.reshape(shape)
    return Sidecar(key, arrays)


def _digest(header: Mapping[str, Any], pieces: Iterable[memoryview]) -> str:
    digest = hashlib.sha256(json.dumps(header, sort_keys=True).encode())
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


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

    def note_replaced(self, path: Path, why: str) -> None:
        """Add a note that what lies there is overwritten: nothing is without a word."""
        self.note(f"{path.name} is made again, in the place of what was there: {why}")

    def paths(self, suffix: str) -> tuple[Path, ...]:
        """Where the sidecar with this suffix (``.bm25``) may lie, the preferred place first."""
        return tuple(place.with_name(place.name + suffix) for place in self._places)

    def load(self, suffix: str, key: SidecarKey) -> Sidecar | None:
        """Return the intact sidecar made for exactly this key, or None with notes that say why."""
        for path, found in self.intact(suffix):
            difference = key.difference(found.key)
            if not difference:
                return found
            self.note_replaced(path, difference)
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
                self.note_replaced(path, str(error))
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
    if little.dtype.str not in _DTYPE_NAMES:
        raise ValueError(f"a sidecar holds no {array.dtype}")
    return little


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
