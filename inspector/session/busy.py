"""Decides when work is worth a progress strip, and how long it will still take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.io.work import Count

if TYPE_CHECKING:
    from inspector.session.jobs import Jobs

BUSY_AFTER_MS = 200
"""Work that is over sooner is not worth a look."""

_UNTOLD = {
    "open": "opening",
    "turn": "searching",
    "index": "preparing the search",
    "check": "checking the graph",
    "replay": "replaying",
    "memory": "reading a memory store",
    "history": "reading the turns so far",
}

_BESIDES = {
    "loading the embedding model": "Lexical works meanwhile",
    "embedding records": "Lexical works meanwhile",
}


@dataclass(slots=True)
class _Step:
    """What a lane reported last, and from where and when it has been at this step."""

    what: str
    done: int = 0
    total: int = 0
    first_share: float = 0.0
    first_at: float = 0.0

    @property
    def share(self) -> float:
        """How much of the step's effort is done, 0 to 1."""
        if isinstance(self.done, Count):
            return self.done.effort
        return self.done / self.total if self.total else 0.0


class Busy(QObject):
    """Sums the progress of all lanes up.

    Signals
    -------
    progressed(what, done, total, seconds left or None) : work goes on that is worth a look.
    ended() : nothing is being worked on any more.
    """

    progressed = Signal(str, object, object, object)
    ended = Signal()

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps: dict[str, _Step] = {}
        self._newest = ""
        self._patience = QTimer(self, singleShot=True, interval=BUSY_AFTER_MS)
        self._patience.timeout.connect(self._show)
        jobs.started.connect(self._on_started)
        jobs.progressed.connect(self._on_progressed)
        jobs.ended.connect(self._on_ended)

    def _on_started(self, lane: str) -> None:
        if not self._steps:
            self._patience.start()
        self._steps[lane] = _Step(_UNTOLD.get(lane, "working"))
        self._newest = lane

    def _on_progressed(self, lane: str, what: str, done: int, total: int) -> None:
        step = self._steps.get(lane)
        if step is None:
            return
        if what != step.what or done < step.done:
            step = self._steps[lane] = _Step(what, done, total, first_at=time.monotonic())
            step.first_share = step.share
        step.done, step.total = done, total
        self._newest = lane
        if not self._patience.isActive():
            self._show()

    def _on_ended(self, lane: str) -> None:
        self._steps.pop(lane, None)
        if not self._steps:
            self._patience.stop()
            self.ended.emit()
        elif self._newest == lane:
            self._newest = next(iter(self._steps))
            if not self._patience.isActive():
                self._show()

    def _show(self) -> None:
        step = self._steps[self._newest]
        what = " · ".join(part for part in (step.what, _BESIDES.get(step.what)) if part)
        self.progressed.emit(what, step.done, step.total, _seconds_left(step))


def _seconds_left(step: _Step) -> float | None:
    """Go on at the pace of this step so far: what was done before it began took no time."""
    made = step.share - step.first_share
    if made <= 0:
        return None
    return (time.monotonic() - step.first_at) * (1 - step.share) / made
