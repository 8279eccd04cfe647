"""The turns of this session, newest first."""

from __future__ import annotations

import time
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate

from inspector import theme as themes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.agent.turn import Turn
    from inspector.drawing.unstubbed import StyleOption
    from inspector.theme import Theme

EntryRole = int(Qt.ItemDataRole.UserRole) + 1
TurnRole = int(Qt.ItemDataRole.UserRole) + 2
"""A row's place in the session's history: 0 is the oldest turn."""

_SHOWN_CHARACTERS = 400
_PAD_PX = 6

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class TurnEntry:
    """What the history tells of a turn.

    hits : chunks attached by all the nodes that searched.
    mode : how they searched, in a word or two.
    """

    message: str
    hits: int
    mode: str
    time: str
    error: str = ""

    @classmethod
    def of(cls, turn: Turn, when: float | None = None) -> TurnEntry:
        """Sum a turn up; `when` in seconds since the epoch."""
        retrievals = [run.retrieval for run in turn.runs if run.retrieval is not None]
        modes = dict.fromkeys(r.how for r in retrievals)
        clock = time.strftime("%H:%M:%S", time.localtime(when)) if when is not None else ""
        return cls(
            turn.request.message[:_SHOWN_CHARACTERS],
            sum(r.stages[-1].count for r in retrievals if r.stages and r.params.attaches_knowledge),
            " + ".join(modes),
            clock,
            f"{int(turn.error.code)} {turn.error.name}" if turn.error else "",
        )

    @property
    def summary(self) -> str:
        """The second line: hits or the error, mode, time."""
        found = self.error or f"{self.hits} hit{'' if self.hits == 1 else 's'}"
        return " · ".join(part for part in (found, self.mode, self.time) if part)


class TurnsModel(QAbstractListModel):
    """One row a turn. Read-only."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[TurnEntry, ...] = ()

    def show_entries(self, entries: Sequence[TurnEntry]) -> bool:
        """Show the history, oldest first as the session keeps it; tell whether rows moved."""
        new = tuple(entries)
        old, self._entries = self._entries, new
        if len(new) != len(old):
            self._entries = old
            self.beginResetModel()
            self._entries = new
            self.endResetModel()
            return True
        for turn, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                index = self.index(len(new) - 1 - turn)
                self.dataChanged.emit(index, index)
        return False

    def row_of(self, turn: int) -> int:
        """Return the row of a turn, by its place in the history."""
        return len(self._entries) - 1 - turn

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of turns."""
        return 0 if parent is not None and parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the message, or everything for the delegate."""
        if not index.isValid() or index.row() >= len(self._entries):
            return None
        turn = len(self._entries) - 1 - index.row()
        entry = self._entries[turn]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.message
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{entry.message}: {entry.summary}"
        if role == Qt.ItemDataRole.ToolTipRole:
            # Zero-width spaces keep Qt from taking the text for HTML.
            return "\u200b" + f"{entry.message}\n{entry.summary}".replace("<", "<\u200b")
        return {EntryRole: entry, TurnRole: turn}.get(role)


class TurnsDelegate(QStyledItemDelegate):
    """Draws a turn in two lines: the message, and what came back."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = themes.LIGHT

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme

    def paint(self, painter: QPainter, option: StyleOption, index: Index) -> None:
        """Draw one turn."""
        entry = index.data(EntryRole)
        if not isinstance(entry, TurnEntry):
            return
        theme, box = self._theme, option.rect.adjusted(2, 1, -2, -1)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        behind = theme.accent_soft if selected else theme.hover if hovered else theme.panel
        if selected or hovered:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(
                theme.accent
                if option.state & QStyle.StateFlag.State_HasFocus
                else Qt.PenStyle.NoPen
            )
            painter.setBrush(behind)
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        inner = box.adjusted(_PAD_PX, _PAD_PX // 2, -_PAD_PX, -_PAD_PX // 2)
        metrics = option.fontMetrics
        painter.setFont(option.font)
        painter.setPen(theme.text)
        message = " ".join(entry.message.split()) or "(empty message)"
        rtl = is_right_to_left(message)
        side = Qt.AlignmentFlag.AlignRight if rtl else Qt.AlignmentFlag.AlignLeft
        first = QRect(inner.left(), inner.top(), inner.width(), metrics.height())
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        painter.drawText(
            first,
            int(side | Qt.AlignmentFlag.AlignVCenter),
            metrics.elidedText(message, Qt.TextElideMode.ElideRight, inner.width()),
        )
        painter.setFont(themes.number_font(themes.scaled_font(option.font, 0.86)))
        painter.setPen(theme.ink(theme.error if entry.error else theme.muted, behind))
        second = QRect(
            inner.left(), first.bottom() + 1, inner.width(), inner.bottom() - first.bottom()
        )
        small = painter.fontMetrics()
        painter.drawText(
            second,
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            small.elidedText(entry.summary, Qt.TextElideMode.ElideRight, inner.width()),
        )
        painter.restore()

    def sizeHint(self, option: StyleOption, _index: Index) -> QSize:
        """Ask for two lines."""
        return QSize(60, 2 * option.fontMetrics.height() + _PAD_PX + 2)


def is_right_to_left(text: str) -> bool:
    """Tell by its first letter whether a text runs from right to left."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False
