"""The chat messages as a model would read them, each chunk tinted, its role beside each message.

Where the view is narrow, the roles stand above their messages: that of the message in sight on
the top line, those of the others on the lines that part the messages. Messages of earlier turns
are dimmed, below a line that says so.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QTextCursor
from PySide6.QtWidgets import QTextEdit, QToolTip, QWidget

from inspector import theme as themes
from inspector.drawing.prompt_layout import PromptLayout, lay_out
from inspector.drawing.words import tooltip
from inspector.theme import Themed
from inspector.widgets.empty_state import paint_empty_state
from inspector.widgets.plain_text import PlainText

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QPoint, QRect
    from PySide6.QtGui import (
        QColor,
        QFont,
        QKeyEvent,
        QPaintEvent,
        QResizeEvent,
        QTextBlock,
        QTextLine,
    )

    from core.prompt.projection import Message
    from inspector.drawing.prompt_layout import Tinted
    from inspector.drawing.unstubbed import ExtraSelection
    from inspector.theme import Theme

_GAP_PX = 8
_ROLES = ("system", "assistant", "user")
_NARROW_CHARACTERS = 60
_DIMMED_OPACITY = 0.4


class _Gutter(QWidget):
    """The strip left of the text, or above it, in which the roles stand."""

    def __init__(self, view: PromptView) -> None:
        super().__init__(view)
        self._view = view

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the roles of the messages that are in sight."""
        self._view.paint_gutter(self, event)


