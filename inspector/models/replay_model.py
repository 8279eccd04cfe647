"""A recorded turn and its replay side by side: one row a hit of either."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from core.hits.comparison import Verdict
from core.hits.numbers import apart, in_detail
from inspector import theme as themes
from inspector.drawing.hit_line import line_of
from inspector.drawing.words import tooltip
from inspector.models.hits_model import MISSING
from inspector.models.table_model import USER_ROLE, TableModel

if TYPE_CHECKING:
    from PySide6.QtCore import QObject
    from PySide6.QtGui import QColor

    from core.hits.comparison import HitPair
    from core.recording.replay import TurnReplay

_LAST = float("inf")
_NOISE = 1e-6


Column = IntEnum(
    "Column",
    [
        "NODE",
        "RECORDED_RANK",
        "ID",
        "RECORDED_DISTANCE",
        "HERE_RANK",
        "HERE_DISTANCE",
        "CHANGE",
        "VERDICT",
        "TEXT",
    ],
    start=0,
)
"""The columns in their first order."""

NUMBERS = frozenset(
    {
        Column.RECORDED_RANK,
        Column.RECORDED_DISTANCE,
        Column.HERE_RANK,
        Column.HERE_DISTANCE,
        Column.CHANGE,
    }
)
TITLES = (
    "node",
    "recorded\n#",
    "id",
    "recorded\ndistance",
    "here\n#",
    "here\ndistance",
    "Δ\ndistance",
    "verdict",
    "text",
)
_HELP = (
    "The node that searched.",
    "Place among the recorded hits, from 1. – where the recording does not have it.",
    "The record's id.",
    "Cosine distance in the recording: 0 = identical, 2 = opposite.",
    "Place among the hits here, from 1. – where it is no hit here.",
    "Cosine distance here.",
    "Distance here less the recorded one. More than 0.02 either way counts as different.",
    "How both compare: same, moved, distance, another score, rank or reason, missing (not here) "
    "or new (only here).",
    "The chunk.",
)
_SEVERITY = {
    Verdict.MISSING: 0,
    Verdict.NEW: 1,
    Verdict.MOVED: 2,
    Verdict.DISTANCE: 3,
    Verdict.SCORE: 4,
    Verdict.SAME: 5,
}
_COLORS = {
    Verdict.MISSING: "error",
    Verdict.NEW: "hit",
    Verdict.MOVED: "threshold",
    Verdict.DISTANCE: "top_k",
    Verdict.SCORE: "top_k",
    Verdict.SAME: "muted",
}


def signed(change: float) -> str:
    """Return a change of a distance with three decimals and its sign: ``+0.031``, ``−0.020``."""
    shown = f"{abs(change):.3f}"
    if not float(shown):
        return shown
    return f"{'−' if change < 0 else '+'}{shown}"


def verdict_word(pair: HitPair) -> str:
    """Return the verdict in words; a hit may be both moved and at another distance."""
    if pair.verdict is Verdict.MOVED and pair.is_distant:
        return "moved, distance"
    return "; ".join(pair.differences) if pair.verdict is Verdict.SCORE else str(pair.verdict)


class ReplayModel(TableModel[tuple[str, "HitPair"]]):
    """One row a pair of hits, node by node, in the recorded order. Read-only.

    `SortRole` gives numbers for numbers, what is missing last, and verdicts by their weight.
    """

    titles = TITLES
    helps = _HELP
    numbers = NUMBERS
    SortRole: ClassVar[int] = USER_ROLE + 1
    NodeRole: ClassVar[int] = USER_ROLE + 2
    HitIdRole: ClassVar[int] = USER_ROLE + 3
    VerdictRole: ClassVar[int] = USER_ROLE + 4

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._font = themes.number_font(QFont())
        self._bold = themes.scaled_font(QFont(), 1.0, bold=True)

    def show_replay(self, replay: TurnReplay | None) -> None:
        """Show the pairs of all nodes; None = nothing."""
        nodes = () if replay is None else replay.nodes
        self._reset([(node.node, pair) for node in nodes for pair in node.comparison.pairs])

    @property
    def has_distances(self) -> bool:
        """Whether any hit has a distance: Lexical searches have none."""
        return any(
            hit is not None and hit.distance is not None
            for _, pair in self._rows
            for hit in (pair.recorded, pair.here)
        )

    def row_of(self, node: str, record_id: str) -> int:
        """Return the first row of a record among the pairs of a node, or −1."""
        return next(
            (
                row
                for row, (name, pair) in enumerate(self._rows)
                if (name, pair.id) == (node, record_id)
            ),
            -1,
        )

    def verdict_color(self, verdict: Verdict) -> QColor:
        """Return the colour of a verdict's word, readable also where it is selected."""
        color: QColor = getattr(self._theme, _COLORS[verdict])
        return color if verdict is Verdict.SAME else self._theme.ink(color, self._theme.accent_soft)

    def cell(self, row: tuple[str, HitPair], number: int, role: int) -> Any:
        """Return one cell; what is the same is dimmed, what differs stands out."""
        (node, pair), column = row, Column(number)
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return _text(node, pair, column)
            case self.SortRole:
                return _sort_key(node, pair, column)
            case Qt.ItemDataRole.ToolTipRole:
                return tooltip(_tip(pair, column))
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{' '.join(TITLES[column].split())}: {_text(node, pair, column)}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return self._alignment(column)
        known = {self.NodeRole: node, self.HitIdRole: pair.id, self.VerdictRole: pair.verdict}
        return known[role] if role in known else self._look(pair, column, role)

    def _look(self, pair: HitPair, column: Column, role: int) -> Any:
        is_same, is_verdict = pair.verdict is Verdict.SAME, column is Column.VERDICT
        match role:
            case Qt.ItemDataRole.ForegroundRole if is_verdict:
                return self.verdict_color(pair.verdict)
            case Qt.ItemDataRole.ForegroundRole if column is Column.CHANGE and pair.is_distant:
                return self.verdict_color(Verdict.DISTANCE)
            case Qt.ItemDataRole.ForegroundRole:
                return self._theme.muted if is_same else self._theme.text
            case Qt.ItemDataRole.DecorationRole if is_verdict:
                return themes.icon(f"replay_{pair.verdict}", self.verdict_color(pair.verdict))
            case Qt.ItemDataRole.FontRole:
                return self._bold if is_verdict and not is_same else self._font
        return None


