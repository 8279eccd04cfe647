"""The findings of all loaded files as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from core.io.findings import Severity
from inspector import theme as themes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.io.findings import Finding
    from inspector.theme import Theme

SortRole = int(Qt.ItemDataRole.UserRole) + 1
FindingRole = int(Qt.ItemDataRole.UserRole) + 2

HEADERS = ("Severity", "Code", "Place", "Message")
SEVERITY, CODE, PLACE, MESSAGE = range(4)
_TOOLTIP_CHARACTERS = 1000
_SHOWN_CHARACTERS = 500

Index = QModelIndex | QPersistentModelIndex


class ProblemsModel(QAbstractTableModel):
    """One row a finding, errors first as they were found. Read-only."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._findings: tuple[Finding, ...] = ()
        self._theme: Theme = themes.LIGHT

    def show_findings(self, findings: Sequence[Finding]) -> None:
        """Show other findings."""
        self.beginResetModel()
        self._findings = tuple(findings)
        self.endResetModel()

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours; the view repaints by itself."""
        self._theme = theme

    def count(self, severity: Severity) -> int:
        """Return how many findings have this severity."""
        return sum(1 for finding in self._findings if finding.severity is severity)

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of findings."""
        return 0 if parent is not None and parent.isValid() else len(self._findings)

    def columnCount(self, parent: Index | None = None) -> int:
        """Return 4."""
        return 0 if parent is not None and parent.isValid() else len(HEADERS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return one cell."""
        if not index.isValid() or index.row() >= len(self._findings):
            return None
        finding, column = self._findings[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(finding, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            # Zero-width spaces keep Qt from taking the text for HTML.
            return "\u200b" + finding.line()[:_TOOLTIP_CHARACTERS].replace("<", "<\u200b")
        if role == Qt.ItemDataRole.DecorationRole and column == SEVERITY:
            name = str(finding.severity)
            return themes.icon(name, getattr(self._theme, name))
        if role == SortRole:
            place = finding.place
            return {
                SEVERITY: int(finding.severity is not Severity.ERROR),
                CODE: int(finding.code),
                PLACE: f"{place.file}\0{place.line or 0:09d}\0{place}",
                MESSAGE: finding.message,
            }.get(column)
        if role == FindingRole:
            return finding
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Return a column's name."""
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return HEADERS[section] if 0 <= section < len(HEADERS) else None
        return None

    def _text(self, finding: Finding, column: int) -> str:
        if column == SEVERITY:
            return str(finding.severity)
        if column == CODE:
            return f"{int(finding.code)} {finding.code.name}"
        if column == PLACE:
            return str(finding.place)
        hint = f" ({finding.hint})" if finding.hint else ""
        return " ".join(f"{finding.message[:_SHOWN_CHARACTERS]}{hint}".split())


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
