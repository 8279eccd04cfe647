"""Texts that several views say in the same words."""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from typing import TYPE_CHECKING

from core.io.wording import cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.errors import InspectorError
    from core.io.findings import Finding
    from core.nodes import ParamSpec

MOST_CHARACTERS = 200_000
"""Of a longer text a view shows the beginning only: laying out a megabyte takes a second."""

TOOLTIP_CHARACTERS = 2000
_LINE_CHARACTERS = 500
_LEGS = {"fts": "words", "dense": "meaning", "fts+dense": "words and meaning"}
_PIECE_OF_WORD = re.compile(r"\S{200}(?=\S)")
_MAY_BREAK = "\u200b"


def beginning(text: str, note: str = "") -> str:
    """Return what a view shows of a text: all of it, or its beginning and a line that says so."""
    if len(text) <= MOST_CHARACTERS:
        return text
    said = f"the first {MOST_CHARACTERS:,} of {len(text):,} characters{note}"
    return f"{text[:MOST_CHARACTERS]}…\n[{said}]"


def as_lines(text: str) -> str:
    r"""Return a text of the same length whose lines end in ``\n``: Qt would join ``\r\n``."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def match_words(reason: str) -> str:
    """Return which legs found a node in a designer's words; other reasons as they are."""
    return _LEGS.get(reason, reason)


def tooltip(text: str) -> str:
    """Return `text` for a tooltip: escaped, since Qt takes a tooltip for HTML if it looks so.

    A long word may break, for a tooltip is as wide as its widest.
    """
    if not text:
        return ""
    shown = _PIECE_OF_WORD.sub(rf"\g<0>{_MAY_BREAK}", cut(text, TOOLTIP_CHARACTERS))
    return f"<qt>{html.escape(shown).replace(chr(10), '<br>')}</qt>"


def one_line(text: str) -> str:
    """Return the beginning of `text` on one line: as much as a cell can show."""
    return " ".join(text[:_LINE_CHARACTERS].split())


def qt_places(text: str) -> Callable[[int], int]:
    """Return a function from a place in `text` to the same place in Qt's UTF-16 units."""
    if text.isascii():
        return lambda place: place
    wide = [index for index, character in enumerate(text) if ord(character) > 0xFFFF]
    return lambda place: place + bisect_right(wide, place - 1)


def error_text(error: InspectorError | Finding) -> str:
    """Return ``3007 InvalidParamValue: 2.1 is out of range: 0 to 2`` and the hint."""
    hint = f" ({error.hint})" if error.hint else ""
    return f"{int(error.code)} {error.code.name}: {error.message}{hint}"


def param_tip(spec: ParamSpec) -> str:
    """Describe a parameter for a tooltip: its own name and meaning, range, default."""
    default = spec.to_json(spec.default)
    shown = (
        {"": "empty", False: "no", True: "yes"}.get(default, default)
        if not isinstance(default, list)
        else "empty"
    )
    parts = [f"{spec.name}: {spec.help}"]
    if spec.range_text:
        parts.append(f"Range: {spec.range_text}.")
    if not spec.is_exit:
        parts.append(f"Default: {shown}.")
    return "\n".join(part for part in parts if part)
