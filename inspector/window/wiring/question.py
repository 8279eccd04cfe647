"""The question, how long its search took, and what else a turn starts from than the graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer

from core.nodes import kind_of
from core.nodes.references import variables_used
from inspector.models.exits_model import SimulatedExit
from inspector.session.asking import Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.agent.description import GraphDescription
    from core.nodes import NodeParams
    from inspector.panels.parameters_panel import ParametersPanel
    from inspector.panels.play_panel import PlayPanel
    from inspector.panels.query_bar import QueryBar
    from inspector.session.session import Session
    from inspector.session.shown import Shown

LIVE_DELAY_MS = 150


def wire_question(session: Session, query: QueryBar) -> None:
    """Connect the session with the query bar."""
    live = QTimer(query, singleShot=True, interval=LIVE_DELAY_MS)
    live.timeout.connect(lambda: session.run(query.edit.text(), live=True))

    def on_edited(_message: str) -> None:
        if query.live.isChecked():
            live.start()

    for overtaken in (query.run_requested, session.message_restored):
        overtaken.connect(live.stop)
    query.run_requested.connect(session.run)
    query.live.toggled.connect(partial(setattr, session.asking, "keeps_what_rests"))
    query.message_edited.connect(on_edited)
    session.message_restored.connect(query.set_message)
    session.bind((_status, lambda shown: query.status.show_state(*_status(shown))))


def _status(shown: Shown) -> tuple[str, str]:
    """Return state and text beside the question: how long the last search took."""
    if shown.is_outdated:
        return _unanswered(shown)
    if shown.looked_at is not None:
        return "off", "An earlier turn"
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


def _unanswered(shown: Shown) -> tuple[str, str]:
    """Say that what is asked has no answer, and what the results on screen are of instead."""
    state, what = {
        Standing.WAITING: ("busy", "Updating…" if shown.turn is not None else "Searching…"),
        Standing.CANCELLED: ("warning", "Cancelled"),
    }.get(shown.standing, ("error", "Failed"))
    if shown.turn is None:
        return state, what
    is_same = shown.turn.request.message == shown.message
    before = "with the settings before" if is_same else "of the question before"
    return state, f"{what} the results are {before}" if state == "busy" else (
        f"{what}: the results are {before}"
    )


def wire_play(session: Session, play: PlayPanel, parameters: ParametersPanel) -> None:
    """Connect the session with the panels that show and change what a turn starts from."""
    inputs = session.inputs

    def on_reply(text: str) -> None:
        node = session.shown().replying_node
        if node:
            inputs.set_reply(node, text)

    for told, act in (
        (play.variables.variable_edited, inputs.set_variable),
        (play.exits.exit_picked, inputs.set_exit),
        (play.dialog.dialog_kept_changed, inputs.keep_dialog),
        (play.dialog.dialog_edited, inputs.set_dialog),
        (play.dialog.reply_edited, on_reply),
        (play.exits.node_activated, session.pick_node),
        (parameters.exit_picked, inputs.set_exit),
        (parameters.reply_edited, inputs.set_reply),
    ):
        told.connect(act)
    session.bind(
        (
            lambda s: (s.outline, s.variables),
            lambda s: play.show_variables(s.variables, variables_used(_params(s.outline))),
        ),
        (lambda s: (s.outline, s.exits), lambda s: play.show_exits(_exits(s))),
        (_dialog, lambda s: play.show_dialog(**_dialog(s))),
        (
            lambda s: (s.outline, s.node, s.exits, s.replies),
            lambda s: _show_simulated(parameters, s),
        ),
    )


def _exits(shown: Shown) -> list[SimulatedExit]:
    return [
        SimulatedExit(
            name,
            table.node_type,
            tuple(table.exits()),
            shown.exits.get(name, simulated.exit),
        )
        for name, table in _params(shown.outline).items()
        if (simulated := kind_of(table).simulated)
    ]


def _show_simulated(parameters: ParametersPanel, shown: Shown) -> None:
    node = shown.node_in_hand
    simulated = kind_of(node.params).simulated if node is not None else None
    if node is None or simulated is None:
        return
    parameters.simulated.show_exit(shown.exits.get(node.name, simulated.exit))
    labels = simulated.labels(node.params) if simulated.labels is not None else ()
    # Without a choice the turn takes the first.
    parameters.simulated.show_label(shown.replies.get(node.name) or next(iter(labels), ""), labels)


def misses_variable(shown: Shown) -> bool:
    """Tell whether the graph reads a variable that has no value."""
    return not variables_used(_params(shown.outline)).keys() <= shown.variables.keys()


def _dialog(shown: Shown) -> dict[str, Any]:
    node, turn = shown.replying_node, shown.turn
    return {
        "lines": shown.play.dialog,
        "kept": shown.keeps_dialog,
        "reply": shown.replies.get(node, ""),
        "replies_to": turn.request.message if turn is not None and node else "",
    }


def _params(graph: GraphDescription | None) -> Mapping[str, NodeParams]:
    return {node.name: node.params for node in graph.nodes} if graph is not None else {}
