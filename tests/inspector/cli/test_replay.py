"""The command ``replay``, on recordings made by ``turn``."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from inspector.cli import commands as cli

if TYPE_CHECKING:
    from pathlib import Path

    from core.embedding.embedder import ModelProvider

MESSAGE = "which fish jump out of the tank?"


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = cli.main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.fixture
def graph(fresh_aquarium: Path) -> Path:
    return fresh_aquarium / "hybrid.graph.json"


@pytest.fixture
def info(graph: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """A turn that needs no model."""
    status, out, _ = run(capsys, "turn", graph, "-m", MESSAGE, "--set", "retrieval_mode=Lexical")
    assert status == 0
    found: dict[str, Any] = json.loads(out)
    return found


@pytest.fixture
def results(info: dict[str, Any]) -> list[dict[str, Any]]:
    """The recorded results, to be edited in place."""
    found: list[dict[str, Any]] = info["nodes"][1]["diagnostics"]["output"]["results"]
    return found


def saved(folder: Path, *documents: object, name: str = "recorded.json") -> Path:
    path = folder / name
    path.write_text(
        "\n".join(
            document if isinstance(document, str) else json.dumps(document)
            for document in documents
        ),
        encoding="utf-8",
    )
    return path


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    status, out, err = run(capsys, "replay", *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    return err


def test_a_turn_with_the_real_model_agrees_with_itself_and_not_with_other_distances(
    capsys: pytest.CaptureFixture[str],
    graph: Path,
    tmp_path: Path,
    models: ModelProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.agent.workspace.ModelProvider", lambda: models)
    _, out, _ = run(capsys, "turn", graph, "-m", MESSAGE)
    info = json.loads(out)
    status, out, err = run(capsys, "replay", saved(tmp_path, info), graph)
    assert (status, err) == (0, "")
    assert "3 same, 0 moved, 0 distance, 0 missing, 0 new" in out
    info["nodes"][1]["diagnostics"]["output"]["results"][0]["distance"] += 0.03
    recording = saved(tmp_path, info)
    status, out, err = run(capsys, "replay", recording, graph)
    assert (status, err) == (1, "")
    assert "2 same, 0 moved, 1 distance, 0 missing, 0 new" in out
    assert run(capsys, "replay", recording, graph, "--tolerance", "0.04")[0] == 0


def test_hits_that_agree_are_listed_and_the_status_is_0(
    capsys: pytest.CaptureFixture[str],
    graph: Path,
    tmp_path: Path,
    info: dict[str, Any],
    results: list[dict[str, Any]],
) -> None:
    status, out, err = run(capsys, "replay", saved(tmp_path, info), graph)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert f'turn 1: "{MESSAGE}"' in lines
    assert f'  knowledge (Retrieve), query "{MESSAGE}"' in lines
    for rank, result in enumerate(results, start=1):
        assert any(
            line.split()[:5] == ["same", str(rank), "→", str(rank), result["id"]] for line in lines
        )
    assert lines[-1] == "1 turn replayed: all hits agree"


def test_moved_missing_and_new_hits_are_told_and_the_status_is_1(
    capsys: pytest.CaptureFixture[str],
    graph: Path,
    tmp_path: Path,
    info: dict[str, Any],
    results: list[dict[str, Any]],
) -> None:
    ids = [result["id"] for result in results]
    results[0], results[1] = results[1], results[0]
    results[2]["id"] = "gone"
    status, out, err = run(capsys, "replay", saved(tmp_path, info), graph)
    assert (status, err) == (1, "")
    rows = [line.split()[:5] for line in out.splitlines()]
    assert ["moved", "1", "→", "2", ids[1]] in rows
    assert ["moved", "2", "→", "1", ids[0]] in rows
    assert ["missing", "3", "→", "–", "gone"] in rows
    assert ["new", "–", "→", "3", ids[2]] in rows
    assert "0 same, 2 moved, 0 distance, 1 missing, 1 new" in out
    assert out.splitlines()[-1] == "1 turn replayed: 1 differs"


def test_json_says_the_same(
    capsys: pytest.CaptureFixture[str],
    graph: Path,
    tmp_path: Path,
    info: dict[str, Any],
    results: list[dict[str, Any]],
) -> None:
    results[2]["id"] = "gone"
    status, out, err = run(capsys, "replay", saved(tmp_path, info), graph, "--json")
    assert (status, err) == (1, "")
    document = json.loads(out)
    (turn,) = document["turns"]
    (node,) = turn["nodes"]
    assert (document["differs"], turn["differs"], node["differs"]) == (True, True, True)
    assert (turn["message"], node["node"], node["type"], node["query"], node["error"]) == (
        MESSAGE,
        "knowledge",
        "Retrieve",
        MESSAGE,
        None,
    )
    assert node["summary"] == {"same": 2, "moved": 0, "distance": 0, "missing": 1, "new": 1}
    assert node["hits"][2] == {
        "id": "gone",
        "verdict": "missing",
        "here": None,
        "recorded": {"rank": 3, "distance": None},
        "distance_change": None,
    }


def test_knowledge_alone_is_enough(
    capsys: pytest.CaptureFixture[str], fresh_aquarium: Path, tmp_path: Path, info: dict[str, Any]
) -> None:
    parameters = info["nodes"][1]["diagnostics"]["parameters"]
    parameters["embedded_string_storage"] = "somewhere/else.json"
    recording = saved(tmp_path, info)
    for path in (fresh_aquarium / "aquarium_all_mini.json", fresh_aquarium):
        status, out, _ = run(capsys, "replay", recording, path)
        assert status == 0
        assert '"aquarium_all_mini.json" is searched' in out


def test_a_log_is_replayed_turn_by_turn_and_broken_lines_are_told(
    capsys: pytest.CaptureFixture[str],
    graph: Path,
    tmp_path: Path,
    info: dict[str, Any],
    results: list[dict[str, Any]],
) -> None:
    good = {"message": "one", "debug_info": json.dumps(copy.deepcopy(info))}
    results[0]["id"] = "gone"
    log = saved(tmp_path, good, "{broken", info, name="log.jsonl")
    status, out, err = run(capsys, "replay", log, graph)
    assert (status, err) == (1, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"warning 3007 {log}:2")
    assert [line for line in lines if line.startswith("turn")] == [
        'turn 1: "one"',
        f'turn 2: "{MESSAGE}"',
    ]
    assert lines[-1] == "2 turns replayed: 1 differs"
    assert len(json.loads(run(capsys, "replay", log, graph, "--json")[1])["findings"]) == 1


@pytest.mark.parametrize("prefix", ["knowledge.", "", "lore.knowledge."])
def test_the_flat_form_is_replayed(
    capsys: pytest.CaptureFixture[str],
    graph: Path,
    prefix: str,
    tmp_path: Path,
    info: dict[str, Any],
    results: list[dict[str, Any]],
) -> None:
    parameters = info["nodes"][1]["diagnostics"]["parameters"]
    flat = {f"{prefix}{key}": str(value) for key, value in parameters.items()}
    flat[f"{prefix}query"] = MESSAGE
    flat |= {
        f"{prefix}result[{index:03}].{key}": value
        for index, result in enumerate(results)
        for key, value in result.items()
    }
    assert run(capsys, "replay", saved(tmp_path, flat), graph)[0] == 0
    flat[f"{prefix}result[000].id"] = "gone"
    assert run(capsys, "replay", saved(tmp_path, flat), graph)[0] == 1


def test_ids_cannot_command_the_terminal(
    capsys: pytest.CaptureFixture[str],
    graph: Path,
    tmp_path: Path,
    info: dict[str, Any],
    results: list[dict[str, Any]],
) -> None:
    results[0]["id"] = "\x1b[2Jevil\n\u202e"
    _, out, _ = run(capsys, "replay", saved(tmp_path, info), graph)
    assert "\\u001b[2Jevil\\u000a\\u202e" in out


def test_a_turn_without_a_search_has_nothing_to_compare(
    capsys: pytest.CaptureFixture[str], graph: Path, tmp_path: Path
) -> None:
    path = saved(tmp_path, {"nodes": [{"name": "a", "type": "Speak"}]})
    status, out, _ = run(capsys, "replay", path, graph)
    assert status == 0
    assert "nothing to compare" in out


def test_a_search_that_is_refused_here_is_printed_and_the_status_is_2(
    capsys: pytest.CaptureFixture[str], graph: Path, tmp_path: Path, info: dict[str, Any]
) -> None:
    info["nodes"][1]["diagnostics"]["parameters"]["filter"] = '{"op": "odd"}'
    status, out, err = run(capsys, "replay", saved(tmp_path, info), graph)
    assert (status, err.count("\n")) == (2, 1)
    assert "filter.unknown_op" in err
    assert "filter.unknown_op" in out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{broken", "invalid JSON"),
        ("", "the file is empty"),
        ("[]", "no recorded turn"),
        ('{"nodes": 3}', "list"),
        ('[{"id": "a", "text": "b"}]', "no recorded turn"),
        ('{"start_node": "a", "nodes": []}', "a graph"),
        ('{"debug_info": null}', "null"),
    ],
)
def test_a_file_without_turns_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], graph: Path, tmp_path: Path, content: str, said: str
) -> None:
    assert said in refused(capsys, saved(tmp_path, content), graph)


def test_missing_files_and_bad_options_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], graph: Path, tmp_path: Path, info: dict[str, Any]
) -> None:
    recording = saved(tmp_path, info)
    assert "3010" in refused(capsys, tmp_path / "missing.json", graph)
    assert "3010" in refused(capsys, recording, tmp_path / "missing.json")
    assert "3007" in refused(capsys, recording)
    for tolerance in ("-0.1", "nan", "x", "3"):
        assert "0 to 2" in refused(capsys, recording, graph, "--tolerance", tolerance)
