"""What is being worked on, how far it is, how long it will still take, and Cancel."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QSizePolicy, QWidget

from inspector.widgets.labels import ElidedLabel
from inspector.widgets.parts import (
    Surface,
    button,
    named,
    packed,
)

_STEPS = 1000
_BAR_PX = 10


def time_left(seconds: float) -> str:
    """Say a duration as roughly as it is known: ``a few seconds``, ``40 s``, ``3 min``, ``2 h``."""
    if seconds < 5:
        return "a few seconds left"
    if seconds < 90:
        return f"about {round(seconds / 5) * 5} s left"
    if seconds < 5400:
        return f"about {round(seconds / 60)} min left"
    return f"about {seconds / 3600:.1f} h left"


class ProgressStrip(Surface):
    """One line above the results; hidden while nothing takes long.

    Signals
    -------
    cancel_requested() : stop the work.
    """

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._label = named(ElidedLabel(), "progressLabel")
        self.bar = named(QProgressBar(), "progressBar", "Progress")
        self.bar.setTextVisible(False)
        self.bar.setMinimumWidth(80)
        self.bar.setMaximumHeight(_BAR_PX)
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.cancel_button = button(
            QPushButton("Cancel"),
            "cancelButton",
            "Cancel the work",
            "Stop. What is done so far is kept",
            self._on_cancel,
            icon=("stop", "text"),
        )
        # It goes when it is clicked, and the focus is to stay where the next key is meant.
        self.cancel_button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        packed(
            QHBoxLayout(self),
            (self._label, 3),
            (self.bar, 1),
            self.cancel_button,
            margins=(10, 4, 8, 4),
            spacing=8,
        )
        self.hide()

    def show_progress(
        self, what: str, done: int, total: int, eta_seconds: float | None = None
    ) -> None:
        """Show how far the work is; `total` is 0 while it is not known.

        Parameters
        ----------
        what : in words, such as ``Embedding records``.
        done, total : how much of how much.
        eta_seconds : how long it will still take, None while it cannot be told.
        """
        parts = [what]
        if total > 0:
            done = min(max(done, 0), total)
            self.bar.setRange(0, _STEPS)
            self.bar.setValue(done * _STEPS // total)
            parts.append(f"{done:,} of {total:,}")
        else:
            self.bar.setRange(0, 0)
            if done:
                parts.append(f"{done:,}")
        if eta_seconds is not None and total > 0:
            parts.append(time_left(eta_seconds))
        self._label.set_text(" · ".join(parts))
        self.bar.setAccessibleDescription(self._label.text())
        if self.isHidden():
            self.cancel_button.setEnabled(True)
            self.show()

    def finish(self) -> None:
        """Hide: the work is over."""
        self.hide()
        # An endless bar would go on animating while hidden.
        self.bar.setRange(0, _STEPS)
        self.bar.setValue(0)

    def _on_cancel(self) -> None:
        self.cancel_button.setEnabled(False)
        self.cancel_requested.emit()
