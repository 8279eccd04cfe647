"""Records: ids, texts and metadata, checked all at once, then by name where something is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, TypeGuard

from core.errors import Place
from core.io.findings import FINDINGS_LIMIT, Findings
from core.io.json_file import describe
from core.knowledge.blank_texts import warn_of_blank_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.knowledge.columns import Metadata

MAX_TEXT_CHARS = 1 << 24
"""A longer text is refused: it is no chunk, and indexing it would take memory without bounds."""

_BLOCK = 4096
_ID = itemgetter("id")
_TEXT = itemgetter("text")
_NO_METADATA = object()
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class RecordPlaces:
    """Where records are: called with a row and a path below it (``text``), it gives the place.

    numbers, lines : of a JSON Lines file, as in `jsonfile.JsonLines`.
    paths : JSON paths of the records where they are not ``records[row]``.
    """

    file: str
    numbers: Sequence[int] | None = None
    lines: Sequence[int] | None = None
    paths: Sequence[str] | None = None

    def __call__(self, row: int, tail: str = "") -> Place:
        """Return the place of a part of a record."""
        path = self.path(row)
        line = self.lines[row] if self.lines is not None else None
        return Place(self.file, line, json_path=f"{path}.{tail}" if tail else path)

    def of(self, rows: Sequence[int]) -> RecordPlaces:
        """Return the places of some of the records."""
        return RecordPlaces(
            self.file,
            [row if self.numbers is None else self.numbers[row] for row in rows],
            None if self.lines is None else [self.lines[row] for row in rows],
            None if self.paths is None else [self.paths[row] for row in rows],
        )

    def path(self, row: int) -> str:
        """Return the JSON path of a record."""
        if self.paths is not None:
            return self.paths[row]
        return f"records[{row if self.numbers is None else self.numbers[row]}]"


@dataclass(frozen=True, slots=True)
class Records:
    """The n records of a file, in file order.

    metadata : as in the file, keys that no schema names included; None where there is none.
    """

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    metadata: tuple[Metadata, ...]


def parse_records(
    raw: object, findings: Findings, places: RecordPlaces, *, may_be_empty: bool = False
) -> Records | None:
    """Check parsed records, collecting findings; other keys of a record are ignored.

    Errors: no list, an empty one, a record that is no object, an id that is missing, empty, no
    string, repeated or has control characters, a text that is missing, no string or longer than
    `MAX_TEXT_CHARS`, metadata that is no object. Warnings: blank and identical texts.

    Parameters
    ----------
    raw : the parsed JSON.
    places : where the records are.
    may_be_empty : accept an empty list, as of a memory store that nothing was written to.

    Returns
    -------
    Records | None
        None where there is no list. Faulty ids and texts are empty, faulty metadata is None, so
        that what is wrong besides can be found too.
    """
    if not isinstance(raw, list):
        findings.error(
            f"expected a list of records, found {describe(raw)}",
            place=Place(places.file),
            hint='a records file is [{"id": "…", "text": "…"}, …]',
        )
        return None
    if not raw and not may_be_empty:
        findings.error(
            "there are no records",
            place=Place(places.file),
            hint="a records file needs at least one",
        )
        return None
    records = _fast(raw)
    if records is not None:
        _warn_of_texts(records.texts, findings, places)
        return records
    _name_the_culprits(raw, findings, places)
    objects = [record if isinstance(record, dict) else {} for record in raw]
    rows = [row for row, record in enumerate(objects) if _is_text(record.get("text"))]
    _warn_of_texts(tuple(objects[row]["text"] for row in rows), findings, places.of(rows))
    ids, texts, metadata = (
        [record.get(key) for record in objects] for key in ("id", "text", "metadata")
    )
    return Records(
        tuple(key if isinstance(key, str) else "" for key in ids),
        tuple(text if _is_text(text) else "" for text in texts),
        tuple(given if isinstance(given, dict) else None for given in metadata),
    )


def _fast(raw: list[Any]) -> Records | None:
    """Read records with whole-list operations; None when anything at all is wrong."""
    ids: list[Any] = []
    texts: list[Any] = []
    metadata: list[Any] = []
    if set(map(type, raw)) - {dict}:
        return None
    try:
        # Block by block, so that a record is still in the processor's cache for its third key.
        for start in range(0, len(raw), _BLOCK):
            block = raw[start : start + _BLOCK]
            ids += map(_ID, block)
            texts += map(_TEXT, block)
            metadata += [record.get("metadata", _NO_METADATA) for record in block]
    except KeyError:
        return None
    if (set(map(type, ids)) | set(map(type, texts))) - {str} or not _good_ids(ids):
        return None
    kinds = set(map(type, metadata))
    if kinds - {dict, object} or max(map(len, texts), default=0) > MAX_TEXT_CHARS:
        return None
    if object in kinds:
        metadata = [None if given is _NO_METADATA else given for given in metadata]
    return Records(tuple(ids), tuple(texts), tuple(metadata))


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and len(value) <= MAX_TEXT_CHARS


def _good_ids(ids: list[str]) -> bool:
    distinct = set(ids)
    if len(distinct) != len(ids) or "" in distinct:
        return False
    joined = "".join(ids)
    return joined.isprintable() or not _CONTROL.search(joined)


def _name_the_culprits(raw: list[Any], findings: Findings, places: RecordPlaces) -> None:
    rows_by_id: dict[str, int] = {}
    for row, record in enumerate(raw):
        if findings.full:
            return
        if not isinstance(record, dict):
            findings.error(
                f"expected a record, found {describe(record)}",
                place=places(row),
                hint='a record is {"id": "…", "text": "…"}',
            )
            continue
        _check_id(record, row, rows_by_id, findings, places)
        text = record.get("text")
        if not isinstance(text, str):
            what = describe(text) if "text" in record else "none"
            findings.error(f"expected a text, found {what}", place=places(row, "text"))
        elif len(text) > MAX_TEXT_CHARS:
            findings.error(
                f"the text has {len(text):,} characters, more than {MAX_TEXT_CHARS:,}",
                place=places(row, "text"),
                hint="split it into chunks",
            )
        if "metadata" in record and not isinstance(record["metadata"], dict):
            findings.error(
                f"expected an object, found {describe(record['metadata'])}",
                place=places(row, "metadata"),
                hint="leave metadata out where there is none",
            )


def _check_id(
    record: dict[str, Any],
    row: int,
    rows_by_id: dict[str, int],
    findings: Findings,
    places: RecordPlaces,
) -> None:
    key = record.get("id")
    if not isinstance(key, str) or not key:
        what = describe(key) if "id" in record else "none"
        findings.error(
            f"expected an id, found {what}",
            place=places(row, "id"),
            hint="an id is a text that is not empty",
        )
        return
    control = _CONTROL.search(key)
    if control:
        findings.error(
            f"the id has the control character U+{ord(control[0]):04X}",
            place=places(row, "id"),
            hint="remove it",
        )
    if key in rows_by_id:
        findings.error(
            f"the id {describe(key).removeprefix('the text ')} is there twice: "
            f"{places.path(rows_by_id[key])} and {places.path(row)}",
            place=places(row, "id"),
            hint="give each record an id of its own",
        )
    rows_by_id.setdefault(key, row)


def _warn_of_texts(texts: tuple[str, ...], findings: Findings, places: RecordPlaces) -> None:
    distinct = set(texts)
    warn_of_blank_texts(texts, findings, places)
    if len(distinct) == len(texts):
        return
    first: dict[str, int] = {}
    repeated = (
        (first[text], row)
        for row, text in enumerate(texts)
        if first.setdefault(text, row) != row and text.strip()
    )
    for one, other in islice(repeated, FINDINGS_LIMIT):
        findings.warning(
            f"{places.path(one)} and {places.path(other)} have the same text",
            place=places(other, "text"),
            hint="remove one of them",
        )
