"""Mustache templates, rendered through chevron with its doors closed.

chevron 0.14 finds names through Python attributes and list indices, calls what it finds, escapes
HTML, loads partials from the disk, takes 0.0 and falsy list items for nothing, and ends a list
section at the wrong tag where ``{{^a}}`` stands within ``{{#a}}``. So it is never told a name:

1. `mustache_scan.scan` cuts the template into pieces, texts and tags.
2. chevron gets tokens in which the name of a piece is its number, and a section shares its number
   with its end tag: ``a{{#b}}{{c}}{{/b}}`` becomes
   ``("no escape", "0"), ("section", "1"), ("no escape", "2"), ("end", "1")``.
3. To know what a number means, chevron asks the innermost scope, a `_Scope`, which answers for all
   scopes around it too: a text to append, items to loop over, a scope to enter, or False.

What chevron is left to do is to loop, to nest, to skip and to append. `_Rendering` keeps the
budget and, since it sees each text just before it is appended, knows where marked texts lie.

Source: the Mustache specification, 1.4. Where it is silent: every number is true in a section, 0
too ("there is a distance"), as is a dict without keys; an empty text is not.
Lambdas and partials are switched off: a partial renders as nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from chevron.renderer import render as chevron_render

from core.errors import Code, InspectorError, Place
from core.prompt.mustache_scan import Piece, TagKind, scan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True, slots=True)
class Budget:
    """What a rendering may cost: bytes of output in UTF-8, and seconds."""

    output_bytes: int = 1_000_000
    seconds: float = 1.0


DEFAULT_BUDGET = Budget()


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text of a context whose places in the output are reported.

    It renders as `text` does, which it does not copy. `mark` is the caller's own.
    """

    text: str
    mark: tuple[int, int]


class Mark(NamedTuple):
    """``output[start:end]`` is the marked text that bears `mark`."""

    start: int
    end: int
    mark: tuple[int, int]


class Rendered(NamedTuple):
    """The output of a template, and where marked texts lie in it, in order."""

    text: str
    marks: tuple[Mark, ...]


def render_marked(template: str, context: Any, budget: Budget = DEFAULT_BUDGET) -> Rendered:
    """Render `template` with chevron, and say where the `MarkedText` of `context` came to lie.

    Parameters
    ----------
    template : Mustache; nothing is escaped, partials render as nothing.
    context : nested dicts, lists, texts, marked texts, numbers, booleans and None. Names are keys
        of its dicts, split at dots; a key that holds a dot cannot be addressed.
    budget : output and time allowed.

    Raises
    ------
    InspectorError
        3007: a mistake of syntax (with line and column), a template of more than 1 000 000
        characters, or the budget is used up.
    """
    rendering = _Rendering(template, budget)
    try:
        text = chevron_render(
            _tokens(rendering.pieces),
            partials_path=None,
            partials_dict={},
            scopes=[_Scope(context, None, rendering)],
        )
    except RecursionError as error:
        raise _over_budget("the template's sections are nested too deeply") from error
    return Rendered(str(text), tuple(rendering.marks))


def _pieces_of(template: str) -> tuple[Piece, ...]:
    found = scan(template)
    if found.mistakes:
        line, column, message = found.mistakes[0]
        raise InspectorError(
            Code.InvalidParamValue,
            message,
            place=Place(line=line, column=column, param="template"),
            hint="correct the template",
        )
    return found.pieces


def _tokens(pieces: Sequence[Piece]) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    open_sections: list[str] = []
    for number, piece in enumerate(pieces):
        if isinstance(piece, str) or piece.kind is TagKind.VARIABLE:
            tokens.append(("no escape", str(number)))
        elif piece.kind in (TagKind.SECTION, TagKind.INVERTED):
            open_sections.append(str(number))
            tokens.append(("section", str(number)))
        elif piece.kind is TagKind.END:
            tokens.append(("end", open_sections.pop()))
    return tokens


class _Scope:
    """A value of the context that a section has entered, and the scopes around it."""

    __slots__ = ("_outer", "_rendering", "_value")

    def __init__(self, value: Any, outer: _Scope | None, rendering: _Rendering) -> None:
        self._value, self._outer, self._rendering = value, outer, rendering

    def __getitem__(self, number: str) -> str | Iterator[_Scope] | _Scope | Literal[False]:
        """Say what the piece of this number comes to here."""
        self._rendering.tick()
        piece = self._rendering.pieces[int(number)]
        if isinstance(piece, str):
            return self._rendering.emit(piece)
        value = self._find(piece.name)
        if piece.kind is TagKind.VARIABLE:
            mark = value.mark if isinstance(value, MarkedText) else None
            return self._rendering.emit(written(value), mark)
        if piece.kind is TagKind.INVERTED:
            return not is_true(value) and self
        if isinstance(value, list | tuple):
            return self._items(value)
        return is_true(value) and _Scope(value, self, self._rendering)

    def _items(self, values: Sequence[Any]) -> Iterator[_Scope]:
        for value in values:
            self._rendering.tick()
            yield _Scope(value, self, self._rendering)

    def _find(self, name: str) -> Any:
        """Return what `name` means; its first part decides which scope answers."""
        if name == ".":
            return self._value
        parts = name.split(".")
        scope: _Scope | None = self
        while scope is not None:
            value = scope._value
            if isinstance(value, dict) and parts[0] in value:
                for part in parts:
                    value = value.get(part) if isinstance(value, dict) else None
                return value
            scope = scope._outer
        return None


def is_true(value: Any) -> bool:
    """Tell whether a section over `value` is rendered; numbers and dicts always are."""
    if isinstance(value, MarkedText):
        return bool(value.text)
    if isinstance(value, bool | str | list | tuple):
        return bool(value)
    return isinstance(value, dict | Real)


def written(value: Any) -> str:
    """Return `value` as a template writes it.

    Texts as they are, never escaped; numbers with at most 6 decimals and no trailing zeros (0.0
    is ``0``); booleans as ``true`` and ``false``; null, NaN, infinities, lists, dicts and anything
    else as nothing.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, MarkedText):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Real):
        text = f"{float(value):.6f}"
        if not text[-1].isdigit():
            return ""
        text = text.rstrip("0").rstrip(".")
        return "0" if text == "-0" else text
    return ""


class _Rendering:
    """The pieces of one rendering, its budget, and the length of what chevron has appended."""

    def __init__(self, template: str, budget: Budget) -> None:
        self._budget = budget
        self._deadline = perf_counter() + budget.seconds
        self.pieces = _pieces_of(template)
        self.marks: list[Mark] = []
        self._left = budget.output_bytes
        self._length = 0

    def tick(self) -> None:
        if perf_counter() > self._deadline:
            raise _over_budget(f"the template takes longer than {self._budget.seconds:g} s")

    def emit(self, text: str, mark: tuple[int, int] | None = None) -> str:
        """Return `text`, which chevron appends next."""
        self._left -= len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if self._left < 0:
            megabytes = self._budget.output_bytes / 1e6
            raise _over_budget(f"the template renders to more than {megabytes:g} MB")
        start = self._length
        self._length += len(text)
        if mark is not None and text:
            self.marks.append(Mark(start, self._length, mark))
        return text


def _over_budget(message: str) -> InspectorError:
    return InspectorError(
        Code.InvalidParamValue,
        message,
        place=Place(param="template"),
        hint="nest fewer sections over lists, or attach fewer chunks",
    )
