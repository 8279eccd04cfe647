"""Project files of the engine's dataset builder: categories of chunks → records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.io.json_file import describe
from core.io.json_text import child
from core.knowledge.records import RecordPlaces

if TYPE_CHECKING:
    from core.io.findings import Findings

CATEGORY_FIELD = "category"


def project_records(document: dict[str, Any], findings: Findings) -> tuple[list[Any], RecordPlaces]:
    """Turn a parsed project into raw records, for `records.parse_records` to check.

    Custom fields join the metadata; where both have a key, the metadata's own value stays, with a
    warning. The category's name becomes the metadata field ``category`` unless there is one.

    Returns
    -------
    tuple[list, RecordPlaces]
        The records, chunks that are no objects included, and where they are.
    """
    records: list[Any] = []
    paths: list[str] = []
    categories = document.get("categories")
    if not isinstance(categories, list):
        findings.error(f"expected a list of categories, found {describe(categories)}", "categories")
        categories = []
    for index, category in enumerate(categories):
        where = f"categories[{index}]"
        if not isinstance(category, dict):
            findings.error(f"expected a category, found {describe(category)}", where)
            continue
        name = category.get("name", "")
        if not isinstance(name, str):
            findings.error(f"expected a name, found {describe(name)}", f"{where}.name")
            name = ""
        chunks = category.get("chunks", [])
        if not isinstance(chunks, list):
            findings.error(
                f"expected a list of chunks, found {describe(chunks)}", f"{where}.chunks"
            )
            continue
        for number, chunk in enumerate(chunks):
            path = f"{where}.chunks[{number}]"
            records.append(_record(chunk, name, path, findings))
            paths.append(path)
    return records, RecordPlaces(findings.file, paths=paths)


def _record(chunk: Any, category: str, path: str, findings: Findings) -> Any:
    if not isinstance(chunk, dict) or not isinstance(chunk.get("metadata", {}), dict):
        return chunk
    metadata = dict(chunk.get("metadata", {}))
    custom = chunk.get("customFields", [])
    if not isinstance(custom, list):
        findings.error(
            f"expected a list of fields, found {describe(custom)}", f"{path}.customFields"
        )
        custom = []
    for index, entry in enumerate(custom):
        where = child(f"{path}.customFields", index)
        key = entry.get("key") if isinstance(entry, dict) else None
        if not isinstance(entry, dict) or not isinstance(key, str) or "value" not in entry:
            findings.error(
                f"expected a field, found {describe(entry)}",
                where,
                hint='a custom field is {"key": "…", "value": …}',
            )
        elif key in metadata:
            findings.warning(
                f'"{key}" is there twice: the first value counts', where, hint="rename one of them"
            )
        else:
            metadata[key] = entry["value"]
    if category:
        metadata.setdefault(CATEGORY_FIELD, category)
    return {**chunk, "metadata": metadata}
