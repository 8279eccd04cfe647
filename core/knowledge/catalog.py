"""The schema catalog: named record schemas that nodes refer to."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core.errors import Code
from core.io.findings import Finding, Findings
from core.io.json_file import describe, read_json, refuse_errors, with_lines
from core.knowledge.config import warn_unknown_keys
from core.knowledge.schema import Field, parse_fields

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

CATALOG_NAME = "schemas.json"


@dataclass(frozen=True, slots=True)
class SchemaCatalog:
    """Schemas by name, in file order.

    path : the file, None where the root has none.
    findings : its warnings.
    """

    schemas: Mapping[str, tuple[Field, ...]] = field(default_factory=dict)
    path: Path | None = None
    findings: tuple[Finding, ...] = ()

    @classmethod
    def load(cls, root: Path) -> SchemaCatalog:
        """Read ``schemas.json`` of the root, or else of ``data/`` below it; empty without one.

        Raises
        ------
        FileRefused
            With all findings, code 8003, when there is one and it is broken.
        """
        for path in catalog_paths(root):
            if path.exists():
                return cls.load_file(path)
        return cls()

    @classmethod
    def load_file(cls, path: Path) -> SchemaCatalog:
        """Read a catalog file; raises as `load` does, and 3010 where there is no such file."""
        findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
        document = read_json(path, findings)
        schemas = {} if document is None else _schemas(document, findings)
        refuse_errors(findings)
        return cls(schemas, path, with_lines(findings))

    @property
    def names(self) -> tuple[str, ...]:
        """The schemas' names, in file order."""
        return tuple(self.schemas)

    def fields(self, name: str) -> tuple[Field, ...] | None:
        """Return the fields of a schema; None when it is not registered."""
        return self.schemas.get(name)

    def difference(self, name: str, fields: Iterable[Field]) -> str:
        """Say where a file's fields first differ from the named schema; "" if they agree."""
        schema = self.fields(name)
        if schema is None:
            return f'the schema "{name}" is not registered'
        return compare(schema, fields)


def catalog_paths(root: Path) -> tuple[Path, ...]:
    """Return where the catalog of a root may lie; the first that is there counts."""
    return root / CATALOG_NAME, root / "data" / CATALOG_NAME


def compare(schema: Iterable[Field], fields: Iterable[Field]) -> str:
    """Say where a file's fields first differ from a schema's, in its order; "" if they agree.

    Name, type, and default or optional count; the order and ``filterable`` do not.
    """
    theirs = {item.name: item for item in fields}
    for wanted in schema:
        found = theirs.pop(wanted.name, None)
        if found is None:
            return f'the field "{wanted.name}" of the schema is missing in the file'
        if found.type is not wanted.type:
            return (
                f'the field "{wanted.name}" is {wanted.type} in the schema, {found.type} in '
                "the file"
            )
        if (found.optional, found.default) != (wanted.optional, wanted.default):
            return (
                f'the field "{wanted.name}" {_filling(wanted)} in the schema, '
                f"{_filling(found)} in the file"
            )
    if theirs:
        return f'the field "{next(iter(theirs))}" of the file is not in the schema'
    return ""


def _filling(item: Field) -> str:
    if item.optional:
        return "is optional"
    return f"has the default {json.dumps(item.default, ensure_ascii=False)}"


def _schemas(document: Any, findings: Findings) -> dict[str, tuple[Field, ...]]:
    if not isinstance(document, dict) or not isinstance(document.get("schemas"), list):
        findings.error(
            f"expected an object with a list of schemas, found {describe(document)}",
            "schemas",
            hint='a catalog is {"schemas": [{"name": "…", "fields": […]}]}',
        )
        return {}
    warn_unknown_keys(document, ("schemas",), "", findings)
    schemas: dict[str, tuple[Field, ...]] = {}
    for index, entry in enumerate(document["schemas"]):
        path = f"schemas[{index}]"
        if findings.full:
            break
        if not isinstance(entry, dict):
            findings.error(f"expected a schema, found {describe(entry)}", path)
            continue
        warn_unknown_keys(entry, ("name", "fields"), path, findings)
        fields = parse_fields(entry.get("fields"), findings, f"{path}.fields")
        name = entry.get("name")
        if not isinstance(name, str) or not name.strip():
            what = describe(name) if "name" in entry else "none"
            findings.error(f"expected a name, found {what}", f"{path}.name")
        elif name in schemas:
            findings.error(
                f'there are two schemas "{name}"', f"{path}.name", hint="rename one of them"
            )
        else:
            schemas[name] = fields
    return schemas
