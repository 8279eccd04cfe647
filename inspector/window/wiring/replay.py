"""Replay: the recorded turn on screen beside the same turn run against the knowledge at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from inspector.panels.replay_panel import ReplayPanel
    from inspector.session.replaying import Replaying
    from inspector.session.session import Session

KNOWLEDGE_FILES = "Graphs and knowledge (*.json *.jsonl *.ndjson);;All files (*)"


class ReplayWiring(QObject):
    """Connects what is replayed with its panel.

    Parameters
    ----------
    select_record : takes a record in hand by its id.
    window : the parent of file dialogs.
    """

    def __init__(
        self,
        session: Session,
        replaying: Replaying,
        replay: ReplayPanel,
        select_record: Callable[[str], None],
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._replaying = replaying
        self._replay = replay
        self._select_record = select_record
        self._window = window
        replay.replay_requested.connect(replaying.replay)
        replay.target_requested.connect(self._choose_target)
        replay.record_selected.connect(self._on_record_selected)
        replaying.changed.connect(self._show)
        replaying.failed.connect(session.failed)

    def _show(self) -> None:
        replay, replaying = self._replay, self._replaying
        target = replaying.target
        replay.show_recorded(
            replaying.turn is not None, target.path.name if target is not None else ""
        )
        replay.show_busy(replaying.is_busy)
        replay.show_replay(replaying.result)

    def _choose_target(self) -> None:
        name, _ = QFileDialog.getOpenFileName(
            self._window, "Replay against", self._session.folder, KNOWLEDGE_FILES
        )
        if name:
            self._replaying.use_target(Path(name))

    def _on_record_selected(self, node: str, record: str) -> None:
        try:
            self._session.pick_node(node)
        except InspectorError:
            return
        self._select_record(record)
