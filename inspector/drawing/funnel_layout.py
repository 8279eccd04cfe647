"""Where the stages of a funnel and their words stand: as many words as there is room for.

Dense and Lexical stages stand in a row, a bar each with its words below, and between two bars
stands what was removed. Hybrid's legs run above each other; each stage is a cell with a thin bar
and two lines beside it, so that nothing overlaps in half the height. Where the width doesn't do,
the words get shorter, in steps; the numbers never do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF

from core.hits.stage import Leg, Stage, sources
from inspector.drawing.funnel_plan import MARGIN_PX, Box, Plan, Step, Text

if TYPE_CHECKING:
    from PySide6.QtGui import QFont

_GAP_PX = 12
_NEAR_PX = 4
_LANE_GAP_PX = 6
_STEPS = (
    Step(0, 0),
    Step(0, 1),
    Step(1, 1),
    Step(1, 1, stacked=True),
    Step(1, 2, stacked=True),
    Step(2, 2, stacked=True),
    Step(2, 2, stacked=True, optional=True),
    Step(2, 2, stacked=True, optional=True, scale=0.84),
)


def lay_out(stages: tuple[Stage, ...], width: float, height: float, base: QFont) -> list[Box]:
    """Return a box a stage, with as many words as `width` has room for."""
    kind = _Cells if any(stage.leg is Leg.DENSE for stage in stages) else _Row
    for step in _STEPS[:-1]:
        plan = kind(stages, width, height, base, step)
        if plan.fits:
            return plan.boxes()
    return kind(stages, width, height, base, _STEPS[-1]).boxes()


class _Row(Plan):
    """One lane: bars on a line, their words below, what was removed between them."""

    bar_share = 0.075
    bar_limits_px = (16, 64)

    def _label_width(self, stage: Stage) -> float:
        figure = self.figure.horizontalAdvance(stage.figure)
        if self.step.stacked:
            return max(figure, self.why.horizontalAdvance(self.label_of(stage))) + 1
        return figure + _NEAR_PX + self.word.horizontalAdvance(self.label_of(stage)) + 1

    def _removed_width(self, stage: Stage) -> float:
        return max(
            self.removed.horizontalAdvance(self.removed_of(stage)),
            self.why.horizontalAdvance(self.why_of(stage)) if stage.removed else 0.0,
        )

    def _needs(self, *, removed: bool) -> list[float]:
        needs = [max(self._label_width(stage), self.bar_px) for stage in self.stages]
        for number, after in enumerate(self.stages[1:]):
            between = self.bar_px + 2 * _NEAR_PX + (self._removed_width(after) if removed else 0.0)
            needs[number] = max(needs[number] + _GAP_PX, between)
        return needs

    @property
    def _text_px(self) -> float:
        return self.figure.height() + (self.why.height() if self.step.stacked else _NEAR_PX / 2)

    def boxes(self) -> list[Box]:
        """Return the stages' boxes."""
        lefts = [*self.lefts(), MARGIN_PX + self.room + _GAP_PX]
        line = self.bottom - self._text_px
        bars = [QRectF(left, line, self.bar_px, 0) for left in lefts[:-1]]
        if bars:
            bars[-1].moveRight(MARGIN_PX + self.room)
        boxes = []
        for number, stage in enumerate(self.stages):
            height = self.bar_height(stage, line - self.top)
            bar = bars[number].adjusted(0, -height, 0, 0)
            before = bars[number - 1].right() if number else bar.left()
            gap = QRectF(before, self.top, bar.left() - before, line - self.top)
            room = lefts[number + 1] - _GAP_PX - lefts[number]
            is_last = number == len(self.stages) - 1
            figure, word = self._label(stage, lefts[number], room, flush_right=is_last)
            removed, block = self._removed_lines(stage, gap)
            area = QRectF(gap.left(), self.top, bar.right() - gap.left(), line - self.top)
            boxes.append(
                Box(
                    stage,
                    bar,
                    (area, figure.rect.united(word.rect)),
                    figure,
                    word,
                    removed,
                    block,
                    sources(self.stages, number),
                )
            )
        return boxes

    def _label(
        self, stage: Stage, left: float, room: float, *, flush_right: bool
    ) -> tuple[Text, Text]:
        width = self.figure.horizontalAdvance(stage.figure) + 1
        label, top = self.label_of(stage), self.bottom - self._text_px
        shift = max(room - self._label_width(stage), 0.0) if flush_right else 0.0
        figure = QRectF(left + shift, top, min(width, room), self.figure.height())
        if self.step.stacked:
            below = QRectF(left, figure.bottom(), room, self.why.height())
            if flush_right:
                figure.moveRight(left + room)
                below.setLeft(max(left, below.right() - self.why.horizontalAdvance(label) - 1))
            word = Text(label, self.fonts.why, below)
        else:
            room_px = max(room - shift - width - _NEAR_PX + 2, 0)
            beside = QRectF(figure.right() + _NEAR_PX - 1, top, room_px, self.figure.height())
            word = Text(label, self.fonts.word, beside)
        return Text(stage.figure, self.fonts.figure, figure), word

    def _removed_lines(self, stage: Stage, gap: QRectF) -> tuple[tuple[Text, ...], QRectF]:
        if not stage.removed or (self.step.optional and self._removed_width(stage) > gap.width()):
            return (), QRectF()
        lines = [(self.removed_of(stage), self.fonts.removed, self.removed.height())]
        if self.why_of(stage) and gap.height() >= lines[0][2] + self.why.height():
            lines.append((self.why_of(stage), self.fonts.why, self.why.height()))
        height = sum(line[2] for line in lines)
        top = gap.top() + max(0.0, (gap.height() - height) / 2)
        texts = []
        for text, font, line_px in lines:
            texts.append(Text(text, font, QRectF(gap.left(), top, gap.width(), line_px), True))
            top += line_px
        width = min(self._removed_width(stage) + 2 * _NEAR_PX, gap.width())
        block = QRectF(gap.center().x() - width / 2, texts[0].rect.top() - 1, width, height + 2)
        return tuple(texts), block


