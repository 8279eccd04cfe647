"""Tells what kind of file a file is, from its content and, where that leaves it open, its name."""

from __future__ import annotations

import difflib
import re
import stat
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING

import orjson

from core.io.foreign import foreign_file
from core.knowledge.turn_marks import WRAPPED, holds_turn, is_flat

if TYPE_CHECKING:
    from pathlib import Path


class FileKind(Enum):
    """Kinds of files; the value says it in words.

    RECORDS is any array, so a string map too: the two have the same shape. KNOWLEDGE is a
    knowledge config; as what a node expects (see `accepted_kinds`), anything with records. STRINGS
    and MAP are only expected, never detected. CORPUS, where it is expected, is any folder, or
    anything with records.
    """

    GRAPH = "a graph"
    KNOWLEDGE = "a knowledge config"
    RECORDS = "a list of records"
    JSONL = "records in JSON Lines"
    PROJECT = "a dataset builder's project"
    MEMORY = "a memory store"
    LIST = "a list of strings"
    MAP = "a string map"
    MULTIMAP = "a string multimap"
    STRINGS = "a string storage"
    SCHEMAS = "a schema catalog"
    KNOWLEDGE_GRAPH = "a knowledge graph"
    CORPUS = "a folder of Markdown files"
    TURN = "a recorded turn"
    UNKNOWN = "an unknown kind of file"


_ACCEPTED = {
    FileKind.KNOWLEDGE: frozenset(
        {FileKind.KNOWLEDGE, FileKind.RECORDS, FileKind.JSONL, FileKind.PROJECT, FileKind.MEMORY}
    ),
    FileKind.RECORDS: frozenset({FileKind.RECORDS, FileKind.JSONL, FileKind.PROJECT}),
    FileKind.STRINGS: frozenset({FileKind.LIST, FileKind.RECORDS, FileKind.MULTIMAP}),
    FileKind.MAP: frozenset({FileKind.RECORDS}),
    FileKind.CORPUS: frozenset(
        {
            FileKind.CORPUS,
            FileKind.KNOWLEDGE,
            FileKind.RECORDS,
            FileKind.JSONL,
            FileKind.PROJECT,
            FileKind.MEMORY,
        }
    ),
}
MARKDOWN_SUFFIXES = (".md", ".markdown")
CROSS_LINKS = "cross_links.json"

_FRONT_MATTER = b"---"
_MOST_ENTRIES = 1000
_HEAD_BYTES = 16 << 10
_LONG_HEAD_BYTES = 1 << 20
_WHOLE_BYTES = 64 << 20
_TOKEN = re.compile(r'("(?>[^"\\]++|\\.)*+"?)\s*+(:)?|([\[{])|([\]}])|[^\s"\[\]{}]++', re.DOTALL)
_CONFIG_KEYS = ("records_file", "embedding_model")
_GRAPH_KEYS = ("start_node", "nodes")
_RECORD_KEYS = frozenset({"id", "text"})
_TURN_KEYS = frozenset({WRAPPED, "status", "nodes"})
_NAMED = (
    ("schemas.json", FileKind.SCHEMAS),
    (".graph.json", FileKind.GRAPH),
    (".mm.json", FileKind.MULTIMAP),
    (".kb.json", FileKind.RECORDS),
)


@dataclass(frozen=True, slots=True)
class _Outline:
    """What the head of a file shows.

    opening : its first bracket.
    keys, element_keys : those of the top level, and of the objects inside its first list.
    goes_on : another object follows the first.
    complete : the first object's end was seen.
    """

    opening: str
    keys: frozenset[str]
    element_keys: frozenset[str]
    goes_on: bool
    complete: bool


def accepted_kinds(expected: FileKind) -> frozenset[FileKind]:
    """Return the detected kinds that are good where `expected` is wanted."""
    return _ACCEPTED.get(expected, frozenset({expected}))


