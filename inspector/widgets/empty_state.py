"""What a view shows when it has nothing to show: words, not an empty box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter

from inspector.theme import scaled_font

if TYPE_CHECKING:
    from PySide6.QtGui import QColor
    from PySide6.QtWidgets import QAbstractScrollArea

    from inspector.theme import Theme

_MARGIN_PX = 12
_GAP_PX = 4
_CENTERED = int(Qt.AlignmentFlag.AlignCenter)


def paint_empty_state(view: QAbstractScrollArea, theme: Theme, title: str, hint: str = "") -> None:
    """Paint a title and a hint in the middle of the view; call it at the end of paintEvent."""
    viewport = view.viewport()
    painter = QPainter(viewport)
    area = viewport.rect().adjusted(_MARGIN_PX, 4, -_MARGIN_PX, -4)
    title_font = scaled_font(view.font(), 1.0, bold=True)
    parts = [(title_font, theme.text, title), (view.font(), theme.muted, hint)]
    lines: list[tuple[QFont, QColor, str]] = []
    room = area.height()
    for font, color, text in parts:
        metrics = QFontMetrics(font)
        wrapped = wrapped_lines(text, metrics, area.width(), room // metrics.height())
        lines += [(font, color, line) for line in wrapped]
        room -= len(wrapped) * metrics.height() + _GAP_PX
    top = area.top() + max(0, room // 2)
    for number, (font, color, line) in enumerate(lines):
        if number and font is not lines[number - 1][0]:
            top += _GAP_PX
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(color)
        painter.drawText(QRect(area.left(), top, area.width(), metrics.height()), _CENTERED, line)
        top += metrics.height()


def wrapped_lines(text: str, metrics: QFontMetrics, width: int, most: int) -> list[str]:
    """Break `text` between words into at most `most` lines; what doesn't fit ends in "…"."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and (metrics.horizontalAdvance(longer) <= width or len(lines) >= most):
            lines[-1] = longer
        else:
            lines.append(word)
    return [
        metrics.elidedText(line, Qt.TextElideMode.ElideRight, width)
        for line in lines[: max(most, 0)]
    ]
