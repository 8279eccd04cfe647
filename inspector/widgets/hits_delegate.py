"""Paints the cells of the hits table: numbers, distance bars, reason chips, matched words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QPainter,
    QPen,
    QStaticText,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)

from core.hits.hit import Reason
from inspector import theme as themes
from inspector.drawing.words import qt_places
from inspector.models.hits_model import NUMBERS, Column
from inspector.widgets.item_views import ThemedDelegate

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex
    from PySide6.QtGui import QColor, QHelpEvent
    from PySide6.QtWidgets import QAbstractItemView

    from core.hits.hit import Hit
    from core.hits.words import Span
    from inspector.drawing.unstubbed import FormatRange, StyleOption
    from inspector.models.hits_model import HitsModel
    from inspector.theme import Theme

MARGIN_PX = 8
_BAR_PX = 8
_CHIP_PAD_PX = 6
_ICON_PX = 14
_KEPT = 2000
_Made = TypeVar("_Made")
_ELLIPSIS = "…"
_SHORTER = (("threshold ≥", "thr ≥"), ("min_score ≤", "min ≤"), ("diagnostic_topk ≥", "topk ≥"))
_COLUMNS = tuple(Column)
_NO_PEN = QPen(Qt.PenStyle.NoPen)
_SMOOTH = QPainter.RenderHint.Antialiasing


class HitsDelegate(ThemedDelegate):
    """Paints a cell from the row's story.

    It asks neither the style nor the item's roles, which makes it fast enough to paint all rows
    on screen at every step of a slider. Near-misses are dimmed; their chip says the reason in
    words and by its icon.
    """

    def __init__(self, model: HitsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        themes.spread(self, themes.LIGHT)
        self._selected: frozenset[int] = frozenset()
        self._band_row = -1
        self._band_px = 0
        self._two_lines = False
        self.set_font(QFont())

    def set_font(self, font: QFont) -> None:
        """Use a font; figures get one width."""
        self._font = themes.number_font(font)
        self._bold = QFont(self._font)
        self._bold.setBold(True)
        self._metrics = QFontMetrics(self._font)
        self._layouts: dict[tuple[str, tuple[Span, ...], int], QTextLayout] = {}
        self._statics: dict[tuple[str, int, bool], tuple[QStaticText, float, float]] = {}
        self._shortened: dict[tuple[str, int], str] = {}

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._faint = themes.mix(theme.panel, theme.muted, 0.5)
        self._chip_pens = {
            reason: QPen(themes.mix(theme.panel, theme.reason_color(reason.value), 0.5), 1)
            for reason in Reason
        }

    def set_band(self, row: int, height_px: int) -> None:
        """Keep the top of `row` free: the view paints the near-misses' heading there."""
        self._band_row, self._band_px = row, height_px

    def set_two_lines(self, two_lines: bool) -> None:
        """Keep the lower half of every row free for its text, which `paint_below` draws."""
        self._two_lines = two_lines

    def set_selected(self, rows: frozenset[int]) -> None:
        """Paint these rows as selected; the view says so once for all cells of a paint."""
        self._selected = rows

    def content_rect(self, rect: QRect, row: int) -> QRect:
        """Return the part of a cell that belongs to the record."""
        return rect.adjusted(0, self._band_px, 0, 0) if row == self._band_row else rect

    def paint_below(self, painter: QPainter, rect: QRect, row: int) -> None:
        """Paint the text of a row of two lines, `rect` being the row's from where it begins."""
        hit = self._model.hit_at(row)
        if hit is not None:
            content = self.content_rect(rect, row)
            painter.setPen(self.text_color(hit))
            self._paint_text(painter, content.adjusted(0, content.height() // 2 - 2, 0, -2), row)

    def text_color(self, hit: Hit) -> QColor:
        """Return the colour of a row's text: full strength for hits, dimmed for near-misses."""
        return self._theme.text if hit.reason is Reason.NONE else self._theme.muted

    def background(self, hit: Hit, *, selected: bool) -> QColor:
        """Return what is behind a row."""
        if selected:
            return self._theme.accent_soft
        return self._theme.panel if hit.reason is Reason.NONE else self._theme.background

    def _paint_tint(self, painter: QPainter, rect: QRect, hit: Hit, *, selected: bool) -> None:
        """Put the colour that the chunk has in the prompt behind its rank."""
        place = self._model.place_of(hit)
        if place is None:
            return
        height = min(self._metrics.height() + 2, rect.height() - 2)
        width = max(
            self._metrics.horizontalAdvance(self._model.cell_text(hit, Column.RANK)) + MARGIN_PX,
            height,
        )
        tint = QRectF(
            rect.right() - MARGIN_PX // 2 - width,
            rect.center().y() - height / 2 + 0.5,
            width,
            height,
        )
        pen = painter.pen()
        painter.setRenderHint(_SMOOTH)
        color = self._theme.tint(place)
        # On a selected row, one of the tints is hardly told from what is behind it.
        painter.setPen(themes.mix(color, self._theme.text, 0.3) if selected else _NO_PEN)
        painter.setBrush(color)
        painter.drawRoundedRect(tint, 4, 4)
        painter.setPen(pen)

    def _paint_bar(self, painter: QPainter, rect: QRect, hit: Hit) -> None:
        bar = self._model.bar
        value = getattr(hit, bar.field) if bar is not None else None
        if bar is None or value is None or rect.width() < 3 * MARGIN_PX:
            return
        track = QRectF(
            rect.left() + MARGIN_PX,
            rect.center().y() - _BAR_PX / 2 + 0.5,
            rect.width() - 2 * MARGIN_PX,
            _BAR_PX,
        )
        is_hit = hit.reason is Reason.NONE
        color = self._theme.hit if is_hit else self._faint
        radius = _BAR_PX / 2
        painter.setRenderHint(_SMOOTH)
        painter.setPen(_NO_PEN)
        painter.setBrush(self._theme.line)
        painter.drawRoundedRect(track, radius, radius)
        filled = QRectF(track)
        filled.setWidth(max(_BAR_PX, track.width() * min(value / bar.end, 1.0)))
        painter.setBrush(color)
        painter.drawRoundedRect(filled, radius, radius)
        if bar.limit is not None and bar.limit <= bar.end:
            x = track.left() + track.width() * bar.limit / bar.end
            painter.fillRect(
                QRectF(x - 1, rect.top() + 4, 2, rect.height() - 8), self._theme.accent
            )

    def _paint_chip(self, painter: QPainter, rect: QRect, hit: Hit) -> None:
        needs = self._model.needs_of(hit) if self._model.how else hit.needs
        if not needs:
            return
        color = self._theme.reason_ink(hit.reason.value)
        room = max(rect.width() - MARGIN_PX - 2 * _CHIP_PAD_PX - _ICON_PX - 4, 0)
        text, text_px, text_height = self._static(
            _kept(self._shortened, self._shorten, needs, room), room
        )
        width = text_px + 2 * _CHIP_PAD_PX + _ICON_PX + 4
        height = min(self._metrics.height() + 4, rect.height() - 2)
        chip = QRectF(
            rect.left() + MARGIN_PX + 0.5,
            rect.center().y() - height / 2 + 0.5,
            min(width, rect.width() - MARGIN_PX - 1),
            height,
        )
        painter.setPen(self._chip_pens[hit.reason])
        painter.setBrush(self._theme.panel)
        painter.setRenderHint(_SMOOTH)
        painter.drawRoundedRect(chip, height / 2, height / 2)
        icon = themes.icon(hit.reason.value or "hit", color)
        icon.paint(
            painter,
            QRect(
                int(chip.left()) + _CHIP_PAD_PX,
                rect.center().y() - _ICON_PX // 2 + 1,
                _ICON_PX,
                _ICON_PX,
            ),
        )
        painter.setPen(color)
        painter.drawStaticText(
            QPointF(chip.left() + _CHIP_PAD_PX + _ICON_PX + 4, chip.center().y() - text_height / 2),
            text,
        )

    def _shorten(self, needs: str, room: int) -> str:
        """Return what would let a record in, in shorter words where there is no room for all."""
        if self._metrics.horizontalAdvance(needs) > room:
            for whole, short in _SHORTER:
                needs = needs.replace(whole, short)
        return needs

    def _paint_text(self, painter: QPainter, rect: QRect, row: int) -> None:
        width = rect.width() - 2 * MARGIN_PX
        if width < self._metrics.averageCharWidth():
            return
        layout = _kept(self._layouts, self._lay_out, *self._model.line_at(row), width)
        top = rect.top() + (rect.height() - layout.boundingRect().height()) / 2
        layout.draw(painter, QPointF(rect.left() + MARGIN_PX, top))

    def _paint_plain(
        self,
        painter: QPainter,
        rect: QRect,
        text: str,
        *,
        right: bool = False,
        middle: bool = False,
    ) -> None:
        static, width, height = self._static(text, rect.width() - 2 * MARGIN_PX, middle)
        left = rect.right() + 1 - MARGIN_PX - width if right else rect.left() + MARGIN_PX
        painter.drawStaticText(QPointF(left, rect.top() + (rect.height() - height) / 2), static)

    def _static(
        self, text: str, room: int, middle: bool = False
    ) -> tuple[QStaticText, float, float]:
        return _kept(self._statics, self._shape, text, room, middle)

    def _shape(self, text: str, room: int, middle: bool) -> tuple[QStaticText, float, float]:
        """Return a text cut to the room for it, at its end or in the middle, and its size."""
        elide = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        static = QStaticText(self._metrics.elidedText(text, elide, room))
        static.setTextFormat(Qt.TextFormat.PlainText)
        static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        static.prepare(font=self._font)
        return static, static.size().width(), static.size().height()

    def _lay_out(self, text: str, matches: tuple[Span, ...], width: int) -> QTextLayout:
        """Lay out one line, cut by whole characters at its logical end: right for any script."""
        fitting = self._line(text, matches, width)
        if fitting.lineAt(0).textLength() >= qt_places(text)(len(text)):
            return fitting
        # A pixel less: metrics are rounded, and what is too long by a fraction would break.
        room = width - self._metrics.horizontalAdvance(_ELLIPSIS) - 1
        # The layout must outlive its line, which only points into it.
        narrower = self._line(text, matches, max(room, 1))
        kept = narrower.lineAt(0).textLength()
        cut = text.encode("utf-16-le")[: 2 * kept].decode("utf-16-le", "ignore").rstrip()
        return self._line(
            cut + _ELLIPSIS,
            tuple((start, min(end, len(cut))) for start, end in matches if start < len(cut)),
            width,
        )

    def _line(self, text: str, matches: tuple[Span, ...], width: int) -> QTextLayout:
        layout = QTextLayout(text, self._font)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LayoutDirectionAuto)
        layout.setTextOption(option)
        layout.setCacheEnabled(True)
        bold = QTextCharFormat()
        bold.setFont(self._bold)
        ranges = []
        place = qt_places(text)
        for start, end in matches:
            span: FormatRange = QTextLayout.FormatRange()
            span.start = place(start)
            span.length = place(end) - place(start)
            span.format = bold
            ranges.append(span)
        layout.setFormats(ranges)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(width)
        layout.endLayout()
        return layout

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: StyleOption,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        """Explain what is under the mouse: a cell, or below it the text of a row of two lines."""
        if self._two_lines and event.pos().y() > _above(option.rect).bottom():
            index = self._model.index(index.row(), Column.TEXT)
        return super().helpEvent(event, view, option, index)

    def paint(
        self, painter: QPainter, option: StyleOption, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint one cell."""
        row = index.row()
        hit = self._model.hit_at(row)
        if hit is None:
            return
        column = _COLUMNS[index.column()]
        rect = option.rect if row != self._band_row else self.content_rect(option.rect, row)
        painter.fillRect(rect, self.background(hit, selected=row in self._selected))
        if self._two_lines:
            rect = _above(rect)
        if column is Column.BAR:
            self._paint_bar(painter, rect, hit)
            return
        painter.setFont(self._font)
        if column is Column.NEEDS:
            self._paint_chip(painter, rect, hit)
            return
        painter.setPen(self.text_color(hit))
        if column is Column.TEXT:
            self._paint_text(painter, rect, row)
            return
        if column is Column.RANK:
            self._paint_tint(painter, rect, hit, selected=row in self._selected)
        text = self._model.cell_text(hit, column)
        # Ids that begin alike are told apart by their ends.
        middle = column is Column.ID
        self._paint_plain(painter, rect, text, right=column in NUMBERS, middle=middle)


def _above(rect: QRect) -> QRect:
    """Return the upper line of a row of two."""
    return rect.adjusted(0, 0, 0, -(rect.height() // 2))


def _kept(known: dict[Any, _Made], make: Callable[..., _Made], *key: Any) -> _Made:
    """Return what is made of a key: each is made once, and all are forgotten when they are many."""
    found = known.get(key)
    if found is None:
        if len(known) >= _KEPT:
            known.clear()
        found = known[key] = make(*key)
    return found
