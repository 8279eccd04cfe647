"""Reads a folder of Markdown files as a corpus."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import Code, InspectorError, Place
from core.io.findings import Findings
from core.io.foreign import foreign_page
from core.io.json_file import describe, read_json, read_text, refuse_errors, with_lines
from core.io.json_text import child
from core.io.wording import did_you_mean
from core.io.work import QUIETLY, Work
from core.knowledge.corpus import LIST_KEYS, Corpus, CorpusEntry
from core.knowledge.front_matter import FrontMatter, read_front_matter
from core.knowledge.kinds import CROSS_LINKS, MARKDOWN_SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_FILES = 100_000
MAX_FILE_BYTES = 16 << 20

_CODE = Code.InvalidEmbeddedStringStorageData
_TEXT_KEYS = ("title", "name", "summary")
_MISSPELT = 0.8


def load_corpus(folder: Path | str, work: Work = QUIETLY, *, leave_out: bool = False) -> Corpus:
    """Read every Markdown file below `folder`, and `cross_links.json` where there is one.

    Files and folders whose name starts with a dot are skipped; the others come in the order of
    their paths. Front matter keys: `title` or `name`, `summary` (texts); `aliases`, `tags`,
    `related` (lists of texts, or one text); all others are kept as metadata.
    `cross_links.json` is an object that maps a path to the list of the paths it is linked with,
    ``{"concepts/fusion.md": ["tasks/tune-fusion.md"]}``; they join the file's own `related`.

    Parameters
    ----------
    leave_out : leave files with an error out, as long as there are others, instead of refusing all.

    Raises
    ------
    FileRefused
        With every finding (100 at most): 3009 for a file outside the folder, 8003 for the rest.
    InspectorError
        3010 when there is no such folder, 3011 when it is a file.
    Cancelled
        When `work` is cancelled.
    """
    folder = Path(folder)
    if not folder.exists():
        raise InspectorError(
            Code.StorageFileNotFound, "there is no such folder", place=Place(file=str(folder))
        )
    if not folder.is_dir():
        raise InspectorError(
            Code.StorageKindMismatch,
            "a keyword corpus is a folder of Markdown files, and this is a file",
            place=Place(file=str(folder)),
        )
    findings = Findings(_CODE, str(folder))
    files = _markdown_files(folder, findings)
    entries: dict[str, CorpusEntry] = {}
    for done, file in enumerate(files):
        work.stop_if_cancelled()
        work.progress("reading Markdown files", done, len(files))
        own = Findings(_CODE, str(file))
        entry = _read_entry(folder, file, own)
        findings.extend(own)
        if entry is not None and not (leave_out and own.has_errors):
            entries[entry.path] = entry
    linked = _add_cross_links(entries, _read_cross_links(folder, findings), folder, findings)
    _check_aliases(linked.values(), folder, findings)
    if not (leave_out and linked):
        refuse_errors(findings)
    return Corpus(linked.values(), folder.name, with_lines(findings))


def _markdown_files(folder: Path, findings: Findings) -> list[Path]:
    found: list[Path] = []
    root = folder.resolve()
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if name.startswith(".") or not name.lower().endswith(MARKDOWN_SUFFIXES):
                continue
            file = Path(here, name)
            if file.resolve().is_relative_to(root):
                found.append(file)
            else:
                findings.error(
                    "this link leads out of the corpus folder",
                    code=Code.StorageOutsideRoot,
                    place=Place(file=str(file)),
                )
        if len(found) > MAX_FILES:
            findings.error(f"more than {MAX_FILES} Markdown files")
            return []
    if not found and not findings.has_errors:
        findings.error("there is no Markdown file (.md) in this folder or below it")
    return sorted(found, key=lambda file: file.relative_to(folder).as_posix())


def _read_text(file: Path, findings: Findings) -> str | None:
    """Return the file's text, its lines ended by line feeds."""
    with contextlib.suppress(OSError):
        if file.stat().st_size > MAX_FILE_BYTES:
            findings.error(f"the file is larger than {MAX_FILE_BYTES >> 20} MB", hint="split it")
            return None
    text = read_text(file, findings)
    return None if text is None else text.replace("\r\n", "\n").replace("\r", "\n")


def _read_entry(folder: Path, file: Path, own: Findings) -> CorpusEntry | None:
    path = file.relative_to(folder).as_posix()
    content = _read_text(file, own)
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        own.error("the file's name is no UTF-8 text", place=Place(file=repr(path)))
    entry = None
    if content is not None:
        if not content.strip():
            own.warning("the file is empty")
        elif found := foreign_page(content):
            own.warning(
                f"this is {found.what}", hint=found.hint, place=Place(str(file), found.line)
            )
        front = read_front_matter(content, own)
        _hint_misspelt(front, own)
        texts = {key: _front_text(front, key, own) for key in _TEXT_KEYS}
        lists = {key: _front_list(front, key, own) for key in LIST_KEYS}
        title = texts["title"] or texts["name"] or _heading(content) or file.stem
        entry = CorpusEntry(
            path=path,
            content=content,
            title=title,
            summary=texts["summary"],
            metadata=front.values,
            **lists,
        )
    return entry


