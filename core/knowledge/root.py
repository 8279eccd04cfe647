"""The storage root: names in parameters and configs → files that lie inside it."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from core.errors import Code, InspectorError, Place
from core.io.wording import cut, did_you_mean
from core.knowledge.kinds import FileKind, accepted_kinds, certain_kind, described, kind_of

__all__ = ["FileKind", "StorageRoot", "kind_of"]

_DRIVE = re.compile(r"[A-Za-z]:")
_MOST_NEIGHBOURS = 2000


class StorageRoot:
    """A folder that no storage name may leave.

    Parameters
    ----------
    path : the folder. `path` keeps it with symbolic links resolved.

    Raises
    ------
    InspectorError
        3010 when there is no such folder.
    """

    def __init__(self, path: Path | str) -> None:
        try:
            resolved = Path(path).resolve()
            is_folder = resolved.is_dir()
        except (OSError, RuntimeError, ValueError):
            is_folder = False
        if not is_folder:
            raise InspectorError(
                Code.StorageFileNotFound,
                f'the storage root "{path}" is no folder',
                place=Place(file=str(path)),
                hint="choose an existing folder",
            )
        self.path = resolved

    def resolve(
        self,
        name: str,
        expect: FileKind | None = None,
        *,
        node: str = "",
        param: str = "",
        base: Path | None = None,
    ) -> Path:
        """Return the file that a storage name means, with symbolic links resolved.

        Parameters
        ----------
        name : relative to the root, with ``/`` on every platform.
        expect : what kind of file it must be; None for any.
        node, param : where the name comes from, for the error's place.
        base : folder inside the root that the name is relative to, instead of the root.

        Raises
        ------
        InspectorError
            3009 for an absolute name, a drive letter, or one that leaves the root; 3010 for a
            missing file, a backslash, a null byte; 3011 for another kind of file, and for a
            folder unless a corpus is expected.
        """
        place = Place(node=node, param=param)
        _check_name(name, place)
        path = self._inside(name, base or self.path, place)
        shown = _shown(name)
        try:
            is_folder, is_file = path.is_dir(), path.is_file()
        except OSError as error:
            raise _not_found(f'"{shown}" cannot be looked at: {error.strerror}', place) from error
        if is_folder and expect is FileKind.CORPUS:
            return path
        if is_folder:
            raise InspectorError(
                Code.StorageKindMismatch,
                f'"{shown}" is a folder, not a file',
                place=place,
                hint="name a file in it",
            )
        if not is_file:
            where = "" if base is None or base == self.path else f" in {base}"
            raise _not_found(
                f'there is no file "{shown}"{where}; the storage root is {self.path}',
                place,
                _similar_names(path),
            )
        if expect is not None:
            self._check_kind(path, shown, expect, place)
        return path

    def name_of(self, path: Path | str) -> str:
        """Return the storage name of a file or folder: relative to the root, with ``/``.

        Raises
        ------
        InspectorError
            3009 when the file does not lie inside the root, 3010 for what is no possible path.
        """
        place = Place(file=str(path))
        try:
            resolved = Path(path).resolve()
        except (OSError, RuntimeError, ValueError):
            raise _not_found(f'"{_shown(str(path))}" leads nowhere', place) from None
        if resolved == self.path:
            return "."
        if self.path not in resolved.parents:
            raise _outside(
                f'"{_shown(str(path))}" lies outside the storage root {self.path}', place
            )
        return resolved.relative_to(self.path).as_posix()

    def _inside(self, name: str, base: Path, place: Place) -> Path:
        shown = _shown(name)
        try:
            path = (base / PurePosixPath(name)).resolve()
        except (OSError, RuntimeError, ValueError):
            raise _not_found(
                f'"{shown}" leads nowhere: its links run in a circle, or it is no possible name',
                place,
            ) from None
        if path != self.path and self.path not in path.parents:
            raise _outside(f'"{shown}" leaves the storage root {self.path}', place)
        return path

    def _check_kind(self, path: Path, shown: str, expect: FileKind, place: Place) -> None:
        kind = certain_kind(path)
        # Of JSON that is nothing we know, its loader can better say what is wrong.
        if kind is None or kind in accepted_kinds(expect):
            return
        raise InspectorError(
            Code.StorageKindMismatch,
            f'expected {expect.value}, but "{shown}" is {described(path, kind)}',
            place=place,
        )


def _check_name(name: str, place: Place) -> None:
    shown = _shown(name)
    if not name:
        raise _not_found("no file is named", place)
    if "\0" in name:
        raise _not_found(f'no file can be called "{shown}": it has a null byte', place)
    slashed = name.replace("\\", "/")
    if slashed.startswith("/") or _DRIVE.match(name):
        raise _outside(f'"{shown}" is an absolute path', place)
    if "\\" in name:
        if _climbs(slashed):
            raise _outside(f'"{shown}" leaves the storage root', place)
        raise _not_found(
            f'there is no file "{shown}"',
            place,
            f'folders are separated by /: write "{_shown(slashed)}"',
        )


def _climbs(name: str) -> bool:
    depth = 0
    for part in name.split("/"):
        if part == "..":
            depth -= 1
        elif part not in ("", "."):
            depth += 1
        if depth < 0:
            return True
    return False


def _similar_names(path: Path) -> str:
    names = []
    try:
        for entry in path.parent.iterdir():
            names.append(entry.name)
            if len(names) == _MOST_NEIGHBOURS:
                break
    except OSError:
        return "check the name"
    return did_you_mean(path.name, names) or "check the name"


def _shown(name: str) -> str:
    short = cut(name, 100)
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in short)


def _not_found(message: str, place: Place, hint: str = "") -> InspectorError:
    return InspectorError(Code.StorageFileNotFound, message, place=place, hint=hint)


def _outside(message: str, place: Place) -> InspectorError:
    return InspectorError(
        Code.StorageOutsideRoot,
        message,
        place=place,
        hint="name a file inside the storage root, relative to it",
    )
