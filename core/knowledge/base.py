"""A knowledge base: everything that its files say, checked, typed and immutable."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from core.errors import Code, InspectorError
from core.io.findings import FileRefused, Finding, Findings, Severity
from core.io.json_file import collector_paused, with_lines
from core.io.work import QUIETLY, Work
from core.knowledge.columns import typed_columns
from core.knowledge.config import KnowledgeConfig
from core.knowledge.cut_texts import warn_of_cut_texts
from core.knowledge.inference import infer_fields
from core.knowledge.records import RecordPlaces, Records, parse_records
from core.knowledge.root import StorageRoot
from core.knowledge.source import Source, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from core.knowledge.filter import CompiledFilter
    from core.knowledge.memory import MemoryStore
    from core.knowledge.schema import Column, Field


@dataclass(frozen=True, slots=True, eq=False)
class KnowledgeBase:
    """The n records of a knowledge file and how to search them.

    path : the file that was opened.
    files : all files that were read, the opened one first: those to watch for changes.
    name : what to call it.
    config : the knowledge config, or the one that was made up around bare records.
    ids, texts, metadata : of the records, in file order; metadata as in the file, keys that the
        schema lacks included, None for a record without any.
    columns : one for each of `fields`, by name.
    findings : the warnings.
    digest : SHA-256 (hex) of the texts in order; equal digests mean equal texts.
    """

    path: Path
    files: tuple[Path, ...]
    name: str
    config: KnowledgeConfig
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    metadata: tuple[Mapping[str, Any] | None, ...]
    columns: Mapping[str, Column]
    fields: tuple[Field, ...]
    findings: tuple[Finding, ...]
    digest: str

    def __len__(self) -> int:
        """Return the number of records."""
        return len(self.ids)

    def match_count(self, compiled: CompiledFilter) -> int:
        """Return how many records a filter lets through."""
        return int(compiled.mask(self.columns, len(self.ids)).sum())


def open_knowledge(
    path: Path | str, root: Path | str | None = None, work: Work = QUIETLY
) -> KnowledgeBase:
    """Open a knowledge config, or any file of records.

    Parameters
    ----------
    path : a config, an array of records, JSON Lines, a dataset builder's project, or a saved
        memory store.
    root : the storage root; the file's own folder by default.

    Raises
    ------
    FileRefused
        With all findings of all its files. Codes: 8003 for what they say, 3009, 3010 and 3011 for
        files that lie outside the root, are missing, or are something else.
    InspectorError
        3009 when the file itself lies outside the root, 3010 when there is no such root.
    Cancelled
        When `work` is cancelled.
    """
    path = Path(path)
    with collector_paused():
        findings = Findings(Code.InvalidEmbeddedStringStorageData, str(path))
        source = None
        if _root_is_known(path, root):
            storage_root = StorageRoot(path.parent if root is None else root)
            storage_root.name_of(path)
            source = read_source(path, storage_root, findings, work)
        else:
            findings.error(
                "there is no such file", code=Code.StorageFileNotFound, hint="check the path"
            )
        if source is None:
            raise FileRefused(with_lines(findings))
        return _build(source, findings, work)


def check_knowledge(
    path: Path | str,
    root: Path | str | None = None,
    more: Callable[[KnowledgeBase], tuple[Finding, ...]] = lambda _knowledge: (),
) -> tuple[Finding, ...]:
    """Return all findings of a knowledge file, with line and column; raises for no file.

    Parameters
    ----------
    more : what else there is to check of knowledge that can be used.
    """
    try:
        knowledge = open_knowledge(path, root)
        return with_lines((*knowledge.findings, *more(knowledge)))
    except FileRefused as refused:
        return refused.findings
    except InspectorError as error:
        return (
            Finding(
                Severity.ERROR,
                error.code,
                replace(error.place, file=str(path)),
                error.message,
                error.hint,
            ),
        )


def knowledge_of(store: MemoryStore, fields: Sequence[Field] | None = None) -> KnowledgeBase:
    """Make a memory store searchable.

    Parameters
    ----------
    store : the store; it may be empty.
    fields : its schema's; made up from its metadata if None.

    Raises
    ------
    FileRefused
        8003 with a finding for each record that does not fit the schema.
    """
    where = str(store.path or store.name)
    findings = Findings(Code.InvalidEmbeddedStringStorageData, where)
    places = RecordPlaces(where)
    records = parse_records(list(store.records), findings, places, may_be_empty=True)
    config = KnowledgeConfig(
        store.embedding_model, made_up=fields is None, fields=tuple(fields or ())
    )
    path = store.path or Path(store.name)
    files = (path,) if store.path else ()
    source = Source(path, files, store.name, config, records, places, findings)
    return _build(source, Findings(findings.code, where), QUIETLY)


def _build(source: Source, findings: Findings, work: Work) -> KnowledgeBase:
    """Type and check the records; `findings` are those of the opened file, besides the source's."""
    work.stop_if_cancelled()
    work.progress("checking records", 0, 0)
    columns: dict[str, Column] = {}
    fields = source.config.fields
    if source.records is not None:
        fields = _fields(source, source.records)
        columns = typed_columns(
            fields,
            source.records.metadata,
            source.findings,
            source.places,
            made_up=source.config.made_up,
        )
        work.stop_if_cancelled()
        warn_of_cut_texts(
            source.records.texts,
            source.config.embedding_model,
            source.path.parent,
            source.findings,
            source.places,
            work,
        )
    found = tuple(findings)
    if source.findings is not findings:
        found += tuple(source.findings)
    if findings.has_errors or source.findings.has_errors or source.records is None:
        raise FileRefused(with_lines(found))
    records = source.records
    return KnowledgeBase(
        source.path,
        source.files,
        source.name,
        replace(source.config, fields=fields),
        records.ids,
        records.texts,
        records.metadata,
        MappingProxyType(columns),
        fields,
        found,
        texts_digest(records.texts),
    )


def _fields(source: Source, records: Records) -> tuple[Field, ...]:
    if not source.config.made_up:
        return source.config.fields
    return infer_fields(records.metadata, source.findings, source.places)


def texts_digest(texts: Sequence[str]) -> str:
    """Hash the number of texts, their lengths in characters, and all their characters as UTF-8."""
    lengths = np.fromiter(map(len, texts), dtype="<i8", count=len(texts))
    digest = hashlib.sha256(len(texts).to_bytes(8, "little"))
    digest.update(lengths.tobytes())
    digest.update("".join(texts).encode("utf-8"))
    return digest.hexdigest()


def _root_is_known(path: Path, root: Path | str | None) -> bool:
    return root is not None or os.path.isdir(path.parent)
