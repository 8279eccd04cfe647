"""Recorded turns in the forms that files have, and what a test asks of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from core.recording.reading import read_recording

if TYPE_CHECKING:
    from pathlib import Path

    from core.agent.turn import Turn

RESULT = {"id": "a", "distance": 0.25, "rank_dense": 1, "text": "clownfish", "game_note": "x"}
RECORDED: dict[str, Any] = {
    "status": "Success",
    "build": "1.2",
    "nodes": [
        {
            "name": "knowledge",
            "type": "Retrieve",
            "exit": "found",
            "next": "answer",
            "diagnostics": {
                "parameters": {
                    "source": "knowledge",
                    "embedded_string_storage": "k.json",
                    "top_k": 3,
                    "threshold": "inf",
                    "retrieval_mode": "Dense",
                    "rrf_k": 60,
                    "filter": "",
                    "raw_result_count": 3,
                    "filtered_count": 2,
                    "result_count": 1,
                    "elapsed_us": 17,
                },
                "input": {"query": "clownfish?"},
                "output": {"results": [RESULT]},
            },
        },
        {"name": "answer", "type": "Generate", "exit": "default", "next": "", "diagnostics": {}},
    ],
}

FLAT = {
    "knowledge.result[000].id": "a",
    "knowledge.result[000].distance": "0.31",
    "knowledge.result[000].text": "clownfish",
    "knowledge.raw_result_count": "3",
    "knowledge.filtered_count": "2",
    "knowledge.result_count": "1",
    "knowledge.query": "clownfish?",
    "knowledge.top_k": "3",
    "knowledge.threshold": "inf",
    "knowledge.retrieval_mode": "Lexical",
    "knowledge.source": "facts",
}


def written(folder: Path, document: object) -> Path:
    path = folder / "debug_info.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def turns_of(folder: Path, content: object, name: str = "recorded.json") -> tuple[Turn, ...]:
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return read_recording(path).turns


def hits_of(turn: Turn, node: str = "knowledge") -> list[tuple[str, float | None]]:
    run = turn.run_of(node)
    assert run is not None
    assert run.retrieval is not None
    return [(hit.id, hit.distance) for hit in run.retrieval.hits]


def stages_of(turn: Turn, node: str = "knowledge") -> list[tuple[str, int, int]]:
    run = turn.run_of(node)
    assert run is not None
    assert run.retrieval is not None
    return [(stage.label, stage.count, stage.removed) for stage in run.retrieval.stages]
