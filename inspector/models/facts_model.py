"""Named facts of one record in two columns, in sections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt

from core.io.wording import cut
from inspector.drawing.words import one_line, tooltip
from inspector.models.table_model import USER_ROLE, Index, TableModel
from inspector.theme import scaled_font

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QObject
    from PySide6.QtGui import QFont

_NAME_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Fact:
    """A line of the table. A section's heading has no value; a `note` stands behind the name."""

    name: str
    value: str = ""
    note: str = ""
    is_heading: bool = False


class FactsModel(TableModel[Fact]):
    """Shows `Fact`s: name and value."""

    titles = ("name", "value")
    HeadingRole: ClassVar[int] = USER_ROLE + 1

    def __init__(self, base_font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._heading_font = scaled_font(base_font, 0.88, bold=True)

    def show_facts(self, facts: Sequence[Fact]) -> None:
        """Show other facts."""
        if tuple(facts) != self._rows:
            self._reset(tuple(facts))

    def cell(self, fact: Fact, column: int, role: int) -> Any:
        """Return a name (with its note) or a value."""
        note = f" ({fact.note})" if fact.note else ""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return (
                    one_line(fact.value)
                    if column == 1
                    else f"{cut(fact.name, _NAME_CHARACTERS)}{note}"
                )
            case Qt.ItemDataRole.ToolTipRole if not fact.is_heading:
                below = f"\n{fact.note}" if fact.note else ""
                return tooltip(f"{fact.name}: {fact.value}{below}")
            case Qt.ItemDataRole.FontRole if fact.is_heading:
                return self._heading_font
            case self.HeadingRole:
                return fact.is_heading
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Headings cannot be selected."""
        if index.isValid() and self._rows[index.row()].is_heading:
            return Qt.ItemFlag.ItemIsEnabled
        return super().flags(index)
