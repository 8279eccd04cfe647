"""Reads the files of a knowledge base, whichever of the accepted forms they have."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from core.embedding.models import find_model
from core.embedding.prebuilt import PrebuiltCheck
from core.errors import Code, InspectorError, Place
from core.io.findings import Findings
from core.io.json_file import describe, read_bytes, read_json, read_json_lines
from core.knowledge.config import KnowledgeConfig, parse_config
from core.knowledge.kinds import FileKind, described, kind_of
from core.knowledge.memory import parse_memory
from core.knowledge.project import project_records
from core.knowledge.records import RecordPlaces, Records, parse_records

if TYPE_CHECKING:
    from pathlib import Path

    from core.io.work import Work
    from core.knowledge.root import StorageRoot

_SUFFIXES = (".kb.json", ".json", ".jsonl", ".ndjson")
_RECORDS = frozenset({FileKind.RECORDS, FileKind.JSONL, FileKind.PROJECT})


@dataclass(frozen=True, slots=True)
class Source:
    """What the files of a knowledge base hold, metadata not yet typed.

    records : None where they are faulty or could not be read.
    findings : of the file that holds the records; the same object as the opened file's if it is
        one file.
    """

    path: Path
    files: tuple[Path, ...]
    name: str
    config: KnowledgeConfig
    records: Records | None
    places: RecordPlaces
    findings: Findings


def read_source(path: Path, root: StorageRoot, findings: Findings, work: Work) -> Source | None:
    """Read a knowledge file and the files that it names.

    Parameters
    ----------
    path : the opened file.
    root : what the named files must lie in.
    findings : gets those of the opened file.

    Returns
    -------
    Source | None
        None when the opened file is no knowledge, or cannot be read at all.
    """
    kind = kind_of(path)
    if kind is FileKind.KNOWLEDGE:
        return _read_config(path, root, findings, work)
    made_up = KnowledgeConfig(made_up=True)
    if kind is FileKind.MEMORY:
        document = read_json(path, findings, work=work)
        store, records = parse_memory(document, findings, path)
        config = replace(made_up, embedding_model=store.embedding_model)
        return Source(path, (path,), store.name, config, records, RecordPlaces(str(path)), findings)
    if kind in _RECORDS:
        records, places, name = _read_records(path, kind, findings, work)
        return Source(path, (path,), name, made_up, records, places, findings)
    _refuse(path, kind, findings)
    return None


def _refuse(path: Path, kind: FileKind, findings: Findings) -> None:
    if kind is FileKind.UNKNOWN and not _is_regular(path):
        # Says what it is instead: nothing, a folder, a device.
        read_bytes(path, findings)
    if not findings.has_errors:
        findings.error(
            f"expected knowledge, found {described(path, kind)}",
            code=Code.StorageKindMismatch,
            hint="open a knowledge config or a file of records",
        )


def _is_regular(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _read_config(path: Path, root: StorageRoot, findings: Findings, work: Work) -> Source | None:
    document = read_json(path, findings, work=work)
    if document is None:
        return None
    config = parse_config(document, findings, path.parent)
    if config is None:
        return None
    own = Findings(findings.code, str(path))
    records, places, files = None, RecordPlaces(str(path)), [path]
    target = _named_file(
        config.records_file, "records_file", path, root, findings, FileKind.RECORDS
    )
    index = _named_file(config.index_file, "index_file", path, root, findings, None)
    # An index is checked in a process of its own, while the records are read here.
    with PrebuiltCheck(index) if index is not None else nullcontext() as check:
        if target is not None:
            own = Findings(findings.code, str(target))
            records, places, _ = _read_records(target, kind_of(target), own, work)
            files.append(target)
        if check is not None:
            count = len(records.ids) if records is not None else None
            _check_index(check, count, config, path, findings, work)
            files.append(check.path)
    return Source(path, tuple(files), _stem(path), config, records, places, own)


def _named_file(
    name: str, key: str, path: Path, root: StorageRoot, findings: Findings, expect: FileKind | None
) -> Path | None:
    """Find a file that the config names; None, and an error, where it must not or cannot."""
    if not name:
        return None
    try:
        return root.resolve(name, expect, base=path.resolve().parent)
    except InspectorError as error:
        findings.error(
            error.message,
            hint=error.hint,
            code=error.code,
            place=Place(file=findings.file, json_path=key),
        )
        return None


def _read_records(
    path: Path, kind: FileKind, findings: Findings, work: Work
) -> tuple[Records | None, RecordPlaces, str]:
    name = _stem(path)
    places = RecordPlaces(findings.file)
    raw: Any
    if kind is FileKind.JSONL:
        lines = read_json_lines(path, findings, work=work)
        if lines is None:
            return None, places, name
        raw = lines.values
        places = RecordPlaces(findings.file, lines.numbers, lines.lines)
        if not raw and findings.has_errors:
            return None, places, name
    else:
        raw = read_json(path, findings, work=work)
        if raw is None:
            return None, places, name
        if kind is FileKind.PROJECT and isinstance(raw, dict):
            if isinstance(raw.get("name", ""), str):
                name = raw.get("name") or name
            else:
                findings.error(f"expected a name, found {describe(raw['name'])}", "name")
            raw, places = project_records(raw, findings)
            if not raw and findings.has_errors:
                return None, places, name
    return parse_records(raw, findings, places), places, name


def _check_index(
    check: PrebuiltCheck,
    count: int | None,
    config: KnowledgeConfig,
    path: Path,
    findings: Findings,
    work: Work,
) -> None:
    """Compare the index's dimension with the model's; warn of an index that cannot be used."""
    header, model = check.header, find_model(config.embedding_model, path.parent)
    if header is not None and model is not None and model.dimension not in (0, header.dimension):
        findings.error(
            f"wrong index dimension: the index has {header.dimension}, the embedding "
            f"model {model.name} has {model.dimension}",
            "index_file",
            hint="build the index with the model that the config names, or leave index_file out",
        )
        return
    found = check.result(count, work)
    if found.fault:
        findings.warning(
            f"the prebuilt index is not used, so the texts are embedded: {found.fault}",
            "index_file",
            hint=found.hint,
        )


def _stem(path: Path) -> str:
    lower = path.name.casefold()
    suffix = next((suffix for suffix in _SUFFIXES if lower.endswith(suffix)), "")
    return path.name[: len(path.name) - len(suffix)] or path.name
