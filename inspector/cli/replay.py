"""The command ``replay``: recorded turns are searched again, and what differs is printed."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.hits.comparison import TOLERANCE, HitPair
from core.knowledge.memory import MemoryStore
from core.nodes.walk import Play
from core.opening.opening import open_path
from core.recording.reading import read_recording
from core.recording.replay import NodeReplay, TurnReplay, replay_turn
from inspector.cli.play import pairs_of
from inspector.cli.telling import tell_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.hits.hit import Hit

_EXIT_DIFFERS = 1
_ID_CHARACTERS = 48
_TEXT_CHARACTERS = 200


def add_commands(commands: Any) -> None:
    """Add the command to the subparsers of the command line."""
    replay = commands.add_parser(
        "replay",
        help="search again what a recorded turn searched, and print what differs",
        description="Search again what recorded turns searched, with the same queries and "
        "parameters, and print what differs. Exit status: 0 when all hits agree, 1 when some "
        "differ, 2 for a refusal.",
    )
    replay.add_argument(
        "recorded", metavar="RECORDED", help="a saved debug_info, or a log with many (JSON Lines)"
    )
    replay.add_argument(
        "path", metavar="PATH", help="what to search: a graph, a knowledge file or a folder"
    )
    replay.add_argument("--root", metavar="DIR", help="storage root; default: beside PATH")
    replay.add_argument(
        "--tolerance",
        type=_tolerance,
        default=TOLERANCE,
        metavar="X",
        help=f"distances that differ by no more agree; default {TOLERANCE:g}",
    )
    replay.add_argument(
        "--var",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="variables",
        help="give an agent variable its value, for the names of memory stores",
    )
    replay.add_argument(
        "--memory",
        action="append",
        default=[],
        metavar="FILE",
        help="use the memory store in this file",
    )
    replay.add_argument("--json", action="store_true", dest="as_json", help="print JSON")
    replay.set_defaults(run=_run_replay)


def _tolerance(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 2:
        raise argparse.ArgumentTypeError(f'"{text}" is no distance: 0 to 2')
    return value


def _run_replay(arguments: argparse.Namespace) -> int:
    recording = read_recording(Path(arguments.recorded))
    target = open_path(arguments.path, root=arguments.root)
    variables = pairs_of(arguments.variables, "--var")
    stores = [MemoryStore.load(Path(name)) for name in arguments.memory]
    play = Play(memory={store.name: store for store in stores})
    replays = [
        replay_turn(turn, target, tolerance=arguments.tolerance, variables=variables, play=play)
        for turn in recording.turns
    ]
    findings = [finding.line() for finding in recording.findings]
    if arguments.as_json:
        print(
            json.dumps(
                {
                    "differs": any(replay.differs for replay in replays),
                    "tolerance": arguments.tolerance,
                    "findings": findings,
                    "turns": [_turn_data(replay) for replay in replays],
                },
                ensure_ascii=False,
                indent=2,
                allow_nan=False,
            )
        )
    else:
        lines = [*map(_printable, findings), _legend(arguments.tolerance), *_lines(replays)]
        print("\n".join(lines))
    tell_notes(target.workspace.notes)
    error = next((node.error for replay in replays for node in replay.nodes if node.error), None)
    if error is not None:
        raise error
    return _EXIT_DIFFERS if any(replay.differs for replay in replays) else 0


def _legend(tolerance: float) -> str:
    return f"recorded → here; distances that differ by at most {tolerance:g} agree"


def _lines(replays: Sequence[TurnReplay]) -> list[str]:
    lines = []
    for number, replay in enumerate(replays, start=1):
        lines.append(f"turn {number}: {_quoted(replay.turn.request.message)}")
        for node in replay.nodes:
            lines += [f"  {line}" for line in _node_lines(node)]
        lines += [f"  note: {_printable(note)}" for note in replay.notes]
        if not replay.nodes:
            lines.append("  nothing to compare: no node searched")
    differing = sum(replay.differs for replay in replays)
    lines.append(
        f"{len(replays)} turn{'' if len(replays) == 1 else 's'} replayed: "
        + (f"{differing} differ{'s' if differing == 1 else ''}" if differing else "all hits agree")
    )
    return lines


def _node_lines(node: NodeReplay) -> list[str]:
    lines = [f"{_printable(node.node)} ({node.type}), query {_quoted(node.query)}"]
    lines += [f"  note: {_printable(change)}" for change in node.changed]
    if node.error is not None:
        return [*lines, f"  {_printable(node.error.line())}"]
    pairs = node.comparison.pairs
    rows = [("", "rank", "id", "distance", "")] if pairs else []
    rows += [_cells(pair) for pair in pairs]
    widths = [max(len(row[column]) for row in rows) for column in range(5)] if rows else []
    lines += ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    return [*lines, f"  {node.comparison.summary}"]


def _cells(pair: HitPair) -> tuple[str, str, str, str, str]:
    """Return verdict, ranks, id, distances and their change, as texts."""
    change = "" if pair.distance_change is None else f"{pair.distance_change:+.4f}"
    said = [f"{change} too far apart" if pair.is_distant and change else change]
    said += [_printable(difference, _TEXT_CHARACTERS) for difference in pair.differences]
    return (
        str(pair.verdict),
        f"{pair.recorded_rank or '–'} → {pair.here_rank or '–'}",
        _printable(pair.id, _ID_CHARACTERS),
        f"{_distance(pair.recorded)} → {_distance(pair.here)}",
        "; ".join(part for part in said if part),
    )


def _distance(hit: Hit | None) -> str:
    return "–" if hit is None or hit.distance is None else f"{hit.distance:.4f}"


def _turn_data(replay: TurnReplay) -> dict[str, Any]:
    return {
        "message": replay.turn.request.message,
        "differs": replay.differs,
        "nodes": [_node_data(node) for node in replay.nodes],
        "notes": list(replay.notes),
    }


def _node_data(node: NodeReplay) -> dict[str, Any]:
    error = node.error
    return {
        "node": node.node,
        "type": node.type,
        "query": node.query,
        "differs": node.differs,
        "changed": list(node.changed),
        "error": None
        if error is None
        else {"code": int(error.code), "name": error.name, "message": error.message},
        "summary": {str(verdict): count for verdict, count in node.comparison.counts.items()},
        "hits": [
            {
                "id": pair.id,
                "verdict": str(pair.verdict),
                "recorded": _hit_data(pair.recorded, pair.recorded_rank),
                "here": _hit_data(pair.here, pair.here_rank),
                "distance_change": pair.distance_change,
                **({"differences": list(pair.differences)} if pair.differences else {}),
            }
            for pair in node.comparison.pairs
        ],
    }


def _hit_data(hit: Hit | None, rank: int | None) -> dict[str, Any] | None:
    return None if hit is None else {"rank": rank, "distance": hit.distance}


def _quoted(text: str) -> str:
    return f'"{_printable(text, _TEXT_CHARACTERS)}"'


def _printable(text: str, limit: int = 1000) -> str:
    """Return a text from a file on one line, without what would command the terminal."""
    short = text if len(text) <= limit else text[: limit - 1] + "…"
    return "".join(sign if sign.isprintable() else f"\\u{ord(sign):04x}" for sign in short)
