"""What is known of one parameter, and the base of the tables of parameters."""

from __future__ import annotations

import json
import math
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from enum import Enum, Flag, IntEnum, StrEnum, auto
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_type_hints

from core.errors import InspectorError
from core.io.json_typed import why_no_json
from core.io.request import InvalidRequest, check_number, check_whole, range_text, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.knowledge.kinds import FileKind


_BETWEEN_WORDS = str.maketrans("", "", "_- ")


class Reads(Flag):
    """What reads a parameter, and so what another value of it makes anew.

    SEARCH : the search itself.
    SELECTION : the choice from what a search has found.
    PROMPT : the prompt, or the names that its template uses.
    WALK : the turn's way, or what a node says, which later nodes may search with.
    GAME : the game alone; it has no effect here.
    """

    SEARCH = auto()
    SELECTION = auto()
    PROMPT = auto()
    WALK = auto()
    GAME = auto()


@dataclass(frozen=True, slots=True)
class ParamSpec:
    """What is known of one parameter; the only source for ranges, help texts and pickers.

    reads : what reads it.
    references : whether a turn replaces ``{{user_message}}`` and the like in it.
    is_template : whether it is a Mustache template.
    file_kind : the kind of the file that it names, None where it names none.
    text_rule : of a text with a syntax of its own: says what is wrong with it, or "".
    client_enum : what the game's clients call its enumeration, "" for the same as here.
    zero : what the value 0 is called where it is no small value but a choice of its own.
    """

    name: str
    kind: type[Any]
    default: Any
    help: str
    reads: Reads
    minimum: float | None = None
    maximum: float | None = None
    structural: bool = False
    is_exit: bool = False
    multiline: bool = False
    references: bool = False
    is_template: bool = False
    file_kind: FileKind | None = None
    text_rule: Callable[[str], str] | None = None
    client_enum: str = ""
    zero: str = ""

    def check(self, value: Any) -> Any:
        """Return `value` as this parameter's type.

        Raises
        ------
        InspectorError
            3007 for a wrong type, a value out of range, NaN or an infinity.
        """
        if issubclass(self.kind, Enum):
            return self._check_enum(value)
        if self.kind is bool:
            if not isinstance(value, bool):
                raise self._refuse(f"expected true or false, found {shown(value)}")
            return value
        if self.kind in (int, float):
            check = check_whole if self.kind is int else check_number
            return check(self.name, value, self.minimum, self.maximum)
        if self.kind is tuple:
            if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
                raise self._refuse(f"expected a list of strings, found {shown(value)}")
            return tuple(value)
        if not isinstance(value, str):
            raise self._refuse(f"expected text, found {shown(value)}")
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise self._refuse("the text has a lone surrogate, which is no character") from None
        problem = self.text_rule(value) if self.text_rule is not None else ""
        if problem:
            raise self._refuse(problem)
        return value

    def to_json(self, value: Any) -> Any:
        """Return `value` as it is written to a graph file: enumerations by name."""
        if isinstance(value, IntEnum):
            return value.name
        if isinstance(value, StrEnum):
            return value.value
        return list(value) if isinstance(value, tuple) else value

    @property
    def range_text(self) -> str:
        """The range in words (``1 to 1000``), or ""."""
        return range_text(self.minimum, self.maximum)

    def _check_enum(self, value: Any) -> Enum:
        members: list[Enum] = list(self.kind.__members__.values())
        if isinstance(value, self.kind) and isinstance(value, Enum):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(members):
            return members[value]
        if isinstance(value, str):
            wanted = value.translate(_BETWEEN_WORDS).casefold()
            for member in members:
                if member.name.casefold() == wanted:
                    return member
        names = ", ".join(str(self.to_json(member)) for member in members)
        raise self._refuse(f"expected one of {names}; found {shown(value)}")

    def _refuse(self, message: str) -> InvalidRequest:
        return InvalidRequest(self.name, message)


def param(
    default: Any,
    text: str = "",
    *,
    reads: Reads | None = None,
    low: float | None = None,
    high: float | None = None,
    structural: bool = False,
    is_exit: bool = False,
    multiline: bool = False,
    references: bool = False,
    is_template: bool = False,
    file_kind: FileKind | None = None,
    text_rule: Callable[[str], str] | None = None,
    client_enum: str = "",
    zero: str = "",
) -> Any:
    """Declare a parameter of a table; the arguments are the fields of `ParamSpec`.

    A table whose parameter has no `text` or no `reads` is refused when its node type is defined.
    """
    meta = {
        "help": text,
        "reads": reads,
        "minimum": low,
        "maximum": high,
        "structural": structural or is_exit,
        "is_exit": is_exit,
        "multiline": multiline,
        "references": references,
        "is_template": is_template,
        "file_kind": file_kind,
        "text_rule": text_rule,
        "client_enum": client_enum,
        "zero": zero,
    }
    return field(default=default, metadata=meta)


