"""Work off the GUI thread. The only file of the window with threads.

A lane holds one piece of work at a time: a newer request makes the older one stale before it is
cancelled, so an answer that comes late is dropped, whatever order threads finish in.
"""

from __future__ import annotations

import logging
import sys
import threading
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from core.errors import Cancelled
from core.io.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.io.work import Progress

    _Report = tuple[str, int, int]

PROGRESS_INTERVAL_MS = 50
WORKERS = 4
SWITCH_S = 0.0005
"""How long the GUI thread waits at most for a busy worker at each of its calls into Qt.

Python's own 5 ms would add up to seconds, since Qt lets other threads run at nearly every call.
"""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Job:
    lane: str
    number: int
    stop: threading.Event
    future: Future[Any] | None
    on_done: Callable[[Any], None]
    on_error: Callable[[BaseException], None]
    latest: _Report | None = None
    shown: _Report | None = None
    told: bool = False


class Jobs(QObject):
    """Runs engine functions in worker threads and hands results back on the GUI thread.

    Signals
    -------
    progressed(lane, what, done, total)
        At most about twenty times a second, for the current job of a lane; the newest report
        is never left out.
    started(lane), ended(lane)
        A lane became busy, or has nothing to do any more.
    succeeded(lane)
        What the lane was to do worked; comes before its `on_done`.

    `failing` is the lane whose `on_error` is being called, "" otherwise.
    """

    progressed = Signal(str, str, object, object)
    started = Signal(str)
    ended = Signal(str)
    succeeded = Signal(str)
    _finished = Signal(object)
    _reported = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(SWITCH_S)
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="inspector")
        self._current: dict[str, _Job] = {}
        self._number = 0
        self._closed = False
        self.failing = ""
        self._finished.connect(self._on_finished, Qt.ConnectionType.QueuedConnection)
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        self._pace = QTimer(self, singleShot=True, interval=PROGRESS_INTERVAL_MS)
        self._pace.timeout.connect(self._tell)

    def submit(
        self,
        lane: str,
        run: Callable[[Work], Any],
        on_done: Callable[[Any], None],
        on_error: Callable[[BaseException], None],
    ) -> None:
        """Start `run(work)`; it replaces what the lane was doing.

        `on_done(result)` or `on_error(exception)` is called later on the GUI thread, unless the
        job is cancelled or replaced before.
        """
        if self._closed:
            return
        self._number += 1
        job = _Job(lane, self._number, threading.Event(), None, on_done, on_error)
        previous = self._current.get(lane)
        # The new number stands before the old job is cancelled: cancelling a queued future
        # runs its callbacks at once, in this thread.
        self._current[lane] = job
        if previous is not None:
            self._stop(previous)
        else:
            self.started.emit(lane)
        future = self._pool.submit(
            run, Work(progress=self._reporter(job), is_cancelled=job.stop.is_set)
        )
        job.future = future
        future.add_done_callback(lambda _future: self._emit_finished(job))

    def cancel(self, lane: str) -> None:
        """Stop what the lane is doing; its callbacks are not called."""
        job = self._current.pop(lane, None)
        if job is not None:
            self._stop(job)
            self.ended.emit(lane)

    def is_busy(self, lane: str) -> bool:
        """Tell whether the lane has work."""
        return lane in self._current

    def stop(self) -> None:
        """Cancel everything and accept no more work."""
        self._closed = True
        for lane in list(self._current):
            self.cancel(lane)

    def close(self) -> None:
        """Cancel everything, wait for the threads, and accept no more work."""
        self.stop()
        self._pace.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _stop(self, job: _Job) -> None:
        job.stop.set()
        if job.future is not None:
            job.future.cancel()

    def _reporter(self, job: _Job) -> Progress:
        def report(what: str, done: int, total: int) -> None:
            job.latest = (what, done, total)
            # The slot clears `told` before it reads the report, so none is left unread.
            if not job.told and not job.stop.is_set():
                job.told = True
                self._reported.emit()

        return report

    @Slot()
    def _on_reported(self) -> None:
        if not self._pace.isActive() and not self._closed:
            self._tell()

    @Slot()
    def _tell(self) -> None:
        """Pass on what the current jobs have reported, at an even pace while they go on."""
        for job in list(self._current.values()):
            job.told = False
            report = job.latest
            if report is not None and report is not job.shown:
                job.shown, job.told = report, True
                self._pace.start()
                self.progressed.emit(job.lane, *report)

    def _emit_finished(self, job: _Job) -> None:
        try:
            self._finished.emit(job)
        except RuntimeError:
            # The window is gone and took this object along; nobody waits for the result.
            log.debug("job of lane %s finished after the end", job.lane)

    @Slot(object)
    def _on_finished(self, job: _Job) -> None:
        # The future and its callback hold each other and the result, which may be all that is open.
        future, job.future = job.future, None
        if self._current.get(job.lane) is not job or future is None:
            return
        del self._current[job.lane]
        try:
            result = future.result()
        except (Cancelled, CancelledError):
            self.ended.emit(job.lane)
            return
        except Exception as error:
            self.ended.emit(job.lane)
            self.failing = job.lane
            try:
                job.on_error(error)
            finally:
                self.failing = ""
            return
        self.ended.emit(job.lane)
        self.succeeded.emit(job.lane)
        job.on_done(result)