def _place(front: FrontMatter, key: str, findings: Findings, json_path: str = "") -> Place:
    return Place(file=findings.file, line=front.lines.get(key), json_path=json_path or key)


def _front_text(front: FrontMatter, key: str, findings: Findings) -> str:
    value = front.values.get(key)
    if value is None or isinstance(value, str):
        return value or ""
    findings.error(
        f"{key} must be one text, found {describe(value)}", place=_place(front, key, findings)
    )
    return ""


def _front_list(front: FrontMatter, key: str, findings: Findings) -> tuple[str, ...]:
    value = front.values.get(key)
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list):
        findings.error(
            f"{key} must be a list of texts, found {describe(value)}",
            place=_place(front, key, findings),
        )
        return ()
    texts = []
    for number, item in enumerate(value):
        if isinstance(item, str):
            texts.append(item)
        else:
            findings.error(
                f"{key} must be a list of texts, found {describe(item)}",
                place=_place(front, key, findings, f"{key}[{number}]"),
            )
    return tuple(texts)


def _hint_misspelt(front: FrontMatter, findings: Findings) -> None:
    missing = [key for key in (*_TEXT_KEYS, *LIST_KEYS) if key not in front.values]
    for key in front.values:
        if key not in _TEXT_KEYS + LIST_KEYS:
            close = did_you_mean(key, missing, _MISSPELT)
            if close:
                findings.warning(
                    f'unknown key "{key}"',
                    place=_place(front, key, findings),
                    hint=close,
                )


def _heading(content: str) -> str:
    for line in content.split("\n"):
        if line.startswith("# "):
            return line[2:].strip()
    return ""


def _read_cross_links(folder: Path, findings: Findings) -> dict[str, tuple[str, ...]]:
    """Return path → linked paths; what is wrong with the file's shape goes to `findings`."""
    file = folder / CROSS_LINKS
    if not file.exists():
        return {}
    own = Findings(_CODE, str(file))
    links: dict[str, tuple[str, ...]] = {}
    if not file.resolve().is_relative_to(folder.resolve()):
        own.error("this link leads out of the corpus folder", code=Code.StorageOutsideRoot)
    else:
        value = read_json(file, own)
        if isinstance(value, dict):
            for path, related in value.items():
                if isinstance(related, list) and all(isinstance(item, str) for item in related):
                    links[path] = tuple(related)
                else:
                    own.error(
                        f"expected a list of paths, found {describe(related)}", child("", path)
                    )
        elif value is not None:
            own.error(
                f"expected an object that maps a path to a list of paths, found {describe(value)}"
            )
    findings.extend(own)
    return links


def _add_cross_links(
    entries: dict[str, CorpusEntry],
    links: dict[str, tuple[str, ...]],
    folder: Path,
    findings: Findings,
) -> dict[str, CorpusEntry]:
    """Return the entries with their cross links; links that lead nowhere become warnings."""
    file = str(folder / CROSS_LINKS)
    for path, related in links.items():
        if path not in entries:
            findings.warning(
                f'there is no entry "{path}" in this corpus',
                place=Place(file=file, json_path=child("", path)),
            )
        for index, other in enumerate(related):
            if other not in entries:
                findings.warning(
                    f'there is no entry "{other}" in this corpus',
                    place=Place(file=file, json_path=child(child("", path), index)),
                )
    linked = {}
    for path, entry in entries.items():
        for index, other in enumerate(entry.related):
            if other not in entries:
                findings.warning(
                    f'there is no entry "{other}" in this corpus',
                    place=Place(file=str(folder / path), json_path=f"related[{index}]"),
                    hint="related names other files by their path in the corpus folder",
                )
        related = tuple(dict.fromkeys(entry.related + links.get(path, ())))
        linked[path] = CorpusEntry(
            entry.path,
            entry.content,
            entry.title,
            entry.summary,
            entry.aliases,
            entry.tags,
            related,
            entry.metadata,
        )
    return linked


def _check_aliases(entries: Iterable[CorpusEntry], folder: Path, findings: Findings) -> None:
    first: dict[str, str] = {}
    for entry in entries:
        for index, alias in enumerate(entry.aliases):
            other = first.setdefault(alias.casefold(), entry.path)
            if other != entry.path:
                findings.warning(
                    f'the alias "{alias}" is also one of "{other}"',
                    place=Place(file=str(folder / entry.path), json_path=f"aliases[{index}]"),
                    hint="a query with it finds both",
                )
