"""Replay: the recorded turn on screen beside the same turn run against the knowledge at hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from core.errors import InspectorError

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from inspector.panels.replay_panel import ReplayPanel
    from inspector.session.replaying import Replaying
    from inspector.session.session import Session

KNOWLEDGE_FILES = "Graphs and knowledge (*.json *.jsonl *.ndjson);;All files (*)"


def wire_replay(
    session: Session,
    replaying: Replaying,
    replay: ReplayPanel,
    select_record: Callable[[str], None],
    window: QWidget,
) -> None:
    """Connect what is replayed with its panel.

    Parameters
    ----------
    select_record : takes a record in hand by its id.
    window : the parent of file dialogs.
    """

    def show() -> None:
        target = replaying.target
        replay.show_recorded(
            replaying.turn is not None, target.path.name if target is not None else ""
        )
        replay.show_busy(replaying.is_busy)
        replay.show_replay(replaying.result)

    def choose_target() -> None:
        name, _ = QFileDialog.getOpenFileName(
            window, "Replay against", session.folder, KNOWLEDGE_FILES
        )
        if name:
            replaying.use_target(Path(name))

    def on_record_selected(node: str, record: str) -> None:
        try:
            session.pick_node(node)
        except InspectorError:
            return
        select_record(record)

    replay.replay_requested.connect(replaying.replay)
    replay.target_requested.connect(choose_target)
    replay.record_selected.connect(on_record_selected)
    replaying.changed.connect(show)
    replaying.failed.connect(session.failed)
