"""Labels for text that comes from files: plain, elided or wrapped, never clipped, never HTML."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy

from inspector import theme as themes
from inspector.drawing.words import TOOLTIP_CHARACTERS, tooltip
from inspector.theme import Themed

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent
    from PySide6.QtWidgets import QWidget

_ICON_PX = 16
_GAP_PX = 4
_WRAPPED_CHARACTERS = 4000


def set_role(widget: QWidget, name: str, value: object) -> None:
    """Set a dynamic property that the style sheet reads, and restyle the widget."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


def heading(text: str) -> QLabel:
    """Make a section's heading."""
    label = QLabel(text.upper())
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", "heading")
    label.setAccessibleName(text)
    label.setFont(themes.scaled_font(label.font(), 0.86, bold=True))
    return label


class ElidedLabel(QLabel):
    """One line that ends in "…" where it doesn't fit; the tooltip then has all of it.

    `text_left` is where text begins, px from the left.
    """

    text_left = 0

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._own_tip = ""
        self.set_text(text)

    def set_text(self, text: str, tip: str = "") -> None:
        """Show `text` with line breaks as spaces; `tip` comes below it in the tooltip."""
        shown = " ".join(text[:TOOLTIP_CHARACTERS].split("\n"))
        if shown == self.text() and tip == self._own_tip:
            return
        self._own_tip = tip
        self.setText(shown)
        self._update_tip()

    @property
    def is_elided(self) -> bool:
        """Whether the text is longer than the room for it."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self._text_rect().width()

    def _text_rect(self) -> QRect:
        return self.contentsRect().adjusted(self.text_left, 0, 0, 0)

    def _update_tip(self) -> None:
        parts = [self.text()] if self.is_elided else []
        if self._own_tip:
            parts.append(self._own_tip)
        self.setToolTip(tooltip("\n".join(parts)))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text that fits."""
        event.accept()
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        rect = self._text_rect()
        shown = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, rect.width()
        )
        painter.drawText(rect, int(self.alignment()), shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Note whether the whole text is still to be seen."""
        super().resizeEvent(event)
        self._update_tip()

    def minimumSizeHint(self) -> QSize:
        """Ask for a few letters' width only."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 4, metrics.height())


class WrapLabel(QLabel):
    """Text of several lines that breaks inside a word where nothing else helps (JSON paths).

    It keeps its text itself: `QLabel` would have the whole window laid out anew for every change,
    also for one that takes no more room.

    Parameters
    ----------
    most_lines : what comes after them is cut with "…" and stays in the tooltip; 0 = all lines.
    """

    def __init__(
        self, text: str = "", parent: QWidget | None = None, *, most_lines: int = 0
    ) -> None:
        super().__init__(parent)
        self._content = ""
        self._most_lines = most_lines
        self.setTextFormat(Qt.TextFormat.PlainText)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show `text`."""
        if text == self._content:
            return
        before = self.heightForWidth(self.width())
        self._content = text
        if self.heightForWidth(self.width()) != before:
            self.updateGeometry()
        if self._most_lines:
            self.setToolTip(tooltip(text))
        self.update()

    def text(self) -> str:
        """Return what is shown."""
        return self._content

    def text_left(self) -> int:
        """Return where text begins, px from the left."""
        return 0

    def text_top(self) -> float:
        """Return where the first line begins, px from the top: the text stands in the middle."""
        rect = self.contentsRect()
        height = self._layout_text(rect.width() - self.text_left())[1]
        return rect.top() + max(0.0, (rect.height() - height) / 2)

    def _layout_text(self, width: int) -> tuple[QTextLayout, float]:
        shown = self.text()[:_WRAPPED_CHARACTERS].replace("\n", "\u2028")
        layout, height = self._break(shown, width)
        if self._most_lines and layout.lineCount() > self._most_lines:
            last = layout.lineAt(self._most_lines - 1).textStart()
            end = self.fontMetrics().elidedText(
                shown[last:].replace("\u2028", " "), Qt.TextElideMode.ElideRight, width
            )
            layout, height = self._break(shown[:last] + end, width)
        return layout, height

    def _break(self, text: str, width: int) -> tuple[QTextLayout, float]:
        layout = QTextLayout(text, self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        height = 0.0
        while True:
            line = layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(width, 1))
            line.setPosition(QPointF(0, height))
            height += line.height()
        layout.endLayout()
        return layout, height

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines."""
        event.accept()
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        rect = self.contentsRect()
        layout, _ = self._layout_text(rect.width() - self.text_left())
        layout.draw(painter, QPointF(rect.left() + self.text_left(), self.text_top()))

    def hasHeightForWidth(self) -> bool:
        """Its height follows from its width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all the lines."""
        if not self.text():
            return self.fontMetrics().height()
        return math.ceil(self._layout_text(width - self.text_left())[1])

    def sizeHint(self) -> QSize:
        """Ask for the lines that the present width gives."""
        width = max(self.width(), self.minimumSizeHint().width())
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Ask for one line of some letters."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 8, metrics.height())


class StatusLabel(Themed, WrapLabel):
    """An icon and a text in the colour of their meaning.

    Signals
    -------
    clicked() : it was clicked, or Enter pressed on it, where `set_clickable` allows it.
    """

    clicked = Signal()

    def __init__(self, parent: QWidget | None = None, *, most_lines: int = 0) -> None:
        self._kind = ""
        super().__init__("", parent, most_lines=most_lines)
        self._clickable = False

    def set_status(self, kind: str, text: str) -> None:
        """Show `text`; `kind` is ``ok``, ``error``, ``warning``, ``info`` or ``muted``."""
        if (kind, text) == (self._kind, self.text()):
            return
        self._kind = kind
        set_role(self, "role", "muted" if kind == "info" else kind)
        self.set_text(text)
        self.setAccessibleName(f"{kind}: {text}" if kind in ("error", "warning") else text)
        self.update()

    @property
    def kind(self) -> str:
        """What the icon says."""
        return self._kind

    def set_clickable(self, clickable: bool) -> None:
        """Make it a link to a place, or plain text again."""
        self._clickable = clickable
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if clickable else Qt.FocusPolicy.NoFocus)
        self.setCursor(
            Qt.CursorShape.PointingHandCursor if clickable else Qt.CursorShape.ArrowCursor
        )

    def text_left(self) -> int:
        """Leave room for the icon."""
        return _ICON_PX + _GAP_PX if self._kind in ("ok", "error", "warning", "info") else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the icon, the text, and a line below the text that has the focus."""
        super().paintEvent(event)
        painter = QPainter(self)
        if self.text_left():
            color = getattr(self._theme, "muted" if self._kind == "info" else self._kind)
            top = round(self.text_top()) + (self.fontMetrics().height() - _ICON_PX) // 2
            icon = themes.icon(self._kind, color)
            icon.paint(painter, QRect(self.contentsRect().left(), top, _ICON_PX, _ICON_PX))
        if self.hasFocus():
            painter.setPen(self._theme.accent)
            painter.drawRoundedRect(self.rect().adjusted(0, 0, -1, -1), 4, 4)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Follow a click."""
        if self._clickable and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit()
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Follow Enter."""
        if self._clickable and event.key() in (
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
            Qt.Key.Key_Space,
        ):
            self.clicked.emit()
        else:
            super().keyPressEvent(event)
