"""The question: asked with Enter, or while it is typed, and how long its search took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from inspector.panels.query_bar import QueryBar
    from inspector.session.session import Session
    from inspector.session.shown import Shown
    from inspector.window.showing import Showing

LIVE_DELAY_MS = 150


class QuestionWiring(QObject):
    """Connects the session with the query bar."""

    def __init__(
        self, session: Session, showing: Showing, query: QueryBar, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._query = query
        self._live = QTimer(self)
        self._live.setSingleShot(True)
        self._live.setInterval(LIVE_DELAY_MS)
        self._live.timeout.connect(lambda: session.run(query.message(), live=True))
        query.run_requested.connect(self._on_run)
        query.message_edited.connect(self._on_message_edited)
        session.message_restored.connect(self._on_message_restored)
        showing.bind(_status, lambda shown: query.set_status(*_status(shown)))

    def _on_run(self, message: str) -> None:
        self._live.stop()
        self._session.run(message)

    def _on_message_edited(self, _message: str) -> None:
        if self._query.is_live():
            self._live.start()

    def _on_message_restored(self, message: str) -> None:
        self._live.stop()
        self._query.set_message(message)


def _status(shown: Shown) -> tuple[str, str]:
    """Return state and text beside the question: how long the last search took."""
    if shown.is_outdated:
        return "busy", "Updating… the results are of the question before"
    if shown.turn is not None and shown.turn.recorded:
        return "off", "Recorded elsewhere"
    if shown.listing is None:
        return "off", "Ready" if shown.graph else ""
    took = shown.listing.timing
    parts = [f"embed {took.embed_ms:.0f} ms"] if took.embed_ms is not None else []
    parts.append(f"search {took.search_ms:.1f} ms")
    if took.exact_scan:
        parts.append("exact scan")
    return "ready", " · ".join(parts)
