"""How work that may take long is done: on whose behalf, who hears of it, and what stops it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, Self

from core.errors import Cancelled

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

_POLL_S = 0.05


class Progress(Protocol):
    """Called now and then with what is being done, how much of it is done, and of how much."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """Report; `total` is 0 while it is not known."""


class Count(int):
    """How many are done where some take longer than others: knows the share of the effort too.

    effort : 0 to 1.
    """

    effort: float

    def __new__(cls, done: int, effort: float) -> Self:
        """Make a count of what is done."""
        count = super().__new__(cls, done)
        count.effort = effort
        return count


class IsCancelled(Protocol):
    """Asked now and then whether to stop."""

    def __call__(self) -> bool:
        """Return True to stop."""


class SearchNeeded(LookupError):
    """Only what is cached was asked for, and this search has not been made yet."""


def no_progress(what: str, done: int, total: int) -> None:
    """Report to nobody."""


def never_cancelled() -> bool:
    """Go on to the end."""
    return False


@dataclass(frozen=True, slots=True)
class Work:
    """How a piece of work that may take long is to be done.

    node : the node on whose behalf, named in refusals; "" for none.
    cached_only : search nothing: `SearchNeeded` where something would have to be.
    progress : is told how far the work is.
    is_cancelled : says whether nobody wants it any more.
    """

    node: str = ""
    cached_only: bool = False
    progress: Progress = no_progress
    is_cancelled: IsCancelled = never_cancelled

    def for_node(self, name: str) -> Work:
        """Return the same work on behalf of a node."""
        return replace(self, node=name)

    def require_search(self) -> None:
        """Raise `SearchNeeded` where only what is cached is wanted."""
        if self.cached_only:
            raise SearchNeeded

    def stop_if_cancelled(self) -> None:
        """Raise `Cancelled` when the work is not wanted any more."""
        if self.is_cancelled():
            raise Cancelled

    @contextmanager
    def alone(self, lock: threading.Lock) -> Iterator[None]:
        """Hold a lock, waiting for it no longer than the caller wants to.

        Raises
        ------
        Cancelled
            When the work is cancelled while another thread holds it.
        """
        while not lock.acquire(timeout=_POLL_S):
            self.stop_if_cancelled()
        try:
            yield
        finally:
            lock.release()


QUIETLY = Work()
"""On nobody's behalf, reported to nobody, and to the end."""
