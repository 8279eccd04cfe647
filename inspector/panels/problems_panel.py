"""Every finding of every loaded file, with its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.io.findings import Severity
from inspector import theme as themes
from inspector.models.problems_model import (
    CODE,
    MESSAGE,
    PLACE,
    SEVERITY,
    FindingRole,
    ProblemsModel,
    SeverityFilter,
)
from inspector.widgets.fields import fit_segment, joined
from inspector.widgets.item_views import TableView
from inspector.widgets.parts import (
    PANEL_MARGINS,
    Surface,
    button,
    named,
    packed,
    text_tool,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtGui import QResizeEvent

    from core.io.findings import Finding
    from inspector.theme import Theme

_WORDS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


class ProblemsPanel(Surface):
    """A table of findings, filtered by severity.

    Signals
    -------
    finding_activated(Finding) : show its place.
    count_changed(int, int) : how many errors and warnings there are now.
    """

    finding_activated = Signal(object)
    count_changed = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._files = 0
        self.model = ProblemsModel(self)
        self._filter = SeverityFilter(self.model, self)
        self.table = named(TableView(), "problemsView", "Problems")
        self._toggles: dict[Severity, QPushButton] = {}
        self._set_up_table()
        packed(QVBoxLayout(self), self._make_bar(), (self.table, 1), margins=PANEL_MARGINS)
        self.show_findings(())
        themes.spread(self, themes.LIGHT)

    def show_findings(self, findings: Sequence[Finding], files: int = 0) -> None:
        """Show these findings; `files` is how many files were looked at."""
        self._files = files
        self.model.show_findings(findings)
        errors, warnings = (self.model.count(Severity.ERROR), self.model.count(Severity.WARNING))
        for severity, count in ((Severity.ERROR, errors), (Severity.WARNING, warnings)):
            word = _WORDS[severity]
            self._toggles[severity].setText(f"{count} {word}{'' if count == 1 else 's'}")
            self._toggles[severity].setAccessibleName(f"Show {word}s, {count}")
            fit_segment(self._toggles[severity])
        self._copy.setEnabled(bool(findings))
        self._show_empty_text()
        self.count_changed.emit(errors, warnings)

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        for severity, toggle in self._toggles.items():
            name = str(severity)
            toggle.setIcon(themes.icon(name, getattr(theme, name)))
            fit_segment(toggle)

    def _set_up_table(self) -> None:
        table = self.table
        table.setModel(self._filter)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setSortingEnabled(True)
        table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        table.horizontalHeader().setSectionsMovable(True)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setSectionResizeMode(MESSAGE, QHeaderView.ResizeMode.Stretch)
        table.verticalHeader().hide()
        metrics = self.fontMetrics()
        table.verticalHeader().setDefaultSectionSize(metrics.height() + 8)
        table.setColumnWidth(SEVERITY, metrics.horizontalAdvance("warning__icon"))
        table.row_activated.connect(self._on_row_activated)
        table.add_shortcut(QKeySequence.StandardKey.Copy, "Copy the findings", self._copy_selected)

    def _make_bar(self) -> QHBoxLayout:
        for severity in Severity:
            tip = f"Show or hide the {severity}s"
            toggle = named(QPushButton(), f"{severity}Toggle", tip=tip, kind="segment")
            toggle.setCheckable(True)
            toggle.setChecked(True)
            toggle.toggled.connect(self._on_toggled)
            self._toggles[severity] = toggle
        self._copy = button(
            text_tool("Copy"),
            "copyProblems",
            "Copy the problems",
            "Copy the selected problems, or all of them, as text",
            self._copy_selected,
            icon=("copy", "muted"),
        )
        toggles = joined(list(self._toggles.values()))
        return packed(QHBoxLayout(), toggles, None, self._copy)

    def _show_empty_text(self) -> None:
        total = self.model.rowCount()
        if total:
            self.table.set_empty_text(
                f"{total} problem{'' if total == 1 else 's'} hidden",
                "Switch errors or warnings on again above",
            )
        elif self._files:
            self.table.set_empty_text(
                f"No problems in {self._files} file{'' if self._files == 1 else 's'}"
            )
        else:
            self.table.set_empty_text("No problems")

    def _on_toggled(self) -> None:
        self._filter.set_hidden(
            frozenset(
                severity for severity, toggle in self._toggles.items() if not toggle.isChecked()
            )
        )

    def _on_row_activated(self, index: QModelIndex) -> None:
        self.finding_activated.emit(index.data(FindingRole))

    def _copy_selected(self) -> None:
        rows = self.table.selectionModel().selectedRows() or [
            self._filter.index(row, 0) for row in range(self._filter.rowCount())
        ]
        findings = [index.data(FindingRole) for index in rows]
        QGuiApplication.clipboard().setText("\n".join(finding.line() for finding in findings))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out, so that the message is in sight in a narrow panel too."""
        super().resizeEvent(event)
        room = self.table.viewport().width() - self.table.columnWidth(SEVERITY)
        digit = self.fontMetrics().averageCharWidth()
        for section, share, least, most in ((CODE, 0.2, 7, 34), (PLACE, 0.3, 10, 44)):
            self.table.setColumnWidth(
                section, min(max(int(room * share), least * digit), most * digit)
            )
