"""A memory store's record as the three texts that are edited, and read back from them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.errors import Code, InspectorError, Place
from core.io.exact_json import loads
from core.io.json_file import describe, too_deep
from core.io.json_text import child, segments
from core.io.json_typed import why_no_json

if TYPE_CHECKING:
    from collections.abc import Mapping

_ONE_LINE = 60
"""Metadata that takes no more characters than this is laid out on one line."""


@dataclass(frozen=True, slots=True)
class RecordText:
    """What stands in the fields of the editor.

    metadata : as JSON, "" for none.
    """

    id: str = ""
    text: str = ""
    metadata: str = ""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> RecordText:
        """Write a record out."""
        return cls(
            str(record.get("id", "")),
            str(record.get("text", "")),
            metadata_text(record.get("metadata")),
        )

    def applied_to(self, record: Mapping[str, Any], shown: RecordText) -> dict[str, Any]:
        """Return the record with what differs from `shown`; all other keys stay as they are.

        Raises
        ------
        InspectorError
            8003 with line and column when the metadata is no JSON object.
        """
        changed = dict(record)
        if self.id != shown.id or "id" not in record:
            changed["id"] = self.id
        if self.text != shown.text or "text" not in record:
            changed["text"] = self.text
        if self.metadata != shown.metadata:
            metadata = parse_metadata(self.metadata)
            changed.pop("metadata", None)
            if metadata is not None:
                changed["metadata"] = metadata
        return changed


def compact(metadata: object) -> str:
    """Write metadata on one line, "" for none."""
    if metadata is None:
        return ""
    return json.dumps(metadata, ensure_ascii=False, default=str)


def metadata_text(metadata: object) -> str:
    """Write metadata for an editor: on one line if it is short, else a key a line."""
    line = compact(metadata)
    if len(line) <= _ONE_LINE:
        return line
    return json.dumps(metadata, ensure_ascii=False, indent=1, default=str)


def parse_metadata(text: str) -> dict[str, Any] | None:
    """Read metadata that was typed; None for a blank text, which means that there is none.

    Raises
    ------
    InspectorError
        8003 with line and column when it is no JSON object.
    """
    if not text.strip():
        return None
    mistake = why_no_json(text, "the metadata")
    if mistake is not None:
        raise _refusal(*mistake)
    value = loads(text.encode())
    if not isinstance(value, dict):
        raise _refusal(
            f"expected an object, found {describe(value)}",
            'metadata is written {"level": 3, "tags": ["sea"]}',
        )
    if too_deep(value):
        raise _refusal("brackets are nested too deep", "flatten the data")
    return value


def _refusal(message: str, hint: str, line: int = 1, column: int = 1) -> InspectorError:
    return InspectorError(
        Code.InvalidEmbeddedStringStorageData,
        message,
        hint=hint,
        place=Place(line=line, column=column, json_path="metadata"),
    )


def field_of(place: Place) -> tuple[str, str]:
    """Return the field of a record that a place names, and the JSON path inside it."""
    parts = segments(place.json_path) or ()
    if parts[:1] == ("records",):
        parts = parts[2:]
    path = ""
    for part in parts[1:]:
        path = child(path, part)
    field = parts[0] if parts else ""
    return (field, path) if field in ("id", "text", "metadata") else ("", "")
