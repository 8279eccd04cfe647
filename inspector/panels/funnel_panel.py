"""The counts of a turn as a picture: one bar a stage, and between the bars what was removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.hits.hit import Reason
from inspector import theme as themes
from inspector.drawing.funnel_layout import lay_out
from inspector.drawing.funnel_plan import MARGIN_PX, PAD_PX, Box, Text
from inspector.theme import Themed
from inspector.widgets.parts import named

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent

    from core.hits.stage import Stage, StageKind
    from core.nodes.walk import RetrievalResult
    from inspector.theme import Theme

_RADIUS_PX = 4
# How much of a bar's colour the flow between bars has.
_FLOW = 0.4
_CENTER = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter)
_WRAP = int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_EMPTY = "The funnel appears with the first question: how many records each stage lets through."
_NOT_SEARCHED = "Nothing was searched, so there is nothing to count."


class FunnelPanel(Themed, QWidget):
    """Paints the stages of a turn's Retrieve node. Bars are as high as the log of their count.

    Signals
    -------
    stage_clicked(StageKind): the rows that it removed or added are asked for; None = all again.
    """

    stage_clicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "funnelView", "Funnel")
        self.setAccessibleDescription(_EMPTY)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        themes.spread(self, themes.LIGHT)
        self._stages: tuple[Stage, ...] = ()
        self._empty = _EMPTY
        self._picked: StageKind | None = None
        self._focused = 0
        self._hovered = -1
        self._known_boxes: list[Box] = []
        self._laid_out: tuple[object, ...] = ()

    def show_counts(self, retrieval: RetrievalResult | None) -> None:
        """Show the counts of a Retrieve node's run; None = it did not run."""
        stages = () if retrieval is None else retrieval.stages
        empty = _EMPTY if retrieval is None else _NOT_SEARCHED
        if (stages, empty) == (self._stages, self._empty):
            return
        self._empty = empty
        self._stages = stages
        self._focused = min(self._focused, max(len(stages) - 1, 0))
        self._hovered = -1
        self.setAccessibleDescription("; ".join(map(_sentence, stages)) or empty)
        self.update()

    def stages(self) -> list[tuple[str, int]]:
        """Return label and count of each stage, in reading order."""
        return [(stage.label, stage.count) for stage in self._stages]

    def set_picked(self, stage: StageKind | None) -> None:
        """Mark the stage whose rows are listed; None = none."""
        if stage is not self._picked:
            self._picked = stage
            self.update()

    def stage_rect(self, label: str) -> QRectF:
        """Return where a stage's bar is, px; empty when there is no such stage."""
        return next((box.bar for box in self._boxes() if box.stage.label == label), QRectF())

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        # What lies between the bars, and behind most words.
        self._flow = themes.mix(theme.panel, theme.hit_soft, _FLOW)
        self.update()

    # Geometry

    def _boxes(self) -> list[Box]:
        key = (self._stages, self.width(), self.height(), self.font().toString())
        if key != self._laid_out:
            self._laid_out = key
            self._known_boxes = lay_out(self._stages, self.width(), self.height(), self.font())
        return self._known_boxes

    def _stage_at(self, position: QPointF) -> int:
        return next(
            (
                number
                for number, box in enumerate(self._boxes())
                if any(area.contains(position) for area in box.areas)
            ),
            -1,
        )

    # Picking a stage

    def _can_pick(self, number: int) -> bool:
        if not 0 <= number < len(self._stages):
            return False
        stage = self._stages[number]
        return stage.can_be_listed or self._is_picked(stage)

    def _is_picked(self, stage: Stage) -> bool:
        return stage.kind is self._picked

    def _pick(self, number: int) -> None:
        if not self._can_pick(number):
            return
        kind = self._stages[number].kind
        self._picked = None if kind is self._picked else kind
        self._focused = number
        self.update()
        self.stage_clicked.emit(self._picked)

    # Painting

    def _paint_flow(self, painter: QPainter, boxes: list[Box]) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._flow)
        for box in boxes:
            for number in box.before:
                source = boxes[number].bar
                painter.drawPolygon(
                    QPolygonF(
                        [
                            QPointF(source.right(), source.top()),
                            QPointF(box.bar.left(), box.bar.top()),
                            QPointF(box.bar.left(), box.bar.bottom()),
                            QPointF(source.right(), source.bottom()),
                        ]
                    )
                )

    def _paint_stage(self, painter: QPainter, number: int, box: Box) -> None:
        is_last = number == len(self._stages) - 1
        color = self._theme.hit if is_last else self._theme.hit_soft
        if number == self._hovered and self._can_pick(number):
            color = themes.mix(color, self._theme.accent, 0.4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        radius = min(_RADIUS_PX, box.bar.width() / 4)
        painter.drawRoundedRect(box.bar, radius, radius)
        painter.setPen(
            self._theme.ink(self._theme.hit, self._flow) if is_last else self._theme.text
        )
        _write(painter, box.figure)
        painter.setPen(self._theme.ink(self._theme.muted, self._flow))
        _write(painter, box.word)

    def _paint_removed(self, painter: QPainter, box: Box) -> None:
        if not box.removed:
            return
        reason = box.stage.reason
        color = (
            self._theme.muted if reason is Reason.NONE else self._theme.reason_color(reason.value)
        )
        behind = self._flow
        if self._is_picked(box.stage):
            behind = self._theme.soft(color)
            painter.setPen(QPen(color, 1.5))
            painter.setBrush(behind)
            painter.drawRoundedRect(box.removed_rect, _RADIUS_PX, _RADIUS_PX)
        painter.setPen(self._theme.ink(color, behind))
        for text in box.removed:
            _write(painter, text)

    def _paint_focus(self, painter: QPainter, box: Box) -> None:
        painter.setPen(QPen(self._theme.accent, 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.bar.adjusted(-3, -3, 3, 3), _RADIUS_PX, _RADIUS_PX)

    # Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the flow, then bars with their counts, then what was removed between them."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), self._theme.panel)
        if not self._stages:
            painter.setPen(self._theme.muted)
            painter.drawText(self.rect().adjusted(MARGIN_PX, 0, -MARGIN_PX, 0), _WRAP, self._empty)
            if self.hasFocus():
                painter.setPen(self._theme.accent)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            return
        boxes = self._boxes()
        self._paint_flow(painter, boxes)
        for number, box in enumerate(boxes):
            self._paint_stage(painter, number, box)
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
        tip = f"{stage.figure} {stage.label}. {stage.help}"
        if stage.removed:
            tip += f"\n{_change(stage)}."
        if self._can_pick(number):
            tip += (
                "\nClick to list all rows again."
                if self._is_picked(stage)
                else "\nClick to list them, and what became of each."
            )
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
            self.setCursor(
                Qt.CursorShape.PointingHandCursor
                if self._can_pick(hovered)
                else Qt.CursorShape.ArrowCursor
            )
            self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Light none."""
        super().leaveEvent(event)
        self._hovered = -1
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk through the stages with the arrow keys, pick with Enter or Space, Esc = all."""
        last = len(self._stages) - 1
        steps = {
            Qt.Key.Key_Right: self._focused + 1,
            Qt.Key.Key_Left: self._focused - 1,
            Qt.Key.Key_Down: self._focused + 1,
            Qt.Key.Key_Up: self._focused - 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        key = Qt.Key(event.key())
        if key in steps and self._stages:
            self._focused = min(max(steps[key], 0), last)
            self.update()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._pick(self._focused)
        elif key == Qt.Key.Key_Escape and self._picked is not None:
            self.set_picked(None)
            self.stage_clicked.emit(None)
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """Ask for two lanes, so that changing the mode moves nothing."""
        line = self.fontMetrics().height()
        return QSize(line * 40, round(5.8 * line) + 2 * PAD_PX)

    def minimumSizeHint(self) -> QSize:
        """Ask for what still shows every number."""
        line = self.fontMetrics().height()
        return QSize(line * 22, round(4.8 * line) + 2 * PAD_PX)


def _write(painter: QPainter, text: Text) -> None:
    painter.setFont(text.font)
    painter.drawText(
        text.rect,
        _CENTER if text.centered else _LEFT,
        QFontMetricsF(text.font).elidedText(
            text.text, Qt.TextElideMode.ElideRight, text.rect.width()
        ),
    )


def _sentence(stage: Stage) -> str:
    change = f" ({_change(stage)})" if stage.removed else ""
    least = "at least " if stage.at_least else ""
    return f"{least}{stage.count} {stage.label}{change}"


def _change(stage: Stage) -> str:
    """Say what a stage removed, or added, as the walk through a graph does."""
    return f"{abs(stage.removed):,} {'removed' if stage.removed > 0 else 'added'} {stage.why}"
