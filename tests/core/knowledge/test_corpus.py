"""A corpus: entries of a knowledge file, each path once."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from core.errors import InspectorError
from core.knowledge.corpus import Corpus, CorpusEntry, corpus_of_knowledge


def test_a_knowledge_file_serves_as_a_corpus() -> None:
    knowledge: Any = SimpleNamespace(
        name="lore",
        ids=["a", "b"],
        texts=["one", "two"],
        metadata=[{"gist": "short", "aliases": ["x", 3], "related": "b", "tags": 7}, None],
    )
    corpus = corpus_of_knowledge(knowledge, summary_field="gist")
    first, second = corpus.entries()
    assert (first.path, first.content, first.summary) == ("a", "one", "short")
    assert (first.aliases, first.related, first.tags) == (("x",), ("b",), ())
    assert (second.title, second.summary, second.category) == ("b", "", "")


def test_a_corpus_refuses_the_same_path_twice() -> None:
    with pytest.raises(InspectorError, match='"a"'):
        Corpus([CorpusEntry("a", ""), CorpusEntry("a", "")])
