"""Values as the literals of four languages, exact to the last character."""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

if TYPE_CHECKING:
    from core.nodes.params import ParamSpec

_ONE_LITERAL = 80
"""Characters up to which a text stays one literal, and where long lines are cut."""
_MOST_ADJACENT_BYTES = 30_000
"""MSVC refuses literals beyond 65 535 bytes, adjacent ones together."""
_INDENT = "\n    "
_INNER = "\n        "
_WORD = re.compile(r"[A-Za-z0-9]+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def enum_name(spec: ParamSpec) -> str:
    """Return what the client API calls a parameter's enumeration."""
    return spec.client_enum or spec.kind.__name__


def pieces(text: str) -> list[str]:
    """Cut a text after its line ends, and its long lines after a space where there is one.

    A short text stays whole; ``"".join`` of the pieces is the text.
    """
    if len(text) <= _ONE_LITERAL:
        return [text]
    found = []
    for line in _LINE.findall(text):
        start = 0
        while len(line) - start > _ONE_LITERAL:
            end = line.rfind(" ", start, start + _ONE_LITERAL) + 1 or start + _ONE_LITERAL
            found.append(line[start:end])
            start = end
        found.append(line[start:])
    return found


def short_float32(value: float) -> str:
    """Return the shortest decimal that is read back as the float32 closest to `value`."""
    return np.format_float_positional(np.float32(value), unique=True, trim="0")


def _words(node: str) -> list[str]:
    words = _WORD.findall(node)
    return words if words and not words[0][0].isdigit() else ["node", *words]


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


class Literals:
    """Base: how one language writes values.

    comment : what begins a comment.
    list_form : a list around its elements.
    """

    comment: ClassVar[str] = "//"
    list_form: ClassVar[str] = "{{{}}}"

    def value(self, spec: ParamSpec, value: Any) -> str:
        """Return a parameter's value; long texts take several lines."""
        if isinstance(value, Enum):
            return self.member(enum_name(spec), value)
        if isinstance(value, bool):
            return self.truth(value)
        if spec.kind is float:
            return self.decimal(value)
        if isinstance(value, int):
            return str(value)
        if isinstance(value, tuple):
            return self.list_form.format(", ".join(self.text(item) for item in value))
        return self.text(value)

    def text(self, value: str) -> str:
        """Return a text as an expression of one or more literals."""
        raise NotImplementedError

    def member(self, kind: str, value: Enum) -> str:
        """Return a member of an enumeration.

        Parameters
        ----------
        kind : what the client API calls the enumeration.
        """
        raise NotImplementedError

    def truth(self, value: bool) -> str:
        """Return true or false."""
        return "true" if value else "false"

    def decimal(self, value: float) -> str:
        """Return a float32."""
        return short_float32(value) + "f"

    def name(self, name: str) -> str:
        """Return a name for a comment: what would end the line or cannot be seen, escaped."""
        return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in name)

    def variable(self, node: str) -> str:
        """Return the name of a variable for a node's table; never a word of the language."""
        first, *others = _words(node)
        return f"{first.lower()}{''.join(map(_capital, others))}Params"

    def quoted(self, text: str) -> str:
        """Return one literal."""
        return f'"{"".join(_ESCAPES.get(c) or self.escaped(c) for c in text)}"'

    def escaped(self, character: str) -> str:
        """Return a character in a literal; quotes, backslash and line ends are dealt with."""
        if character.isprintable():
            return character
        code = ord(character)
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


class PythonLiterals(Literals):
    """Python 3."""

    comment = "#"
    list_form = "[{}]"

    def text(self, value: str) -> str:
        """Return one literal, or several in parentheses."""
        parts = [self.quoted(part) for part in pieces(value)]
        return parts[0] if len(parts) == 1 else f"({_INDENT}{_INDENT.join(parts)})"

    def member(self, kind: str, value: Enum) -> str:
        """Return ``Placement.InPlaceOfUser``; those whose values are texts, as text."""
        if isinstance(value, str):
            return self.quoted(str(value))
        return f"{kind}.{value.name}"

    def truth(self, value: bool) -> str:
        """Return True or False."""
        return str(value)

    def decimal(self, value: float) -> str:
        """Return the number; the client makes a float32 of it."""
        return repr(value)


