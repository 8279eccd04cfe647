"""Memory stores from and to their files, in a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.knowledge.memory import MemoryStore

if TYPE_CHECKING:
    from pathlib import Path

    from core.io.work import Work
    from core.retrieve.memories import Memories
    from inspector.session.jobs import Jobs

MEMORY_LANE = "memory"


class MemoryFiles(QObject):
    """Opens and saves memory stores.

    Signals
    -------
    opened(MemoryStore), saved(MemoryStore)
        A store was read from its file, or written to it.
    failed(exception)
        It could not be; whatever the file held is unchanged.
    """

    opened = Signal(object)
    saved = Signal(object)
    failed = Signal(object)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs

    def open(self, path: Path) -> None:
        """Read a store."""

        def job(_work: Work) -> MemoryStore:
            return MemoryStore.load(path)

        self._jobs.submit(MEMORY_LANE, job, self.opened.emit, self.failed.emit)

    def save(self, store: MemoryStore, path: Path, memories: Memories) -> None:
        """Write a store atomically; `memories` keeps its vectors beside it."""

        def job(work: Work) -> MemoryStore:
            saved = store.save(path)
            memories.saved(saved, work)
            return saved

        self._jobs.submit(MEMORY_LANE, job, self.saved.emit, self.failed.emit)
