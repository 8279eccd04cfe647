"""Replay: a turn that was recorded elsewhere, and the same searches here, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from core.hits.comparison import Verdict
from inspector.drawing.words import error_text, tooltip
from inspector.widgets.labels import StatusLabel
from inspector.widgets.parts import (
    PANEL_MARGINS,
    Surface,
    button,
    named,
    packed,
)
from inspector.widgets.replay_table import ReplayTable

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent

    from core.recording.replay import TurnReplay

_BUSY_AFTER_MS = 200
_MOST_NOTES = 3
_LOW_LINES = 12


class _Notes(StatusLabel):
    """Errors and notes, fewer lines of them where the panel is low; the tooltip has them all."""

    def set_most_lines(self, lines: int) -> None:
        """Show so many lines at most."""
        if lines != self._most_lines:
            self._most_lines = lines
            self.updateGeometry()
            self.update()


class ReplayPanel(Surface):
    """A summary, what was not as recorded, and a table of both results. Showing emits nothing.

    Signals
    -------
    replay_requested() : run the recorded searches here.
    target_requested() : choose the knowledge or graph to replay against.
    record_selected(str, str) : the node and the record's id of the row that the user goes to.
    """

    replay_requested = Signal()
    target_requested = Signal()
    record_selected = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "replayView", "Replay of a recorded turn")
        self._replay: TurnReplay | None = None
        self._is_recorded = False
        self._is_busy = False
        self._target = ""
        self._problem = ""
        self.table = ReplayTable()
        self.table.record_selected.connect(self.record_selected)
        self.summary = named(StatusLabel(most_lines=2), "replaySummary")
        self._notes = named(_Notes(most_lines=_MOST_NOTES), "replayNotes")
        self._replay_button = button(
            QPushButton("Replay"),
            "replayButton",
            "Replay",
            "",
            self.replay_requested,
            icon=("replay_run", "accent"),
        )
        self._target_button = button(
            QPushButton("Replay against…"),
            "replayTarget",
            "Replay against another knowledge or graph",
            "Choose the knowledge or graph to replay against",
            self.target_requested,
        )
        self._busy_timer = QTimer(self, singleShot=True, interval=_BUSY_AFTER_MS)
        self._busy_timer.timeout.connect(self._show_state)
        buttons = (self._replay_button, self._target_button)
        bar = packed(QHBoxLayout(), (self.summary, 1), *buttons, spacing=8)
        packed(QVBoxLayout(self), bar, self._notes, (self.table, 1), margins=PANEL_MARGINS)
        self._show_state()

    def show_recorded(self, is_recorded: bool, target: str) -> None:
        """Say whether the turn on screen can be replayed.

        Parameters
        ----------
        is_recorded : whether it was recorded elsewhere.
        target : the name of the knowledge or graph that it would be replayed against, "" for none.
        """
        self._is_recorded = is_recorded
        self._target = target
        self._show_state()

    def show_replay(self, replay: TurnReplay | None) -> None:
        """Show a turn's replay; None = it has not been replayed."""
        self._problem = ""
        if replay is not self._replay:
            self._replay = replay
            self.table.show_replay(replay)
        self._show_state()

    def show_busy(self, busy: bool) -> None:
        """Say that a replay is running; what was found before stays in sight."""
        self._is_busy = busy
        if not busy:
            self._busy_timer.stop()
        elif not self._busy_timer.isActive():
            self._busy_timer.start()
        self._show_state()

    def show_problem(self, text: str) -> None:
        """Say why there is no replay; "" = no problem."""
        self._problem = text
        self._show_state()

    def _show_state(self) -> None:
        can_replay = self._is_recorded and bool(self._target) and not self._is_busy
        self._replay_button.setEnabled(can_replay)
        self._replay_button.setToolTip(
            tooltip(
                f"Run the recorded messages and parameters here, on {self._target}"
                if self._target
                else "Run the recorded messages and parameters here: choose first against what"
            )
        )
        self._target_button.setEnabled(self._is_recorded and not self._is_busy)
        if self._is_busy and not self._busy_timer.isActive():
            self.summary.set_status("muted", "Replaying…")
        else:
            self.summary.set_status(*_summary(self._replay, self._is_recorded, self._target))
        notes = _notes(self._replay, self._problem)
        self._notes.setVisible(bool(notes))
        if notes:
            is_refused = bool(self._problem) or any(
                node.error is not None for node in (self._replay.nodes if self._replay else ())
            )
            self._notes.set_status("error" if is_refused else "info", "\n".join(notes))
        self.table.set_empty_text(*_empty_text(self._replay, self._is_recorded, self._target))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave room for the table where it is low."""
        super().resizeEvent(event)
        is_low = self.height() < _LOW_LINES * self.fontMetrics().lineSpacing()
        self._notes.set_most_lines(1 if is_low else _MOST_NOTES)

    def minimumSizeHint(self) -> QSize:
        """Ask for the buttons, some words, and a few rows."""
        buttons = self._replay_button.sizeHint().width() + self._target_button.sizeHint().width()
        metrics = self.fontMetrics()
        return QSize(
            buttons + 18 * metrics.averageCharWidth() + 40,
            self._replay_button.sizeHint().height() + 5 * metrics.height() + 40,
        )


def _summary(replay: TurnReplay | None, is_recorded: bool, target: str) -> tuple[str, str]:
    """Return kind and text of the summary."""
    if replay is None:
        if not is_recorded:
            return "muted", ""
        return "muted", f"Against {target}" if target else "Recorded elsewhere"
    if not replay.nodes:
        return "info", "No node of this turn searched"
    counts = {
        verdict: sum(node.comparison.count(verdict) for node in replay.nodes) for verdict in Verdict
    }
    said = " · ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    if any(node.error is not None for node in replay.nodes):
        return "error", " · ".join(part for part in ("Not replayed in full", said) if part)
    if replay.differs:
        return "warning", f"Hits differ · {said}"
    return "ok", f"Hits agree · {said or 'none, there and here'}"


def _notes(replay: TurnReplay | None, problem: str) -> list[str]:
    """Return what went wrong, then what was not as recorded."""
    errors = [problem] if problem else []
    if replay is None:
        return errors
    is_one = len(replay.nodes) == 1
    changed = []
    for node in replay.nodes:
        name = "" if is_one else f"{node.node}: "
        if node.error is not None:
            errors.append(f"{name}{error_text(node.error)}")
        changed += [f"{name}{text}" for text in node.changed]
    return [*errors, *changed, *replay.notes]


def _empty_text(replay: TurnReplay | None, is_recorded: bool, target: str) -> tuple[str, str]:
    if replay is not None:
        if any(node.error is not None for node in replay.nodes):
            return "The search could not be run here", "See above why"
        return "No hits", "Neither in the recording nor here"
    if not is_recorded:
        return "This turn was run here", "Open a debug_info JSON from a running game to replay it"
    if not target:
        return "Recorded elsewhere", "Choose the knowledge or graph to replay it against"
    return "Not replayed yet", f"Replay runs the same message and parameters on {target}"