def exit_param(when: str) -> Any:
    """Declare an exit: the name of the node that runs `when` something is so."""
    return param("", f"Node to run {when}. Empty = end the turn.", reads=Reads.WALK, is_exit=True)


def input_param() -> Any:
    """Declare the text that a node searches with."""
    return param(
        "",
        "Text to search with: the player's message or an earlier node's output. "
        "Empty = the player's message.",
        reads=Reads.SEARCH,
        structural=True,
        references=True,
    )


def source_param() -> Any:
    """Declare the name under which a node attaches what it finds."""
    return param(
        "",
        "Name that templates use for these results (knowledge_NAME). Empty = the node's name.",
        reads=Reads.PROMPT,
    )


@dataclass(frozen=True, kw_only=True)
class NodeParams:
    """Base of the parameter tables; ``SpeakParams`` are those of the node type ``Speak``."""

    node_type: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        """Name the node type."""
        cls.node_type = cls.__name__.removesuffix("Params")

    @classmethod
    def specs(cls) -> dict[str, ParamSpec]:
        """Return the parameters by name, in the order of the reference page."""
        known = _specs.get(cls)
        if known is None:
            known = _specs[cls] = _specs_of(cls)
        return known

    def __post_init__(self) -> None:
        """Give each value its parameter's type; one that is refused stays, for the checks."""
        for name, spec in self.specs().items():
            value = getattr(self, name)
            if type(value) is not spec.kind:
                with suppress(InspectorError):
                    object.__setattr__(self, name, spec.check(value))

    def sound(self) -> Self:
        """Return the parameters with those at their default whose value is refused."""
        defaults: dict[str, Any] = {}
        for name, spec in self.specs().items():
            try:
                spec.check(getattr(self, name))
            except InspectorError:
                defaults[name] = spec.default
        return replace(self, **defaults) if defaults else self

    def search_key(self) -> Self:
        """Return the parameters with those at their default that no search depends on."""
        idle = {
            name: spec.default
            for name, spec in self.specs().items()
            if not spec.reads & (Reads.SEARCH | Reads.WALK)
        }
        return replace(self, **idle)

    def in_force(self, name: str) -> bool:
        """Tell whether a parameter is read at all, as the others are set."""
        del name
        return True

    @classmethod
    def storage_spec(cls) -> ParamSpec | None:
        """Return the parameter that names a file, or None."""
        return next((spec for spec in cls.specs().values() if spec.file_kind is not None), None)

    @classmethod
    def exits(cls) -> dict[str, str]:
        """Map exit route → the parameter that names its target, e.g. ``found`` → ``found_exit``."""
        return {
            name.removesuffix("_exit"): name for name, spec in cls.specs().items() if spec.is_exit
        }

    def exit_targets(self) -> dict[str, str]:
        """Map exit route → its target's name, "" for the end of the turn."""
        return {route: getattr(self, name) for route, name in self.exits().items()}


_specs: dict[type[NodeParams], dict[str, ParamSpec]] = {}


def _specs_of(table: type[NodeParams]) -> dict[str, ParamSpec]:
    hints = get_type_hints(table)
    specs = {}
    for item in fields(table):
        missing = [part for part in ("help", "reads") if not item.metadata.get(part)]
        if missing:
            raise TypeError(f"{table.__name__}.{item.name} has no {' and no '.join(missing)}")
        hint = hints[item.name]
        kind = hint if isinstance(hint, type) and hint.__class__ is not type(tuple[str]) else tuple
        specs[item.name] = ParamSpec(item.name, kind, item.default, **item.metadata)
    return specs


def numbers_problem(text: str) -> str:
    """Say what is wrong with the text of an object of numbers of 0 or more, "" when nothing is."""
    return _object_problem(
        text,
        lambda value: (
            isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < math.inf
        ),
        "a number of 0 or more",
    )


def scalars_problem(text: str) -> str:
    """Say what is wrong with the text of an object of texts, numbers and truths."""
    return _object_problem(
        text,
        lambda value: isinstance(value, str | int | float) and value == value,
        "a text, a number, true or false",
    )


def _object_problem(text: str, fits: Callable[[Any], bool], wanted: str) -> str:
    if not text.strip():
        return ""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        mistake = why_no_json(text, "the text")
        hint = f" ({mistake.hint})" if mistake and mistake.hint else ""
        return f"invalid JSON {mistake or error}{hint}"
    if not isinstance(values, dict):
        return "expected a JSON object of name: value"
    for name, value in values.items():
        if not fits(value):
            return f"{name}: expected {wanted}, found {json.dumps(value)[:60]}"
    return ""
