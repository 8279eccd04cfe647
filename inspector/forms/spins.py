"""Spin boxes that let any text be typed, take what the parameter allows, and say what it refuses.

A typed number counts after Enter or a short pause, not at each key: on the way to a refused
``2.1`` stands a valid ``2`` that nobody meant. What is refused stays as it was typed, not in force.

Numbers have a decimal point, as in the files, whatever the locale; a typed comma is one too.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QLocale, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QSpinBox

from core.errors import InspectorError
from core.hits.numbers import in_full
from inspector.drawing.scales import SMALLEST_LIMIT
from inspector.theme import number_font

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QMouseEvent, QWheelEvent
    from PySide6.QtWidgets import QWidget

    from core.nodes import ParamSpec

    _Base = QAbstractSpinBox
else:
    _Base = object

_KEPT_DECIMALS = 60
"""Qt rounds a value to so many decimals: far more than any number in use has."""
_STEP_DECIMALS = 12
PAUSE_MS = 350
"""Quiet time after which a typed number counts."""

_WHOLE = re.compile(r"[+-]?\d{1,30}")
_STEPPING_KEYS = frozenset((Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown))


def read_number(text: str) -> int | float | str:
    """Read a number that a person typed, with a decimal point or comma; else the text itself."""
    cleaned = text.strip().replace(",", ".").replace("−", "-")
    if _WHOLE.fullmatch(cleaned):
        return int(cleaned)
    if "_" not in cleaned:
        with suppress(ValueError):
            return float(cleaned)
    return text.strip()


def parse_number(text: str, spec: ParamSpec) -> int | float:
    """Read a number that a person typed, as the parameter takes it.

    Raises
    ------
    InspectorError
        3007 for what is no number, or not one that the parameter takes.
    """
    checked: int | float = spec.check(read_number(text))
    return checked


class _CheckedSpin(_Base):
    """What both kinds of spin box share: everything but the number's type."""

    spec: ParamSpec
    typed: Signal
    edit_finished: Signal
    value: Callable[[], Any]
    textFromValue: Callable[[Any], str]

    def prepare(self, spec: ParamSpec) -> None:
        """Set up ranges, font and signals."""
        self.spec = spec
        self.setFont(number_font(self.font()))
        self.setLocale(QLocale.c())
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self._is_typing = False
        self._refused = ""
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._take_typed)
        self.lineEdit().textEdited.connect(self._on_text_edited)
        self.editingFinished.connect(self._on_editing_finished)
        self.editingFinished.connect(self.edit_finished)
        self.is_stepping = False

    def setValue(self, value: float) -> None:
        """Set the value; a script's refused value is reported like a typed one, not clamped."""
        refused = self.refusal(str(value))
        if refused is not None:
            self.show_draft(str(value))
            self.typed.emit(refused)
        else:
            self._refused = ""
            spin: Any = super()
            spin.setValue(self.spec.kind(value))

    def valueFromText(self, text: str) -> Any:
        """Read a text that `validate` accepted."""
        try:
            return self.spec.kind(parse_number(text, self.spec))
        except InspectorError:
            return self.value()

    def refusal(self, text: str) -> InspectorError | None:
        """Return why the parameter refuses `text`, or None when it takes it."""
        try:
            parse_number(text, self.spec)
        except InspectorError as error:
            return error
        return None

    @property
    def has_draft(self) -> bool:
        """Whether the text is another one than the value's."""
        return self.lineEdit().text() != self.textFromValue(self.value())

    def show_draft(self, text: str) -> None:
        """Show a text that is refused, unless something is being typed."""
        if not self._is_typing:
            self._refused = text
            self.lineEdit().setText(text)

    def apply_draft(self) -> bool:
        """Take what is typed for the value; False where it is refused."""
        if self.refusal(self.lineEdit().text()) is not None:
            return False
        self.interpretText()
        return True

    def discard_draft(self) -> None:
        """Show the value in place of what is half typed or refused."""
        self._pause.stop()
        self._is_typing = False
        self._refused = ""
        text = self.textFromValue(self.value())
        if self.lineEdit().text() != text:
            self.lineEdit().setText(text)

    def _on_editing_finished(self) -> None:
        self._pause.stop()
        self._is_typing = False
        if self._refused:
            # Qt has put the value in its place.
            self.lineEdit().setText(self._refused)
        else:
            self.typed.emit(None)

    def _on_text_edited(self, text: str) -> None:
        self._is_typing = True
        refused = self.refusal(text)
        self._refused = text.strip() if refused is not None else ""
        if refused is None and text.strip()[-1:] not in ".,":
            self._pause.start()
        else:
            self._pause.stop()
        self.typed.emit(refused)

    def _take_typed(self) -> None:
        self._is_typing = False
        # With tracking on, the text's own signal sets the value and leaves text and cursor alone.
        self.setKeyboardTracking(True)
        self.lineEdit().textChanged.emit(self.lineEdit().text())
        self.setKeyboardTracking(False)

    def fixup(self, text: str) -> str:
        """Leave a refused text as it is: Qt would take its commas for marks of thousands."""
        return text

    def stepBy(self, steps: int) -> None:
        """Step from the value, which takes the place of what is refused."""
        self._refused = ""
        super().stepBy(steps)

    def validate(self, text: str, pos: int) -> tuple[QValidator.State, str, int]:
        """Let everything be typed; only what the parameter takes becomes the value."""
        state = (
            QValidator.State.Acceptable
            if self.refusal(text) is None
            else QValidator.State.Intermediate
        )
        return state, text, pos

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window, unless a number is half typed."""
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (
                event.matches(QKeySequence.StandardKey.Undo)
                or event.matches(QKeySequence.StandardKey.Redo)
            )
            and not self._is_typing
        ):
            event.ignore()
            return True
        return super().event(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Note that a key that stepped was let go."""
        super().keyReleaseEvent(event)
        if event.key() in _STEPPING_KEYS and not event.isAutoRepeat():
            self.is_stepping = True
            self.edit_finished.emit()
            self.is_stepping = False

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Note that an arrow was let go."""
        super().mouseReleaseEvent(event)
        self.edit_finished.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Step only with the focus, so that scrolling the panel changes no value."""
        if not self.hasFocus():
            event.ignore()
            return
        super().wheelEvent(event)
        self.edit_finished.emit()


