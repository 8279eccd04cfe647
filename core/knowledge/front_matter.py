"""The front matter of a Markdown file: a small, strict part of YAML.

Mappings, lists and texts, at most `MAX_DEPTH` deep. Every scalar is a text, so that ``3.10``,
``on`` and ``2024-05-01`` stay what the author wrote; only an empty value, ``~`` and ``null`` are
None. Anchors and aliases (``&``, ``*``) and tags (``!``) are refused: front matter needs
none of them, and they are how a YAML file of a few bytes fills the memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import Place

if TYPE_CHECKING:
    from core.io.findings import Findings

MAX_CHARS = 1 << 16
MAX_DEPTH = 8
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_OPENING = re.compile(r"---[^\S\n]*(\n|\Z)")
_WHOLE = re.compile(r"---[^\S\n]*\n(.*?)\n?^(---|\.\.\.)[^\S\n]*$", re.DOTALL | re.MULTILINE)
_REFUSED = {
    "anchor": "anchors and aliases (& and *) are not used in front matter: quote a text that "
    "starts with one of them",
    "tag": "tags (!) are not used in front matter: quote a text that starts with an exclamation "
    "mark",
}
"""Property of a parser's event → what is said where one has it."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a file's front matter says.

    values : key → text, None, list or mapping of such.
    lines : key → its 1-based line in the file.
    """

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


class _RefusedError(Exception):
    """A construct that is not allowed: the message, and the mark where it stands."""


def front_matter_text(content: str) -> tuple[str | None, bool]:
    """Return the text between the first line ``---`` and the next ``---`` or ``...``, and closed.

    The text is None without a first line ``---``; `closed` is False when no line ends it.
    """
    front = _WHOLE.match(content)
    return (front[1], True) if front else (None, _OPENING.match(content) is None)


def body_of(content: str) -> str:
    """Return what follows the front matter, without blank lines before it; all without one."""
    front = _WHOLE.match(content)
    return content[front.end() :].lstrip("\n") if front else content


def read_front_matter(content: str, findings: Findings) -> FrontMatter:
    """Read the front matter of a Markdown file; problems go to `findings`.

    Parameters
    ----------
    content : the whole file, its lines ended by line feeds.
    findings : collects what is wrong, with line and column.
    """
    text, closed = front_matter_text(content)
    if text is None:
        if not closed:
            findings.warning(
                "the first line opens front matter that no line --- closes",
                place=Place(file=findings.file, line=1),
                hint="close it, or start with another line than ---",
            )
        return FrontMatter()
    if len(text) > MAX_CHARS:
        findings.error(
            f"the front matter has {len(text)} characters, more than {MAX_CHARS}",
            place=Place(file=findings.file, line=1),
        )
        return FrontMatter()
    return _parse(text, findings)


def _parse(text: str, findings: Findings) -> FrontMatter:
    import yaml

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        # A composed tree no longer tells of its anchors, and has grown by them.
        for event in yaml.parse(text, Loader=loader):
            for name, refusal in _REFUSED.items():
                if getattr(event, name, None) is not None:
                    raise _RefusedError(refusal, event.start_mark)
        return _document(yaml.compose(text, Loader=loader))
    except _RefusedError as error:
        message, mark = error.args
    except yaml.MarkedYAMLError as error:
        message = f"the front matter is no valid YAML: {error.problem or error.context}"
        mark = error.problem_mark or error.context_mark
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        message, mark = f"the front matter is no valid YAML: {str(error).splitlines()[0]}", None
    # The opening --- is line 1, so the first line of the YAML is line 2.
    place = (
        Place(file=findings.file, line=mark.line + 2, column=mark.column + 1)
        if mark is not None
        else Place(file=findings.file, line=1)
    )
    findings.error(
        message,
        place=place,
        hint='front matter is lines of key: value; a text with ": ", " #" or a sign at '
        "its start goes in quotes",
    )
    return FrontMatter()


def _document(root: Any) -> FrontMatter:
    if root is None or (root.id == "scalar" and _value(root, 0) is None):
        return FrontMatter()
    if root.id != "mapping":
        raise _RefusedError("the front matter must be lines of key: value", root.start_mark)
    lines: dict[str, int] = {}
    return FrontMatter(_mapping(root, 1, lines), lines)


def _value(node: Any, depth: int) -> Any:
    if node.id == "scalar":
        return None if not node.style and node.value in _NULLS else node.value
    if depth >= MAX_DEPTH:
        raise _RefusedError(f"more than {MAX_DEPTH} levels of front matter", node.start_mark)
    if node.id == "sequence":
        return [_value(item, depth + 1) for item in node.value]
    return _mapping(node, depth + 1, {})


def _mapping(node: Any, depth: int, lines: dict[str, int]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in node.value:
        if key.id != "scalar":
            raise _RefusedError("a key must be a text", key.start_mark)
        name = key.value
        if name in values:
            raise _RefusedError(
                f'the key "{name}" is there twice, first on line {lines[name]}', key.start_mark
            )
        lines[name] = key.start_mark.line + 2
        values[name] = _value(value, depth)
    return values
