"""Writes files whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NEW_FILE_MODE = 0o666
"""Permissions of a new file, less what the user's mask takes away."""

_UNSAFE = re.compile(r"[^\w.-]")
_LONGEST_STEM = 80


def write_atomically(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a temporary file in the same folder, then rename it over `path`.

    A file that was there stays as it is until the new one is complete, whatever fails, and keeps
    its permissions. Where `path` is a symbolic link, the file that it leads to is replaced.

    Raises
    ------
    InspectorError
        3010 with the system's reason: a full disk, a read-only folder. Nothing is changed then.
    """
    try:
        target = path.resolve()
        temporary = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}")
        mode = target.stat().st_mode & 0o7777 if target.exists() else None
        replace_file(target, pieces, temporary, mode)
    except (OSError, RuntimeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InspectorError(
            Code.StorageFileNotFound,
            f"the file cannot be written: {reason}",
            place=Place(file=str(path)),
            hint="choose another folder, or free some space",
        ) from error


def replace_file(
    path: Path,
    pieces: Iterable[bytes | memoryview],
    temporary: Path,
    mode: int | None = None,
) -> None:
    """Write `temporary`, then rename it over `path`: at every moment the old content or the new.

    Parameters
    ----------
    pieces : the content.
    temporary : a path in the same folder where nothing is yet.
    mode : permissions of the file; those of a new file where None.

    Raises
    ------
    OSError
        The folder cannot be written to, or the disk is full; no temporary file is left.
    """
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(temporary, flags, NEW_FILE_MODE), "wb") as stream:
            stream.writelines(pieces)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable, where folders can be synced at all."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def file_name_for(name: str, suffix: str) -> str:
    """Return a file name that every platform takes for something called `name`.

    Letters, digits and ``. _ -`` stay; anything else, which may be a separator, becomes ``_``.
    """
    kept = _UNSAFE.sub("_", name)[:_LONGEST_STEM].strip(" .") or "unnamed"
    return f"{kept}{suffix}"