def _number(pair: HitPair, column: Column) -> float | None:
    hit = pair.recorded if column is Column.RECORDED_DISTANCE else pair.here
    return {
        Column.RECORDED_RANK: pair.recorded_rank,
        Column.HERE_RANK: pair.here_rank,
        Column.CHANGE: pair.distance_change,
    }.get(column, hit.distance if hit is not None else None)


def _text(node: str, pair: HitPair, column: Column) -> str:
    if column not in NUMBERS:
        if column is Column.VERDICT:
            return verdict_word(pair)
        return line_of({Column.NODE: node, Column.ID: pair.id}.get(column, pair.text))
    value = _number(pair, column)
    if value is None:
        return MISSING
    if column is Column.CHANGE:
        return signed(value)
    if column in (Column.RECORDED_RANK, Column.HERE_RANK):
        return str(value)
    change = pair.distance_change or 0.0
    return apart(value, [value + change, value - change] if abs(change) > _NOISE else [], 3)


def _sort_key(node: str, pair: HitPair, column: Column) -> float | str:
    if column is Column.VERDICT:
        return _SEVERITY[pair.verdict]
    if column not in NUMBERS:
        return _text(node, pair, column).casefold()
    value = _number(pair, column)
    return _LAST if value is None else value


def _tip(pair: HitPair, column: Column) -> str:
    value = _number(pair, column) if column in NUMBERS else None
    if isinstance(value, float):
        return f"{' '.join(TITLES[column].split())}: {in_detail(value)}"
    if column is Column.VERDICT:
        return f"{pair.id}: {_sentence(pair)}"
    return f"{pair.id}\n{pair.text}"


def _sentence(pair: HitPair) -> str:
    if pair.verdict is Verdict.MISSING:
        return f"hit {pair.recorded_rank} of the recording is no hit here"
    if pair.verdict is Verdict.NEW:
        return f"hit {pair.here_rank} here was none in the recording"
    said = (
        f"hit {pair.recorded_rank} of the recording is hit {pair.here_rank} here"
        if pair.verdict is Verdict.MOVED
        else f"hit {pair.here_rank} in both"
    )
    said = "; ".join((said, *pair.differences))
    if not pair.is_distant:
        return said
    change = pair.distance_change
    apart = (
        "only one of them has a distance"
        if change is None
        else f"its distance differs by {signed(change)}"
    )
    return f"{said}; {apart}"
