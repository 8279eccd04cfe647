"""The question: asked with Enter, or while it is typed, and how long its search took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

if TYPE_CHECKING:
    from inspector.panels.query_bar import QueryBar
    from inspector.session.session import Session
    from inspector.session.shown import Shown

LIVE_DELAY_MS = 150


def wire_question(session: Session, query: QueryBar) -> None:
    """Connect the session with the query bar."""
    live = QTimer(query)
    live.setSingleShot(True)
    live.setInterval(LIVE_DELAY_MS)
    live.timeout.connect(lambda: session.run(query.edit.text(), live=True))

    def on_edited(_message: str) -> None:
        if query.live.isChecked():
            live.start()

    for overtaken in (query.run_requested, session.message_restored):
        overtaken.connect(live.stop)
    query.run_requested.connect(session.run)
    query.message_edited.connect(on_edited)
    session.message_restored.connect(query.set_message)
    session.bind((_status, lambda shown: query.status.show_state(*_status(shown))))


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