def kind_of(path: Path) -> FileKind:
    """Tell what kind of file `path` is; UNKNOWN for what cannot be read.

    A folder is a CORPUS when there are Markdown files with front matter in it or in the folders
    in it, or a ``cross_links.json``, and UNKNOWN otherwise. Of a file it reads the first 16 KiB,
    and more only where these do not tell. A ``.json`` file that is no valid JSON is
    taken for what its first keys or its name say, else for a knowledge config, so that its loader
    can say where it is broken.
    """
    kind, guess = _look_at(path)
    return kind or guess


def certain_kind(path: Path) -> FileKind | None:
    """Tell the kind as `kind_of` does, but None for JSON that is broken or like nothing we know."""
    kind, guess = _look_at(path)
    return kind or (
        FileKind.UNKNOWN if guess is FileKind.UNKNOWN and path.suffix != ".json" else None
    )


def _look_at(path: Path) -> tuple[FileKind | None, FileKind]:
    """Return what the content shows, and what to guess where it shows nothing."""
    name = path.name.casefold()
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            folder = FileKind.CORPUS if _is_corpus(path) else FileKind.UNKNOWN
            return folder, folder
        if not stat.S_ISREG(status.st_mode):
            return FileKind.UNKNOWN, FileKind.UNKNOWN
        if name.endswith(".txt"):
            return FileKind.LIST, FileKind.LIST
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
            if name.endswith((".jsonl", ".ndjson")):
                lines = (
                    _kind_of_lines(head)
                    or _kind_of_lines(head + file.read(_LONG_HEAD_BYTES))
                    or FileKind.JSONL
                )
                return lines, lines
            outline = _outline(head.decode("utf-8-sig", errors="replace"))
            if outline.opening == "[" and not (_RECORD_KEYS | _TURN_KEYS) & outline.element_keys:
                head += file.read(_LONG_HEAD_BYTES)
                outline = _outline(head.decode("utf-8-sig", errors="replace"))
            kind = _kind(outline, name)
            if kind is not None:
                return kind, kind
            data = head + (file.read() if status.st_size <= _WHOLE_BYTES else b"")
    except (OSError, ValueError):
        return FileKind.UNKNOWN, FileKind.UNKNOWN
    return _look_at_whole(data, outline, name)


def described(path: Path, kind: FileKind) -> str:
    """Say what a file is: its kind, and of an unknown kind what it looks like."""
    found = foreign_file(path) if kind is FileKind.UNKNOWN else None
    return kind.value if found is None else f"{found.what} ({found.hint})"


def _is_corpus(folder: Path) -> bool:
    folders = [folder, *(entry for entry in _entries(folder) if entry.is_dir())]
    return (folder / CROSS_LINKS).is_file() or any(
        _has_front_matter(file)
        for place in folders
        for file in _entries(place)
        if file.name.lower().endswith(MARKDOWN_SUFFIXES)
    )


def _entries(folder: Path) -> list[Path]:
    """List what lies in a folder, without what starts with a dot, up to a limit."""
    entries = (entry for entry in folder.iterdir() if not entry.name.startswith("."))
    return sorted(islice(entries, _MOST_ENTRIES))


def _has_front_matter(file: Path) -> bool:
    try:
        with file.open("rb") as stream:
            return stream.readline(_HEAD_BYTES).rstrip() == _FRONT_MATTER
    except OSError:
        return False


def _look_at_whole(data: bytes, outline: _Outline, name: str) -> tuple[FileKind | None, FileKind]:
    by_name = next((kind for suffix, kind in _NAMED if name.endswith(suffix)), None)
    keys = outline.keys
    kind = None
    otherwise = FileKind.UNKNOWN
    try:
        document = orjson.loads(data.removeprefix(b"\xef\xbb\xbf"))
        if isinstance(document, dict):
            keys = frozenset(document)
            kind = _kind(_Outline("{", keys, outline.element_keys, False, True), name)
            if kind is None and holds_turn(document):
                kind = FileKind.TURN
        else:
            keys = frozenset()
    except orjson.JSONDecodeError:
        if name.endswith(".json"):
            otherwise = FileKind.KNOWLEDGE
    return kind, by_name or _kind_by_similar_keys(keys) or otherwise


