"""The counts of a turn as a picture: one bar a stage, and between the bars what was removed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.selection.funnel import Leg, Stage, funnel_stages, sources
from core.selection.select import Reason
from inspector import theme as themes

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from core.turn import Retrieval
    from inspector.theme import Theme

_MARGIN_PX = 12
_PAD_PX = 6
_RADIUS_PX = 4
_SMALL = 0.88
_FEWEST_LETTERS = 4
_BAR_SHARE = 0.38
_SPLIT_BAR_SHARE = 0.32
_CENTER = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
_WRAP = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_EMPTY = "The funnel appears with the first question: how many records each stage lets through."

_HELP = {
    "records": "All records of the knowledge.",
    "match filter": "Records that the filter lets through.",
    "raw": "The nearest of them: top_k, before the threshold.",
    "dense raw": "The nearest of them that the dense leg yields: max(4 × top_k, 50).",
    "within threshold": "Of these, the ones whose distance is within the threshold.",
    "with query words": "Records that share a word with the query.",
    "BM25 leg": "The best of them by BM25 score: max(4 × top_k, 50).",
    "fused": "Records of both legs; one that is in both is counted once.",
    "hits": "What goes into the prompt.",
}


@dataclass(frozen=True, slots=True)
class _Box:
    """Where a stage is painted; `before` holds the boxes whose records flow into it."""

    stage: Stage
    bar: QRectF
    label: QRectF
    gap: QRectF
    before: tuple[int, ...]


class FunnelPanel(QWidget):
    """Paints the stages of a turn's Retrieve node. Bars are as high as the log of their count.

    Signals
    -------
    stage_clicked(str): the near-misses with this reason are asked for; "" = all rows again.
    """

    stage_clicked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("funnelView")
        self.setAccessibleName("Funnel")
        self.setAccessibleDescription(_EMPTY)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setSizePolicy(policy)
        self._theme: Theme = themes.LIGHT
        self._stages: tuple[Stage, ...] = ()
        self._reason = ""
        self._focused = 0
        self._hovered = -1

    def show_counts(self, retrieval: Retrieval | None) -> None:
        """Show the counts of a Retrieve node's run; None = it did not run."""
        stages = () if retrieval is None else funnel_stages(
            retrieval.counts, retrieval.params.retrieval_mode)
        if stages == self._stages:
            return
        self._stages = stages
        self._focused = min(self._focused, max(len(stages) - 1, 0))
        self._hovered = -1
        self.setAccessibleDescription(self.description())
        self.update()

    def stages(self) -> list[tuple[str, int]]:
        """Return label and count of each stage, in reading order."""
        return [(stage.label, stage.count) for stage in self._stages]

    def set_reason_filter(self, reason: str) -> None:
        """Mark the stages that removed records for this reason; "" = none."""
        if reason != self._reason:
            self._reason = reason
            self.update()

    def description(self) -> str:
        """Return all the numbers as a sentence."""
        if not self._stages:
            return _EMPTY
        return "; ".join(_sentence(stage) for stage in self._stages)

    def stage_rect(self, label: str) -> QRectF:
        """Return where a stage's bar is, px; empty when there is no such stage."""
        return next((box.bar for box in self._boxes() if box.stage.label == label), QRectF())

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        self._theme = theme
        self.update()

    # Geometry

    def _boxes(self) -> list[_Box]:
        split = any(stage.leg is Leg.DENSE for stage in self._stages)
        lane_of = {Leg.NONE: 0, Leg.DENSE: 0, Leg.SPARSE: 1}
        columns = _columns(self._stages)
        last = max(columns, default=0)
        room_px = self.width() - 2 * _MARGIN_PX
        bar_width = max(room_px / (last + 1) * (_SPLIT_BAR_SHARE if split else _BAR_SHARE), 8.0)
        width = (room_px - bar_width) / max(last, 1)
        text = self._text_height()
        top, bottom = _PAD_PX, self.height() - _PAD_PX
        half = (bottom - top - _PAD_PX) / 2
        boxes: list[_Box] = []
        peak = max((stage.count for stage in self._stages), default=0)
        for number, (stage, column) in enumerate(zip(self._stages, columns, strict=True)):
            lane_top, lane_bottom = float(top), float(bottom)
            if split and stage.leg is not Leg.NONE:
                lane_top = top + lane_of[stage.leg] * (half + _PAD_PX)
                lane_bottom = lane_top + half
            room = lane_bottom - text - lane_top
            height = _bar_height(stage.count, peak, room)
            left = _MARGIN_PX + column * width
            bar = QRectF(left, lane_bottom - text - height, bar_width, height)
            label = QRectF(left, lane_bottom - text, width - 4, text)
            if column == last:
                label.moveRight(bar.right())
            gap = QRectF(left - (width - bar_width), lane_top, width - bar_width, room)
            boxes.append(_Box(stage, bar, label, gap, sources(self._stages, number)))
        return boxes

    def _text_height(self) -> float:
        return QFontMetricsF(self.font()).height() + 4

    def _stage_at(self, position: QPointF) -> int:
        boxes = self._boxes()
        for number, box in enumerate(boxes):
            if box.label.contains(position):
                return number
        for number, box in enumerate(boxes):
            if box.gap.contains(position) or QRectF(
                    box.bar.left(), box.gap.top(), box.bar.width(),
                    box.gap.height()).contains(position):
                return number
        return -1

    # Picking a stage

    def _can_pick(self, number: int) -> bool:
        if not 0 <= number < len(self._stages):
            return False
        stage = self._stages[number]
        if stage.reason is Reason.NONE:
            return False
        return stage.removed > 0 or self._is_picked(stage)

    def _is_picked(self, stage: Stage) -> bool:
        return bool(self._reason) and stage.reason.value == self._reason

    def _pick(self, number: int) -> None:
        if not self._can_pick(number):
            return
        reason = self._stages[number].reason.value
        self._reason = "" if reason == self._reason else reason
        self._focused = number
        self.update()
        self.stage_clicked.emit(self._reason)

    # Painting

    def _paint_flow(self, painter: QPainter, boxes: list[_Box]) -> None:
        flow = themes.mix(self._theme.panel, self._theme.hit_soft, 0.45)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(flow)
        for box in boxes:
            for number in box.before:
                source = boxes[number].bar
                painter.drawPolygon(QPolygonF([
                    QPointF(source.right(), source.top()), QPointF(box.bar.left(), box.bar.top()),
                    QPointF(box.bar.left(), box.bar.bottom()),
                    QPointF(source.right(), source.bottom())]))

    def _paint_bar(self, painter: QPainter, number: int, box: _Box) -> None:
        is_last = number == len(self._stages) - 1
        color = self._theme.hit if is_last else self._theme.hit_soft
        if number == self._hovered and self._can_pick(number):
            color = themes.mix(color, self._theme.accent, 0.3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRoundedRect(box.bar, _RADIUS_PX, _RADIUS_PX)
        font = themes.number_font(themes.scaled_font(self.font(), 1.12, bold=True))
        painter.setFont(font)
        painter.setPen(self._theme.hit if is_last else self._theme.text)
        metrics = QFontMetricsF(font)
        figure = metrics.elidedText(f"{box.stage.count:,}", Qt.TextElideMode.ElideRight,
                                    box.label.width())
        figure_px = metrics.horizontalAdvance(figure) + 4
        plain = QFontMetricsF(self.font())
        word = plain.elidedText(box.stage.label, Qt.TextElideMode.ElideRight,
                                max(box.label.width() - figure_px, 0))
        if word != box.stage.label and len(word) < _FEWEST_LETTERS:
            word = ""
        left = QRectF(box.label)
        if is_last:
            left.setLeft(left.right() - figure_px - plain.horizontalAdvance(word))
        painter.drawText(left, _LEFT, figure)
        painter.setFont(self.font())
        painter.setPen(self._theme.muted)
        painter.drawText(left.adjusted(figure_px, 0, 1, 0), _LEFT, word)

    def _paint_removed(self, painter: QPainter, box: _Box) -> None:
        stage = box.stage
        if not stage.removed:
            return
        color = self._theme.reason_color(stage.reason.value) if stage.reason is not Reason.NONE \
            else self._theme.muted
        font = themes.number_font(themes.scaled_font(self.font(), _SMALL, bold=True))
        small = themes.scaled_font(self.font(), _SMALL)
        area = box.gap.adjusted(1, 0, -1, 0)
        text = f"−{stage.removed:,}"
        lines = [(font, text), *((small, line) for line in _wrapped(
            stage.why, QFontMetricsF(small), area.width(),
            int(area.height() / QFontMetricsF(small).height()) - 1))]
        height = sum(QFontMetricsF(used).height() for used, _ in lines)
        block = QRectF(area.left(), area.top() + max(0.0, (area.height() - height) / 2),
                       area.width(), min(height, area.height()))
        if self._is_picked(stage):
            painter.setPen(QPen(color, 1.5))
            painter.setBrush(self._theme.soft(color))
            painter.drawRoundedRect(block.adjusted(0, -1, 0, 1), _RADIUS_PX, _RADIUS_PX)
        painter.setPen(color)
        top = block.top()
        for used, line in lines:
            metrics = QFontMetricsF(used)
            painter.setFont(used)
            painter.drawText(QRectF(area.left(), top, area.width(), metrics.height()), _CENTER,
                             metrics.elidedText(line, Qt.TextElideMode.ElideRight, area.width()))
            top += metrics.height()

    def _paint_focus(self, painter: QPainter, box: _Box) -> None:
        painter.setPen(QPen(self._theme.accent, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.bar.adjusted(-3, -3, 3, 3), _RADIUS_PX,
                                _RADIUS_PX)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the flow, then bars with their counts, then what was removed between them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), self._theme.panel)
        if not self._stages:
            painter.setPen(self._theme.muted)
            painter.drawText(self.rect().adjusted(_MARGIN_PX, 0, -_MARGIN_PX, 0), _WRAP, _EMPTY)
            return
        boxes = self._boxes()
        self._paint_flow(painter, boxes)
        for number, box in enumerate(boxes):
            self._paint_bar(painter, number, box)
        for box in boxes:
            self._paint_removed(painter, box)
        if self.hasFocus():
            self._paint_focus(painter, boxes[self._focused])

    def event(self, event: QEvent) -> bool:
        """Explain the stage under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            number = self._stage_at(QPointF(event.pos()))
            if number < 0:
                QToolTip.hideText()
            else:
                QToolTip.showText(event.globalPos(), self._tip(number), self)
            return True
        return super().event(event)

    def _tip(self, number: int) -> str:
        stage = self._stages[number]
        tip = f"{stage.count:,} {stage.label}. {_HELP[stage.label]}"
        if stage.removed:
            tip += f"\n{stage.removed:,} removed: {stage.why}."
        if self._can_pick(number):
            tip += "\nClick to list all rows again." if self._is_picked(stage) \
                else "\nClick to list the records dropped for this reason."
        return tip

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick a stage, or give it up."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pick(self._stage_at(event.position()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light the stage under the mouse."""
        hovered = self._stage_at(event.position())
        if hovered != self._hovered:
            self._hovered = hovered
            self.setCursor(Qt.CursorShape.PointingHandCursor if self._can_pick(hovered)
                           else Qt.CursorShape.ArrowCursor)
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Light none."""
        super().leaveEvent(event)
        self._hovered = -1
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through the stages with the arrow keys, pick with Enter or Space, Esc = all."""
        last = len(self._stages) - 1
        steps = {Qt.Key.Key_Right: self._focused + 1, Qt.Key.Key_Left: self._focused - 1,
                 Qt.Key.Key_Down: self._focused + 1, Qt.Key.Key_Up: self._focused - 1,
                 Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        key = Qt.Key(event.key())
        if key in steps and self._stages:
            self._focused = min(max(steps[key], 0), last)
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._pick(self._focused)
        elif key == Qt.Key.Key_Escape and self._reason:
            self.set_reason_filter("")
            self.stage_clicked.emit("")
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """Ask for two lanes of bars, so that changing the mode moves nothing."""
        line = self.fontMetrics().height()
        return QSize(line * 40, round(6.8 * line) + 2 * _PAD_PX)

    def minimumSizeHint(self) -> QSize:
        """Ask for what still shows every number."""
        line = self.fontMetrics().height()
        return QSize(line * 22, round(5.4 * line) + 2 * _PAD_PX)


def _bar_height(count: int, peak: int, room: float) -> float:
    if not count:
        return 2.0
    return max(4.0, room * math.log1p(count) / math.log1p(peak))


def _columns(stages: tuple[Stage, ...]) -> list[int]:
    """Return the column of each stage; the two legs of Hybrid stand above each other."""
    columns: list[int] = []
    next_in = dict.fromkeys(Leg, 0)
    for stage in stages:
        if stage.leg is Leg.NONE:
            column = max(next_in.values())
            next_in = dict.fromkeys(Leg, column + 1)
        else:
            column = next_in[stage.leg]
            next_in[stage.leg] = column + 1
        columns.append(column)
    return columns


def _wrapped(text: str, metrics: QFontMetricsF, width: float, most: int) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        if lines and (metrics.horizontalAdvance(f"{lines[-1]} {word}") <= width
                      or len(lines) >= most):
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines[:max(most, 0)]


def _sentence(stage: Stage) -> str:
    removed = f" ({stage.removed} removed {stage.why})" if stage.removed else ""
    return f"{stage.count} {stage.label}{removed}"
