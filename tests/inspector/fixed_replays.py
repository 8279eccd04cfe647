"""Fixed replays for panel tests: two lists of hits whose every verdict is known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from core.agent.turn import Turn
from core.hits.comparison import Comparison, compare_hits
from core.hits.hit import Hit, Reason
from core.nodes.walk import TurnRequest
from core.recording.replay import NodeReplay, TurnReplay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from core.errors import InspectorError

    Listed = Sequence[tuple[str, float | None]]

RECORDED = (
    ("clown_lion_01", 0.312),
    ("lionfish_diet", 0.408),
    ("clown_tankmates", 0.541),
    ("reef_safe_02", 0.571),
    ("goby_pairs", 0.590),
)
HERE = (
    ("clown_lion_01", 0.3120004),
    ("lionfish_diet", 0.440),
    ("reef_safe_02", 0.572),
    ("clown_tankmates", 0.575),
    ("anemone_host", 0.581),
)
TEXTS = {
    "clown_lion_01": "A lionfish will eat a clownfish that fits its mouth.",
    "lionfish_diet": "Lionfish hunt at dusk\nand take any fish.",
}


def hits(listed: Listed) -> tuple[Hit, ...]:
    return tuple(
        Hit(
            row,
            name,
            TEXTS.get(name, f"About {name}."),
            Reason.NONE,
            row + 1,
            distance=distance,
            exact_distance=distance,
        )
        for row, (name, distance) in enumerate(listed)
    )


def node_replay(
    recorded: Listed = RECORDED,
    here: Listed = HERE,
    *,
    node: str = "knowledge",
    error: InspectorError | None = None,
    changed: tuple[str, ...] = (),
) -> NodeReplay:
    # The panel reads nothing of the retrievals themselves.
    retrieval: Any = SimpleNamespace()
    comparison = Comparison() if error else compare_hits(hits(recorded), hits(here))
    return NodeReplay(
        node,
        "Retrieve",
        "do they get along?",
        retrieval,
        None if error else retrieval,
        comparison,
        error,
        changed,
    )


def replay_of(*nodes: NodeReplay, notes: tuple[str, ...] = ()) -> TurnReplay:
    turn = Turn(TurnRequest("do they get along?", {}, "knowledge"), (), recorded=True)
    return TurnReplay(turn, nodes or (node_replay(),), notes)
