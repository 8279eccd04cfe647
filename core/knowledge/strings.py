"""String storages: lists, maps and multimaps of lines, labels and patterns."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from core.errors import Code, Place
from core.io.findings import Finding, Findings
from core.io.foreign import foreign_page
from core.io.json_file import (
    add_foreign,
    describe,
    read_json,
    read_text,
    refuse_errors,
    with_lines,
)

if TYPE_CHECKING:
    from pathlib import Path

MULTIMAP_SUFFIX = ".mm.json"
LIST_SUFFIX = ".txt"


class StringKind(Enum):
    """LIST has values only, MAP one value a key, MULTIMAP any number."""

    LIST = "List"
    MAP = "Map"
    MULTIMAP = "Multimap"


@dataclass(frozen=True, slots=True)
class StringStorage:
    """The entries of a string storage; a file's name says which kind it is.

    keys : sorted by code point, in file order where they are equal; () for a list.
    values : of the keys, one each; of a list in file order.
    findings : the warnings of the file.
    """

    path: Path
    kind: StringKind
    keys: tuple[str, ...]
    values: tuple[str, ...]
    findings: tuple[Finding, ...] = ()

    @classmethod
    def load(cls, path: Path) -> StringStorage:
        """Read ``.txt`` as a list, ``.mm.json`` as a multimap, any other file as a map.

        A list has one value a line, kept as it is; blank lines and those that start with ``#``
        are skipped.

        Raises
        ------
        FileRefused
            With all findings, code 7003, or 3010 and 3011 where there is no such file.
        """
        findings = Findings(Code.InvalidStringStorageData, str(path))
        name = path.name.casefold()
        keys: list[str] = []
        if name.endswith(LIST_SUFFIX):
            kind = StringKind.LIST
            text = read_text(path, findings) or ""
            if found := foreign_page(text):
                add_foreign(findings, found)
            lines = [line.removesuffix("\r") for line in text.split("\n")]
            values = [line for line in lines if line.strip() and not line.startswith("#")]
        else:
            kind = StringKind.MULTIMAP if name.endswith(MULTIMAP_SUFFIX) else StringKind.MAP
            keys, values = _entries(read_json(path, findings), kind, findings)
        refuse_errors(findings)
        if not values:
            findings.warning(
                "there are no strings in it",
                place=Place(findings.file),
                hint="a node that uses it has nothing to say",
            )
        return cls(path, kind, tuple(keys), tuple(values), with_lines(findings))

    def find_first(self, key: str) -> str | None:
        """Return the key's value, of several the first in the file; None when there is none."""
        found = self.find_all(key)
        return found[0] if found else None

    def find_all(self, key: str) -> tuple[str, ...]:
        """Return all values of a key, in file order."""
        start = end = bisect_left(self.keys, key)
        while end < len(self.keys) and self.keys[end] == key:
            end += 1
        return self.values[start:end]


def _entries(document: Any, kind: StringKind, findings: Findings) -> tuple[list[str], list[str]]:
    if findings.has_errors:
        return [], []
    if not isinstance(document, list):
        findings.error(
            f"expected a list of strings with ids, found {describe(document)}",
            hint='a string map is [{"id": "…", "text": "…"}, …]',
        )
        return [], []
    first: dict[str, int] = {}
    entries: list[tuple[str, str]] = []
    for index, entry in enumerate(document):
        if findings.full:
            break
        where = f"[{index}]"
        if not isinstance(entry, dict):
            findings.error(
                f"expected an entry, found {describe(entry)}",
                where,
                hint='an entry is {"id": "…", "text": "…"}',
            )
            continue
        key, text = entry.get("id"), entry.get("text")
        if not isinstance(key, str) or not key:
            what = describe(key) if "id" in entry else "none"
            findings.error(f"expected an id, found {what}", f"{where}.id")
        elif key in first and kind is StringKind.MAP:
            findings.error(
                f"the id {describe(key).removeprefix('the text ')} is there twice: "
                f"[{first[key]}] and {where}",
                f"{where}.id",
                hint=f"give it an id of its own, or call the file *{MULTIMAP_SUFFIX}",
            )
        if not isinstance(text, str):
            what = describe(text) if "text" in entry else "none"
            findings.error(f"expected a text, found {what}", f"{where}.text")
        if isinstance(key, str) and isinstance(text, str):
            first.setdefault(key, index)
            entries.append((key, text))
    entries.sort(key=lambda entry: entry[0])
    return [key for key, _ in entries], [text for _, text in entries]
