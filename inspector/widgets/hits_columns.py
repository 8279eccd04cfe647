"""Which columns the table of hits has room for, and how wide each is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from inspector.models.hits_model import FIELDS, TITLES, Column
from inspector.widgets.hits_delegate import MARGIN_PX

if TYPE_CHECKING:
    from collections.abc import Collection

    from PySide6.QtGui import QFontMetrics

# Widths in average characters of the font: where there is room, and in a narrow window.
_WIDTHS = {
    Column.RANK: (6, 5),
    Column.ID: (20, 12),
    Column.DISTANCE: (11, 8),
    Column.BAR: (15, 10),
    Column.DENSE: (9, 7),
    Column.BM25: (9, 7),
    Column.SPARSE: (12, 10),
    Column.FUSED: (10, 9),
    Column.SCORE: (9, 7),
    Column.MATCH: (34, 16),
    Column.NEEDS: (34, 17),
}
# Which gets the room first that there is beyond the least.
_FIRST_SERVED = (Column.ID, Column.NEEDS, Column.MATCH)
_TEXT_WIDTH = 36
# Rows that say why they match are told apart by that, more than by their text.
_TEXT_WIDTH_WITH_REASON = 22
_ALWAYS = frozenset({Column.RANK, Column.ID, Column.NEEDS, Column.TEXT})
# Given up in this order where the window is narrow: each repeats what another column says. By the
# number that the rows are ranked by, where there is one of these.
_GIVEN_UP = {
    "fused_score": (Column.BAR, Column.DENSE, Column.FUSED, Column.BM25),
    "score": (Column.SPARSE, Column.DENSE, Column.DISTANCE, Column.BAR, Column.MATCH),
    "": (Column.DENSE, Column.BAR),
}
# Shown only where all columns have the widths that they like: a dense rank that is the place again,
# and in Hybrid mode the distance, which is no ranking, as a bar.
_LUXURY = {"": Column.DENSE, "fused_score": Column.BAR}


@dataclass(frozen=True, slots=True)
class Letters:
    """How much room the table's letters take, px.

    char_px : an average character of a cell.
    title : metrics of the titles, in bold.
    """

    char_px: int
    title: QFontMetrics

    def like_px(self, column: Column) -> int:
        """Return the width that a column has where there is room."""
        return max(self.char_px * _WIDTHS[column][0] + MARGIN_PX, self.least_px(column))

    def least_px(self, column: Column) -> int:
        """Return the width that shows a column's title whole and most of its values."""
        words = "" if column in (Column.BAR, Column.RANK) else TITLES[column]
        return max(
            self.char_px * _WIDTHS[column][1] + MARGIN_PX,
            self.title.horizontalAdvance(words) + 2 * MARGIN_PX + 2,
        )


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that have a value in some row, and the field that rows are ranked by."""

    shown: frozenset[Column] = frozenset(Column)
    ranked_by: str = ""

    @classmethod
    def of(cls, fields: Collection[str], *, has_bar: bool) -> Self:
        """Return the columns of these fields of `Hit`, with the bar if there is one."""
        shown = {column for column, field in FIELDS.items() if field in fields} | _ALWAYS
        if has_bar:
            shown.add(Column.BAR)
        if "score" in fields:
            shown.add(Column.MATCH)
        return cls(frozenset(shown), next((field for field in _GIVEN_UP if field in fields), ""))

    def hidden(self, letters: Letters, width_px: int) -> set[Column]:
        """Return the columns that have no value, and those given up for want of room."""
        hidden = set(Column) - self.shown
        for column in _GIVEN_UP[self.ranked_by]:
            is_luxury = column is _LUXURY.get(self.ranked_by)
            width_of = letters.like_px if is_luxury else letters.least_px
            needed = sum(width_of(c) for c in _WIDTHS if c not in hidden)
            if needed + self._text_px(letters) <= width_px:
                break
            hidden.add(column)
        return hidden

    def widths(
        self, letters: Letters, width_px: int, visible: Collection[Column]
    ) -> dict[Column, int]:
        """Share `width_px` among columns, which shrink before the text does.

        Returns
        -------
        dict
            Column → width, px, of all that are `visible` but the text, which has the rest.
        """
        served = dict.fromkeys(c for c in (*_FIRST_SERVED, *_WIDTHS) if c in visible)
        widths = {column: letters.least_px(column) for column in served}
        spare = width_px - self._text_px(letters) - sum(widths.values())
        for column in served:
            more = min(letters.like_px(column) - widths[column], max(spare, 0))
            spare -= more
            widths[column] += more
        return widths

    def _text_px(self, letters: Letters) -> int:
        count = _TEXT_WIDTH_WITH_REASON if self.ranked_by == "score" else _TEXT_WIDTH
        return count * letters.char_px
