"""Times two things in turn, so that whatever else the machine does hits both."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@dataclass(frozen=True)
class Row:
    """One line of the table: our time and the peer's, milliseconds, medians."""

    what: str
    ours_ms: float
    peer: str = ""
    peer_ms: float = 0.0
    goal: str = ""

    def cells(self) -> tuple[str, ...]:
        ratio = f"{self.ours_ms / self.peer_ms:.2f}" if self.peer_ms else ""
        peer_ms = f"{self.peer_ms:.3f}" if self.peer_ms else ""
        return self.what, f"{self.ours_ms:.3f}", self.peer, peer_ms, ratio, self.goal


def time_ms(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def in_turn(pairs: Iterable[tuple[Callable[[], Any], Callable[[], Any]]]) -> tuple[float, float]:
    """Median times, milliseconds, of both members of the pairs; the first pair warms up."""
    ours, peers = [], []
    for one, other in pairs:
        ours.append(time_ms(one))
        peers.append(time_ms(other))
    return statistics.median(ours[1:] or ours), statistics.median(peers[1:] or peers)


def print_table(rows: Iterable[tuple[str, ...]], head: tuple[str, ...]) -> None:
    table = [head, *rows]
    widths = [max(len(row[place]) for row in table) for place in range(len(head))]
    for number, row in enumerate(table):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
