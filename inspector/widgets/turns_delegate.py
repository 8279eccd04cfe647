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
    from PySide6.QtWidgets import QWidget

    from inspector.drawing.unstubbed import StyleOption
    from inspector.models.table_model import Index

_PAD_PX = 6
_SMALL = 0.86
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class TurnsDelegate(ThemedDelegate):
    """Draws a turn in three lines: its title, how it searched, and what came of it."""

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
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        self._paint_title(painter, inner, option, entry)
        painter.setFont(themes.number_font(themes.scaled_font(option.font, _SMALL)))
        line_px = (inner.height() - option.fontMetrics.height()) // 2
        line = QRect(
            inner.left(), inner.top() + option.fontMetrics.height(), inner.width(), line_px
        )
        for text, color in (
            (entry.settings or entry.time, theme.muted),
            (entry.outcome, theme.error if entry.error else theme.muted),
        ):
            painter.setPen(theme.ink(color, behind))
            painter.drawText(
                line,
                _LEFT,
                painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, line.width()),
            )
            line.translate(0, line_px)
        painter.restore()

    def _paint_title(
        self, painter: QPainter, inner: QRect, option: StyleOption, entry: TurnEntry
    ) -> None:
        title = " ".join(entry.title.split()) or "(empty message)"
        metrics = option.fontMetrics
        line = QRect(inner.left(), inner.top(), inner.width(), metrics.height())
        if entry.is_pinned:
            icon_px = metrics.ascent()
            icon = themes.icon("pin", self._theme.accent)
            icon.paint(painter, line.right() - icon_px, line.top() + 1, icon_px, icon_px)
            line.adjust(0, 0, -icon_px - 4, 0)
        font = option.font
        font.setItalic(bool(entry.name))
        painter.setFont(font)
        painter.setPen(self._theme.text)
        rtl = is_right_to_left(title)
        side = Qt.AlignmentFlag.AlignRight if rtl else Qt.AlignmentFlag.AlignLeft
        painter.drawText(
            line,
            int(side | Qt.AlignmentFlag.AlignVCenter),
            painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, line.width()),
        )

    def sizeHint(self, option: StyleOption, _index: Index) -> QSize:
        """Ask for three lines."""
        return QSize(60, round((1 + 2 * _SMALL) * option.fontMetrics.height()) + _PAD_PX + 4)

    def updateEditorGeometry(self, editor: QWidget, option: StyleOption, _index: Index) -> None:
        """Put the field for the name where the title stands."""
        height = editor.sizeHint().height()
        editor.setGeometry(option.rect.left(), option.rect.top(), option.rect.width(), height)


def is_right_to_left(text: str) -> bool:
    """Tell by its first letter whether a text runs from right to left."""
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("L", "R", "AL"):
            return kind != "L"
    return False
