"""What is wrong with the graph as it is edited: checked anew where an edit asks for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.io.findings import has_errors
from inspector.session.compiling import check_edited

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.io.findings import Finding
    from core.nodes import ParamSpec
    from core.opening.opening import Opened
    from inspector.session.graph_editor import GraphEditor
    from inspector.session.jobs import Jobs

CHECK_LANE = "check"


class Checking(QObject):
    """Keeps the findings of the edited graph and its storages.

    Signals
    -------
    checked(str)
        There are findings again; the structural parameter whose edit asked for a new agent, or "".
    failed(InspectorError or another exception)
        The check could not be made.
    """

    checked = Signal(str)
    failed = Signal(object)

    def __init__(self, jobs: Jobs, editor: GraphEditor, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._editor = editor
        self._opened: Opened | None = None
        self._renewing = ""
        self._waiting: list[Callable[[], object]] = []
        self.findings: tuple[Finding, ...] = ()
        editor.drafts_changed.connect(self._on_drafts_changed)

    def begin(self, opened: Opened, findings: tuple[Finding, ...]) -> None:
        """Take another graph, of which this is known."""
        self.cancel()
        self._opened, self.findings = opened, findings

    def take_saved(self, opened: Opened) -> None:
        """Take note that the graph was saved: its file has nothing any more that is refused."""
        self._opened = opened
        if self.findings:
            self._check()

    def cancel(self) -> None:
        """Give up the check that is going on, and what waits for it."""
        self._jobs.cancel(CHECK_LANE)
        self._renewing, self._waiting = "", []

    def then(self, act: Callable[[], object]) -> None:
        """Do something as soon as the findings are those of the graph as it is."""
        if self._jobs.is_busy(CHECK_LANE):
            self._waiting.append(act)
        else:
            act()

    def after_edit(self, node: str, spec: ParamSpec) -> None:
        """Check again where another value of this parameter may change what is wrong."""
        if spec.structural:
            self._renewing = f"{node}.{spec.name}"
            self._check()
        elif any(
            found.place.node == node
            and (found.place.param == spec.name or spec.kind not in (int, float))
            for found in self.findings
        ):
            self._check()

    def _on_drafts_changed(self) -> None:
        if self._editor.faults or has_errors(self.findings):
            self._check()

    def _check(self) -> None:
        if self._opened is not None:
            job = partial(check_edited, self._editor.in_hand, self._opened, self._editor.faults)
            self._jobs.submit(CHECK_LANE, job, self._on_checked, self.failed.emit)

    def _on_checked(self, findings: tuple[Finding, ...]) -> None:
        self.findings = findings
        renewed, self._renewing = self._renewing, ""
        waiting, self._waiting = self._waiting, []
        self.checked.emit(renewed)
        for act in waiting:
            act()