class WholeSpin(_CheckedSpin, QSpinBox):
    """A spin box of a whole-number parameter.

    Signals
    -------
    typed(object) : the text was edited; why it is refused (`InspectorError`), or None.
    edit_finished() : an edit is over: Enter, focus gone, key or button let go.
    """

    typed = Signal(object)
    edit_finished = Signal()

    def __init__(self, spec: ParamSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prepare(spec)
        self.setRange(
            int(spec.minimum or 0), int(spec.maximum) if spec.maximum is not None else 2**31 - 1
        )


class DecimalSpin(_CheckedSpin, QDoubleSpinBox):
    """A spin box of a decimal parameter.

    Signals
    -------
    typed(object) : the text was edited; why it is refused (`InspectorError`), or None.
    edit_finished() : an edit is over: Enter, focus gone, key or button let go.
    """

    typed = Signal(object)
    edit_finished = Signal()

    def __init__(self, spec: ParamSpec, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prepare(spec)
        self.setDecimals(_KEPT_DECIMALS)
        self.setSingleStep(0.01)
        self.setRange(spec.minimum or 0.0, spec.maximum if spec.maximum is not None else 1e9)

    def textFromValue(self, value: float) -> str:
        """Write the value in full."""
        return in_full(value) if math.isfinite(value) else ""

    def stepBy(self, steps: int) -> None:
        """Step without the noise of sums; not to a 0 that is a choice of its own."""
        if self.refusal(self.lineEdit().text()) is not None:
            return
        self.interpretText()
        value = self.value()
        low = min(SMALLEST_LIMIT, value) if self.spec.zero else self.minimum()
        target = round(value + steps * self.singleStep(), _STEP_DECIMALS)
        self.setValue(min(max(target, low), self.maximum()))
        self.selectAll()
