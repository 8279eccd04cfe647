"""The findings of all loaded files as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QObject,
    QSortFilterProxyModel,
    Qt,
)

from core.io.findings import Severity
from inspector import theme as themes
from inspector.drawing.words import one_line, tooltip
from inspector.models.table_model import USER_ROLE, Index, TableModel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.io.findings import Finding

SortRole = USER_ROLE + 1
FindingRole = USER_ROLE + 2

SEVERITY, CODE, PLACE, MESSAGE = range(4)


class ProblemsModel(TableModel["Finding"]):
    """One row a finding, errors first as they were found. Read-only."""

    titles = ("Severity", "Code", "Place", "Message")

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show other findings."""
        self._reset(tuple(findings))

    def count(self, severity: Severity) -> int:
        """Return how many findings have this severity."""
        return sum(1 for finding in self._rows if finding.severity is severity)

    def cell(self, finding: Finding, column: int, role: int) -> Any:
        """Return one cell."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self._text(finding, column)
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(finding.line())
            case Qt.ItemDataRole.DecorationRole if column == SEVERITY:
                name = str(finding.severity)
                return themes.icon(name, getattr(self._theme, name))
        if role == SortRole:
            place = finding.place
            return (
                int(finding.severity is not Severity.ERROR),
                int(finding.code),
                f"{place.file}\0{place.line or 0:09d}\0{place}",
                finding.message,
            )[column]
        return finding if role == FindingRole else None

    def _text(self, finding: Finding, column: int) -> str:
        hint = f" ({finding.hint})" if finding.hint else ""
        return (
            str(finding.severity),
            f"{int(finding.code)} {finding.code.name}",
            one_line(str(finding.place)),
            one_line(f"{finding.message}{hint}"),
        )[column]


class SeverityFilter(QSortFilterProxyModel):
    """Shows the findings of some severities, sorted by `SortRole`."""

    def __init__(self, source: ProblemsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hidden: frozenset[Severity] = frozenset()
        self.setSortRole(SortRole)
        self.setSourceModel(source)

    def set_hidden(self, hidden: frozenset[Severity]) -> None:
        """Leave out the findings of these severities."""
        self.beginResetModel()
        self._hidden = hidden
        self.endResetModel()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        """Tell whether a finding is shown."""
        index = self.sourceModel().index(source_row, SEVERITY, source_parent)
        finding = index.data(FindingRole)
        return finding is not None and finding.severity not in self._hidden
