"""The turns so far, and what must be known of the one on screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from core.agent.changes import changes
from core.agent.history import TurnSummary
from core.nodes.walk import TurnRequest
from inspector.session.asking import Standing

if TYPE_CHECKING:
    from core.agent.history import HistoryEntry
    from inspector.panels.message_bar import MessageBar
    from inspector.panels.turn_strip import TurnStrip
    from inspector.panels.turns_panel import TurnsPanel
    from inspector.session.remembering import Remembering
    from inspector.session.session import Session
    from inspector.session.shown import Shown

_MOST_CHANGES = 6
_PAUSE_MS = 150
_GIVEN_UP = {
    Standing.CANCELLED: "Cancelled. The results are still those of",
    Standing.FAILED: "What is asked has no answer. The results are still those of",
}
_SHOWN_CHARACTERS = 60


def wire_history(
    session: Session,
    remembering: Remembering,
    turns: TurnsPanel,
    strip: TurnStrip,
    bar: MessageBar,
) -> None:
    """Connect the session with the list of turns, and with the strip above the results."""

    def use_settings(index: int) -> None:
        session.pick_turn(index)
        remembering.use_settings()

    def delete(index: int) -> None:
        said = shortened(session.history[index].turn.request.message)
        put_back = remembering.remove(index)
        if put_back is not None:
            bar.post("info", f"Deleted the turn “{said}”", actions=[("Undo", put_back)])

    def show_strip(shown: Shown) -> None:
        entry, turn = shown.looked_at, shown.turn
        if turn is not None and shown.standing in _GIVEN_UP:
            text = f"{_GIVEN_UP[shown.standing]} “{shortened(turn.request.message)}”"
            strip.say("warning", f"{text} · {TurnSummary.of(turn).settings}")
            return
        if entry is None:
            strip.say("info", "")
            return
        differing = _differing(shown, entry)
        back = (
            "Back to the newest",
            "Show the newest turn again",
            lambda: session.pick_turn(len(session.history) - 1),
        )
        use = (
            "Use these settings",
            "Put the settings of this turn in force, as one step to undo",
            remembering.use_settings,
        )
        strip.say("info", _looked_at(differing), (use, back) if differing else (back,))

    def show_turns(shown: Shown) -> None:
        if len(shown.history) == turns.model.rowCount() and _is_moving(shown):
            moving.start()
            return
        moving.stop()
        turns.show_turns(shown.history, shown.place)

    # What a dragged slider does to the newest line is told when it pauses.
    moving = QTimer(turns, singleShot=True, interval=_PAUSE_MS)
    moving.timeout.connect(lambda: turns.show_turns(session.history, session.asking.history.index))
    for told, act in (
        (turns.turn_picked, session.pick_turn),
        (turns.turn_renamed, session.asking.rename),
        (turns.turn_pinned, session.asking.pin),
        (turns.turn_deleted, delete),
        (turns.settings_wanted, use_settings),
    ):
        told.connect(act)
    session.bind(
        (_read_by_list, show_turns),
        (_read_by_strip, show_strip),
    )


def shortened(message: str) -> str:
    """Return the beginning of a message, on one line."""
    line = " ".join(message.split())
    return line if len(line) <= _SHOWN_CHARACTERS else f"{line[:_SHOWN_CHARACTERS]}…"


def _read_by_list(shown: Shown) -> object:
    return shown.history, shown.place


def _is_moving(shown: Shown) -> bool:
    return 0 <= shown.place == len(shown.history) - 1 and shown.history[-1].is_open


def _read_by_strip(shown: Shown) -> object:
    entry = shown.looked_at
    if shown.standing in _GIVEN_UP:
        return shown.standing, shown.turn
    return None if entry is None else (entry, shown.graph, shown.variables, shown.exits)


def _differing(shown: Shown, entry: HistoryEntry) -> tuple[str, ...]:
    """Return what was set otherwise in an earlier turn, as what it was → what it is now."""
    if shown.graph is None or entry.turn.recorded:
        return ()
    in_force = TurnRequest(
        message="",
        params={node.name: node.params for node in shown.graph.nodes},
        start_node=shown.graph.start_node,
        exits=shown.exits,
        variables=shown.variables,
    )
    return changes(entry.turn.request, in_force)


def _looked_at(differing: tuple[str, ...]) -> str:
    if not differing:
        return "An earlier turn, asked with the settings that are in force"
    more = len(differing) - _MOST_CHANGES
    told = ", ".join(differing[:_MOST_CHANGES]) + (f" and {more} more" if more > 0 else "")
    return f"An earlier turn. Then → now, in force: {told}"
