"""Replay: the recorded turn on screen, run once more against the knowledge at hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import Code, InspectorError, Place
from core.opening.opening import open_path
from core.opening.targets import find_target
from core.recording.replay import TurnReplay, replay_turn

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn
    from core.embedding.embedder import ModelProvider
    from core.opening.opening import Opened
    from inspector.session.jobs import Jobs
    from inspector.session.session import Session
    from inspector.session.shown import Shown

REPLAY_LANE = "replay"
TARGET_LANE = "target"


class Replaying(QObject):
    """Knows what to replay against, and runs it in a worker.

    Signals
    -------
    changed()
        The target, the result or whether one is being made changed.
    failed(exception)
        A replay, or opening its target, did not work.
    """

    changed = Signal()
    failed = Signal(object)

    def __init__(
        self, session: Session, jobs: Jobs, models: ModelProvider, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._jobs = jobs
        self._models = models
        self._played: Opened | None = None
        self._shown: Turn | None = None
        self.target: Opened | None = None
        self.result: TurnReplay | None = None
        session.opened.connect(self._on_opened)
        session.changed.connect(self._on_changed)

    @property
    def turn(self) -> Turn | None:
        """The turn on screen, where it was recorded."""
        turn = self._session.turn
        return turn if turn is not None and turn.recorded else None

    @property
    def is_busy(self) -> bool:
        """Whether a replay is being made."""
        return self._jobs.is_busy(REPLAY_LANE)

    def _on_opened(self) -> None:
        current = self._session.current
        if current is None:
            return
        self._jobs.cancel(REPLAY_LANE)
        self._jobs.cancel(TARGET_LANE)
        self.result = None
        turn = current.turn
        if turn is None:
            # A recording that is opened next was most likely made with this.
            self._played, self.target = current, None
        else:
            self.target = self._played
            if self.target is None:
                self._jobs.submit(
                    TARGET_LANE,
                    lambda _work: find_target(turn, current.path, self._models),
                    self._on_target,
                    self.failed.emit,
                )
        self.changed.emit()

    def _on_target(self, target: Opened | None) -> None:
        self.target = target
        self.changed.emit()

    def _on_changed(self, _shown: Shown) -> None:
        turn = self.turn
        if turn is not self._shown:
            self._shown = turn
            if self.result is not None and self.result.turn is not turn:
                self.result = None
            self.changed.emit()

    def replay(self) -> None:
        """Replay the turn on screen."""
        turn, target = self.turn, self.target
        if turn is None or target is None:
            return
        variables = dict(self._session.inputs.variables)
        self._jobs.submit(
            REPLAY_LANE,
            lambda work: replay_turn(turn, target, variables=variables, work=work),
            self._on_replayed,
            self._on_failed,
        )
        self.changed.emit()

    def _on_replayed(self, result: TurnReplay) -> None:
        if result.turn is self.turn:
            self.result = result
        self.changed.emit()

    def _on_failed(self, error: BaseException) -> None:
        self.changed.emit()
        self.failed.emit(error)

    def cancel(self) -> None:
        """Give up a replay that is being made."""
        self._jobs.cancel(REPLAY_LANE)
        self.changed.emit()

    def use_target(self, path: Path) -> None:
        """Open a graph or knowledge to replay against, and replay."""
        self._jobs.submit(
            REPLAY_LANE,
            lambda _work: open_path(path, models=self._models),
            self._on_target_opened,
            self._on_failed,
        )

    def _on_target_opened(self, target: Opened) -> None:
        if target.turn is not None:
            self.failed.emit(
                InspectorError(
                    Code.StorageKindMismatch,
                    f"{target.path.name} is a recorded turn itself",
                    place=Place(file=str(target.path)),
                    hint="choose a graph or a knowledge file",
                )
            )
            return
        self._jobs.cancel(TARGET_LANE)
        self.target = target
        self.replay()
