"""The first page: samples, recent files, and how to open one's own."""

from __future__ import annotations

from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from inspector import theme as themes
from inspector.drawing.words import tooltip
from inspector.theme import Themed
from inspector.widgets.labels import WrapLabel, heading
from inspector.widgets.parts import (
    Surface,
    button,
    named,
    packed,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from PySide6.QtGui import QPaintEvent


PROGRAM = "Retrieve turn inspector"
_PITCH = (
    "See what a player's question brings back, what almost came back and why, and what the "
    "model will read. Move a slider and everything follows."
)
_MOST_RECENT = 6
_WIDEST_PX = 720
_PAD_PX = 12
_ICON_PX = 24
_NO_QUESTIONS: Mapping[str, Sequence[str]] = MappingProxyType({})


class Sample(NamedTuple):
    """A shipped example: its title, what it shows in one line, and the file to open."""

    title: str
    description: str
    path: str


class _Card(Themed, QAbstractButton):
    """A button of two lines: a title and a description."""

    def __init__(self, title: str, description: str, icon: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._title, self._description, self._icon = title, description, icon
        # A folder is told by both of its ends, a sentence by its beginning.
        self._elide = (
            Qt.TextElideMode.ElideMiddle if icon == "file" else Qt.TextElideMode.ElideRight
        )
        self.setText(title.replace("&", "&&"))
        self.setAccessibleName(title)
        self.setAccessibleDescription(description)
        self.setToolTip(tooltip(description))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card."""
        event.accept()
        theme, painter = self._theme, QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.rect().adjusted(1, 1, -1, -1)
        lively = self.underMouse() or self.isDown()
        painter.setPen(theme.accent if self.hasFocus() or lively else theme.line)
        painter.setBrush(
            theme.accent_soft if self.isDown() else theme.hover if lively else theme.panel
        )
        painter.drawRoundedRect(box, 8, 8)
        icon_box = QRect(box.left() + _PAD_PX, box.center().y() - _ICON_PX // 2, _ICON_PX, _ICON_PX)
        themes.icon(self._icon, theme.accent).paint(painter, icon_box)
        left = icon_box.right() + _PAD_PX
        room = box.right() - left - _PAD_PX
        bold = themes.scaled_font(self.font(), 1.0, bold=True)
        painter.setFont(bold)
        painter.setPen(theme.text)
        metrics = painter.fontMetrics()
        top = box.top() + (box.height() - metrics.height() - self.fontMetrics().height()) // 2
        painter.drawText(
            left,
            top + metrics.ascent(),
            metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, room),
        )
        painter.setFont(self.font())
        painter.setPen(theme.muted)
        painter.drawText(
            left,
            top + metrics.height() + self.fontMetrics().ascent(),
            self.fontMetrics().elidedText(self._description, self._elide, room),
        )

    def sizeHint(self) -> QSize:
        """Ask for two lines."""
        return QSize(280, 2 * self.fontMetrics().height() + 2 * _PAD_PX)

    def minimumSizeHint(self) -> QSize:
        """Ask for some words."""
        return QSize(120, self.sizeHint().height())


class _Question(Themed, QAbstractButton):
    """A question to click, cut with "…" where there is no room for it."""

    def __init__(self, question: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._question = question
        named(self, "sampleQuestion", question, tooltip(f"Open the sample and ask: {question}"))
        self.setText(question.replace("&", "&&"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the question, in a frame while it has the focus or the pointer."""
        event.accept()
        theme, painter = self._theme, QPainter(self)
        box = self.rect().adjusted(1, 1, -1, -1)
        if self.hasFocus() or self.underMouse():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(theme.accent if self.hasFocus() else theme.line)
            painter.setBrush(theme.hover)
            painter.drawRoundedRect(box, 4, 4)
        painter.setPen(theme.accent)
        room = box.adjusted(_PAD_PX // 3, 0, -_PAD_PX // 3, 0)
        painter.drawText(
            room,
            int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft),
            self.fontMetrics().elidedText(
                self._question, Qt.TextElideMode.ElideRight, room.width()
            ),
        )

    def sizeHint(self) -> QSize:
        """Ask for one line."""
        return QSize(120, self.fontMetrics().height() + _PAD_PX // 2)


class WelcomePage(Themed, QScrollArea):
    """What to do first.

    Signals
    -------
    path_requested(str) : open this sample or recent file.
    question_asked(str, str) : open this sample and ask it this.
    open_requested() : ask for a file to open.
    """

    path_requested = Signal(str)
    question_asked = Signal(str, str)
    open_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.cards: list[_Card] = []
        self.setObjectName("welcomePage")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._body = self._make_body()
        self.setWidget(self._body)
        self.show_samples(())
        self.show_recent(())

    def show_samples(
        self,
        samples: Sequence[Sample | tuple[str, str, str]],
        questions: Mapping[str, Sequence[str]] = _NO_QUESTIONS,
    ) -> None:
        """Offer the shipped samples, as (title, one line, path), and questions by path."""
        cards = [("knowledge", *sample) for sample in samples]
        self._fill(self._samples, cards, questions)
        self._sample_title.setVisible(bool(cards))

    def show_recent(self, paths: Sequence[str]) -> None:
        """Offer the files that were open before, the last first."""
        cards = []
        for path in paths[:_MOST_RECENT]:
            folder, _, name = path.replace("\\", "/").rpartition("/")
            cards.append(("file", name or path, folder, path))
        self._fill(self._recent, cards)
        self._recent_title.setVisible(bool(cards))

    def _make_body(self) -> Surface:
        body = Surface()
        column = QWidget()
        column.setMaximumWidth(_WIDEST_PX)
        title = QLabel(PROGRAM)
        title.setFont(themes.scaled_font(title.font(), 1.7, bold=True))
        title.setTextFormat(Qt.TextFormat.PlainText)
        pitch = named(WrapLabel(_PITCH), role="muted")
        open_button = button(
            QPushButton("Open…"),
            "welcomeOpen",
            "Open a file",
            "Open a graph, knowledge, records, or saved diagnostics (Ctrl+O)",
            self.open_requested,
            icon=("open", "on_accent"),
            kind="primary",
        )
        hint = named(
            WrapLabel("or drop a graph, a knowledge file, records or a folder here"), role="muted"
        )
        self._sample_title, self._recent_title = heading("Samples"), heading("Recent")
        self._samples = packed(QVBoxLayout(), spacing=8)
        self._recent = packed(QVBoxLayout(), spacing=8)
        packed(
            QVBoxLayout(column),
            title,
            pitch,
            4,
            packed(QHBoxLayout(), open_button, (hint, 1), spacing=12),
            8,
            self._recent_title,
            self._recent,
            8,
            self._sample_title,
            self._samples,
            None,
            margins=(16, 20, 16, 20),
            spacing=8,
        )
        packed(QHBoxLayout(body), None, (column, 100), None)
        return body

    def _fill(
        self,
        layout: QVBoxLayout,
        cards: Sequence[tuple[str, str, str, str]],
        questions: Mapping[str, Sequence[str]] = _NO_QUESTIONS,
    ) -> None:
        while (item := layout.takeAt(0)) is not None:
            old = item.widget()
            if isinstance(old, _Card):
                self.cards.remove(old)
            if old is not None:
                old.hide()
                old.deleteLater()
        for icon, title, description, path in cards:
            card = _Card(title, description, icon, self._body)
            themes.spread(card, self._theme)
            card.clicked.connect(lambda _=False, path=path: self.path_requested.emit(path))
            self.cards.append(card)
            layout.addWidget(card)
            card.show()
            if asked := questions.get(path):
                row = self._question_row(path, asked)
                layout.addWidget(row)
                row.show()

    def _question_row(self, path: str, questions: Sequence[str]) -> QWidget:
        row = QWidget(self._body)
        buttons = []
        for question in questions:
            ask = _Question(question, row)
            ask.clicked.connect(partial(self._on_question, path, question))
            buttons.append((ask, len(question)))
        packed(QHBoxLayout(row), *buttons, margins=(2 * _PAD_PX + _ICON_PX, 0, 0, 4), spacing=8)
        themes.spread(row, self._theme)
        return row

    def _on_question(self, path: str, question: str, *_: object) -> None:
        self.question_asked.emit(path, question)
