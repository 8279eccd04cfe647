"""Whether a model folder holds what it should, and what makes its vectors what they are.

Hashing weights of many megabytes takes a while, so a file's hash is remembered together with its
size and time of change.
"""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Any

from core.embedding.models import WEIGHTS_FILE, ModelEntry, read_object
from core.embedding.prompts import read_prompts
from core.errors import Code, InspectorError, Place
from core.io.atomic import write_atomically
from core.io.folders import cache_folder
from core.io.foreign import foreign_data

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


HASHES_FILE = "model_hashes.json"

_OWN_MODULES = "sentence_transformers."
_PICKLED = ("pytorch_model.bin", "model.pt")
_HASHED_SUFFIXES = frozenset({".json", ".txt", ".model", ".safetensors"})
_QUICKLY_HASHED = 1 << 20
_SIGNATURE_BYTES = 64
_lock = threading.Lock()


def check_modules(entry: ModelEntry, folder: Path) -> None:
    """Refuse a model that would run code of its own, or unpickle its weights.

    Raises
    ------
    InspectorError
        8003.
    """
    for name, path in _modules(entry, folder):
        if not name.startswith(_OWN_MODULES):
            raise _refused(
                entry, folder, f'its module "{name}" is code of its own, which is not run'
            )
        for weights in path.glob("*.safetensors"):
            found = foreign_data(_head(entry, weights))
            if found is not None:
                raise _refused(entry, folder, f"{weights.name} is {found.what}", found.hint)
        if any((path / pickled).exists() for pickled in _PICKLED) and not _has_weights(path):
            raise _refused(
                entry,
                folder,
                "its weights are pickled, which could run code",
                hint="convert them to model.safetensors",
            )


def check_weights(entry: ModelEntry, folder: Path) -> None:
    """Refuse weights that differ from those that the catalog names.

    Raises
    ------
    InspectorError
        8003 when they differ, 4001 when they cannot be read.
    """
    if not entry.sha256:
        return
    try:
        found = file_hash(folder / WEIGHTS_FILE)
    except OSError as error:
        raise _unreadable(entry, folder / WEIGHTS_FILE, error) from error
    if found != entry.sha256:
        raise _refused(
            entry,
            folder,
            f"its weights are not the original ones (SHA-256 {found}, expected {entry.sha256})",
            hint="install it again",
        )


def model_identity(entry: ModelEntry, folder: Path) -> str:
    """Return a hash of all the files that a model's vectors depend on: hexadecimal SHA-256.

    Raises
    ------
    InspectorError
        8003 for a folder that holds no model that may be used, 4001 for one that cannot be read.
    """
    digest = hashlib.sha256()
    places = {folder.resolve()} | {path for _, path in _modules(entry, folder) if path.is_dir()}
    try:
        for place in sorted(places):
            for path in sorted(place.iterdir()):
                if path.suffix in _HASHED_SUFFIXES and path.is_file():
                    name = path.relative_to(folder.resolve()).as_posix()
                    digest.update(f"{name}\0{file_hash(path)}\n".encode())
    except OSError as error:
        raise _unreadable(entry, folder, error) from error
    prompts = read_prompts(folder)
    if any(prompts):
        # Its file is hashed above: this tells from vectors made when one prompt served for both.
        digest.update(json.dumps(prompts).encode())
    return digest.hexdigest()


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file, hexadecimal; of a large one that has not changed, from memory.

    Raises
    ------
    OSError
        It cannot be read.
    """
    state = path.stat()
    stamp = [state.st_size, state.st_mtime_ns]
    key = str(path.resolve())
    if state.st_size > _QUICKLY_HASHED:
        known = _remembered().get(key)
        if isinstance(known, list) and known[:2] == stamp and isinstance(known[-1], str):
            return known[-1]
    with path.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    if state.st_size > _QUICKLY_HASHED:
        _remember(key, [*stamp, found])
    return found


def _modules(entry: ModelEntry, folder: Path) -> Iterator[tuple[str, Path]]:
    """Class name and folder of each module of the model."""
    try:
        listed = json.loads((folder / "modules.json").read_bytes())
        for module in listed:
            path = (folder / str(module["path"])).resolve()
            if not path.is_relative_to(folder.resolve()):
                raise ValueError("a module lies outside the folder")
            yield str(module["type"]), path
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise _refused(entry, folder, f"its modules.json cannot be used: {error}") from error


def _head(entry: ModelEntry, path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_SIGNATURE_BYTES)
    except OSError as error:
        raise _unreadable(entry, path, error) from error


def _has_weights(folder: Path) -> bool:
    return any(folder.glob("*.safetensors"))


def _refused(entry: ModelEntry, folder: Path, problem: str, hint: str = "") -> InspectorError:
    return InspectorError(
        Code.InvalidEmbeddedStringStorageData,
        f'the embedding model "{entry.name}" is refused: {problem}',
        place=Place(file=str(folder)),
        hint=hint,
    )


def _unreadable(entry: ModelEntry, path: Path, error: OSError) -> InspectorError:
    return InspectorError(
        Code.InferenceFailed,
        f'the embedding model "{entry.name}" cannot be read: {error.strerror}',
        place=Place(file=str(path)),
        hint="install the model again",
    )


def _remembered() -> dict[str, Any]:
    return read_object(cache_folder() / HASHES_FILE)


def _remember(key: str, entry: list[Any]) -> None:
    with _lock:
        content = json.dumps(_remembered() | {key: entry}, indent=1).encode()
        try:
            cache_folder().mkdir(parents=True, exist_ok=True)
            write_atomically(cache_folder() / HASHES_FILE, [content])
        except (OSError, InspectorError):
            # Not remembered: it is hashed again next time.
            return
