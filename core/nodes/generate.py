"""Generate: render the prompt that a language model would read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.io.findings import Severity
from core.nodes.kind import Answer, CheckedGraph, CheckedNode, NodeKind, kind_of
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, TurnState
from core.prompt.lint import Provided, lint, none_reaches, template_problem
from core.prompt.messages import Placement
from core.prompt.projection import Projection, PromptInputs, project

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.io.work import Work
    from core.nodes.walk import Storages


@dataclass(frozen=True, kw_only=True)
class GenerateParams(NodeParams):
    """Parameters of Generate: render the prompt that a language model would read."""

    model_name: str = param(
        "",
        "Language model. Empty = the graph's default model.",
        reads=Reads.PROMPT,
        structural=True,
    )
    system_prompt: str = param(
        "", "System message before everything else.", reads=Reads.PROMPT, multiline=True
    )
    template: str = param(
        "",
        "Mustache template of what is added to the prompt.",
        reads=Reads.PROMPT,
        multiline=True,
        is_template=True,
    )
    placement: Placement = param(
        Placement.BeforeUserAsSystem,
        "Where the rendered template goes: in place of the player's message, or before or after "
        "it, as a user or a system message.",
        reads=Reads.PROMPT,
    )
    stream: bool = param(
        False, "Whether the game streams the reply. No effect here.", reads=Reads.GAME
    )
    default_exit: str = exit_param("after the reply")


class Generate(
    NodeKind[GenerateParams],
    lacks=("simulated", "provides", "memory", "check_storages", "prepare"),
):
    """Renders the prompt; the reply is what the user typed in."""

    table = GenerateParams
    is_in_game = True
    answer = Answer.REPLY

    def check(self, params: GenerateParams, node: CheckedNode) -> None:
        """Say what a turn would say of the template."""
        provided = provided_by(node.graph.params)
        for problem in lint(params.template, params.placement, provided):
            said = f"line {problem.line}, column {problem.column}: {problem.message}"
            if problem.severity is Severity.ERROR:
                node.error("template", said, code=Code.InvalidParamValue)
            elif not node.graph.unread:  # What those provide, nobody knows.
                node.warning("template", said, code=Code.InvalidParamValue)

    def check_change(
        self,
        params: GenerateParams,
        param: str,
        storages: Storages,
        work: Work,
        graph: CheckedGraph,
    ) -> None:
        """Refuse a template that cannot be rendered."""
        del storages, graph
        problem = template_problem(params.template) if param == "template" else ""
        if problem:
            raise InspectorError(
                Code.InvalidParamValue,
                problem,
                place=Place(node=work.node, param=param),
                hint="correct the template",
            )

    def run(self, name: str, params: GenerateParams, state: TurnState) -> Outcome:
        request = state.request
        inputs = PromptInputs(
            user_message=request.message,
            instructions=tuple(state.instructions),
            knowledge=tuple(state.knowledge),
            system_prompt=params.system_prompt,
            template=params.template,
            placement=params.placement,
            dialog=request.play.dialog,
        )
        problems = lint(params.template, params.placement, provided_by(request.params))
        model = request.model_of(params.model_name)
        try:
            messages = project(inputs)
        except InspectorError as error:
            located = InspectorError(
                error.code,
                error.message,
                hint=error.hint,
                place=replace(error.place, node=name, param="template"),
            )
            return Outcome(
                "default", projection=Projection((), problems, model, located), error=located
            )
        if not any(message.spans for message in messages):
            hit_count = sum(len(block.chunks) for block in inputs.knowledge)
            problems = (*problems, *none_reaches(params.template, hit_count))
        projection = Projection(messages, problems, model)
        return Outcome("default", request.replies.get(name, ""), projection=projection)


def provided_by(params: Mapping[str, NodeParams]) -> Provided:
    """Return the names that the nodes of a graph can provide to a template."""
    given = [kind_of(table).provides(name, table) for name, table in params.items()]
    return Provided(
        tuple(dict.fromkeys(chain.from_iterable(each.instructions for each in given))),
        tuple(dict.fromkeys(chain.from_iterable(each.sources for each in given))),
    )


GENERATE = Generate()
