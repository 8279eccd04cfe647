"""How the list of turns draws one."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle

from inspector import theme as themes
from inspector.models.turns_model import EntryRole, TurnEntry
from inspector.widgets.item_views import ThemedDelegate

if TYPE_CHECKING:
    from inspector.drawing.unstubbed import StyleOption
    from inspector.models.table_model import Index

_PAD_PX = 6


class TurnsDelegate(ThemedDelegate):
    """Draws a turn in two lines: the message, and what came back."""

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
