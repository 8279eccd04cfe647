"""Memory stores: records that play adds, opened from and saved to a file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson

from core.errors import Code, InspectorError, Place
from core.knowledge.atomic import write_atomically
from core.knowledge.config import warn_unknown_model
from core.knowledge.findings import Finding, Findings
from core.knowledge.jsonfile import describe, read_json, refuse_errors, with_lines
from core.knowledge.records import RecordPlaces, Records, parse_records
from core.search.models import DEFAULT_MODEL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_KEYS = ("name", "schema", "embedding_model", "records")


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """A named store. Never changed: `append` returns another one.

    records : as in the file, keys that nobody knows included.
    extra : the file's other keys, which saving keeps.
    findings : the warnings of the file.
    """

    name: str
    schema: str = ""
    embedding_model: str = DEFAULT_MODEL
    records: tuple[Mapping[str, Any], ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None
    findings: tuple[Finding, ...] = ()

    @classmethod
    def load(cls, path: Path) -> MemoryStore:
        """Read a store's file; it may have no records yet.

        Raises
        ------
        FileRefused
            With all findings, code 8003, or 3010 and 3011 where there is no such file.
        """
        findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
        store, _ = parse_memory(read_json(path, findings), findings, path)
        refuse_errors(findings)
        return replace(store, findings=with_lines(findings))

    def append(self, record: Mapping[str, Any]) -> MemoryStore:
        """Return the store with one more record.

        Raises
        ------
        InspectorError
            8003 when it is no valid record, or its id is there already.
        """
        findings = Findings(Code.InvalidEmbeddedStringStorageData, str(self.path or self.name))
        parse_records([record], findings, RecordPlaces(findings.file, numbers=[len(self.records)]))
        if any(old["id"] == record.get("id") for old in self.records):
            findings.error(f"the id {record.get('id')!r} is there already",
                           f"records[{len(self.records)}].id")
        findings.raise_errors()
        return replace(self, records=(*self.records, record))

    def save(self, path: Path) -> MemoryStore:
        """Write the store atomically and return it with that path.

        Raises
        ------
        InspectorError
            3010 when the file cannot be written, 8003 for metadata that is no JSON; whatever was
            there is unchanged then.
        """
        write_atomically(path, self._pieces(path))
        return replace(self, path=path)

    def _pieces(self, path: Path) -> Iterator[bytes]:
        head = {"name": self.name, "schema": self.schema, "embedding_model": self.embedding_model,
                **self.extra}
        yield json.dumps(head, ensure_ascii=False, indent=1).encode("utf-8").removesuffix(b"\n}")
        yield b',\n "records": ['
        for row, record in enumerate(self.records):
            try:
                line = orjson.dumps(record)
            except (orjson.JSONEncodeError, TypeError) as error:
                raise InspectorError(
                    Code.InvalidEmbeddedStringStorageData, f"it cannot be written: {error}",
                    place=Place(file=str(path), json_path=f"records[{row}]")) from error
            yield (b",\n  " if row else b"\n  ") + line
        yield b"\n ]\n}\n"


def parse_memory(document: Any, findings: Findings,
                 path: Path) -> tuple[MemoryStore, Records | None]:
    """Read a parsed store, collecting findings; faulty parts are left at their defaults.

    Returns
    -------
    tuple[MemoryStore, Records | None]
        The store, and its records as columns of ids, texts and metadata; None for faulty ones.
    """
    empty = MemoryStore("", path=path)
    if findings.has_errors:
        return empty, None
    if not isinstance(document, dict):
        findings.error(f"expected a memory store, which is an object; found {describe(document)}")
        return empty, None
    texts = {"name": "", "schema": "", "embedding_model": DEFAULT_MODEL}
    for key in texts:
        value = document.get(key, texts[key])
        if not isinstance(value, str) or (key == "name" and not value.strip()):
            what = describe(value) if key in document else "none"
            findings.error(f"{key}: expected a text, found {what}", key)
        else:
            texts[key] = value
    warn_unknown_model(texts["embedding_model"], findings, path.parent)
    raw = document.get("records", [])
    places = RecordPlaces(findings.file)
    records = parse_records(raw, findings, places, may_be_empty=True)
    if records is None:
        return empty, None
    extra = {key: value for key, value in document.items() if key not in _KEYS}
    return MemoryStore(texts["name"], texts["schema"], texts["embedding_model"], tuple(raw),
                       extra, path), records
