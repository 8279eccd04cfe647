"""What a funnel's stages are drawn as, and how their columns share the width."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtGui import QFont, QFontMetricsF

from core.hits.stage import Leg, Stage
from inspector import theme as themes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtCore import QRectF

MARGIN_PX = 12
PAD_PX = 6
_LEGS = tuple(Leg)
_SMALL = 0.88
_LARGE = 1.12
_LEAST_BAR_PX = 4.0


class Step(NamedTuple):
    """How many words: of labels and whys all (0), short ones (1), the least (2).

    stacked : labels stand below their numbers; optional : what was removed is left out where it
    doesn't fit, since what is left says it too; scale : of all the fonts.
    """

    label: int
    why: int
    stacked: bool = False
    optional: bool = False
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Fonts:
    """The fonts of the numbers, of the words, and of what was removed."""

    figure: QFont
    word: QFont
    removed: QFont
    why: QFont

    @classmethod
    def of(cls, base: QFont, scale: float = 1.0) -> Fonts:
        """Return the funnel's fonts, `scale` times as large as `base` asks."""
        small = themes.scaled_font(base, _SMALL * scale)
        return cls(
            themes.number_font(themes.scaled_font(base, _LARGE * scale, bold=True)),
            themes.scaled_font(base, scale),
            themes.number_font(themes.scaled_font(base, _SMALL * scale, bold=True)),
            small,
        )


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of text, its font and its place; it is elided where even that is too small."""

    text: str
    font: QFont
    rect: QRectF
    centered: bool = False


@dataclass(frozen=True, slots=True)
class Box:
    """Where a stage is painted.

    areas : what belongs to the stage for the mouse; removed_rect : around `removed`, the lines that
    say what it removed; before : places of the stages whose records flow into it.
    """

    stage: Stage
    bar: QRectF
    areas: tuple[QRectF, ...]
    figure: Text
    word: Text
    removed: tuple[Text, ...]
    removed_rect: QRectF
    before: tuple[int, ...]


class Plan:
    """What both arrangements share: columns as wide as their words, and wider where they can.

    bar_share, bar_limits_px : width of a bar, as a share of the room and within limits.
    """

    bar_share: float
    bar_limits_px: tuple[int, int]

    def __init__(
        self, stages: tuple[Stage, ...], width: float, height: float, base: QFont, step: Step
    ) -> None:
        self.stages = stages
        self.room = width - 2 * MARGIN_PX
        self.top, self.bottom = float(PAD_PX), height - PAD_PX
        self.step = step
        self.fonts = fonts = Fonts.of(base, step.scale)
        self.figure = QFontMetricsF(fonts.figure)
        self.word = QFontMetricsF(fonts.word)
        self.removed = QFontMetricsF(fonts.removed)
        self.why = QFontMetricsF(fonts.why)
        self.columns = _columns(stages)
        self.peak = max((stage.count for stage in stages), default=0)
        self.needs = self._needs(removed=not step.optional)
        if step.optional:
            self._add_what_fits(self._needs(removed=True))

    def _needs(self, *, removed: bool) -> list[float]:
        raise NotImplementedError

    def _add_what_fits(self, wants: list[float]) -> None:
        free = self.room - sum(self.needs)
        missing = [want - need for want, need in zip(wants, self.needs, strict=True)]
        for column in sorted(range(len(missing)), key=missing.__getitem__):
            if missing[column] <= free:
                self.needs[column] += missing[column]
                free -= missing[column]

    def boxes(self) -> list[Box]:
        """Return the stages' boxes."""
        raise NotImplementedError

    @property
    def bar_px(self) -> float:
        """How wide a bar is."""
        low, high = self.bar_limits_px
        return min(max(self.room * self.bar_share, low), high)

    @property
    def fits(self) -> bool:
        """Whether every word has room."""
        return sum(self.needs) <= self.room

    def label_of(self, stage: Stage) -> str:
        """Return a stage's name, as long as this step allows."""
        return _of_length(stage.kind.labels, self.step.label)

    def why_of(self, stage: Stage) -> str:
        """Return why records were removed, as long as this step allows."""
        return "" if self.step.why == 2 else _of_length(stage.kind.whys, self.step.why)

    def removed_of(self, stage: Stage) -> str:
        """Return what a stage removed or, like the walk through a graph, added; or ""."""
        if not stage.removed:
            return ""
        return f"−{stage.removed:,}" if stage.removed > 0 else f"+{-stage.removed:,}"

    def lefts(self) -> list[float]:
        """Return where each column begins; room that is left over evens the columns out."""
        widths = _shared(self.needs, self.room)
        return [MARGIN_PX + sum(widths[:column]) for column in range(len(widths))]

    def bar_height(self, stage: Stage, room: float) -> float:
        """Return how high a bar is: by the log of its count, since 3 of 117,000 matter."""
        if not stage.count:
            return 2.0
        return max(_LEAST_BAR_PX, room * math.log1p(stage.count) / math.log1p(self.peak))


def _shared(needs: Sequence[float], room: float) -> list[float]:
    """Return widths that fill `room`: each as wide as it needs, and as even as that allows.

    The last needs no more than its words; where the room is too small, all shrink alike.
    """
    total = sum(needs)
    if not needs or total >= room:
        return [need * room / total for need in needs] if total else []
    free, last = room - needs[-1], needs[-1]
    even = sorted(needs[:-1], reverse=True)
    level = 0.0
    for number, need in enumerate(even):
        level = (free - sum(even[:number])) / (len(even) - number)
        if level >= need:
            break
    return [*(max(need, level) for need in needs[:-1]), last]


def _columns(stages: tuple[Stage, ...]) -> list[int]:
    """Return the column of each stage; the two legs of Hybrid stand above each other."""
    columns: list[int] = []
    next_in = dict.fromkeys(_LEGS, 0)
    for stage in stages:
        if stage.leg is Leg.NONE:
            column = max(next_in.values())
            next_in = dict.fromkeys(_LEGS, column + 1)
        else:
            column = next_in[stage.leg]
            next_in[stage.leg] = column + 1
        columns.append(column)
    return columns


def _of_length(words: tuple[str, ...], step: int) -> str:
    """Return the words for a step: the last ones serve all further steps."""
    return words[min(step, len(words) - 1)] if words else ""
