"""HumanMessageGuardrail: branch when the player's message matches a pattern."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.io.wording import cut
from core.knowledge.kinds import FileKind
from core.nodes.kind import CheckedNode, NodeKind, OpenedNode
from core.nodes.params import NodeParams, Reads, exit_param, param
from core.nodes.walk import Outcome, Storages, TurnState
from core.patterns.patterns import (
    LONGEST_MESSAGE,
    MATCHING_S,
    MatchResult,
    MatchTooSlow,
    compile_patterns,
)

if TYPE_CHECKING:
    from core.io.work import Work

_SHOWN_CHARACTERS = 60


@dataclass(frozen=True, kw_only=True)
class HumanMessageGuardrailParams(NodeParams):
    """Parameters of HumanMessageGuardrail: branch when the message matches a pattern."""

    string_storage: str = param(
        "",
        "File of patterns, relative to the storage root. Comes before inline_strings.",
        reads=Reads.SEARCH,
        structural=True,
        file_kind=FileKind.STRINGS,
    )
    inline_strings: tuple[str, ...] = param(
        (), "Patterns given right here.", reads=Reads.SEARCH, structural=True
    )
    triggered_exit: str = exit_param("when a pattern matches")
    not_triggered_exit: str = exit_param("when no pattern matches")


class HumanMessageGuardrail(
    NodeKind[HumanMessageGuardrailParams],
    lacks=("answer", "simulated", "provides", "memory", "check_change", "prepare"),
):
    """Searches the player's message for the patterns, ignoring case, within a time limit."""

    table = HumanMessageGuardrailParams
    is_in_game = True

    def check(self, params: HumanMessageGuardrailParams, node: CheckedNode) -> None:
        if not (params.string_storage or params.inline_strings):
            node.warning(
                "inline_strings",
                "no patterns: neither string_storage nor inline_strings, so the exit is "
                "always not_triggered",
            )

    def check_storages(self, params: HumanMessageGuardrailParams, node: OpenedNode) -> None:
        node.open_strings(params.string_storage)
        try:
            problems = _pattern_problems(params, node.storages, node.work)
            foreign = "" if problems else _foreign_construct(params, node.storages, node.work)
        except InspectorError:
            return  # Opening the file has said so.
        for problem in problems:
            node.refused(problem, _param(params))
        if foreign:
            node.warning(_param(params), foreign, hint="write it in the patterns of ECMAScript")

    def run(self, name: str, params: HumanMessageGuardrailParams, state: TurnState) -> Outcome:
        message, searches = state.request.message, state.storages.patterns
        patterns = _patterns_of(params, state.storages, state.work)
        found = searches.known(patterns, message)
        if found is None:
            state.work.require_search()
            found = _searched(name, params, state, patterns)
        return Outcome(
            "not_triggered" if found.hit is None else "triggered",
            sections=_sections(params, len(patterns), found),
        )


def _patterns_of(
    params: HumanMessageGuardrailParams, storages: Storages, work: Work
) -> tuple[str, ...]:
    """Return a guardrail's patterns: the values of its storage, or else those given inline."""
    if params.string_storage:
        return storages.strings(params.string_storage, work=work).values
    return params.inline_strings


def _pattern_problems(
    params: HumanMessageGuardrailParams, storages: Storages, work: Work
) -> list[InspectorError]:
    """Return what is wrong with a guardrail's patterns: 3003 for each that cannot be used."""
    patterns = _patterns_of(params, storages, work)
    problems = []
    for index, problem in compile_patterns(patterns).problems.items():
        place = Place(node=work.node, param=_param(params))
        if place.param == "inline_strings":
            place = replace(place, json_path=f"inline_strings[{index}]")
        problems.append(
            InspectorError(
                Code.GraphCompilationFailed,
                f'node "{work.node}": {_named(index, patterns[index], params)} cannot be used: '
                f"{problem}",
                place=place,
                hint="a sign such as ( [ { * + ? is written with a backslash before it "
                "where it means itself",
            )
        )
    return problems


def _foreign_construct(params: HumanMessageGuardrailParams, storages: Storages, work: Work) -> str:
    """Say which pattern first uses what the game's own patterns lack, or ""."""
    patterns = _patterns_of(params, storages, work)
    for index, pattern in enumerate(compile_patterns(patterns).patterns):
        if pattern.shape.foreign:
            return (
                f"{_named(index, pattern.text, params)} uses {pattern.shape.foreign}, which "
                "the game's std::regex does not know"
            )
    return ""


def _searched(
    name: str, params: HumanMessageGuardrailParams, state: TurnState, patterns: tuple[str, ...]
) -> MatchResult:
    message, searches = state.request.message, state.storages.patterns
    problems = _pattern_problems(params, state.storages, state.work)
    if problems:
        raise problems[0]
    if len(message) > LONGEST_MESSAGE:
        raise InspectorError(
            Code.InvalidParamValue,
            f'node "{name}" searches messages of up to '
            f"{LONGEST_MESSAGE:,} characters; this one has {len(message):,}",
            place=Place(node=name),
            hint="shorten the message",
        )
    try:
        return searches.search(patterns, message)
    except MatchTooSlow as slow:
        nested = slow.pattern.shape.nested
        hint = (
            f"simplify {_shown(nested)}: a repeat of what is repeated already can take for ever"
            if nested
            else "simplify it: fewer .* and no repeated (a|aa) whose choices overlap"
        )
        raise InspectorError(
            Code.InvalidParamValue,
            f'node "{name}": searching the message took longer than '
            f"{MATCHING_S:g} s, at {_named(slow.index, slow.pattern.text, params)}",
            place=Place(node=name, param=_param(params)),
            hint=hint,
        ) from slow


def _param(params: HumanMessageGuardrailParams) -> str:
    return "string_storage" if params.string_storage else "inline_strings"


def _named(index: int, pattern: str, params: HumanMessageGuardrailParams) -> str:
    where = f" of {params.string_storage}" if params.string_storage else ""
    return f"pattern [{index}]{where}, {_shown(pattern)},"


def _shown(pattern: str) -> str:
    return f'"{cut(pattern, _SHOWN_CHARACTERS)}"'


def _sections(
    params: HumanMessageGuardrailParams, count: int, found: MatchResult
) -> dict[str, Any]:
    storage = {"string_storage": params.string_storage} if params.string_storage else {}
    hit = found.hit
    output: dict[str, Any] = {"triggered": hit is not None}
    if hit is not None:
        output |= {
            "pattern": hit.pattern,
            "pattern_index": hit.index,
            "match": hit.text,
            "start": hit.start,
            "end": hit.end,
        }
    return {
        "parameters": {**storage, "pattern_count": count},
        "input": {"text": found.message},
        "output": output,
    }


HUMAN_MESSAGE_GUARDRAIL = HumanMessageGuardrail()