class UnityLiterals(Literals):
    """C#, whose sources are UTF-8: what can be seen stays as it is."""

    list_form = "new[] {{ {} }}"

    def text(self, value: str) -> str:
        """Return one literal, or several joined by the compiler."""
        parts = [self.quoted(part) for part in pieces(value)]
        return parts[0] if len(parts) == 1 else _INDENT + f" +{_INDENT}".join(parts)

    def member(self, kind: str, value: Enum) -> str:
        """Return ``TryllPlacement.InPlaceOfUser``."""
        return f"Tryll{kind}.{value.name}"


class _CFamily(Literals):
    """C++: adjacent literals are one; ASCII only, as compilers disagree on a source's encoding."""

    def text(self, value: str) -> str:
        """Return adjacent literals; very long texts, and those with a NUL, as a sum of strings."""
        groups: list[list[str]] = [[]]
        room = _MOST_ADJACENT_BYTES
        for part in pieces(value):
            room -= 2 * self.units(part)
            if room < 0:
                groups.append([])
                room = _MOST_ADJACENT_BYTES - 2 * self.units(part)
            groups[-1].append(part)
        if len(groups) == 1 and "\0" not in value:
            parts = [self.quoted(part) for part in groups[0]]
            return parts[0] if len(parts) == 1 else _INDENT + _INDENT.join(parts)
        return _INDENT + f" +{_INDENT}".join(self.string(group) for group in groups)

    def quoted(self, text: str) -> str:
        """Return one literal without trigraphs: ``??`` never stands in it."""
        return super().quoted(text).replace("??", "?\\?").replace("??", "?\\?")

    def string(self, parts: list[str]) -> str:
        """Return a string object of a known length, so that a NUL does not end it."""
        raise NotImplementedError

    def units(self, text: str) -> int:
        """Return the length of a text in the string's own units."""
        raise NotImplementedError


class CppLiterals(_CFamily):
    """Standard C++: ``std::string`` of UTF-8."""

    def member(self, kind: str, value: Enum) -> str:
        """Return ``::Tryll::Placement_InPlaceOfUser``."""
        return f"::Tryll::{kind}_{value.name}"

    def variable(self, node: str) -> str:
        """Return ``small_talk_params``."""
        return f"{'_'.join(_words(node)).lower()}_params"

    def escaped(self, character: str) -> str:
        """Return ASCII as it is and all else as the octal bytes of UTF-8, three digits each."""
        if character.isascii() and character.isprintable():
            return character
        return "".join(f"\\{byte:03o}" for byte in character.encode())

    def string(self, parts: list[str]) -> str:
        """Return ``std::string("…", length)``."""
        quoted = _INNER.join(self.quoted(part) for part in parts)
        return f"std::string({quoted}, {self.units(''.join(parts))})"

    def units(self, text: str) -> int:
        """Return the bytes in UTF-8."""
        return len(text.encode())


class UnrealLiterals(_CFamily):
    """Unreal's C++: ``TEXT("…")`` of UTF-16."""

    def quoted(self, text: str) -> str:
        """Return one literal in its macro."""
        return f"TEXT({super().quoted(text)})"

    def member(self, kind: str, value: Enum) -> str:
        """Return ``ETryllPlacement::InPlaceOfUser``."""
        return f"ETryll{kind}::{value.name}"

    def variable(self, node: str) -> str:
        """Return ``SmallTalkParams``."""
        return f"{''.join(map(_capital, _words(node)))}Params"

    def escaped(self, character: str) -> str:
        """Return ASCII as it is, its control characters in octal, and all else by its code."""
        code = ord(character)
        if code < 0x80:
            return character if character.isprintable() else f"\\{code:03o}"
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"

    def string(self, parts: list[str]) -> str:
        """Return an ``FString`` of a known length."""
        quoted = _INNER.join(self.quoted(part) for part in parts)
        return f"FString::ConstructFromPtrSize({quoted}, {self.units(''.join(parts))})"

    def units(self, text: str) -> int:
        """Return the code units in UTF-16."""
        return len(text.encode("utf-16-le")) // 2
