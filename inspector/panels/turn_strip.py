"""What must be known of the turn on screen before its numbers are read."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from inspector.drawing.words import tooltip
from inspector.widgets.labels import WrapLabel, set_role
from inspector.widgets.parts import button, named, packed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Action = tuple[str, str, Callable[[], object]]

_MOST_ACTIONS = 2


class TurnStrip(QFrame):
    """One line above the results; hidden while they are those of what is asked now."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "turnStrip", "The turn on screen")
        self._acts: Sequence[Action] = ()
        self._label = named(WrapLabel(most_lines=2), "turnStripText")
        self._buttons = [
            button(QPushButton(), f"turnStripAction{number}", "", "", partial(self._act, number))
            for number in range(_MOST_ACTIONS)
        ]
        packed(
            QHBoxLayout(self), (self._label, 1), *self._buttons, margins=(10, 4, 8, 4), spacing=8
        )
        self.hide()

    @property
    def text(self) -> str:
        """What is said, "" while nothing is."""
        return "" if self.isHidden() else self._label.text()

    def say(self, severity: str, text: str, acts: Sequence[Action] = ()) -> None:
        """Say something of the turn on screen, or nothing with "".

        Parameters
        ----------
        severity : ``error``, ``warning`` or ``info``.
        acts : two at most, as (label, what it does in a sentence, what to call).
        """
        self.setVisible(bool(text))
        if not text:
            return
        set_role(self, "severity", severity)
        self._label.set_text(text)
        self._label.setAccessibleName(text)
        self._acts = acts
        for number, widget in enumerate(self._buttons):
            widget.setVisible(number < len(acts))
            if number < len(acts):
                label, tip, _ = acts[number]
                widget.setText(label)
                widget.setAccessibleName(label)
                widget.setToolTip(tooltip(tip))

    def _act(self, number: int, *_: object) -> None:
        self._acts[number][2]()
