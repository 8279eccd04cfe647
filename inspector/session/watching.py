"""Tells when something that is read changes on disk, however it is written, moved or replaced.

Qt's watcher only gives the hint to look: what has changed is told by comparing. It watches the
folders around the files too, up to the top, since a file or a folder that is replaced by a rename
drops out of the watcher, and what is not there yet cannot be watched at all. The watchers of other
libraries keep to the folder that they were given in the same way, watch all that lies below it, and
take a thread.
"""

from __future__ import annotations

import os
import stat
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SETTLE_MS = 250
"""An editor writes in several steps; wait until nothing has changed for so long."""
MOST_ENTRIES = 5000
"""Files and folders of one folder that are looked at."""
READ_SUFFIXES = (".md", ".markdown", ".json", ".txt", ".safetensors")
"""Of what lies in a watched folder, these count."""

_Stamp = tuple[int, int, int]
_Look = dict[Path, dict[str, _Stamp]]
"""By path what is there: the file itself, or what lies in the folder; {} for nothing."""


class FileWatch(QObject):
    """Watches files, and folders with all that is read in them; they need not be there yet.

    Signals
    -------
    changed(list of Path): these have other content, or are gone or back; of what lies in a folder
        each by itself.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._known: _Look = {}
        self._last: _Look = {}
        self._inodes: dict[str, int] = {}
        self._near: set[str] = set()
        self._above: set[str] = set()
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS // 2)
        self._timer.timeout.connect(self._compare)
        self._watcher.fileChanged.connect(self._start)
        self._watcher.directoryChanged.connect(self._on_folder_changed)

    def watch(self, paths: Iterable[Path]) -> None:
        """Watch these, as they are now, and no others."""
        self._known = self._last = {path: _look_at(path) for path in map(Path.absolute, paths)}
        self._follow()

    def watch_also(self, paths: Iterable[Path]) -> None:
        """Watch these besides the others; a change of those is told as ever."""
        new = {path: _look_at(path) for path in paths if path not in self._known}
        if new:
            self._known = self._known | new
            self._last = self._last | new
            self._follow()

    def missing(self) -> list[Path]:
        """Return what is watched and not there."""
        return [path for path, found in self._known.items() if not found]

    def take_note(self, path: Path) -> None:
        """Take a file as it is now: the program itself has written it."""
        if path in self._known:
            self._known = {**self._known, path: _look_at(path)}

    def stop(self) -> None:
        """Watch nothing any more."""
        self.watch(())
        self._timer.stop()

    def _start(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _on_folder_changed(self, path: str) -> None:
        # What happens in the folders above is no concern of ours, unless it moves one of ours.
        if path in self._near or any(_inode(at) != self._inodes[at] for at in self._above):
            self._start()

    def _compare(self) -> None:
        look = {path: _look_at(path) for path in self._known}
        if look != self._last:
            # It is still being written.
            self._last = look
            self._start()
        elif look != self._known:
            changed = [path for at in look for path in _changed(at, self._known[at], look[at])]
            self._known = look
            self._follow()
            self.changed.emit(changed)
            return
        self._follow()

    def _follow(self) -> None:
        """Let the watcher watch what is there now, in the place of what was there before."""
        self._near = {str(path.parent) for path in self._known}
        for path, found in self._known.items():
            self._near |= {str(path), *(str(path / inner) for inner in found if inner)}
        self._above = {str(above) for path in self._known for above in path.parents[:-1]}
        inodes = {path: _inode(path) for path in self._near | self._above}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        moved = {path for path in watched if inodes.get(path) != self._inodes.get(path)}
        if moved:
            self._watcher.removePaths(sorted(moved))
        self._inodes = inodes
        new = {path for path, inode in inodes.items() if inode} - (watched - moved)
        if new:
            self._watcher.addPaths(sorted(new))


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


def _look_at(path: Path) -> dict[str, _Stamp]:
    """Return the stamp of a file as "", or those of what lies in a folder by the path in it."""
    try:
        status = path.stat()
    except OSError:
        return {}
    if not stat.S_ISDIR(status.st_mode):
        return {"": _stamp(status)}
    return dict(islice(_entries(path, ""), MOST_ENTRIES))


def _changed(path: Path, before: dict[str, _Stamp], now: dict[str, _Stamp]) -> list[Path]:
    """Return what is other than before, of what lies in a folder; the path itself for a file."""
    inner = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    # Of a folder that is gone, or back, nothing else needs to be said.
    return [path / name for name in inner] if before and now else [path] if inner else []


def _entries(folder: Path, inner: str) -> Iterator[tuple[str, _Stamp]]:
    """Yield the folders in a folder, and the files that are read, each with its stamp."""
    try:
        entries = sorted(os.scandir(folder / inner), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        name = f"{inner}{entry.name}"
        try:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                yield name, (0, 0, entry.inode())
                yield from _entries(folder, f"{name}/")
            elif entry.name.lower().endswith(READ_SUFFIXES):
                yield name, _stamp(entry.stat())
        except OSError:
            continue


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino
