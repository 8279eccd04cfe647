"""Texts that several views say in the same words."""

from __future__ import annotations

import html
from bisect import bisect_right
from typing import TYPE_CHECKING

from core.io.wording import cut

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.errors import InspectorError
    from core.io.findings import Finding
    from core.nodes import ParamSpec

TOOLTIP_CHARACTERS = 2000
_LINE_CHARACTERS = 500


def tooltip(text: str) -> str:
    """Return `text` for a tooltip: escaped, since Qt takes a tooltip for HTML if it looks so."""
    if not text:
        return ""
    return f"<qt>{html.escape(cut(text, TOOLTIP_CHARACTERS)).replace(chr(10), '<br>')}</qt>"


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
    """Describe a parameter for a tooltip: meaning, range, default."""
    default = spec.to_json(spec.default)
    shown = (
        {"": "empty", False: "no", True: "yes"}.get(default, default)
        if not isinstance(default, list)
        else "empty"
    )
    parts = [spec.help]
    if spec.range_text:
        parts.append(f"Range: {spec.range_text}.")
    if not spec.is_exit:
        parts.append(f"Default: {shown}.")
    return "\n".join(part for part in parts if part)
