"""Which columns the table of hits has room for, how wide each is, and where the text stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from inspector.models.hits_model import FIELDS, TITLES, Column
from inspector.widgets.hits_delegate import MARGIN_PX

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from PySide6.QtGui import QFontMetrics

    from core.hits.listing import Listing

# Widths in average characters of the font: where there is room, and in a narrow window.
_WIDTHS = {
    Column.RANK: (6, 5),
    Column.ID: (22, 16),
    Column.DISTANCE: (11, 8),
    Column.BAR: (15, 10),
    Column.DENSE: (9, 7),
    Column.BM25: (9, 7),
    Column.SPARSE: (12, 10),
    Column.FUSED: (10, 9),
    Column.SCORE: (9, 7),
    Column.MATCH: (34, 24),
    Column.NEEDS: (34, 24),
}
# Which gets the room first that there is beyond the least.
_FIRST_SERVED = (Column.ID, Column.NEEDS, Column.MATCH)
# 40 letters, and some more: those of the question's words are bold, and wider.
_TEXT = "The quick brown fox jumps over the lazy dog"
_ALWAYS = frozenset({Column.RANK, Column.ID, Column.TEXT})
# Given up in this order where the window is narrow: each repeats what another column says. By the
# number that the rows are ranked by, where there is one of these.
_GIVEN_UP = {
    "fused_score": (Column.BAR, Column.DENSE, Column.FUSED, Column.BM25, Column.SPARSE),
    "score": (Column.SPARSE, Column.DENSE, Column.DISTANCE, Column.BAR),
    "": (Column.DENSE, Column.BAR),
}
# Shown only where all columns have the widths that they like: a dense rank that is the place again,
# and in Hybrid mode the distance, which is no ranking, as a bar.
_LUXURY = {"": Column.DENSE, "fused_score": Column.BAR}
# Come and go with the question, not with what is searched and how.
_OF_THE_QUESTION = frozenset({"match_reason", "bm25_score", "rank_sparse"})


class Lines(StrEnum):
    """How many lines a row has: id and numbers above and the text below make two."""

    AUTO = "auto"
    ONE = "one"
    TWO = "two"


@dataclass(frozen=True, slots=True)
class Letters:
    """How much room the table's letters take, px.

    cell : metrics of a cell.
    title : metrics of the titles, in bold.
    characters : field of `Hit` → how long its longest number is.
    """

    cell: QFontMetrics
    title: QFontMetrics
    characters: Mapping[str, int] = field(default_factory=dict)

    @property
    def text_px(self) -> int:
        """The width that shows 40 characters of a text."""
        return self.cell.horizontalAdvance(_TEXT) + 2 * MARGIN_PX

    def like_px(self, column: Column) -> int:
        """Return the width that a column has where there is room."""
        liked = self.cell.averageCharWidth() * _WIDTHS[column][0] + MARGIN_PX
        return max(liked, self.least_px(column))

    def least_px(self, column: Column) -> int:
        """Return the width that shows a column's title whole and most of its values."""
        words = "" if column in (Column.BAR, Column.RANK) else TITLES[column]
        digits = self.characters.get(FIELDS.get(column, ""), 0)
        return max(
            self.cell.averageCharWidth() * _WIDTHS[column][1] + MARGIN_PX,
            self.title.horizontalAdvance(words) + 2 * MARGIN_PX + 2,
            self.cell.horizontalAdvance("0" * digits) + 2 * MARGIN_PX + 2,
        )


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user has chosen.

    picked : column → whether it is shown, whatever has values and whatever the room.
    sized : column → its width, px.
    """

    picked: Mapping[Column, bool] = field(default_factory=dict)
    sized: Mapping[Column, int] = field(default_factory=dict)
    lines: Lines = Lines.AUTO


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The columns beside the text, or above it.

    widths : of all that are visible but the text, px; the text has the rest, or a line of its own.
    """

    widths: Mapping[Column, int]
    two_lines: bool


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that say something of some row, and the field that rows are ranked by.

    mode : the fields that tell one way of searching from another.
    """

    shown: frozenset[Column] = frozenset(Column)
    ranked_by: str = ""
    mode: frozenset[str] = frozenset()

    @classmethod
    def of(cls, listing: Listing) -> Self:
        """Return the columns of a listing."""
        fields = listing.fields
        shown = {column for column, told in FIELDS.items() if told in fields} | _ALWAYS
        if listing.bar is not None:
            shown.add(Column.BAR)
        if listing.near_miss_count:
            shown.add(Column.NEEDS)
        ranked_by = next((told for told in _GIVEN_UP if told in fields), "")
        return cls(frozenset(shown), ranked_by, frozenset(fields) - _OF_THE_QUESTION)

    def arrange(self, letters: Letters, width_px: int, wishes: Wishes) -> Arrangement:
        """Share `width_px` among the columns.

        Columns give up width, and then those go that repeat others, before the text has less than
        40 characters; where that does not help either, it gets a line of its own.
        """
        if wishes.lines is not Lines.TWO:
            room_px = width_px - letters.text_px
            visible = self._visible(letters, room_px, wishes)
            widths = _widths(letters, room_px, wishes, visible)
            if wishes.lines is Lines.ONE or sum(widths.values()) <= room_px:
                return Arrangement(widths, two_lines=False)
        visible = self._visible(letters, width_px, wishes)
        return Arrangement(_widths(letters, width_px, wishes, visible), two_lines=True)

    def _visible(self, letters: Letters, room_px: int, wishes: Wishes) -> set[Column]:
        """Return the columns but the text: without those given up for want of room."""
        visible = {c for c in _WIDTHS if wishes.picked.get(c, c in self.shown)}
        for column in _GIVEN_UP[self.ranked_by]:
            is_luxury = column is _LUXURY.get(self.ranked_by)
            width_of = letters.like_px if is_luxury else letters.least_px
            if sum(wishes.sized.get(c) or width_of(c) for c in visible) <= room_px:
                break
            if column not in wishes.picked:
                visible.discard(column)
        return visible


def _widths(
    letters: Letters, room_px: int, wishes: Wishes, visible: Collection[Column]
) -> dict[Column, int]:
    """Give each column the least, and what is left to those that are served first."""
    served = dict.fromkeys(c for c in (*_FIRST_SERVED, *_WIDTHS) if c in visible)
    widths = {c: wishes.sized.get(c) or letters.least_px(c) for c in served}
    spare = room_px - sum(widths.values())
    for column in served:
        if column not in wishes.sized:
            more = min(letters.like_px(column) - widths[column], max(spare, 0))
            spare -= more
            widths[column] += more
    return widths
