"""Turns survive a restart; a file that is broken or not ours does no harm."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from core.agent import history_file
from core.agent.history import HistoryEntry, TurnSummary
from core.agent.history_file import HistoryFile
from core.agent.turn import Turn
from core.nodes import GenerateParams, RetrievalMode, RetrieveParams
from core.nodes.walk import Play, TurnRequest
from core.prompt.messages import DialogLine

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "/games/aquarium"


def asked(message: str = "hello", **fields: Any) -> HistoryEntry:
    request = TurnRequest(
        message,
        {
            "knowledge": RetrieveParams(
                top_k=7, threshold=0.25, retrieval_mode=RetrievalMode.Hybrid, found_exit="answer"
            ),
            "answer": GenerateParams(template="{{#knowledge}}x{{/knowledge}}"),
        },
        "knowledge",
        "any model",
        {"guard": "triggered"},
        {"player": "ada"},
        {"answer": "No."},
        Play({"refuse": 2}, dialog=(DialogLine("user", "before"),)),
    )
    return HistoryEntry(Turn(request, ()), live=False, when=1000.0, **fields)


@pytest.fixture
def file(tmp_path: Path) -> HistoryFile:
    return HistoryFile(tmp_path / "history", FOLDER)


def messages(entries: list[HistoryEntry]) -> list[str]:
    return [entry.turn.request.message for entry in entries]


def test_what_was_asked_and_how_it_was_set_comes_back(file: HistoryFile, tmp_path: Path) -> None:
    told = TurnSummary(3, "Hybrid · top_k 7", "")
    entry = asked(name="the good one", is_pinned=True, told=told)
    file.write([entry], file.number())
    (back,) = HistoryFile(tmp_path / "history", FOLDER).read()
    assert back.turn.request == entry.turn.request
    assert back == replace(entry, turn=back.turn)


def test_each_folder_has_its_own_turns(file: HistoryFile, tmp_path: Path) -> None:
    file.write([asked()], file.number())
    assert HistoryFile(tmp_path / "history", "/games/tavern").read() == []


def test_what_is_still_being_typed_and_recordings_are_not_kept(file: HistoryFile) -> None:
    recorded = asked("recorded")
    recorded = replace(recorded, turn=replace(recorded.turn, recorded=True))
    file.write([asked("kept"), recorded, asked("typed", is_open=True)], file.number())
    assert messages(file.read()) == ["kept"]


def test_an_older_state_is_not_written_over_a_newer_one(file: HistoryFile) -> None:
    older, newer = file.number(), file.number()
    file.write([asked("newer")], newer)
    file.write([asked("older")], older)
    assert messages(file.read()) == ["newer"]


def test_nothing_asked_leaves_no_file_but_empties_one(file: HistoryFile) -> None:
    file.write([], file.number())
    assert not file.path.exists()
    file.write([asked()], file.number())
    file.write([], file.number())
    assert file.read() == []


def test_beyond_the_bound_the_oldest_go_and_pinned_ones_stay(
    file: HistoryFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [asked(str(number), is_pinned=number == 0) for number in range(10)]
    file.write(entries[:1], file.number())
    monkeypatch.setattr(history_file, "MOST_BYTES", 4 * file.path.stat().st_size)
    file.write(entries, file.number())
    kept = messages(file.read())
    assert kept[0] == "0"
    assert kept[1:] == [str(number) for number in range(10 - len(kept) + 1, 10)]
    assert 3 <= len(kept) <= 5


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"format": 99, "turns": []}', b"\xff\xfe", b'{"format": 1}']
)
def test_a_file_that_is_broken_or_newer_gives_no_turns(file: HistoryFile, content: bytes) -> None:
    file.path.parent.mkdir(parents=True)
    file.path.write_bytes(content)
    assert file.read() == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("message", 3),
        ("graph", {"nodes": [{"name": "x", "type": "Unknown"}]}),
        ("when", "yesterday"),
        ("dialog", [["nobody", "hello"]]),
        ("variables", {"player": 3}),
        ("ready_lines", None),
    ],
)
def test_one_turn_that_makes_no_sense_is_left_out(
    file: HistoryFile, key: str, value: object
) -> None:
    file.write([asked("good"), asked("bad")], file.number())
    document = json.loads(file.path.read_text(encoding="utf-8"))
    document["turns"][1][key] = value
    file.path.write_text(json.dumps(document), encoding="utf-8")
    assert messages(file.read()) == ["good"]


def test_half_a_surrogate_pair_is_left_out_and_keeps_no_other_back(file: HistoryFile) -> None:
    file.write([asked("good"), asked("bad \ud83d")], file.number())
    assert messages(file.read()) == ["good"]


def test_the_files_of_too_many_folders_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history_file, "MOST_FOLDERS", 3)
    for number in range(5):
        file = HistoryFile(tmp_path / "history", f"/games/{number}")
        file.write([asked()], file.number())
    assert len(list((tmp_path / "history").iterdir())) == 3