def _kind(outline: _Outline, name: str) -> FileKind | None:
    if outline.opening == "[":
        if _is_turn(outline.element_keys):
            return FileKind.TURN
        return FileKind.MULTIMAP if name.endswith(".mm.json") else FileKind.RECORDS
    if outline.opening != "{":
        return None
    keys = outline.keys
    if WRAPPED in keys or is_flat(keys):
        return FileKind.TURN
    if outline.goes_on and _RECORD_KEYS & keys:
        return FileKind.JSONL
    if "nodes" in keys or "start_node" in keys:
        if "connections" in keys or "node_id" in outline.element_keys:
            return FileKind.KNOWLEDGE_GRAPH
        if (
            "status" in keys
            or "diagnostics" in outline.element_keys
            or {"exit", "next"} <= outline.element_keys
        ):
            return FileKind.TURN
        # Connections may follow the nodes beyond the head.
        undecided = not (outline.complete or "start_node" in keys or outline.element_keys)
        return None if undecided else FileKind.GRAPH
    if "records" in keys and not name.endswith(".kb.json"):
        return FileKind.MEMORY
    if "records_file" in keys:
        return FileKind.KNOWLEDGE
    for key, kind in (("categories", FileKind.PROJECT), ("schemas", FileKind.SCHEMAS)):
        if key in keys:
            return kind
    # A memory store names its embedding model too, before its records.
    return FileKind.KNOWLEDGE if outline.complete and "embedding_model" in keys else None


def _kind_of_lines(head: bytes) -> FileKind | None:
    """Tell records from turns by the first line that shows what it is; None where none does."""
    for line in head.decode("utf-8-sig", errors="replace").split("\n"):
        outline = _outline(line)
        if _is_turn(outline.keys | outline.element_keys) or _is_wrapped_line(line, outline):
            return FileKind.TURN
        if _RECORD_KEYS & outline.keys:
            return FileKind.JSONL
    return None


def _is_wrapped_line(line: str, outline: _Outline) -> bool:
    if _RECORD_KEYS & outline.keys or outline.opening != "{" or not outline.complete:
        return False
    try:
        document = orjson.loads(line)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return False
    return isinstance(document, dict) and holds_turn(document)


def _is_turn(keys: frozenset[str]) -> bool:
    """Tell whether one of several objects with these keys is a turn, and no record."""
    if WRAPPED in keys or {"status", "nodes"} <= keys:
        return True
    return not keys >= _RECORD_KEYS and ("nodes" in keys or is_flat(keys))


def _kind_by_similar_keys(keys: frozenset[str]) -> FileKind | None:
    for known, kind in ((_CONFIG_KEYS, FileKind.KNOWLEDGE), (_GRAPH_KEYS, FileKind.GRAPH)):
        if any(
            difflib.get_close_matches(key, known, n=1, cutoff=0.8)
            for key in list(keys)[:100]
            if len(key) < 40
        ):
            return kind
    return None


def _outline(head: str) -> _Outline:
    opening = ""
    keys: set[str] = set()
    element_keys: set[str] = set()
    brackets: list[str] = []
    lists_seen = 0
    ended = False
    for match in _TOKEN.finditer(head):
        text, colon, opened, closed = match.groups()
        if ended:
            return _Outline(opening, frozenset(keys), frozenset(element_keys), opened == "{", True)
        if opened:
            opening = opening or opened
            lists_seen += opened == "["
            brackets.append(opened)
        elif closed:
            if brackets:
                brackets.pop()
            ended = not brackets
        elif text and colon:
            if brackets == ["{"]:
                keys.add(text[1:-1])
            elif brackets[-2:] == ["[", "{"] and len(brackets) <= 3 and lists_seen == 1:
                element_keys.add(text[1:-1])
        elif not brackets:
            return _Outline(opening, frozenset(), frozenset(), False, False)
    return _Outline(opening, frozenset(keys), frozenset(element_keys), False, ended)
