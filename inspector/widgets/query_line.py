"""One quiet line that shows the query as each leg sees it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.index.leg_query import DENSE, Fate
from core.io.wording import cut
from inspector import theme as themes
from inspector.drawing.words import one_line, tooltip
from inspector.theme import Themed
from inspector.widgets.parts import named

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from PySide6.QtGui import QColor, QPaintEvent, QResizeEvent

    from core.index.leg_query import LegQuery, QueryWord
    from inspector.theme import Theme

MOST_WORDS = 200
"""Words of the query that are shown at most: more would not fit on any screen."""

_WORD_CHARACTERS = 40
_MARGIN_PX = 8
_WORD_GAP_PX = 8
_LEG_GAP_PX = 20
_ABOVE_PX = 3


class Look(Enum):
    """How a piece of the line looks."""

    LABEL = auto()
    KNOWN = auto()
    UNKNOWN = auto()
    DROPPED = auto()
    WARNING = auto()


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the line: its text, its look, and what its tooltip says."""

    text: str
    look: Look
    tip: str = ""


def pieces_of(query: LegQuery) -> tuple[Piece, ...]:
    """Return what is shown of the query as one leg sees it, its name first."""
    pieces = (_dense_pieces if query.leg == DENSE else _word_pieces)(query)
    return (Piece(f"{query.leg} reads", Look.LABEL), *pieces)


def spoken(query: LegQuery) -> str:
    """Return the same for a screen reader, and for where the line is too short."""
    said = [
        f"{piece.text} ({piece.look.name.lower()})"
        if piece.look in (Look.UNKNOWN, Look.DROPPED)
        else piece.text
        for piece in pieces_of(query)
    ]
    return " · ".join([" ".join(said[:2]), *said[2:]])


def _dense_pieces(query: LegQuery) -> Iterator[Piece]:
    tip = (
        f'The model\'s configuration puts "{query.prompt}" before a question and '
        f'"{query.record_prompt}" before a record.'
        if query.prompt or query.record_prompt
        else "The model reads the question as it is written: its meaning counts, not its words."
    )
    if query.prompt:
        yield Piece(f'"{_short(query.prompt)}" +', Look.KNOWN, tip)
    if query.warning:
        said = f"the first {query.max_tokens:,} of {query.tokens:,} tokens, the rest is cut"
        yield Piece(said, Look.WARNING, f"{query.warning[0].upper()}{query.warning[1:]}. {tip}")
    else:
        yield Piece("the whole question", Look.KNOWN, tip)


def _word_pieces(query: LegQuery) -> Iterator[Piece]:
    if not query.kept:
        yield Piece("no word of it", Look.WARNING, "There is nothing in it to search words with.")
    looks = {Fate.KNOWN: Look.KNOWN, Fate.UNKNOWN: Look.UNKNOWN, Fate.DROPPED: Look.DROPPED}
    for word in query.words[:MOST_WORDS]:
        yield Piece(_short(word.seen or word.written), looks[word.fate], _tip(word))


def _tip(word: QueryWord) -> str:
    if word.fate is Fate.DROPPED:
        return f'"{word.written}": {word.why}, not searched for.'
    read = "" if word.written == word.seen else f', read as "{word.seen}"'
    if word.fate is Fate.KNOWN:
        return f'"{word.written}"{read}: searched for, and known.'
    near = f"\nNearest known: {', '.join(word.near)}" if word.near else ""
    return f'"{word.written}"{read}: nothing that is searched has it.{near}'


def _short(text: str) -> str:
    return cut(one_line(text), _WORD_CHARACTERS)


class QueryLine(Themed, QWidget):
    """The query as each leg sees it: unknown words marked, dropped ones struck out.

    It takes no room where nothing is known of the query.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "queryLine", "The query as each leg sees it")
        self.setFont(themes.scaled_font(self.font(), 0.92))
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._queries: tuple[LegQuery, ...] = ()
        self._placed: list[tuple[QRect, Piece]] = []
        self.setVisible(False)

    def show_queries(self, queries: Sequence[LegQuery]) -> None:
        """Show the query as these legs see it; none = take no room."""
        if queries == self._queries:
            return
        self._queries = tuple(queries)
        self.setAccessibleDescription("\n".join(map(spoken, self._queries)))
        self._place()
        self.setVisible(bool(queries))
        self.update()

    def pieces(self) -> list[Piece]:
        """Return the pieces that fit on the line, from left to right."""
        return [piece for _, piece in self._placed]

    def _place(self) -> None:
        metrics, x, end = self.fontMetrics(), _MARGIN_PX, self.width() - _MARGIN_PX
        dots = metrics.horizontalAdvance("…")
        self._placed = []
        for number, query in enumerate(self._queries):
            x += _LEG_GAP_PX * bool(number)
            for piece in pieces_of(query):
                width = metrics.horizontalAdvance(piece.text)
                if x + width > end:
                    text = metrics.elidedText(piece.text, Qt.TextElideMode.ElideRight, end - x)
                    whole = "\n".join(map(spoken, self._queries))
                    rest = Piece(text or "…", piece.look, whole)
                    x = min(x, end - dots)
                    self._placed.append((QRect(x, 0, end - x, self.height()), rest))
                    return
                self._placed.append((QRect(x, 0, width, self.height()), piece))
                x += width + _WORD_GAP_PX

    def _ink(self, look: Look) -> QColor:
        theme = self._theme
        return {
            Look.LABEL: theme.muted,
            Look.DROPPED: theme.muted,
            Look.KNOWN: theme.text,
        }.get(look, theme.ink(theme.warning, theme.background))

    # Qt

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for one line of text."""
        return QSize(0, self.fontMetrics().height() + 2 * _ABOVE_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Find out again what fits."""
        super().resizeEvent(event)
        self._place()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the pieces; a dotted line is under an unknown word, one through a dropped one."""
        event.accept()
        painter = QPainter(self)
        metrics = self.fontMetrics()
        base = (self.height() + metrics.ascent() - metrics.descent()) // 2
        for rect, piece in self._placed:
            ink = self._ink(piece.look)
            painter.setPen(ink)
            painter.drawText(QPoint(rect.left(), base), piece.text)
            if piece.look is Look.UNKNOWN:
                painter.setPen(QPen(ink, 1.4, Qt.PenStyle.DotLine))
                painter.drawLine(rect.left(), base + 3, rect.right(), base + 3)
            elif piece.look is Look.DROPPED:
                middle = base - metrics.strikeOutPos()
                painter.drawLine(rect.left(), middle, rect.right(), middle)

    def event(self, event: QEvent) -> bool:
        """Explain the piece below the mouse."""
        if isinstance(event, QHelpEvent):
            for rect, piece in self._placed:
                if rect.contains(event.pos()):
                    QToolTip.showText(event.globalPos(), tooltip(piece.tip), self, rect)
                    return True
            QToolTip.hideText()
            return True
        return super().event(event)
