"""The retrievers by meaning over a folder of pages, in the keyword retriever's place."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from core.keyword.folder import load_corpus
from core.keyword.retriever import KeywordRetriever
from core.retrieve.corpus_retrievers import HybridRetriever, SemanticRetriever
from core.retrieve.corpus_search import search_of

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider
    from core.hits.retriever import RetrieverProtocol

QUESTION = "my text is cut off because it is too long"


@pytest.fixture
def folder(samples: Path, tmp_path: Path) -> Path:
    return shutil.copytree(samples / "handbook", tmp_path / "handbook")


def paths(retriever: RetrieverProtocol, folder: Path) -> list[str]:
    return [hit.entry.path for hit in retriever.retrieve(QUESTION, load_corpus(folder), 3)]


def test_one_consumer_takes_all_three(folder: Path, models: ModelProvider) -> None:
    search = search_of(load_corpus(folder), folder, models)
    wanted = "troubleshooting/long-chunk-loses-its-end.md"
    assert wanted not in paths(KeywordRetriever(), folder)
    assert paths(SemanticRetriever(search, threshold=0), folder)[0] == wanted
    assert wanted in paths(HybridRetriever(search, threshold=0), folder)


def test_the_score_is_the_cosine_of_the_embeddings(folder: Path, models: ModelProvider) -> None:
    corpus = load_corpus(folder)
    retriever = SemanticRetriever(search_of(corpus, folder, models), threshold=0)
    model = models.get("All-MiniLM-L6-v2 (Q4_K_M)")
    query = model.embed_query(QUESTION)
    for hit in retriever.retrieve(QUESTION, corpus, 5):
        cosine = float(np.dot(query, model.embed([hit.entry.body])[0]))
        assert hit.score == pytest.approx(cosine, abs=1e-5)


def test_an_edited_page_is_embedded_alone(
    folder: Path, models: ModelProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    search_of(load_corpus(folder), folder, models)("first")
    assert folder.with_name("handbook.vectors").is_file()
    page = folder / "concepts" / "chunk.md"
    page.write_text(page.read_text(encoding="utf-8") + "\nOne more line.\n", encoding="utf-8")
    model = models.get("All-MiniLM-L6-v2 (Q4_K_M)")
    embedded: list[str] = []
    plain = model.embed

    def watched(texts: list[str], *rest: Any, **named: Any) -> Any:
        embedded.extend(texts)
        return plain(texts, *rest, **named)

    monkeypatch.setattr(model, "embed", watched)
    search_of(load_corpus(folder), folder, models)("second")
    assert [text.rstrip().endswith("One more line.") for text in embedded] == [True]
