"""Carries what the session holds to the panels, and what the panels ask for to the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer

from core.errors import InspectorError
from core.io.findings import Severity
from core.nodes import (
    ClassifyIntentParams,
    GenerateParams,
    KnowledgeSourceKind,
    RetrieveParams,
    kind_of,
)
from core.prompt.projection import Projection, canned_messages
from core.subgraph.listing import SubgraphListing

if TYPE_CHECKING:
    from core.agent.description import Node
    from core.agent.turn import NodeRun, Turn
    from core.hits.hit import Hit
    from core.hits.listing import Listing
    from inspector.session.session import Session
    from inspector.window.panel_set import PanelSet

LIVE_DELAY_MS = 150


class Wiring(QObject):
    """Connects one session with one set of panels; holds no state of its own but the timer."""

    def __init__(self, session: Session, panels: PanelSet, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._panels = panels
        self._live = QTimer(self)
        self._live.setSingleShot(True)
        self._live.setInterval(LIVE_DELAY_MS)
        self._live.timeout.connect(lambda: session.run(panels.query.message(), live=True))
        self._connect_session()
        self._connect_panels()

    def _connect_session(self) -> None:
        session = self._session
        session.opened.connect(self._on_opened)
        session.editor.edited.connect(self._show_node)
        session.node_changed.connect(self._on_node_changed)
        session.turn_changed.connect(self._on_turn_changed)
        session.editor.refused.connect(self._on_param_refused)
        session.history_changed.connect(self._show_history)
        session.findings_changed.connect(self._show_findings)
        session.outdated_changed.connect(self._on_outdated)
        session.message_restored.connect(self._on_message_restored)

    def _connect_panels(self) -> None:
        panels, session = self._panels, self._session
        panels.query.run_requested.connect(self._on_run)
        panels.query.message_edited.connect(self._on_message_edited)
        panels.parameters.param_edited.connect(session.edit_param)
        panels.parameters.param_edit_finished.connect(lambda _param: session.editor.end_edit())
        panels.parameters.node_picked.connect(session.pick_node)
        panels.parameters.reset_requested.connect(lambda: session.editor.reset(session.node))
        panels.distances.threshold_dragged.connect(
            lambda value: session.edit_param("threshold", value)
        )
        panels.distances.threshold_drag_finished.connect(lambda _value: session.editor.end_edit())
        panels.distances.record_clicked.connect(panels.hits.select_record)
        panels.funnel.stage_clicked.connect(panels.hits.set_reason_filter)
        panels.hits.reason_filter_changed.connect(panels.funnel.set_reason_filter)
        panels.hits.row_selected.connect(self._on_row_selected)
        panels.subgraph.node_selected.connect(panels.hits.select_record)
        panels.graph.node_activated.connect(session.pick_node)
        panels.turns.turn_picked.connect(session.pick_turn)
        panels.prompt.param_edited.connect(self._on_prompt_edited)
        panels.prompt.template_edited.connect(lambda text: self._on_prompt_edited("template", text))
        panels.prompt.param_edit_finished.connect(lambda _param: session.editor.end_edit())
        panels.prompt.chunk_clicked.connect(panels.hits.select_id)

    # From the panels

    def _on_run(self, message: str) -> None:
        self._live.stop()
        self._session.run(message)

    def _on_message_edited(self, _message: str) -> None:
        if self._panels.query.is_live():
            self._live.start()

    def _on_row_selected(self, hit: Hit | None) -> None:
        listing = self._listing_in_hand()
        panels = self._panels
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
            known_fields=listing.known_fields,
        )
        panels.prompt.select_chunk(hit.id)

    def _on_prompt_edited(self, param: str, value: Any) -> None:
        node = self._generate_node()
        if node is not None:
            self._session.editor.edit(node.name, param, value)

    # From the session

    def _on_opened(self) -> None:
        session, panels = self._session, self._panels
        if session.graph is None or session.current is None:
            return
        nodes = [(node.name, node.type) for node in session.graph.nodes]
        panels.parameters.show_graph(nodes)
        panels.graph.show_graph(session.graph)
        panels.workspace.show_workspace(
            session.current.path, session.current.workspace, session.neighbours
        )
        panels.parameters.set_choices("schema", session.current.workspace.schema_names)
        self._on_turn_changed(session.turn)

    def _on_node_changed(self, name: str) -> None:
        self._panels.graph.set_current_node(name)
        self._show_node()
        self._show_schema_problem()
        self._show_turn_of_node()

    def _show_node(self) -> None:
        session = self._session
        if session.graph is None:
            return
        node = session.graph.node(session.node)
        self._panels.parameters.show_node(
            node.name, node.type, node.params, session.editor.baseline(node.name)
        )
        self._show_filter_status(node)
        self._show_prompt()

    def _show_filter_status(self, node: Node) -> None:
        current = self._session.current
        if current is None or not isinstance(node.params, RetrieveParams | ClassifyIntentParams):
            return
        workspace, storage = current.workspace, node.params.embedded_string_storage
        parameters = self._panels.parameters
        if getattr(node.params, "source_kind", None) is KnowledgeSourceKind.FromName:
            schema = getattr(node.params, "schema", "")
            is_known = schema in workspace.schema_names
            parameters.set_filter_fields(
                (workspace.schema_fields(schema) or ()) if is_known else ()
            )
            parameters.set_filter_status(
                True if node.params.filter else None,
                f"checked against the schema {schema}" if node.params.filter else "no filter",
            )
            return
        fields = workspace.fields_of(storage)
        parameters.set_filter_fields(fields)
        if not workspace.is_open(storage) or not (fields or node.params.filter):
            parameters.set_filter_status(None, "")
            return
        try:
            matching, total = workspace.match_count(storage, node.params.filter)
        except InspectorError as error:
            parameters.set_filter_status(False, error)
            return
        said = "compiled" if node.params.filter else "no filter"
        parameters.set_filter_status(
            True if node.params.filter else None,
            f"{said} · {matching:,} of {total:,} records match",
        )

    def _on_param_refused(self, node: str, param: str, error: InspectorError) -> None:
        if node != self._session.node:
            return
        if param == "filter":
            self._panels.parameters.set_filter_status(False, error)
        else:
            self._panels.parameters.set_param_problem(param, error)

    def _on_turn_changed(self, turn: Turn | None) -> None:
        self._panels.graph.show_turn(turn)
        self._panels.diagnostics.show_turn(turn)
        self._show_turn_of_node()
        self._show_prompt()
        self.show_status()

    def _on_message_restored(self, message: str) -> None:
        self._live.stop()
        self._panels.query.set_message(message)

    def _on_outdated(self, outdated: bool) -> None:
        if outdated:
            self._panels.query.set_status(
                "busy", "Updating… the results are of the question before"
            )
        else:
            self.show_status()

    def show_status(self) -> None:
        """Say beside the question how long the last search took."""
        listing, turn = self._listing_in_hand(), self._session.turn
        if turn is not None and turn.recorded:
            self._panels.query.set_status("off", "Recorded elsewhere")
            return
        if listing is None:
            self._panels.query.set_status("off", "Ready" if self._session.graph else "")
            return
        took = listing.timing
        parts = [f"embed {took.embed_ms:.0f} ms"] if took.embed_ms is not None else []
        parts.append(f"search {took.search_ms:.1f} ms")
        if took.exact_scan:
            parts.append("exact scan")
        self._panels.query.set_status("ready", " · ".join(parts))

    def _run_in_hand(self) -> NodeRun | None:
        turn = self._session.turn
        return turn.run_of(self._session.node) if turn is not None else None

    def _listing_in_hand(self) -> Listing | None:
        run = self._run_in_hand()
        return run.retrieval.listing if run is not None and run.retrieval is not None else None

    def _show_turn_of_node(self) -> None:
        run = self._run_in_hand()
        retrieval = run.retrieval if run is not None else None
        listing = self._listing_in_hand()
        panels = self._panels
        panels.funnel.show_counts(retrieval)
        panels.hits.set_empty_text(*self._empty_text())
        panels.subgraph.set_empty_text(*self._empty_text())
        panels.subgraph.show_result(listing if isinstance(listing, SubgraphListing) else None)
        panels.hits.show_selection(listing)
        if retrieval is None:
            panels.distances.show_selection(None)
        else:
            panels.distances.show_selection(retrieval.selection, retrieval.no_distances)
            if isinstance(retrieval.params, RetrieveParams | ClassifyIntentParams):
                panels.distances.set_threshold(retrieval.params.threshold)
        panels.parameters.set_marks(listing.marks if listing is not None else {})

    def _empty_text(self) -> tuple[str, str]:
        session = self._session
        if session.graph is None:
            return "Nothing is open", "Open a graph or a knowledge file, or drop one here"
        if session.turn is None:
            return "Ask what a player would ask", "Type a question above and press Enter"
        run = self._run_in_hand()
        error = session.turn.error
        if run is None and error is not None and error.place.node == session.node:
            return f"{session.node} could not run", error.message
        if run is None:
            return f"This turn did not reach {session.node}", "See its path in Graph"
        if run.retrieval is None:
            return f"{session.node} searches nothing", "Pick a Retrieve node at the right"
        if not run.retrieval.query:
            return "There was nothing to search with", "The resolved text is empty: not_found"
        return run.retrieval.nothing_found

    def _generate_node(self) -> Node | None:
        """Return the Generate node whose prompt is shown: the last that ran, else the first."""
        session = self._session
        if session.graph is None:
            return None
        if isinstance(session.graph.node(session.node).params, GenerateParams):
            return session.graph.node(session.node)
        ran = [run.name for run in session.turn.runs if run.projection] if session.turn else []
        if ran:
            return session.graph.node(ran[-1])
        return next(
            (node for node in session.graph.nodes if isinstance(node.params, GenerateParams)), None
        )

    def _show_prompt(self) -> None:
        node = self._generate_node()
        run = self._session.turn.run_of(node.name) if node and self._session.turn else None
        params = node.params if node and isinstance(node.params, GenerateParams) else None
        turn = self._session.turn
        chunks = (
            [
                step.retrieval.hits
                for step in turn.runs
                if step.retrieval and step.params and kind_of(step.params).attaches_knowledge
            ]
            if turn
            else []
        )
        projection = run.projection if run else None
        if projection is None and turn is not None and turn.canned_line is not None:
            projection = Projection(canned_messages(turn.request.message, turn.canned_line), (), "")
        missed = node.name if node is not None and turn is not None else ""
        self._panels.prompt.show_projection(projection, params, chunks, missed)

    def _show_findings(self) -> None:
        current = self._session.current
        files = len(current.workspace.files()) + 1 if current is not None else 0
        self._panels.problems.show_findings(self._session.findings, files)
        self._show_schema_problem()

    def _show_schema_problem(self) -> None:
        """Say beside the schema of the node in hand what was found wrong with it."""
        for finding in self._session.findings:
            if (
                finding.severity is Severity.ERROR
                and finding.place.param == "schema"
                and finding.place.node == self._session.node
            ):
                self._panels.parameters.set_param_problem(
                    "schema", f"{int(finding.code)} {finding.message}"
                )
                return

    def _show_history(self) -> None:
        self._panels.turns.show_turns(
            [entry.turn for entry in self._session.history],
            self._session.history_index,
            [entry.when for entry in self._session.history],
        )
