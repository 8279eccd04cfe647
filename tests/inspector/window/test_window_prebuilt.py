"""Prebuilt indexes in the window: used, or told of, and never in the way."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from core.embedding.prebuilt_process import MOST_SAMPLED
from tests.inspector.driver import QUESTION
from tests.inspector.light_embedder import WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from tests.inspector.driver import Driver, OpenWindow

pytestmark = pytest.mark.slow

usearch = pytest.importorskip("usearch.index")


@pytest.fixture
def knowledge(fresh_aquarium: Path) -> Path:
    """A knowledge config without vectors, whose index_file is still to be written."""
    config = fresh_aquarium / "indexed.json"
    content = json.loads((fresh_aquarium / "aquarium_all_mini.json").read_text(encoding="utf-8"))
    config.write_text(json.dumps(content | {"index_file": "indexed.usearch"}), encoding="utf-8")
    return config


@pytest.fixture
def texts(knowledge: Path) -> list[str]:
    records = json.loads((knowledge.parent / "aquarium_all_mini.kb.json").read_text("utf-8"))
    return [record["text"] for record in records]


def write_index(path: Path, vectors: NDArray[np.float32]) -> None:
    index = usearch.Index(ndim=vectors.shape[1], metric="cos", dtype="f32")
    index.add(np.arange(len(vectors)), vectors)
    index.save(str(path))


def problems(user: Driver) -> list[str]:
    """Return what the tab Problems says."""
    return [finding.line() for finding in user.session.findings]


@pytest.fixture
def small_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the catalog's model as small as the embedder of these tests."""
    from core.embedding import models

    small = dataclasses.replace(
        models.find_model(models.DEFAULT_MODEL), dimension=WordEmbedder.dimension
    )
    for module in ("core.knowledge.source", "core.retrieve.search"):
        monkeypatch.setattr(f"{module}.find_model", lambda *_: small)


@pytest.mark.usefixtures("small_model")
def test_an_index_that_fits_is_searched_and_no_record_is_embedded(
    open_window: OpenWindow, knowledge: Path, texts: list[str]
) -> None:
    embedder = WordEmbedder()
    vectors = np.stack([embedder.vector(text) for text in texts])
    write_index(knowledge.with_suffix(".usearch"), vectors)
    user = open_window(knowledge, embedder)
    user.ask(QUESTION)
    expected = 1 - vectors @ embedder.vector(QUESTION)
    ids = user.retrieval.selection.candidates.ids
    rows = user.rows()
    assert rows
    for row in rows:
        assert row.distance == pytest.approx(expected[ids.index(row.id)], abs=1e-6)
    # The sample that is compared with the model, and nothing else.
    assert len(embedder.embedded) <= MOST_SAMPLED
    assert problems(user) == []


def test_a_damaged_index_is_a_problem_and_the_window_works_on(
    open_window: OpenWindow, knowledge: Path, texts: list[str]
) -> None:
    write_index(knowledge.with_suffix(".usearch"), np.ones((len(texts), 384), np.float32))
    path = knowledge.with_suffix(".usearch")
    path.write_bytes(path.read_bytes()[:-2000] + bytes(1000))
    user = open_window(knowledge)
    assert any("index_file" in line and "not used" in line for line in problems(user))
    user.ask(QUESTION)
    assert user.rows()


def test_an_index_of_another_dimension_is_refused_with_8003(
    open_window: OpenWindow, knowledge: Path, texts: list[str]
) -> None:
    write_index(knowledge.with_suffix(".usearch"), np.ones((len(texts), 32), np.float32))
    user = open_window()
    with user.qtbot.waitSignal(user.session.failed, timeout=20_000):
        user.window.open_path(knowledge)
    assert "8003" in user.bar_text
    assert "32" in user.bar_text
    assert user.session.graph is None
