"""The turns so far: kept from one start to the next, and their settings used again."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QUndoCommand

from core.agent.history_file import HistoryFile
from core.agent.turn import Turn
from core.errors import InspectorError
from core.io.folders import data_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.agent.history import HistoryEntry
    from core.nodes import NodeParams
    from inspector.session.jobs import Jobs
    from inspector.session.session import Session
    from inspector.session.shown import Shown

READ_LANE = "history"
QUIET_MS = 500
"""What changes within so long is written once."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settings:
    """What a turn was asked with besides its message."""

    params: Mapping[str, NodeParams]
    variables: Mapping[str, str]
    exits: Mapping[str, str]
    replies: Mapping[str, str]


class SettingsChange(QUndoCommand):
    """All settings at once, put in force and taken back."""

    def __init__(
        self, text: str, apply: Callable[[Settings], object], old: Settings, new: Settings
    ) -> None:
        super().__init__(text)
        self._apply = apply
        self._old, self._new = old, new

    def undo(self) -> None:
        """Put the settings before in force."""
        self._apply(self._old)

    def redo(self) -> None:
        """Put the settings of the turn in force."""
        self._apply(self._new)


class Remembering(QObject):
    """Reads the turns of a folder when it is opened, and writes them when they change.

    Parameters
    ----------
    writes : tells whether anything of this start is to be kept.
    """

    def __init__(
        self,
        session: Session,
        jobs: Jobs,
        writes: Callable[[], bool],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._writes = writes
        self._session = session
        self._jobs = jobs
        self._folder = ""
        self._file: HistoryFile | None = None
        self._files: dict[str, HistoryFile] = {}
        self._left: dict[str, list[HistoryEntry]] = {}
        self._entries: Sequence[HistoryEntry] = ()
        self._is_read = False
        self._quiet = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._quiet.timeout.connect(self._write)
        self._is_changed = False
        session.opened.connect(self._on_opened)
        session.bind((lambda shown: (shown.opened is None, shown.history), self._on_changed))

    # Kept

    def _on_opened(self) -> None:
        folder = self._session.folder
        if folder == self._folder:
            return
        if self._is_changed:
            self._quiet.stop()
            self._write()
        if self._is_read:
            self._left[self._folder] = [_as_kept(entry) for entry in self._entries]
        file = self._files.setdefault(folder, HistoryFile(data_folder() / "history", folder))
        self._folder, self._file, self._is_read = folder, file, False
        left = self._left.pop(folder, None)
        self._jobs.submit(
            READ_LANE,
            lambda _work: file.read() if left is None else left,
            self._on_read,
            self._on_unreadable,
        )

    def _on_read(self, entries: list[HistoryEntry]) -> None:
        self._is_read = True
        self._session.asking.put_back(entries)

    def _on_unreadable(self, error: BaseException) -> None:
        self._is_read = True
        log.warning("the turns of %s cannot be read: %s", self._folder, error)

    def _on_changed(self, shown: Shown) -> None:
        if self._folder == self._session.folder:
            self._entries = shown.history
            self._is_changed = True
            self._quiet.start()

    def _write(self) -> None:
        file, entries = self._file, self._entries
        if file is None or not self._is_read or not self._writes():
            return
        self._is_changed = False
        number = file.number()
        # A lane for each folder: what is left for another one is written nevertheless.
        self._jobs.submit(
            f"{READ_LANE} {file.path.name}",
            lambda _work: file.write(entries, number),
            lambda _written: None,
            self._on_unwritable,
        )

    def _on_unwritable(self, error: BaseException) -> None:
        self._writes = lambda: False
        log.warning("the turns are not kept: %s", error)
        self._session.noted.emit(f"The turns are not kept for the next start: {error}")

    def close(self) -> None:
        """Write what is not written yet; called once, when the window goes."""
        self._quiet.stop()
        if self._file is None or not (self._is_read and self._is_changed and self._writes()):
            return
        try:
            self._file.write(self._entries, self._file.number())
        except InspectorError as error:
            log.warning("the turns are not kept: %s", error)

    # Used again

    def use_settings(self) -> None:
        """Put the settings of the turn on screen in force, as one step to undo."""
        session, turn = self._session, self._session.turn
        if turn is None or turn.recorded:
            return
        request, inputs, graph = turn.request, session.inputs, session.editor.in_hand
        old = Settings(
            {node.name: node.params for node in graph.nodes},
            dict(inputs.variables),
            dict(inputs.exits),
            dict(inputs.replies),
        )
        new = Settings(request.params, request.variables, request.exits, request.replies)
        session.editor.end_edit()
        session.editor.undo_stack.push(
            SettingsChange("use the settings of an earlier turn", self._apply, old, new)
        )

    def _apply(self, settings: Settings) -> None:
        inputs = self._session.inputs
        inputs.bring_back(settings.variables, settings.exits, settings.replies)
        if not self._session.editor.replace_params(settings.params):
            inputs.changed.emit()

    def remove(self, index: int) -> Callable[[], None] | None:
        """Take a turn out of the history; return what puts it back."""
        entry = self._session.asking.remove(index)
        return None if entry is None else partial(self._session.asking.put_back, [entry])


def _as_kept(entry: HistoryEntry) -> HistoryEntry:
    """Return an entry as its file keeps it: without its results."""
    return replace(entry, turn=Turn(entry.turn.request, ()), told=entry.summary, is_open=False)
