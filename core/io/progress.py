"""How long work reports its progress and learns that nobody wants it any more."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

from core.errors import Cancelled

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_POLL_S = 0.05


class Progress(Protocol):
    """Called now and then with what is being done, how much of it is done, and of how much."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report; `total` is 0 while it is not known."""


class IsCancelled(Protocol):
    """Asked now and then whether to stop."""

    def __call__(self) -> bool:
        """Return True to stop."""


def no_progress(what: str, done: int, total: int) -> None:
    """Report to nobody."""


def never_cancelled() -> bool:
    """Go on to the end."""
    return False


def stop_if(is_cancelled: IsCancelled) -> None:
    """Raise `Cancelled` when the work is not wanted any more."""
    if is_cancelled():
        raise Cancelled


@contextmanager
def alone(lock: threading.Lock, is_cancelled: IsCancelled) -> Iterator[None]:
    """Hold a lock, waiting for it no longer than the caller wants to.

    Raises
    ------
    Cancelled
        When `is_cancelled` says so while another thread holds it.
    """
    while not lock.acquire(timeout=_POLL_S):
        stop_if(is_cancelled)
    try:
        yield
    finally:
        lock.release()
