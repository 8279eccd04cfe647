"""The front matter of a Markdown file: a small, strict part of YAML.

Mappings, lists and texts, at most `MAX_DEPTH` deep. Every scalar is a text, so that ``3.10``,
``on`` and ``2024-05-01`` stay what the author wrote; only an empty value, ``~`` and ``null`` are
None. Anchors and aliases (``&``, ``*``) and tags (``!``) are refused: front matter needs
none of them, and they are how a YAML file of a few bytes fills the memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.io.findings import Findings

MAX_CHARS = 1 << 16
MAX_DEPTH = 8
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a file's front matter says.

    values : key → text, None, list or mapping of such.
    lines : key → its 1-based line in the file.
    """

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)


class _RefusedError(Exception):
    """A construct that is not allowed, with its 0-based line and column in the front matter."""

    def __init__(self, message: str, mark: Any) -> None:
        super().__init__(message)
        self.mark = mark


def front_matter_text(content: str) -> tuple[str | None, bool]:
    """Return the text between the first line ``---`` and the next ``---`` or ``...``, and closed.

    The text is None without a first line ``---``; `closed` is False when no line ends it.
    """
    first, _, rest = content.partition("\n")
    if first.rstrip() != "---":
        return None, True
    lines: list[str] = []
    for line in rest.split("\n"):
        if line.rstrip() in ("---", "..."):
            return "\n".join(lines), True
        lines.append(line)
    return None, False


def body_of(content: str) -> str:
    """Return what follows the front matter, without blank lines before it; all without one."""
    text, _ = front_matter_text(content)
    if text is None:
        return content
    # The first line, those of the front matter, and the line that ends it.
    lines = content.split("\n")[2 + (text.count("\n") + 1 if text else 0) :]
    return "\n".join(lines).lstrip("\n")


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

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _document(iter(yaml.parse(text, Loader=loader)))
    except _RefusedError as error:
        message, mark = str(error), error.mark
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


def _document(events: Iterator[Any]) -> FrontMatter:
    next(events)  # the start of the stream
    first = next(events)
    if _kind(first) == "StreamEnd":
        return FrontMatter()
    opening = next(events)
    if _kind(opening) == "Scalar" and _scalar(opening) is None:
        return FrontMatter()
    if _kind(opening) != "MappingStart":
        raise _RefusedError("the front matter must be lines of key: value", opening.start_mark)
    _check(opening)
    lines: dict[str, int] = {}
    return FrontMatter(_mapping(events, 1, lines), lines)


def _kind(event: Any) -> str:
    return type(event).__name__.removesuffix("Event")


def _check(event: Any) -> None:
    if _kind(event) == "Alias" or getattr(event, "anchor", None) is not None:
        raise _RefusedError(
            "anchors and aliases (& and *) are not used in front matter: quote a "
            "text that starts with one of them",
            event.start_mark,
        )
    if event.tag is not None:
        raise _RefusedError(
            "tags (!) are not used in front matter: quote a text that starts with "
            "an exclamation mark",
            event.start_mark,
        )


def _scalar(event: Any) -> str | None:
    plain = event.style is None or event.style == ""
    return None if plain and event.value in _NULLS else str(event.value)


def _value(event: Any, events: Iterator[Any], depth: int) -> Any:
    _check(event)
    kind = _kind(event)
    if kind == "Scalar":
        return _scalar(event)
    if depth >= MAX_DEPTH:
        raise _RefusedError(f"more than {MAX_DEPTH} levels of front matter", event.start_mark)
    if kind == "SequenceStart":
        items = []
        while _kind(item := next(events)) != "SequenceEnd":
            items.append(_value(item, events, depth + 1))
        return items
    return _mapping(events, depth + 1, {})


def _mapping(events: Iterator[Any], depth: int, lines: dict[str, int]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    while _kind(event := next(events)) != "MappingEnd":
        _check(event)
        if _kind(event) != "Scalar":
            raise _RefusedError("a key must be a text", event.start_mark)
        key = str(event.value)
        line = event.start_mark.line + 2
        if key in values:
            raise _RefusedError(
                f'the key "{key}" is there twice, first on line {lines[key]}', event.start_mark
            )
        lines[key] = line
        values[key] = _value(next(events), events, depth)
    return values
