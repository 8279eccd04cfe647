"""What a view shows when it has nothing to show: words, not an empty box."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter

from inspector.theme import scaled_font

if TYPE_CHECKING:
    from PySide6.QtWidgets import QAbstractScrollArea

    from inspector.theme import Theme

_MARGIN_PX = 12
_WRAPPED = int(Qt.AlignmentFlag.AlignHCenter) | int(Qt.TextFlag.TextWordWrap)


def paint_empty_state(view: QAbstractScrollArea, theme: Theme, title: str, hint: str = "") -> None:
    """Paint a title and a hint in the middle of the view; call it at the end of paintEvent."""
    viewport = view.viewport()
    painter = QPainter(viewport)
    area = viewport.rect().adjusted(_MARGIN_PX, _MARGIN_PX // 2, -_MARGIN_PX, -_MARGIN_PX // 2)
    title_font = scaled_font(view.font(), 1.0, bold=True)
    painter.setFont(title_font)
    title_box = painter.boundingRect(area, _WRAPPED, title)
    painter.setFont(view.font())
    hint_box = painter.boundingRect(area, _WRAPPED, hint) if hint else QRect()
    gap = 4 if hint else 0
    height = title_box.height() + gap + hint_box.height()
    top = area.top() + max(0, (area.height() - height) // 2)
    painter.setPen(theme.text)
    painter.setFont(title_font)
    painter.drawText(QRect(area.left(), top, area.width(), title_box.height()), _WRAPPED, title)
    if hint and height <= area.height():
        painter.setPen(theme.muted)
        painter.setFont(view.font())
        below = top + title_box.height() + gap
        painter.drawText(QRect(area.left(), below, area.width(), hint_box.height()), _WRAPPED,
                         hint)
