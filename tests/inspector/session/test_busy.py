"""When work is worth a look, and how long it will still take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from core.io.work import Count
from inspector.session.busy import Busy
from inspector.session.jobs import Jobs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    Reports = list[tuple[Any, ...]]


@pytest.fixture
def jobs(qtbot: QtBot) -> Iterator[Jobs]:
    jobs = Jobs()
    yield jobs
    jobs.close()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr("inspector.session.busy.time.monotonic", lambda: now[0])
    return now


def _left(
    qtbot: QtBot, jobs: Jobs, clock: list[float], *reports: tuple[float, int, int]
) -> float | None:
    """Return the seconds left that are shown after reports of (time, done, total)."""
    busy = Busy(jobs)
    with qtbot.waitSignal(busy.progressed) as shown:
        jobs.started.emit("index")
        for at, done, total in reports:
            clock[0] = at
            jobs.progressed.emit("index", "embedding records", done, total)
    left: float | None = shown.args[-1]
    return left


def test_the_rest_takes_as_long_as_what_is_done(
    qtbot: QtBot, jobs: Jobs, clock: list[float]
) -> None:
    assert _left(qtbot, jobs, clock, (0, 0, 40), (10, 10, 40)) == pytest.approx(30)


def test_what_was_done_before_took_no_time(qtbot: QtBot, jobs: Jobs, clock: list[float]) -> None:
    assert _left(qtbot, jobs, clock, (0, 20, 40), (10, 30, 40)) == pytest.approx(10)
    assert _left(qtbot, jobs, clock, (0, 20, 40)) is None


def test_long_records_that_come_first_do_not_count_as_one_each(
    qtbot: QtBot, jobs: Jobs, clock: list[float]
) -> None:
    # 1 record of 10 is done, and it has half of the characters.
    reports = (0.0, Count(0, 0.0), 10), (10.0, Count(1, 0.5), 10)
    assert _left(qtbot, jobs, clock, *reports) == pytest.approx(10)
