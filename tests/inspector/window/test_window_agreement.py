"""One source of truth: table, funnel, plot, diagnostics, prompt and command line say the same."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QPlainTextEdit

from core.hits.hit import Reason
from inspector.cli import commands as cli
from tests.inspector.driver import QUESTION, Driver
from tests.inspector.light_embedder import WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from core.embedding.embedder import ModelProvider
    from inspector.models.json_tree_model import JsonTreeModel
    from tests.inspector.driver import OpenWindow

pytestmark = pytest.mark.slow

MESSAGES = (
    QUESTION,
    "which fish eat algae in a small tank?",
    "Amphiprion ocellaris",
    "how warm should the water be at night",
    "zzz qqq",
    "copper and ich",
    "the",
)
FILTERS = (
    "",
    '{"op": "eq", "lhs": {"knowledge": "water"}, "rhs": {"value": "salt"}}',
    '{"op": "le", "lhs": {"knowledge": "level"}, "rhs": {"value": 4}}',
    '{"op": "not", "arg": {"op": "in", "needle": {"value": "algae"}, '
    '"haystack": {"knowledge": "tags"}}}',
    '{"op": "gt", "lhs": {"knowledge": "max_size_cm"}, "rhs": {"value": 1000}}',
)
MODES = ("Dense", "Lexical", "Hybrid")
TOP_K = (1, 2, 3, 5, 8, 13, 20, 50, 192, 400, 1000)
NEAR_MISSES = 60
TURNS = 22


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordEmbedder:
    """The same embedder for the window and for the command line."""
    made = WordEmbedder()
    monkeypatch.setattr("core.embedding.embedder.load_embedder", lambda _name: made)
    return made


def _command_line(capsys: pytest.CaptureFixture[str], path: Path, *options: str) -> Any:
    capsys.readouterr()
    assert cli.main(["turn", str(path), *options]) == 0
    return json.loads(capsys.readouterr().out)


def _tree(model: JsonTreeModel, parent: QModelIndex | None = None) -> dict[str, Any]:
    """Read a tree model as far as it says everything: keys, and leaves as JSON."""
    parent = parent or QModelIndex()
    found: dict[str, Any] = {}
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        found[index.data()] = (
            _tree(model, index) if model.rowCount(index) else model.index(row, 1, parent).data()
        )
    return found


def _as_tree(value: Any) -> Any:
    """Write JSON data as the tree shows it; long texts are cut there after 200 characters."""
    if isinstance(value, dict) and value:
        return {key: _as_tree(item) for key, item in value.items()}
    if isinstance(value, list) and value:
        return {str(number): _as_tree(item) for number, item in enumerate(value)}
    if isinstance(value, str) and len(value) > 200:
        value = value[:200] + "…"
    return json.dumps(value, ensure_ascii=False)


def _stages(parameters: dict[str, Any], records: int, matching: int, with_word: int) -> list[Any]:
    """What the funnel must say, from the diagnostics' own counts."""
    p = parameters
    trunk = [("records", records), ("match filter", matching)]
    kept = p["raw_result_count"] - p["filtered_count"]
    if p["retrieval_mode"] == "Dense":
        legs = [("raw", p["raw_result_count"]), ("within threshold", kept)]
    elif p["retrieval_mode"] == "Lexical":
        legs = [("with query words", with_word), ("BM25 leg", p["sparse_raw_count"])]
    else:
        legs = [
            ("dense raw", p["dense_raw_count"]),
            ("within threshold", p["dense_raw_count"] - p["dense_filtered_count"]),
            ("with query words", with_word),
            ("BM25 leg", p["sparse_raw_count"]),
            ("fused", p["fused_candidate_count"]),
        ]
    return [*trunk, *legs, ("hits", p["result_count"])]


