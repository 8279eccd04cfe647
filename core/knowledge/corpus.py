"""A corpus: texts with a path, titles and aliases, however they were read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from core.errors import Code, InspectorError
from core.knowledge.front_matter import body_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from core.io.findings import Finding
    from core.knowledge.base import KnowledgeBase

LIST_KEYS = ("aliases", "tags", "related")


@dataclass(frozen=True, slots=True)
class CorpusEntry:
    """One entry that a keyword retriever can find.

    path : its name in the corpus, with ``/`` between folders; the first folder is the category.
    content : the whole text, front matter included.
    related : paths of the entries that it is linked with.
    metadata : everything that its front matter or its record says.
    """

    path: str
    content: str = field(repr=False)
    title: str = ""
    summary: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False, repr=False)

    @property
    def category(self) -> str:
        """The first folder of the path, or "" where it has none."""
        folder, slash, _ = self.path.partition("/")
        return folder if slash else ""

    @property
    def body(self) -> str:
        """What a prompt reads: the content without front matter; all of it where that is blank."""
        body = body_of(self.content)
        return body if body.strip() else self.content


class CorpusProtocol(Protocol):
    """What a retriever needs of a corpus."""

    def entries(self) -> Iterable[CorpusEntry]:
        """Return every entry, each path once."""

    def get(self, path: str) -> CorpusEntry | None:
        """Return the entry with this path, or None."""


class Corpus:
    """Entries that never change, in the order in which they were given.

    Parameters
    ----------
    entries : each path once.
    name : what the corpus is called on screen.
    findings : what is wrong with its files; those with an error are left out.

    Raises
    ------
    InspectorError
        8003 when a path occurs twice.
    """

    def __init__(
        self, entries: Iterable[CorpusEntry], name: str = "", findings: Iterable[Finding] = ()
    ) -> None:
        self._entries = tuple(entries)
        self.name = name
        self.findings = tuple(findings)
        self._by_path: dict[str, CorpusEntry] = {}
        for entry in self._entries:
            if entry.path in self._by_path:
                raise InspectorError(
                    Code.InvalidEmbeddedStringStorageData,
                    f'two entries have the path "{entry.path}"',
                )
            self._by_path[entry.path] = entry

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._entries)

    def entries(self) -> tuple[CorpusEntry, ...]:
        """Return every entry."""
        return self._entries

    def get(self, path: str) -> CorpusEntry | None:
        """Return the entry with this path, or None."""
        return self._by_path.get(path)


def corpus_of_knowledge(knowledge: KnowledgeBase, summary_field: str = "summary") -> Corpus:
    """Return the entries of a knowledge file as a corpus: path = id, content = text.

    Parameters
    ----------
    summary_field : the metadata field that holds the summary; where a record has no text there,
        its summary is empty.

    The metadata fields `title` (or `name`), `aliases`, `tags` and `related` count where they hold
    a text, or a list of texts for the last three.
    """
    return Corpus(
        (
            _entry_of(path, text, metadata or {}, summary_field)
            for path, text, metadata in zip(
                knowledge.ids, knowledge.texts, knowledge.metadata, strict=True
            )
        ),
        knowledge.name,
    )


def _entry_of(path: str, text: str, metadata: Mapping[str, Any], summary_field: str) -> CorpusEntry:
    lists = {key: _texts(metadata.get(key)) for key in LIST_KEYS}
    return CorpusEntry(
        path=path,
        content=text,
        title=_text(metadata.get("title")) or _text(metadata.get("name")) or path,
        summary=_text(metadata.get(summary_field)),
        metadata=metadata,
        **lists,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple):
        return tuple(item for item in value if isinstance(item, str))
    return ()
