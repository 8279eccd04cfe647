"""What is edited: the parameters of the node in hand, the prompt's template, and what is wrong."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from core.agent.history import hits_of
from core.errors import InspectorError
from core.io.findings import Severity
from core.nodes import GenerateParams, kind_of
from core.nodes.generate import provided_by
from core.nodes.routes import nodes_before
from core.prompt.lint import LintProblem, lint
from core.prompt.projection import Projection, canned_messages
from inspector.drawing.words import error_text
from inspector.widgets.template_editor import TemplateDraft

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from core.agent.drafts import RefusedValue
    from core.agent.workspace import Workspace
    from core.io.findings import Finding
    from core.knowledge.schema import Field
    from core.nodes.kind import Filtered
    from core.nodes.walk import Play
    from inspector.panels.parameters_panel import ParametersPanel
    from inspector.panels.prompt_panel import PromptPanel
    from inspector.session.session import Session
    from inspector.session.shown import Shown


def wire_parameters(session: Session, parameters: ParametersPanel) -> None:
    """Connect the session with the form of the node in hand."""
    editor = session.editor

    def show_node(shown: Shown) -> None:
        node = shown.node_in_hand
        if node is not None:
            parameters.show_node(node.name, node.type, node.params, editor.baseline(node.name))

    def end_edit(param: str) -> None:
        if parameters.is_stepping(param):
            editor.end_step()
        else:
            editor.end_edit()

    for told, act in (
        (parameters.param_edited, session.edit_param),
        (parameters.param_draft_changed, session.edit_param),
        (parameters.param_edit_finished, end_edit),
        (parameters.node_picked, session.pick_node),
        (parameters.reset_requested, session.reset_node),
    ):
        told.connect(act)
    session.bind(
        (_nodes, lambda s: parameters.show_graph(_nodes(s))),
        (lambda s: (_nodes(s), _ran(s)), lambda s: parameters.show_runs(_ran(s))),
        (_schemas, lambda s: parameters.set_choices("schema", _schemas(s))),
        (lambda s: (s.node, s.outline), partial(_offer_nodes, parameters)),
        (_stores, lambda s: parameters.set_choices("storage_name", _store_names(s))),
        (lambda s: (s.node_in_hand, s.opened), show_node),
        (_filter, partial(_show_filter_status, parameters)),
        (lambda s: (s.node, s.drafts, s.checked), partial(_show_problems, parameters)),
        (_marks, lambda s: parameters.set_marks(_marks(s)[1])),
    )


def wire_prompt(session: Session, prompt: PromptPanel) -> None:
    """Connect the session with the prompt and its template."""
    editor = session.editor

    def edit(param: str, value: Any) -> None:
        node = session.shown().prompt_node
        if node is not None:
            editor.edit(node.name, param, value)

    for told, act in (
        (prompt.param_edited, edit),
        (prompt.template_edited, partial(edit, "template")),
        (prompt.param_edit_finished, lambda _param: editor.end_edit()),
    ):
        told.connect(act)
    session.bind(
        (lambda s: (s.prompt_node, s.turn, s.step, s.drafts), partial(_show_prompt, prompt)),
    )


def _show_filter_status(parameters: ParametersPanel, shown: Shown) -> None:
    filtered, opened = _filtered(shown), shown.opened
    if filtered is None or opened is None:
        return
    fields, is_fine, text = _filter_status(filtered, opened.workspace, shown.play)
    parameters.form.set_fields(fields)
    parameters.set_filter_status(is_fine, text)


def _show_problems(parameters: ParametersPanel, shown: Shown) -> None:
    """Say beside each parameter of the node in hand what is refused or wrong with it."""
    node = shown.node_in_hand
    if node is None:
        return
    standing = _standing(shown, node.name)
    for param in node.params.specs():
        draft = shown.drafts.get((node.name, param))
        problem = draft.finding if draft is not None else standing.get(param, "")
        parameters.set_param_problem(param, problem, draft)


def _standing(shown: Shown, node: str) -> dict[str, Finding]:
    """Return the first error of each parameter of a node that has one."""
    return {
        finding.place.param: finding
        for finding in reversed(shown.checked)
        if finding.severity is Severity.ERROR and finding.place.node == node
    }


def _show_prompt(prompt: PromptPanel, shown: Shown) -> None:
    node, turn = shown.prompt_node, shown.turn
    run = turn.run_of(node.name) if node is not None and turn is not None else None
    if node is not None and node.name == shown.node:
        run = shown.run
    params = node.params if node and isinstance(node.params, GenerateParams) else None
    chunks = [
        step.retrieval.hits
        for step in (turn.runs if turn is not None else ())
        if step.retrieval and step.params and kind_of(step.params).attaches_knowledge
    ]
    projection = run.projection if run else None
    if projection is None and turn is not None and turn.canned_line is not None:
        projection = Projection(canned_messages(turn.request.message, turn.canned_line), (), "")
    name = node.name if node is not None else ""
    draft = shown.drafts.get((name, "template"))
    prompt.show_projection(
        projection,
        params,
        chunks,
        name if turn is not None else "",
        _template_draft(draft, params, shown) if params is not None and draft else None,
    )
    if shown.drafts or not prompt.problem.isHidden():
        _show_prompt_problem(prompt, name, shown)


def _show_prompt_problem(prompt: PromptPanel, name: str, shown: Shown) -> None:
    """Say what the graph's file gives placement and system prompt that they do not take."""
    prompt.show_problem(
        "\n".join(
            f"{param}: {error_text(refused.finding)}"
            for param in ("system_prompt", "placement")
            if (refused := shown.drafts.get((name, param))) is not None
        )
    )


