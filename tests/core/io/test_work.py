"""How work is done: on whose behalf, and how it is stopped."""

from __future__ import annotations

import threading

import pytest

from core.errors import Cancelled
from core.io.work import QUIETLY, Work


def test_work_for_a_node_is_the_same_otherwise() -> None:
    told: list[tuple[str, int, int]] = []
    work = Work(cached_only=True, progress=lambda *report: told.append(report))
    named = work.for_node("knowledge")
    named.progress("reading", 1, 2)
    assert (named.node, named.cached_only, told) == ("knowledge", True, [("reading", 1, 2)])


def test_work_that_nobody_wants_any_more_stops() -> None:
    QUIETLY.stop_if_cancelled()
    with pytest.raises(Cancelled):
        Work(is_cancelled=lambda: True).stop_if_cancelled()


def test_waiting_for_a_lock_ends_when_the_work_is_cancelled() -> None:
    lock = threading.Lock()
    with QUIETLY.alone(lock):
        assert lock.locked()
        with pytest.raises(Cancelled), Work(is_cancelled=lambda: True).alone(lock):
            raise AssertionError("it is held by another")
    assert not lock.locked()
