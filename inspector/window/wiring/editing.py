"""What is edited: the parameters of the node in hand, the prompt's template, and what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from core.errors import InspectorError
from core.io.findings import Severity
from core.nodes import GenerateParams, KnowledgeSourceKind, kind_of
from core.prompt.projection import Projection, canned_messages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.agent.description import Node
    from core.agent.workspace import Workspace
    from core.knowledge.schema import Field
    from inspector.panels.parameters_panel import ParametersPanel
    from inspector.panels.problems_panel import ProblemsPanel
    from inspector.panels.prompt_panel import PromptPanel
    from inspector.panels.workspace_panel import WorkspacePanel
    from inspector.session.session import Session
    from inspector.session.shown import Shown
    from inspector.window.showing import Showing

_FILTER = frozenset({"filter", "embedded_string_storage"})


class EditingWiring(QObject):
    """Connects the session with the panels that show and change the open graph."""

    def __init__(
        self,
        session: Session,
        showing: Showing,
        parameters: ParametersPanel,
        prompt: PromptPanel,
        workspace: WorkspacePanel,
        problems: ProblemsPanel,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._parameters = parameters
        self._prompt = prompt
        self._workspace = workspace
        self._problems = problems
        showing.bind(lambda s: s.opened, self._show_opened)
        showing.bind(_nodes, lambda s: parameters.show_graph(_nodes(s)))
        showing.bind(_params, self._show_node)
        showing.bind(_filter, self._show_filter_status)
        showing.bind(lambda s: (s.node, s.findings), self._show_schema_problem)
        showing.bind(_marks, lambda s: parameters.set_marks(_marks(s)[1]))
        showing.bind(lambda s: (s.prompt_node, s.turn), self._show_prompt)
        showing.bind(lambda s: (s.opened, s.findings), self._show_findings)
        self._connect()

    def _connect(self) -> None:
        session, editor = self._session, self._session.editor
        parameters, prompt = self._parameters, self._prompt
        parameters.param_edited.connect(session.edit_param)
        parameters.param_edit_finished.connect(lambda _param: editor.end_edit())
        parameters.node_picked.connect(session.pick_node)
        parameters.reset_requested.connect(session.reset_node)
        prompt.param_edited.connect(self._on_prompt_edited)
        prompt.template_edited.connect(lambda text: self._on_prompt_edited("template", text))
        prompt.param_edit_finished.connect(lambda _param: editor.end_edit())
        editor.refused.connect(self._on_refused)
        editor.confirmed.connect(self._on_confirmed)

    # From the panels

    def _on_prompt_edited(self, param: str, value: Any) -> None:
        node = self._session.shown().prompt_node
        if node is not None:
            self._session.editor.edit(node.name, param, value)

    # From the session

    def _on_refused(self, node: str, param: str, error: InspectorError) -> None:
        if node != self._session.node:
            return
        if param == "filter":
            self._parameters.set_filter_status(False, error)
        else:
            self._parameters.set_param_problem(param, error)

    def _on_confirmed(self) -> None:
        """Take back what was said of a value that was refused."""
        shown = self._session.shown()
        self._show_node(shown)
        self._show_filter_status(shown)
        self._show_prompt(shown)

    def _show_opened(self, shown: Shown) -> None:
        opened = shown.opened
        if opened is not None:
            self._workspace.show_workspace(opened.path, opened.workspace, self._session.neighbours)
            self._parameters.set_choices("schema", opened.workspace.schema_names)

    def _show_node(self, shown: Shown) -> None:
        node = shown.node_in_hand
        if node is not None:
            self._parameters.show_node(
                node.name, node.type, node.params, self._session.editor.baseline(node.name)
            )

    def _show_filter_status(self, shown: Shown) -> None:
        node, opened = shown.node_in_hand, shown.opened
        if node is None or opened is None or not _has_filter(node):
            return
        fields, is_fine, text = _filter_status(node.params, opened.workspace)
        self._parameters.set_filter_fields(fields)
        self._parameters.set_filter_status(is_fine, text)

    def _show_schema_problem(self, shown: Shown) -> None:
        """Say beside the schema of the node in hand what was found wrong with it."""
        for finding in shown.findings:
            if (
                finding.severity is Severity.ERROR
                and finding.place.param == "schema"
                and finding.place.node == shown.node
            ):
                self._parameters.set_param_problem(
                    "schema", f"{int(finding.code)} {finding.message}"
                )
                return

    def _show_findings(self, shown: Shown) -> None:
        files = len(shown.opened.workspace.files()) + 1 if shown.opened is not None else 0
        self._problems.show_findings(shown.findings, files)

    def _show_prompt(self, shown: Shown) -> None:
        node, turn = shown.prompt_node, shown.turn
        run = turn.run_of(node.name) if node is not None and turn is not None else None
        params = node.params if node and isinstance(node.params, GenerateParams) else None
        chunks = [
            step.retrieval.hits
            for step in (turn.runs if turn is not None else ())
            if step.retrieval and step.params and kind_of(step.params).attaches_knowledge
        ]
        projection = run.projection if run else None
        if projection is None and turn is not None and turn.canned_line is not None:
            projection = Projection(canned_messages(turn.request.message, turn.canned_line), (), "")
        missed = node.name if node is not None and turn is not None else ""
        self._prompt.show_projection(projection, params, chunks, missed)


def _nodes(shown: Shown) -> list[tuple[str, str]]:
    return [(node.name, node.type) for node in shown.outline.nodes] if shown.outline else []


def _params(shown: Shown) -> object:
    """Return what the form shows, and of which file it is."""
    return shown.node_in_hand, shown.opened


def _marks(shown: Shown) -> tuple[str, Mapping[str, Sequence[float]]]:
    return shown.node, shown.listing.marks if shown.listing is not None else {}


def _has_filter(node: Node) -> bool:
    return node.params.specs().keys() >= _FILTER


def _filter(shown: Shown) -> object:
    """Return what the filter's status depends on: it counts records once the storage is open."""
    node, opened = shown.node_in_hand, shown.opened
    if node is None or opened is None or not _has_filter(node):
        return None
    params: Any = node.params
    return (
        node.name,
        opened.workspace,
        params.filter,
        getattr(params, "source_kind", None),
        getattr(params, "schema", ""),
        params.embedded_string_storage,
        opened.workspace.is_open(params.embedded_string_storage),
    )


def _filter_status(
    params: Any, workspace: Workspace
) -> tuple[Sequence[Field], bool | None, str | InspectorError]:
    """Return the fields that a filter can name, whether it is fine, and what to say of it."""
    is_fine = True if params.filter else None
    if getattr(params, "source_kind", None) is KnowledgeSourceKind.FromName:
        known = (
            workspace.schema_fields(params.schema)
            if params.schema in workspace.schema_names
            else ()
        )
        said = f"checked against the schema {params.schema}" if params.filter else "no filter"
        return known or (), is_fine, said
    storage = params.embedded_string_storage
    fields = workspace.fields_of(storage)
    if not workspace.is_open(storage) or not (fields or params.filter):
        return fields, None, ""
    try:
        matching, total = workspace.match_count(storage, params.filter)
    except InspectorError as error:
        return fields, False, error
    said = "compiled" if params.filter else "no filter"
    return fields, is_fine, f"{said} · {matching:,} of {total:,} records match"
