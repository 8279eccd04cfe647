"""Mustache templates, rendered through chevron with its doors closed.

chevron 0.14 finds names through Python attributes and list indices, calls what it finds, escapes
HTML, loads partials from the disk, takes 0.0 and falsy list items for nothing, and ends a list
section at the wrong tag where ``{{^a}}`` stands within ``{{#a}}``. Its renderer takes a token list
and asks the scopes themselves for names, so here it gets

* names that are no strings (`_Path`): nothing but a `_Scope` understands one, so ``getattr`` and
  indices are out of reach, whatever the template says;
* scopes (`_Scope`) that look into the keys of dicts only, and that decide what is true and how a
  value is written;
* a key of its own for each section, shared with the end tag that belongs to it;
* literals and values that report to a meter (`_Meter`) just before chevron appends them: it keeps
  the budget, and knows exactly where in the output a marked text lies.

Source: the Mustache specification, 1.4. Where it is silent: every number is true in a section, 0
too ("there is a distance"), as is a dict without keys; an empty text is not.
Lambdas and partials are switched off: a partial renders as nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from time import perf_counter
from typing import Any, NamedTuple, SupportsIndex

from chevron.renderer import render as chevron_render
from chevron.tokenizer import tokenize

from core.errors import Code, InspectorError, Place
from core.prompt.mustache_scan import Tag, TagKind, scan


def parse(template: str) -> tuple[Tag, ...]:
    """Return the tags of `template`, in order.

    Raises
    ------
    InspectorError
        3007 with line and column, for the first mistake of syntax.
    """
    found = scan(template)
    for line, column, message in found.mistakes:
        raise InspectorError(
            Code.InvalidParamValue,
            message,
            place=Place(line=line, column=column, param="template"),
            hint="correct the template",
        )
    return found.tags


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


class _Meter:
    """Keeps the budget, and the length of what chevron has appended so far."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._deadline = perf_counter() + budget.seconds
        self._left = budget.output_bytes
        self._length = 0
        self.marks: list[Mark] = []

    def tick(self) -> None:
        if perf_counter() > self._deadline:
            raise _over_budget(f"the template takes longer than {self._budget.seconds:g} s")

    def emit(self, text: str, mark: tuple[int, int] | None = None) -> None:
        self.tick()
        self._left -= len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        if self._left < 0:
            megabytes = self._budget.output_bytes / 1e6
            raise _over_budget(f"the template renders to more than {megabytes:g} MB")
        start = self._length
        self._length += len(text)
        if mark is not None and text:
            self.marks.append(Mark(start, self._length, mark))


def _over_budget(message: str) -> InspectorError:
    return InspectorError(
        Code.InvalidParamValue,
        message,
        place=Place(param="template"),
        hint="nest fewer sections over lists, or attach fewer chunks",
    )


class _Rest:
    """What is left of a template: chevron's tokenizer splits it for each tag, here without a copy.

    The tokenizer would need time in proportion to the square of the template's length.
    """

    __slots__ = ("_meter", "_start", "_text")

    def __init__(self, text: str, start: int, meter: _Meter) -> None:
        self._text, self._start, self._meter = text, start, meter

    def __bool__(self) -> bool:
        return self._start < len(self._text)

    def __str__(self) -> str:
        return self._text[self._start :]

    def __getitem__(self, part: slice) -> _Rest:
        return _Rest(self._text, self._start + part.start, self._meter)

    def startswith(self, text: str) -> bool:
        return self._text.startswith(text, self._start)

    def split(self, separator: str, _: int) -> list[Any]:
        self._meter.tick()
        found = self._text.find(separator, self._start)
        if found < 0:
            return [str(self)]
        return [
            self._text[self._start : found],
            _Rest(self._text, found + len(separator), self._meter),
        ]


