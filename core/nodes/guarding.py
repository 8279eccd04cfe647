"""HumanMessageGuardrail: branch when the player's message matches a pattern."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.index.search_cache import SearchNeeded
from core.io.work import Work
from core.nodes.state import Outcome, TurnState
from core.patterns.patterns import LONGEST_MESSAGE, MATCHING_S, MatchResult, MatchTooSlow

if TYPE_CHECKING:
    from core.agent.workspace import Workspace
    from core.nodes.parameters import HumanMessageGuardrailParams

_SHOWN_CHARACTERS = 60


def patterns_of(
    name: str, params: HumanMessageGuardrailParams, workspace: Workspace
) -> tuple[str, ...]:
    """Return a guardrail's patterns: the values of its storage, or else those given inline.

    Raises
    ------
    InspectorError
        As `core.agent.workspace.Workspace.strings`.
    """
    if params.string_storage:
        return workspace.strings(params.string_storage, work=Work(node=name)).values
    return params.inline_strings


def pattern_problems(
    name: str, params: HumanMessageGuardrailParams, workspace: Workspace
) -> list[InspectorError]:
    """Return what is wrong with a guardrail's patterns: 3003 for each that cannot be used.

    Raises
    ------
    InspectorError
        As `patterns_of`.
    """
    patterns = patterns_of(name, params, workspace)
    problems = []
    for index, problem in workspace.patterns.compiled(patterns).problems.items():
        place = _place(name, params)
        if place.param == "inline_strings":
            place = replace(place, json_path=f"inline_strings[{index}]")
        problems.append(
            InspectorError(
                Code.GraphCompilationFailed,
                f'node "{name}": {_named(index, patterns[index], params)} cannot be used: '
                f"{problem}",
                place=place,
                hint="a sign such as ( [ { * + ? is written with a backslash before it "
                "where it means itself",
            )
        )
    return problems


def foreign_construct(name: str, params: HumanMessageGuardrailParams, workspace: Workspace) -> str:
    """Say which pattern first uses what the game's own patterns lack, or "".

    Raises
    ------
    InspectorError
        As `patterns_of`.
    """
    patterns = patterns_of(name, params, workspace)
    for index, pattern in enumerate(workspace.patterns.compiled(patterns).patterns):
        if pattern.shape.foreign:
            return (
                f"{_named(index, pattern.text, params)} uses {pattern.shape.foreign}, which "
                "the game's std::regex does not know"
            )
    return ""


def guardrail(name: str, params: HumanMessageGuardrailParams, state: TurnState) -> Outcome:
    """Search the player's message for the patterns, ignoring case, within a time limit.

    Raises
    ------
    SearchNeeded
        With `work.cached_only`, when this message has not been searched for these patterns yet.
    InspectorError
        3003 for a pattern that cannot be used, 3007 when the time is up or the message too long.
    """
    message, searches = state.request.message, state.workspace.patterns
    patterns = patterns_of(name, params, state.workspace)
    found = searches.known(patterns, message)
    if found is None:
        if state.work.cached_only:
            raise SearchNeeded
        found = _searched(name, params, state, patterns)
    hit = found.hit
    return Outcome(
        "not_triggered" if hit is None else "triggered",
        sections=_sections(params, len(patterns), found),
    )


def _searched(
    name: str, params: HumanMessageGuardrailParams, state: TurnState, patterns: tuple[str, ...]
) -> MatchResult:
    message, searches = state.request.message, state.workspace.patterns
    problems = pattern_problems(name, params, state.workspace)
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
            place=_place(name, params),
            hint=hint,
        ) from slow


def _place(name: str, params: HumanMessageGuardrailParams) -> Place:
    return Place(node=name, param="string_storage" if params.string_storage else "inline_strings")


def _named(index: int, pattern: str, params: HumanMessageGuardrailParams) -> str:
    where = f" of {params.string_storage}" if params.string_storage else ""
    return f"pattern [{index}]{where}, {_shown(pattern)},"


def _shown(pattern: str) -> str:
    cut = pattern if len(pattern) <= _SHOWN_CHARACTERS else pattern[: _SHOWN_CHARACTERS - 1] + "…"
    return f'"{cut}"'


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