def _random_settings(dice: random.Random, distances: list[float]) -> dict[str, Any]:
    threshold = dice.choice(
        [0.0, round(dice.uniform(0, 2), 3), round(dice.choice(distances or [0.7]), 3)]
    )
    return {
        "retrieval_mode": dice.choice(MODES),
        "top_k": dice.choice(TOP_K),
        "threshold": threshold,
        "rrf_k": dice.choice([1, 5, 60, 1000]),
    }


def _put_in_force(user: Driver, settings: dict[str, Any], text: str) -> None:
    user.click(f"mode{settings['retrieval_mode']}")
    user.find("topKSpin").setValue(settings["top_k"])
    if settings["retrieval_mode"] != "Lexical":
        user.find("thresholdSpin").setValue(settings["threshold"])
    if settings["retrieval_mode"] == "Hybrid":
        user.find("rrfKSpin").setValue(settings["rrf_k"])
    if text != user.params().filter:
        user.set_filter(text)
    user.settle()


def _check(user: Driver, said: dict[str, Any], messages: list[Any]) -> None:
    """Compare every part of the window with what the command line said."""
    near = said.pop("near_misses", [])
    legs = said.pop("query_words")
    diagnostics = said["nodes"][0]["diagnostics"]
    parameters, results = diagnostics["parameters"], diagnostics["output"]["results"]
    assert [leg.to_json() for leg in user.retrieval.listing.leg_queries] == legs
    # Diagnostics: text and tree.
    panel = user.window.panels.diagnostics
    assert json.loads(panel.text()) == said
    assert _tree(user.find("diagnosticsView").model()) == _as_tree(said)
    # Table.
    rows = user.rows()
    hits = [row for row in rows if not row.reason]
    assert rows[: len(hits)] == hits
    assert [(row.id, row.distance) for row in hits] == [
        (result["id"], result["distance"]) for result in results
    ]
    listed = rows[len(hits) :][:NEAR_MISSES]
    assert [(row.id, row.reason, row.distance, row.needs) for row in listed] == [
        (miss["id"], miss["reason"], miss["distance"], miss["needs"]) for miss in near
    ]
    # Funnel.
    found = user.retrieval.selection
    records = len(found.candidates.ids)
    mask = found.candidates.matching
    matching = records if mask is None else int(mask.sum())
    scored = found.candidates.sparse.scores > 0
    with_word = int((scored if mask is None else scored & mask).sum())
    assert user.window.panels.funnel.stages() == _stages(parameters, records, matching, with_word)
    # Plot.
    plot = user.window.panels.distances
    limit = 0.0 if parameters["threshold"] == "inf" else parameters["threshold"]
    assert plot.threshold() == pytest.approx(limit, abs=0.0005)
    if parameters["retrieval_mode"] != "Lexical":
        dots = plot._dots._layers.get(Reason.NONE, np.zeros((0, 2)))[:, 0]
        known = found.candidates.dense.distances[found.hit_rows]
        assert sorted(dots) == sorted(known.astype(float))
        for result in results:
            if result["distance"] is not None:
                assert np.float32(result["distance"]) in known
    # Prompt, history, controls.
    shown = user.find("promptView", QPlainTextEdit).toPlainText()
    assert shown == "\n\n".join(message["content"] for message in messages)
    turns = user.find("turnsView").model()
    # The newest line follows once the settings pause.
    user.qtbot.waitUntil(lambda: turns.index(0, 0).data(0x0101).hits == len(results))
    assert turns.index(0, 0).data(0x0101).message == user.turn.request.message
    assert user.find(f"mode{parameters['retrieval_mode']}").isChecked()
    assert user.find("topKSpin").value() == parameters["top_k"]
    assert user.find("thresholdSpin").value() == pytest.approx(limit)
    assert user.find("rrfKSpin").value() == parameters["rrf_k"]