class PromptView(Themed, PlainText):
    """Read-only messages; text can be selected and copied.

    Signals
    -------
    chunk_clicked(str) : the id of a tinted chunk that was clicked, or Enter pressed in.
    """

    chunk_clicked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._messages: tuple[Message, ...] = ()
        self._layout = PromptLayout()
        self._current = ""
        self._is_dimmed = False
        self._is_narrow = False
        self._empty = ("No prompt yet", "Ask a question to see what the model would read")
        self.setObjectName("promptView")
        self.setAccessibleName("Prompt messages")
        self.setReadOnly(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setTabChangesFocus(True)
        self.setCursorWidth(0)
        self.viewport().setMouseTracking(True)
        self._gutter = _Gutter(self)
        self.updateRequest.connect(self._on_update_request)
        self._set_gutter_width()

    @property
    def spans(self) -> tuple[Tinted, ...]:
        """The tinted spans, in order."""
        return self._layout.spans

    @property
    def empty_text(self) -> tuple[str, str]:
        """What is shown while there are no messages: title and hint."""
        return self._empty

    def set_empty_text(self, title: str, hint: str) -> None:
        """Say what to show while there are no messages."""
        self._empty = (title, hint)
        self.viewport().update()

    def show_messages(self, messages: Sequence[Message], ids: Callable[[int, int], str]) -> None:
        """Show messages; `ids` names the chunk at (block, chunk)."""
        messages = tuple(messages)
        if messages == self._messages:
            return
        self._messages = messages
        self.setCursorWidth(1 if messages else 0)
        self._layout = lay_out(messages, ids)
        self._set_gutter_width()
        place = self.verticalScrollBar().value()
        self.show_exact(self._layout.exact)
        self._dim()
        self.verticalScrollBar().setValue(place)
        self._gutter.update()

    def set_dimmed(self, dimmed: bool) -> None:
        """Grey the messages: they are not of the template that stands in the editor."""
        if dimmed != self._is_dimmed:
            self._is_dimmed = dimmed
            self._dim()
            self.viewport().update()

    @property
    def is_dimmed(self) -> bool:
        """Whether the messages are grey."""
        return self._is_dimmed

    def select_chunk(self, chunk_id: str) -> None:
        """Outline a chunk, such as the one whose row is selected; "" for none."""
        self._current = chunk_id
        self.viewport().update()

    def tint_of(self, chunk_id: str) -> QColor | None:
        """Return the colour behind a chunk, or None when the prompt has no such chunk."""
        found = self._layout.span_of(chunk_id)
        return self._theme.tint(found.chunk) if found is not None else None

    def apply_theme(self, theme: Theme) -> None:
        """Take over the colours."""
        super().apply_theme(theme)
        self._dim()
        self._set_gutter_width()

    def paint_gutter(self, gutter: QWidget, event: QPaintEvent) -> None:
        """Draw each role beside its message's first line, or the one in sight above the text."""
        painter = QPainter(gutter)
        painter.setPen(self._theme.muted)
        painter.setFont(self._role_font())
        if self._is_narrow:
            painter.drawText(
                gutter.rect(),
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
                self._layout.role_at(self.firstVisibleBlock().blockNumber()),
            )
            return
        block = self.firstVisibleBlock()
        while block.isValid():
            top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
            if top > event.rect().bottom():
                break
            role = self._layout.roles.get(block.blockNumber())
            if role is not None:
                height = self.fontMetrics().height()
                painter.drawText(
                    QRectF(0, top, gutter.width() - _GAP_PX, height),
                    Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                    role,
                )
            block = block.next()

    def _dim(self) -> None:
        """Draw the messages of earlier turns, or all of them, in the muted colour."""
        start, end = (0, len(self._layout.text)) if self._is_dimmed else self._layout.earlier
        if start == end:
            self.setExtraSelections([])
            return
        dimmed: ExtraSelection = QTextEdit.ExtraSelection()
        dimmed.cursor = QTextCursor(self.document())
        last = self.document().characterCount() - 1
        dimmed.cursor.setPosition(min(start, last))
        dimmed.cursor.setPosition(min(end, last), QTextCursor.MoveMode.KeepAnchor)
        dimmed.format.setForeground(self._theme.muted)
        self.setExtraSelections([dimmed])

    def _role_font(self) -> QFont:
        return themes.scaled_font(self.font(), 0.9)

    def _set_gutter_width(self) -> None:
        metrics = self.fontMetrics()
        self._is_narrow = (
            self.contentsRect().width() < _NARROW_CHARACTERS * metrics.averageCharWidth()
        )
        width = max(metrics.horizontalAdvance(role) for role in _ROLES) + 2 * _GAP_PX
        if not self._messages:
            self.setViewportMargins(0, 0, 0, 0)
        elif self._is_narrow:
            self.setViewportMargins(0, metrics.height(), 0, 0)
        else:
            self.setViewportMargins(width, 0, 0, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        rect = self.contentsRect()
        margins = self.viewportMargins()
        inset = round(self.document().documentMargin())
        if self._is_narrow:
            self._gutter.setGeometry(
                rect.left() + inset, rect.top(), rect.width() - inset, margins.top()
            )
        else:
            self._gutter.setGeometry(rect.left(), rect.top(), margins.left(), rect.height())

    def _on_update_request(self, rect: QRect, dy: int) -> None:
        if self._is_narrow:
            self._gutter.update()
        elif dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def _paint_spans(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(_DIMMED_OPACITY if self._is_dimmed else 1.0)
        bottom = self.viewport().height()
        block = self.firstVisibleBlock()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if box.top() > bottom:
                break
            if block.blockNumber() in self._layout.breaks:
                self._paint_break(painter, block.blockNumber(), box)
            self._paint_block(painter, block, box, bottom)
            block = block.next()

    def _paint_break(self, painter: QPainter, number: int, box: QRectF) -> None:
        """Draw a line between two messages; say which turns follow, and who where it is narrow."""
        left, y = box.left() + self.document().documentMargin(), box.center().y()
        role = self._layout.roles.get(number + 1, "") if self._is_narrow else ""
        said = " · ".join(part for part in (self._layout.breaks[number], role) if part)
        if said:
            painter.setFont(self._role_font())
            painter.setPen(self._theme.muted)
            painter.drawText(
                QRectF(left, box.top(), box.width(), box.height()),
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
                said,
            )
            left += painter.fontMetrics().horizontalAdvance(said) + _GAP_PX
        painter.setPen(self._theme.line)
        painter.drawLine(QPointF(left, y), QPointF(self.viewport().width(), y))

    def _paint_block(self, painter: QPainter, block: QTextBlock, box: QRectF, bottom: int) -> None:
        first, last = block.position(), block.position() + block.length() - 1
        layout = block.layout()
        # A chunk may have thousands of lines above the first in sight.
        seen = 0
        if box.top() < 0:
            tops = range(layout.lineCount())
            seen = bisect_right(tops, -box.top(), key=lambda number: layout.lineAt(number).y()) - 1
        for span in self._layout.spans[max(0, self._layout.span_from(first)) :]:
            if span.start >= last:
                break
            start, end = max(span.start, first) - first, min(span.end, last) - first
            if start >= end:
                continue
            tint = self._theme.tint(span.chunk)
            painter.setBrush(tint)
            painter.setPen(
                self._theme.accent if span.id == self._current and span.id else Qt.PenStyle.NoPen
            )
            first_line = layout.lineForTextPosition(start).lineNumber()
            for number in range(max(first_line, seen), layout.lineCount()):
                line = layout.lineAt(number)
                top = box.top() + line.y()
                if line.textStart() >= end or top > bottom:
                    break
                left = _x(line, max(start, line.textStart()))
                right = _x(line, min(end, line.textStart() + line.textLength()))
                painter.drawRoundedRect(
                    QRectF(
                        box.left() + min(left, right) - 1, top, abs(right - left) + 2, line.height()
                    ),
                    3,
                    3,
                )

    def _emit_at(self, position: int) -> bool:
        span = self._layout.span_at(position)
        if span is not None and span.id:
            self.chunk_clicked.emit(span.id)
        return span is not None

    def _span_under(self, place: QPoint) -> Tinted | None:
        cursor = self.cursorForPosition(place)
        span = self._layout.span_at(cursor.position())
        if span is None:
            span = self._layout.span_at(cursor.position() - 1)
        return span

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the tints, then the text on them."""
        painter = QPainter(self.viewport())
        self._paint_spans(painter)
        painter.end()
        super().paintEvent(event)
        if not self._messages:
            paint_empty_state(self, self._theme, *self._empty)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the roles beside the text."""
        super().resizeEvent(event)
        self._set_gutter_width()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show by the pointer what can be clicked."""
        super().mouseMoveEvent(event)
        over = self._span_under(event.position().toPoint()) is not None
        self.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if over else Qt.CursorShape.IBeamCursor
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Follow a click on a chunk; a drag selects text and is no click."""
        super().mouseReleaseEvent(event)
        if event.button() == Qt.MouseButton.LeftButton and not self.textCursor().hasSelection():
            span = self._span_under(event.position().toPoint())
            if span is not None:
                self._emit_at(span.start)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Follow Enter on the chunk at the cursor."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            if not self._emit_at(self.textCursor().position()):
                event.ignore()
            return
        super().keyPressEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Name the chunk under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            span = self._span_under(event.pos())
            text = f"{span.id or 'chunk'}: click to find it in the table" if span else ""
            QToolTip.showText(event.globalPos(), tooltip(text), self.viewport())
            return True
        return super().viewportEvent(event)

    def minimumSizeHint(self) -> QSize:
        """Ask for some words of some lines."""
        metrics = self.fontMetrics()
        return QSize(metrics.averageCharWidth() * 20, metrics.lineSpacing() * 3)

    def go_to_chunk(self, chunk_id: str) -> None:
        """Scroll to a chunk."""
        span = self._layout.span_of(chunk_id)
        if span is not None:
            cursor = QTextCursor(self.document())
            cursor.setPosition(span.start)
            self.setTextCursor(cursor)
            self.ensureCursorVisible()


def _x(line: QTextLine, position: int) -> float:
    found = line.cursorToX(position)
    return float(found[0]) if isinstance(found, tuple) else 0.0
