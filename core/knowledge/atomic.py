"""Writes files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place

if TYPE_CHECKING:
    from collections.abc import Iterable


def write_atomically(path: Path, pieces: Iterable[bytes | memoryview]) -> None:
    """Write a temporary file in the same folder, then rename it over `path`.

    A file that was there stays as it is until the new one is complete, whatever fails, and keeps
    its permissions. Where `path` is a symbolic link, the file that it leads to is replaced.

    Raises
    ------
    InspectorError
        3010 with the system's reason: a full disk, a read-only folder. Nothing is changed then.
    """
    temporary = ""
    try:
        target = path.resolve()
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:40]}.")
        with os.fdopen(handle, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o7777 if target.exists() else 0o644)
        os.replace(temporary, target)
    except (OSError, RuntimeError, ValueError) as error:
        _remove(temporary)
        reason = getattr(error, "strerror", None) or str(error)
        raise InspectorError(Code.StorageFileNotFound, f"the file cannot be written: {reason}",
                             place=Place(file=str(path)),
                             hint="choose another folder, or free some space") from error
    except BaseException:
        _remove(temporary)
        raise


def _remove(temporary: str) -> None:
    if temporary:
        Path(temporary).unlink(missing_ok=True)
