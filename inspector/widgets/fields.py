"""Fields that behave in a scrolling panel: the wheel stays the panel's, drafts stay the user's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMetaMethod, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from inspector import theme as themes
from inspector.widgets.drafts import Draft

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtGui import QFocusEvent, QPaintEvent, QWheelEvent

    from inspector.drawing.unstubbed import StyleOption

LONGEST_LINE = 2**31 - 1


def segment(text: str, name: str, tip: str) -> QPushButton:
    """Make one of a row of buttons of which one is down, wide enough for its text in bold."""
    button = QPushButton(text)
    button.setProperty("kind", "segment")
    button.setCheckable(True)
    button.setAccessibleName(name)
    button.setToolTip(tip)
    fit_segment(button)
    return button


def segments(
    owner: QWidget,
    picked: Callable[[], object],
    *labels: tuple[str, str, str, str],
) -> list[QPushButton]:
    """Make buttons of which one is down, at first the first, as (text, object name, name, tip)."""
    group = QButtonGroup(owner)
    buttons = []
    for text, object_name, name, tip in labels:
        button = segment(text, name, tip)
        button.setObjectName(object_name)
        button.clicked.connect(picked)
        group.addButton(button)
        buttons.append(button)
    buttons[0].setChecked(True)
    return buttons


def fit_segment(button: QPushButton) -> None:
    """Make a button wide enough for its text in bold, and its icon."""
    bold = QFontMetrics(themes.scaled_font(button.font(), 1.0, bold=True))
    icon = 0 if button.icon().isNull() else button.iconSize().width() + 6
    button.setMinimumWidth(bold.horizontalAdvance(button.text()) + icon + 22)


def joined(buttons: Sequence[QPushButton]) -> QHBoxLayout:
    """Put segments side by side as one control."""
    row = QHBoxLayout()
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(0)
    for number, button in enumerate(buttons):
        place = (
            "only"
            if len(buttons) == 1
            else "first"
            if number == 0
            else "last"
            if number == len(buttons) - 1
            else "middle"
        )
        button.setProperty("place", place)
        row.addWidget(button, 1)
    return row


class Choice(QComboBox):
    """A combo box that leaves the wheel to the panel unless it has the focus."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumContentsLength(6)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the choice, with "…" where it doesn't fit."""
        event.accept()
        painter = QStylePainter(self)
        option: StyleOption = QStyleOptionComboBox()
        self.initStyleOption(option)
        control = QStyle.ComplexControl.CC_ComboBox
        room = (
            self.style()
            .subControlRect(control, option, QStyle.SubControl.SC_ComboBoxEditField, self)
            .width()
        )
        if not option.currentIcon.isNull():
            room -= option.iconSize.width() + 4
        option.currentText = self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, room - 8
        )
        painter.drawComplexControl(control, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turn only with the focus."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


class LineEdit(QLineEdit):
    """One line of text, as long as one likes, whose value may be shown again while it is typed.

    Signals
    -------
    edit_finished() : Enter, or the focus left.
    cancelled() : Escape.
    """

    edit_finished = Signal()
    cancelled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaxLength(LONGEST_LINE)
        self._draft = Draft()
        self.textEdited.connect(self._draft.ask)
        self.returnPressed.connect(self.edit_finished)

    def show_text(self, text: str) -> None:
        """Show the value in force; a draft stays unless the value is a new one."""
        if self._draft.replaces(text) and text != self.text():
            self.setText(text)

    def show_draft(self, text: str) -> None:
        """Show a text that is not in force."""
        if text != self.text():
            self.setText(text)
            self._draft.ask(text)

    @property
    def has_draft(self) -> bool:
        """Whether the text is another one than the value in force."""
        return self.text() != self._draft.given

    def apply_draft(self) -> bool:
        """End the edit; False where the text is not in force even then."""
        self.edit_finished.emit()
        return not self.has_draft

    def forget_draft(self) -> None:
        """Let the next text replace what is typed: it is another parameter's, or node's."""
        self._draft.forget()

    def discard_draft(self) -> None:
        """Show the value in force in place of whatever was typed."""
        self.setText(self._draft.given)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """End the edit."""
        super().focusOutEvent(event)
        self.edit_finished.emit()

    def event(self, event: QEvent) -> bool:
        """Take Escape before the window's shortcut, where somebody wants it."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.isSignalConnected(QMetaMethod.fromSignal(self.cancelled))
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Cancel with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
            return
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # A combo box would send an Enter that is left over to its line a second time.
            event.accept()


def editable(combo: Choice, name: str) -> LineEdit:
    """Let a value be typed into a combo box that is not offered; return the line for it."""
    combo.setEditable(True)
    combo.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    line = LineEdit()
    # The frame is the combo box's; a second one inside it would cut the letters.
    line.setStyleSheet("QLineEdit { border: none; background: transparent; padding: 0 }")
    line.setAccessibleName(name)
    combo.setLineEdit(line)
    return line
