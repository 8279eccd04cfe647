"""Many changes in a row, such as a script's or a burst of keys: the last is enough to show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

AT_ONCE = 16
"""So many changes are shown one by one before the event loop comes round."""


class Flood(QObject):
    """Calls `step` for the first changes at once, and for all that follow them once at the end."""

    def __init__(self, step: Callable[[], object], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._step = step
        self._count = 0
        self._end = QTimer(self, singleShot=True, interval=0)
        self._end.timeout.connect(self._on_end)

    def rise(self) -> None:
        """Take note of a change."""
        self._count += 1
        self._end.start()
        if self._count <= AT_ONCE:
            self._step()

    def _on_end(self) -> None:
        was_flood, self._count = self._count > AT_ONCE, 0
        if was_flood:
            self._step()