def _template_draft(draft: RefusedValue, params: GenerateParams, shown: Shown) -> TemplateDraft:
    """Return a refused template with its mistakes."""
    text = draft.value if isinstance(draft.value, str) else json.dumps(draft.value)
    nodes = shown.graph.nodes if shown.graph is not None else ()
    provided = provided_by({node.name: node.params for node in nodes})
    mistakes = [p for p in lint(text, params.placement, provided) if p.severity is Severity.ERROR]
    said = LintProblem(Severity.ERROR, 1, 1, draft.finding.message)
    return TemplateDraft(text, tuple(mistakes) or (said,))


def _schemas(shown: Shown) -> tuple[str, ...]:
    return shown.opened.workspace.schema_names if shown.opened is not None else ()


def _offer_nodes(parameters: ParametersPanel, shown: Shown) -> None:
    """Offer as `input` the nodes that can have run before the one in hand."""
    graph = shown.outline
    if graph is not None:
        params = {node.name: node.params for node in graph.nodes}
        parameters.set_choices("input", nodes_before(params, graph.start_node, shown.node))


def _stores(shown: Shown) -> object:
    """Return what names memory stores: those on disk, as far as anyone has looked, and play's."""
    on_disk = shown.opened.workspace.memories.if_scanned() if shown.opened is not None else None
    return on_disk, shown.upcoming.memory


def _store_names(shown: Shown) -> list[str]:
    on_disk = shown.opened.workspace.memories.if_scanned() if shown.opened is not None else {}
    return sorted({*on_disk, *shown.upcoming.memory})


def _ran(shown: Shown) -> dict[str, str]:
    """Return what each node that ran has found, or that it ran: of several runs each."""
    found: dict[str, list[str]] = {}
    for run in shown.turn.runs if shown.turn is not None else ():
        found.setdefault(run.name, []).append(
            str(hits_of(run)) if run.retrieval is not None else ""
        )
    return {
        name: f"{' + '.join(hits)} hit{'' if hits == ['1'] else 's'}" if hits[0] else "ran"
        for name, hits in found.items()
    }


def _nodes(shown: Shown) -> list[tuple[str, str]]:
    return [(node.name, node.type) for node in shown.outline.nodes] if shown.outline else []


def _marks(shown: Shown) -> tuple[str, Mapping[str, Sequence[float]]]:
    return shown.node, shown.listing.marks if shown.listing is not None else {}


def _filtered(shown: Shown) -> Filtered | None:
    """Return the filter of the node in hand, and what it filters; None where it has none."""
    params = shown.node_in_hand.params if shown.node_in_hand is not None else None
    return kind_of(params).filtered(params) if params is not None else None


def _filter(shown: Shown) -> object:
    """Return what the filter's status depends on: it counts records once the storage is open."""
    filtered, opened = _filtered(shown), shown.opened
    if filtered is None or opened is None:
        return None
    workspace, store = opened.workspace, filtered.store.strip()
    # Of a schema that the catalog lacks, the records tell the fields.
    held = (
        workspace.memories.held_fields(store, filtered.schema, shown.play.memory)
        if filtered.schema
        else None
    )
    return shown.node, filtered, workspace, workspace.is_open(filtered.storage), held


def _filter_status(
    filtered: Filtered, workspace: Workspace, play: Play
) -> tuple[Sequence[Field], bool | None, str | InspectorError]:
    """Return the fields that a filter can name, whether it is fine, and what to say of it."""
    text, storage, schema, store = filtered
    text = text if text.strip() else ""
    is_fine = True if text else None
    if schema is not None:
        if schema in workspace.schema_names:
            known, said = workspace.schema_fields(schema), f"checked against the schema {schema}"
        else:
            known = workspace.memories.held_fields(store.strip(), schema, play.memory)
            said = f"compiled against what the records of {store.strip()} hold"
        if known is None:
            is_fine, said = (
                None,
                "not checked yet: the schema is Unregistered and no record is read",
            )
        return known or (), is_fine, said if text else "no filter"
    fields = workspace.fields_of(storage)
    if not workspace.is_open(storage) or not (fields or text):
        return fields, None, ""
    try:
        matching, total = workspace.match_count(storage, text)
    except InspectorError as error:
        return fields, False, error
    said = "compiled" if text else "no filter"
    return fields, is_fine, f"{said} · {matching:,} of {total:,} records match"
