from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from core.errors import Cancelled
from inspector.session.jobs import WORKERS, Jobs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot

    from core.io.work import Work

WAIT_S = 10


class Held:
    """Work that stops at a gate, so that a test decides in which order threads finish."""

    def __init__(self, result: object) -> None:
        self.result = result
        self.started = threading.Event()
        self.gate = threading.Event()
        self.saw_cancel = False

    def __call__(self, work: Work) -> object:
        self.started.set()
        assert self.gate.wait(WAIT_S)
        self.saw_cancel = work.is_cancelled()
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


@pytest.fixture
def jobs(qtbot: QtBot) -> Iterator[Jobs]:
    runner = Jobs()
    yield runner
    runner.close()


def submit(jobs: Jobs, work: Held, results: list[object], lane: str = "lane") -> None:
    jobs.submit(lane, work, results.append, results.append)


def test_a_result_arrives_on_the_gui_thread(jobs: Jobs, qtbot: QtBot) -> None:
    threads: list[threading.Thread] = []
    jobs.submit(
        "lane",
        lambda _work: 1,
        lambda _r: threads.append(threading.current_thread()),
        lambda _e: None,
    )
    qtbot.waitUntil(lambda: bool(threads))
    assert threads == [threading.main_thread()]


def test_a_newer_request_wins_over_an_older_one_that_finishes_late(
    jobs: Jobs, qtbot: QtBot
) -> None:
    results: list[object] = []
    old, new = Held("old"), Held("new")
    submit(jobs, old, results)
    assert old.started.wait(WAIT_S)
    submit(jobs, new, results)
    new.gate.set()
    qtbot.waitUntil(lambda: results == ["new"])
    old.gate.set()
    with qtbot.waitSignal(jobs.ended):
        jobs.submit("other", lambda _work: None, lambda _r: None, lambda _e: None)
    qtbot.waitUntil(lambda: old.saw_cancel)
    assert results == ["new"]


def test_a_job_cancelled_while_queued_never_runs(jobs: Jobs, qtbot: QtBot) -> None:
    blockers = [Held(i) for i in range(WORKERS)]
    for i, blocker in enumerate(blockers):
        submit(jobs, blocker, [], lane=f"blocker {i}")
    queued = Held("never")
    results: list[Any] = []
    submit(jobs, queued, results)
    jobs.cancel("lane")
    for blocker in blockers:
        blocker.gate.set()
    qtbot.waitUntil(lambda: not any(jobs.is_busy(f"blocker {i}") for i in range(WORKERS)))
    assert not queued.started.is_set()
    assert results == []


def test_a_job_cancelled_while_running_reports_nothing(jobs: Jobs, qtbot: QtBot) -> None:
    work = Held("late")
    results: list[Any] = []
    submit(jobs, work, results)
    assert work.started.wait(WAIT_S)
    with qtbot.waitSignal(jobs.ended):
        jobs.cancel("lane")
    work.gate.set()
    jobs.close()
    assert results == []
    assert work.saw_cancel


def test_an_exception_reaches_the_error_callback(jobs: Jobs, qtbot: QtBot) -> None:
    errors: list[object] = []
    work = Held(ValueError("boom"))
    work.gate.set()
    jobs.submit("lane", work, lambda _r: errors.append("done"), errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert [type(error) for error in errors] == [ValueError]


def test_cancelled_is_shown_to_nobody(jobs: Jobs, qtbot: QtBot) -> None:
    results: list[object] = []
    work = Held(Cancelled())
    work.gate.set()
    with qtbot.waitSignal(jobs.ended):
        submit(jobs, work, results)
    assert results == []


def test_closing_waits_for_running_work_and_takes_no_more(jobs: Jobs, qtbot: QtBot) -> None:
    work = Held("late")
    results: list[Any] = []
    submit(jobs, work, results)
    assert work.started.wait(WAIT_S)
    work.gate.set()
    jobs.close()
    submit(jobs, Held("after"), results)
    assert results == []
    assert not jobs.is_busy("lane")


def test_progress_of_the_current_job_is_signalled(jobs: Jobs, qtbot: QtBot) -> None:
    def work(work: Work) -> None:
        work.progress("embedding", 3, 10)

    with qtbot.waitSignal(jobs.progressed) as seen:
        jobs.submit("lane", work, lambda _r: None, lambda _e: None)
    assert seen.args == ["lane", "embedding", 3, 10]


def test_lanes_do_not_disturb_each_other(jobs: Jobs, qtbot: QtBot) -> None:
    results: list[object] = []
    one, two = Held(1), Held(2)
    submit(jobs, one, results, "one")
    submit(jobs, two, results, "two")
    two.gate.set()
    one.gate.set()
    qtbot.waitUntil(lambda: sorted(map(str, results)) == ["1", "2"])
