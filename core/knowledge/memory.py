"""Memory stores: records that play adds, opened from and saved to a file."""

from __future__ import annotations

import hashlib
import json
from dataclasses import InitVar, dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import orjson

from core.embedding.models import DEFAULT_MODEL
from core.errors import Code, InspectorError, Place
from core.io.atomic import write_atomically
from core.io.exact_json import dumps
from core.io.findings import Finding, Findings
from core.io.json_file import (
    MAX_NESTING,
    describe,
    read_json,
    refuse_errors,
    too_deep,
    with_lines,
)
from core.knowledge.config import warn_unknown_model
from core.knowledge.records import RecordPlaces, Records, parse_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_KEYS = ("name", "schema", "embedding_model", "records")
_ID = itemgetter("id")


@dataclass(frozen=True, slots=True)
class MemoryStore:
    """A named store. Never changed: `append` and its kind return another one.

    Stores are equal when their digests are, so that comparing two takes no time however many
    records they hold.

    records : as in the file, keys that nobody knows included; not to be changed in place.
    extra : the file's other keys, which saving keeps.
    path : where it was read from or saved to, None for one that only play knows.
    findings : the warnings of the file.
    digest : SHA-256 (hex), chained over name, schema, embedding model and each record.
    """

    name: str = field(compare=False)
    schema: str = field(default="", compare=False)
    embedding_model: str = field(default=DEFAULT_MODEL, compare=False)
    records: tuple[Mapping[str, Any], ...] = field(default=(), compare=False, repr=False)
    extra: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    path: Path | None = field(default=None, compare=False)
    findings: tuple[Finding, ...] = field(default=(), compare=False, repr=False)
    digest: str = field(init=False)
    known_digest: InitVar[str] = ""

    def __post_init__(self, known_digest: str) -> None:
        """Chain the digest over all records, unless it is known."""
        object.__setattr__(self, "digest", known_digest or self._whole_digest())

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
        """Return the store with one more record, in a time that hardly grows with its length.

        Raises
        ------
        InspectorError
            8003 when it is no valid record, or its id is there already.
        """
        self._check(record, len(self.records))
        return replace(
            self, records=(*self.records, record), known_digest=_chained(self.digest, record)
        )

    def with_record(self, row: int, record: Mapping[str, Any]) -> MemoryStore:
        """Return the store with another record in place of one of its own.

        Raises
        ------
        InspectorError
            As `append`; the id may stay the same.
        IndexError
            There is no such row.
        """
        before, after = self._around(row)
        self._check(record, row)
        return replace(self, records=(*before, record, *after))

    def without(self, row: int) -> MemoryStore:
        """Return the store without one of its records; IndexError when there is no such row."""
        before, after = self._around(row)
        return replace(self, records=before + after)

    def row_of(self, record_id: str) -> int:
        """Return the row of the record of that id, −1 where there is none."""
        return next((row for row, it in enumerate(self.records) if it["id"] == record_id), -1)

    def holds(self, row: int, record: Mapping[str, Any]) -> bool:
        """Tell whether a row holds this record; other than in Python, 1 is not true in JSON."""
        return _chained("", self.records[row]) == _chained("", record)

    def merged(self, base: MemoryStore, theirs: MemoryStore) -> MemoryStore:
        """Return `theirs` with the changes on top of it that made this store of `base`."""
        own, was = ({it["id"]: it for it in store.records} for store in (self, base))
        kept = {}
        for record in theirs.records:
            key = record["id"]
            if key in own:
                kept[key] = record if own[key] == was.get(key) else own[key]
            elif key not in was:
                kept[key] = record
        there = {record["id"] for record in theirs.records}
        kept |= {key: it for key, it in own.items() if key not in there and it != was.get(key)}
        return replace(theirs, records=tuple(kept.values()))

    def new_id(self, prefix: str = "memory") -> str:
        """Return an id that no record has: ``memory-12`` in a store of 11, or the next free one.

        The same store gives the same id, so that a turn which is run again writes the same record.
        """
        taken = set(map(_ID, self.records))
        number = len(self.records) + 1
        while f"{prefix}-{number}" in taken:
            number += 1
        return f"{prefix}-{number}"

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

    def _check(self, record: Mapping[str, Any], row: int) -> None:
        """Refuse a record that may not stand in `row`."""
        findings = Findings(Code.InvalidEmbeddedStringStorageData, str(self.path or self.name))
        places = RecordPlaces(findings.file, numbers=[row])
        parse_records([record], findings, places)
        if not findings.has_errors:
            key, text = record["id"], record["text"]
            own = row < len(self.records) and self.records[row]["id"] == key
            if not own and key in map(_ID, self.records):
                findings.error(
                    f"the id {key!r} is there already",
                    place=places(0, "id"),
                    hint="give each record an id of its own",
                )
            for name, value in (("id", key), ("text", text)):
                if not _is_unicode(value):
                    findings.error(
                        f"the {name} has a lone surrogate, which is no character",
                        place=places(0, name),
                        hint="remove it",
                    )
            if too_deep(record):
                findings.error(
                    f"brackets are nested more than {MAX_NESTING} deep",
                    place=places(0),
                    hint="flatten the data",
                )
        findings.raise_errors()

    def _around(self, row: int) -> tuple[tuple[Mapping[str, Any], ...], ...]:
        """Return the records before and after a row."""
        if not 0 <= row < len(self.records):
            raise IndexError(f"there is no record {row}")
        return self.records[:row], self.records[row + 1 :]

    def _whole_digest(self) -> str:
        digest = _chained("", [self.name, self.schema, self.embedding_model])
        for record in self.records:
            digest = _chained(digest, record)
        return digest

    def _pieces(self, path: Path) -> Iterator[bytes]:
        head = {
            "name": self.name,
            "schema": self.schema,
            "embedding_model": self.embedding_model,
            **self.extra,
        }
        yield json.dumps(head, ensure_ascii=False, indent=1).encode("utf-8").removesuffix(b"\n}")
        yield b',\n "records": ['
        for row, record in enumerate(self.records):
            try:
                line = dumps(record)
            except (orjson.JSONEncodeError, TypeError) as error:
                raise InspectorError(
                    Code.InvalidEmbeddedStringStorageData,
                    f"it cannot be written: {error}",
                    place=Place(file=str(path), json_path=f"records[{row}]"),
                ) from error
            yield (b",\n  " if row else b"\n  ") + line
        yield b"\n ]\n}\n"


def _chained(digest: str, item: object) -> str:
    """Return the digest of a chain with one more item."""
    try:
        content = orjson.dumps(item)
    except (orjson.JSONEncodeError, TypeError):
        # What cannot be saved can still be told apart.
        content = repr(item).encode("utf-8", "backslashreplace")
    return hashlib.sha256(digest.encode() + content).hexdigest()


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def parse_memory(
    document: Any, findings: Findings, path: Path
) -> tuple[MemoryStore, Records | None]:
    """Read a parsed store, collecting findings; faulty parts are left at their defaults.

    Returns
    -------
    tuple[MemoryStore, Records | None]
        The store, and its records as columns of ids, texts and metadata; None where there is no
        list of them.
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
    return MemoryStore(
        texts["name"], texts["schema"], texts["embedding_model"], tuple(raw), extra, path
    ), records