@pytest.mark.parametrize("seed", [1, 2])
def test_window_and_command_line_agree_for_random_parameters(
    open_window: OpenWindow,
    aquarium: Path,
    embedder: WordEmbedder,
    capsys: pytest.CaptureFixture[str],
    seed: int,
) -> None:
    path = aquarium / "rag.graph.json"
    user = open_window(path, embedder)
    dice = random.Random(seed)
    routes = set()
    for number in range(TURNS):
        if number % 5 == 0:
            message = dice.choice(MESSAGES)
            user.ask(message)
        dense = user.retrieval.selection.candidates.dense
        settings = _random_settings(dice, [] if dense is None else dense.distances.tolist())
        text = dice.choice(FILTERS) if number % 3 == 0 else user.params().filter
        _put_in_force(user, settings, text)
        in_force = user.params()
        options = [
            "-m",
            message,
            "--set",
            f"filter={text}",
            "--set",
            f"retrieval_mode={in_force.retrieval_mode.name}",
            "--set",
            f"top_k={in_force.top_k}",
            "--set",
            f"threshold={in_force.threshold}",
            "--set",
            f"rrf_k={in_force.rrf_k}",
        ]
        said = _command_line(capsys, path, *options, "--near-misses", str(NEAR_MISSES))
        messages = _command_line(capsys, path, *options, "--messages")
        _check(user, said, messages)
        routes.add((settings["retrieval_mode"], said["nodes"][0]["exit"]))
    assert len(routes) >= 5


def test_dragging_the_line_and_the_command_line_agree(
    open_window: OpenWindow,
    aquarium: Path,
    embedder: WordEmbedder,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = aquarium / "hybrid.graph.json"
    user = open_window(path, embedder)
    user.ask(QUESTION)
    for value in (0.2, 0.77, 0.9, 1.3):
        user.drag_threshold(value)
        options = ["-m", QUESTION, "--set", f"knowledge.threshold={user.params().threshold}"]
        said = _command_line(capsys, path, *options)
        assert json.loads(user.window.panels.diagnostics.text()) == said


@pytest.mark.slow
def test_the_real_model_shows_what_the_library_computes(
    qtbot: QtBot,
    own_settings: Path,
    fresh_aquarium: Path,
    models: ModelProvider,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """End to end: the program as it is composed, with the model in its own process."""
    from inspector.__main__ import build_window

    path = fresh_aquarium / "rag.graph.json"
    user = Driver(qtbot, build_window([path]))
    try:
        user.window.show()
        qtbot.waitUntil(lambda: user.session.graph is not None)
        user.type_message(QUESTION)
        with qtbot.waitSignal(user.window.turnShown, timeout=60_000):
            user.click("runButton")
        records = json.loads((path.parent / "aquarium_all_mini.kb.json").read_text("utf-8"))
        embedder: Any = models.get("all-MiniLM-L6-v2")
        monkeypatch.setattr("core.embedding.embedder.load_embedder", lambda _name: embedder)
        texts = [record["text"] for record in records]
        made = embedder._model.encode(
            [*texts, QUESTION], normalize_embeddings=True, show_progress_bar=False
        )
        distances = 1 - made[:-1] @ made[-1]
        nearest = np.argsort(distances, kind="stable")
        wanted = [records[row]["id"] for row in nearest[:3] if distances[row] <= 0.6]
        assert user.hits() == wanted
        at = {record["id"]: row for row, record in enumerate(records)}
        for row in user.rows():
            assert row.distance == pytest.approx(distances[at[row.id]], abs=1e-5)
        user.drag_threshold(0.75)
        user.set_spin("topKSpin", "12")
        limit = user.params().threshold
        assert user.hits() == [
            records[row]["id"]
            for row in nearest[:12]
            if np.float32(distances[row]) <= np.float32(limit)
        ]
        said = _command_line(
            capsys, path, "-m", QUESTION, "--set", "top_k=12", "--set", f"threshold={limit}"
        )
        ids = [result["id"] for result in said["nodes"][0]["diagnostics"]["output"]["results"]]
        assert ids == user.hits()
    finally:
        user.window.close_at_once()
        user.window.deleteLater()
