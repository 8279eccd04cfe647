"""The turns of one folder, kept from one start of the program to the next."""

from __future__ import annotations

import hashlib
import logging
import threading
from itertools import count
from typing import TYPE_CHECKING, Any

import orjson

from core.agent.description import GraphDescription, Node
from core.agent.history import MOST_TURNS, HistoryEntry, TurnSummary
from core.agent.turn import Turn
from core.errors import Code, InspectorError
from core.io.atomic import write_atomically
from core.io.findings import Findings
from core.io.json_file import read_json
from core.nodes.walk import Play, TurnRequest
from core.prompt.messages import DialogLine

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

FORMAT = 1
MOST_BYTES = 4_000_000
"""Of one folder's file; the oldest turns that are not pinned are left out beyond it."""
MOST_FOLDERS = 100
"""The files of the folders that were not asked about for the longest time go beyond these."""

log = logging.getLogger(__name__)


class HistoryFile:
    """Where the turns of one folder are kept: what was asked, with which settings, what it found.

    Neither the results nor the memory stores are: a turn of it is run again to be looked at.
    Recorded turns lie in their own files.

    Parameters
    ----------
    below : the folder that holds the files of all folders; made when the first is written.
    folder : the folder that the turns ask about.
    """

    def __init__(self, below: Path, folder: str) -> None:
        name = hashlib.sha256(folder.encode(errors="surrogatepass")).hexdigest()[:32]
        self.path = below / f"{name}.json"
        self._folder = folder
        self._numbers = count(1)
        self._written = 0
        self._lock = threading.Lock()

    def read(self) -> list[HistoryEntry]:
        """Return the turns, the oldest first; what cannot be read is left out."""
        if not self.path.exists():
            return []
        document = read_json(self.path, Findings(Code.InvalidStringStorageData, str(self.path)))
        is_ours = isinstance(document, dict) and document.get("format") == FORMAT
        turns = document.get("turns") if is_ours and document is not None else None
        if not isinstance(turns, list):
            log.warning("the turns of %s cannot be read: %s", self._folder, self.path)
            return []
        found = [_read(turn) for turn in turns[-MOST_TURNS:]]
        return [entry for entry in found if entry is not None]

    def number(self) -> int:
        """Return the number of what is to be written next; an older one is not written after it."""
        return next(self._numbers)

    def write(self, entries: Sequence[HistoryEntry], number: int) -> None:
        """Keep the turns, in place of those that were kept before; from any thread.

        Raises
        ------
        InspectorError
            3010 when they cannot be written.
        """
        document = {"format": FORMAT, "folder": self._folder}
        turns = _within([_dumped(entry) for entry in _kept(entries)])
        with self._lock:
            if number < self._written or (not turns and not self.path.exists()):
                return
            self._written = number
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InspectorError(
                    Code.StorageFileNotFound, f"the turns cannot be kept: {error}"
                ) from error
            head = orjson.dumps(document)[:-1] + b',"turns":[\n'
            write_atomically(self.path, [head, b",\n".join(turns), b"\n]}\n"])
            _forget_oldest(self.path.parent)


def _kept(entries: Iterable[HistoryEntry]) -> list[HistoryEntry]:
    return [entry for entry in entries if not entry.turn.recorded and not entry.is_open]


def _dumped(entry: HistoryEntry) -> tuple[bool, bytes]:
    """Return whether a turn is pinned, and its text: empty where it has none, as half a pair."""
    try:
        return entry.is_pinned, orjson.dumps(_written(entry))
    except TypeError as error:
        log.warning("a turn cannot be kept: %s", error)
        return entry.is_pinned, b""


def _within(turns: list[tuple[bool, bytes]]) -> list[bytes]:
    """Leave out the oldest turns beyond `MOST_BYTES`, those that are pinned last."""
    room = MOST_BYTES
    taken: set[int] = set()
    for pinned in (True, False):
        for number in range(len(turns) - 1, -1, -1):
            is_pinned, text = turns[number]
            if is_pinned is pinned:
                room -= len(text)
                if room < 0:
                    break
                taken.add(number)
    return [text for number, (_, text) in enumerate(turns) if text and number in taken]


def _forget_oldest(folder: Path) -> None:
    try:
        files = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for file in files[:-MOST_FOLDERS]:
            file.unlink()
    except OSError as error:
        log.warning("old histories stay: %s", error)


def _written(entry: HistoryEntry) -> dict[str, Any]:
    request, summary = entry.turn.request, entry.summary
    graph = GraphDescription()
    graph.nodes = [Node(name, params) for name, params in request.params.items()]
    graph.set_start_node(request.start_node).set_default_model_name(request.default_model_name)
    return {
        "message": request.message,
        "when": entry.when,
        "live": entry.live,
        "name": entry.name,
        "pinned": entry.is_pinned,
        "hits": summary.hits,
        "settings": summary.settings,
        "error": summary.error,
        "graph": graph.to_document(),
        "variables": dict(request.variables),
        "exits": dict(request.exits),
        "replies": dict(request.replies),
        "dialog": [list(line) for line in request.play.dialog],
        "ready_lines": dict(request.play.canned_counts),
    }


def _read(turn: object) -> HistoryEntry | None:
    """Read one turn; None for one that this program cannot make sense of."""
    findings = Findings(Code.GraphCompilationFailed)
    try:
        if not isinstance(turn, dict):
            raise TypeError("a turn is a JSON object")
        graph = GraphDescription.from_document(turn["graph"], findings)
        findings.raise_errors()
        request = TurnRequest(
            message=_text(turn["message"]),
            params={node.name: node.params for node in graph.nodes},
            start_node=graph.start_node,
            default_model_name=graph.default_model_name,
            exits=_texts(turn["exits"]),
            variables=_texts(turn["variables"]),
            replies=_texts(turn["replies"]),
            play=Play(
                canned_counts={name: int(times) for name, times in turn["ready_lines"].items()},
                dialog=tuple(_line(*line) for line in turn["dialog"]),
            ),
        )
        return HistoryEntry(
            Turn(request, ()),
            live=bool(turn["live"]),
            when=float(turn["when"]),
            name=_text(turn["name"]),
            is_pinned=bool(turn["pinned"]),
            told=TurnSummary(int(turn["hits"]), _text(turn["settings"]), _text(turn["error"])),
        )
    except (InspectorError, KeyError, TypeError, ValueError, AttributeError) as error:
        log.warning("a turn of an earlier start is left out: %s", error)
        return None


def _line(role: str, text: str) -> DialogLine:
    if role not in ("user", "assistant", "system"):
        raise ValueError(f"no role: {role}")
    return DialogLine(role, _text(text))  # type: ignore[arg-type]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"not a text: {value!r:.40}")
    return value


def _texts(values: Mapping[str, object]) -> dict[str, str]:
    return {name: _text(value) for name, value in values.items()}
