"""The results of the turn on screen: what was found, the path, the diagnostics, the replay."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from core.agent.history import hits_of
from core.errors import InspectorError
from core.nodes import kind_of
from core.subgraph.listing import SubgraphListing
from inspector.session.asking import Standing
from inspector.window.files import KNOWLEDGE_FILES

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from core.hits.hit import Hit
    from inspector.panels.distance_panel import DistancePanel
    from inspector.panels.hits_panel import HitsPanel
    from inspector.panels.subgraph_panel import SubgraphPanel
    from inspector.session.replaying import Replaying
    from inspector.session.session import Session
    from inspector.session.shown import Shown
    from inspector.widgets.search_strip import SearchStrip
    from inspector.window.panel_set import PanelSet

_UNANSWERED = {
    Standing.WAITING: ("Searching…", "Lexical works while a model loads or embeds"),
    Standing.CANCELLED: ("Cancelled", "Press Enter to ask again"),
    Standing.FAILED: ("There is no answer", "The message above says why"),
}


def wire_results(session: Session, panels: PanelSet) -> None:
    """Connect the session with the panels that show what a turn found."""
    session.bind(
        (_turn_of_node, lambda s: panels.funnel.show_counts(s.retrieval)),
        (_turn_of_node, partial(_show_searches, panels.searches)),
        (_turn_of_node, partial(_show_hits, panels.hits)),
        (_turn_of_node, partial(_show_distances, panels.distances)),
        (_subgraph, partial(_show_subgraph, panels.subgraph)),
        (lambda s: s.outline, lambda s: panels.graph.show_graph(s.graph)),
        (lambda s: s.node, lambda s: panels.graph.set_current_node(s.node)),
        (_path, lambda s: panels.graph.show_turn(s.turn)),
        (lambda s: s.turn, lambda s: panels.diagnostics.show_turn(s.turn)),
    )
    for told, act in (
        (panels.distances.threshold_dragged, partial(session.edit_param, "threshold")),
        (panels.distances.threshold_drag_finished, lambda _value: session.editor.end_edit()),
        (panels.distances.record_clicked, panels.hits.select_record),
        (panels.funnel.stage_clicked, panels.hits.show_stage),
        (panels.hits.stage_changed, panels.funnel.set_picked),
        (panels.hits.row_selected, partial(_show_hit, panels)),
        (panels.subgraph.node_selected, panels.hits.select_record),
        (panels.graph.node_activated, session.pick_node),
        (panels.searches.step_picked, session.pick_step),
        (panels.prompt.chunk_clicked, panels.hits.select_id),
    ):
        told.connect(act)


def wire_replay(session: Session, replaying: Replaying, panels: PanelSet, window: QWidget) -> None:
    """Connect what is replayed with its panel.

    Parameters
    ----------
    window : the parent of file dialogs.
    """
    replay = panels.replay

    def show() -> None:
        target = replaying.target
        replay.show_recorded(
            replaying.turn is not None, target.path.name if target is not None else ""
        )
        replay.show_busy(replaying.is_busy)
        replay.show_replay(replaying.result)

    def choose_target() -> None:
        name, _ = QFileDialog.getOpenFileName(
            window, "Replay against", session.folder, KNOWLEDGE_FILES
        )
        if name:
            replaying.use_target(Path(name))

    def on_record_selected(node: str, record: str) -> None:
        try:
            session.pick_node(node)
        except InspectorError:
            return
        panels.hits.select_id(record)

    replay.replay_requested.connect(replaying.replay)
    replay.target_requested.connect(choose_target)
    replay.record_selected.connect(on_record_selected)
    replaying.changed.connect(show)
    replaying.failed.connect(session.failed)


def _show_hit(panels: PanelSet, hit: Hit | None) -> None:
    """Show the record in hand everywhere."""
    listing = panels.hits.model.selection
    row = hit.row if hit is not None else None
    panels.distances.mark_record(row)
    panels.subgraph.select_node(row)
    if hit is None or listing is None:
        panels.details.show_hit(None)
        return
    panels.details.show_hit(
        hit,
        listing.metadata(hit.row),
        listing.score_lines(hit.row),
        words=listing.words,
        unread=listing.unread(hit.row),
        known_fields=listing.known_fields,
    )
    panels.prompt.select_chunk(hit.id)


def _show_searches(searches: SearchStrip, shown: Shown) -> None:
    """List the searches of the turn, and the runs of the node in hand where it ran twice."""
    runs = shown.turn.runs if shown.turn is not None else ()
    ran_again = sum(run.name == shown.node for run in runs) > 1
    listed = [
        (step, f"{run.name} {hits_of(run)}" if run.retrieval is not None else run.name)
        for step, run in enumerate(runs)
        if run.retrieval is not None or (ran_again and run.name == shown.node)
    ]
    at = next((step for step, run in enumerate(runs) if run is shown.run), -1)
    searches.show_searches(listed, at)


def _show_hits(hits: HitsPanel, shown: Shown) -> None:
    hits.set_empty_text(*_empty_text(shown))
    hits.show_selection(shown.listing)


def _show_distances(distances: DistancePanel, shown: Shown) -> None:
    selection = shown.retrieval.selection if shown.retrieval is not None else None
    distances.show_selection(selection, no_distances(shown))
    if selection is not None:
        distances.set_threshold(selection.settings.threshold)


def no_distances(shown: Shown) -> str:
    """Return why the node in hand has no distances, "" where it has some, or will have."""
    if shown.retrieval is not None:
        return shown.retrieval.no_distances
    node = shown.node_in_hand
    if node is None or kind_of(node.params).distance_threshold(node.params) is not None:
        return ""
    return f"{node.name} measures no distances"


def _show_subgraph(subgraph: SubgraphPanel, shown: Shown) -> None:
    listing = shown.listing
    subgraph.set_empty_text(*_empty_text(shown))
    subgraph.show_result(listing if isinstance(listing, SubgraphListing) else None)


def _turn_of_node(shown: Shown) -> object:
    return shown.turn, shown.node, shown.step, shown.standing if shown.turn is None else None


def _subgraph(shown: Shown) -> object:
    node = shown.node_in_hand
    if node is None or not kind_of(node.params).draws_subgraph:
        return None
    return _turn_of_node(shown)


def _path(shown: Shown) -> object:
    runs = shown.turn.runs if shown.turn is not None else ()
    return [(run.name, run.exit, run.simulated) for run in runs]


def _empty_text(shown: Shown) -> tuple[str, str]:
    turn, node = shown.turn, shown.node
    if shown.graph is None:
        return "Nothing is open", "Open a graph or a knowledge file, or drop one here"
    if turn is None and shown.is_outdated:
        return _UNANSWERED[shown.standing]
    if turn is None:
        return "Ask what a player would ask", "Type a question above and press Enter"
    error = turn.error
    if shown.run is None and error is not None and error.place.node == node:
        return f"{node} could not run", error.message
    if shown.run is None:
        return f"This turn did not reach {node}", "See its path in Graph"
    retrieval = shown.retrieval
    if retrieval is None:
        return f"{node} searches nothing", "Pick a Retrieve node at the right"
    if not retrieval.query:
        return "There was nothing to search with", "The resolved text is empty: not_found"
    return retrieval.nothing_found
