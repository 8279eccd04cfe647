"""Dense and lexical search over the entries of a corpus, for retrievers that rank by meaning."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from core.io.folders import cache_folder
from core.io.sidecar import SidecarFolder
from core.knowledge.base import KnowledgeBase, texts_digest
from core.knowledge.config import KnowledgeConfig
from core.retrieve.search import KnowledgeSearch

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider
    from core.knowledge.corpus import Corpus
    from core.retrieve.corpus_retrievers import Search


def search_of(corpus: Corpus, folder: Path, models: ModelProvider) -> Search:
    """Return what `SemanticRetriever` and `HybridRetriever` search a corpus with.

    The records are the entries: id = path, text = body. Embeddings and index are kept in sidecars
    beside the folder, so that only what changed is embedded again.

    Parameters
    ----------
    corpus : what is searched.
    folder : where it was read from; names the sidecars.
    models : where the embedding model comes from.
    """
    entries = corpus.entries()
    texts = tuple(entry.body for entry in entries)
    knowledge = KnowledgeBase(
        path=folder,
        files=(folder,),
        name=corpus.name,
        config=KnowledgeConfig(made_up=True),
        ids=tuple(entry.path for entry in entries),
        texts=texts,
        metadata=tuple(entry.metadata for entry in entries),
        columns={},
        fields=(),
        findings=(),
        digest=texts_digest(texts),
    )
    search = KnowledgeSearch(knowledge, models, SidecarFolder(folder, cache_folder()))
    return partial(search.search, dense=True)
