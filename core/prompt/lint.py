"""Mistakes in a prompt template, most of which Mustache itself keeps quiet about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING

from core.io.findings import Severity
from core.io.json_text import line_and_column
from core.io.wording import did_you_mean
from core.prompt.messages import Placement
from core.prompt.mustache_scan import MAX_PROBLEMS, Tag, TagKind, scan, sections_closed, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_USER_MESSAGE = "user_message"
_NAMES_SHOWN = 20
_LONGEST_GUESS = 80
_FOREIGN_WORDS = {"if", "else", "unless", "each", "with", "for", "endif", "endfor"}
_SIGNS = "#^/>&!={"
_SINGLE = re.compile(r"(?<!\{)\{([\w.]+)\}(?!\})")
_SHOWS_A_HIT = re.compile(r"\{\{[{&]?\s*(?:\w+\.)?(?:id|distance)\b")
_INHERITANCE_SIGNS = "$<"


@dataclass(frozen=True, slots=True)
class Provided:
    """What the nodes of a graph can provide: instruction names, and source labels of Retrieves."""

    instructions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LintProblem:
    """One mistake, at a 1-based line and column.

    severity : an error means that the template is refused (3007), a warning that it is rendered,
        though hardly as it was meant.
    """

    severity: Severity
    line: int
    column: int
    message: str


@dataclass(frozen=True, slots=True)
class _Shape:
    """What is known of a value: the names in it, or in each of its items where it is a list."""

    names: Mapping[str, _Shape]
    is_list: bool = False
    is_anything: bool = False


_TEXT = _Shape({})
_ANYTHING = _Shape({}, is_anything=True)
_CHUNKS = _Shape({"id": _TEXT, "text": _TEXT, "distance": _TEXT}, is_list=True)
_INSTRUCTIONS = _Shape({"name": _TEXT, "text": _TEXT}, is_list=True)
_BLOCKS = _Shape({"name": _TEXT, "has_chunks": _TEXT, "chunks": _CHUNKS}, is_list=True)
_WITHIN = {
    "id": "{{#chunks}} or {{#knowledge_SOURCE}}",
    "text": "{{#chunks}}, {{#knowledge_SOURCE}} or {{#instructions}}",
    "distance": "{{#chunks}} or {{#knowledge_SOURCE}}",
    "name": "{{#knowledge}} or {{#instructions}}",
    "has_chunks": "{{#knowledge}}",
    "chunks": "{{#knowledge}}",
}


_NEEDS = {"knowledge": "Retrieve", "instructions": "Instruction"}


def template_problem(template: str) -> str:
    """Say what keeps a template from being rendered, and where; "" for one that can be."""
    mistakes = scan(template).mistakes
    return "line {}, column {}: {}".format(*mistakes[0]) if mistakes else ""


@lru_cache(maxsize=4)  # A moved slider leaves the template as it is.
def lint(template: str, placement: Placement, provided: Provided) -> tuple[LintProblem, ...]:
    """Find the mistakes of `template`, in the order of their places.

    Errors: tags that are not closed, sections that are not closed or closed by another's end tag,
    and whatever else `core.prompt.mustache.render` refuses before it renders. Warnings: names that
    nothing provides where they stand; lists that are written instead of opened; ``user_message``
    where the placement leaves it empty, or its absence where it should be; lists within
    themselves; names in single braces; partials, which are switched off. At most `MAX_PROBLEMS`,
    errors before warnings when there are more.
    """
    found = scan(template)
    problems = [LintProblem(Severity.ERROR, *mistake) for mistake in found.mistakes]
    warnings = chain(
        _tag_warnings(found.tags, placement, provided),
        [] if problems else _absences(template, found.tags, placement),
        _single_braces(template, provided),
    )
    problems += islice(warnings, MAX_PROBLEMS - len(problems))
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))


def _absences(template: str, tags: tuple[Tag, ...], placement: Placement) -> Iterator[LintProblem]:
    named = {tag.kind for tag in tags if tag.name == _USER_MESSAGE}
    dotted = any(tag.kind is TagKind.VARIABLE and tag.name == "." for tag in tags)
    shown = TagKind.VARIABLE in named or (TagKind.SECTION in named and dotted)
    if placement is Placement.InPlaceOfUser and template.strip() and not shown:
        yield LintProblem(
            Severity.WARNING,
            1,
            1,
            (
                "the template takes the place of the player's message, but never shows it: "
                "{{user_message}} is missing"
            ),
        )


def _tag_warnings(
    tags: tuple[Tag, ...], placement: Placement, provided: Provided
) -> Iterator[LintProblem]:
    scopes = [_context_shape(provided)]
    open_names: list[str] = []
    for tag in tags:
        if tag.kind is TagKind.END:
            for _ in range(sections_closed(open_names, tag.name)):
                open_names.pop()
                scopes.pop()
            continue
        if tag.kind in (TagKind.COMMENT, TagKind.DELIMITERS):
            continue
        shape = _resolve(tag.name, scopes)
        message = (
            _fault(tag, shape, placement)
            or _nested(tag, shape, open_names)
            or _of_source(tag, shape, scopes)
            or ("" if shape else _unknown(tag.name, scopes))
        )
        if message:
            yield LintProblem(Severity.WARNING, tag.line, tag.column, message)
        if tag.kind is TagKind.INVERTED:
            open_names.append(tag.name)
            scopes.append(_TEXT)
        elif tag.kind is TagKind.SECTION:
            open_names.append(tag.name)
            # A section over an unknown name is never rendered: one warning for it is enough.
            scopes.append(shape or _ANYTHING)


def _of_source(tag: Tag, shape: _Shape | None, scopes: list[_Shape]) -> str:
    """Say of a name within the chunks that it is not the chunk's own."""
    if tag.name != "name" or shape is None or scopes[-1] is not _CHUNKS:
        return ""
    return (
        '"name" is the label of the source here, also where a chunk has metadata of that name: '
        f"a chunk offers {', '.join(_CHUNKS.names)}"
    )


