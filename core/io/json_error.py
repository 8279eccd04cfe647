"""Says in a designer's words why a text is no JSON, where, and what to do about it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from core.io.json_path import line_and_column

_STRING_OR_BRACKET = re.compile(r'"(?>[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_BAD_NUMBER = re.compile(r"[-+]?(?:nan|infinity|inf)\b", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_PYTHON_WORD = re.compile(r"(?:True|False|None)\b")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_WORD = re.compile(r"[^\W\d][\w-]*")
_PYTHON_TO_JSON = {"True": "true", "False": "false", "None": "null"}
_CONTROLS = {"\n": "a line break", "\r": "a line break", "\t": "a tab"}
_LOOK_BACK = 4096


@dataclass(frozen=True, slots=True)
class JsonProblem:
    """Why a text is no JSON; `position` counts characters from 0."""

    position: int
    message: str
    hint: str = ""


def explain(text: str, position: int, reason: str) -> JsonProblem:
    """Explain a parser's refusal.

    Parameters
    ----------
    text : the whole text.
    position : where the parser stopped, in characters.
    reason : what the parser said; only used for what the text alone does not tell.
    """
    if "depth" in reason or "ecursion" in reason:
        return JsonProblem(position, "brackets are nested too deep", "flatten the data")
    if position >= len(text.rstrip(" \t\r\n")):
        return _cut_short(text)
    return (
        _inside_a_text(text, position)
        or _wrong_value(text, position)
        or _wrong_order(text, position, reason)
        or JsonProblem(position, f"{_shown(text[position])} is not expected here")
    )


def _cut_short(text: str) -> JsonProblem:
    """Name what is still open at the end: the string that never ends, or the innermost bracket."""
    stack: list[int] = []
    end = len(text.rstrip(" \t\r\n"))
    for match in _STRING_OR_BRACKET.finditer(text):
        token = match[0]
        if token in ("[", "{"):
            stack.append(match.start())
        elif token in ("]", "}"):
            if stack:
                stack.pop()
        elif len(token) == 1 or not token.endswith('"'):
            line, column = line_and_column(text, match.start())
            return JsonProblem(
                end, "the file ends inside a text", f'close the " of line {line}, column {column}'
            )
    if not stack:
        return JsonProblem(end, "the file ends too early", "a value is missing at its end")
    line, column = line_and_column(text, stack[-1])
    bracket = text[stack[-1]]
    closing = "]" if bracket == "[" else "}"
    return JsonProblem(
        end,
        "the file ends too early",
        (
            f"close the {bracket} of line {line}, column {column} with {closing}, "
            "or restore the rest of the file"
        ),
    )


def _inside_a_text(text: str, position: int) -> JsonProblem | None:
    sign = text[position]
    if sign < " " and sign not in "\t\r\n":
        return JsonProblem(
            position, f"the control character U+{ord(sign):04X} is not allowed", "remove it"
        )
    if sign in _CONTROLS:
        return JsonProblem(
            position,
            f"{_CONTROLS[sign]} inside a text",
            (
                'a closing " is missing before it; a line break inside a text is written \\n, '
                "a tab \\t"
            ),
        )
    if sign != "\\":
        return None
    surrogate = _SURROGATE.match(text, position)
    if surrogate:
        return JsonProblem(
            position,
            f"the lone surrogate {surrogate[0]} is half a character",
            "write the character itself, or both halves",
        )
    return JsonProblem(
        position,
        f"{text[position : position + 2]} is no escape sequence",
        "a backslash is written \\\\",
    )


def _wrong_value(text: str, position: int) -> JsonProblem | None:
    bad = _BAD_NUMBER.match(text, position) or (
        _BAD_NUMBER.match(text, position - 1) if position else None
    )
    if bad:
        return JsonProblem(
            bad.start(),
            f"{bad[0]} is no JSON number",
            "write a finite number, or leave the key out",
        )
    number = _NUMBER.match(text, position)
    if number and math.isinf(float(number[0])):
        return JsonProblem(position, f"the number {number[0][:40]} is too large")
    word = _PYTHON_WORD.match(text, position)
    if word:
        return JsonProblem(
            position, f"{word[0]} is no JSON value", f"write {_PYTHON_TO_JSON[word[0]]}"
        )
    if text[position] in "'\u2018\u2019\u201c\u201d":
        return JsonProblem(
            position,
            f"{_shown(text[position])} does not start a text",
            'use straight double quotes: "',
        )
    if text[position] in "/#":
        return JsonProblem(position, "JSON has no comments", "remove the comment")
    return None


def _wrong_order(text: str, position: int, reason: str) -> JsonProblem | None:
    sign = text[position]
    before = text[max(0, position - _LOOK_BACK) : position].rstrip(" \t\r\n")
    if "after doc" in reason or ("trailing" in reason and sign != ","):
        return JsonProblem(
            position,
            "the file goes on after its end",
            "remove what follows, or the bracket that closes too early",
        )
    after = text[position + 1 : position + _LOOK_BACK].lstrip(" \t\r\n")
    if before.endswith(",") if sign in "]}" else sign == "," and after.startswith(("]", "}")):
        return JsonProblem(position, "a comma with nothing after it", "remove the comma")
    if sign == ",":
        return JsonProblem(position, "a comma with nothing before it", "remove the comma")
    if "':'" in reason:
        return JsonProblem(
            position,
            f"expected : after the key, found {_shown(sign)}",
            'a key and its value are written "key": value',
        )
    word = _WORD.match(text, position)
    if before.endswith(("{", ",", "[", ":")):
        if word:
            return JsonProblem(
                position, f"{word[0][:40]} is not in quotes", f'write "{word[0][:40]}"'
            )
        return None
    if sign in '"{[' or word or sign.isdigit() or sign == "-":
        return JsonProblem(
            position,
            f"a comma is missing before {_shown(sign)}",
            "put a comma between the two values",
        )
    if sign in "]}":
        return JsonProblem(
            position,
            f"{sign} closes nothing, or something is missing before it",
            "check the brackets and values before it",
        )
    return None


def _shown(sign: str) -> str:
    return sign if sign.isprintable() else f"U+{ord(sign):04X}"
