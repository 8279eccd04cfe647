"""Indexes made in the background, and what there is to say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.agent.workspace import Workspace
    from core.io.work import Work
    from core.nodes import NodeParams
    from inspector.session.jobs import Jobs

INDEX_LANE = "index"


class Preparing(QObject):
    """Loads or builds what the searches of a graph will need.

    Signals
    -------
    noted(text)
        What was rebuilt and why, or could not be written; each note once.
    failed(exception)
        Something could not be made.
    """

    noted = Signal(str)
    failed = Signal(object)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._told: set[str] = set()

    def prepare(self, workspace: Workspace, tables: Sequence[NodeParams]) -> None:
        """Prepare the searches of these nodes; what was being prepared before is given up."""

        def job(work: Work) -> None:
            workspace.prepare(tables, work)

        self._jobs.submit(INDEX_LANE, job, lambda _: self.tell_notes(workspace), self.failed.emit)

    def cancel(self) -> None:
        """Stop preparing; what was made until then is kept."""
        self._jobs.cancel(INDEX_LANE)

    def tell_notes(self, workspace: Workspace) -> None:
        """Tell what is new to tell."""
        for note in workspace.notes:
            if note not in self._told:
                self._told.add(note)
                self.noted.emit(note)