def _nested(tag: Tag, shape: _Shape | None, open_names: list[str]) -> str:
    """Say of a list that is opened within itself what comes of it."""
    within_itself = tag.kind is TagKind.SECTION and tag.name in open_names
    if not within_itself or shape is None or not shape.is_list:
        return ""
    name = shortened(tag.name)
    return f'"{name}" stands within itself: each of its items repeats all of them'


def _single_braces(template: str, provided: Provided) -> Iterator[LintProblem]:
    """Find names in single braces, as other languages write them: plain text in Mustache."""
    names = _context_shape(provided).names
    for match in _SINGLE.finditer(template):
        if match[1] in names:
            line, column = line_and_column(template, match.start())
            yield LintProblem(
                Severity.WARNING,
                line,
                column,
                f"{match[0]} is plain text: Mustache takes two braces, {{{{{match[1]}}}}}",
            )


def none_reaches(template: str, hit_count: int) -> tuple[LintProblem, ...]:
    """Return the warning that nothing of the hits is in the prompt that a template renders to.

    Parameters
    ----------
    hit_count : how many there were; none of their texts was rendered.
    """
    if not hit_count or not template.strip() or _SHOWS_A_HIT.search(template):
        return ()
    hits = f"{hit_count} hit{'' if hit_count == 1 else 's'}"
    message = (
        f"{hits}, none reaches the prompt: "
        "{{#knowledge}}{{#chunks}}{{text}}{{/chunks}}{{/knowledge}} shows them"
    )
    return (LintProblem(Severity.WARNING, 1, 1, message),)


def _context_shape(provided: Provided) -> _Shape:
    names = {_USER_MESSAGE: _TEXT}
    if provided.instructions:
        names["instructions"] = _INSTRUCTIONS
    if provided.sources:
        names["knowledge"] = _BLOCKS
    names |= {f"instruction_{name}": _TEXT for name in provided.instructions}
    names |= {f"knowledge_{source}": _CHUNKS for source in provided.sources}
    return _Shape(names)


def _resolve(name: str, scopes: list[_Shape]) -> _Shape | None:
    """Return what `name` means, as rendering would find it; None where it means nothing."""
    if name == ".":
        return _TEXT
    head, *rest = name.split(".")
    for scope in reversed(scopes):
        if scope.is_anything:
            return _ANYTHING
        if head in scope.names:
            shape = scope.names[head]
            for part in rest:
                if shape.is_list or part not in shape.names:
                    return None
                shape = shape.names[part]
            return shape
    return None


def _fault(tag: Tag, shape: _Shape | None, placement: Placement) -> str:
    name = shortened(tag.name)
    if tag.kind is TagKind.PARTIAL:
        return f"partials are switched off, so {{{{> {name}}}}} renders nothing"
    if tag.name == _USER_MESSAGE and placement is not Placement.InPlaceOfUser:
        return (
            f"{{{{user_message}}}} is empty with the placement {placement.name}: the player's "
            "message is a message of its own"
        )
    if tag.kind is TagKind.VARIABLE and shape is not None and shape.is_list:
        return (
            f'"{name}" is a list, which renders nothing as it stands: open it with '
            f"{{{{#{name}}}}}…{{{{/{name}}}}}"
        )
    return ""


def _unknown(name: str, scopes: list[_Shape]) -> str:
    names = list(dict.fromkeys(key for scope in reversed(scopes) for key in scope.names))
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    listed = ", ".join(shortened(key) for key in names[:_NAMES_SHOWN]) + more
    hint = _hint(name, names, scopes)
    return (
        f'nothing in this graph provides "{shortened(name)}" here'
        f"{'; ' if hint else ''}{hint.removesuffix('?')}{'?' if hint.endswith('?') else '.'} "
        f"Provided: {listed}"
    )


def _hint(name: str, names: list[str], scopes: list[_Shape]) -> str:
    head, dot, rest = name.partition(".")
    word = name.split(maxsplit=1)[0]
    if name[0] in _SIGNS:
        return f'no space may stand before the "{name[0]}"'
    if name[0] in _INHERITANCE_SIGNS:
        return "templates cannot inherit from each other"
    if word in _FOREIGN_WORDS:
        return (
            f'Mustache has no "{word}": a section {{{{#NAME}}}}…{{{{/NAME}}}} is both the '
            "condition and the loop"
        )
    if name in names:
        return "Mustache reads its dot as a step inwards, so give it a name without dots"
    if dot and (shape := _resolve(head, scopes)):
        opened = f": it is a list, opened by {{{{#{shortened(head)}}}}}" if shape.is_list else ""
        return f'"{shortened(head)}" has no "{shortened(rest)}" of its own{opened}'
    if name in _NEEDS:
        return f"it takes a node of the type {_NEEDS[name]}"
    if name in _WITHIN:
        return f"it is known inside {_WITHIN[name]}"
    if len(name) > _LONGEST_GUESS:
        return ""
    return did_you_mean(name, [key for key in names if len(key) <= _LONGEST_GUESS])