class _Cells(Plan):
    """Two lanes: a thin bar a stage, and beside it what is left, what was removed, its name."""

    bar_share = 0.024
    bar_limits_px = (8, 20)

    def _removed_width(self, stage: Stage) -> float:
        if not stage.removed:
            return 0.0
        why = self.why_of(stage)
        return self.removed.horizontalAdvance(self.removed_of(stage)) + (
            self.why.horizontalAdvance(f" {why}") if why else 0.0
        )

    def _text_width(self, stage: Stage, *, with_removed: bool) -> float:
        removed = self._removed_width(stage) if with_removed else 0.0
        first = self.figure.horizontalAdvance(stage.figure) + (
            _NEAR_PX + removed if removed else 0.0
        )
        # A pixel more: a text that fits to the last fraction would be elided.
        return max(first, self.why.horizontalAdvance(self.label_of(stage))) + 1

    def _needs(self, *, removed: bool) -> list[float]:
        needs = [0.0] * (max(self.columns, default=-1) + 1)
        for stage, column in zip(self.stages, self.columns, strict=True):
            gap = _GAP_PX / 2 if column < len(needs) - 1 else 0.0
            text_px = self._text_width(stage, with_removed=removed)
            needs[column] = max(needs[column], self.bar_px + _NEAR_PX + text_px + gap)
        return needs

    def boxes(self) -> list[Box]:
        """Return the stages' boxes."""
        lefts = [*self.lefts(), MARGIN_PX + self.room + _GAP_PX / 2]
        half = (self.bottom - self.top - _LANE_GAP_PX) / 2
        lanes = {
            Leg.NONE: QRectF(0, self.top, 0, self.bottom - self.top),
            Leg.DENSE: QRectF(0, self.top, 0, half),
            Leg.SPARSE: QRectF(0, self.top + half + _LANE_GAP_PX, 0, half),
        }
        boxes = []
        for number, (stage, column) in enumerate(zip(self.stages, self.columns, strict=True)):
            lane = lanes[stage.leg]
            area = QRectF(
                lefts[column],
                lane.top(),
                lefts[column + 1] - _GAP_PX / 2 - lefts[column],
                lane.height(),
            )
            height = self.bar_height(stage, lane.height())
            bar = QRectF(area.left(), lane.center().y() - height / 2, self.bar_px, height)
            boxes.append(self._box(number, stage, bar, area))
        return boxes

    def _box(self, number: int, stage: Stage, bar: QRectF, area: QRectF) -> Box:
        left = bar.right() + _NEAR_PX
        room = area.right() - left
        top = area.center().y() - (self.figure.height() + self.why.height()) / 2
        width = self.figure.horizontalAdvance(stage.figure) + 1
        figure = QRectF(left, top, min(width, room), self.figure.height())
        word = QRectF(left, figure.bottom(), room, self.why.height())
        removed, block = self._removed_texts(stage, figure, area.right())
        return Box(
            stage,
            bar,
            (area,),
            Text(stage.figure, self.fonts.figure, figure),
            Text(self.label_of(stage), self.fonts.why, word),
            removed,
            block,
            sources(self.stages, number),
        )

    def _removed_texts(
        self, stage: Stage, figure: QRectF, right: float
    ) -> tuple[tuple[Text, ...], QRectF]:
        free = right - figure.right() - _NEAR_PX + 1
        if not stage.removed or (self.step.optional and self._removed_width(stage) > free):
            return (), QRectF()
        text, why = self.removed_of(stage), self.why_of(stage)
        # On one base line with the number before it, which is larger.
        top = figure.top() + self.figure.ascent() - self.removed.ascent()
        left = figure.right() + _NEAR_PX - 1
        width = min(self.removed.horizontalAdvance(text) + 1, max(right - left, 0.0))
        texts = [Text(text, self.fonts.removed, QRectF(left, top, width, self.removed.height()))]
        if why:
            space = self.why.horizontalAdvance(" ")
            texts.append(
                Text(
                    why,
                    self.fonts.why,
                    QRectF(
                        left + width - 1 + space,
                        top,
                        max(right - left - width - space + 2, 0.0),
                        self.why.height(),
                    ),
                )
            )
        block = QRectF(
            left, top, min(self._removed_width(stage), right - left), self.removed.height()
        )
        return tuple(texts), block.adjusted(-_NEAR_PX / 2, 0, _NEAR_PX / 2, 0)
