"""Tells when a file in use changes on disk, also when it is replaced by a rename."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SETTLE_MS = 250
"""An editor writes in several steps; wait until it is quiet for so long."""

_Stamp = tuple[int, int]


class FileWatch(QObject):
    """Watches the folders of the files in use, since a replaced file drops out of a file watch.

    Signals
    -------
    changed(list of Path): these files have other content, or are gone or back.
    """

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watcher = QFileSystemWatcher(self)
        self._stamps: dict[Path, _Stamp | None] = {}
        self._timer = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._timer.timeout.connect(self._compare)
        self._watcher.fileChanged.connect(self._timer.start)
        self._watcher.directoryChanged.connect(self._timer.start)

    def watch(self, files: Iterable[Path]) -> None:
        """Watch these files and no others."""
        self._stamps = {path: _stamp(path) for path in files}
        wanted = {str(path) for path in self._stamps} | {str(p.parent) for p in self._stamps}
        watched = {*self._watcher.files(), *self._watcher.directories()}
        if watched - wanted:
            self._watcher.removePaths(sorted(watched - wanted))
        self._add(wanted - watched)

    def watch_also(self, files: Iterable[Path]) -> None:
        """Watch these files besides the others; a change of those is told as ever."""
        new = {path: _stamp(path) for path in files if path not in self._stamps}
        if new:
            self._stamps |= new
            wanted = {str(path) for path in new} | {str(path.parent) for path in new}
            self._add(wanted - {*self._watcher.files(), *self._watcher.directories()})

    def take_note(self, path: Path) -> None:
        """Take a file as it is now: the program itself has written it."""
        if path in self._stamps:
            self._stamps[path] = _stamp(path)

    def stop(self) -> None:
        """Watch nothing any more."""
        self.watch(())
        self._timer.stop()

    def _add(self, paths: set[str]) -> None:
        if paths:
            self._watcher.addPaths(sorted(paths))

    def _compare(self) -> None:
        fresh = {path: _stamp(path) for path in self._stamps}
        changed = [path for path, stamp in fresh.items() if stamp != self._stamps[path]]
        self._stamps = fresh
        self._add({str(p) for p, stamp in fresh.items() if stamp} - set(self._watcher.files()))
        if changed:
            self.changed.emit(changed)


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