class _Literal(str):
    """Text between tags. chevron calls `replace` when, and only when, it appends it."""

    _meter: _Meter

    def __new__(cls, text: str, meter: _Meter) -> _Literal:
        literal = super().__new__(cls, text)
        literal._meter = meter
        return literal

    def replace(self, old: str, new: str, count: SupportsIndex = -1, /) -> str:
        self._meter.emit(self)
        return super().replace(old, new, count)


class _Path:
    """A dotted name as chevron carries it about: no string, no number, no attribute's name."""

    __slots__ = ("_names",)

    def __init__(self, name: str) -> None:
        self._names = () if name == "." else tuple(name.split("."))

    def __int__(self) -> int:
        # chevron tries an index last, and takes this for "no such name here".
        raise ValueError

    def find(self, value: Any) -> Any:
        """Return what the name means within `value`, or raise KeyError: ask the outer scopes.

        The first part decides which scope answers: a chain that breaks later is null.
        """
        for place, name in enumerate(self._names):
            if not isinstance(value, dict) or name not in value:
                if place == 0:
                    raise KeyError(name)
                return None
            value = value[name]
        return value


class _Key(str):
    """A tag's name in the token list: equal for a section and its end tag, unlike any other."""

    _path: _Path
    _meter: _Meter

    def __new__(cls, number: int, name: str, meter: _Meter) -> _Key:
        key = super().__new__(cls, number)
        key._path, key._meter = _Path(name), meter
        return key

    def split(self, *_: Any) -> list[Any]:
        self._meter.tick()
        return [self._path]


class _Scope:
    """A value of the context as chevron sees it."""

    __slots__ = ("_meter", "_true", "_value")
    _CHEVRON_return_scope_when_falsy = True

    def __init__(self, value: Any, meter: _Meter, *, true: bool = True) -> None:
        self._value, self._meter, self._true = value, meter, true

    def __getitem__(self, path: _Path) -> _Scope:
        value = path.find(self._value)
        kind = _ListScope if isinstance(value, list | tuple) else _Scope
        return kind(value, self._meter, true=is_true(value))

    def __bool__(self) -> bool:
        return self._true

    def __str__(self) -> str:
        text = written(self._value)
        self._meter.emit(text, self._value.mark if isinstance(self._value, MarkedText) else None)
        return text


class _ListScope(_Scope):
    """A list; chevron loops over it, and its items are rendered even where they are falsy."""

    __slots__ = ()

    def __iter__(self) -> Iterator[_Scope]:
        for item in self._value:
            self._meter.tick()
            yield _Scope(item, self._meter)


Sequence.register(_ListScope)


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
    meter = _Meter(budget)
    tokens = list(_tokens(template, parse(template), meter))
    try:
        text = chevron_render(
            tokens, partials_path=None, partials_dict={}, scopes=[_Scope(context, meter)]
        )
    except RecursionError as error:
        raise _over_budget("the template's sections are nested too deeply") from error
    return Rendered(str(text), tuple(meter.marks))


def render(template: str, context: Any, budget: Budget = DEFAULT_BUDGET) -> str:
    """Return the text of `render_marked`, which see."""
    return render_marked(template, context, budget).text


def _tokens(template: str, tags: tuple[Tag, ...], meter: _Meter) -> Iterator[tuple[str, str]]:
    """Yield chevron's own tokens, so that it decides about white space, with guarded contents."""
    named = (tag for tag in tags if tag.kind not in (TagKind.COMMENT, TagKind.DELIMITERS))
    open_keys: list[_Key] = []
    for kind, text in tokenize(_Rest(template, 0, meter)):
        if kind == "literal":
            yield kind, _Literal(str(text), meter)
        elif kind != "set delimiter":
            tag = next(named)
            key = _Key(tag.start, tag.name, meter)
            if tag.kind is TagKind.VARIABLE:
                yield "no escape", key
            elif tag.kind is TagKind.END:
                yield "end", open_keys.pop()
            elif tag.kind is not TagKind.PARTIAL:
                open_keys.append(key)
                yield str(tag.kind), key
