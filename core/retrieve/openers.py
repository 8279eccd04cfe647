"""What opens a store of records, by the kind of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.index.searcher import Opener, OpenStore
from core.knowledge.base import open_knowledge
from core.knowledge.kinds import FileKind, accepted_kinds, kind_of
from core.retrieve.search import KnowledgeSearch

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider
    from core.io.work import Work


def _open_file(path: Path, root: Path, models: ModelProvider, work: Work) -> OpenStore:
    knowledge = open_knowledge(path, root, work)
    return OpenStore(knowledge, KnowledgeSearch(knowledge, models))


OPENERS: dict[FileKind, Opener] = dict.fromkeys(accepted_kinds(FileKind.KNOWLEDGE), _open_file)


def open_store(path: Path, root: Path, models: ModelProvider, work: Work) -> OpenStore:
    """Open a store; what is of no known kind is read as a file, whose reader says what is wrong.

    Raises
    ------
    InspectorError
        FileRefused with all findings for the content.
    Cancelled
        When `work` is cancelled.
    """
    return OPENERS.get(kind_of(path), _open_file)(path, root, models, work)
